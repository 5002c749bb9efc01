/* ranking.c -- where several layouts of one job were measured: how much slower the one predicted to
 * be the fastest is than the one that was. Errors that all layouts share cancel in it. */
#include "report_accuracy/accuracy.h"

#include <math.h>
#include <string.h>

enum { FEWEST = 4 }; /* layouts that make a ranking */
static const double CLOSE = 0.03;

typedef struct ranking {
    const clg_run *pick, *best;
    int layouts;
} ranking;

/* The same model, batch and sequence: so are the model's FLOPs of a step. */
static bool same_job(const clg_run *a, const clg_run *b) {
    return a->gpus == b->gpus && strcmp(a->source, b->source) == 0 &&
           strcmp(a->group, b->group) == 0 && fabs(a->model_flop / b->model_flop - 1) < 1e-9 &&
           a->predicted.layout.seq == b->predicted.layout.seq;
}

/* The job that begins at row `first`, or false: it began earlier, or was not tried often enough. */
static bool find(const clg_validation *v, int first, ranking *found) {
    const clg_run *r = &v->run[first];
    ranking k = {r, r, 0};
    if (!clg_run_timed(r)) return false;
    for (int i = 0; i < v->runs; i++) {
        const clg_run *other = &v->run[i];
        if (!clg_run_timed(other) || !same_job(r, other)) continue;
        if (i < first) return false;
        if (other->predicted.step_s < k.pick->predicted.step_s) k.pick = other;
        if (other->measured_step_s < k.best->measured_step_s) k.best = other;
        k.layouts++;
    }
    *found = k;
    return k.layouts >= FEWEST;
}

void clg_report_ranking(clg_text *t, const clg_validation *v) {
    int count = 0, close = 0;
    double lost = 0;
    for (int i = 0; i < v->runs; i++) {
        ranking k;
        if (!find(v, i, &k)) continue;
        if (count == 0)
            clg_text_print(t,
                           "\n## Ranking\n\nJobs of which four layouts or more were measured: "
                           "the one predicted to be the fastest, beside the fastest.\n\n"
                           "| predicted fastest | GPUs | layouts | s | fastest, s | slower by %% "
                           "|\n|---|---|---|---|---|---|\n");
        double slower = k.pick->measured_step_s / k.best->measured_step_s - 1;
        clg_text_print(t, "| %s | %lld | %d | %.3f | %.3f | %.1f |\n", k.pick->id,
                       (long long)k.pick->gpus, k.layouts, k.pick->measured_step_s,
                       k.best->measured_step_s, 100 * slower);
        count++;
        close += slower <= CLOSE;
        lost += slower;
    }
    if (count > 0)
        clg_text_print(t,
                       "\n%d of %d picks within 3 %% of the fastest, %.1f %% slower on average.\n",
                       close, count, 100 * lost / count);
}
