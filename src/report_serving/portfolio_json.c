/* portfolio_json.c -- jobs over the life of a cluster for programs: JSON and CSV. */
#include "report_plan/worth_report.h"
#include "report_serving/portfolio_report.h"

#include <math.h>

static void add_waiting(clg_json_writer *w, const char *key, const clg_waiting *waiting) {
    clg_json_open(w, key, '{');
    clg_json_add_number(w, "p50", waiting->p50_s / 3600);
    clg_json_add_number(w, "p90", waiting->p90_s / 3600);
    clg_json_add_number(w, "mean", waiting->mean_s / 3600);
    clg_json_close(w, '}');
}

static void add_mix(clg_json_writer *w, const clg_terms *terms, const clg_mix *mix) {
    const clg_price *held = terms->cheapest < 0 ? NULL : &terms->held[terms->cheapest];
    clg_json_open(w, "mix", '{');
    clg_json_add_integer(w, "held_gpus", mix->held_gpus);
    clg_json_add_integer(w, "rented_gpus", mix->most_gpus);
    clg_json_add_string(w, "held_term", held ? held->term : NULL);
    clg_json_add_number(w, "held_usd_per_gpu_h", held ? held->usd_per_s * 3600 : (double)NAN);
    clg_json_add_number(w, "usd_per_h", mix->usd_per_s * 3600);
    clg_json_add_number(w, "all_by_the_hour_usd_per_h", mix->hourly_usd_per_s * 3600);
    clg_json_close(w, '}');
}

static void add_point(clg_json_writer *w, const clg_portfolio *p,
                      const clg_portfolio_point *point) {
    clg_json_open(w, NULL, '{');
    clg_json_add_integer(w, "gpus", point->gpus);
    clg_json_add_number(w, "utilization", point->utilization);
    clg_json_add_number(w, "useful_share", point->useful_share);
    add_waiting(w, "waiting_h", &point->waiting);
    if (p->request.serving.windows > 0) {
        clg_json_add_number(w, "serving_share", point->serving_share);
        clg_json_add_number(w, "serving_short", point->serving_short);
        clg_json_add_number(w, "preempted", point->preempted);
    }
    clg_json_add_number(w, "repair_share", point->repair_share);
    clg_json_add_number(w, "nodes_broken", point->breaks);
    clg_json_add_number(w, "stops_for_want_of_a_node", point->stops);
    clg_json_add_number(w, "missed_deadlines", point->missed_deadlines);
    clg_json_add_integer(w, "jobs_with_deadline", point->with_deadline);
    clg_json_add_integer(w, "impossible_jobs", point->impossible);
    clg_json_add_number(w, "usd", point->usd);
    clg_json_add_number(w, "usd_per_useful_eflop", point->usd_per_useful_eflop);
    clg_json_add_number(w, "marginal_fill", point->marginal_fill);
    clg_json_add_number(w, "period_h", point->period_s / 3600);
    clg_json_odds(w, &point->odds);
    add_mix(w, &p->request.terms, &point->mix);
    clg_json_close(w, '}');
}

static void add_knee(clg_json_writer *w, const clg_portfolio *p) {
    double share = p->request.knee_share;
    clg_json_open(w, "knee", '{');
    if (p->knee >= 0)
        clg_json_add_integer(w, "gpus", p->point[p->knee].gpus);
    else
        clg_json_add_null(w, "gpus");
    const char *why =
        p->knee >= 0 ? "GPUs added beyond it are needed less than %.0f %% of the time"
        : p->point[0].marginal_fill < share
            ? "even the first size is needed less than %.0f %% of the time"
            : "not reached: of every size, GPUs are needed at least %.0f %% of the time";
    clg_text why_text = {.arena = w->text->arena};
    clg_text_print(&why_text, why, 100 * share);
    clg_json_add_string(w, "why", why_text.data);
    clg_json_close(w, '}');
}

enum { JOBS_SHOWN = 1000 };

static void add_job(clg_json_writer *w, const clg_portfolio *p, int i) {
    const clg_listed_job *job = p->task[i].job;
    const clg_job_run *run = &p->run[i];
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "name", job->name);
    clg_json_add_integer(w, "gpus", run->gpus);
    clg_json_add_number(w, "arrival_h", job->arrival_s / 3600);
    clg_json_add_number(w, "start_h", run->start_s / 3600);
    clg_json_add_number(w, "end_h", run->end_s / 3600);
    clg_json_add_number(w, "deadline_h", job->deadline_s / 3600);
    clg_json_add_number(w, "in_time", isfinite(job->deadline_s) ? 1 - p->late[i] : (double)NAN);
    clg_json_close(w, '}');
}

/* One life, job by job, of the size at the knee, else of the last. */
static void add_jobs(clg_json_writer *w, const clg_portfolio *p) {
    clg_json_open(w, "life", '{');
    clg_json_add_integer(w, "gpus", p->point[p->shown].gpus);
    clg_json_open(w, "jobs", '[');
    for (int i = 0; i < p->count && i < JOBS_SHOWN; i++) add_job(w, p, i);
    clg_json_close(w, ']');
    clg_json_close(w, '}');
}

static void add_storage(clg_json_writer *w, const clg_storage_bill *b) {
    clg_json_open(w, "storage", '{');
    clg_json_add_number(w, "data_bytes", b->data_bytes);
    clg_json_storage_usd(w, b);
    clg_json_close(w, '}');
}

void clg_json_portfolio(clg_json_writer *w, const clg_portfolio_shown *s) {
    const clg_portfolio *p = s->portfolio;
    const clg_price *price = &s->scenario->price;
    clg_json_open_answer(w, NULL, "portfolio");
    clg_json_add_string(w, "gpu", s->scenario->machine.gpu.name);
    clg_json_add_number(w, "usd_per_gpu_h",
                        clg_price_known(price) ? price->usd_per_s * 3600 : (double)NAN);
    clg_json_add_string(w, "price", price->provider);
    clg_json_add_string(w, "price_date", price->date);
    clg_json_add_integer(w, "jobs", s->jobs->count);
    clg_json_add_integer(w, "rows_left_out", s->jobs->left_out);
    if (s->jobs->quotas > 0) clg_json_open(w, "quotas", '[');
    for (int i = 0; i < s->jobs->quotas; i++) {
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "team", s->jobs->quota[i].team);
        clg_json_add_integer(w, "gpus", s->jobs->quota[i].gpus);
        clg_json_close(w, '}');
    }
    if (s->jobs->quotas > 0) clg_json_close(w, ']');
    clg_json_add_string(w, "columns_ignored", s->jobs->ignored);
    clg_json_add_string(w, "deadlines",
                        s->jobs->deadlines_after_arrival ? "hours after arrival" : "hours");
    clg_json_add_integer(w, "lives", p->draws);
    if (s->recorded) add_waiting(w, "recorded_waiting_h", &s->waited);
    clg_json_open(w, "points", '[');
    for (int i = 0; i < p->points; i++) add_point(w, p, &p->point[i]);
    clg_json_close(w, ']');
    add_knee(w, p);
    add_storage(w, &p->storage);
    add_jobs(w, p);
    clg_json_close(w, '}');
}

void clg_report_portfolio_rows(clg_text *t, const clg_portfolio_shown *s) {
    clg_text_print(t, "gpus,utilization,useful_share,marginal_fill,waiting_p50_h,waiting_p90_h,"
                      "waiting_mean_h,missed_deadlines,odds_deadline,odds_budget,period_h,usd,"
                      "usd_per_useful_eflop\n");
    for (int i = 0; i < s->portfolio->points; i++) {
        const clg_portfolio_point *p = &s->portfolio->point[i];
        const double cells[] = {p->utilization,
                                p->useful_share,
                                p->marginal_fill,
                                p->waiting.p50_s / 3600,
                                p->waiting.p90_s / 3600,
                                p->waiting.mean_s / 3600,
                                p->missed_deadlines,
                                p->odds.deadline,
                                p->odds.budget,
                                p->period_s / 3600,
                                p->usd,
                                p->usd_per_useful_eflop};
        clg_text_print(t, "%lld", (long long)p->gpus);
        for (size_t k = 0; k < sizeof cells / sizeof cells[0]; k++)
            if (isnan(cells[k]))
                clg_text_print(t, ",");
            else
                clg_text_print(t, ",%.6g", cells[k]);
        clg_text_print(t, "\n");
    }
}
