/* frontier_report.c -- see the header. */
#include "report_serving/frontier_report.h"

#include "report/number_words.h"
#include "report_serving/demand_parts.h"

static const char *const axis_title[] = {"share in time", "to first token", "each token"};

static const char *axis_value(clg_text *t, const clg_frontier_point *p) {
    if (p->axis == CLG_FRONTIER_WITHIN)
        return clg_arena_print(t->arena, "%.4g%%", 100 * p->target.share);
    return clg_words_quantity(
        t, p->axis == CLG_FRONTIER_FIRST ? p->target.ttft_s : p->target.tpot_s, CLG_SECONDS);
}

/* "[99% 44]", "8.00 s 40", "99.9% none". */
static void print_point(clg_text *t, const clg_frontier_point *p, int gpus) {
    const char *fleet = p->replicas > 0 ? clg_words_grouped(t, (double)p->replicas * gpus) : "none";
    clg_text_print(t, "  %s%s: %s%s", p->asked ? "[" : "", axis_value(t, p), fleet,
                   p->asked ? "]" : "");
}

/* Per cent, to two digits. */
static const char *late(clg_text *t, double share) {
    return clg_arena_print(t->arena, share < 0.095 ? "%.2g" : "%.0f", 100 * share);
}

static void print_limit(clg_text *t, const clg_frontier *f) {
    if (f->asked <= 1) return;
    clg_text_print(
        t,
        "         one replica fewer: %s%% late to the first token, %s%% by tokens after; "
        "in any fleet %s%%\n",
        late(t, f->late_first), late(t, f->late_token), late(t, f->late_alone));
}

static void print_head(clg_text *t, const clg_frontier *f) {
    clg_text_print(t, "frontier GPUs by target, all else as asked");
    if (f->busiest_s > 0)
        clg_text_print(t, ", in the busiest %s", clg_words_quantity(t, f->busiest_s, CLG_SECONDS));
    clg_text_print(t, "\n");
}

void clg_report_frontier(clg_text *t, const clg_serve_question *s, const clg_frontier *f) {
    int gpus = clg_replica_gpus(s->replica);
    if (f->count == 0) return;
    print_head(t, f);
    for (int i = 0; i < f->count; i++) {
        const clg_frontier_point *p = &f->point[i];
        if (p->axis == CLG_FRONTIER_TOKEN && clg_answers_of_one(s)) continue;
        if (i == 0 || p->axis != f->point[i - 1].axis)
            clg_text_print(t, "%s         %-14s", i > 0 ? "\n" : "", axis_title[p->axis]);
        print_point(t, p, gpus);
    }
    clg_text_print(t, "\n");
    print_limit(t, f);
    if (f->cliff)
        clg_text_print(t,
                       "         CLIFF: %.4g%% in time takes %.1f x the GPUs of %.4g%%; the last "
                       "ones late are late almost alone\n",
                       100 * s->target.share, (double)f->asked / (double)f->loose_replicas,
                       100 * f->loose_share);
}

static const char *const axis_key[] = {"share", "ttft_s", "tpot_s"};

static void add_point(clg_json_writer *w, const clg_frontier_point *p, int gpus) {
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "varies", axis_key[p->axis]);
    clg_json_add_bool(w, "asked", p->asked);
    clg_json_add_number(w, "share", p->target.share);
    clg_json_add_number(w, "ttft_s", p->target.ttft_s);
    clg_json_add_number(w, "tpot_s", p->target.tpot_s);
    clg_json_add_number(w, "alone_share", p->alone_share);
    if (p->replicas > 0)
        clg_json_add_integer(w, "gpus", p->replicas * gpus);
    else
        clg_json_add_null(w, "gpus");
    clg_json_close(w, '}');
}

void clg_json_frontier(clg_json_writer *w, const clg_serve_question *s, const clg_frontier *f) {
    if (f->count == 0) return;
    clg_json_open(w, "frontier", '{');
    if (f->busiest_s > 0) clg_json_add_number(w, "busiest_s", f->busiest_s);
    clg_json_add_bool(w, "cliff", f->cliff);
    clg_json_add_number(w, "late_first_one_fewer", f->late_first);
    clg_json_add_number(w, "late_token_one_fewer", f->late_token);
    clg_json_add_number(w, "late_alone", f->late_alone);
    clg_json_open(w, "points", '[');
    for (int i = 0; i < f->count; i++) add_point(w, &f->point[i], clg_replica_gpus(s->replica));
    clg_json_close(w, ']');
    clg_json_close(w, '}');
}
