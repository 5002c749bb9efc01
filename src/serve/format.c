/* format.c -- see the header. Left out: formats of the cache, and which checkpoints exist. */
#include "serve/format.h"

#include "dataset/open.h"
#include "dataset/value.h"

#include <math.h>
#include <string.h>

/* A file of the folder, without its ending. */
static const char *stem(clg_arena *arena, const char *path, size_t folder) {
    return clg_arena_copy(arena, path + folder, strlen(path) - folder - strlen(".json"));
}

static bool names(const clg_json *list, const char *word) {
    for (const clg_json *c = list ? list->first : NULL; c; c = c->next)
        if (c->kind == CLG_JSON_STRING && strcmp(c->text, word) == 0) return true;
    return false;
}

static clg_status read_format(clg_arena *arena, const char *name, const clg_gpu *gpu,
                              clg_format *format, bool *served, clg_error *error) {
    const clg_file *file;
    const clg_json *root;
    int precision;
    if (clg_dataset_open(arena, "format", name, &file, &root, error) != CLG_OK ||
        clg_name_value(clg_precision_names, "format", name, &precision, error) != CLG_OK ||
        clg_value_read(root, "loss", CLG_FRACTION, true, file->path, &format->loss, error) !=
            CLG_OK)
        return error->status;
    format->weights = (clg_precision)precision;
    *served = names(clg_json_member(root, "widened"), gpu->generation) ||
              gpu->peak_flop_per_s[precision] > 0;
    return clg_value_done(root, file->path, error);
}

clg_status clg_formats_of(clg_arena *arena, const clg_model *m, const clg_gpu *gpu,
                          clg_format list[CLG_FORMATS], int *count, clg_error *error) {
    static const char folder[] = "format/";
    int files;
    const clg_file *file = clg_dataset_folder(folder, &files);
    list[0] = (clg_format){m->stored, 0};
    *count = 1;
    for (int i = 0; i < files && *count < CLG_FORMATS; i++) {
        clg_format *next = &list[*count];
        bool served = false;
        const char *name = stem(arena, file[i].path, strlen(folder));
        if (read_format(arena, name, gpu, next, &served, error) != CLG_OK) return error->status;
        *count += served && clg_precision_bytes(next->weights) < clg_precision_bytes(m->stored);
    }
    return CLG_OK;
}

double clg_format_loss(clg_arena *arena, const clg_model *m, const clg_gpu *gpu,
                       clg_precision weights) {
    const char *name = clg_name_of(clg_precision_names, (int)weights);
    clg_format format;
    clg_error none = {0};
    bool served;
    if (clg_precision_bytes(weights) >= clg_precision_bytes(m->stored)) return 0;
    bool read = read_format(arena, name, gpu, &format, &served, &none) == CLG_OK;
    return read ? format.loss : (double)NAN;
}
