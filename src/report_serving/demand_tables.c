/* demand_tables.c -- replicas side by side: levers, a search, GPUs by term of price. */

#include "report/number_words.h"
#include "report_serving/demand_parts.h"
#include "serve/format.h"

#include <math.h>
#include <string.h>

enum { LOSSES = 8 };

static const char *per_cent(clg_text *t, double share) {
    return isfinite(share) ? clg_arena_print(t->arena, "%.1f %%", 100 * share) : "-";
}

static const char *number(clg_text *t, double value) {
    return isfinite(value) ? clg_arena_print(t->arena, "%.3g", value) : "-";
}

void clg_report_levers(clg_text *t, const clg_lever *lever, int count) {
    const char *price = count > 0 ? clg_arena_print(t->arena, "at %s",
                                                    clg_words_usd(t, 2 * lever[0].usd_per_million))
                                  : "";
    clg_text_print(t, "levers   %-22s %5s %10s %11s %10s %10s %10s\n", "", "GPUs", "tok/s/GPU",
                   "$/Mtok full", "break-even", "half full", price);
    for (int i = 0; i < count; i++) {
        const clg_lever *l = &lever[i];
        if (!l->fits)
            clg_text_print(t, "         %-22s does not fit\n", l->name);
        else
            clg_text_print(t, "         %-22s %5d %10s %11s %10s %8s/s %8s/s\n", l->name, l->gpus,
                           clg_words_grouped(t, l->offline_tokens_per_s),
                           clg_words_usd(t, l->usd_per_million), per_cent(t, l->break_even_share),
                           number(t, l->half_price_per_s), number(t, l->fixed_price_per_s));
    }
    clg_text_print(t,
                   "         half full: requests/s at which a copy does half of what it can, so a "
                   "token costs twice\n"
                   "         %s: requests/s that bring tokens to that price, twice the full one "
                   "as asked;\n"
                   "         more tokens from the same GPUs do not lower it, fewer GPUs do\n",
                   price);
}

static const char *all_gpus(clg_text *t, const clg_lever *l) {
    if (l->gpus_all < 1) return "-"; /* of a demand without time */
    return isfinite(l->gpus_all) ? clg_words_grouped(t, l->gpus_all) : "misses";
}

/* Of the fleet, or of the mean: "~12". */
static const char *search_gpus(clg_text *t, const clg_lever *l) {
    if (l->gpus_fleet > 0) return clg_words_grouped(t, l->gpus_fleet);
    bool number = l->gpus_all >= 1 && isfinite(l->gpus_all);
    return number ? clg_arena_print(t->arena, "~%s", all_gpus(t, l)) : all_gpus(t, l);
}

/* What each lossy format among the rows loses, once. */
static void print_losses(clg_text *t, const clg_lever *row, int count) {
    double told[LOSSES] = {0};
    int tellings = 0;
    for (int i = 0; i < count; i++) {
        const clg_lever *l = &row[i];
        bool known = l->loss <= 0;
        for (int k = 0; k < tellings; k++) known |= told[k] == l->loss;
        if (known || tellings == LOSSES) continue;
        told[tellings++] = l->loss;
        int word = (int)strcspn(l->name, " ");
        clg_text_print(t,
                       "         q: %.*s loses some %.2g %% of scores in published tests: try your "
                       "own, then --weights %.*s\n",
                       word, l->name, 100 * l->loss, word, l->name);
    }
}

/* Of the GPUs of a demand, where they are known. */
static const char *per_hour(clg_text *t, const clg_lever *l) {
    bool known = isfinite(l->usd_per_h) && (l->gpus_all >= 1 || l->gpus_fleet > 0);
    return known ? clg_words_bill(t, l->usd_per_h) : "-";
}

/* Rows are compared on a part of a long demand: where that asks for another fleet than all of it.
 */
static void print_other_fleet(clg_text *t, const clg_lever *row, int count, double needed_gpus) {
    for (int i = 0; i < count; i++)
        if (row[i].chosen && row[i].gpus_fleet > 0 && needed_gpus > 0 &&
            fabs(row[i].gpus_fleet - needed_gpus) > 0.5)
            clg_text_print(
                t,
                "         all is of the busiest part, to compare by: of the whole demand "
                "> needs %s\n",
                clg_words_grouped(t, needed_gpus));
}

void clg_report_search(clg_text *t, const clg_lever *row, int count, double needed_gpus) {
    enum { SHOWN = 14 };
    int widest = (int)strlen("fewest GPUs first");
    int shown = count < SHOWN ? count : SHOWN;
    for (int i = 0; i < shown; i++)
        if ((int)strlen(row[i].name) > widest) widest = (int)strlen(row[i].name);
    clg_text_print(t, "search   %-*s   a copy tok/s/GPU    $/Mtok  GPUs all   $/h all\n", widest,
                   "fewest GPUs first");
    for (int i = 0; i < count; i++) {
        const clg_lever *l = &row[i];
        if (i >= shown && !l->chosen) continue;
        clg_text_print(t, "       %s %-*s %s %6d %9s %9s %9s %9s\n", l->chosen ? ">" : " ", widest,
                       l->name,
                       l->loss > 0 ? "q"
                       : l->cliff  ? "!"
                                   : " ",
                       l->gpus, clg_words_grouped(t, l->offline_tokens_per_s),
                       clg_words_usd(t, l->usd_per_million), search_gpus(t, l), per_hour(t, l));
    }
    bool cliff = false;
    for (int i = 0; i < shown; i++) cliff |= row[i].cliff;
    if (cliff)
        clg_text_print(t,
                       "         !: at a cliff: as slow as one time in ten, no fleet meets it, or "
                       "one over %d times as large\n",
                       CLG_HEADROOM_WORTH);
    clg_text_print(t,
                   "         $/Mtok: a full replica at the target; all: GPUs that meet it, ~ for "
                   "the mean; > taken\n");
    print_other_fleet(t, row, count, needed_gpus);
    print_losses(t, row, shown);
}

/* A star behind the name: borrowed kernels; a caret: boxes that make no cluster. */
static const char *marked(clg_text *t, const clg_lever *l) {
    return clg_arena_print(t->arena, "%s%s%s", l->name, l->borrowed ? "*" : "", l->lone ? "^" : "");
}

static const char *whole_per_cent(clg_text *t, double share) {
    return isfinite(share) ? clg_arena_print(t->arena, "%.0f%%", 100 * share) : "-";
}

static void print_gpu(clg_text *t, const clg_lever *l, int widest, bool compared) {
    const char *even = clg_arena_print(t->arena, "%5s", whole_per_cent(t, l->break_even_share));
    clg_text_print(t, "         %-*s %4d %9s %3s %7s %s %4s %7s %s\n", widest, marked(t, l),
                   l->gpus, clg_words_grouped(t, l->offline_tokens_per_s),
                   whole_per_cent(t, l->mfu), clg_words_usd(t, l->usd_per_million),
                   compared ? even : "", all_gpus(t, l), per_hour(t, l), l->price ? l->price : "");
}

/* A token takes as many operations on every GPU. */
static const char *useful_words(clg_text *t, const clg_lever *row, int count) {
    for (int i = 0; i < count; i++)
        if (isfinite(row[i].usd_per_useful_eflop) && row[i].usd_per_million > 0)
            return clg_arena_print(
                t->arena, " $1/Mtok is %s for 10^18 useful operations;",
                clg_words_usd(t, row[i].usd_per_useful_eflop / row[i].usd_per_million));
    return "";
}

static void print_left_out(clg_text *t, const char *why, const char *names) {
    if (!names) return;
    size_t from = t->size;
    clg_text_print(t, "         not ranked, %s: %s\n", why, names);
    clg_text_fold(t, from, 11);
}

/* Terms apart: a rate for years beside one by the hour would compare contracts, not GPUs. */
void clg_report_gpus(clg_text *t, const clg_lever *row, int count, const clg_unranked *left) {
    int widest = (int)strlen("reserved, 3 years");
    bool compared = false, borrowed = false, lone = false;
    for (int i = 0; i < count; i++) {
        int width = (int)strlen(marked(t, &row[i]));
        if (width > widest) widest = width;
        compared |= isfinite(row[i].break_even_share);
        borrowed |= row[i].borrowed;
        lone |= row[i].lone;
    }
    clg_text_print(t, "gpus     %-*s copy tok/s/GPU MFU  $/Mtok %s GPUs $/h all a GPU, per hour\n",
                   widest, "cheapest first", compared ? " pays" : "");
    for (int i = 0; i < count; i++) {
        if (i == 0 || row[i].term != row[i - 1].term)
            clg_text_print(t, "       %s\n", clg_price_terms[row[i].term].help);
        print_gpu(t, &row[i], widest, compared);
    }
    clg_text_print(
        t,
        "         copy: its GPUs; MFU, $/Mtok: a full one at the target; GPUs, all: for the mean "
        "of\n"
        "         the demand;%s\n"
        "         format: of those that lose no quality and have kernels, the one on fewest "
        "GPUs,\n"
        "         of as many that with the cheapest tokens; survey: who, in 'ceiling show "
        "prices'\n",
        useful_words(t, row, count));
    if (compared)
        clg_text_print(t, "         pays: load, of what it can do, above which it beats the API\n");
    if (borrowed)
        clg_text_print(t, "         *: kernel times borrowed from another GPU, a guess\n");
    if (lone)
        clg_text_print(t, "         ^: boxes of other people, or without a network; "
                          "'ceiling show prices' says which\n");
    print_left_out(t, "no price known, ask with --gpu and --price", left->unpriced);
    print_left_out(t, "too small for the model", left->unfit);
    print_left_out(t, "no products in bf16", left->narrow);
    print_left_out(t, "a copy takes several boxes, rented without a network between them",
                   left->apart);
}

/* What a search would weigh first. */
static void print_lossless(clg_text *t, const clg_replica *r) {
    clg_format list[CLG_FORMATS];
    clg_error none = {0};
    int count;
    const clg_scenario *s = r->scenario;
    if (clg_formats_of(t->arena, &s->model, &s->machine.gpu, list, &count, &none) != CLG_OK) return;
    for (int i = 1; i < count; i++) {
        if (list[i].loss > 0) continue;
        clg_text_print(t,
                       "quality  weights in %s would lose nothing in published tests, and may take "
                       "fewer GPUs: --search\n",
                       clg_name_of(clg_precision_names, (int)list[i].weights));
        return;
    }
}

void clg_report_quality(clg_text *t, const clg_replica *r, bool searched) {
    const clg_model *m = &r->scenario->model;
    clg_precision own = r->layout.weights;
    double loss = clg_format_loss(t->arena, m, &r->scenario->machine.gpu, own);
    const char *name = clg_name_of(clg_precision_names, (int)own);
    if (clg_precision_bytes(own) >= clg_precision_bytes(m->stored)) {
        if (!searched) print_lossless(t, r);
        return;
    }
    if (isnan(loss))
        clg_text_print(
            t, "quality  what weights in %s lose is not known here: try your own tests\n", name);
    else if (loss > 0)
        clg_text_print(t,
                       "quality  weights in %s lose some %.2g %% of scores in published tests "
                       "(data/format): try your own\n",
                       name, 100 * loss);
    else
        clg_text_print(t, "quality  weights in %s lose nothing in published tests (data/format)\n",
                       name);
}
