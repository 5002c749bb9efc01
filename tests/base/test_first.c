/* Where something begins in a list: at its front, within, behind its end, among equal ones. */
#include "base/first.h"
#include "test.h"

static const int list[] = {1, 3, 3, 3, 8};
enum { COUNT = sizeof list / sizeof *list };

static size_t first_from(size_t low, size_t high, int least) {
    size_t at;
    CLG_FIRST(at, low, high, list[at] >= least);
    return at;
}

int main(void) {
    CASE("the first of equal ones, of all, and of none");
    CHECK(first_from(0, COUNT, 3) == 1 && first_from(0, COUNT, 0) == 0);
    CHECK(first_from(0, COUNT, 4) == 4 && first_from(0, COUNT, 9) == COUNT);
    CASE("of a part, and of an empty one");
    CHECK(first_from(2, 4, 3) == 2 && first_from(2, 4, 8) == 4 && first_from(3, 3, 0) == 3);
    CASE("every length, against going through it");
    for (size_t high = 0; high <= COUNT; high++)
        for (int least = 0; least < 10; least++) {
            size_t plain = 0;
            while (plain < high && list[plain] < least) plain++;
            CHECK(first_from(0, high, least) == plain);
        }
    return DONE;
}
