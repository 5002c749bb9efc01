/* json_members.c -- members of an object by name and kind, and which of them nobody asked for. */
#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a node was used for. */
enum { ASKED = 1, LOOKED_INTO = 2 };

static bool was(const clg_json *node, int how) { return node->seen && *node->seen & how; }

static void use(const clg_json *node, int how) {
    if (node->seen) *node->seen = (unsigned char)(*node->seen | how);
}

const clg_json *clg_json_member(const clg_json *node, const char *key) {
    if (!node || node->kind != CLG_JSON_OBJECT) return NULL;
    use(node, LOOKED_INTO);
    for (const clg_json *c = node->first; c; c = c->next) {
        if (c->key[0] != key[0] || strcmp(c->key, key) != 0)
            continue; /* most differ in the first */
        use(c, ASKED);
        return c;
    }
    return NULL;
}

const clg_json *clg_json_entries(const clg_json *object) {
    if (!object || object->kind != CLG_JSON_OBJECT) return NULL;
    for (const clg_json *c = object->first; c; c = c->next) use(c, ASKED);
    return object->first;
}

void clg_json_share(clg_json *node) {
    node->seen = NULL;
    for (clg_json *c = node->first; c; c = c->next) clg_json_share(c);
}

static bool for_people(const char *key) {
    static const char *const words[] = {"name",  "title",    "date", "source",
                                        "notes", "released", "unit", "kind"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i], key) == 0) return true;
    return false;
}

const clg_json *clg_json_unread(const clg_json *node) {
    bool keyed = node->kind == CLG_JSON_OBJECT, into = was(node, LOOKED_INTO);
    if (!node->seen) return NULL;
    for (const clg_json *c = node->first; c; c = c->next) {
        if (keyed && into && !was(c, ASKED) && !for_people(c->key)) return c;
        const clg_json *deeper = keyed && !was(c, ASKED) ? NULL : clg_json_unread(c);
        if (deeper) return deeper;
    }
    return NULL;
}

/* The member if it is there and of the kind; NULL with status OK if absent or null. */
static clg_status typed(const clg_json *object, const char *key, clg_json_kind kind,
                        const char *what, const char *file, const clg_json **member,
                        clg_error *error) {
    *member = clg_json_member(object, key);
    if (!*member || (*member)->kind == CLG_JSON_NULL) {
        *member = NULL;
        return CLG_OK;
    }
    if ((*member)->kind == kind) return CLG_OK;
    clg_error_at(error, file, (*member)->line, (*member)->column, key);
    char mend[64];
    snprintf(mend, sizeof mend, "write %s", what);
    return clg_fail(error, CLG_BAD_INPUT, mend, "not %s", what);
}

clg_status clg_json_number(const clg_json *object, const char *key, double *out, const char *file,
                           clg_error *error) {
    const clg_json *member;
    if (typed(object, key, CLG_JSON_NUMBER, "a number", file, &member, error) != CLG_OK)
        return CLG_BAD_INPUT;
    *out = member ? member->number : 0;
    return CLG_OK;
}

clg_status clg_json_integer(const clg_json *object, const char *key, int64_t fallback, int64_t *out,
                            const char *file, clg_error *error) {
    const clg_json *member;
    if (typed(object, key, CLG_JSON_NUMBER, "a whole number", file, &member, error) != CLG_OK)
        return CLG_BAD_INPUT;
    if (!member) {
        *out = fallback;
        return CLG_OK;
    }
    double number = member->number;
    if (number != floor(number) || fabs(number) > 9007199254740992.0) {
        clg_error_at(error, file, member->line, member->column, key);
        return clg_fail(error, CLG_BAD_INPUT, "write a whole number below 2^53",
                        "%s is no whole number", member->text);
    }
    *out = (int64_t)number;
    return CLG_OK;
}

clg_status clg_json_bool(const clg_json *object, const char *key, bool *out, const char *file,
                         clg_error *error) {
    const clg_json *member;
    if (typed(object, key, CLG_JSON_BOOL, "true or false", file, &member, error) != CLG_OK)
        return CLG_BAD_INPUT;
    *out = member && member->truth;
    return CLG_OK;
}

const char *clg_json_text(const clg_json *object, const char *key, const char *otherwise) {
    const clg_json *member = clg_json_member(object, key);
    return member && member->kind == CLG_JSON_STRING ? member->text : otherwise;
}

clg_status clg_json_string(const clg_json *object, const char *key, const char *fallback,
                           const char **out, const char *file, clg_error *error) {
    const clg_json *member;
    if (typed(object, key, CLG_JSON_STRING, "a string", file, &member, error) != CLG_OK)
        return CLG_BAD_INPUT;
    *out = member ? member->text : fallback;
    return CLG_OK;
}
