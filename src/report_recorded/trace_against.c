/* trace_against.c -- two recorded runs beside each other. */
#include "report_recorded/trace_report.h"

#include "report/number_words.h"

#include <math.h>

typedef struct part {
    const char *name, *key;
    double before_s, after_s;
} part;

enum { PARTS = 6, NAME = 62 };

static double transfer(const clg_trace_means *m) {
    double sum_s = 0;
    for (int i = 0; i < CLG_SPLITS; i++) sum_s += m->transfer_s[i];
    return sum_s;
}

static void parts_of(const clg_against *a, part *parts) {
    const clg_trace_means *b = &a->before, *n = &a->after;
    parts[0] = (part){"compute", "compute_s", b->compute_s, n->compute_s};
    parts[1] = (part){"exposed transfer", "exposed_transfer_s", transfer(b), transfer(n)};
    parts[2] = (part){"exposed waiting", "exposed_waiting_s", b->waiting_s, n->waiting_s};
    parts[3] = (part){"exposed copies", "exposed_copy_s", b->copy_s, n->copy_s};
    parts[4] = (part){"idle", "idle_s", b->idle_s, n->idle_s};
    parts[5] = (part){"step", "step_s", b->step_s, n->step_s};
}

/* ---- text ---- */

static const char *calls_of(clg_text *t, double calls) {
    bool whole = calls == floor(calls);
    return clg_arena_print(t->arena, whole ? "%.0f" : "%.2f", calls);
}

static void print_kernel(clg_text *t, const clg_kernel_change *k) {
    const clg_kernel_side *b = &k->before, *n = &k->after;
    clg_words_seconds_column(t, k->delta_s);
    clg_text_pad(t, calls_of(t, b->calls), 9, true);
    clg_text_pad(t, calls_of(t, n->calls), 8, true);
    clg_text_pad(t, b->calls > 0 ? clg_words_seconds(t, b->s_per_call) : "-", 11, true);
    clg_text_pad(t, n->calls > 0 ? clg_words_seconds(t, n->s_per_call) : "-", 10, true);
    clg_text_print(t, "  %.44s\n", k->name);
}

static void print_kernels(clg_text *t, const clg_against *a, int top) {
    clg_text_print(t, "\n  GPU work that changed most, a rank and step\n"
                      "     change   calls      now   per call       now\n");
    for (int i = 0; i < a->kernels && i < top; i++)
        if (a->kernel[i].delta_s != 0 || a->kernel[i].before.calls != a->kernel[i].after.calls)
            print_kernel(t, &a->kernel[i]);
    if (a->recounted > 0)
        clg_text_print(t,
                       "  %d of %d kernels are called more or less often than before: %s of the "
                       "change%s\n",
                       a->recounted, a->kernels, clg_words_seconds(t, a->more_s),
                       a->rule.kind == CLG_SPANS_WHOLE
                           ? ";\n  the recordings may hold different numbers of steps"
                           : "");
}

/* "slower by 8.77 %", "as fast" */
static const char *change_of(clg_text *t, double share) {
    if (fabs(share) < 0.5e-4) return "as fast";
    return clg_arena_print(t->arena, "%s by %.2f %%", share < 0 ? "faster" : "slower",
                           100 * fabs(share));
}

static void print_verdict(clg_text *t, const clg_against *a) {
    const clg_trace_means *b = &a->before, *n = &a->after;
    if (b->steps == 0 || n->steps == 0) {
        clg_text_print(t, "  no GPU work in %s\n", b->steps == 0 ? "the other run" : "this run");
        return;
    }
    double change_s = n->step_s - b->step_s;
    clg_text_print(t, "  %s (medians: %s)", change_of(t, n->step_s / b->step_s - 1),
                   change_of(t, b->median_s > 0 ? n->median_s / b->median_s - 1 : 0));
    if (a->noise_s < 0)
        clg_text_print(t, "; one step in a run, so that noise is not known\n");
    else
        clg_text_print(t, "; noise of the steps %.2f %%%s\n", 100 * a->noise_s / b->step_s,
                       fabs(change_s) <= a->noise_s ? ": no more than noise" : "");
    if (a->fail_above >= 0)
        clg_text_print(t, "  %s: %s, allowed are %.2f %%\n",
                       clg_against_fails(a) ? "FAILED" : "passed", change_of(t, a->slower),
                       100 * a->fail_above);
}

void clg_report_against(clg_text *t, const clg_against *a, int top) {
    part parts[PARTS];
    parts_of(a, parts);
    clg_text_print(t,
                   "\nagainst the other run, a rank and step on average: %lld step%s of %d "
                   "rank%s, here %lld of %d\n",
                   (long long)a->before.samples, a->before.samples == 1 ? "" : "s", a->before.ranks,
                   a->before.ranks == 1 ? "" : "s", (long long)a->after.samples, a->after.ranks);
    if (a->rule.kind == CLG_SPANS_PATTERN)
        clg_text_print(t, "  no steps are annotated; a step lasts from call to call of\n  %.*s\n",
                       NAME + 30, a->rule.kernel);
    if (a->rule.kind == CLG_SPANS_WHOLE)
        clg_text_print(t, "  no steps are annotated and no kernels repeat: recordings as wholes\n");
    clg_text_print(t, "  term                                other       this     change\n");
    for (int i = 0; i < PARTS; i++) {
        clg_report_change(t, parts[i].name, parts[i].before_s, parts[i].after_s);
        clg_text_print(t, "\n");
    }
    print_verdict(t, a);
    if (a->before.trailing_s > 0 || a->after.trailing_s > 0)
        clg_text_print(t, "  beside it: GPU work outlasts its step on the host by %s, here %s\n",
                       clg_words_seconds(t, a->before.trailing_s),
                       clg_words_seconds(t, a->after.trailing_s));
    if (!a->before.waiting_known || !a->after.waiting_known)
        clg_text_print(t, "  waiting is not told from transfer in %s\n",
                       a->before.waiting_known  ? "this run"
                       : a->after.waiting_known ? "the other run"
                                                : "either run");
    print_kernels(t, a, top);
}

/* ---- JSON ---- */

static void add_side(clg_json_writer *w, const char *key, const clg_trace_means *m) {
    clg_json_open(w, key, '{');
    clg_json_add_integer(w, "ranks", m->ranks);
    clg_json_add_integer(w, "steps", m->samples);
    clg_json_add_number(w, "step_s", m->step_s);
    clg_json_add_number(w, "median_step_s", m->median_s);
    if (m->samples > 1)
        clg_json_add_number(w, "deviation_s", m->deviation_s);
    else
        clg_json_add_null(w, "deviation_s");
    clg_json_add_number(w, "trailing_s", m->trailing_s);
    clg_json_add_bool(w, "waiting_known", m->waiting_known);
    clg_json_close(w, '}');
}

static void add_spans(clg_json_writer *w, const clg_against *a) {
    part parts[PARTS];
    parts_of(a, parts);
    clg_json_open(w, "spans", '{');
    clg_json_add_string(w, "aligned_by", clg_name_of(clg_span_kind_names, (int)a->rule.kind));
    clg_json_add_string(w, "kernel", a->rule.kernel);
    add_side(w, "before", &a->before);
    add_side(w, "after", &a->after);
    for (int i = 0; i < PARTS; i++) {
        clg_json_open(w, parts[i].key, '{');
        clg_json_add_number(w, "before", parts[i].before_s);
        clg_json_add_number(w, "after", parts[i].after_s);
        clg_json_add_number(w, "delta", parts[i].after_s - parts[i].before_s);
        clg_json_close(w, '}');
    }
    clg_json_close(w, '}');
}

static void add_kernel(clg_json_writer *w, const clg_kernel_change *k) {
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "name", k->name);
    clg_json_add_number(w, "calls", k->after.calls);
    clg_json_add_number(w, "calls_before", k->before.calls);
    clg_json_add_number(w, "s_per_call", k->after.s_per_call);
    clg_json_add_number(w, "s_per_call_before", k->before.s_per_call);
    clg_json_add_number(w, "delta_s", k->delta_s);
    clg_json_close(w, '}');
}

void clg_json_against(clg_json_writer *w, const clg_against *a) {
    add_spans(w, a);
    clg_json_open(w, "kernels", '[');
    for (int i = 0; i < a->kernels; i++) add_kernel(w, &a->kernel[i]);
    clg_json_close(w, ']');
    clg_json_add_integer(w, "kernels_recounted", a->recounted);
    clg_json_add_number(w, "recounted_s", a->more_s);
    if (a->noise_s >= 0)
        clg_json_add_number(w, "noise_s", a->noise_s);
    else
        clg_json_add_null(w, "noise_s");
    clg_json_add_number(w, "slower", a->slower);
    if (a->fail_above >= 0) {
        clg_json_add_number(w, "fail_above", a->fail_above);
        clg_json_add_bool(w, "failed", clg_against_fails(a));
    }
}
