/* test_quantile.c -- linear between the two nearest values. */
#include "base/quantile.h"
#include "test.h"

#include <math.h>

int main(void) {
    const double values[] = {-3, 1, 2, 10, 7e9};
    CASE("ends, a value itself, and between two: at .6 of 4 gaps 2 + .4 x 8");
    CHECK(clg_quantile(values, 5, 0) == -3 && clg_quantile(values, 5, 1) == 7e9);
    CHECK(clg_quantile(values, 5, 0.5) == 2);
    CHECK_NEAR(clg_quantile(values, 5, 0.6), 5.2, 1e-14);
    CASE("one value is every share; of none there is no value");
    CHECK(clg_quantile(values, 1, 0.9) == -3);
    CHECK(isnan(clg_quantile(NULL, 0, 0.5)));
    return DONE;
}
