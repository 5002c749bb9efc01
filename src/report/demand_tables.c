/* demand_tables.c -- replicas beside each other: levers, and kinds of GPU. */
#include "report/demand_parts.h"

#include "report/number_words.h"

#include <math.h>
#include <string.h>

static const char *per_cent(clg_text *t, double share) {
    return isfinite(share) ? clg_arena_print(t->arena, "%.1f %%", 100 * share) : "-";
}

static const char *number(clg_text *t, double value) {
    return isfinite(value) ? clg_arena_print(t->arena, "%.3g", value) : "-";
}

void clg_report_levers(clg_text *t, const clg_lever *lever, int count) {
    clg_text_print(t, "levers   %-22s %5s %12s %12s %12s %14s\n", "", "GPUs", "tokens/s/GPU",
                   "$/Mtok full", "break-even", "half full at");
    for (int i = 0; i < count; i++) {
        const clg_lever *l = &lever[i];
        if (!l->fits)
            clg_text_print(t, "         %-22s does not fit\n", l->name);
        else
            clg_text_print(t, "         %-22s %5d %12s %12s %12s %8s req/s\n", l->name, l->gpus,
                           clg_words_grouped(t, l->offline_tokens_per_s),
                           clg_words_usd(t, l->usd_per_million), per_cent(t, l->break_even_share),
                           number(t, l->half_price_per_s));
    }
}

/* "mi355x*r": borrowed kernels, a contract. */
static const char *marked(clg_text *t, const clg_lever *l) {
    return clg_arena_print(t->arena, "%s%s%s", l->name, l->borrowed ? "*" : "",
                           l->contract ? "r" : "");
}

static void print_marks(clg_text *t, const clg_lever *row, int count) {
    bool borrowed = false, contract = false;
    for (int i = 0; i < count; i++) {
        borrowed |= row[i].borrowed;
        contract |= row[i].contract;
    }
    if (borrowed)
        clg_text_print(t, "         *: kernel times borrowed from another GPU, a guess\n");
    if (contract)
        clg_text_print(t, "         r: reserved for a term; the others are paid by the hour\n");
}

void clg_report_gpus(clg_text *t, const char *title, const clg_lever *row, int count) {
    int widest = (int)strlen("cheapest first");
    bool compared = false;
    for (int i = 0; i < count; i++) {
        int width = (int)strlen(marked(t, &row[i]));
        if (width > widest) widest = width;
        compared |= isfinite(row[i].break_even_share);
    }
    clg_text_print(t, "%-8s %-*s %4s %9s %8s %s%7s  %s\n", title, widest, "cheapest first", "GPUs",
                   "tok/s/GPU", "$/Mtok", compared ? "pays at " : "", "$/h all", "a GPU, per hour");
    for (int i = 0; i < count; i++) {
        const clg_lever *l = &row[i];
        const char *even = clg_arena_print(t->arena, "%7s ", per_cent(t, l->break_even_share));
        clg_text_print(t, "         %-*s %4d %9s %8s %s%7s  %s\n", widest, marked(t, l), l->gpus,
                       clg_words_grouped(t, l->offline_tokens_per_s),
                       clg_words_usd(t, l->usd_per_million), compared ? even : "",
                       isfinite(l->usd_per_h) ? clg_words_bill(t, l->usd_per_h) : "misses",
                       l->price ? l->price : "");
    }
    clg_text_print(t, "         $/Mtok: a full replica at the target; $/h all: GPUs for the mean "
                      "of the demand\n");
    if (compared)
        clg_text_print(t,
                       "         pays at: load, of what it can do, above which it beats the API\n");
    print_marks(t, row, count);
}
