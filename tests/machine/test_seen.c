/* Networks that clusters of a generation have. */
#include "machine/seen.h"
#include "test.h"

int main(void) {
    clg_arena arena = {0};
    clg_seen seen = clg_seen_find(&arena, "ampere");
    CASE("least first, each rate once, shares of all systems");
    CHECK(seen.count > 2);
    double sum = 0;
    for (int i = 0; i < seen.count; i++) {
        sum += seen.share[i];
        CHECK(i == 0 || seen.bytes_per_s[i] > seen.bytes_per_s[i - 1]);
    }
    CHECK_NEAR(sum, 1, 1e-12);
    CASE("two of the thirteen have 12.5 Gbit/s, five the maker's 200");
    CHECK_NEAR(seen.bytes_per_s[0], 12.5e9 / 8, 1e-12);
    CHECK_NEAR(seen.share[0], 2.0 / 13, 1e-12);
    CHECK_NEAR(seen.share[seen.count - 1], 5.0 / 13, 1e-12);
    CASE("of a generation that nobody described: none");
    CHECK(clg_seen_find(&arena, "of tomorrow").count == 0);
    clg_arena_clear(&arena);
    return DONE;
}
