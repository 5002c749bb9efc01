/* batch_job.c -- see the header.
 *
 *   time = start + output tokens / (replicas x tokens/s of a full one) + drain
 *
 * with a start and a drain in every night, where a job runs only so long of each day: what was
 * begun in a night is answered in it.
 *
 * The drain is the longest answer in a full batch: as the last ones decode the batch empties and
 * is faster, so times are a little long. A spot GPU that is taken back costs its replica a start
 * and half of what it was answering. Left out: queues between jobs, and what a preempted request
 * had computed. */
#include "serve/batch_job.h"

#include "economics/contracts.h"
#include "units/units.h"

#include <math.h>
#include <string.h>

/* Of the longest answer, in a batch as full as it gets. */
static double drain_s(const clg_demand *d, const clg_serve_answer *a) {
    int32_t longest = 0;
    for (int64_t i = 0; i < d->count; i++)
        if (d->request[i].output_tokens > longest) longest = d->request[i].output_tokens;
    return longest * fmax(a->steady_batch, 1) / a->offline_tokens_per_s;
}

/* What is left of so much time when replicas have started and the last answers ended. */
static double left_of(const clg_batch_job *j, double time_s, double scale) {
    return time_s - j->start_s - scale * j->drain_s;
}

/* Nights that a job is at work in; without nights it is one stretch. */
static double nights_of(const clg_batch_job *j, double busy_s, double scale) {
    double each = j->limits.night_s > 0 ? left_of(j, j->limits.night_s, scale) : INFINITY;
    return each > 0 ? fmax(1, ceil(busy_s / each)) : INFINITY;
}

/* At work; *done_s: from now. */
static double run_s(const clg_batch_job *j, int64_t replicas, double scale, double *done_s) {
    double busy = j->output_tokens / ((double)replicas * j->tokens_per_s);
    double more = nights_of(j, scale * busy, scale) - 1;
    double run = j->start_s + scale * (busy + j->drain_s);
    if (more > 0) run += more * (j->start_s + scale * j->drain_s);
    *done_s = run;
    if (more > 0) *done_s += more * (CLG_DAY_S - j->limits.night_s);
    return run;
}

/* Time until the deadline in which tokens are made. */
static double usable_s(const clg_batch_job *j, double scale) {
    const clg_batch_limits *l = &j->limits;
    if (l->night_s <= 0) return left_of(j, l->deadline_s, scale);
    double nights = floor(l->deadline_s / CLG_DAY_S), last = l->deadline_s - nights * CLG_DAY_S;
    double each = fmax(0, left_of(j, l->night_s, scale));
    return nights * each + fmax(0, left_of(j, fmin(last, l->night_s), scale));
}

/* Never more than a replica for each request. */
static int64_t replicas_for(const clg_batch_job *j, double scale) {
    double left = usable_s(j, scale);
    double n = left > 0 ? ceil(scale * j->output_tokens / (j->tokens_per_s * left)) : INFINITY;
    return n <= fmax(j->requests, 1) ? (int64_t)fmax(n, 1) : 0;
}

static void add_row(clg_batch_job *j, const clg_price *price, double gpus, double hourly,
                    double lost_s, double taken_back) {
    clg_batch_row *row = &j->row[j->rows++];
    bool held = clg_price_held(price);
    double rate = clg_price_spot(price) ? taken_back : 0;
    *row = (clg_batch_row){.price = *price};
    row->run_s = j->sure_run_s * (1 + rate * gpus / (double)j->sure_replicas * lost_s);
    row->interruptions = rate * gpus * row->run_s;
    double days_s = fmax(CLG_DAY_S, row->run_s + j->sure_done_s - j->sure_run_s);
    row->usd = price->usd_per_s * gpus * (held ? days_s : row->run_s);
    if (held && hourly > 0) row->pays_above_s = CLG_DAY_S * price->usd_per_s / hourly;
}

static clg_status add_rows(clg_arena *arena, const clg_serve_question *q, clg_batch_job *j,
                           clg_error *error) {
    const clg_scenario *s = q->replica->scenario;
    double gpus = (double)j->sure_replicas * clg_replica_gpus(q->replica);
    double lost_s = j->start_s + j->drain_s / 2, taken_back;
    if (!clg_price_known(&s->price)) return CLG_OK;
    if (clg_spot_interruptions(arena, &taken_back, error) != CLG_OK) return error->status;
    add_row(j, &s->price, gpus, s->price.usd_per_s, lost_s, taken_back);
    for (int i = 0; clg_price_terms[i].name && j->rows < CLG_BATCH_ROWS; i++) {
        clg_price price;
        int term = clg_price_terms[i].value;
        if (clg_price_of_term(arena, &s->machine.gpu, term, &price) &&
            strcmp(price.term, s->price.term) != 0)
            add_row(j, &price, gpus, s->price.usd_per_s, lost_s, taken_back);
    }
    return CLG_OK;
}

clg_status clg_batch_job_of(clg_arena *arena, const clg_serve_question *q,
                            const clg_serve_answer *a, double requests, clg_batch_limits limits,
                            clg_batch_job *j, clg_error *error) {
    clg_demand_means means = clg_demand_means_of(q->demand);
    *j = (clg_batch_job){.requests = requests,
                         .prompt_tokens = requests * means.prompt_tokens,
                         .output_tokens = requests * means.output_tokens,
                         .limits = limits,
                         .tokens_per_s = a->offline_tokens_per_s,
                         .start_s = q->cold_start_s,
                         .drain_s = drain_s(q->demand, a)};
    j->replicas = q->replicas > 0 ? q->replicas : replicas_for(j, 1);
    if (j->replicas == 0)
        return clg_fail(error, CLG_BAD_INPUT,
                        limits.night_s > 0 ? "give a longer --nightly or --deadline"
                                           : "give a longer --deadline, or a shorter --cold-start",
                        "no fleet is done in %.4g h: starting takes %.4g s, the longest answer "
                        "%.4g s",
                        limits.deadline_s / 3600, j->start_s, j->drain_s);
    j->sure_replicas = q->replicas > 0 ? q->replicas : replicas_for(j, a->doubt.rate);
    if (j->sure_replicas == 0) j->sure_replicas = j->replicas;
    double early_s;
    j->run_s = run_s(j, j->replicas, 1, &j->done_s);
    j->early_run_s = run_s(j, j->replicas, 1 / a->doubt.rate, &early_s);
    j->late_run_s = run_s(j, j->replicas, a->doubt.rate, &j->late_done_s);
    j->sure_run_s = run_s(j, j->sure_replicas, 1, &j->sure_done_s);
    return add_rows(arena, q, j, error);
}
