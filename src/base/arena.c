/* arena.c -- blocks that double, one after the other. */
#include "base/arena.h"

#ifndef __wasm__
#include <setjmp.h>
#endif
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Under the address sanitizer what is not handed out may not be touched: beyond an allocation, and
 * after it was released. Clang says by a feature what gcc says by a macro. */
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif
#if defined __SANITIZE_ADDRESS__ || defined SANITIZED
#include <sanitizer/asan_interface.h>
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized" /* to hide it is not to read it */
#endif
enum { APART = 32 };
#define HIDE(from, size) __asan_poison_memory_region(from, size)
#define SHOW(from, size) __asan_unpoison_memory_region(from, size)
#else
enum { APART = 0 };
#define HIDE(from, size) ((void)(from), (void)(size))
#define SHOW(from, size) ((void)(from), (void)(size))
#endif

struct clg_arena_block {
    clg_arena_block *older;
    size_t size, used;
    clg_arena_block *before, *after; /* of the same guard */
    struct guard *guard;             /* NULL: none */
};

/* A call that survives the end of memory: all blocks taken since it began. WebAssembly has no way
 * back out of a call; there the page starts the core again. */
typedef struct guard {
    struct guard *outer;
    clg_arena_block blocks; /* the head of a ring */
#ifndef __wasm__
    jmp_buf back;
#endif
} guard;

static _Thread_local guard *innermost;
static void (*on_end)(void);

void clg_arena_on_end(void (*handler)(void)) { on_end = handler; }

enum { ALIGN = 16, FIRST_BLOCK = 1 << 16 };

static void no_memory(void) {
#ifndef __wasm__
    if (innermost) longjmp(innermost->back, 1);
#endif
    if (on_end) on_end();
    abort();
}

static void enter(clg_arena_block *block) {
    guard *g = block->guard = innermost;
    if (!g) return;
    block->before = &g->blocks;
    block->after = g->blocks.after;
    block->after->before = g->blocks.after = block;
}

static void leave(clg_arena_block *block) {
    if (!block->guard) return;
    block->before->after = block->after;
    block->after->before = block->before;
    block->guard = NULL;
}

static size_t rounded(size_t size) { return (size + ALIGN - 1) & ~(size_t)(ALIGN - 1); }

static char *bytes_of(clg_arena_block *block) { return (char *)block + rounded(sizeof *block); }

static void give_back(clg_arena_block *block) {
    if (!block) return;
    leave(block);
    SHOW(bytes_of(block), block->size);
    free(block);
}

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
    HIDE(bytes_of(block), next);
    enter(block);
    return block;
}

static clg_arena_block *grow(clg_arena *arena, size_t size) {
    clg_arena_block *block = new_block(arena, size);
    block->older = arena->newest;
    block->used = 0;
    arena->newest = block;
    return block;
}

clg_arena clg_arena_beside(const clg_arena *arena) { return (clg_arena){.kept = arena->kept}; }

void *clg_arena_room(clg_arena *arena, size_t count, size_t size) {
    if (size && count > SIZE_MAX / 2 / size) no_memory();
    size_t asked = count * size;
    size_t bytes = rounded(asked > 0 ? asked : 1) + APART;
    if (arena->limit_bytes && bytes > arena->limit_bytes - arena->used_bytes) no_memory();
    clg_arena_block *block = arena->newest;
    if (!block || block->size - block->used < bytes) block = grow(arena, bytes);
    void *taken = bytes_of(block) + block->used;
    SHOW(taken, asked > 0 ? asked : 1);
    block->used += bytes;
    arena->used_bytes += bytes;
    return taken;
}

void *clg_arena_take(clg_arena *arena, size_t count, size_t size) {
    void *taken = clg_arena_room(arena, count, size);
    return memset(taken, 0, count * size + (count * size == 0));
}

void *clg_arena_grown(clg_arena *arena, const void *old, size_t count, size_t *capacity,
                      size_t size) {
    *capacity = *capacity ? *capacity * 2 : 64;
    char *bigger = clg_arena_room(arena, *capacity, size);
    if (count) memcpy(bigger, old, count * size);
    memset(bigger + count * size, 0, (*capacity - count) * size);
    return bigger;
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
    HIDE(bytes_of(block), block->size);
    if (!arena->spare || arena->spare->size < block->size) {
        less = arena->spare;
        arena->spare = block;
    }
    give_back(less);
}

void clg_arena_back_to(clg_arena *arena, clg_arena_mark mark) {
    while (arena->newest != mark.block) {
        clg_arena_block *older = arena->newest->older;
        release(arena, arena->newest);
        arena->newest = older;
    }
    if (arena->newest) {
        HIDE(bytes_of(arena->newest) + mark.block_used, arena->newest->size - mark.block_used);
        arena->newest->used = mark.block_used;
    }
    arena->used_bytes = mark.used_bytes;
}

void clg_arena_clear(clg_arena *arena) {
    clg_arena_back_to(arena, (clg_arena_mark){NULL, 0, 0});
    give_back(arena->spare);
    arena->spare = NULL;
}

void clg_arena_adopt(clg_arena *arena, clg_arena *child) {
    clg_arena_block *oldest = child->newest;
    give_back(child->spare);
    child->spare = NULL;
    if (!oldest) return;
    while (oldest->older) oldest = oldest->older;
    /* Below the newest block, which goes on being filled. */
    clg_arena_block **below = arena->newest ? &arena->newest->older : &arena->newest;
    oldest->older = *below;
    *below = child->newest;
    arena->used_bytes += child->used_bytes;
    *child = clg_arena_beside(child);
}

void clg_arena_outlive(clg_arena *arena) {
    for (clg_arena_block *block = arena->newest; block; block = block->older) leave(block);
    if (arena->spare) leave(arena->spare);
}

bool clg_arena_guarded(void (*work)(void *context), void *context) {
#ifdef __wasm__
    work(context);
    return true;
#else
    guard g = {.outer = innermost};
    g.blocks.before = g.blocks.after = &g.blocks;
    volatile bool done = false;
    innermost = &g;
    if (setjmp(g.back) == 0) {
        work(context);
        done = true;
    }
    innermost = g.outer;
    while (!done && g.blocks.after != &g.blocks) give_back(g.blocks.after);
    for (clg_arena_block *b = g.blocks.after; b != &g.blocks;) { /* they live on */
        clg_arena_block *next = b->after;
        enter(b);
        b = next;
    }
    return done;
#endif
}
