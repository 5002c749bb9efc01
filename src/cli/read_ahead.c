/* read_ahead.c -- a ring of blocks between two threads. */
#include "cli/read_ahead.h"

#include <pthread.h>
#include <string.h>

enum { BLOCKS = 4, BLOCK_BYTES = 1 << 19 };

typedef struct block {
    char *data;
    size_t size, at;
} block;

struct clg_read_ahead {
    clg_trace_source inner;
    block ring[BLOCKS];
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int first, filled; /* blocks to be read, from `first` on */
    bool over, stopped;
};

/* Waits for a free block; NULL when nobody reads on. */
static block *free_block(clg_read_ahead *a) {
    pthread_mutex_lock(&a->lock);
    while (a->filled == BLOCKS && !a->stopped) pthread_cond_wait(&a->changed, &a->lock);
    block *b = a->stopped ? NULL : &a->ring[(a->first + a->filled) % BLOCKS];
    pthread_mutex_unlock(&a->lock);
    return b;
}

static void *work(void *context) {
    clg_read_ahead *a = context;
    for (block *b; (b = free_block(a)) != NULL;) {
        b->at = 0;
        b->size = a->inner.fill(a->inner.context, b->data, BLOCK_BYTES);
        pthread_mutex_lock(&a->lock);
        a->over = b->size == 0;
        a->filled += !a->over;
        pthread_cond_broadcast(&a->changed);
        pthread_mutex_unlock(&a->lock);
        if (b->size == 0) break;
    }
    return NULL;
}

static size_t fill(void *context, char *to, size_t capacity) {
    clg_read_ahead *a = context;
    pthread_mutex_lock(&a->lock);
    while (a->filled == 0 && !a->over) pthread_cond_wait(&a->changed, &a->lock);
    block *b = a->filled > 0 ? &a->ring[a->first] : NULL;
    pthread_mutex_unlock(&a->lock);
    if (!b) return 0;
    size_t size = b->size - b->at < capacity ? b->size - b->at : capacity;
    memcpy(to, b->data + b->at, size);
    b->at += size;
    if (b->at < b->size) return size;
    pthread_mutex_lock(&a->lock);
    a->first = (a->first + 1) % BLOCKS;
    a->filled--;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
    return size;
}

clg_read_ahead *clg_read_ahead_start(clg_arena *arena, clg_trace_source inner) {
    clg_read_ahead *a = clg_take(arena, 1, clg_read_ahead);
    a->inner = inner;
    for (int i = 0; i < BLOCKS; i++) a->ring[i].data = clg_arena_take(arena, BLOCK_BYTES, 1);
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    return pthread_create(&a->thread, NULL, work, a) == 0 ? a : NULL;
}

clg_trace_source clg_read_ahead_source(clg_read_ahead *a) {
    return (clg_trace_source){.fill = fill, .context = a};
}

void clg_read_ahead_stop(clg_read_ahead *a) {
    pthread_mutex_lock(&a->lock);
    a->stopped = true;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->thread, NULL);
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
}
