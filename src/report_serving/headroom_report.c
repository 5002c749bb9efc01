/* headroom_report.c -- see the header. */
#include "report_serving/headroom_report.h"

#include "report/number_words.h"
#include "report_serving/demand_parts.h"

#include <math.h>

static double count_of(const clg_serve_question *s, int64_t replicas) {
    return (double)replicas * clg_replica_gpus(s->replica);
}

static bool is_given(const clg_serve_question *s) { return s->replicas > 0; }

static const char *gpus_of(clg_text *t, const clg_serve_question *s, int64_t replicas) {
    return clg_words_grouped(t, count_of(s, replicas));
}

/* "1 GPU: it holds", "4 GPUs: they hold". */
static const char *buy_of(clg_text *t, const clg_serve_question *s, int64_t replicas) {
    return clg_arena_print(t->arena, "%s %s", gpus_of(t, s, replicas),
                           count_of(s, replicas) > 1 ? "GPUs: they hold" : "GPU: it holds");
}

/* A chance that was found by halving says no more than this. */
static const char *chance(clg_text *t, double share) {
    if (share > 0.99) return "above 99 %";
    if (share < 0.01) return "below 1 %";
    return clg_arena_print(t->arena, "%.0f %%", 100 * share);
}

static void print_chance(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a,
                         const clg_serve_headroom *h) {
    int64_t n = a->fleet.replicas;
    if (is_given(s))
        clg_text_print(t, "chance   %s GPU%s the target with %s", gpus_of(t, s, n),
                       count_of(s, n) > 1 ? "s hold" : " holds", chance(t, h->chance));
    else if (h->buy_replicas > n)
        clg_text_print(t, "buy      %s the target with %s chance; %s with %s",
                       buy_of(t, s, h->buy_replicas), chance(t, h->buy_chance), gpus_of(t, s, n),
                       chance(t, h->chance));
    else
        clg_text_print(t, "buy      %s the target with %s chance", buy_of(t, s, n),
                       chance(t, h->chance));
    clg_text_print(t, "\n");
}

/* Whether more are surer: how requests fall on them is chance, too. */
static bool is_surer(const clg_larger *l, int i) {
    for (int j = 0; j < i; j++)
        if (l[j].replicas >= l[i].replicas || l[j].bears >= l[i].bears) return false;
    return true;
}

/* "surer: 120 GPUs with 76 %, 160 with 85 %; 176 with 90 % for 75.0 ms each". */
static void print_surer(clg_text *t, const clg_serve_question *s, const clg_serve_cliff *c) {
    size_t from = t->size;
    int64_t before = 0;
    const char *comma = "";
    clg_text_print(t, "         surer:");
    for (int i = 1; i < CLG_LARGER; i++) {
        if (!is_surer(c->larger, i)) continue;
        clg_text_print(t, "%s %s with %s", comma, gpus_of(t, s, c->larger[i].replicas),
                       chance(t, c->larger[i].chance));
        comma = ",";
    }
    for (int i = 0; i < CLG_SLACKS; i++) {
        const clg_slack *k = &c->slack[i];
        if (k->replicas == 0 || k->replicas == before) continue;
        clg_text_print(
            t, "%s %s for %s%s", before > 0 ? "," : "; with 90 %", gpus_of(t, s, k->replicas),
            clg_words_quantity(t, c->by_first ? k->target.ttft_s : k->target.tpot_s, CLG_SECONDS),
            c->by_first ? " to the first token" : " each");
        before = k->replicas;
    }
    clg_text_print(t, "\n");
    clg_text_fold(t, from, 9);
}

/* Iterations that take so many times what is predicted slow a client alone as much: who measures
 * him knows which fleet to buy. */
static void print_measure(clg_text *t, const clg_serve_question *s, const clg_serve_cliff *c) {
    size_t from = t->size;
    clg_text_print(t, "         measure before: alone on a replica %s takes %s as predicted; up to",
                   c->by_first ? "the first token" : "each token",
                   clg_words_quantity(t, c->alone_s, CLG_SECONDS));
    for (int i = 0; i < CLG_LARGER; i++)
        if (is_surer(c->larger, i))
            clg_text_print(t, i > 0 ? ", to %s %s" : " %s %s GPUs do",
                           clg_words_quantity(t, c->alone_s * c->larger[i].bears, CLG_SECONDS),
                           gpus_of(t, s, c->larger[i].replicas));
    clg_text_print(t, "\n");
    clg_text_fold(t, from, 9);
}

static void print_cliff(clg_text *t, const clg_serve_question *s, const clg_serve_cliff *c) {
    if (!c->known) return;
    print_surer(t, s, c);
    print_measure(t, s, c);
}

/* What those to buy cost; without such a fleet, the sized one. */
static void print_money(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a,
                        const clg_serve_headroom *h) {
    clg_bill b = clg_bill_of(s, a);
    int64_t n = a->fleet.replicas;
    double ratio = h->buy_replicas > n ? (double)h->buy_replicas / (double)n : 1;
    if (!(b.usd_per_h > 0) || !isfinite(b.usd_per_month)) return;
    clg_text_print(t, "         for %s an hour, %s in 30 days",
                   clg_words_bill(t, ratio * b.usd_per_h),
                   clg_words_bill(t, ratio * b.usd_per_month));
    if (isfinite(b.api_usd_per_month))
        clg_text_print(t, "; the API takes %s", clg_words_bill(t, b.api_usd_per_month));
    clg_text_print(t, "\n");
}

/* What the target is held for in the busiest part, which a whole span may meet it in spite of. */
static void print_held(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a,
                       const clg_serve_headroom *h, const char *held) {
    bool part = h->busiest_s > 0 && a->meets;
    const char *ratio = clg_arena_print(t->arena, "%s, %.2f x this demand", held, h->next_ratio);
    size_t from = t->size;
    if (part)
        clg_text_print(t,
                       "         %s GPUs meet it over the whole span, in that part with the "
                       "margin for %s\n",
                       gpus_of(t, s, a->fleet.replicas), ratio);
    else
        clg_text_print(t, "         with the margin it is held for %s\n", ratio);
    clg_text_fold(t, from, 9);
}

static void print_next(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a,
                       const clg_serve_headroom *h) {
    double counted = s->demand->apart ? s->demand->clients : s->demand->users;
    bool users = counted > 0;
    double now = users ? counted : clg_demand_rate_per_s(s->demand);
    if (h->busiest_s > 0)
        clg_text_print(t, "         all by the busiest %s\n",
                       clg_words_quantity(t, h->busiest_s, CLG_SECONDS));
    if (h->next_ratio == 0) return;
    const char *held =
        clg_arena_print(t->arena, "%s%s %s", h->next_ratio >= CLG_HEADROOM_MOST ? "more than " : "",
                        clg_words_few(t, users ? floor(h->next_ratio * now) : h->next_ratio * now),
                        users ? "users" : "requests/s");
    if (h->next_ratio < 1)
        print_held(t, s, a, h, held);
    else
        clg_text_print(t, "         %s %s, %.2f x this demand\n",
                       is_given(s) ? "it is held for up to" : "the next GPUs are due at", held,
                       h->next_ratio);
}

/* "+10 % a month: the next GPUs are due in 1.5 months; 3 GPUs in 3 months, 4 in 6". */
static void print_growth(clg_text *t, const clg_serve_question *s, const clg_serve_headroom *h) {
    size_t from = t->size;
    if (s->growth == 0.0) return;
    bool due = isfinite(h->next_months) && h->next_ratio < CLG_HEADROOM_MOST;
    clg_text_print(t, "growth   %+.3g %% a month: ", 100 * s->growth);
    if (due)
        clg_text_print(t, "the next GPUs are due in %.1f months", h->next_months);
    else
        clg_text_print(t, "no more GPUs are due soon");
    for (int i = 0; i < CLG_GROWN && h->grown_replicas[i] > 0; i++)
        clg_text_print(t, "%s %s%s in %d%s", i > 0 ? "," : ";", gpus_of(t, s, h->grown_replicas[i]),
                       i > 0                                                      ? ""
                       : h->grown_replicas[i] * clg_replica_gpus(s->replica) == 1 ? " GPU"
                                                                                  : " GPUs",
                       clg_grown_months[i], i > 0 ? "" : " months");
    clg_text_print(t, "\n");
    clg_text_fold(t, from, 9);
}

static void print_order(clg_text *t, const clg_serve_question *s, const clg_serve_headroom *h) {
    if (h->lead_ratio <= 0) return;
    const char *when = clg_words_quantity(t, s->lead_s, CLG_SECONDS);
    int64_t all = h->lead_replicas, more = all - h->buy_replicas;
    clg_text_print(t, "order    in %s demand is %.2f x: ", when, h->lead_ratio);
    if (all == 0)
        clg_text_print(t, "no fleet to order holds it with 90 %% chance\n");
    else
        clg_text_print(t, "%s GPU%s then hold%s it with 90 %% chance; order %s more than to buy\n",
                       gpus_of(t, s, all), count_of(s, all) > 1 ? "s" : "",
                       count_of(s, all) > 1 ? "" : "s", more > 0 ? gpus_of(t, s, more) : "no");
}

static void print_lost(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a,
                       const clg_serve_headroom *h) {
    size_t from = t->size;
    if (h->lost_replicas == a->fleet.replicas)
        clg_text_print(t, "         one node holds all of it: lose it, and nobody is served\n");
    else
        clg_text_print(
            t,
            "         a node lost (%s GPUs): %.*f%% are served in time, nine in ten within %s%s\n",
            gpus_of(t, s, h->lost_replicas), h->lost_share > 0.99 ? 2 : 0, 100 * h->lost_share,
            clg_words_quantity(t, h->lost_ttft_s, CLG_SECONDS),
            clg_answers_of_one(s)
                ? ""
                : clg_arena_print(t->arena, " and %s each",
                                  clg_words_quantity(t, h->lost_tpot_s, CLG_SECONDS)));
    clg_text_fold(t, from, 9);
}

void clg_report_headroom(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a,
                         const clg_serve_headroom *h) {
    if (!h->known) return;
    print_chance(t, s, a, h);
    if (!is_given(s)) print_money(t, s, a, h);
    print_cliff(t, s, &h->cliff);
    print_next(t, s, a, h);
    print_growth(t, s, h);
    print_order(t, s, h);
    print_lost(t, s, a, h);
}

static void add_cliff(clg_json_writer *w, const clg_serve_cliff *c, int gpus) {
    if (!c->known) return;
    clg_json_open(w, "cliff", '{');
    clg_json_add_number(w, "client_alone_s", c->alone_s);
    clg_json_open(w, "fleets", '[');
    for (int i = 0; i < CLG_LARGER; i++) {
        clg_json_open(w, NULL, '{');
        clg_json_add_integer(w, "gpus", c->larger[i].replicas * gpus);
        clg_json_add_number(w, "chance", c->larger[i].chance);
        clg_json_add_number(w, "client_alone_at_most_s", c->alone_s * c->larger[i].bears);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
    clg_json_open(w, "looser", '[');
    for (int i = 0; i < CLG_SLACKS; i++) {
        if (c->slack[i].replicas == 0) continue;
        clg_json_open(w, NULL, '{');
        clg_json_add_number(w, "ttft_s", c->slack[i].target.ttft_s);
        clg_json_add_number(w, "tpot_s", c->slack[i].target.tpot_s);
        clg_json_add_integer(w, "gpus", c->slack[i].replicas * gpus);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
    clg_json_close(w, '}');
}

void clg_json_headroom(clg_json_writer *w, const clg_serve_question *s,
                       const clg_serve_headroom *h) {
    int gpus = clg_replica_gpus(s->replica);
    if (!h->known) return;
    clg_json_open(w, "headroom", '{');
    clg_json_add_number(w, "chance", h->chance);
    if (s->replicas == 0) {
        clg_json_add_integer(w, "buy_gpus", h->buy_replicas * gpus);
        clg_json_add_number(w, "buy_chance", h->buy_chance);
        add_cliff(w, &h->cliff, gpus);
    }
    if (s->demand->apart)
        clg_json_add_number(w, "next_at_clients", h->next_ratio * s->demand->clients);
    else
        clg_json_add_number(w, "next_at_requests_per_s",
                            h->next_ratio * clg_demand_rate_per_s(s->demand));
    if (isfinite(h->next_months)) clg_json_add_number(w, "next_in_months", h->next_months);
    for (int i = 0; i < CLG_GROWN && h->grown_replicas[i] > 0; i++)
        clg_json_add_integer(
            w, clg_arena_print(w->text->arena, "gpus_in_%d_months", clg_grown_months[i]),
            h->grown_replicas[i] * gpus);
    if (h->lead_ratio > 0) {
        clg_json_add_number(w, "lead_ratio", h->lead_ratio);
        if (h->lead_replicas > 0) clg_json_add_integer(w, "lead_gpus", h->lead_replicas * gpus);
    }
    clg_json_add_integer(w, "node_gpus", h->lost_replicas * gpus);
    clg_json_add_number(w, "share_without_node", h->lost_share);
    if (h->lost_share < 1 && h->lost_ttft_s > 0) {
        clg_json_add_number(w, "ttft_p90_without_node_s", h->lost_ttft_s);
        clg_json_add_number(w, "tpot_p90_without_node_s", h->lost_tpot_s);
    }
    clg_json_close(w, '}');
}
