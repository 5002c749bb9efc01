/* kept.c -- a place for every built-in file, filled by the first who reads it. */
#include "dataset/kept.h"

#include "dataset/dataset.h"

#include <stdatomic.h>

/* A parsed file in an arena of its own, this included. */
typedef struct document {
    clg_arena arena;
    clg_json *root;
} document;

struct clg_kept {
    clg_arena arena; /* holds this */
    _Atomic(document *) *file;
};

clg_kept *clg_kept_open(void) {
    int count;
    clg_arena arena = {0};
    clg_kept *kept = clg_take(&arena, 1, clg_kept);
    clg_dataset_files(&count);
    kept->file = clg_arena_take(&arena, (size_t)count, sizeof *kept->file);
    for (int i = 0; i < count; i++) atomic_init(&kept->file[i], NULL);
    clg_arena_outlive(&arena);
    kept->arena = arena;
    return kept;
}

static void forget(const document *d) {
    clg_arena arena = d->arena;
    clg_arena_clear(&arena);
}

void clg_kept_close(clg_kept *kept) {
    int count;
    if (!kept) return;
    clg_dataset_files(&count);
    for (int i = 0; i < count; i++) {
        const document *d = atomic_load(&kept->file[i]);
        if (d) forget(d);
    }
    clg_arena arena = kept->arena;
    clg_arena_clear(&arena);
}

/* NULL: a fault. */
static document *read_document(const clg_file *file, clg_error *error) {
    clg_json *root;
    clg_arena arena = {0};
    if (clg_json_parse(&arena, file->path, file->text, file->size, &root, error) != CLG_OK) {
        clg_arena_clear(&arena);
        return NULL;
    }
    document *read = clg_take(&arena, 1, document);
    clg_arena_outlive(&arena);
    *read = (document){arena, root};
    return read;
}

/* Two threads may read one file at the same time: the first one's is kept, without a lock. */
static const document *place_document(_Atomic(document *) *place, document *read) {
    document *there = NULL;
    if (atomic_compare_exchange_strong(place, &there, read)) return read;
    forget(read);
    return there;
}

clg_status clg_dataset_parse(clg_arena *arena, const char *name, const char *text, size_t size,
                             const clg_json **root, clg_error *error) {
    int count;
    const clg_file *file = arena->kept ? clg_dataset_find(name) : NULL;
    if (!file || file->text != text) {
        clg_json *own;
        clg_status status = clg_json_parse(arena, name, text, size, &own, error);
        if (status == CLG_OK) *root = own;
        return status;
    }
    _Atomic(document *) *place = &arena->kept->file[file - clg_dataset_files(&count)];
    const document *kept = atomic_load(place);
    if (!kept) {
        document *read = read_document(file, error);
        if (!read) return CLG_BAD_INPUT;
        kept = place_document(place, read);
    }
    *root = kept->root;
    return CLG_OK;
}
