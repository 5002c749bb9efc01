/* trace_compare.c -- a job beside its steps, its replays, its plan and another run. */
#include "report_recorded/trace_report.h"

#include "base/quantile.h"
#include "report/number_words.h"

#include "record/ns.h"

#include <math.h>

/* ---- steps ---- */

static void add_ledger(clg_ledger *sum, const clg_ledger *l) {
    sum->span_ns = clg_ns_plus(sum->span_ns, l->span_ns);
    sum->compute_ns = clg_ns_plus(sum->compute_ns, l->compute_ns);
    sum->exposed_communication_ns =
        clg_ns_plus(sum->exposed_communication_ns, l->exposed_communication_ns);
    sum->exposed_copy_ns = clg_ns_plus(sum->exposed_copy_ns, l->exposed_copy_ns);
    sum->idle_ns = clg_ns_plus(sum->idle_ns, l->idle_ns);
}

enum { STEP, SPAN, COMPUTE, PARTS = 6 };
static const char *const part_names[PARTS] = {"step",     "span",   "compute",
                                              "exp.comm", "copies", "idle"};

/* The n-th step on the mean of the ranks that have one. */
typedef struct mean_step {
    double part_s[PARTS];
    int64_t unlaunched;
    long long number;
} mean_step;

static mean_step mean_of(const clg_recorded_job *job, size_t at) {
    clg_ledger sum = {0};
    int64_t step_ns = 0;
    int ranks = 0;
    const clg_trace *first = &job->traces[0];
    mean_step m = {.number = (long long)at};
    if (at < first->step_count) m.number = (long long)first->step[at].number;
    for (int i = 0; i < job->count; i++) {
        if (at >= job->traces[i].step_count) continue;
        const clg_trace_step *s = &job->traces[i].step[at];
        add_ledger(&sum, &s->ledger);
        step_ns = clg_ns_plus(step_ns, s->duration_ns);
        m.unlaunched += s->unlaunched;
        ranks++;
    }
    const int64_t parts[PARTS] = {
        step_ns,    sum.span_ns, sum.compute_ns, sum.exposed_communication_ns, sum.exposed_copy_ns,
        sum.idle_ns};
    for (int i = 0; i < PARTS; i++) m.part_s[i] = (double)parts[i] * 1e-9 / (ranks ? ranks : 1);
    return m;
}

static void print_step(clg_text *t, const mean_step *m) {
    clg_text_print(t, "  %-6lld", m->number);
    for (int i = 0; i < PARTS; i++) clg_words_seconds_column(t, m->part_s[i]);
    if (m->unlaunched) clg_text_print(t, "  %lld events by their time", (long long)m->unlaunched);
    clg_text_print(t, "\n");
}

/* What the slowest step has more of than the median one, where that is over a fiftieth. */
static void print_slowest(clg_text *t, const mean_step *steps, size_t count) {
    double median_s[PARTS], *values = clg_take(t->arena, count, double);
    const mean_step *slowest = &steps[0];
    for (int p = 0; p < PARTS; p++) {
        for (size_t i = 0; i < count; i++) values[i] = steps[i].part_s[p];
        clg_sort(values, count);
        median_s[p] = clg_quantile(values, (int)count, 0.5);
    }
    for (size_t i = 1; i < count; i++)
        if (steps[i].part_s[STEP] > slowest->part_s[STEP]) slowest = &steps[i];
    double more_s = slowest->part_s[STEP] - median_s[STEP];
    if (count < 3 || more_s * 50 < median_s[STEP]) return;
    size_t from = t->size;
    clg_text_print(t, "  step %lld took %s longer than the median:", slowest->number,
                   clg_words_seconds(t, more_s));
    const char *before = " on the GPU";
    for (int p = COMPUTE; p < PARTS; p++) {
        double change_s = slowest->part_s[p] - median_s[p];
        if (fabs(change_s) * 20 < more_s) continue;
        clg_text_print(t, "%s %s %s%s", before, part_names[p], change_s > 0 ? "+" : "-",
                       clg_words_seconds(t, fabs(change_s)));
        before = ",";
    }
    clg_text_print(t, "%s\n", *before == ',' ? "" : " the GPU as in others, the host took longer");
    clg_text_fold(t, from, 4);
}

void clg_report_steps(clg_text *t, const clg_recorded_job *job, int top) {
    size_t most = 0;
    for (int i = 0; i < job->count; i++)
        if (job->traces[i].event_step && job->traces[i].step_count > most)
            most = job->traces[i].step_count;
    if (most < 2) return;
    clg_text_print(t,
                   "\n  step          step   GPU span    compute   exp.comm     copies       idle"
                   "%s\n",
                   job->count > 1 ? "  mean of the ranks" : "");
    mean_step *steps = clg_take(t->arena, most, mean_step);
    for (size_t i = 0; i < most; i++) steps[i] = mean_of(job, i);
    for (size_t i = 0; i < most && i < (size_t)top; i++) print_step(t, &steps[i]);
    if (most > (size_t)top)
        clg_text_print(t, "  ... and %zu more steps: --csv has all\n", most - (size_t)top);
    print_slowest(t, steps, most);
}

/* ---- what if ---- */

static void print_change(clg_text *t, const clg_what_if *w, clg_change change, const char *words) {
    if (w->ns[change] < 0 || w->ns[CLG_CHANGE_NOTHING] <= 0) return;
    double now = (double)w->ns[CLG_CHANGE_NOTHING];
    const int64_t then[] = {w->host_ns[change], w->ns[change]};
    clg_text_print(t, "  ");
    clg_text_pad(t, words, 56, false);
    for (int i = 0; i < 2; i++) {
        bool known = then[i] > 0;
        clg_text_pad(t, known ? clg_words_seconds(t, (double)then[i] * 1e-9) : "?", 9, true);
        clg_text_pad(t, known ? clg_arena_print(t->arena, "%.2f x", now / (double)then[i]) : "", 8,
                     true);
    }
    clg_text_print(t, "\n");
}

void clg_report_what_if(clg_text *t, const clg_trace_answer *a) {
    const clg_what_if *w = &a->what_if;
    if (w->unknown || a->job->count == 0) return;
    bool any = false;
    for (int i = 0; i < a->job->count; i++) any |= a->job->traces[i].call_count > 0;
    if (!any) return;
    clg_text_print(t, "\n  ");
    clg_text_pad(t,
                 clg_arena_print(t->arena, "what if (replayed %s, recorded %s)",
                                 clg_words_seconds(t, (double)w->ns[CLG_CHANGE_NOTHING] * 1e-9),
                                 clg_words_seconds(t, (double)w->observed_ns * 1e-9)),
                 56, false);
    clg_text_print(t, "hosts as recorded      hosts ahead\n");
    print_change(t, w, CLG_CHANGE_MEDIAN, "no straggler: collectives start at the median arrival");
    if (w->rank >= 0)
        print_change(
            t, w, CLG_CHANGE_ONE,
            clg_arena_print(t->arena, "rank %d is never late", a->job->traces[w->rank].rank));
    print_change(t, w, CLG_CHANGE_FREE,
                 w->ns[CLG_CHANGE_MEDIAN] >= 0
                     ? "communication is free, ranks still wait for each other"
                     : "communication is free");
    print_change(t, w, CLG_CHANGE_OVERLAP, "communication overlaps perfectly");
}

static void add_changes(clg_json_writer *w, const char *const *keys, const int64_t *ns) {
    for (int i = 0; i < CLG_CHANGES; i++)
        if (ns[i] >= 0)
            clg_json_add_nanoseconds(w, keys[i], ns[i]);
        else
            clg_json_add_null(w, keys[i]);
}

void clg_json_what_if(clg_json_writer *w, const clg_trace_answer *a) {
    const clg_what_if *what = &a->what_if;
    if (what->unknown) {
        clg_json_add_null(w, "what_if");
        return;
    }
    static const char *const keys[CLG_CHANGES] = {"replayed_s", "without_straggler_s",
                                                  "worst_rank_on_time_s", "free_communication_s",
                                                  "perfect_overlap_s"};
    clg_json_open(w, "what_if", '{');
    clg_json_add_nanoseconds(w, "recorded_s", what->observed_ns);
    add_changes(w, keys, what->ns);
    clg_json_open(w, "hosts_as_recorded", '{');
    add_changes(w, keys, what->host_ns);
    clg_json_close(w, '}');
    if (what->rank >= 0)
        clg_json_add_integer(w, "worst_rank", a->job->traces[what->rank].rank);
    else
        clg_json_add_null(w, "worst_rank");
    clg_json_close(w, '}');
}

/* ---- against a plan ---- */

void clg_report_change(clg_text *t, const char *name, double before_s, double after_s) {
    clg_text_print(t, "  ");
    clg_text_pad(t, name, 32, false);
    clg_words_seconds_column(t, before_s);
    clg_words_seconds_column(t, after_s);
    clg_words_seconds_column(t, after_s - before_s);
}

static void print_mfu(clg_text *t, const clg_plan_comparison *c) {
    if (c->measured_mfu > 1)
        clg_text_print(t,
                       "  this is not that job: its steps would take %.1f times the peak by the "
                       "plan's FLOPs\n",
                       c->measured_mfu);
    else if (c->measured_mfu >= 0)
        clg_text_print(t, "  MFU %.1f %%, planned %.1f %% (the plan's model FLOPs)\n",
                       100 * c->measured_mfu, 100 * c->plan.mfu);
}

void clg_report_plan(clg_text *t, const clg_plan_comparison *c) {
    const clg_trace_plan *p = &c->plan;
    const clg_trace_means *m = &c->means;
    clg_text_print(t, "\nagainst the plan %.60s%s%s%s%s\n", p->file, p->model ? ": " : "",
                   p->model ? p->model : "", p->gpu ? " on " : "", p->gpu ? p->gpu : "");
    clg_text_print(t, "  term                                plan   measured       lost\n");
    for (int i = 0; i < c->terms; i++) {
        clg_report_change(t, c->term[i].name, c->term[i].predicted_s, c->term[i].measured_s);
        clg_text_print(t, "%s\n", i == c->worst ? "  <- loses most" : "");
    }
    clg_report_change(t, "step", p->step_s, m->step_s);
    if (c->log) {
        clg_text_print(t, "\n  measured: median of %d reports of %s; a log tells no terms\n",
                       c->log->steps - c->log->discarded, c->log->trainer);
        print_mfu(t, c);
        return;
    }
    clg_text_print(t, "\n  measured: mean of %lld steps of %d ranks%s\n", (long long)m->steps,
                   m->ranks,
                   m->kind == CLG_SPANS_STEPS     ? ""
                   : m->kind == CLG_SPANS_PATTERN ? ", by their repeating kernels"
                                                  : "; no steps are in it, a recording is one");
    if (!m->waiting_known)
        clg_text_print(t, "  communication includes waiting for ranks that were not recorded\n");
    print_mfu(t, c);
}

void clg_json_plan_terms(clg_json_writer *w, const clg_plan_comparison *c) {
    if (!c) {
        clg_json_add_null(w, "plan");
        return;
    }
    clg_json_open(w, "plan", '{');
    clg_json_add_string(w, "file", c->plan.file);
    clg_json_add_number(w, "predicted_step_s", c->plan.step_s);
    clg_json_add_number(w, "measured_step_s", c->means.step_s);
    clg_json_add_bool(w, "by_profiler_step", c->means.kind == CLG_SPANS_STEPS);
    clg_json_add_string(w, "steps_by", clg_name_of(clg_span_kind_names, (int)c->means.kind));
    clg_json_add_bool(w, "waiting_known", c->means.waiting_known);
    clg_json_open(w, "terms", '[');
    for (int i = 0; i < c->terms; i++) {
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "term", c->term[i].name);
        clg_json_add_number(w, "predicted_s", c->term[i].predicted_s);
        clg_json_add_number(w, "measured_s", c->term[i].measured_s);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
    clg_json_add_string(w, "loses_most", c->worst >= 0 ? c->term[c->worst].name : NULL);
    if (c->measured_mfu >= 0)
        clg_json_add_number(w, "measured_mfu", c->measured_mfu);
    else
        clg_json_add_null(w, "measured_mfu");
    clg_json_close(w, '}');
}
