/* mixed_report.c -- what two kinds of GPU bring together, and what each would alone. */
#include "report_plan/mixed_report.h"

#include "report/number_words.h"
#include "report_plan/plan_json.h"

#include <math.h>

static int64_t batch_of(const clg_half *h) { return h->plan.layout.global_batch; }

static void print_half(clg_text *t, const clg_half *h) {
    const clg_evaluation *e = &h->plan;
    clg_text_print(t, "%7lld ", (long long)h->space.gpus);
    clg_text_pad(t, h->scenario->machine.gpu.name, 18, false);
    clg_text_pad(t, clg_words_layout(t, &e->layout), 27, false);
    clg_text_print(t, " %5lld ", (long long)batch_of(h));
    clg_text_pad(t, clg_words_quantity(t, e->step_s, CLG_SECONDS), 9, true);
    clg_text_pad(t, clg_words_quantity(t, h->waits_s, CLG_SECONDS), 9, true);
    clg_text_print(t, "%7.1f", e->memory.total_bytes / 1e9);
    clg_text_pad(t, clg_words_chance_out(t, e), 5, true);
    clg_text_print(t, "%6.1f\n", 100 * e->mfu);
}

static void print_together(clg_text *t, const clg_mixed *m) {
    double parameters = (double)m->half[0].scenario->model.parameters;
    size_t from = t->size;
    clg_text_print(t, "together %s a step (P10 %s - P90 %s), %s tokens/s",
                   clg_words_quantity(t, m->step_s, CLG_SECONDS),
                   clg_words_quantity(t, m->step_p10_s, CLG_SECONDS),
                   clg_words_quantity(t, m->step_p90_s, CLG_SECONDS),
                   clg_words_quantity(t, m->tokens_per_s, CLG_COUNT));
    if (m->usd_per_h > 0)
        clg_text_print(t, ", $%.3g per million tokens", m->usd_per_million_tokens);
    clg_text_print(t, "\nexchange %s each way at %s: %s of it, waited for\n",
                   clg_words_quantity(t, parameters * m->link.exchange_bytes, CLG_BYTES),
                   clg_words_quantity(t, m->link.bytes_per_s, CLG_BYTES_PER_S),
                   clg_words_quantity(t, m->exchange_s, CLG_SECONDS));
    clg_text_fold(t, from, 9);
}

static void print_alone(clg_text *t, const clg_mixed *m, int i) {
    const clg_half *h = &m->half[i];
    clg_text_print(t, "%s%lld x %s: ", i == 0 ? "alone    " : "         ", (long long)h->space.gpus,
                   h->scenario->machine.gpu.name);
    if (!h->alone_runs) {
        clg_text_print(t, "nothing fits\n");
        return;
    }
    clg_text_print(t, "%s, %s tokens/s", clg_words_quantity(t, h->alone.step_s, CLG_SECONDS),
                   clg_words_quantity(t, h->alone.tokens_per_s, CLG_COUNT));
    if (h->alone.usd_per_million_tokens > 0)
        clg_text_print(t, ", $%.3g per million", h->alone.usd_per_million_tokens);
    if (m->runs)
        clg_text_print(t, "; together %.2f times as fast", m->tokens_per_s / h->alone.tokens_per_s);
    clg_text_print(t, "\n");
}

void clg_report_mixed(clg_text *t, const clg_mixed *m) {
    if (m->runs) {
        clg_text_print(t, "\n   GPUs kind              layout                      batch     step"
                          "    waits     GB  out   MFU\n"
                          "                                                         seqs"
                          "                          %%     %%\n");
        for (int i = 0; i < CLG_HALVES; i++) print_half(t, &m->half[i]);
        clg_text_print(t, "\n");
        print_together(t, m);
    } else {
        clg_text_print(t, "\ntogether no share of the batch runs on both\n");
    }
    for (int i = 0; i < CLG_HALVES; i++) print_alone(t, m, i);
    if (m->half[0].alone_runs && m->half[1].alone_runs)
        clg_text_print(t, "apart    two jobs, one on each: %s tokens/s\n",
                       clg_words_quantity(t, m->apart_tokens_per_s, CLG_COUNT));
    if (m->runs && m->half[0].alone_runs && m->half[1].alone_runs)
        clg_text_print(t, "         one on both has %.1f %% of that\n",
                       100 * m->tokens_per_s / m->apart_tokens_per_s);
    clg_text_print(t,
                   "\nThe batch is shared in %lld parts. Not modelled: stages of one pipeline, or "
                   "shards, on both kinds.\n",
                   (long long)m->parts);
}

static double known(bool is, double value) { return is ? value : (double)NAN; }

static void add_half(clg_json_writer *w, const clg_mixed *m, int i) {
    const clg_half *h = &m->half[i];
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "gpu", h->scenario->machine.gpu.name);
    clg_json_add_integer(w, "gpus", h->space.gpus);
    if (m->runs) {
        clg_json_add_integer(w, "global_batch", batch_of(h));
        clg_json_add_number(w, "waits_s", h->waits_s);
        clg_json_explain(w, "plan", h->scenario, &h->plan);
    }
    clg_json_add_number(w, "alone_step_s", known(h->alone_runs, h->alone.step_s));
    clg_json_add_number(w, "alone_tokens_per_s", known(h->alone_runs, h->alone.tokens_per_s));
    clg_json_close(w, '}');
}

void clg_json_mixed(clg_json_writer *w, const clg_mixed *m) {
    clg_json_open_answer(w, NULL, "mixed");
    clg_json_open(w, "halves", '[');
    for (int i = 0; i < CLG_HALVES; i++) add_half(w, m, i);
    clg_json_close(w, ']');
    clg_json_add_number(w, "between_bytes_per_s", m->link.bytes_per_s);
    clg_json_add_number(w, "exchange_s", known(m->runs, m->exchange_s));
    clg_json_add_number(w, "step_s", known(m->runs, m->step_s));
    clg_json_add_number(w, "step_p10_s", known(m->runs, m->step_p10_s));
    clg_json_add_number(w, "step_p90_s", known(m->runs, m->step_p90_s));
    clg_json_add_number(w, "tokens_per_s", known(m->runs, m->tokens_per_s));
    clg_json_add_number(w, "cluster_w", known(m->runs, m->cluster_w));
    clg_json_add_number(w, "usd_per_million_tokens",
                        known(m->usd_per_h > 0, m->usd_per_million_tokens));
    clg_json_close(w, '}');
}

void clg_report_mixed_rows(clg_text *t, const clg_mixed *m) {
    clg_text_print(t, "gpu,gpus,global_batch,step_s,waits_s,alone_tokens_per_s,together_step_s,"
                      "together_tokens_per_s\n");
    for (int i = 0; i < CLG_HALVES && m->runs; i++) {
        const clg_half *h = &m->half[i];
        clg_text_print(t, "%s,%lld,%lld,%.9g,%.6g,", h->scenario->machine.gpu.name,
                       (long long)h->space.gpus, (long long)batch_of(h), h->plan.step_s,
                       h->waits_s);
        if (h->alone_runs) clg_text_print(t, "%.9g", h->alone.tokens_per_s);
        clg_text_print(t, ",%.9g,%.9g\n", m->step_s, m->tokens_per_s);
    }
}
