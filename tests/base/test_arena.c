/* Memory with one lifetime, and its end. */
#include "base/arena.h"
#include "test.h"

/* There where the program runs under the address sanitizer, whatever its compiler calls that. */
int __asan_address_is_poisoned(const volatile void *address) __attribute__((weak));

typedef struct attempt {
    clg_arena kept; /* lives on when all goes well */
    int depth;
    bool reached, inner;
} attempt;

/* Takes some in several arenas, then more than there is. */
static void take_too_much(void *context) {
    attempt *a = context;
    clg_arena own = {0}, small = {.limit_bytes = 1000};
    for (int i = 0; i < 10; i++) clg_take(&own, 100000, char);
    clg_arena_mark mark = clg_arena_here(&own);
    clg_take(&own, 300000, char);
    clg_arena_back_to(&own, mark); /* a spare block is given back too */
    clg_take(&small, 900, char);
    a->reached = true;
    clg_take(&small, 900, char);
    a->reached = false; /* never here */
}

static void take_and_keep(void *context) {
    attempt *a = context;
    char *text = clg_arena_copy(&a->kept, "kept", 4);
    if (a->depth-- > 0) a->inner = clg_arena_guarded(take_too_much, a);
    CHECK_TEXT(text, "kept");
}

int main(void) {
    CASE("the end of memory ends a guarded call, and all it took is given back");
    attempt a = {0};
    CHECK(!clg_arena_guarded(take_too_much, &a) && a.reached);
    CASE("what a guarded call kept lives on, also around one that failed");
    attempt b = {.depth = 1};
    CHECK(clg_arena_guarded(take_and_keep, &b) && !b.inner && b.reached);
    CHECK(b.kept.used_bytes > 0);
    clg_take(&b.kept, 1 << 20, char);
    clg_arena_clear(&b.kept);
    CASE("an arena that took before and after");
    attempt c = {0};
    clg_take(&c.kept, 10, char);
    CHECK(clg_arena_guarded(take_and_keep, &c));
    CHECK(clg_arena_guarded(take_and_keep, &c));
    clg_arena_clear(&c.kept);
    CASE("under the address sanitizer what is not handed out may not be touched");
    clg_arena d = {0};
    clg_arena_mark mark = clg_arena_here(&d);
    const char *five = clg_take(&d, 5, char);
    const char *next = clg_take(&d, 5, char);
    if (__asan_address_is_poisoned) {
        CHECK(!__asan_address_is_poisoned(five + 4) && __asan_address_is_poisoned(five + 5));
        CHECK(__asan_address_is_poisoned(next - 1) && !__asan_address_is_poisoned(next));
        clg_arena_back_to(&d, mark);
        CHECK(__asan_address_is_poisoned(five));
    }
    clg_arena_clear(&d);
    return DONE;
}
