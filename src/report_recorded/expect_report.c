/* expect_report.c -- an acceptance sheet: rates expected, reject lines, what was measured. */
#include "report_recorded/expect_report.h"

#include "report/number_words.h"

/* What a rate counts: bus bytes, flop or bytes; steps. */
static double rate(const clg_expected *e, double seconds) {
    const clg_sample *s = &e->what;
    if (s->kind == CLG_SAMPLE_GEMM) return 2 * s->m * s->n * s->k / seconds;
    if (s->kind == CLG_SAMPLE_COPY) return s->bytes / seconds;
    if (s->kind == CLG_SAMPLE_STEP) return 1 / seconds;
    return clg_bus_bytes_per_s(s->collective, s->ranks, s->bytes, seconds);
}

static const char *rate_words(clg_text *t, const clg_expected *e, double seconds) {
    if (e->what.kind == CLG_SAMPLE_STEP) return clg_words_quantity(t, seconds, CLG_SECONDS);
    clg_dimension unit = e->what.kind == CLG_SAMPLE_GEMM ? CLG_FLOP_PER_S : CLG_BYTES_PER_S;
    return clg_words_quantity(t, rate(e, seconds), unit);
}

static const char *name(const clg_expected *e) {
    if (e->what.kind == CLG_SAMPLE_GEMM) return "product";
    if (e->what.kind == CLG_SAMPLE_COPY) return "copy";
    if (e->what.kind == CLG_SAMPLE_STEP) return "step";
    return clg_name_of(clg_collective_names, (int)e->what.collective);
}

static const char *size(clg_text *t, const clg_expected *e) {
    const clg_sample *s = &e->what;
    if (s->kind == CLG_SAMPLE_GEMM)
        return clg_arena_print(t->arena, "%s %.0f x %.0f x %.0f",
                               clg_name_of(clg_precision_names, (int)s->precision), s->m, s->n,
                               s->k);
    if (s->kind == CLG_SAMPLE_STEP) return "its operations alone";
    return clg_words_quantity(t, s->bytes, CLG_BYTES);
}

static void line(clg_text *t, const clg_expected *e) {
    clg_text_print(t, "%-15s %6d %6d %-24s %11s %11s", name(e), e->what.ranks, e->nodes, size(t, e),
                   rate_words(t, e, e->seconds), rate_words(t, e, e->reject_s));
    if (e->measured)
        clg_text_print(t, " %11s%s", rate_words(t, e, e->what.seconds),
                       e->what.hot   ? "  REJECT heat"
                       : e->rejected ? "  REJECT"
                                     : "");
    clg_text_print(t, "\n");
}

static void suspects(clg_text *t, const clg_suspects *s) {
    if (s->count == 0) return;
    clg_text_print(t, "nodes    --exclude=");
    for (int i = 0; i < s->count; i++) clg_text_print(t, "%s%s", i > 0 ? "," : "", s->host[i]);
    clg_text_print(t, "\n         in rejected readings, and in no good one of the same size\n");
}

/* The most that any reading says, beside what the board may draw. */
static void power(clg_text *t, const clg_acceptance *a) {
    double most = 0;
    for (int i = 0; i < a->count; i++)
        if (a->row[i].measured && a->row[i].what.watts > most) most = a->row[i].what.watts;
    if (most > 0)
        clg_text_print(t, "power    %s at most in these readings, of %s\n",
                       clg_words_quantity(t, most, CLG_WATTS),
                       clg_words_quantity(t, a->machine->gpu.tdp_w, CLG_WATTS));
}

/* Without readings: what to hold them against. */
static void legend(clg_text *t, const clg_acceptance *a) {
    if (a->rejected == 0 && !a->row[0].measured)
        clg_text_print(t,
                       "\nCollectives by bus bandwidth, as nccl-tests prints it. Reject below P10: "
                       "nine in ten clusters of\nthis machine are above. Read back: ceiling "
                       "expect LOG...; a step: the P90 of ceiling explain.\n");
}

void clg_report_acceptance(clg_text *t, const clg_acceptance *a) {
    const clg_machine *m = a->machine;
    clg_text_print(t, "machine  %s, %d per node, %s\n", clg_words_gpu(t, &m->gpu), m->node.gpus,
                   m->fabric.title);
    clg_text_print(t, "power    at most %s a GPU, %s idle\n\n",
                   clg_words_quantity(t, m->gpu.tdp_w, CLG_WATTS),
                   clg_words_quantity(t, m->gpu.idle_w, CLG_WATTS));
    clg_text_print(t, "%-15s %6s %6s %-24s %11s %11s%s\n", "", "GPUs", "nodes", "size", "expected",
                   "reject", a->count > 0 && a->row[0].measured ? "    measured" : "");
    for (int i = 0; i < a->count; i++) line(t, &a->row[i]);
    if (a->count > 0 && a->row[0].measured)
        clg_text_print(t, "\n%d of %d readings rejected\n", a->rejected, a->count);
    power(t, a);
    suspects(t, &a->suspects);
    for (int i = 0; i < a->reasons; i++)
        clg_text_print(t, "left out %d: %s\n", a->left_out[i].count, a->left_out[i].why);
    if (a->count > 0) legend(t, a);
}

void clg_report_acceptance_rows(clg_text *t, const clg_acceptance *a) {
    clg_text_print(t, "what,gpus,nodes,bytes,dtype,m,n,k,expected_s,reject_s,expected_rate,"
                      "reject_rate,measured_s,verdict\n");
    for (int i = 0; i < a->count; i++) {
        const clg_expected *e = &a->row[i];
        const clg_sample *s = &e->what;
        bool product = s->kind == CLG_SAMPLE_GEMM;
        clg_text_print(
            t, "%s,%d,%d,%.17g,%s,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,", name(e), s->ranks, e->nodes,
            s->bytes, product ? clg_name_of(clg_precision_names, (int)s->precision) : "", s->m,
            s->n, s->k, e->seconds, e->reject_s, rate(e, e->seconds), rate(e, e->reject_s));
        if (e->measured)
            clg_text_print(t, "%.9g,%s\n", s->seconds, e->rejected ? "reject" : "accept");
        else
            clg_text_print(t, ",\n");
    }
}

static void add_row(clg_json_writer *w, const clg_expected *e) {
    const clg_sample *s = &e->what;
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "what", name(e));
    clg_json_add_integer(w, "gpus", s->ranks);
    clg_json_add_integer(w, "nodes", e->nodes);
    if (s->kind == CLG_SAMPLE_GEMM) {
        clg_json_add_string(w, "dtype", clg_name_of(clg_precision_names, (int)s->precision));
        clg_json_add_number(w, "m", s->m);
        clg_json_add_number(w, "n", s->n);
        clg_json_add_number(w, "k", s->k);
    } else
        clg_json_add_number(w, "bytes", s->bytes);
    clg_json_add_number(w, "expected_s", e->seconds);
    clg_json_add_number(w, "reject_s", e->reject_s);
    clg_json_add_number(w, "expected_rate", rate(e, e->seconds));
    clg_json_add_number(w, "reject_rate", rate(e, e->reject_s));
    if (e->measured) {
        clg_json_add_number(w, "measured_s", s->seconds);
        clg_json_add_bool(w, "rejected", e->rejected);
        clg_json_add_bool(w, "hot", s->hot);
        if (s->watts > 0) clg_json_add_number(w, "watts", s->watts);
    }
    clg_json_close(w, '}');
}

void clg_json_acceptance(clg_json_writer *w, const clg_acceptance *a) {
    clg_json_open_answer(w, NULL, "expect");
    clg_json_add_string(w, "gpu", a->machine->gpu.name);
    clg_json_add_integer(w, "gpus", a->gpus);
    clg_json_add_number(w, "gpu_w", a->machine->gpu.tdp_w);
    clg_json_open(w, "rows", '[');
    for (int i = 0; i < a->count; i++) add_row(w, &a->row[i]);
    clg_json_close(w, ']');
    clg_json_add_integer(w, "rejected", a->rejected);
    clg_json_add_integer(w, "wrong_results", a->wrong);
    clg_json_open(w, "suspects", '[');
    for (int i = 0; i < a->suspects.count; i++) clg_json_add_string(w, NULL, a->suspects.host[i]);
    clg_json_close(w, ']');
    clg_json_close(w, '}');
}
