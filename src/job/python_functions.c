/* python_functions.c -- the functions of a Python file, and which of them is the recipe. */
#include "base/letters.h"
#include "job/python.h"

#include <string.h>

/* "def NAME_pretrain_config(", "def NAME() -> Trainer.Config:" */
static bool is_recipe(const char *header) {
    static const char *const kinds[] = {"pretrain", "finetune", "sft", "peft"};
    static const char *const ends[] = {"_recipe(", "_config(", "_optimizations("};
    bool kind = false, end = false;
    if (header[4] == '_') return false;
    for (int i = 0; i < 4; i++) kind = kind || strstr(header, kinds[i]);
    for (int i = 0; i < 3; i++) end = end || strstr(header, ends[i]);
    return (kind && end) || strstr(header, "-> Trainer.Config");
}

int clg_python_functions(clg_arena *arena, const char *text, const char *end,
                         clg_python_function *all) {
    int count = 0, line = 1;
    for (const char *at = text; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        bool starts = clg_in_name(*at) || *at == '@';
        bool defines = stop - at > 5 && memcmp(at, "def ", 4) == 0;
        if (starts && count > 0 && !all[count - 1].end) all[count - 1].end = at;
        if (defines && count < CLG_PYTHON_FUNCTIONS) {
            const char *header = clg_arena_copy(arena, at, (size_t)(stop - at));
            size_t size = strcspn(header + 4, "(: ");
            all[count++] = (clg_python_function){header + 4, at + 4 + size, NULL,
                                                 size,       line,          is_recipe(header)};
        }
        at = stop < end ? stop + 1 : end;
    }
    if (count > 0 && !all[count - 1].end) all[count - 1].end = end;
    return count;
}

const clg_python_function *clg_python_recipe(const clg_python_function *all, int count,
                                             const char *wanted) {
    const clg_python_function *first = NULL;
    for (int i = 0; i < count; i++) {
        const clg_python_function *f = &all[i];
        if (wanted && strlen(wanted) == f->size && memcmp(f->name, wanted, f->size) == 0) return f;
        bool debug = strstr(f->name, "debug") && strstr(f->name, "debug") < f->name + f->size;
        bool before = first && strstr(first->name, "debug") &&
                      strstr(first->name, "debug") < first->name + first->size;
        if (f->recipe && (!first || (before && !debug))) first = f;
    }
    return first;
}
