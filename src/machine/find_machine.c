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

/* "h100" is the one of several that says so. */
static bool find_usual(clg_arena *arena, const char *name, clg_gpu *gpu) {
    int count;
    clg_error none = {0};
    const clg_file *files = clg_dataset_folder("gpu/", &count);
    for (int i = 0; i < count; i++) {
        clg_gpu read;
        if (clg_gpu_read(arena, files[i].path, files[i].text, files[i].size, &read, &none) !=
                CLG_OK ||
            !read.usual_for || !clg_name_same(&read.usual_for, 1, name))
            continue;
        *gpu = read;
        gpu->asked = read.usual_for;
        return true;
    }
    return false;
}

/* "3090", "Tesla T4", "NVIDIA GeForce RTX 4090" by the only title that has these words. */
static bool find_title(clg_arena *arena, const char *name, clg_gpu *gpu) {
    int count, found = 0;
    clg_error none = {0};
    const clg_file *files = clg_dataset_folder("gpu/", &count);
    for (int i = 0; i < count; i++) {
        clg_gpu read;
        if (clg_gpu_read(arena, files[i].path, files[i].text, files[i].size, &read, &none) !=
                CLG_OK ||
            !clg_name_of_title(name, read.title))
            continue;
        *gpu = read;
        found++;
    }
    return found == 1;
}

clg_status clg_gpu_find(clg_arena *arena, const char *name, clg_gpu *gpu, clg_error *error) {
    clg_error unknown = {0};
    const clg_file *file = find(arena, "GPU", "gpu/", name, &unknown);
    if (file) return clg_gpu_read(arena, file->path, file->text, file->size, gpu, error);
    if (find_usual(arena, name, gpu) || find_title(arena, name, gpu)) return CLG_OK;
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
