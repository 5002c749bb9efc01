/* arena.h -- memory with one lifetime.
 *
 * Everything the core makes lives in an arena and dies with it: no object is freed alone, so
 * ownership is never a question. Allocations are zeroed and aligned for any type. Where memory ends
 * (or the arena's limit) there is no answer to give: a guarded call (below) ends without one, else
 * the program's handler is called, else it aborts. */
#ifndef CLG_BASE_ARENA_H
#define CLG_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct clg_arena_block clg_arena_block;
struct clg_kept;

/* A zero-initialised arena is empty and usable. */
typedef struct clg_arena {
    clg_arena_block *newest;
    clg_arena_block *spare; /* released, kept for the next one that fits in it */
    size_t used_bytes;      /* handed out so far */
    size_t limit_bytes;     /* 0: none; more than this aborts (bounds hostile input) */
    struct clg_kept *kept;  /* what outlives the arena, for its work to use (dataset/kept.h) */
} clg_arena;

/* A place in an arena to fall back to: everything allocated after it is released. */
typedef struct clg_arena_mark {
    clg_arena_block *block;
    size_t block_used;
    size_t used_bytes;
} clg_arena_mark;

/* An empty arena for work of its own, which uses what is kept beside the other. */
clg_arena clg_arena_beside(const clg_arena *arena);

/* `count` zeroed elements of `size` bytes. Never NULL; count*size overflow aborts. */
void *clg_arena_take(clg_arena *arena, size_t count, size_t size);

/* The same with whatever was there before: for what is large and written before it is read. */
void *clg_arena_room(clg_arena *arena, size_t count, size_t size);

/* An array with room for more: the `count` elements of `old` in one of twice the *capacity, or of
 * 64 where there was none. The old one stays. */
void *clg_arena_grown(clg_arena *arena, const void *old, size_t count, size_t *capacity,
                      size_t size);

/* A NUL-terminated copy of `size` bytes at `text`. */
char *clg_arena_copy(clg_arena *arena, const char *text, size_t size);

/* printf into the arena; the result is NUL-terminated. */
char *clg_arena_print(clg_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

clg_arena_mark clg_arena_here(const clg_arena *arena);
void clg_arena_back_to(clg_arena *arena, clg_arena_mark mark);

/* Takes over all that `child` holds, which is empty then; it lives as long as the arena does. */
void clg_arena_adopt(clg_arena *arena, clg_arena *child);

/* Releases everything; the arena is empty and usable again. */
void clg_arena_clear(clg_arena *arena);

/* What the arena holds belongs to no guarded call (below) any more: it outlives the one it was made
 * in. */
void clg_arena_outlive(clg_arena *arena);

/* What a program does where memory ends; it must not return. For a main(), before anything else:
 * the one setting of this library that a process has once. */
void clg_arena_on_end(void (*handler)(void));

/* Calls `work`. Where memory ends in it, everything that arenas took in this thread since is given
 * back, and the answer is false: arenas that `work` was given must then not be used again. Calls
 * nest. */
bool clg_arena_guarded(void (*work)(void *context), void *context);

/* Appends to an array `items` with `count` and a size_t `capacity` beside it. */
#define CLG_APPEND(arena, items, count, capacity, item)                                            \
    do {                                                                                           \
        if ((size_t)(count) == (capacity))                                                         \
            (items) =                                                                              \
                clg_arena_grown((arena), (items), (size_t)(count), &(capacity), sizeof *(items));  \
        (items)[(count)++] = (item);                                                               \
    } while (0)

/* clg_take(arena, n, type): typed shorthand. */
#define clg_take(arena, count, type) ((type *)clg_arena_take((arena), (count), sizeof(type)))

#endif
