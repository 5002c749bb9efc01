/* names.c -- reads data/stack-names.csv: a name, until which month, and what it is then. What
 * people write around a name (makers, versions, asides) is looked past. */
#include "stack/names.h"

#include "base/letters.h"
#include "base/name.h"
#include "dataset/dataset.h"
#include "dataset/kept.h"

#include <string.h>

static clg_csv open_names(clg_arena *arena) { return clg_dataset_csv(arena, "stack-names.csv"); }

static const char *named(const clg_csv *csv, const char *name, const char *month) {
    for (int i = 0; i < csv->rows; i++) {
        const char *row = clg_csv_field(csv, i, "name"), *until = clg_csv_field(csv, i, "until");
        if (!clg_name_same(&row, 1, name)) continue;
        if (*until && (!month || strncmp(month, until, 7) > 0)) continue;
        return clg_csv_field(csv, i, "stack");
    }
    return NULL;
}

/* As of a month, unless the row names one. */
static const char *of_month(clg_arena *arena, const char *found, const char *month) {
    return found && month && !strchr(found, '@') ? clg_arena_print(arena, "%s@%s", found, month)
                                                 : found;
}

const char *clg_stack_named(clg_arena *arena, const char *name, const char *month) {
    clg_csv csv = open_names(arena);
    return of_month(arena, named(&csv, name, month), month);
}

int clg_stack_names(clg_arena *arena, const char ***names) {
    clg_csv csv = open_names(arena);
    *names = clg_take(arena, (size_t)csv.rows + 1, const char *);
    for (int i = 0; i < csv.rows; i++) (*names)[i] = clg_csv_field(&csv, i, "name");
    return csv.rows;
}

enum { MOST_WORDS = 12 };

typedef struct clg_words_of {
    const char *word[MOST_WORDS];
    size_t size[MOST_WORDS], bare[MOST_WORDS]; /* without the version that ends it */
    int count;
} clg_words_of;

/* Where "-0.14" or "-v2.1" begins at the end of a word; its length where there is none. */
static size_t before_version(const char *word, size_t size) {
    for (size_t i = 1; i + 2 < size; i++) {
        if (!strchr("-_", word[i])) continue;
        size_t digit = i + 1 + (word[i + 1] == 'v'), end = digit;
        bool dot = false;
        for (; end < size && (clg_is_digit(word[end]) || word[end] == '.'); end++)
            dot = dot || word[end] == '.';
        if (end == size && dot && clg_is_digit(word[digit])) return i;
    }
    return size;
}

static void split(const char *name, const char *marks, clg_words_of *w) {
    w->count = 0;
    for (name += strspn(name, marks); *name && w->count < MOST_WORDS; name += strspn(name, marks)) {
        size_t size = strcspn(name, marks);
        w->word[w->count] = name;
        w->size[w->count] = size;
        w->bare[w->count++] = before_version(name, size);
        name += size;
    }
}

/* The month of a release named by it: "NeMo 25.04" is of April 2025. NULL: none is. */
static const char *dated(clg_arena *arena, const char *name) {
    for (const char *c = name; strlen(c) >= 5; c++) {
        bool alone = (c == name || !clg_is_digit(c[-1])) && !clg_is_digit(c[5]);
        int month = (c[3] - '0') * 10 + c[4] - '0';
        if (alone && c[0] == '2' && clg_is_digit(c[1]) && c[2] == '.' && clg_is_digit(c[3]) &&
            clg_is_digit(c[4]) && month >= 1 && month <= 12)
            return clg_arena_print(arena, "20%.2s-%.2s", c, c + 3);
    }
    return NULL;
}

/* A built-in stack's own name, in any case. */
static const char *built_in(clg_arena *arena, const char *name) {
    int count;
    const clg_file *files = clg_dataset_folder("stack/", &count);
    for (int i = 0; i < count; i++) {
        const char *own = clg_arena_copy(arena, files[i].path + 6, strlen(files[i].path) - 11);
        if (clg_name_same(&own, 1, name)) return own;
    }
    return NULL;
}

/* A name of the table, or a built-in stack's own. */
static const char *known(clg_arena *arena, const clg_csv *csv, const char *from, size_t size,
                         const char *month) {
    const char *name = clg_arena_copy(arena, from, size), *found = named(csv, name, month);
    return found ? found : built_in(arena, name);
}

const char *clg_stack_named_like(clg_arena *arena, const char *name, const char *month,
                                 bool loosely) {
    clg_csv csv = open_names(arena);
    clg_words_of w;
    split(name, loosely ? " /+(),:-_." : " /+(),:", &w);
    const char *own = dated(arena, name), *at = own ? own : month;
    for (int words = w.count; words > 0; words--)
        for (int i = 0; i + words <= w.count; i++) {
            const char *from = w.word[i], *last = w.word[i + words - 1];
            size_t before = (size_t)(last - from);
            const char *found = known(arena, &csv, from, before + w.size[i + words - 1], at);
            if (!found) found = known(arena, &csv, from, before + w.bare[i + words - 1], at);
            if (found) return of_month(arena, found, at);
        }
    return NULL;
}
