/* python.c -- what a Python file assigns: recipes and configurations written as code.
 *
 * Nothing is followed: "a.b.c = 8", "c=8" in a call and "c": 8 in a table count as the key c with
 * that value, the last one standing. Constants are put in where their name stands alone; simple
 * products are worked out. Names of called functions are kept under "calls". */
#include "job/reading.h"

#include <string.h>

enum { MOST_KEYS = 4000, DEEPEST = 64 };

typedef struct reader {
    clg_arena *arena;
    const char *at, *end;
    int line, keys;
    clg_json *root;
    const char *called[DEEPEST]; /* of the open brackets: what is called; NULL: nothing */
    int depth;
} reader;

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}

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

static bool number_of(reader *r, const char *text, size_t size, double *number) {
    clg_json *node = clg_tree_scalar(r->arena, text, size, 1, 1);
    if (node->kind == CLG_JSON_STRING) {
        const clg_json *constant = clg_tree_find(r->root, node->text);
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
        while (at < end && (is_name(*at) || *at == '.' || (*at == '-' && at == start))) at++;
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
        if (*r->at == '(' && r->at > start && is_name(r->at[-1])) break;
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
    const char *otherwise = node->kind == CLG_JSON_STRING ? strstr(node->text, " or ") : NULL;
    if (otherwise) node = clg_tree_string(r->arena, otherwise + 4, strlen(otherwise + 4), line, 1);
    if (node->kind == CLG_JSON_STRING && strchr(node->text, ' '))
        return clg_tree_string(r->arena, &(char){CLG_TREE_UNKNOWN}, 1, line, 1);
    const clg_json *constant =
        node->kind == CLG_JSON_STRING ? clg_tree_find(r->root, node->text) : NULL;
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

/* As "key", as written ("cfg.model.key"), and as "Called.key" inside a call. */
static void set(reader *r, const char *key, size_t size, clg_json *node) {
    if (!node || r->keys++ > MOST_KEYS || size == 0 || size > 200) return;
    const char *name = clg_arena_copy(r->arena, key, size);
    const char *dot = strrchr(name, '.');
    const char *called = r->depth > 0 && r->depth <= DEEPEST ? r->called[r->depth - 1] : NULL;
    put(r, dot ? dot + 1 : name, node);
    if (dot) put(r, name, node);
    if (called && !dot) put(r, clg_arena_print(r->arena, "%s.%s", called, name), node);
}

static void open_bracket(reader *r, const char *called) {
    if (r->depth++ < DEEPEST) r->called[r->depth - 1] = called;
    r->at++;
}

/* At the bracket behind a name. */
static void call(reader *r, const char *name, size_t size) {
    const char *dot = clg_arena_copy(r->arena, name, size), *last = strrchr(dot, '.');
    open_bracket(r, last ? last + 1 : dot);
    if (r->keys++ > MOST_KEYS) return;
    clg_json *calls = (clg_json *)(uintptr_t)clg_tree_find(r->root, "calls");
    if (!calls) {
        calls = clg_tree_make(r->arena, CLG_JSON_OBJECT, 1, 1);
        clg_tree_set(r->arena, r->root, "calls", calls);
    }
    const char *key = clg_arena_copy(r->arena, name, size);
    clg_tree_set(r->arena, calls, key, clg_tree_string(r->arena, key, size, r->line, 1));
}

/* What is called for a value is that value's name: "optim=AdamW(lr=1)". */
static void assign(reader *r, const char *key, size_t size) {
    clg_json *node = value(r);
    set(r, key, size, node);
    if (node && node->kind == CLG_JSON_STRING && r->at < r->end && *r->at == '(')
        call(r, node->text, strlen(node->text));
}

/* A name: what follows says whether it is assigned to or called. */
static void name(reader *r) {
    const char *start = r->at;
    while (r->at < r->end && (is_name(*r->at) || *r->at == '.')) r->at++;
    size_t size = (size_t)(r->at - start);
    const char *held = r->at;
    skip_blanks(r);
    if (r->at < r->end && *r->at == ':' && r->at + 1 < r->end && r->at[1] == ' ') {
        r->at++; /* "micro_batch_size: int = 1" */
        skip_blanks(r);
        while (r->at < r->end && (is_name(*r->at) || strchr(".[]| ,", *r->at)) && *r->at) r->at++;
    }
    if (r->at + 1 < r->end && *r->at == '=' && r->at[1] != '=') {
        r->at++;
        assign(r, start, size);
        return;
    }
    if (r->at < r->end && *r->at == '(')
        call(r, start, size);
    else
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

/* "def llama3_8b_pretrain_config(" at the start of a line: a recipe of its own. */
static bool begins_recipe(const reader *r, const char *start) {
    static const char *const kinds[] = {"pretrain", "finetune", "sft", "peft"};
    static const char *const ends[] = {"_recipe(", "_config(", "_optimizations("};
    bool kind = false, end = false;
    if (r->end - r->at < 5 || memcmp(r->at, "def ", 4) != 0 || (r->at > start && r->at[-1] != '\n'))
        return false;
    const char *stop = memchr(r->at, '(', (size_t)(r->end - r->at));
    if (!stop || stop - r->at > 120 || r->at[4] == '_') return false;
    const char *line = clg_arena_copy(r->arena, r->at, (size_t)(stop - r->at) + 1);
    for (int i = 0; i < 4; i++) kind = kind || strstr(line, kinds[i]);
    for (int i = 0; i < 3; i++) end = end || strstr(line, ends[i]);
    return kind && end;
}

/* Of several recipes in a file the first is read. */
static bool is_another(reader *r, const char *start, int *recipes) {
    if (!begins_recipe(r, start) || ++*recipes < 2) return false;
    put(r, "recipes_not_read", clg_tree_scalar(r->arena, "true", 4, r->line, 1));
    return true;
}

clg_json *clg_python_tree(clg_arena *arena, const char *text, size_t size) {
    reader r = {.arena = arena, .at = text, .end = text + size, .line = 1};
    r.root = clg_tree_make(arena, CLG_JSON_OBJECT, 1, 1);
    int recipes = 0;
    while (r.at < r.end && !is_another(&r, text, &recipes)) {
        if (*r.at == '#')
            while (r.at < r.end && *r.at != '\n') r.at++;
        else if (*r.at == '"' || *r.at == '\'')
            key(&r);
        else if (is_name(*r.at) && !(*r.at >= '0' && *r.at <= '9'))
            name(&r);
        else if (*r.at == '(')
            open_bracket(&r, NULL);
        else {
            if (*r.at == ')' && r.depth > 0) r.depth--;
            if (*r.at == '\n') r.line++;
            r.at++;
        }
    }
    return r.root;
}
