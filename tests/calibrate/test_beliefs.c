/* Normal beliefs against values by hand. */
#include "calibrate/beliefs.h"
#include "test.h"

int main(void) {
    /* Two terms of variances 4 and 1; their sum is read with noise of variance 5. */
    clg_beliefs b = {{{0}}};
    b.covariance[0][0] = 4;
    b.covariance[1][1] = 1;
    clg_belief_reading sum = {.weight = {1, 1}, .noise = 5}, first = {.weight = {1}};
    CASE("a sum's variance");
    CHECK_NEAR(clg_beliefs_covariance(&b, &sum, &sum), 5, 1e-12);
    CHECK_NEAR(clg_beliefs_covariance(&b, &sum, &first), 4, 1e-12);
    CASE("of a surprise of 1 each takes its share of 10, noise the rest: 4/10, 1/10, 5/10");
    CHECK_NEAR(clg_beliefs_expected(&b, &sum, 1, &first), 0.4, 1e-12);
    CHECK_NEAR(clg_beliefs_expected(&b, &sum, -2, &sum), -1, 1e-12);
    CASE("a reading takes covariance squared over its variance: 4 - 4^2/10, 1 - 1/10, -4/10");
    clg_beliefs_observe(&b, &sum);
    CHECK_NEAR(b.covariance[0][0], 2.4, 1e-12);
    CHECK_NEAR(b.covariance[1][1], 0.9, 1e-12);
    CHECK_NEAR(b.covariance[0][1], -0.4, 1e-12);
    CASE("one that says nothing changes nothing");
    clg_belief_reading nothing = {.weight = {0, 0, 1}};
    clg_beliefs_observe(&b, &nothing);
    CHECK_NEAR(b.covariance[0][0], 2.4, 1e-12);
    CASE("without noise nothing of the sum is left");
    sum.noise = 0;
    clg_beliefs_observe(&b, &sum);
    CHECK(fabs(clg_beliefs_covariance(&b, &sum, &sum)) < 1e-12);

    CASE("of a standard normal half is above 0, and its mean there is the density at 0");
    CHECK_NEAR(clg_beliefs_excess(0, 1), 0.3989422804, 1e-9);
    CASE("E max(0, x) around -1 with sigma 2: 2 (0.352065 - 0.5 x 0.308538)");
    CHECK_NEAR(clg_beliefs_excess(-1, 2), 0.395593, 1e-5);
    CASE("a sure thing is itself, or nothing");
    CHECK_NEAR(clg_beliefs_excess(3, 0), 3, 1e-12);
    CHECK(clg_beliefs_excess(-3, 0) == 0);

    CASE("a reading that says nothing leaves the chance: below 1 sigma");
    CHECK_NEAR(clg_beliefs_right(1, 1, 1), 0.8413447, 1e-6);
    CASE("one that says all is always right");
    CHECK_NEAR(clg_beliefs_right(1, 1, 0), 1, 1e-12);
    CASE("two alike, read with as much noise as there is doubt: 1/2 + atan(1)/pi");
    CHECK_NEAR(clg_beliefs_right(0, 1, sqrt(0.5)), 0.75, 2e-3);
    return DONE;
}
