/* python.c -- what a Python file assigns: recipes and configurations written as code.
 *
 * "a.b.c = 8", "c=8" in a call and "c": 8 in a table count as the key c with that value, the last
 * one standing. Constants are put in where their name stands alone; simple products are worked out.
 * "a = dict(b=dict(c=8))" is a.b.c. Names of called functions are kept under "calls". Of a file
 * with several recipes one is read, with the functions of the file that it calls; what they are
 * given is not followed. */
#include "job/python.h"
#include "base/letters.h"
#include "job/reading.h"

#include <string.h>

enum { MOST_KEYS = 4000, DEEPEST = 64, MOST_CALLS = 12, MOST_FOLLOWED = 256, MOST_ARGUMENT = 256 };

typedef struct reader {
    clg_arena *arena;
    const char *at, *end;
    int line, keys;
    clg_json *root;
    clg_json *defaults;          /* of the command line's arguments */
    const char *called[DEEPEST]; /* of the open brackets: what is called; NULL: nothing */
    bool table[DEEPEST];         /* it is the path of a dict, not the name of a call */
    int depth;
    const clg_python_function *functions; /* of a file of recipes: read where they are called */
    int function_count, calls, followed;  /* calls: open now; followed: in all */
} reader;

static void read_range(reader *r, const char *from, const char *end, int line);

static bool is_triple(const reader *r, char quote) {
    return r->end - r->at >= 3 && r->at[1] == quote && r->at[2] == quote;
}

/* Behind a string; *size is what it holds. */
static const char *string(reader *r, size_t *size) {
    char quote = *r->at;
    size_t quotes = is_triple(r, quote) ? 3 : 1;
    const char *start = r->at += quotes;
    while (r->at < r->end) {
        if (*r->at == '\\' && r->at + 1 < r->end)
            r->at++;
        else if (*r->at == quote && (quotes == 1 || is_triple(r, quote)))
            break;
        if (*r->at == '\n') {
            r->line++;
            if (quotes == 1) break;
        }
        r->at++;
    }
    *size = (size_t)(r->at - start);
    r->at = (size_t)(r->end - r->at) > quotes ? r->at + quotes : r->end;
    return start;
}

static void skip_blanks(reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t')) r->at++;
}

/* A constant of the file; "common.max_sequence_length" may be its SEQUENCE_LENGTH. */
static const clg_json *constant_of(reader *r, const char *name) {
    const clg_json *found = clg_tree_find(r->root, name);
    const char *dot = strrchr(name, '.');
    if (found || !dot) return found;
    char upper[64];
    size_t size = 0;
    for (const char *at = dot + 1; *at && size + 1 < sizeof upper; at++)
        upper[size++] = clg_upper(*at);
    upper[size] = '\0';
    found = clg_tree_find(r->root, upper);
    return found || strncmp(upper, "MAX_", 4) != 0 ? found : clg_tree_find(r->root, upper + 4);
}

static bool number_of(reader *r, const char *text, size_t size, double *number) {
    clg_json *node = clg_tree_scalar(r->arena, text, size, 1, 1);
    if (node->kind == CLG_JSON_STRING) {
        const clg_json *constant = constant_of(r, node->text);
        if (!constant || constant->kind != CLG_JSON_NUMBER) return false;
        *number = constant->number;
        return true;
    }
    *number = node->number;
    return node->kind == CLG_JSON_NUMBER;
}

/* "8 * 1024 // 2": from left to right, products only. */
static bool product(reader *r, const char *text, const char *end, double *value) {
    char mark = '*';
    *value = 1;
    for (const char *at = text; at < end;) {
        while (at < end && strchr(" ()\t", *at)) at++;
        const char *start = at;
        while (at < end && (clg_in_name(*at) || *at == '.' || (*at == '-' && at == start))) at++;
        double one;
        if (at == start || !number_of(r, start, (size_t)(at - start), &one)) return false;
        if (mark == '*')
            *value *= one;
        else if (one != 0)
            *value /= one;
        while (at < end && strchr(" ()\t", *at)) at++;
        if (at >= end) return true;
        mark = *at++;
        if (mark != '*' && mark != '/') return false;
        if (at < end && *at == '/')
            at++;
        else if (at < end && *at == '*')
            return false;
    }
    return false;
}

/* "args.nodes": what the command line's parser says where nobody gives it. */
static const clg_json *default_of(const reader *r, const char *name) {
    return strncmp(name, "args.", 5) == 0 ? clg_tree_find(r->defaults, name + 5) : NULL;
}

static clg_json *value(reader *r) {
    skip_blanks(r);
    size_t size;
    int line = r->line;
    if (r->at < r->end && (*r->at == '"' || *r->at == '\'')) {
        const char *text = string(r, &size);
        return clg_tree_string(r->arena, text, size, line, 1);
    }
    const char *start = r->at;
    while (r->at < r->end && !strchr(",)\n#]}:", *r->at) && *r->at != '[' && *r->at != '{') {
        if (*r->at == '(' && r->at > start && clg_in_name(r->at[-1])) break;
        r->at++;
    }
    const char *stop = r->at;
    while (stop > start && strchr(" \t\r(", stop[-1])) stop--;
    if (stop == start || *start == '(') {
        r->at = start;
        return NULL;
    }
    double number;
    if (memchr(start, '*', (size_t)(stop - start)) || memchr(start, '/', (size_t)(stop - start))) {
        if (!product(r, start, stop, &number)) return NULL;
        const char *text = clg_arena_print(r->arena, "%.15g", number);
        return clg_tree_scalar(r->arena, text, strlen(text), line, 1);
    }
    clg_json *node = clg_tree_scalar(r->arena, start, (size_t)(stop - start), line, 1);
    if (node->kind == CLG_JSON_NULL) /* None is said, and means something where words ask for it */
        return clg_tree_string(r->arena, "None", 4, line, 1);
    const char *otherwise = node->kind == CLG_JSON_STRING ? strstr(node->text, " or ") : NULL;
    if (otherwise) node = clg_tree_string(r->arena, otherwise + 4, strlen(otherwise + 4), line, 1);
    if (node->kind == CLG_JSON_STRING && strchr(node->text, ' '))
        return clg_tree_string(r->arena, &(char){CLG_TREE_UNKNOWN}, 1, line, 1);
    const clg_json *constant =
        node->kind == CLG_JSON_STRING ? clg_tree_find(r->root, node->text) : NULL;
    if (node->kind == CLG_JSON_STRING && !constant) constant = default_of(r, node->text);
    if (constant && constant->kind != CLG_JSON_OBJECT) {
        clg_json *copy = clg_tree_make(r->arena, constant->kind, line, 1);
        *copy = *constant;
        copy->line = line, copy->next = NULL;
        return copy;
    }
    return node;
}

static void put(reader *r, const char *key, const clg_json *node) {
    clg_json *copy = clg_tree_make(r->arena, node->kind, node->line, 1);
    *copy = *node;
    copy->next = NULL;
    clg_tree_set(r->arena, r->root, key, copy);
}

/* add_argument("--num-nodes", default=1) */
static void keep_default(reader *r, const clg_json *node) {
    const clg_json *flag = clg_tree_find(r->root, "add_argument.argument");
    if (!flag || strncmp(flag->text, "--", 2) != 0 || strchr(flag->text, '.')) return;
    char *name = clg_arena_copy(r->arena, flag->text + 2, strlen(flag->text + 2));
    for (char *at = name; *at; at++)
        if (*at == '-') *at = '_';
    clg_json *copy = clg_tree_make(r->arena, node->kind, node->line, 1);
    *copy = *node;
    copy->next = NULL;
    if (*name) clg_tree_set(r->arena, r->defaults, name, copy);
}

/* As "key", as written ("cfg.model.key"), and as "Called.key" inside a call. */
static void set(reader *r, const char *key, size_t size, clg_json *node) {
    if (!node || r->keys++ > MOST_KEYS || size == 0 || size > 200) return;
    const char *name = clg_arena_copy(r->arena, key, size);
    const char *dot = strrchr(name, '.');
    const char *called = r->depth > 0 && r->depth <= DEEPEST ? r->called[r->depth - 1] : NULL;
    put(r, dot ? dot + 1 : name, node);
    if (dot) put(r, name, node);
    if (!called || dot) return;
    put(r, clg_arena_print(r->arena, "%s.%s", called, name), node);
    if (strcmp(called, "add_argument") == 0 && strcmp(name, "default") == 0) keep_default(r, node);
}

static void open_bracket(reader *r, const char *called) {
    if (r->depth++ < DEEPEST) {
        r->called[r->depth - 1] = called;
        r->table[r->depth - 1] = false;
    }
    r->at++;
}

/* "tensor=dict(size=8)" within "parallel=dict(": what follows is of parallel.tensor. */
static void open_table(reader *r, const char *key, size_t size) {
    bool within = r->depth > 0 && r->depth <= DEEPEST && r->table[r->depth - 1];
    const char *outer = within ? r->called[r->depth - 1] : "";
    const char *path =
        r->keys++ > MOST_KEYS || size + strlen(outer) > 200
            ? NULL
            : clg_arena_print(r->arena, "%s%s%.*s", outer, *outer ? "." : "", (int)size, key);
    open_bracket(r, path);
    if (r->depth <= DEEPEST) r->table[r->depth - 1] = path;
}

/* A function of the file, read where it is called. */
static void follow(reader *r, const char *name, size_t size) {
    if (r->calls >= MOST_CALLS || r->followed >= MOST_FOLLOWED) return;
    for (int i = 0; i < r->function_count; i++) {
        const clg_python_function *f = &r->functions[i];
        if (f->size != size || memcmp(f->name, name, size) != 0) continue;
        reader held = *r;
        r->calls++, r->followed++, r->depth = 0;
        read_range(r, f->from, f->end, f->line);
        r->at = held.at, r->end = held.end, r->line = held.line, r->depth = held.depth;
        r->calls--;
        return;
    }
}

/* f("x"): its first argument, as "f.argument". */
static void first_argument(reader *r, const char *called) {
    const char *held = r->at, *end = r->end;
    int line = r->line;
    size_t size;
    if (end - held > MOST_ARGUMENT) r->end = held + MOST_ARGUMENT;
    while (r->at < r->end && strchr(" \t\r\n", *r->at)) r->line += *r->at++ == '\n';
    if (r->at < r->end && (*r->at == '"' || *r->at == '\'')) {
        const char *text = string(r, &size);
        put(r, clg_arena_print(r->arena, "%s.argument", called),
            clg_tree_string(r->arena, text, size, line, 1));
    }
    r->at = held, r->end = end, r->line = line;
}

static void note_call(reader *r, const char *name, size_t size, int line) {
    clg_json *calls = (clg_json *)(uintptr_t)clg_tree_find(r->root, "calls");
    if (!calls) {
        calls = clg_tree_make(r->arena, CLG_JSON_OBJECT, 1, 1);
        clg_tree_set(r->arena, r->root, "calls", calls);
    }
    const char *key = clg_arena_copy(r->arena, name, size);
    clg_tree_set(r->arena, calls, key, clg_tree_string(r->arena, key, size, line, 1));
}

/* At the bracket behind a name. */
static void call(reader *r, const char *name, size_t size) {
    const char *dot = clg_arena_copy(r->arena, name, size), *last = strrchr(dot, '.');
    follow(r, name, size);
    open_bracket(r, last ? last + 1 : dot);
    if (r->keys++ > MOST_KEYS) return;
    first_argument(r, last ? last + 1 : dot);
    note_call(r, name, size, r->line);
}

/* What is called for a value is that value's name: "optim=AdamW(lr=1)". */
static void assign(reader *r, const char *key, size_t size) {
    clg_json *node = value(r);
    bool called = node && node->kind == CLG_JSON_STRING && r->at < r->end && *r->at == '(';
    bool table = called && strcmp(node->text, "dict") == 0;
    if (table)
        open_table(r, key, size);
    else
        set(r, key, size, node);
    if (called && !table) call(r, node->text, strlen(node->text));
}

/* partial(f, x=1) calls f in the end. */
static bool within_partial(const reader *r) {
    const char *called = r->depth > 0 && r->depth <= DEEPEST ? r->called[r->depth - 1] : NULL;
    return called && (strcmp(called, "partial") == 0 || strcmp(called, "Partial") == 0);
}

/* A name: what follows says whether it is assigned to or called. */
static void name(reader *r) {
    const char *start = r->at;
    while (r->at < r->end && (clg_in_name(*r->at) || *r->at == '.')) r->at++;
    size_t size = (size_t)(r->at - start);
    const char *held = r->at;
    skip_blanks(r);
    if (r->at < r->end && *r->at == ':' && r->at + 1 < r->end && r->at[1] == ' ') {
        r->at++; /* "micro_batch_size: int = 1" */
        skip_blanks(r);
        while (r->at < r->end && (clg_in_name(*r->at) || strchr(".[]| ,", *r->at)) && *r->at)
            r->at++;
    }
    if (r->at + 1 < r->end && *r->at == '=' && r->at[1] != '=') {
        r->at++;
        assign(r, start, size);
        return;
    }
    if (r->at < r->end && *r->at == '(') {
        call(r, start, size);
        return;
    }
    if (within_partial(r) && r->keys++ <= MOST_KEYS) note_call(r, start, size, r->line);
    r->at = held;
}

/* "key": value */
static void key(reader *r) {
    size_t size;
    const char *text = string(r, &size);
    skip_blanks(r);
    if (r->at >= r->end || *r->at != ':') return;
    r->at++;
    assign(r, text, size);
}

static void read_range(reader *r, const char *from, const char *end, int line) {
    r->at = from, r->end = end, r->line = line;
    while (r->at < r->end) {
        if (*r->at == '#')
            while (r->at < r->end && *r->at != '\n') r->at++;
        else if (*r->at == '"' || *r->at == '\'')
            key(r);
        else if (clg_in_name(*r->at) && !clg_is_digit(*r->at))
            name(r);
        else if (*r->at == '(')
            open_bracket(r, NULL);
        else {
            if (*r->at == ')' && r->depth > 0) r->depth--;
            if (*r->at == '\n') r->line++;
            r->at++;
        }
    }
}

/* What stands outside of functions, then the recipe. */
static void read_recipe(reader *r, const char *text, const char *end,
                        const clg_python_function *all, int count, const clg_python_function *one) {
    const char *from = text;
    int line = 1;
    for (int i = 0; i < count; i++) {
        read_range(r, from, all[i].from - all[i].size - 4, line);
        for (const char *at = from; at < all[i].end; at++) line += *at == '\n';
        from = all[i].end;
    }
    read_range(r, from, end, line);
    r->functions = all, r->function_count = count;
    put(r, "recipe_read", clg_tree_string(r->arena, one->name, one->size, one->line, 1));
    note_call(r, one->name, one->size, one->line);
    read_range(r, one->from, one->end, one->line);
}

clg_json *clg_python_tree(clg_arena *arena, const char *text, size_t size, const char *wanted) {
    reader r = {.arena = arena};
    clg_python_function *all = clg_take(arena, CLG_PYTHON_FUNCTIONS, clg_python_function);
    int count = clg_python_functions(arena, text, text + size, all), recipes = 0;
    const clg_python_function *one = clg_python_recipe(all, count, wanted);
    r.root = clg_tree_make(arena, CLG_JSON_OBJECT, 1, 1);
    r.defaults = clg_tree_make(arena, CLG_JSON_OBJECT, 1, 1);
    for (int i = 0; i < count; i++) recipes += all[i].recipe;
    if (one && recipes > 1) {
        read_recipe(&r, text, text + size, all, count, one);
        bool named = wanted && strlen(wanted) == one->size;
        if (!named) put(&r, "recipes_not_read", clg_tree_scalar(arena, "true", 4, one->line, 1));
    } else
        read_range(&r, text, text + size, 1);
    return r.root;
}
