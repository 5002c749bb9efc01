/* Which recordings are of one run. */
#include "test.h"
#include "trace/runs.h"

#include <string.h>

static clg_arena arena;

static clg_trace trace(int32_t rank, int32_t world, int64_t start_s, int64_t span_s) {
    const int64_t ns = 1000000000, then_ns = INT64_C(1700000000) * ns;
    return (clg_trace){.file = "f",
                       .rank = rank,
                       .world_size = world,
                       .ledger = {.start_ns = then_ns + start_s * ns, .span_ns = span_s * ns}};
}

static size_t apart(clg_trace *traces, size_t count, const char **why) {
    return clg_trace_runs_apart(&arena, traces, count, why);
}

static void told_apart(void) {
    const char *why[4];
    CASE("two runs of two ranks: the later one, in the order it had");
    clg_trace two[] = {trace(1, 2, 1, 5), trace(0, 2, 0, 5), trace(1, 2, 60, 5),
                       trace(0, 2, 61, 5)};
    CHECK(apart(two, 4, why) == 2 && two[0].rank == 1 && two[1].rank == 0);
    CHECK(two[0].ledger.start_ns - two[3].ledger.start_ns == INT64_C(60000000000));
    CHECK(strcmp(why[0], "another run, 59 s earlier: give its files alone") == 0);
    CASE("a run that is not whole loses to one before it");
    clg_trace cut[] = {trace(0, 2, 0, 5), trace(1, 2, 1, 5), trace(0, 2, 60, 5)};
    CHECK(apart(cut, 3, why) == 2 && cut[0].rank == 0 && cut[1].rank == 1);
    CHECK(strcmp(why[0], "another run, 60 s later: give its files alone") == 0);
    CASE("jobs of two sizes, and a file that tells none");
    clg_trace sizes[] = {trace(3, 8, 0, 5), trace(0, 8, 0, 5), trace(0, 2, 1, 5)};
    CHECK(apart(sizes, 3, why) == 2 && sizes[2].world_size == 2);
    CHECK(strcmp(why[0], "another run, of 2 ranks: give its files alone") == 0);
    clg_trace silent[] = {trace(1, 2, 0, 5), trace(0, -1, 0, 5)};
    CHECK(apart(silent, 2, why) == 2);
}

static void as_one(void) {
    const char *why[4];
    CASE("one run, one rank, no rank told, nothing");
    clg_trace one[] = {trace(0, 2, 0, 5), trace(1, 2, 3, 5)};
    CHECK(apart(one, 2, why) == 2 && apart(one, 1, why) == 1 && apart(one, 0, why) == 0);
    clg_trace unknown[] = {trace(-1, 2, 0, 5), trace(-1, 2, 60, 5)};
    CHECK(apart(unknown, 2, why) == 2);
    CASE("a rank twice at once; clocks that do not tell the day");
    clg_trace hosts[] = {trace(0, 2, 0, 5), trace(0, 2, 3, 5)};
    CHECK(apart(hosts, 2, why) == 2);
    clg_trace boots[] = {trace(0, 2, 0, 5), trace(0, 2, 60, 5)};
    for (int i = 0; i < 2; i++) boots[i].ledger.start_ns -= INT64_C(1700000000000000000);
    CHECK(apart(boots, 2, why) == 2);
}

/* Three GPUs on two hosts. */
static void hosts(void) {
    CASE("hosts that number their GPUs alike, at once and one after the other");
    for (int i = 0; i < 2; i++) {
        clg_trace t[] = {trace(0, -1, 0, 5), trace(1, -1, 0, 5), trace(0, -1, 1 + 60 * i, 5)};
        t[1].device = 1;
        t[2].file = "g";
        clg_trace_number_hosts(t, 3);
        CHECK(t[0].rank == 0 && t[1].rank == 1 && t[2].rank == (i ? 0 : 2));
    }
    CASE("ranks that were told stay, and those of one recording twice");
    for (int i = 0; i < 2; i++) {
        clg_trace told[] = {trace(0, i ? -1 : 2, 0, 5), trace(0, i ? -1 : 2, !i, 5)};
        told[1].file = "g";
        clg_trace_number_hosts(told, 2);
        CHECK(told[1].rank == 0);
    }
}

int main(void) {
    hosts();
    told_apart();
    as_one();
    clg_arena_clear(&arena);
    return DONE;
}
