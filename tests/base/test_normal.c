/* The normal distribution against published values, and against itself the other way round. */
#include "base/normal.h"
#include "test.h"

int main(void) {
    CASE("quantiles: Abramowitz and Stegun, tables 26.5 and 26.6");
    CHECK_NEAR(clg_normal_quantile(0.9), 1.281551565544600, 1e-14);
    CHECK_NEAR(clg_normal_quantile(0.975), 1.959963984540054, 1e-14);
    CHECK_NEAR(clg_normal_quantile(0.001), -3.090232306167813, 1e-14);
    CHECK_NEAR(clg_normal_quantile(1e-10), -6.361340902404056, 1e-14);
    CHECK(clg_normal_quantile(0.5) == 0);
    CASE("shares below: what erfc says, to the last digits it agrees on");
    for (double x = -8; x <= 8; x += 0.37)
        CHECK(fabs(clg_normal_below(x) - 0.5 * erfc(-x / sqrt(2.0))) < 1e-14);
    for (double x = -8.5; x <= 8.5; x += 0.01)
        CHECK(clg_normal_below(x) >= 0 && clg_normal_below(x) <= 1);
    CHECK_NEAR(clg_normal_density(1), 0.24197072451914337, 1e-15);
    CHECK(clg_normal_below(-60) == 0 && clg_normal_below(60) == 1);
    CASE("a factor of sigma 0.1 below and 0.2 above: P10 and P90 as steps have them, and back");
    const clg_sides sides = {0.1, 0.2}, none = {0, 0};
    CHECK_NEAR(clg_factor_at(sides, 1.2816), 1 + 1.2816 * 0.2, 1e-15);
    CHECK_NEAR(clg_factor_at(sides, -1.2816), 1 / (1 + 1.2816 * 0.1), 1e-15);
    for (double z = -3; z <= 3; z += 0.5)
        CHECK_NEAR(clg_factor_below(sides, clg_factor_at(sides, z)), clg_normal_below(z), 1e-11);
    CASE("without doubt it is 1");
    CHECK(clg_factor_below(none, 1) == 1 && clg_factor_below(none, 0.999) == 0);
    CHECK(clg_factor_below(sides, 0) == 0);
    return DONE;
}
