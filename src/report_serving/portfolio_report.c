/* portfolio_report.c -- jobs over the life of a cluster, as text. */
#include "report_serving/portfolio_report.h"

#include "report/number_words.h"
#include "report/price_words.h"

#include <math.h>

static const char *words(clg_text *t, double value, clg_dimension dimension) {
    return isfinite(value) ? clg_words_quantity(t, value, dimension) : "-";
}

static const char *percent(clg_text *t, double share) {
    return isnan(share) ? "-" : clg_arena_print(t->arena, "%.0f", 100 * share);
}

static void print_point(clg_text *t, const clg_portfolio *p, int i) {
    const clg_portfolio_point *point = &p->point[i];
    clg_text_print(t, "%7lld %6.1f %6.1f %7.1f  ", (long long)point->gpus, 100 * point->utilization,
                   100 * point->useful_share, 100 * point->marginal_fill);
    clg_text_pad(t, words(t, point->waiting.p50_s, CLG_SECONDS), 8, true);
    clg_text_pad(t, words(t, point->waiting.p90_s, CLG_SECONDS), 9, true);
    clg_text_pad(
        t, point->with_deadline ? clg_arena_print(t->arena, "%.0f", point->missed_deadlines) : "-",
        6, true);
    clg_text_pad(t, percent(t, point->odds.deadline), 6, true);
    clg_text_pad(t, percent(t, point->odds.budget), 6, true);
    clg_text_pad(t, words(t, point->period_s, CLG_SECONDS), 9, true);
    clg_text_pad(t, words(t, point->usd, CLG_USD), 11, true);
    clg_text_pad(t,
                 isnan(point->usd_per_useful_eflop)
                     ? "-"
                     : clg_arena_print(t->arena, "%.3g", point->usd_per_useful_eflop),
                 8, true);
    clg_text_print(t, "%s\n", i == p->knee ? " <" : "");
}

static void print_table(clg_text *t, const clg_portfolio *p) {
    clg_text_print(t,
                   "   GPUs  taken useful marginal    waits     P90 late   in-   in-     paid    "
                   "   rent  $/useful\n"
                   "             %%      %%   fill %%                   jobs time%% budg%%"
                   "      for               Eflop\n");
    for (int i = 0; i < p->points; i++) print_point(t, p, i);
}

static const char *knee_words(clg_text *t, const clg_portfolio *p) {
    double share = 100 * p->request.knee_share;
    if (p->knee >= 0)
        return clg_arena_print(
            t->arena,
            "%lld GPUs (<): those added beyond it are needed less than %.0f %% of the time",
            (long long)p->point[p->knee].gpus, share);
    if (p->point[0].marginal_fill < share / 100)
        return clg_arena_print(
            t->arena, "below %lld GPUs: even those are needed less than %.0f %% of the time",
            (long long)p->point[0].gpus, share);
    return "not reached: every size is needed";
}

/* Who may hold how much; of many the first by name. */
static void print_quotas(clg_text *t, const clg_job_list *jobs) {
    enum { SHOWN = 8 };
    int64_t all = 0;
    size_t from = t->size;
    if (jobs->quotas == 0) return;
    for (int i = 0; i < jobs->quotas; i++) all += jobs->quota[i].gpus;
    clg_text_print(t, "quotas   of %d team%s, %lld GPUs together%s:", jobs->quotas,
                   jobs->quotas == 1 ? "" : "s", (long long)all,
                   jobs->recorded ? " (the most that each ever held: the least they can be)" : "");
    for (int i = 0; i < jobs->quotas && i < SHOWN; i++)
        clg_text_print(t, "%s %.32s %lld", i == 0 ? "" : ",", jobs->quota[i].team,
                       (long long)jobs->quota[i].gpus);
    clg_text_print(t, jobs->quotas > SHOWN ? ", ...\n" : "\n");
    clg_text_fold(t, from, 9);
}

static void print_jobs(clg_text *t, const clg_portfolio_shown *s) {
    const clg_job_list *jobs = s->jobs;
    double last_s = jobs->job[jobs->count - 1].arrival_s;
    size_t from = t->size;
    clg_text_print(t, "jobs     %s, the last arrives after %s%s", clg_words_count(t, jobs->count),
                   clg_words_quantity(t, last_s, CLG_SECONDS),
                   jobs->recorded ? "; hours of GPUs as a scheduler recorded them" : "");
    if (s->plans > 0)
        clg_text_print(t, "; %d plan%s made for them", s->plans, s->plans == 1 ? "" : "s");
    if (jobs->left_out > 0)
        clg_text_print(t, "; %s row%s left out: no GPUs, no time, or a part of another",
                       clg_words_count(t, jobs->left_out), jobs->left_out == 1 ? "" : "s");
    if (jobs->ignored) clg_text_print(t, "; columns not read: %.200s", jobs->ignored);
    if (jobs->deadlines_after_arrival)
        clg_text_print(t, "; deadlines taken as hours after arrival, as one lies before its own");
    clg_text_print(t, "\n");
    clg_text_fold(t, from, 9);
    print_quotas(t, jobs);
}

static void print_machine(clg_text *t, const clg_portfolio_shown *s) {
    const clg_price *price = &s->scenario->price;
    size_t from = t->size;
    clg_text_print(t, "machine  %s, %d per node", clg_words_gpu(t, &s->scenario->machine.gpu),
                   s->portfolio->request.node_gpus);
    if (clg_price_known(price))
        clg_text_print(t, ", %.2f USD/GPU-h (%s)", price->usd_per_s * 3600,
                       clg_words_price_band(t->arena, price));
    clg_text_print(t, "\n");
    clg_text_fold(t, from, 9);
}

static void print_impossible(clg_text *t, const clg_portfolio *p) {
    for (int i = 0; i < p->points; i++)
        if (p->point[i].impossible > 0)
            clg_text_print(t, "%s %d job%s on no size that %lld GPUs have\n",
                           i == 0 ? "never   " : "        ", p->point[i].impossible,
                           p->point[i].impossible == 1 ? " runs" : "s run",
                           (long long)p->point[i].gpus);
}

/* What serving takes, and what the jobs give way for it. */
static void print_serving(clg_text *t, const clg_portfolio *p) {
    const clg_tide *tide = &p->request.serving;
    int64_t most = 0, least = INT64_MAX;
    if (tide->windows == 0) return;
    for (int i = 0; i < tide->windows; i++) {
        most = tide->gpus[i] > most ? tide->gpus[i] : most;
        least = tide->gpus[i] < least ? tide->gpus[i] : least;
    }
    clg_text_print(t, "\nserving  %lld to %lld GPUs, by windows of %s\n", (long long)least,
                   (long long)most, clg_words_quantity(t, tide->window_s, CLG_SECONDS));
    for (int i = 0; i < p->points; i++) {
        const clg_portfolio_point *point = &p->point[i];
        clg_text_print(t, "         on %lld: %.1f %% of the GPU time, jobs give way %.0f times",
                       (long long)point->gpus, 100 * point->serving_share, point->preempted);
        if (point->serving_short > 0)
            clg_text_print(t, "; %.1f %% of what it wants is not there",
                           100 * point->serving_short);
        clg_text_print(t, "\n");
    }
}

/* Fewer nodes that break in a life are not worth a line. */
static const double HARDLY = 0.5;

/* A mean of counts: "0.62", "1,240". */
static const char *mean_words(clg_text *t, double mean) {
    return mean < 10 ? clg_arena_print(t->arena, "%.2g", mean) : clg_words_grouped(t, mean);
}

/* Nodes that break, and jobs that must wait for one: no spare was free. */
static void print_repairs(clg_text *t, const clg_portfolio *p) {
    bool first = true;
    for (int i = 0; i < p->points; i++) {
        const clg_portfolio_point *point = &p->point[i];
        if (point->breaks < HARDLY) continue;
        clg_text_print(
            t, "%s%lld GPUs: %s break, %.2g %% of GPU time in repair; %s stops for want of one\n",
            first ? "nodes    " : "         ", (long long)point->gpus, mean_words(t, point->breaks),
            100 * point->repair_share, mean_words(t, point->stops));
        first = false;
    }
}

/* Of the life that is shown job by job. */
static void print_storage(clg_text *t, const clg_portfolio *p) {
    const clg_storage_bill *b = &p->storage;
    size_t from = t->size;
    if (!(b->data_bytes > 0)) return;
    clg_text_print(
        t,
        "\nstorage  on %lld GPUs, beside the rent: %s of token ids and %.0f checkpoints a job "
        "kept while jobs run: %s to %s; tokens in and weights out of another cloud: "
        "%s to %s egress (list prices)\n",
        (long long)p->point[p->shown].gpus, clg_words_quantity(t, b->data_bytes, CLG_BYTES),
        b->checkpoints, clg_words_quantity(t, b->low_usd, CLG_USD),
        clg_words_quantity(t, b->high_usd, CLG_USD), clg_words_quantity(t, b->out_low_usd, CLG_USD),
        clg_words_quantity(t, b->out_high_usd, CLG_USD));
    clg_text_fold(t, from + 1, 9);
}

/* What a job's log says beside what the simulation makes of it. */
static void print_recorded(clg_text *t, const clg_portfolio_shown *s) {
    if (!s->recorded) return;
    const clg_waiting *truth = &s->waited;
    clg_text_print(t, "\nwaits    recorded: mean %s, median %s, P90 %s\n",
                   clg_words_quantity(t, truth->mean_s, CLG_SECONDS),
                   clg_words_quantity(t, truth->p50_s, CLG_SECONDS),
                   clg_words_quantity(t, truth->p90_s, CLG_SECONDS));
    for (int i = 0; i < s->portfolio->points; i++) {
        const clg_waiting *w = &s->portfolio->point[i].waiting;
        clg_text_print(t, "         on %lld GPUs: mean %s, median %s, P90 %s\n",
                       (long long)s->portfolio->point[i].gpus, words(t, w->mean_s, CLG_SECONDS),
                       words(t, w->p50_s, CLG_SECONDS), words(t, w->p90_s, CLG_SECONDS));
    }
}

static const double MONTH_S = 730 * 3600;

/* Dollars a month of a mean rate. */
static const char *monthly(clg_text *t, double usd_per_s) {
    return clg_words_quantity(t, usd_per_s * MONTH_S, CLG_USD);
}

enum { TERMS_SHOWN = 3 };

static void print_money_head(clg_text *t, const clg_portfolio *p) {
    const clg_terms *terms = &p->request.terms;
    size_t from = t->size;
    clg_text_print(t, "\nmoney    a month of 730 h, by size: by the hour all the time and while "
                      "needed");
    for (int i = 0; i < terms->helds && i < TERMS_SHOWN; i++)
        clg_text_print(t, "%s%s at %.2f USD/h (%s, %s)", i == 0 ? "; held, used or not: " : ", ",
                       terms->held[i].term, terms->held[i].usd_per_s * 3600,
                       terms->held[i].provider, terms->held[i].date);
    if (terms->cheapest >= 0)
        clg_text_print(t, "; mix: some held at the cheapest, the rest rented while needed");
    clg_text_print(t, "\n");
    clg_text_fold(t, from, 9);
    clg_text_print(t, "   GPUs   by the hour     as needed");
    for (int i = 0; i < terms->helds && i < TERMS_SHOWN; i++)
        clg_text_pad(t, terms->held[i].term, 18, true);
    clg_text_print(t, terms->cheapest >= 0 ? "         mix   held rented\n" : "\n");
}

static void print_money(clg_text *t, const clg_portfolio *p) {
    const clg_terms *terms = &p->request.terms;
    if (isnan(p->point[0].mix.usd_per_s)) return;
    print_money_head(t, p);
    for (int i = 0; i < p->points; i++) {
        const clg_portfolio_point *point = &p->point[i];
        double gpus = (double)point->gpus;
        clg_text_print(t, "%7lld", (long long)point->gpus);
        clg_text_pad(t, monthly(t, terms->hourly->usd_per_s * gpus), 14, true);
        clg_text_pad(t, monthly(t, point->mix.hourly_usd_per_s), 14, true);
        for (int k = 0; k < terms->helds && k < TERMS_SHOWN; k++)
            clg_text_pad(t, monthly(t, terms->held[k].usd_per_s * gpus), 18, true);
        if (terms->cheapest >= 0)
            clg_text_print(t, "%12s%7lld%7lld", monthly(t, point->mix.usd_per_s),
                           (long long)point->mix.held_gpus, (long long)point->mix.most_gpus);
        clg_text_print(t, "\n");
    }
}

enum { LATEST = 5 };

/* The jobs that miss their deadlines most often. */
static void print_late(clg_text *t, const clg_portfolio *p) {
    int printed = 0;
    double below = 2;
    while (printed < LATEST) {
        double worst = 0;
        for (int i = 0; i < p->count; i++)
            if (p->late[i] < below && p->late[i] > worst) worst = p->late[i];
        if (!(worst > 0)) return;
        for (int i = 0; i < p->count && printed < LATEST; i++) {
            if (p->late[i] != worst) continue;
            clg_text_print(t, "%s%.40s of day %.0f: late in %.0f %% of the lives, on %lld GPUs\n",
                           printed++ ? "         " : "late     ", p->task[i].job->name,
                           p->task[i].job->arrival_s / 86400, 100 * worst,
                           (long long)p->run[i].gpus);
        }
        below = worst;
    }
}

void clg_report_portfolio(clg_text *t, const clg_portfolio_shown *s) {
    const clg_portfolio *p = s->portfolio;
    print_jobs(t, s);
    print_machine(t, s);
    clg_text_print(t, "\n");
    print_table(t, p);
    clg_text_print(t, "\nknee     %s\n", knee_words(t, p));
    print_late(t, p);
    print_impossible(t, p);
    print_repairs(t, p);
    print_serving(t, p);
    print_recorded(t, s);
    print_money(t, p);
    print_storage(t, p);
    clg_text_print(t,
                   "\n%d %s of each size; in time and in budget: share of them. Not modelled: "
                   "preemption, resizing,\nfair shares, jobs that diverge\n",
                   p->draws, p->draws == 1 ? "life" : "lives");
}
