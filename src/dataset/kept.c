/* kept.c -- a place for every built-in file, filled by the first who reads it. */
#include "dataset/kept.h"

#include "dataset/dataset.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

/* A parsed file in an arena of its own, this included: a tree, or a table. */
typedef struct document {
    clg_arena arena;
    clg_json *root;
    clg_csv table;
} document;

/* What was made of some, in an arena of its own, this included. */
typedef struct made_value {
    clg_arena arena;
    const char *name;
    const void *value;
    struct made_value *next;
} made_value;

struct clg_kept {
    clg_arena arena; /* holds this */
    _Atomic(document *) *file;
    _Atomic(made_value *) made; /* the latest first */
};

clg_kept *clg_kept_open(void) {
    int count;
    clg_arena arena = {0};
    clg_kept *kept = clg_take(&arena, 1, clg_kept);
    clg_dataset_files(&count);
    kept->file = clg_arena_take(&arena, (size_t)count, sizeof *kept->file);
    for (int i = 0; i < count; i++) atomic_init(&kept->file[i], NULL);
    atomic_init(&kept->made, NULL);
    clg_arena_outlive(&arena);
    kept->arena = arena;
    return kept;
}

/* `arena` holds what it lies in. */
static void forget(clg_arena arena) { clg_arena_clear(&arena); }

void clg_kept_close(clg_kept *kept) {
    int count;
    if (!kept) return;
    clg_dataset_files(&count);
    for (int i = 0; i < count; i++) {
        const document *d = atomic_load(&kept->file[i]);
        if (d) forget(d->arena);
    }
    for (made_value *one = atomic_load(&kept->made), *next; one; one = next) {
        next = one->next;
        forget(one->arena);
    }
    forget(kept->arena);
}

/* Readers of a tree that is shared would note for each other what they look up: one that is through
 * finds members unread where another has just begun. Built-in files are held against their readers
 * by tests, each of which has trees of its own. */
static clg_status read_into(document *d, const clg_file *file, clg_error *error) {
    size_t stem = strlen(file->path) - 4;
    if (strcmp(file->path + stem, ".csv") == 0)
        return clg_csv_parse(&d->arena, file->path, file->text, file->size, &d->table, error);
    clg_status status =
        clg_json_parse(&d->arena, file->path, file->text, file->size, &d->root, error);
    if (status == CLG_OK) clg_json_share(d->root);
    return status;
}

/* NULL: a fault. */
static document *read_document(const clg_file *file, clg_error *error) {
    document made = {0};
    if (read_into(&made, file, error) != CLG_OK) {
        clg_arena_clear(&made.arena);
        return NULL;
    }
    document *read = clg_take(&made.arena, 1, document);
    clg_arena_outlive(&made.arena);
    *read = made;
    return read;
}

/* Two threads may read one file at the same time: the first one's is kept, without a lock. */
static const document *place_document(_Atomic(document *) *place, document *read) {
    document *there = NULL;
    if (atomic_compare_exchange_strong(place, &there, read)) return read;
    forget(read->arena);
    return there;
}

static const document *document_of(const clg_kept *kept, const clg_file *file, clg_error *error) {
    int count;
    _Atomic(document *) *place = &kept->file[file - clg_dataset_files(&count)];
    const document *there = atomic_load(place);
    document *read = there ? NULL : read_document(file, error);
    return read ? place_document(place, read) : there;
}

clg_status clg_dataset_parse(clg_arena *arena, const char *name, const char *text, size_t size,
                             const clg_json **root, clg_error *error) {
    const clg_file *file = arena->kept ? clg_dataset_find(name) : NULL;
    if (!file || file->text != text) {
        clg_json *own;
        clg_status status = clg_json_parse(arena, name, text, size, &own, error);
        if (status == CLG_OK) *root = own;
        return status;
    }
    const document *kept = document_of(arena->kept, file, error);
    if (kept) *root = kept->root;
    return kept ? CLG_OK : CLG_BAD_INPUT;
}

clg_csv clg_dataset_csv(clg_arena *arena, const char *path) {
    clg_csv table = {0};
    clg_error error = {0};
    const clg_file *file = clg_dataset_find(path);
    assert(file);
    const document *kept = arena->kept ? document_of(arena->kept, file, &error) : NULL;
    if (kept) return kept->table;
    clg_csv_parse(arena, file->path, file->text, file->size, &table, &error);
    assert(error.status == CLG_OK);
    return table;
}

const void *clg_kept_made(const clg_arena *arena, const char *name) {
    const made_value *one = arena->kept ? atomic_load(&arena->kept->made) : NULL;
    while (one && strcmp(one->name, name) != 0) one = one->next;
    return one ? one->value : NULL;
}

/* Two threads may put the same: the later one is found, both stay. */
void clg_kept_put(const clg_arena *arena, const char *name, const void *made, size_t size) {
    if (!arena->kept) return;
    clg_arena own = {0};
    made_value *one = clg_take(&own, 1, made_value);
    void *value = clg_arena_take(&own, 1, size);
    memcpy(value, made, size);
    one->name = clg_arena_copy(&own, name, strlen(name));
    one->value = value;
    clg_arena_outlive(&own);
    one->arena = own;
    one->next = atomic_load(&arena->kept->made);
    while (!atomic_compare_exchange_weak(&arena->kept->made, &one->next, one)) {
    }
}
