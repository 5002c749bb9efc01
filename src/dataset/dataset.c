/* dataset.c -- looking files up in the table that tools/pack.c wrote. */
#include "dataset/dataset.h"

#include <string.h>

extern const clg_file clg_dataset_table[];
extern const int clg_dataset_count;

const clg_file *clg_dataset_files(int *count) {
    *count = clg_dataset_count;
    return clg_dataset_table;
}

const clg_file *clg_dataset_find(const char *path) {
    int low = 0, high = clg_dataset_count - 1;
    while (low <= high) {
        int middle = (low + high) / 2;
        int order = strcmp(path, clg_dataset_table[middle].path);
        if (order == 0) return &clg_dataset_table[middle];
        if (order < 0)
            high = middle - 1;
        else
            low = middle + 1;
    }
    return NULL;
}

const clg_file *clg_dataset_folder(const char *folder, int *count) {
    const clg_file *first = NULL;
    size_t size = strlen(folder);
    *count = 0;
    for (int i = 0; i < clg_dataset_count; i++) {
        if (strncmp(clg_dataset_table[i].path, folder, size) != 0) continue;
        if (!first) first = &clg_dataset_table[i];
        (*count)++;
    }
    return first;
}
