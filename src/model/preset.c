/* preset.c -- the models that come with the program. */
#include "model/preset.h"

#include "base/letters.h"
#include "base/name.h"
#include "dataset/dataset.h"
#include "dataset/kept.h"

#include <ctype.h>
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

/* "huggingface.co/ORG/NAME" and no more of a name after it. */
static bool comes_from(const char *text, const char *place) {
    static const char site[] = "huggingface.co/";
    size_t size = strlen(place);
    for (const char *at = strstr(text, site); at; at = strstr(at, site)) {
        size_t i = 0;
        at += sizeof site - 1;
        while (i < size && clg_lower(at[i]) == clg_lower(place[i])) i++;
        if (i == size && strchr("/\" ,;", at[i])) return true;
    }
    return false;
}

const char *clg_model_of_place(clg_arena *arena, const char *word) {
    int count;
    const clg_file *files = clg_dataset_folder("model/", &count);
    if (!strchr(word, '/')) return NULL;
    for (int i = 0; i < count; i++)
        if (comes_from(files[i].text, word)) return stem(arena, files[i].path);
    return NULL;
}

/* Who made a model whose sizes nobody published: data/models-unpublished.csv; NULL: not known. */
static const char *secretive_maker(clg_arena *arena, const char *word) {
    clg_csv csv = clg_dataset_csv(arena, "models-unpublished.csv");
    const char *slash = strrchr(word, '/');
    if (slash) word = slash + 1;
    for (int i = 0; i < csv.rows; i++) {
        size_t size = strlen(csv.row[i].field[0]);
        if (strlen(word) < size || isalnum((unsigned char)word[size])) continue;
        const char *begins = clg_arena_copy(arena, word, size);
        if (clg_name_same(&begins, 1, csv.row[i].field[0])) return csv.row[i].field[1];
    }
    return NULL;
}

clg_status clg_model_find(clg_arena *arena, const char *name, clg_model *model, clg_error *error) {
    const clg_file *file = clg_dataset_find(clg_arena_print(arena, "model/%s.json", name));
    if (file) {
        if (clg_model_read(arena, file->path, file->text, file->size, model, error) != CLG_OK)
            return CLG_BAD_INPUT;
        model->name = stem(arena, file->path);
        return CLG_OK;
    }
    int count;
    const char *maker = secretive_maker(arena, name);
    if (maker)
        return clg_fail(error, CLG_BAD_INPUT,
                        "take an open one ('ceiling show models'); --api-input and --api-output "
                        "set its cost beside a price per token",
                        "%s publishes no sizes of '%.64s'", maker, name);
    const char *const *names = clg_model_names(arena, &count), *near[3];
    char ask[120], mend[200];
    const char *slash = strrchr(name, '/'); /* owners say nothing of what is near */
    int found = clg_name_near(names, count, slash ? slash + 1 : name, near, 3);
    clg_name_ask(near, found, "", ask, sizeof ask);
    snprintf(mend, sizeof mend,
             "%s%s'ceiling show models' lists them; a path to a config.json works too", ask,
             found > 0 ? " " : "");
    return clg_fail(error, CLG_BAD_INPUT, mend, "there is no built-in model '%.64s'", name);
}
