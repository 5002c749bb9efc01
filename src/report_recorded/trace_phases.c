/* trace_phases.c -- GPU time by the ranges that the program named. */
#include "report_recorded/trace_report.h"

#include "report/number_words.h"

enum { NAME = 34, MOST_ROWS = 24, LEAST_PERCENT = 1 };

static double percent(const clg_trace *t, const clg_phase *p) {
    double whole_ns = (double)p->compute_ns + (double)p->exposed_communication_ns +
                      (double)p->exposed_copy_ns + (double)p->idle_ns;
    return t->ledger.span_ns > 0 ? 100 * whole_ns / (double)t->ledger.span_ns : 0;
}

/* All that the one around it has, and so no news. */
static bool repeats(const clg_trace *t, const clg_phase *p) {
    const clg_phase *outer = p->parent >= 0 ? &t->phase[p->parent] : NULL;
    return outer && p->compute_ns == outer->compute_ns && p->idle_ns == outer->idle_ns &&
           p->exposed_communication_ns == outer->exposed_communication_ns &&
           p->exposed_copy_ns == outer->exposed_copy_ns;
}

static int depth_of(const clg_trace *t, const clg_phase *p) {
    int depth = 0;
    for (; p->parent >= 0; p = &t->phase[p->parent]) depth += !repeats(t, p);
    return depth;
}

static void print_time(clg_text *t, int64_t ns) {
    clg_text_pad(t, ns > 0 ? clg_words_ns(t, ns) : "-", 10, true);
}

static void print_phase(clg_text *t, const clg_trace *trace, const clg_phase *p) {
    int depth = depth_of(trace, p), room = NAME - 2 * depth;
    clg_text_print(t, "  %*s", 2 * depth, "");
    clg_text_pad(t, clg_arena_print(t->arena, "%.*s", room, p->name), room, false);
    clg_text_print(t, " %6lld", (long long)p->calls);
    print_time(t, p->host_ns);
    clg_text_print(t, " %5.1f%%", percent(trace, p));
    print_time(t, p->compute_ns);
    print_time(t, p->exposed_communication_ns);
    print_time(t, p->exposed_copy_ns);
    print_time(t, p->idle_ns);
    clg_text_print(t, "\n");
}

static void print_heading(clg_text *t, const clg_trace *trace) {
    const char *of =
        trace->rank < 0
            ? "phase, by its launches"
            : clg_arena_print(t->arena, "phase of rank %d, by its launches", trace->rank);
    clg_text_print(t, "\n  ");
    clg_text_pad(t, of, NAME, false);
    clg_text_print(t, "  calls      host   span   compute  exp.comm    copies      idle\n");
}

void clg_report_phases(clg_text *t, const clg_trace *trace) {
    int rows = 0, left = 0;
    for (size_t i = 0; i < trace->phase_count; i++) {
        const clg_phase *p = &trace->phase[i];
        if (percent(trace, p) < LEAST_PERCENT || repeats(trace, p)) continue;
        if (rows == 0) print_heading(t, trace);
        if (rows++ < MOST_ROWS)
            print_phase(t, trace, p);
        else
            left++;
    }
    if (left) clg_text_print(t, "  ... and %d more: --json has all\n", left);
}

void clg_json_phases(clg_json_writer *w, const clg_trace *t) {
    clg_json_open(w, "phases", '[');
    for (size_t i = 0; i < t->phase_count; i++) {
        const clg_phase *p = &t->phase[i];
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "name", p->name);
        clg_json_add_whole(w, "within", p->parent);
        clg_json_add_integer(w, "calls", p->calls);
        clg_json_add_nanoseconds(w, "host_s", p->host_ns);
        clg_json_add_nanoseconds(w, "compute_s", p->compute_ns);
        clg_json_add_nanoseconds(w, "exposed_communication_s", p->exposed_communication_ns);
        clg_json_add_nanoseconds(w, "exposed_copy_s", p->exposed_copy_ns);
        clg_json_add_nanoseconds(w, "idle_s", p->idle_ns);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}
