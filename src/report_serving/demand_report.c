/* demand_report.c -- serving economics: who asks, what serves, how fast, what it costs and why. */
#include "report_serving/demand_parts.h"

#include "report/number_words.h"
#include "report_serving/headroom_report.h"
#include "serve/degree.h"
#include "serve/offline.h"
#include "units/units.h"

#include <math.h>

/* Above this share of capacity a point says nothing: 5 % in the cost of an iteration is 100 % in
 * the wait (W = 1/(mu - lambda)). */
static const double trusted_load = 0.95;

static void print_rate(clg_text *t, const clg_demand *d) {
    if (d->clients > 0)
        clg_text_print(t, "%.0f client%s in a closed loop\n", d->clients,
                       d->clients == 1 ? "" : "s");
    else if (d->span_s <= 0)
        clg_text_print(t, "all at once\n");
    else
        clg_text_print(t, "%s a second over %s, busiest %s %.2f x the mean\n",
                       clg_words_few(t, clg_demand_rate_per_s(d)),
                       clg_words_quantity(t, d->span_s, CLG_SECONDS),
                       clg_demand_peak_s(d) >= 60
                           ? "minute"
                           : clg_words_quantity(t, clg_demand_peak_s(d), CLG_SECONDS),
                       clg_demand_peak_over_mean(d));
}

/* Rows that were left out, by reason. */
static void print_lost(clg_text *t, const clg_demand *d) {
    const clg_demand_losses *l = &d->lost;
    const struct {
        int64_t count;
        const char *why;
    } rows[] = {{l->unreadable, "unreadable"},
                {l->negative, "negative"},
                {l->empty, "without prompt or output"},
                {l->absurd, "absurd"}};
    int64_t lost = clg_demand_lost(d);
    const char *between = ": ";
    if (lost == 0) return;
    clg_text_print(t, "         left out %s row%s", clg_words_grouped(t, (double)lost),
                   lost == 1 ? "" : "s");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].count == 0) continue;
        clg_text_print(t, "%s%s %s", between, clg_words_grouped(t, (double)rows[i].count),
                       rows[i].why);
        between = ", ";
    }
    clg_text_print(t, "\n");
}

/* Whether every request is as long as the first: the tails of real ones are missing. */
static bool alike(const clg_demand *d) {
    for (int64_t i = 1; i < d->count; i++)
        if (d->request[i].prompt_tokens != d->request[0].prompt_tokens ||
            d->request[i].output_tokens != d->request[0].output_tokens)
            return false;
    return d->count > 1;
}

static void print_demand(clg_text *t, const clg_demand *d) {
    clg_demand_means m = clg_demand_means_of(d);
    clg_text_print(t, "demand   %s\n         %s request%s, ", d->title ? d->title : "made up",
                   clg_words_grouped(t, (double)d->count), d->count == 1 ? "" : "s");
    print_rate(t, d);
    clg_text_print(t, "         %s tokens in and %s out each%s; %s out in all\n",
                   clg_words_grouped(t, m.prompt_tokens), clg_words_grouped(t, m.output_tokens),
                   alike(d) ? ", all alike (--spread)" : "",
                   clg_words_quantity(t, (double)d->output_tokens, CLG_TOKENS));
    print_lost(t, d);
    if (d->moved > 0)
        clg_text_print(t, "         %lld %s out of order sorted in\n", (long long)d->moved,
                       d->moved == 1 ? "row" : "rows");
}

/* What is said of the end of an interval that no fleet reaches. */
const char clg_words_no_fleet[] = "no fleet";

static const char *fleet_gpus(clg_text *t, const clg_serve_question *s, const clg_serve_bound *b) {
    if (!b->attainable) return clg_words_no_fleet;
    double gpus = (double)b->replicas * clg_replica_gpus(s->replica);
    return clg_words_grouped(t, gpus);
}

static void print_sized(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    if (s->replicas > 0) return;
    clg_text_print(t,
                   "         P10 %s – P90 %s%s, by how far off tokens/s of such models were on "
                   "other tables\n",
                   fleet_gpus(t, s, &a->fast), fleet_gpus(t, s, &a->slow),
                   a->slow.attainable ? " GPUs" : "");
    if (a->slow.attainable &&
        clg_is_past_cliff((double)a->fleet.replicas, (double)a->slow.replicas))
        clg_text_print(t,
                       "         P90 is past a cliff: that slow, a replica meets the target with "
                       "hardly any load\n");
}

/* How a given fleet would do at both ends; one that is sized meets the target by its size. */
static const char *by_given(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    if (s->replicas == 0) return "";
    return clg_arena_print(t->arena, " (P10 %.2f%% – P90 %.2f%%)", 100 * a->slow.well_served,
                           100 * a->fast.well_served);
}

static void print_needs(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    int gpus = clg_replica_gpus(s->replica);
    clg_text_print(
        t, "%-8s %s replica%s = %s GPU%s for %s to the first token%s, %.3g%% of requests\n",
        s->replicas > 0 ? "given" : "needs", clg_words_grouped(t, (double)a->fleet.replicas),
        a->fleet.replicas == 1 ? "" : "s", clg_words_grouped(t, (double)a->fleet.replicas * gpus),
        a->fleet.replicas * gpus == 1 ? "" : "s",
        clg_words_quantity(t, s->target.ttft_s, CLG_SECONDS),
        clg_answers_of_one(s)
            ? ""
            : clg_arena_print(t->arena, " and %s each",
                              clg_words_quantity(t, s->target.tpot_s, CLG_SECONDS)),
        100 * s->target.share);
    print_sized(t, s, a);
    clg_text_print(t, "         %s: %.2f%% are served within %s%s\n", a->meets ? "met" : "NOT MET",
                   100 * a->fleet.well_served, clg_answers_of_one(s) ? "that" : "both",
                   by_given(t, s, a));
    if (a->windows > 1)
        clg_text_print(t,
                       "         scaled over %lld windows: %.2f replicas on average, %.0f at "
                       "most\n",
                       (long long)a->windows, a->windows_mean, a->windows_most);
    if (a->fleet.refused > 0)
        clg_text_print(t, "         refused, because they can never fit in the cache: %s\n",
                       clg_words_grouped(t, (double)a->fleet.refused));
}

/* A fleet that no target is set to: clients that wait for answers, or all at once. */
static void print_given(clg_text *t, const clg_serve_question *s) {
    double gpus = (double)s->replicas * clg_replica_gpus(s->replica);
    const char *each = "";
    if (s->demand->clients > 0)
        each =
            clg_arena_print(t->arena, ", %s clients each",
                            clg_words_grouped(t, ceil(s->demand->clients / (double)s->replicas)));
    clg_text_print(t, "given    %s replica%s = %s GPU%s%s\n",
                   clg_words_grouped(t, (double)s->replicas), s->replicas == 1 ? "" : "s",
                   clg_words_grouped(t, gpus), gpus > 1 ? "s" : "", each);
}

static void print_times(clg_text *t, const char *name, const clg_percentiles *p, double doubt) {
    clg_text_print(t, "         %-22s %10s %10s %10s   %s – %s\n", name,
                   clg_words_quantity(t, p->p50, CLG_SECONDS),
                   clg_words_quantity(t, p->p90, CLG_SECONDS),
                   clg_words_quantity(t, p->p99, CLG_SECONDS),
                   clg_words_quantity(t, p->p50 / doubt, CLG_SECONDS),
                   clg_words_quantity(t, p->p50 * doubt, CLG_SECONDS));
}

bool clg_answers_of_one(const clg_serve_question *s) {
    return s->demand->output_tokens == s->demand->count;
}

static void print_latency(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    clg_text_print(t, "latency  %-22s %10s %10s %10s   P10 – P90 of the p50\n", "", "p50", "p90",
                   "p99");
    print_times(t, "first token", &a->fleet.ttft_s, a->doubt.first);
    if (!clg_answers_of_one(s)) {
        print_times(t, "each token after", &a->fleet.tpot_s, a->doubt.token);
        print_times(t, "whole answer", &a->fleet.e2e_s, a->doubt.token);
    }
    clg_text_print(t,
                   "         p99 to the first token with iterations 5 %% faster %s, 5 %% slower "
                   "%s\n",
                   clg_words_quantity(t, a->ttft_low_s, CLG_SECONDS),
                   clg_words_quantity(t, a->ttft_high_s, CLG_SECONDS));
    if (a->rho > trusted_load)
        clg_text_print(t,
                       "         at %.0f %% of capacity waits are no forecast: trust the interval "
                       "only\n",
                       100 * a->rho);
}

double clg_serve_kept_full(const clg_serve_question *s, const clg_serve_answer *a,
                           const clg_serve_bound *b) {
    double loaded = a->rho * (double)a->fleet.replicas * b->scale;
    return floor(loaded / s->full_share) * clg_replica_gpus(s->replica);
}

clg_iteration clg_report_iteration(const clg_serve_question *s, const clg_serve_answer *a) {
    const clg_replica *r = s->replica;
    int pools = r->prefill ? r->decodes : 1;
    return clg_replica_iteration(r, a->fleet.mean_sequences / pools,
                                 clg_demand_means_of(s->demand).context_tokens);
}

/* Where the time of a token goes, in the batch of the busy fleet. Parts of less than half a per
 * cent are left out. */
static void print_iteration(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    clg_iteration one = clg_report_iteration(s, a);
    clg_text_print(t, "token    %s an iteration of %.0f decoding with %s tokens each, no prompt:\n",
                   clg_words_quantity(t, one.seconds, CLG_SECONDS), one.sequences,
                   clg_words_grouped(t, one.context_tokens));
    for (int i = 0; i < CLG_ITERATION_PARTS; i++) {
        double share = one.part[i] / one.seconds;
        if (share < 0.005) continue;
        clg_text_print(t, "         %-22s %10s %5.1f %%   %s\n", clg_iteration_part_names[i].name,
                       clg_words_quantity(t, one.part[i], CLG_SECONDS), 100 * share,
                       clg_iteration_part_names[i].help);
    }
    clg_text_print(t, "         with prompts read in between%s %s a token (p50)\n",
                   s->replica->cost.drafted > 0 ? " and drafts taken" : "",
                   clg_words_quantity(t, a->fleet.tpot_s.p50, CLG_SECONDS));
}

/* Clients of a closed loop ask as fast as they are answered: they keep what there is busy. */
static void print_kept(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    double gpus = (double)a->fleet.replicas * clg_replica_gpus(s->replica);
    if (s->demand->clients > 0)
        clg_text_print(t,
                       "         closed loop: %s client%s %s GPU%s at %.0f %% of that, asking when "
                       "answered\n",
                       clg_words_grouped(t, (double)s->demand->clients),
                       s->demand->clients == 1 ? " keeps" : "s keep", clg_words_grouped(t, gpus),
                       gpus > 1 ? "s" : "", 100 * a->rho);
    if (!clg_demand_in_time(s->demand) || a->brief) return;
    double slow = clg_serve_kept_full(s, a, &a->slow);
    if (slow == 0)
        clg_text_print(t, "         this demand keeps no copy above %.0f %% load\n",
                       100 * s->full_share);
    else
        clg_text_print(t,
                       "         this demand keeps %.0f GPU%s (P10 %.0f – P90 %.0f) above %.0f %% "
                       "load\n",
                       a->gpus_kept_full, a->gpus_kept_full == 1.0 ? "" : "s",
                       clg_serve_kept_full(s, a, &a->fast), slow, 100 * s->full_share);
}

/* What it makes until the last answer and, where a short demand makes that another number, what is
 * asked of it while requests come. */
static void print_made(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    const double alike = 0.02;
    double most = (double)a->fleet.replicas * a->offline_tokens_per_s, asked = a->rho * most;
    bool other = clg_demand_in_time(s->demand) && a->rho <= 1 &&
                 asked > (1 + alike) * a->fleet.output_tokens_per_s;
    clg_text_print(t, "         %s output tokens/s%s of %s at most (P10 %s – P90 %s)\n",
                   clg_words_grouped(t, other ? asked : a->fleet.output_tokens_per_s),
                   other ? " asked for" : "", clg_words_grouped(t, most),
                   clg_words_grouped(t, most / a->doubt.rate),
                   clg_words_grouped(t, most * a->doubt.rate));
    if (other)
        clg_text_print(t, "         %s until the last answer\n",
                       clg_words_grouped(t, a->fleet.output_tokens_per_s));
}

static void print_use(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    clg_text_print(t,
                   "use      busy %.1f %% of the time with %.1f sequences; MFU %.2f %%; load "
                   "(rho) %.1f %% of capacity\n",
                   100 * a->fleet.busy_share, a->fleet.mean_sequences, 100 * a->mfu, 100 * a->rho);
    if (a->fleet.found.cached > 0)
        clg_text_print(t,
                       "         %.1f %% of prompt tokens were in the prefix cache; capacity is "
                       "with as many\n",
                       100 * a->fleet.found.cached);
    if (s->replica->host_bytes_per_s > 0)
        clg_text_print(t,
                       "         %.1f %% were read back from the host's, at %s a GPU and beside "
                       "the iterations\n",
                       100 * a->fleet.found.read,
                       clg_words_quantity(t, s->replica->host_bytes_per_s, CLG_BYTES_PER_S));
    print_made(t, s, a);
    print_kept(t, s, a);
}

/* So many late requests vary by a third from one sample to the next. */
static const double told_apart = 10;

void clg_report_front_ends(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    if (clg_serve_front_binds(s, a))
        clg_text_print(t,
                       "note     not the GPU binds but the process%s that takes requests in: more "
                       "--api-servers\n",
                       s->replica->rules.front_ends > 1 ? "es" : "");
}

/* Longer than anybody waits for a first word. */
static const double waits_s = 60;

static void print_caveats(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    const clg_replica *r = s->replica;
    if (r->curves.borrowed)
        clg_text_print(t, "note     kernel times are borrowed from %s\n", r->curves.file);
    clg_report_context(t, r);
    clg_report_front_ends(t, s, a);
    if (s->spare_gpus > 0)
        clg_text_print(t, "note     %s of the GPUs given make no replica of %d: they are idle\n",
                       clg_words_grouped(t, (double)s->spare_gpus), clg_replica_gpus(r));
    if (s->demand->clients > 0 && s->replicas == 0 && a->fleet.ttft_s.p50 > waits_s)
        clg_text_print(
            t, "note     so many at once wait: --ttft 2s sizes a fleet for them, --turn-gap "
               "60s is how often a user asks\n");
    if (a->fleet.simulated < a->fleet.replicas)
        clg_text_print(t,
                       "note     %lld of the replicas %s simulated; the others are dealt "
                       "requests alike\n",
                       (long long)a->fleet.simulated, a->fleet.simulated == 1 ? "was" : "were");
    if (a->brief)
        clg_text_print(t, "note     requests come sooner than one is answered alone: a batch, paid "
                          "until its last answer;\n         rates, bursts and idle hours need a "
                          "longer --span\n");
    else if (clg_demand_in_time(s->demand) && 4 * a->fleet.e2e_s.p90 > s->demand->span_s)
        clg_text_print(t, "note     answers take long beside the time requests come in: start and "
                          "end weigh; longer --span\n");
    if (s->demand->every_s > 0 && a->fleet.e2e_s.p50 > s->demand->every_s)
        clg_text_print(t, "note     answers take longer than --turn-gap: users would ask less "
                          "often than that\n");
    double late = (1 - s->target.share) * (double)s->demand->count;
    if (clg_demand_in_time(s->demand) && late < told_apart && s->replicas == 0)
        clg_text_print(t,
                       "note     of %s requests %.0f may be late: chance decides; longer --span, "
                       "another --seed\n",
                       clg_words_grouped(t, (double)s->demand->count), floor(late));
    if (a->rho > 1 && clg_demand_in_time(s->demand) && !a->brief)
        clg_text_print(t,
                       "note     the fleet falls behind: it is paid %s longer, until its last "
                       "answer\n",
                       clg_words_quantity(t, a->fleet.span_s - s->demand->span_s, CLG_SECONDS));
    if (a->fleet.preemptions > 0)
        clg_text_print(t, "note     the cache ran full: %s preemptions\n",
                       clg_words_grouped(t, (double)a->fleet.preemptions));
}

void clg_report_demand(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a,
                       const clg_serve_headroom *h) {
    print_demand(t, s->demand);
    clg_report_replica(t, s->replica);
    if (clg_demand_in_time(s->demand) || s->demand->apart)
        print_needs(t, s, a);
    else if (s->replicas > 0)
        print_given(t, s);
    else if (s->demand->clients > 0)
        clg_text_print(t, "given    1 replica; --ttft or --tpot asks for as many as that takes\n");
    clg_report_headroom(t, s, a, h);
    print_latency(t, s, a);
    if (!clg_answers_of_one(s)) print_iteration(t, s, a);
    print_use(t, s, a);
    clg_report_money(t, s, a);
    clg_report_scaling(t, s, a);
    print_caveats(t, s, a);
}
