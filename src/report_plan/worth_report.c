/* worth_report.c -- see the header. */
#include "report_plan/worth_report.h"

#include "report/number_words.h"

#include <math.h>

static const char *percent(clg_text *t, double share) {
    return share < 0.0005 ? "under 0.1 %" : clg_arena_print(t->arena, "%.1f %%", 100 * share);
}

/* "3 nodes pay": or none does. */
static void print_spares(clg_text *t, const clg_worth *w) {
    const clg_spares *s = &w->spares;
    size_t from = t->size;
    if (!(s->nodes_out > 0)) return;
    clg_text_print(t, "spares   ");
    if (s->nodes == 0)
        clg_text_print(t, "none %s: ", s->node_usd > 0 ? "pays" : "needed");
    else
        clg_text_print(t, "%d node%s: ", s->nodes, s->nodes == 1 ? "" : "s");
    bool hopeless = s->still_without > 0.95;
    if (hopeless)
        clg_text_print(t, "without, the job hardly ever runs");
    else
        clg_text_print(t, "without, the job stands still %s of the time",
                       percent(t, s->still_without));
    if (s->nodes > 0) clg_text_print(t, ", with, %s", percent(t, s->still_with));
    if (s->node_usd > 0 && s->nodes > 0)
        clg_text_print(t, "; %sone more saves %s, for %s each, not in the rent",
                       hopeless ? ""
                                : clg_arena_print(t->arena, "the first saves %s, ",
                                                  clg_words_quantity(t, s->first_usd, CLG_USD)),
                       clg_words_quantity(t, s->next_usd, CLG_USD),
                       clg_words_quantity(t, s->node_usd, CLG_USD));
    else if (s->node_usd > 0)
        clg_text_print(t, "; one would save %s for %s",
                       clg_words_quantity(t, s->first_usd, CLG_USD),
                       clg_words_quantity(t, s->node_usd, CLG_USD));
    clg_text_print(t, " (a node is back after %s: --repair)\n",
                   clg_words_quantity(t, w->repair_s, CLG_SECONDS));
    clg_text_fold(t, from, 9);
}

/* Of the deadline, else the budget at its price; NAN: neither is a limit. */
static double chance_of(const clg_odds *odds) {
    return isnan(odds->deadline) ? odds->budget_at_price : odds->deadline;
}

/* What one more node does to the odds, until they are as good as certain; nothing where it does not
 * show. */
static void print_with(clg_text *t, const clg_worth *w) {
    const clg_with_spares *with = w->with;
    if (w->withs == 0 || isnan(chance_of(&with[0].odds))) return;
    size_t from = t->size;
    if (chance_of(&with[w->withs - 1].odds) - chance_of(&with[0].odds) < 0.005) return;
    clg_text_print(t, "         odds %s with",
                   isnan(with[0].odds.deadline) ? "to stay in the budget" : "to be in time");
    for (int i = 0; i < w->withs && (i == 0 || chance_of(&with[i - 1].odds) <= 0.99); i++)
        clg_text_print(t, "%s %d spare%s: %s", i == 0 ? "" : ",", with[i].nodes,
                       with[i].nodes == 1 ? "" : "s",
                       clg_words_chance(t, chance_of(&with[i].odds)));
    clg_text_print(t, "\n");
    clg_text_fold(t, from, 9);
}

/* The same under every term: it is beside the rent, not in it. */
static void print_storage(clg_text *t, const clg_worth *w) {
    const clg_storage_bill *b = &w->storage;
    size_t from = t->size;
    clg_text_print(t, "storage  %s of token ids, %.0f checkpoints of %s kept: %s to %s;",
                   clg_words_quantity(t, b->data_bytes, CLG_BYTES), b->checkpoints,
                   clg_words_quantity(t, b->checkpoint_bytes, CLG_BYTES),
                   clg_words_quantity(t, b->low_usd, CLG_USD),
                   clg_words_quantity(t, b->high_usd, CLG_USD));
    clg_text_print(t,
                   " tokens in and weights out of another cloud: %s to %s egress (list "
                   "prices)\n",
                   clg_words_quantity(t, b->out_low_usd, CLG_USD),
                   clg_words_quantity(t, b->out_high_usd, CLG_USD));
    clg_text_fold(t, from, 9);
}

/* USD/s that a GPU over the taken fabric may cost more, for the same rent of the job; NAN without
 * prices. */
static double worth_more(const clg_worth *w) {
    const clg_cluster *c = w->taken;
    if (!(c->usd > 0 && w->over.usd > 0)) return NAN;
    return (w->over.usd - c->usd) / (c->seconds * (double)c->gpus);
}

static void print_fabric(clg_text *t, const clg_worth *w) {
    const clg_cluster *c = w->taken, *o = &w->over;
    const char *fabric = o->offer->scenario.machine.fabric.title;
    double more = worth_more(w);
    size_t from = t->size;
    if (!w->over_runs) {
        clg_text_print(t, "fabric   over %s so many GPUs do not run it\n", fabric);
        return;
    }
    clg_text_print(t, "fabric   over %s as many GPUs take %s (%+.0f %%)", fabric,
                   clg_words_quantity(t, o->seconds, CLG_SECONDS),
                   100 * (o->seconds / c->seconds - 1));
    if (isfinite(more))
        clg_text_print(t, ", %s at the same price: %s %s %s, %.2f USD/GPU-h",
                       clg_words_quantity(t, o->usd, CLG_USD),
                       c->offer->scenario.machine.fabric.title, more < 0 ? "loses" : "is worth",
                       clg_words_quantity(t, fabs(o->usd - c->usd), CLG_USD), 3600 * fabs(more));
    clg_text_print(t, "\n");
    clg_text_fold(t, from, 9);
}

/* Those that hardly ever turn out better are left to the JSON. */
static void print_regret(clg_text *t, const clg_worth *w) {
    static const double RARE = 0.005;
    const char *word = "regret   against";
    for (int i = 0; i < w->regrets; i++) {
        const clg_regret_row *r = &w->regret[i];
        if (r->regret.chance < RARE) continue;
        clg_text_print(
            t, "%s %lld x %s %s on average (%.0f %% that it turns out %s)\n", word,
            (long long)r->other->gpus, r->other->offer->scenario.machine.gpu.name,
            clg_words_quantity(t, r->regret.expected, r->in_dollars ? CLG_USD : CLG_SECONDS),
            100 * r->regret.chance, r->in_dollars ? "cheaper" : "faster");
        word = "         against";
    }
}

void clg_report_worth(clg_text *t, const clg_worth *w) {
    if (!w->taken) return;
    print_spares(t, w);
    print_with(t, w);
    if (w->compared) print_fabric(t, w);
    print_storage(t, w);
    print_regret(t, w);
}

static void add_spares(clg_json_writer *w, const clg_worth *worth) {
    const clg_spares *s = &worth->spares;
    bool priced = s->node_usd > 0;
    clg_json_open(w, "spares", '{');
    clg_json_add_integer(w, "nodes", s->nodes);
    clg_json_add_number(w, "repair_s", worth->repair_s);
    clg_json_add_number(w, "nodes_out", s->nodes_out);
    clg_json_add_number(w, "still_without", s->still_without);
    clg_json_add_number(w, "still_with", s->still_with);
    clg_json_add_number(w, "node_usd", priced ? s->node_usd : (double)NAN);
    clg_json_add_number(w, "first_saves_usd", priced ? s->first_usd : (double)NAN);
    clg_json_add_number(w, "next_saves_usd", priced ? s->next_usd : (double)NAN);
    clg_json_open(w, "odds_with", '[');
    for (int i = 0; i < worth->withs; i++) {
        clg_json_open(w, NULL, '{');
        clg_json_add_integer(w, "nodes", worth->with[i].nodes);
        clg_json_add_number(w, "deadline", worth->with[i].odds.deadline);
        clg_json_add_number(w, "budget_at_price", worth->with[i].odds.budget_at_price);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
    clg_json_close(w, '}');
}

void clg_json_odds(clg_json_writer *w, const clg_odds *odds) {
    clg_json_open(w, "odds", '{');
    clg_json_add_number(w, "deadline", odds->deadline);
    clg_json_add_number(w, "budget", odds->budget);
    clg_json_add_number(w, "budget_at_price", odds->budget_at_price);
    clg_json_close(w, '}');
}

void clg_json_storage_usd(clg_json_writer *w, const clg_storage_bill *b) {
    clg_json_add_number(w, "low_usd", b->low_usd);
    clg_json_add_number(w, "high_usd", b->high_usd);
    clg_json_add_number(w, "egress_low_usd", b->out_low_usd);
    clg_json_add_number(w, "egress_high_usd", b->out_high_usd);
}

static void add_storage(clg_json_writer *w, const clg_storage_bill *b) {
    clg_json_open(w, "storage", '{');
    clg_json_add_number(w, "data_bytes", b->data_bytes);
    clg_json_add_number(w, "checkpoint_bytes", b->checkpoint_bytes);
    clg_json_add_number(w, "checkpoints_kept", b->checkpoints);
    clg_json_storage_usd(w, b);
    clg_json_close(w, '}');
}

static void add_fabric(clg_json_writer *w, const clg_worth *worth) {
    const clg_cluster *o = &worth->over;
    clg_json_open(w, "over_fabric", '{');
    clg_json_add_string(w, "fabric", o->offer->scenario.machine.fabric.name);
    clg_json_add_bool(w, "runs", worth->over_runs);
    if (worth->over_runs) {
        clg_json_add_number(w, "seconds", o->seconds);
        clg_json_add_number(w, "usd", o->usd > 0 ? o->usd : (double)NAN);
        clg_json_add_number(w, "worth_usd_per_gpu_h", 3600 * worth_more(worth));
    }
    clg_json_close(w, '}');
}

void clg_json_worth(clg_json_writer *w, const clg_worth *worth) {
    if (!worth->taken) return;
    add_storage(w, &worth->storage);
    if (worth->spares.nodes_out > 0) add_spares(w, worth);
    if (worth->compared) add_fabric(w, worth);
    clg_json_open(w, "regret", '[');
    for (int i = 0; i < worth->regrets; i++) {
        const clg_regret_row *r = &worth->regret[i];
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "gpu", r->other->offer->scenario.machine.gpu.name);
        clg_json_add_integer(w, "gpus", r->other->gpus);
        clg_json_add_number(w, "chance", r->regret.chance);
        clg_json_add_number(w, r->in_dollars ? "expected_usd" : "expected_s", r->regret.expected);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}
