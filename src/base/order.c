/* order.c -- merging halves; those that follow each other are left alone. */
#include "base/order.h"

#include <string.h>

typedef struct order {
    char *spare; /* room for half of the items */
    size_t size;
    int (*compare)(const void *, const void *);
} order;

/* By words, as items of most kinds are made of: a call of memcpy takes longer. */
static inline void put(char *to, const char *from, size_t size) {
    enum { WORD = 8 };
    for (; size >= WORD; size -= WORD, to += WORD, from += WORD) memcpy(to, from, WORD);
    if (size) memcpy(to, from, size);
}

/* The lower half makes room for the result. */
static void merge(const order *o, char *items, size_t half, size_t count) {
    size_t size = o->size;
    const char *low = o->spare, *low_end = low + half * size;
    const char *high = items + half * size, *high_end = items + count * size;
    memcpy(o->spare, items, half * size);
    for (char *to = items; low < low_end; to += size) {
        bool lower = high == high_end || o->compare(low, high) <= 0;
        put(to, lower ? low : high, size);
        if (lower)
            low += size;
        else
            high += size;
    }
}

static void sort(const order *o, char *items, size_t count) {
    size_t half = count / 2;
    if (count < 2) return;
    sort(o, items, half);
    sort(o, items + half * o->size, count - half);
    if (o->compare(items + (half - 1) * o->size, items + half * o->size) > 0)
        merge(o, items, half, count);
}

void clg_order(clg_arena *scratch, void *items, size_t count, size_t size,
               int (*compare)(const void *, const void *)) {
    if (count < 2) return;
    clg_arena_mark mark = clg_arena_here(scratch);
    order o = {clg_arena_room(scratch, count / 2, size), size, compare};
    sort(&o, items, count);
    clg_arena_back_to(scratch, mark);
}
