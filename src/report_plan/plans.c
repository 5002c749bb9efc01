/* plans.c -- plans beside one another: runners-up, families, the front, the gamble; and none. */
#include "report_plan/plan_text.h"

#include "evaluate/advice.h"
#include "evaluate/difference.h"
#include "evaluate/interval.h"
#include "explain/undone.h"
#include "report/number_words.h"
#include "schedule/schedule.h"

#include <string.h>

/* The term in which a plan loses most against the best. */
static const char *loss(const clg_evaluation *e, const clg_evaluation *best) {
    const double *mine = e->time.term_s, *theirs = best->time.term_s;
    int most = 0;
    for (int i = 1; i < CLG_LEDGER_TERMS; i++)
        if (mine[i] - theirs[i] > mine[most] - theirs[most]) most = i;
    return mine[most] > theirs[most] ? clg_ledger_terms[most].words : "nothing";
}

/* For a column: no recompute goes without saying, in a long one what kind it is. */
static const char *in_words(clg_text *t, const clg_layout *layout) {
    enum { LONG = 66 };
    char words[160];
    clg_layout_print(layout, words, sizeof words);
    char *none = strstr(words, " recompute-none");
    if (none) memmove(none, none + 15, strlen(none + 15) + 1);
    char *kind = strlen(words) > LONG ? strstr(words, "recompute-") : NULL;
    if (kind) memmove(kind, kind + 10, strlen(kind + 10) + 1);
    return clg_arena_copy(t->arena, words, strlen(words));
}

/* Columns the widest of these layouts takes. */
static int width_of(clg_text *t, const clg_evaluation *plan, int count) {
    int widest = 0;
    for (int i = 0; i < count; i++) {
        int width = (int)strlen(in_words(t, &plan[i].layout));
        if (width > widest) widest = width;
    }
    return widest;
}

static void print_rival(clg_text *t, const clg_evaluation *e, const clg_evaluation *best,
                        int width) {
    clg_text_pad(t, in_words(t, &e->layout), width, false);
    clg_text_print(t, " %+6.1f %%", 100 * (e->step_s / best->step_s - 1));
    clg_text_print(t, "%7.1f", e->memory.total_bytes / 1e9);
    clg_text_pad(t, clg_words_chance_out(t, e), 5, true);
    clg_text_print(t, "  %s\n", e->step_s > best->step_s ? loss(e, best) : "");
}

/* What most runners-up are, and what a choice between them and the best is worth: chances by how
 * far measured differences of such plans were from predicted ones. */
static void print_ties(clg_text *t, const clg_found *f) {
    clg_difference d;
    clg_error none = {0};
    int ties = 0;
    if (clg_difference_find(t->arena, &d, &none) != CLG_OK) return;
    for (int i = 1; i < f->count; i++) ties += clg_difference_tie(&d, &f->best[i], &f->best[0]);
    double sure = clg_difference_faster(&d, &f->best[0], &f->best[f->count - 1]);
    if (ties > 0)
        clg_text_print(t, "%s a tie with the best: each the faster one in over 20 %% of cases\n",
                       f->count == 2         ? "This is"
                       : ties < f->count - 1 ? clg_arena_print(t->arena, "%d of these %s", ties,
                                                               ties == 1 ? "is" : "are")
                                             : "All of these are");
    clg_text_print(t, "chance that the best is really faster than %s: %.0f %%\n",
                   f->count == 2 ? "this" : "the last of these", 100 * sure);
}

/* Why `shown` comes before the fastest. */
static const char *why_chosen(clg_text *t, const clg_evaluation *shown,
                              const clg_evaluation *fastest) {
    if (clg_evaluation_is_safe(shown) && !clg_evaluation_is_safe(fastest))
        return clg_arena_print(
            t->arena, "it runs out of memory with a chance of %s %%, this with one of %s %%",
            clg_words_chance_out(t, fastest), clg_words_chance_out(t, shown));
    return clg_arena_print(t->arena, "it splits over %lld ranks (tp x cp x pp), this over %lld",
                           (long long)clg_found_split_ranks(&fastest->layout),
                           (long long)clg_found_split_ranks(&shown->layout));
}

void clg_report_chosen(clg_text *t, const clg_found *f) {
    clg_difference d;
    clg_error none = {0};
    if (!f->of_tie || clg_difference_find(t->arena, &d, &none) != CLG_OK) return;
    const clg_evaluation *shown = &f->best[0], *fastest = &f->best[1];
    size_t from = t->size + 1;
    clg_text_print(t,
                   "\nchosen   of a tie: %s is %.1f %% faster by this model, and really so with a "
                   "chance of %.0f %%; %s\n",
                   in_words(t, &fastest->layout), 100 * (1 - fastest->step_s / shown->step_s),
                   100 * clg_difference_faster(&d, fastest, shown), why_chosen(t, shown, fastest));
    clg_text_fold(t, from, 9);
}

void clg_report_alternatives(clg_text *t, const clg_found *f) {
    if (f->count < 2) return;
    int width = width_of(t, f->best + 1, f->count - 1);
    clg_text_print(t, "\n");
    clg_text_pad(t, "runners-up", width, false);
    clg_text_print(t, "     step     GB out%%  loses in\n");
    size_t from = t->size;
    for (int i = 1; i < f->count; i++) print_rival(t, &f->best[i], &f->best[0], width);
    clg_text_fold(t, from, 4);
    print_ties(t, f);
}

void clg_report_families(clg_text *t, const clg_layout_family *family, int count,
                         const clg_evaluation *best) {
    int width = 0;
    for (int i = 0; i < count; i++) {
        int one = family[i].runs ? width_of(t, &family[i].plan, 1) : 0;
        width = one > width ? one : width;
    }
    if (count == 0) return;
    clg_text_print(t, "\nthe best of each family\n");
    size_t from = t->size;
    for (int i = 0; i < count; i++) {
        clg_text_pad(t, family[i].name, 10, false);
        if (family[i].runs)
            print_rival(t, &family[i].plan, best, width);
        else
            clg_text_print(t, "%s\n", family[i].why);
    }
    clg_text_fold(t, from, 10);
}

const char clg_plan_columns[] = "layout,global_batch,step_s,step_p10_s,step_p90_s,tokens_per_s,mfu,"
                                "memory_bytes,chance_out,gpu_w,usd_per_million_tokens\n";

void clg_report_plan_row(clg_text *t, const clg_evaluation *e) {
    char words[160];
    clg_layout_print(&e->layout, words, sizeof words);
    clg_text_print(t, "%s,%lld,%.9g,%.9g,%.9g,%.9g,%.6g,%.9g,%.6g,%.6g,", words,
                   (long long)e->layout.global_batch, e->step_s, e->step_p10_s, e->step_p90_s,
                   e->tokens_per_s, e->mfu, e->memory.total_bytes, clg_evaluation_chance_out(e),
                   e->gpu_w);
    if (e->usd_per_million_tokens > 0) clg_text_print(t, "%.6g", e->usd_per_million_tokens);
    clg_text_print(t, "\n");
}

void clg_report_plan_rows(clg_text *t, const clg_found *found) {
    clg_text_print(t, "%s", clg_plan_columns);
    for (int i = 0; i < found->count; i++) clg_report_plan_row(t, &found->best[i]);
}

void clg_report_front(clg_text *t, const clg_found *f) {
    if (f->front_count < 2) return;
    int width = width_of(t, f->front, f->front_count);
    clg_text_print(t, "\nless memory for more time (each the fastest within its memory)\n");
    clg_text_pad(t, "", width, false);
    clg_text_print(t, "      step    memory     out %%\n");
    for (int i = 0; i < f->front_count; i++) {
        const clg_evaluation *e = &f->front[i];
        clg_text_pad(t, in_words(t, &e->layout), width, false);
        clg_text_pad(t, clg_words_quantity(t, e->step_s, CLG_SECONDS), 10, true);
        clg_text_pad(t, clg_words_gb(t, e->memory.total_bytes), 10, true);
        clg_text_pad(t, clg_words_chance_out(t, e), 10, true);
        clg_text_print(t, "\n");
    }
}

void clg_report_safer(clg_text *t, const clg_found *f) {
    if (f->count == 0 || clg_evaluation_is_safe(&f->best[0])) return;
    for (int i = 0; i < f->front_count; i++) {
        const clg_evaluation *e = &f->front[i];
        if (!clg_evaluation_is_safe(e)) continue;
        clg_text_print(
            t,
            "\nsafer    %s\n"
            "         step %s (%+.1f %%), out of memory with a chance of %s %%, not %s\n",
            in_words(t, &e->layout), clg_words_quantity(t, e->step_s, CLG_SECONDS),
            100 * (e->step_s / f->best[0].step_s - 1), clg_words_chance_out(t, e),
            clg_words_chance_out(t, &f->best[0]));
        return;
    }
}

void clg_report_gamble(clg_text *t, const clg_found *f, double risk) {
    if (!f->has_gamble || f->count == 0) return;
    const clg_evaluation *e = &f->gamble;
    clg_text_print(t,
                   "\ngamble   %s\n"
                   "         step %s (%+.1f %%), but runs out of memory with a chance of %s %% "
                   "(--risk %.4g%%)\n",
                   in_words(t, &e->layout), clg_words_quantity(t, e->step_s, CLG_SECONDS),
                   100 * (e->step_s / f->best[0].step_s - 1), clg_words_chance_out(t, e),
                   100 * risk);
    for (int i = 0; i < f->between_count; i++) {
        size_t from = t->size;
        e = &f->between[i];
        clg_text_print(t, "         or step %s at %s %%: %s\n",
                       clg_words_quantity(t, e->step_s, CLG_SECONDS), clg_words_chance_out(t, e),
                       in_words(t, &e->layout));
        clg_text_fold(t, from, 12);
    }
}

void clg_report_certificate(clg_text *t, const clg_found *f, double seconds) {
    clg_text_print(t,
                   "\n%s legal layouts: %s ruled out by memory, %s by a lower bound on time,\n"
                   "%s that recompute more layers than they must, %s priced (%s do not fit).\n",
                   clg_words_count(t, f->layouts), clg_words_count(t, f->cut[CLG_CUT_MEMORY]),
                   clg_words_count(t, f->cut[CLG_CUT_TIME]),
                   clg_words_count(t, f->cut[CLG_CUT_LAZIER]), clg_words_count(t, f->priced),
                   clg_words_count(t, f->cut[CLG_CUT_NO_FIT]));
    if (f->cut[CLG_CUT_SAME] > 0)
        clg_text_print(t, "%s more are balanced as they are: no uneven split is better.\n",
                       clg_words_count(t, f->cut[CLG_CUT_SAME]));
    clg_text_print(t, "%s\n",
                   !f->complete   ? "The search was stopped: a faster one may exist."
                   : f->of_tie    ? "The search is complete: none is faster by this model but "
                                    "those of the tie."
                   : f->count > 0 ? "The search is complete: none is faster by this model."
                                  : "The search is complete: none fits.");
    if (seconds > 0)
        clg_text_print(t, "%.2f s, %s layouts/s\n", seconds,
                       clg_words_quantity(t, (double)f->layouts / seconds, CLG_COUNT));
}

void clg_report_ladder(clg_text *t, const clg_scenario *s, const clg_evaluation *best) {
    clg_undone undone[CLG_UNDONE];
    int count = clg_undo(t->arena, s, &best->layout, undone);
    clg_text_print(t, "\nwhy this one: the same plan with one thing undone\n");
    for (int i = 0; i < count; i++) {
        const clg_evaluation *e = &undone[i].plan;
        clg_text_print(t, "  ");
        clg_text_pad(t, undone[i].what, 26, false);
        if (undone[i].illegal)
            clg_text_print(t, "not legal: %.60s\n", undone[i].illegal);
        else if (!e->fits)
            clg_text_print(t, "does not fit: %s of %s\n", clg_words_gb(t, e->memory.total_bytes),
                           clg_words_gb(t, e->capacity_bytes));
        else
            clg_text_print(t, "step %s (%+.1f %%), %s (out %s %%): %s in %s\n",
                           clg_words_quantity(t, e->step_s, CLG_SECONDS),
                           100 * (e->step_s / best->step_s - 1),
                           clg_words_gb(t, e->memory.total_bytes), clg_words_chance_out(t, e),
                           e->step_s < best->step_s ? "gains" : "loses",
                           e->step_s < best->step_s ? loss(best, e) : loss(e, best));
    }
}

/* What more GPUs would do, where no change of the layout does. */
static void print_fewest(clg_text *t, const clg_evaluation *on_more) {
    if (!on_more) {
        clg_text_print(t, "Nor does one on up to 64 times the GPUs, doubling.\n");
        return;
    }
    clg_text_print(t, "On %s GPUs one fits: %s, %s a step.\n",
                   clg_words_count(t, clg_layout_gpus(&on_more->layout)),
                   in_words(t, &on_more->layout),
                   clg_words_quantity(t, on_more->step_s, CLG_SECONDS));
}

/* Nothing is safe enough, but something fits as predicted. */
static void print_only_gambles(clg_text *t, const clg_found *f, double risk) {
    const clg_evaluation *e = &f->nearest;
    size_t from = t->size;
    clg_text_print(t,
                   "\nNo layout fits with a chance of running out of memory of at most %.4g %% "
                   "(--risk).\nThe safest, %s, has %s %%: step %s, %s of %s.\n",
                   100 * risk, in_words(t, &e->layout), clg_words_chance_out(t, e),
                   clg_words_quantity(t, e->step_s, CLG_SECONDS),
                   clg_words_gb(t, e->memory.total_bytes), clg_words_gb(t, e->capacity_bytes));
    if (f->has_gamble)
        clg_text_print(t, "The fastest, %s, has %s %%: step %s.\n", in_words(t, &f->gamble.layout),
                       clg_words_chance_out(t, &f->gamble),
                       clg_words_quantity(t, f->gamble.step_s, CLG_SECONDS));
    clg_text_fold(t, from, 0);
}

void clg_report_nothing_fits(clg_text *t, const clg_scenario *s, const clg_space *space,
                             const clg_found *f, const clg_evaluation *on_more) {
    if (f->has_nearest && f->nearest.fits) {
        print_only_gambles(t, f, space->risk);
        print_fewest(t, on_more);
        return;
    }
    clg_text_print(t, "\nNo layout fits.\n");
    if (!f->has_nearest) return;
    const clg_evaluation *e = &f->nearest;
    size_t from = t->size;
    clg_text_print(t, "The nearest, %s, needs %s of %s: %s too much.\n", in_words(t, &e->layout),
                   clg_words_gb(t, e->memory.needed_bytes), clg_words_gb(t, e->capacity_bytes),
                   clg_words_gb(t, e->memory.needed_bytes - e->capacity_bytes));
    clg_text_fold(t, from, 0);
    const char *mend = clg_evaluate_mend(t->arena, s, &e->layout);
    if (mend) clg_text_print(t, "Smallest change: %s\n", mend);
    print_fewest(t, on_more);
    clg_report_memory(t, e);
}

void clg_report_fits_with(clg_text *t, const clg_fits_with *fits_with, int count) {
    if (count > 0) clg_text_print(t, "\nWhat fits on these GPUs:\n");
    for (int i = 0; i < count; i++) {
        const clg_evaluation *e = &fits_with[i].plan;
        clg_text_print(t, "  %s: %s%s\n", fits_with[i].flags, fits_with[i].remark,
                       fits_with[i].gamble ? ", beyond --risk" : "");
        size_t from = t->size;
        clg_text_print(t, "    %s of %s (out %s %%), step %s: %s\n",
                       clg_words_gb(t, e->memory.total_bytes), clg_words_gb(t, e->capacity_bytes),
                       clg_words_chance_out(t, e), clg_words_quantity(t, e->step_s, CLG_SECONDS),
                       in_words(t, &e->layout));
        clg_text_fold(t, from, 6);
    }
}
