/* ranges.c -- which ranges are steps. */
#include "record/ranges.h"
#include "base/letters.h"

#include "record/ns.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RANGES = 1 << 22, MOST_NAME = 256 };

/* Small letters without digits; the last number of the name. */
static size_t strip(clg_slice name, char *out, int64_t *number) {
    size_t size = 0;
    *number = -1;
    for (size_t i = 0; i < name.size && size < MOST_NAME; i++) {
        if (!clg_is_digit(name.text[i])) {
            out[size++] = clg_lower(name.text[i]);
            continue;
        }
        if (i == 0 || !clg_is_digit(name.text[i - 1])) *number = 0;
        if (*number < INT64_MAX / 16) *number = *number * 10 + (name.text[i] - '0');
    }
    return size;
}

static bool has_word(const char *text, size_t size, const char *word) {
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= size; i++) {
        bool starts = i == 0 || clg_lower(text[i - 1]) < 'a' || clg_lower(text[i - 1]) > 'z';
        char after = i + length < size ? text[i + length] : ' ';
        bool ends = after < 'a' || after > 'z';
        if (starts && ends && memcmp(text + i, word, length) == 0) return true;
    }
    return false;
}

static bool like_a_step(const char *text, size_t size) {
    static const char *const words[] = {"step", "iteration", "iter", "batch", "train_step"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has_word(text, size, words[i])) return true;
    return false;
}

/* emit_nvtx of torch writes "aten::mm, seq = 12, op_id = 34": all calls of an operator are one. */
static clg_slice without_counts(clg_slice name) {
    static const char *const counts[] = {", seq = ", ", op_id = "};
    for (size_t i = 0; i < name.size; i++)
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
            if (clg_slice_starts((clg_slice){name.text + i, name.size - i}, counts[k]))
                return (clg_slice){name.text, i};
    return name;
}

/* The name with one # for each number. */
static uint32_t keep_name(clg_ranges *r, clg_slice name) {
    char masked[MOST_NAME];
    size_t size = 0, known = r->names.count;
    name = without_counts(name);
    for (size_t i = 0; i < name.size && size < MOST_NAME; i++) {
        if (!clg_is_digit(name.text[i])) masked[size++] = name.text[i];
        if (clg_is_digit(name.text[i]) && (i == 0 || !clg_is_digit(name.text[i - 1])))
            masked[size++] = '#';
    }
    r->names.arena = r->arena;
    uint32_t at = clg_intern_add(&r->names, (clg_slice){masked, size});
    size_t shown = name.size < MOST_NAME ? name.size : MOST_NAME;
    if (r->names.count > known) {
        const char *first = clg_arena_copy(r->arena, name.text, shown);
        CLG_APPEND(r->arena, r->first, known, r->first_capacity, first);
    } else if (r->first[at] && !clg_slice_is((clg_slice){name.text, shown}, r->first[at]))
        r->first[at] = NULL;
    return at;
}

const char *clg_range_name(const clg_ranges *r, uint32_t name) {
    return r->first[name] ? r->first[name] : r->names.texts[name];
}

void clg_ranges_add(clg_ranges *r, clg_slice name, uint64_t thread, int64_t start_ns,
                    int64_t duration_ns) {
    char word[MOST_NAME];
    clg_range range = {.start_ns = start_ns, .duration_ns = duration_ns, .thread = thread};
    if (r->count >= MOST_RANGES || duration_ns <= 0 || name.size == 0) return;
    size_t size = strip(name, word, &range.number);
    range.name = keep_name(r, name);
    range.class = clg_trace_hash((clg_slice){word, size}, thread);
    range.named = like_a_step(word, size);
    range.part = clg_slice_starts(name, "Optimizer."); /* torch names these by itself */
    CLG_APPEND(r->arena, r->range, r->count, r->capacity, range);
}

static int by_class(const void *a, const void *b) {
    const clg_range *x = a, *y = b;
    if (x->class != y->class) return x->class < y->class ? -1 : 1;
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* Ranges of one class. */
typedef struct candidate {
    size_t first, count;
    int64_t total_ns;
    bool named;
} candidate;

/* Two or more, none before the end of the one before, over half of the GPU's time; nine tenths,
 * where the name does not say so: every operator may have a range. */
static bool eligible(const clg_ranges *r, candidate *c, int64_t span_ns) {
    for (size_t i = c->first; i < c->first + c->count; i++) {
        const clg_range *own = &r->range[i];
        if (i > c->first && own[-1].start_ns + own[-1].duration_ns > own->start_ns) return false;
        c->total_ns = clg_ns_plus(c->total_ns, own->duration_ns);
    }
    return c->count > 1 && c->total_ns >= (c->named ? span_ns / 2 : span_ns - span_ns / 10);
}

static bool better(const candidate *a, const candidate *b) {
    if (b->count == 0) return true;
    if (a->named != b->named) return a->named;
    return a->total_ns > b->total_ns;
}

static candidate choose(clg_ranges *r, int64_t span_ns) {
    candidate best = {0};
    if (r->count) qsort(r->range, r->count, sizeof *r->range, by_class);
    for (size_t i = 0, next; i < r->count; i = next) {
        for (next = i + 1; next < r->count && r->range[next].class == r->range[i].class;) next++;
        candidate c = {i, next - i, 0, r->range[i].named};
        if (!r->range[i].part && eligible(r, &c, span_ns) && better(&c, &best)) best = c;
    }
    return best;
}

void clg_ranges_to_steps(clg_ranges *r, clg_trace *t) {
    if (t->step_count > 0 || t->ledger.span_ns <= 0) return;
    candidate best = choose(r, t->ledger.span_ns);
    for (size_t i = best.first; i < best.first + best.count; i++) {
        const clg_range *own = &r->range[i];
        clg_trace_step step = {
            .number = own->number, .start_ns = own->start_ns, .duration_ns = own->duration_ns};
        t->steps++;
        t->steps_ns = clg_ns_plus(t->steps_ns, own->duration_ns);
        CLG_APPEND(t->timeline.arena, t->step, t->step_count, t->step_capacity, step);
    }
}
