/* Collectives against the textbook: a ring moves 2 (n-1)/n of the buffer, one rank moves nothing.
 */
#include "cost/collective.h"
#include "test.h"

static clg_network plain(void) {
    return (clg_network){.fast = {1e-6, 100e9, false}, .slow = {5e-6, 25e9, false}};
}

static double best(const clg_network *n, clg_collective c, int ranks, int per_domain,
                   double bytes) {
    double seconds = -1;
    clg_collective_best(n, c, (clg_group){ranks, per_domain}, bytes, &seconds);
    return seconds;
}

int main(void) {
    clg_network n = plain();
    CASE("one rank: no traffic");
    for (int c = 0; c < CLG_COLLECTIVES; c++) CHECK(best(&n, (clg_collective)c, 1, 1, 1e9) == 0);
    CASE("large all-reduce in a domain: bus bandwidth is the link");
    double s = best(&n, CLG_ALL_REDUCE, 8, 8, 8e9);
    CHECK_NEAR(s, 2.0 * 7 / 8 * 8e9 / 100e9, 0.01);
    CHECK_NEAR(clg_bus_bytes_per_s(CLG_ALL_REDUCE, 8, 8e9, s), 100e9, 0.01);
    CASE("all-gather and reduce-scatter: half of that");
    CHECK_NEAR(best(&n, CLG_ALL_GATHER, 8, 8, 8e9), 7.0 / 8 * 8e9 / 100e9, 0.01);
    CHECK_NEAR(best(&n, CLG_REDUCE_SCATTER, 8, 8, 8e9), 7.0 / 8 * 8e9 / 100e9, 0.01);
    CASE("one rank per domain: the slow link");
    CHECK_NEAR(best(&n, CLG_ALL_REDUCE, 4, 1, 4e9), 2.0 * 3 / 4 * 4e9 / 25e9, 0.01);
    CASE("small messages cost latency, not bytes");
    CHECK(best(&n, CLG_ALL_REDUCE, 8, 8, 8) >= 3e-6);
    CHECK(best(&n, CLG_ALL_REDUCE, 1024, 8, 8) < 1e-3);
    CASE("more bytes never take less time");
    for (int c = 0; c < CLG_COLLECTIVES; c++)
        for (int per = 1; per <= 8; per *= 2) {
            double before = 0;
            for (double bytes = 1; bytes < 1e11; bytes *= 3) {
                double now = best(&n, (clg_collective)c, 32, per, bytes);
                CHECK(now >= before * (1 - 1e-12));
                before = now;
            }
        }
    CASE("a faster link never takes more time");
    clg_network faster = plain();
    faster.slow.bytes_per_s *= 2;
    faster.fast.bytes_per_s *= 2;
    for (int c = 0; c < CLG_COLLECTIVES; c++)
        for (double bytes = 1; bytes < 1e11; bytes *= 7)
            CHECK(best(&faster, (clg_collective)c, 32, 4, bytes) <=
                  best(&n, (clg_collective)c, 32, 4, bytes) * (1 + 1e-12));
    CASE("every algorithm names its formula and source");
    int count;
    const clg_algorithm *a = clg_algorithms(&count);
    for (int i = 0; i < count; i++) CHECK(a[i].name && a[i].formula && a[i].source);
    return DONE;
}
