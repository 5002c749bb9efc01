/* Tokens into sequences: near what was asked, and well divisible; a plan of them is near the best.
 */
#include "layout/batch.h"
#include "plan.h"
#include "search/search.h"

#include <math.h>

static clg_arena arena;

static unsigned next(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static int64_t twos_of(int64_t count) { return count & -count; }

/* No number within the tolerance that has the odd part of the GPUs is divided by more twos, and one
 * that is divided by as many is no nearer. */
static bool best_of_all(double tokens, int64_t seq, int64_t gpus, int64_t found) {
    double asked = tokens / (double)seq, tolerance = CLG_BATCH_TOLERANCE;
    int64_t odd = gpus / twos_of(gpus);
    bool any = false;
    for (int64_t n = 1; (double)n <= asked * (1 + tolerance); n++) {
        if ((double)n < asked * (1 - tolerance)) continue;
        any = any || n % odd == 0;
    }
    if (!any) odd = 1;
    if (found % odd != 0) return fabs((double)found - asked) <= 0.5;
    for (int64_t n = 1; (double)n <= asked * (1 + tolerance); n++) {
        if ((double)n < asked * (1 - tolerance) || n % odd != 0) continue;
        if (twos_of(n) > twos_of(found)) return false;
        if (twos_of(n) == twos_of(found) && fabs((double)n - asked) < fabs((double)found - asked))
            return false;
    }
    return true;
}

static void check_sweep(void) {
    unsigned state = 3;
    int near = 0, best = 0, enough = 0;
    enum { TRIES = 2000 };
    for (int i = 0; i < TRIES; i++) {
        int64_t seq = 512 + next(&state) % 16384, gpus = 1 + next(&state) % 512;
        double tokens = (double)seq * (0.6 + next(&state) % 4000);
        int64_t found = clg_batch_of_tokens(tokens, seq, gpus);
        double off = fabs((double)found * (double)seq / tokens - 1), asked = tokens / (double)seq;
        near += off <= CLG_BATCH_TOLERANCE || fabs((double)found - asked) <= 0.5;
        best += best_of_all(tokens, seq, gpus, found);
        enough += found >= 1;
    }
    CHECK(near == TRIES && best == TRIES && enough == TRIES);
}

static double tokens_per_s(const clg_scenario *s, int64_t seq, int64_t batch) {
    clg_space space = {.gpus = s->machine.gpus,
                       .seq = seq,
                       .global_batch = batch,
                       .precision = CLG_BF16,
                       .attention = {.count = 1, .value = {CLG_FLASH2}},
                       .keep = 1};
    clg_found found;
    clg_error e = {0};
    if (clg_search(&arena, s, &space, (clg_progress){0}, &found, &e) != CLG_OK) return 0;
    return found.count > 0 ? found.best[0].tokens_per_s : 0;
}

/* What the rounding costs against any other number of sequences within the tolerance. */
static void check_plans(void) {
    static const char *const models[] = {"llama-2-7b", "llama-3-8b", "llama-2-13b"};
    static const int sizes[] = {32, 48, 64, 128};
    unsigned state = 11;
    double worst = 0;
    for (int i = 0; i < 8; i++) {
        int64_t seq = 2048 << next(&state) % 3;
        clg_scenario s = plan_scenario(&arena, models[next(&state) % 3], "h100-sxm",
                                       "megatron-2024", sizes[next(&state) % 4]);
        double tokens = 1e5 * (double)(10 + next(&state) % 60);
        double ours = tokens_per_s(&s, seq, clg_batch_of_tokens(tokens, seq, s.machine.gpus));
        CHECK(ours > 0);
        for (int k = 0; k < 6; k++) {
            double share = 0.95 + 0.1 * (double)(next(&state) % 1000) / 999;
            int64_t other = (int64_t)(tokens * share / (double)seq);
            double gained = tokens_per_s(&s, seq, other) / ours - 1;
            if (gained > worst) worst = gained;
        }
    }
    CHECK(worst < 0.03);
}

int main(void) {
    CASE("what everybody means: 4 Mtok are 512 sequences of 8,192; 3 Mtok 384, 1.5 Mtok 192");
    CHECK(clg_batch_of_tokens(4e6, 8192, 512) == 512);
    CHECK(clg_batch_of_tokens(16e6, 8192, 16384) == 2048);
    CHECK(clg_batch_of_tokens(3e6, 8192, 512) == 384);
    CHECK(clg_batch_of_tokens(1.5e6, 8192, 512) == 192);
    CASE("what is odd in the GPUs divides too; exact tokens stay");
    CHECK(clg_batch_of_tokens(4e6, 8192, 24) == 480);
    CHECK(clg_batch_of_tokens(512 * 8192.0, 8192, 0) == 512);
    CASE("few sequences: the nearest, and never none");
    CHECK(clg_batch_of_tokens(30e3, 8192, 8) == 4);
    CHECK(clg_batch_of_tokens(4.5e3, 8192, 8) == 1);
    CASE("random tokens, lengths and GPUs: within the tolerance none divides better");
    check_sweep();
    CASE("random jobs: no other batch within the tolerance is 3 % faster per token");
    check_plans();
    clg_arena_clear(&arena);
    return DONE;
}
