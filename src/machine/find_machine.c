/* find_machine.c -- built-in GPUs, nodes, fabrics and prices by the names people use. */
#include "dataset/dataset.h"
#include "machine/machine.h"

#include <string.h>

/* The built-in file of a name or of its only beginning ("H200"), or an error with the nearest. */
static const clg_file *find(clg_arena *arena, const char *what, const char *folder,
                            const char *name, clg_error *error) {
    const clg_file *file = clg_dataset_find(clg_arena_print(arena, "%s%s.json", folder, name));
    if (file) return file;
    int count;
    const clg_file *files = clg_dataset_folder(folder, &count);
    const char **names = clg_take(arena, (size_t)count + 1, const char *);
    size_t skip = strlen(folder);
    for (int i = 0; i < count; i++)
        names[i] = clg_arena_copy(arena, files[i].path + skip, strlen(files[i].path) - skip - 5);
    const char *meant = clg_name_same(names, count, name);
    if (!meant) meant = clg_name_begun(names, count, name);
    if (meant) return clg_dataset_find(clg_arena_print(arena, "%s%s.json", folder, meant));
    const char *near[3];
    char ask[160];
    int found = clg_name_near(names, count, name, near, 3);
    clg_name_ask(near, found, "", ask, sizeof ask);
    const char *mend = found > 0 ? ask
                                 : clg_arena_print(arena, "'ceiling show %.*ss' lists them",
                                                   (int)skip - 1, folder);
    clg_fail(error, CLG_BAD_INPUT, mend, "unknown %s '%.64s'", what, name);
    return NULL;
}

/* All built-in GPUs; files that cannot be read are left out. */
static const clg_gpu *gpus(clg_arena *arena, int *count) {
    int files;
    const clg_file *file = clg_dataset_folder("gpu/", &files);
    clg_gpu *all = clg_take(arena, (size_t)files + 1, clg_gpu);
    *count = 0;
    for (int i = 0; i < files; i++) {
        clg_error none = {0};
        *count += clg_gpu_read(arena, file[i].path, file[i].text, file[i].size, &all[*count],
                               &none) == CLG_OK;
    }
    return all;
}

/* "h100" is the one of several that says so; "3090", "Tesla T4", "NVIDIA GeForce RTX 4090" the only
 * one whose title has these words. */
static bool find_meant(clg_arena *arena, const char *name, clg_gpu *gpu) {
    int count, found = 0;
    const clg_gpu *all = gpus(arena, &count);
    for (int i = 0; i < count; i++) {
        if (!all[i].usual_for || !clg_name_same(&all[i].usual_for, 1, name)) continue;
        *gpu = all[i];
        gpu->asked = all[i].usual_for;
        return true;
    }
    for (int i = 0; i < count; i++) {
        if (!clg_name_of_title(name, all[i].title)) continue;
        *gpu = all[i];
        found++;
    }
    return found == 1;
}

clg_status clg_gpu_find(clg_arena *arena, const char *name, clg_gpu *gpu, clg_error *error) {
    clg_error unknown = {0};
    const clg_file *file = find(arena, "GPU", "gpu/", name, &unknown);
    if (file) return clg_gpu_read(arena, file->path, file->text, file->size, gpu, error);
    if (find_meant(arena, name, gpu)) return CLG_OK;
    *error = unknown;
    return CLG_BAD_INPUT;
}

clg_status clg_node_find(clg_arena *arena, const char *name, clg_node *node, clg_error *error) {
    const clg_file *file = find(arena, "node", "node/", name, error);
    return file ? clg_node_read(arena, file->path, file->text, file->size, node, error)
                : CLG_BAD_INPUT;
}

clg_status clg_fabric_find(clg_arena *arena, const char *name, clg_fabric *fabric,
                           clg_error *error) {
    const clg_file *file = find(arena, "fabric", "fabric/", name, error);
    return file ? clg_fabric_read(arena, file->path, file->text, file->size, fabric, error)
                : CLG_BAD_INPUT;
}

clg_status clg_node_default(clg_arena *arena, const clg_gpu *gpu, clg_node *node,
                            clg_error *error) {
    return clg_node_find(arena, gpu->node, node, error);
}

clg_status clg_price_find(clg_arena *arena, const char *name, clg_price *price, clg_error *error) {
    const clg_file *file = find(arena, "price", "price/", name, error);
    return file ? clg_price_read(arena, file->path, file->text, file->size, price, error)
                : CLG_BAD_INPUT;
}
