/* looks.c -- first looks and pairs. Nothing is left out of the list of rows set aside: a row that
 * cannot be predicted is a miss that no mean shows. */
#include "report_accuracy/looks.h"

#include "report/number_words.h"
#include "report_accuracy/validation.h"

static void print_source(clg_text *t, const clg_score *s, const clg_look *seen) {
    clg_text_pad(t, s->source, 28, false);
    clg_text_print(t, "%5d %5d", s->rows, s->scored);
    clg_words_share_column(t, s->mape, 7);
    clg_words_share_column(t, s->median_ape, 8);
    clg_words_share_column(t, s->bias, 7);
    clg_words_share_column(t, s->coverage, 8);
    clg_words_share_column(t, s->fits_accuracy, 7);
    clg_text_print(t, "  %s%s\n", seen ? "seen " : "first", seen ? seen->date : "");
}

static void print_mean(clg_text *t, const clg_sources *s, const char *words) {
    if (s->sources == 0) return;
    size_t from = t->size;
    clg_text_print(t,
                   "%s: %d sources, each once: %s %% off (median source %s), bias %s, inside "
                   "P10-P90 %s %%, fits right %s %%\n",
                   words, s->sources, clg_words_share(t, s->mape),
                   clg_words_share(t, s->median_ape), clg_words_share(t, s->bias),
                   clg_words_share(t, s->coverage), clg_words_share(t, s->fits_accuracy));
    clg_text_fold(t, from, 2);
}

static void print_set_aside(clg_text *t, const clg_validation *v, int count) {
    if (count == 0) return;
    clg_text_print(t, "\n%d row%s set aside, in no mean:\n", count, count == 1 ? "" : "s");
    for (int i = 0; i < v->runs; i++)
        if (v->run[i].reason) {
            size_t from = t->size;
            clg_text_print(t, "  %s: %s\n", v->run[i].id, v->run[i].reason);
            clg_text_fold(t, from, 4);
        }
}

void clg_report_first_look(clg_text *t, const clg_validation *v, const clg_looks *looks) {
    clg_validation unseen = *v;
    unseen.score = clg_take(t->arena, (size_t)v->scores + 1, clg_score);
    unseen.scores = 0;
    clg_text_print(t, "error of step time in %%, by source\n"
                      "source                       rows timed   mean  median   bias  inside   "
                      "fits\n");
    for (int i = 0; i < v->scores; i++) {
        const clg_score *s = &v->score[i];
        const clg_look *seen = clg_looks_find(looks, s->source);
        if (clg_score_is_all(s)) continue;
        print_source(t, s, seen);
        if (!seen) unseen.score[unseen.scores++] = *s;
    }
    clg_sources all = clg_sources_score(t->arena, v, NULL);
    clg_sources first = clg_sources_score(t->arena, &unseen, NULL);
    clg_text_print(t, "\n");
    print_mean(t, &first, "seen for the first time");
    print_mean(t, &all, "all");
    if (first.sources < all.sources)
        clg_text_print(t, "Sources seen before are rows to develop on: their score says less of "
                          "the next source.\n");
    clg_report_unknown_stacks(t, v);
    print_set_aside(t, v, all.set_aside);
}

void clg_report_pairs(clg_text *t, const clg_validation *v, const clg_pairs *pairs) {
    clg_pair_sum *sums;
    int count = clg_pairs_sum(t->arena, v, pairs, &sums);
    clg_text_print(t,
                   "%d pairs of rows of one source that differ in one thing; seconds per token and "
                   "GPU.\ngap: predicted ratio over measured ratio - 1 (below 0: the larger value "
                   "is predicted too fast)\n"
                   "source                      differs in     pairs    gap |gap|  would close "
                   "most of them\n",
                   pairs->count);
    for (int i = 0; i < count; i++) {
        const clg_pair_sum *s = &sums[i];
        clg_text_pad(t, s->source, 27, false);
        clg_text_print(t, " ");
        clg_text_pad(t, s->column, 14, false);
        clg_text_print(t, "%6d %+6.1f %5.1f", s->pairs, 100 * s->mean, 100 * s->absolute);
        if (s->term) clg_text_print(t, "  %s x %.2f (%d)", s->term, s->factor, s->closed);
        clg_text_print(t, "\n");
    }
}

void clg_report_pair_rows(clg_text *t, const clg_validation *v, const clg_pairs *pairs) {
    clg_text_print(t, "source,from,to,column,before,after,measured,predicted,term,factor\n");
    for (int i = 0; i < pairs->count; i++) {
        const clg_pair *p = &pairs->pair[i];
        const char *const words[] = {v->run[p->from].source,
                                     v->run[p->from].id,
                                     v->run[p->to].id,
                                     p->column,
                                     p->before,
                                     p->after};
        for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
            clg_csv_add(t, words[k]);
            clg_text_print(t, ",");
        }
        clg_text_print(t, "%.6g,%.6g,%s,", p->measured, p->predicted, p->term ? p->term : "");
        if (p->term) clg_text_print(t, "%.4g", p->factor);
        clg_text_print(t, "\n");
    }
}
