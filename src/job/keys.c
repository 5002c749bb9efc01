/* keys.c -- one key of a job: looked up over its files, with what it refers to put in. */
#include "base/letters.h"
#include "job/reading.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 12, MOST_TEXT = 8192 };

bool clg_job_is(const char *text, const char *word) {
    while (*text && clg_lower(*text) == clg_lower(*word)) text++, word++;
    return !*text && !*word;
}

bool clg_job_has(const char *text, const char *word) {
    for (; *text; text++) {
        size_t i = 0;
        while (word[i] && clg_lower(text[i]) == clg_lower(word[i])) i++;
        if (!word[i]) return true;
    }
    return false;
}

const char *clg_job_word(const clg_json *node) {
    if (node->kind == CLG_JSON_BOOL) return node->truth ? "true" : "false";
    return node->kind == CLG_JSON_STRING || node->kind == CLG_JSON_NUMBER ? node->text : "";
}

bool clg_job_number(const clg_json *node, double *number) {
    clg_json scalar;
    if (node->kind == CLG_JSON_NUMBER) {
        *number = node->number;
        return true;
    }
    if (node->kind != CLG_JSON_STRING || node->text_size > 40) return false;
    char *end;
    scalar.number = strtod(node->text, &end);
    while (*end == ' ') end++;
    *number = scalar.number;
    return end > node->text && *end == '\0' && *number > -1e300 && *number < 1e300 &&
           node->text[0] != 'n' && node->text[0] != 'N' && node->text[0] != 'i';
}

bool clg_job_truth(const clg_json *node) {
    double number;
    if (node->kind == CLG_JSON_BOOL) return node->truth;
    if (clg_job_number(node, &number)) return number != 0;
    const char *word = clg_job_word(node);
    return (*word && !clg_job_is(word, "false") && !clg_job_is(word, "none") &&
            !clg_job_is(word, "no") && !clg_job_is(word, "null")) ||
           (node->first != NULL);
}

/* ---- references ---- */

typedef struct referring {
    clg_reading *r;
    const clg_json *format;
    int depth;
} referring;

static const clg_json *resolve(referring *f, const clg_json *node);

static const clg_json *look(clg_reading *r, const clg_json *format, const char *path, size_t size) {
    char key[256];
    if (size == 0 || size >= sizeof key) return NULL;
    bool relative = *path == '.';
    while (size > 0 && *path == '.') path++, size--;
    snprintf(key, sizeof key, "%s%.*s", relative ? "**." : "", (int)size, path);
    for (const char *rest = key; rest;) {
        for (int i = 0; i < r->sources; i++) {
            if (r->source[i].format != format && r->source[i].score > 0) continue;
            const clg_json *node = clg_job_find_within(r, format, r->source[i].root, rest);
            if (node) return node;
        }
        /* "training.model.x" of a file that a launcher puts under "training" */
        rest = relative ? NULL : strchr(rest, '.');
        if (rest) rest++;
    }
    return NULL;
}

static bool number_at(referring *f, const char *text, size_t size, double *number) {
    while (size > 0 && *text == ' ') text++, size--;
    while (size > 0 && text[size - 1] == ' ') size--;
    clg_json *node = clg_tree_scalar(f->r->arena, text, size, 1, 1);
    return clg_job_number(resolve(f, node), number);
}

/* "multiply:a,b" and the like, as NeMo's and llm-foundry's configurations use them. */
static const clg_json *computed(referring *f, const char *text, size_t size) {
    static const char *const names[] = {
        "multiply:", "divide_ceil:", "divide_floor:", "int_div:", "div:", "mul:", "add:", NULL};
    int which = 0;
    while (names[which] &&
           (strlen(names[which]) > size || memcmp(text, names[which], strlen(names[which])) != 0))
        which++;
    if (!names[which]) return NULL;
    const char *at = text + strlen(names[which]), *end = text + size, *comma = at;
    for (int depth = 0; comma < end && (*comma != ',' || depth > 0); comma++)
        depth += (*comma == '{') - (*comma == '}');
    double a, b;
    if (comma >= end || !number_at(f, at, (size_t)(comma - at), &a) ||
        !number_at(f, comma + 1, (size_t)(end - comma - 1), &b) || (b == 0 && which > 0))
        return NULL;
    double value = which == 0 || which == 5 ? a * b : which == 6 ? a + b : a / b;
    if (value > 1e15 || value < -1e15) return NULL;
    if (which >= 1 && which <= 4) {
        long long down = (long long)value;
        value = (double)(down + (which == 1 && (double)down < value));
    }
    const char *out = clg_arena_print(f->r->arena, "%.15g", value);
    return clg_tree_scalar(f->r->arena, out, strlen(out), 1, 1);
}

/* "oc.env:X,d", "env:X", "X:d" of an environment that is not here: the default. */
static const clg_json *of_environment(referring *f, const char *text, size_t size) {
    clg_arena *arena = f->r->arena;
    bool named =
        (size > 7 && memcmp(text, "oc.env:", 7) == 0) || (size > 4 && memcmp(text, "env:", 4) == 0);
    const char *name = named ? strchr(text, ':') + 1 : text, *end = text + size, *mark = name;
    while (mark < end && *mark != (named ? ',' : ':')) mark++;
    const clg_json *variables = clg_tree_find(f->r->scripts, "variables");
    const clg_json *set =
        variables ? clg_tree_find(variables, clg_arena_copy(arena, name, (size_t)(mark - name)))
                  : NULL;
    if (set) return set;
    if (mark < end) return clg_tree_scalar(arena, mark + 1, (size_t)(end - mark - 1), 1, 1);
    return named ? clg_tree_string(arena, &(char){CLG_TREE_UNKNOWN}, 1, 1, 1) : NULL;
}

static const clg_json *referred(referring *f, const char *text, size_t size) {
    const clg_json *found = computed(f, text, size);
    if (!found && !memchr(text, ':', size)) found = look(f->r, f->format, text, size);
    if (!found) found = of_environment(f, text, size);
    return found ? resolve(f, found) : NULL;
}

static const char *behind_braces(const char *at) {
    int depth = 0;
    for (; *at; at++) {
        if (*at == '{') depth++;
        if (*at == '}' && --depth == 0) return at + 1;
    }
    return at;
}

/* A text with "${...}" in it; one that cannot be told leaves a mark of what is unknown. */
static const clg_json *resolve(referring *f, const clg_json *node) {
    if (node->kind != CLG_JSON_STRING || !strstr(node->text, "${")) return node;
    clg_arena *arena = f->r->arena;
    clg_text out = {.arena = arena};
    if (++f->depth > DEEPEST) {
        f->depth--;
        return clg_tree_string(arena, &(char){CLG_TREE_UNKNOWN}, 1, node->line, node->column);
    }
    const clg_json *whole = NULL;
    for (const char *at = node->text; *at && out.size < MOST_TEXT;) {
        if (at[0] != '$' || at[1] != '{') {
            clg_text_add(&out, at++, 1);
            continue;
        }
        const char *behind = behind_braces(at + 1);
        size_t size = (size_t)(behind - at) > 3 ? (size_t)(behind - at) - 3 : 0;
        const clg_json *found = referred(f, at + 2, size);
        if (at == node->text && !*behind) whole = found;
        clg_text_print(&out, "%s", found ? clg_job_word(found) : "\x01");
        at = behind;
    }
    f->depth--;
    if (whole) {
        clg_json *copy = clg_tree_make(arena, whole->kind, node->line, node->column);
        *copy = *whole;
        copy->line = node->line, copy->column = node->column;
        return copy;
    }
    return clg_tree_scalar(arena, out.data ? out.data : "", out.size, node->line, node->column);
}

/* ---- keys ---- */

void clg_job_mark_used(clg_reading *r, const clg_json *node) {
    if (r->used_count == r->used_room) {
        int room = r->used_room ? 2 * r->used_room : 128;
        const clg_json **more = clg_take(r->arena, (size_t)room, const clg_json *);
        if (r->used_count) memcpy(more, r->used, (size_t)r->used_count * sizeof *more);
        r->used = more, r->used_room = room;
    }
    r->used[r->used_count++] = node;
}

/* At the top of a tree, or within one of the objects that the format puts its keys in. */
const clg_json *clg_job_find_within(clg_reading *r, const clg_json *format, const clg_json *root,
                                    const char *key) {
    const clg_json *node = clg_tree_find(root, key), *all = clg_json_member(format, "within");
    for (const clg_json *one = all ? all->first : NULL; one && !node; one = one->next) {
        const clg_json *inner = clg_tree_find(root, one->text);
        node = inner ? clg_tree_find(inner, key) : NULL;
        if (!node) node = clg_tree_find(root, clg_arena_print(r->arena, "%s.%s", one->text, key));
    }
    return node;
}

clg_found_key clg_job_key(clg_reading *r, const clg_json *format, const char *keys) {
    while (*keys) {
        size_t size = strcspn(keys, "|");
        const char *key = clg_arena_copy(r->arena, keys, size);
        for (int i = 0; i < r->sources; i++) {
            const clg_job_source *source = &r->source[i];
            if (source->format != format) continue;
            const clg_json *node = clg_job_find_within(r, format, source->root, key);
            if (!node || node->kind == CLG_JSON_NULL) continue;
            clg_job_mark_used(r, node);
            referring f = {r, format, 0};
            return (clg_found_key){resolve(&f, node), source, key};
        }
        keys += size + (keys[size] == '|');
    }
    return (clg_found_key){0};
}

const char *clg_job_base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *clg_job_from(clg_reading *r, const clg_found_key *key) {
    int line = key->node->line;
    if (!key->source->command)
        return clg_arena_print(r->arena, "%s:%d %s", clg_job_base_name(key->source->name), line,
                               key->key);
    int file = key->node->column - 1;
    const char *name = file >= 0 && file < r->file_count ? r->files[file].name : "";
    const clg_json *node = clg_tree_find(key->source->root, key->key);
    const char *dashes = node ? "--" : "";
    return clg_arena_print(r->arena, "%s:%d %s%s", clg_job_base_name(name), line, dashes,
                           node && node->key ? node->key : key->key);
}
