/* Every built-in model on one box, whatever fits: no plan is nonsense. */
#include "plan.h"

#include <math.h>

static clg_arena arena;

static bool sane(double value) { return isfinite(value) && value > 0; }

static double sum(const clg_time_ledger *t) {
    double all = 0, least = 0;
    for (int i = 0; i < CLG_LEDGER_TERMS; i++) {
        all += t->term_s[i];
        least = fmin(least, t->term_s[i]);
    }
    CHECK(least >= 0);
    return all;
}

/* Model flop are those of parameters at work and of attention, so that a GPU does not do more than
 * its peak, and executed ones are at most a few times as many. */
static void one(const char *name, const clg_scenario *s) {
    clg_layout l = plan_layout(2048);
    l.dp = 8, l.global_batch = 16, l.accumulation = 2, l.zero = 1;
    CASE(name);
    clg_evaluation e = plan_evaluation(&arena, s, l);
    CHECK(sane(e.step_s) && sane(e.mfu) && sane(e.hfu) && e.mfu < 0.9 && e.hfu < 0.9);
    CHECK(e.hfu > 0.3 * e.mfu && e.hfu < 4 * e.mfu);
    CHECK(e.step_p10_s < e.step_s && e.step_s < e.step_p90_s);
    CHECK_NEAR(sum(&e.time), e.step_s, 1e-9);
    const clg_memory_ledger *m = &e.memory;
    CHECK_NEAR(m->weights_bytes + m->gradients_bytes + m->optimizer_bytes + m->activations_bytes +
                   m->buffers_bytes + m->reserved_bytes,
               m->total_bytes, 1e-9);
    CHECK(sane(m->weights_bytes) && sane(m->activations_bytes) && sane(e.gpu_w));
    CHECK_NEAR(m->weights_bytes, 2.0 * (double)s->model.parameters, 0.1);
}

int main(void) {
    int count;
    clg_arena names_arena = {0};
    const char *const *names = clg_model_names(&names_arena, &count);
    for (int i = 0; i < count; i++) {
        clg_scenario s = plan_scenario(&arena, names[i], "h100-sxm", "megatron-2024", 8);
        one(names[i], &s);
        clg_arena_clear(&arena);
    }
    clg_arena_clear(&names_arena);
    return DONE;
}
