/* demand_scaling.c -- a fleet that stays, one that is scaled seeing ahead, and one that follows. */
#include "report_serving/demand_parts.h"

#include "report/number_words.h"

const clg_scaled_fleet *clg_scaled_in_time(const clg_serve_question *s, const clg_serve_answer *a) {
    for (int i = 0; i < a->scaled_count; i++)
        if (a->scaled[i].well_served >= s->target.share) return &a->scaled[i];
    return NULL;
}

static void print_row(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a,
                      const char *name, double mean, double most, const char *in_time) {
    double gpus = clg_replica_gpus(s->replica);
    double usd = a->usd_per_million * mean / (double)a->fleet.replicas;
    clg_text_print(t, "         %-34s %9.2f %6.0f %12s %10s %9s\n", name, mean, most,
                   clg_words_grouped(t, mean * gpus * CLG_MONTH_S / 3600),
                   a->usd_per_s > 0 ? clg_words_usd(t, usd) : "-", in_time);
}

static const char *share_of(clg_text *t, double share) {
    return clg_arena_print(t->arena, "%.2f %%", 100 * share);
}

static void print_scaled(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a,
                         const clg_scaled_fleet *f) {
    print_row(t, s, a,
              clg_arena_print(t->arena, "autoscaled at %.0f %% of their rate", 100 * f->share),
              f->replicas_mean, (double)f->most, share_of(t, f->well_served));
}

static void print_start(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    const clg_autoscaler *scaler = &s->autoscaler;
    clg_text_print(t,
                   "         autoscaled by the last %s, kept for %s; a start takes %s\n"
                   "         at %.0f %%: %s start%s, %.3g %% late to the first token\n",
                   clg_words_quantity(t, scaler->window_s, CLG_SECONDS),
                   clg_words_quantity(t, scaler->keep_s, CLG_SECONDS),
                   clg_words_quantity(t, s->cold_start_s, CLG_SECONDS), 100 * scaler->share,
                   clg_words_grouped(t, (double)a->scaled[0].starts),
                   a->scaled[0].starts == 1 ? "" : "s", 100 * a->scaled[0].late_first);
    if (!clg_scaled_in_time(s, a))
        clg_text_print(t, "         no lower share meets the target: demand rises faster than "
                          "replicas start\n");
}

void clg_report_scaling(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    if (a->scaled_count == 0) return;
    const clg_scaled_fleet *last = &a->scaled[a->scaled_count - 1];
    if (last->replicas_mean > CLG_SCALED_MOST * (double)a->fleet.replicas && a->scaled_count == 1) {
        clg_text_print(t, "scaling  an autoscaler at %.0f %% saves nothing of this demand\n",
                       100 * last->share);
        return;
    }
    clg_text_print(t, "scaling  %-34s %9s %6s %12s %10s %9s\n", "replicas", "mean", "most",
                   "GPU-h/30 d", "$/Mtok", "in time");
    print_row(t, s, a, "one fleet", (double)a->fleet.replicas, (double)a->fleet.replicas,
              share_of(t, a->fleet.well_served));
    if (a->windows > 1)
        print_row(t, s, a, "by window, seen ahead, no starts", a->windows_mean, a->windows_most,
                  "as asked");
    for (int i = 0; i < a->scaled_count; i++) print_scaled(t, s, a, &a->scaled[i]);
    print_start(t, s, a);
}
