/* Items in order: equal ones stay as they were, and what is in order costs one look each. */
#include "base/order.h"
#include "test.h"

#include <stdint.h>

typedef struct item {
    int key, place;
} item;

static long looks;

static int by_key(const void *a, const void *b) {
    const item *x = a, *y = b;
    looks++;
    return (x->key > y->key) - (x->key < y->key);
}

static bool ordered(const item *items, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (items[i - 1].key > items[i].key ||
            (items[i - 1].key == items[i].key && items[i - 1].place > items[i].place))
            return false;
    return true;
}

int main(void) {
    enum { MOST = 1000 };
    clg_arena arena = {0};
    item items[MOST];
    CASE("every length, with many equal keys");
    uint32_t state = 1;
    for (int count = 0; count < 70; count++) {
        for (int i = 0; i < count; i++) {
            state = state * 1664525 + 1013904223;
            items[i] = (item){(int)(state >> 28), i};
        }
        clg_order(&arena, items, (size_t)count, sizeof *items, by_key);
        CHECK(ordered(items, (size_t)count));
    }
    CASE("what is in order is looked at once");
    for (int i = 0; i < MOST; i++) items[i] = (item){i / 3, i};
    looks = 0;
    clg_order(&arena, items, MOST, sizeof *items, by_key);
    CHECK(ordered(items, MOST) && looks == MOST - 1);
    CASE("the other way round");
    for (int i = 0; i < MOST; i++) items[i] = (item){-i, i};
    looks = 0;
    clg_order(&arena, items, MOST, sizeof *items, by_key);
    CHECK(ordered(items, MOST) && looks < 10 * MOST);
    clg_arena_clear(&arena);
    return DONE;
}
