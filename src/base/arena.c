/* arena.c -- blocks that double, one after the other. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct clg_arena_block {
    clg_arena_block *older;
    size_t size, used;
};

enum { ALIGN = 16, FIRST_BLOCK = 1 << 16 };

/* The one way the core ends a program: there is no answer to give without memory. */
static void no_memory(void) { abort(); }

static size_t rounded(size_t size) { return (size + ALIGN - 1) & ~(size_t)(ALIGN - 1); }

static char *bytes_of(clg_arena_block *block) { return (char *)block + rounded(sizeof *block); }

static clg_arena_block *new_block(clg_arena *arena, size_t size) {
    clg_arena_block *block = arena->spare;
    if (block && block->size >= size) {
        arena->spare = NULL;
        return block;
    }
    size_t next = arena->newest ? arena->newest->size * 2 : FIRST_BLOCK;
    if (next > (size_t)1 << 26) next = (size_t)1 << 26;
    if (next < size) next = size;
    block = malloc(rounded(sizeof *block) + next);
    if (!block) no_memory();
    block->size = next;
    return block;
}

static clg_arena_block *grow(clg_arena *arena, size_t size) {
    clg_arena_block *block = new_block(arena, size);
    block->older = arena->newest;
    block->used = 0;
    arena->newest = block;
    return block;
}

void *clg_arena_take(clg_arena *arena, size_t count, size_t size) {
    if (size && count > SIZE_MAX / 2 / size) no_memory();
    size_t asked = count * size;
    size_t bytes = rounded(asked > 0 ? asked : 1);
    if (arena->limit_bytes && bytes > arena->limit_bytes - arena->used_bytes) no_memory();
    clg_arena_block *block = arena->newest;
    if (!block || block->size - block->used < bytes) block = grow(arena, bytes);
    void *taken = bytes_of(block) + block->used;
    block->used += bytes;
    arena->used_bytes += bytes;
    memset(taken, 0, bytes);
    return taken;
}

char *clg_arena_copy(clg_arena *arena, const char *text, size_t size) {
    char *copy = clg_arena_take(arena, size + 1, 1);
    if (size) memcpy(copy, text, size);
    return copy;
}

char *clg_arena_print(clg_arena *arena, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = clg_arena_take(arena, (size_t)(size < 0 ? 0 : size) + 1, 1);
    if (size > 0) vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    return text;
}

clg_arena_mark clg_arena_here(const clg_arena *arena) {
    return (clg_arena_mark){arena->newest, arena->newest ? arena->newest->used : 0,
                            arena->used_bytes};
}

/* Keeps the larger of a released block and the spare one. */
static void release(clg_arena *arena, clg_arena_block *block) {
    clg_arena_block *less = block;
    if (!arena->spare || arena->spare->size < block->size) {
        less = arena->spare;
        arena->spare = block;
    }
    free(less);
}

void clg_arena_back_to(clg_arena *arena, clg_arena_mark mark) {
    while (arena->newest != mark.block) {
        clg_arena_block *older = arena->newest->older;
        release(arena, arena->newest);
        arena->newest = older;
    }
    if (arena->newest) arena->newest->used = mark.block_used;
    arena->used_bytes = mark.used_bytes;
}

void clg_arena_clear(clg_arena *arena) {
    clg_arena_back_to(arena, (clg_arena_mark){NULL, 0, 0});
    free(arena->spare);
    arena->spare = NULL;
}

void clg_arena_adopt(clg_arena *arena, clg_arena *child) {
    clg_arena_block *oldest = child->newest;
    free(child->spare);
    child->spare = NULL;
    if (!oldest) return;
    while (oldest->older) oldest = oldest->older;
    /* Below the newest block, which goes on being filled. */
    clg_arena_block **below = arena->newest ? &arena->newest->older : &arena->newest;
    oldest->older = *below;
    *below = child->newest;
    arena->used_bytes += child->used_bytes;
    *child = (clg_arena){0};
}
