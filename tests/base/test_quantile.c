/* test_quantile.c -- linear between the two nearest values. */
#include "base/quantile.h"
#include "test.h"

#include <math.h>

#include <stdlib.h>
#include <string.h>

/* Lists on which a poor choice of pivot shows: sorted, reversed, equal, few values, an organ pipe,
 * and a sequence without order. */
static double value_of(int list, int64_t i, int64_t count) {
    uint64_t mixed = (uint64_t)(i + 1) * 0x9e3779b97f4a7c15U;
    const double values[] = {(double)i,
                             (double)(count - i),
                             4,
                             (double)(i * 7 % 3),
                             (double)(i < count / 2 ? i : count - i),
                             (double)(mixed >> 40)};
    return values[list];
}

static bool selects_as_sorting_does(int list, int64_t count, int64_t place) {
    static double values[1000], sorted[1000];
    for (int64_t i = 0; i < count; i++) values[i] = value_of(list, i, count);
    memcpy(sorted, values, sizeof sorted);
    clg_sort(sorted, (size_t)count);
    bool right = clg_select(values, count, place) == sorted[place];
    for (int64_t i = 0; i < count; i++)
        right = right && (i < place ? values[i] <= sorted[place] : values[i] >= sorted[place]);
    return right;
}

static void check_select(void) {
    bool right = true;
    for (int list = 0; list < 6; list++)
        for (int64_t count = 1; count <= 1000; count += count < 20 ? 1 : 327)
            for (int64_t place = 0; place < count; place += 1 + count / 29)
                right = right && selects_as_sorting_does(list, count, place);
    CHECK(right);
}

int main(void) {
    const double values[] = {-3, 1, 2, 10, 7e9};
    CASE("sorted, least first, doubles and integers");
    double mixed[] = {2.5, -7, 0.125, 2.5};
    int64_t whole[] = {INT64_MAX, -3, INT64_MIN, 4};
    clg_sort(mixed, 4);
    clg_sort_integers(whole, 4);
    CHECK(mixed[0] == -7 && mixed[1] == 0.125 && mixed[2] == 2.5 && mixed[3] == 2.5);
    CHECK(whole[0] == INT64_MIN && whole[1] == -3 && whole[2] == 4 && whole[3] == INT64_MAX);
    CASE("ends, a value itself, and between two: at .6 of 4 gaps 2 + .4 x 8");
    CHECK(clg_quantile(values, 5, 0) == -3 && clg_quantile(values, 5, 1) == 7e9);
    CHECK(clg_quantile(values, 5, 0.5) == 2);
    CHECK_NEAR(clg_quantile(values, 5, 0.6), 5.2, 1e-14);
    CASE("one value is every share; of none there is no value");
    CHECK(clg_quantile(values, 1, 0.9) == -3);
    CHECK(isnan(clg_quantile(NULL, 0, 0.5)));
    CASE("selecting finds what sorting would, and parts the others by it");
    check_select();
    return DONE;
}
