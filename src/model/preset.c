/* preset.c -- the models that come with the program. */
#include "model/preset.h"

#include "base/name.h"
#include "dataset/dataset.h"

#include <stdio.h>
#include <string.h>

/* "model/llama-3.1-8b.json" -> "llama-3.1-8b", in the arena. */
static const char *stem(clg_arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    const char *start = slash ? slash + 1 : path;
    return clg_arena_copy(arena, start, strlen(start) - strlen(".json"));
}

const char *const *clg_model_names(clg_arena *arena, int *count) {
    const clg_file *files = clg_dataset_folder("model/", count);
    const char **names = clg_take(arena, (size_t)*count + 1, const char *);
    for (int i = 0; i < *count; i++) names[i] = stem(arena, files[i].path);
    return names;
}

clg_status clg_model_find(clg_arena *arena, const char *name, clg_model *model, clg_error *error) {
    int count;
    const char *const *names = clg_model_names(arena, &count);
    const clg_file *files = clg_dataset_folder("model/", &count);
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) != 0) continue;
        if (clg_model_read(arena, files[i].path, files[i].text, files[i].size, model, error) !=
            CLG_OK)
            return CLG_BAD_INPUT;
        model->name = names[i];
        return CLG_OK;
    }
    const char *near[3];
    char ask[120], mend[200];
    int found = clg_name_near(names, count, name, near, 3);
    clg_name_ask(near, found, "", ask, sizeof ask);
    snprintf(mend, sizeof mend,
             "%s%s'ceiling show models' lists them; a path to a config.json works too", ask,
             found > 0 ? " " : "");
    return clg_fail(error, CLG_BAD_INPUT, mend, "there is no model '%.64s'", name);
}
