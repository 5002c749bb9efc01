/* diagnose.c -- likelihoods over a grid of strengths, and their ranking. */
#include "diagnose/diagnose.h"

#include "base/normal.h"
#include "base/real.h"
#include "cost/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const clg_name clg_verdict_names[] = {{"healthy", CLG_HEALTHY, NULL},
                                      {"slow", CLG_SLOW, NULL},
                                      {"fast", CLG_FAST, NULL},
                                      {NULL, 0, NULL}};

enum { MOST_STRENGTHS = 128 }; /* of a cause, either way */

typedef struct trial {
    clg_arena *arena;
    const clg_scenario *scenario;
    const clg_evaluation *plan;
    const clg_observations *seen;
    clg_scenario *changed; /* room for a world's own */
    clg_diagnosis_rules rules;
    double longest_s; /* of all worlds priced, the plan among them */
} trial;

/* Student's t, three degrees of freedom, with the P10 and P90 of a normal of this sigma: 1.638 of
 * its own scale. */
static double student(double z, double sigma) {
    static const double to_tenth = 1.6377443537, peak = 0.3675525970; /* 2 / (pi sqrt(3)) */
    double scale = sigma * CLG_SIGMAS_TO_TENTH / to_tenth;
    double density = 1 + z * z / (3 * scale * scale);
    return peak / (density * density * scale);
}

static double normal(double z, double sigma) { return clg_normal_density(z / sigma) / sigma; }

/* Strengths a cause may have, equally likely. Levels count up; what is miscounted is so by whole
 * factors, either way; the rest is geometric, what is not known either way too. */
static int strengths_of(const clg_job_cause_facts *f, int steps, double strength[MOST_STRENGTHS]) {
    int count = 0;
    if (strcmp(f->form, "flag") == 0 || f->worst <= f->mildest) {
        strength[count++] = f->mildest;
    } else if (strcmp(f->form, "level") == 0) {
        for (double level = f->mildest; level <= f->worst && count < MOST_STRENGTHS; level++)
            strength[count++] = level;
    } else if (strcmp(f->form, "count") == 0) {
        for (int i = 0; i < f->factors; i++) strength[count++] = f->factor[i];
    } else {
        bool excess = strcmp(f->form, "excess") == 0; /* over one */
        double from = f->mildest - excess, all = log((f->worst - excess) / from);
        bool either = strcmp(f->form, "either") == 0;
        for (int i = 0; i < steps; i++) {
            double at = excess + from * clg_exp(all * i / (steps - 1));
            strength[count++] = at;
            if (either) strength[count++] = 1 / at;
        }
    }
    return count;
}

static double bus_of(const trial *t, const clg_scenario *world, const clg_observed_bus *bus) {
    int ranks = bus->nodes * world->machine.node.gpus;
    double bytes = bus->bytes > 0 ? bus->bytes : t->rules.large_bytes;
    return clg_sweep_at(&world->network, &world->machine, bus->collective, ranks > 1 ? ranks : 2,
                        bytes)
        .bus_bytes_per_s;
}

/* How far a measured step may be from the priced one, in its logarithm, where one side of the
 * interval is so wide. */
static double sigma_of(const trial *t, double side) {
    double planned = side / CLG_SIGMAS_TO_TENTH, measured = t->rules.measured_sigma;
    double counts = t->seen->counted ? t->rules.counts_sigma : 0;
    return sqrt(planned * planned + counts * counts + measured * measured);
}

static double early_sigma(const trial *t) {
    return sigma_of(t, log(t->plan->step_s / t->plan->step_p10_s));
}

static double late_sigma(const trial *t) {
    double late = sigma_of(t, log(t->plan->step_p90_s / t->plan->step_s)), early = early_sigma(t);
    return late > early ? late : early;
}

/* Where a cause is at work: a density of two halves, by either side of the interval as printed. */
static double troubled(const trial *t, double z) {
    double early = early_sigma(t), late = late_sigma(t), own = z > 0 ? late : early;
    return student(z, own) * 2 * own / (early + late);
}

/* Where nothing is wrong: the same, but that it falls beyond P90 as the early side does beyond P10:
 * who is later still had causes. */
static double as_planned(const trial *t, double z) {
    double early = early_sigma(t), late = late_sigma(t), own = z > 0 ? late : early;
    double beyond = z - CLG_SIGMAS_TO_TENTH * late, tenth = CLG_SIGMAS_TO_TENTH * early;
    double halves = 2 * own / (early + late);
    if (beyond <= 0) return normal(z, own) * halves;
    return normal(z - beyond, own) * halves * normal(tenth + beyond, early) / normal(tenth, early);
}

/* A step as a world has it. */
typedef struct priced {
    double step_s;
    double least_s; /* what its operations take at the GPU's peak: no step is shorter */
    double other_s; /* the same at the other size that was measured */
    clg_signs signs;
} priced;

/* How well a world agrees with all that was seen, under densities of ln(seen / priced). Of a second
 * size only what it adds to the first is weighed. */
static double likelihood(const trial *t, const clg_scenario *world,
                         double (*step)(const trial *, double), priced p) {
    double (*density)(double, double) = step == troubled ? student : normal;
    const clg_network *network = &world->network;
    double all = 1, measured = t->rules.measured_sigma, pair = t->rules.pair_sigma;
    double seen_s = t->seen->step_s, slack = t->seen->counted ? t->rules.counts_sigma : 0;
    if (seen_s > 0 && seen_s < p.least_s * (1 - slack - measured)) return 0;
    if (seen_s > 0) all *= step(t, log(seen_s / p.step_s));
    if (seen_s > 0 && t->seen->before_s > 0)
        all *= density(log(seen_s / t->seen->before_s) - log(p.step_s / t->plan->step_s),
                       t->rules.before_sigma);
    if (seen_s > 0 && t->seen->other)
        all *= density(log(t->seen->other_s / p.other_s) - log(seen_s / p.step_s),
                       sqrt(pair * pair + 2 * measured * measured));
    for (int i = 0; i < t->seen->buses; i++) {
        const clg_observed_bus *bus = &t->seen->bus[i];
        double spread = bus->nodes > 1 ? network->sigma_slow : network->sigma_fast;
        double expected = bus_of(t, world, bus);
        all *= density(log(bus->bus_bytes_per_s / expected),
                       sqrt(spread * spread + measured * measured));
    }
    return all *
           clg_signs_agree(&t->rules, t->seen, &p.signs, seen_s > 0 ? seen_s : p.step_s, density);
}

static clg_world world_of(const trial *t, const clg_job_cause_facts *facts,
                          const clg_evaluation *plan, clg_scenario *room) {
    *room = *t->scenario;
    return (clg_world){.arena = t->arena,
                       .scenario = room,
                       .layout = plan->layout,
                       .plan = plan,
                       .counted = 1,
                       .memory_from = facts->memory_from};
}

/* The other size where the cause holds; as planned where it cannot be there: one node has no
 * network. */
static double other_size_s(trial *t, const clg_job_cause *cause, const clg_job_cause_facts *facts,
                           double strength) {
    const clg_evaluation *plan = t->seen->other;
    if (!plan) return 0;
    clg_world w = world_of(t, facts, plan, clg_take(t->arena, 1, clg_scenario));
    clg_evaluation e;
    clg_error none = {0};
    bool held = cause->holds(&w, strength) &&
                clg_evaluate(t->arena, w.scenario, &w.layout, false, NULL, &e, &none) == CLG_OK;
    return held ? (e.step_s + w.more_s) * w.counted : plan->step_s;
}

/* Prices the step in the world where a cause has this strength; false where it cannot be. */
static bool price(trial *t, const clg_job_cause *cause, const clg_job_cause_facts *facts,
                  double strength, double *step_s, double *busy, double *likely) {
    clg_arena_mark mark = clg_arena_here(t->arena);
    clg_world w = world_of(t, facts, t->plan, t->changed);
    clg_evaluation e;
    clg_error none = {0};
    bool done = cause->holds(&w, strength) &&
                clg_evaluate(t->arena, t->changed, &w.layout, false, NULL, &e, &none) == CLG_OK;
    if (done) {
        *step_s = (e.step_s + w.more_s) * w.counted;
        priced p = {*step_s, e.step_s * e.hfu * w.counted, other_size_s(t, cause, facts, strength),
                    clg_signs_of(&w, &e)};
        *busy = p.signs.silent ? -1 : p.signs.value[CLG_SIGN_BUSY];
        *likely = likelihood(t, t->changed, troubled, p);
        if (*step_s > t->longest_s) t->longest_s = *step_s;
    }
    clg_arena_back_to(t->arena, mark);
    return done;
}

/* Of a large all-reduce over the whole job, or inside a box where that tells more, as planned and
 * under the likeliest strength. */
static void tell_bus(const trial *t, const clg_job_cause *cause, clg_suspect *s) {
    clg_world w = world_of(t, &s->facts, t->plan, t->changed);
    const clg_machine *machine = &t->scenario->machine;
    int ranks = (int)clg_layout_gpus(&t->plan->layout);
    if (ranks < 2) return;
    cause->holds(&w, s->strength);
    bool inside = t->changed->network.fast.bytes_per_s < t->scenario->network.fast.bytes_per_s;
    s->bus_inside = inside || ranks <= machine->node.gpus;
    if (inside && ranks > machine->node.gpus) ranks = machine->node.gpus;
    s->planned_bus_bytes_per_s =
        clg_sweep_at(&t->scenario->network, machine, CLG_ALL_REDUCE, ranks, t->rules.large_bytes)
            .bus_bytes_per_s;
    s->bus_bytes_per_s =
        clg_sweep_at(&t->changed->network, machine, CLG_ALL_REDUCE, ranks, t->rules.large_bytes)
            .bus_bytes_per_s;
    s->tells_bus = s->bus_bytes_per_s < (1 - t->rules.told) * s->planned_bus_bytes_per_s;
}

/* The weight of a cause: its prior, among the jobs where it can be, times the mean of its
 * likelihoods. What a job's settings do, they did before. */
static double weigh(trial *t, const clg_job_cause *cause, clg_suspect *s) {
    double strength[MOST_STRENGTHS], sum = 0, best = 0;
    int count = strengths_of(&s->facts, t->rules.strengths, strength), held = 0;
    if (t->seen->before_s > 0 && !s->facts.comes) return 0;
    for (int i = 0; i < count; i++) {
        double step_s, busy, likely;
        if (!price(t, cause, &s->facts, strength[i], &step_s, &busy, &likely)) continue;
        bool felt = step_s > t->plan->step_s * (1 + t->rules.felt) ||
                    step_s < t->plan->step_s * (1 - t->rules.felt);
        held++;
        if (!felt && t->seen->buses == 0) continue;
        sum += likely;
        if (likely <= best) continue;
        best = likely;
        s->strength = strength[i];
        s->step_s = step_s;
        s->busy = busy;
    }
    double prior = s->facts.prior * (t->seen->counted ? s->facts.counted : 1);
    if (s->line) prior *= t->rules.line_odds;
    prior *= clg_memory_odds(&t->rules, t->seen, t->plan->capacity_bytes, &s->facts);
    return held > 0 ? prior / s->facts.possible * sum / held : 0;
}

static int by_probability(const void *left, const void *right) {
    const clg_suspect *a = left, *b = right;
    if (a->probability != b->probability) return a->probability > b->probability ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* A healthy job is as likely as all that can be wrong together, however that was weighed. */
static double weigh_healthy(const trial *t, const clg_diagnosis *d, double prior) {
    if (t->seen->counted)
        for (int i = 0; i < d->suspects; i++)
            prior += d->suspect[i].facts.prior * (d->suspect[i].facts.counted - 1);
    return prior;
}

/* What a cause at this strength costs: beside a step of the plan, at most what was measured. */
static double explained_s(const trial *t, const clg_suspect *s) {
    double over = s->step_s - t->plan->step_s;
    double most = t->seen->step_s > 0 ? t->seen->step_s - t->plan->step_s : over;
    if (over > most) over = most;
    return over > 0 ? over : 0;
}

/* A job as planned still waits: for what, its own ledger says. */
static void add_planned(const trial *t, double healthy, double all_s, clg_suspect *s,
                        double seconds) {
    if (all_s <= 0 || seconds <= 0) return;
    double share = healthy * seconds / all_s;
    s->planned = share > s->probability;
    s->probability += share;
    if (!s->planned) return;
    s->explains_s = seconds;
    s->step_s = t->plan->step_s;
}

/* A step below P10 waits for less than its ledger says. */
static void add_waits(const trial *t, clg_diagnosis *d) {
    double seconds[CLG_SUSPECTS], all_s = 0;
    int count;
    const clg_job_cause *cause = clg_job_causes(&count);
    if (t->seen->step_s > 0 && t->seen->step_s < t->plan->step_p10_s) return;
    for (int i = 0; i < count; i++) {
        seconds[i] = cause[i].planned_s ? cause[i].planned_s(t->arena, t->scenario, t->plan) : 0;
        all_s += seconds[i];
    }
    for (int i = 0; i < count; i++) add_planned(t, d->healthy, all_s, &d->suspect[i], seconds[i]);
}

/* Without a measured step: what was seen against the same as planned, more being slower. */
static bool signs_of_slowness(const trial *t, const clg_signs *planned) {
    const clg_observations *seen = t->seen;
    const clg_observed_sign *busy = &seen->sign[CLG_SIGN_BUSY];
    const clg_observed_sign *met = &seen->sign[CLG_SIGN_COMMUNICATION];
    double as_planned = 1, as_seen = 1;
    for (int i = 0; i < seen->buses; i++) {
        as_seen *= bus_of(t, t->scenario, &seen->bus[i]);
        as_planned *= seen->bus[i].bus_bytes_per_s;
    }
    if (busy->seen) as_seen *= planned->value[CLG_SIGN_BUSY], as_planned *= busy->value;
    if (met->seen) as_seen *= met->value, as_planned *= planned->value[CLG_SIGN_COMMUNICATION];
    for (int i = CLG_SIGN_DATA; i <= CLG_SIGN_OPTIMIZER; i++) {
        if (!seen->sign[i].seen) continue;
        as_seen *= t->plan->step_s + seen->sign[i].value;
        as_planned *= t->plan->step_s + planned->value[i];
    }
    if (seen->other) as_seen *= seen->other_s, as_planned *= seen->other->step_s;
    return as_seen > as_planned;
}

/* A step between P10 and P90, of which no more is known, is as printed. */
static bool within_alone(const trial *t) {
    const clg_observations *seen = t->seen;
    bool more = seen->other || seen->before_s > 0 || seen->buses > 0 || seen->log.text;
    for (int i = 0; i < CLG_SIGNS; i++) more |= seen->sign[i].seen;
    return !more && seen->step_s >= t->plan->step_p10_s && seen->step_s <= t->plan->step_p90_s;
}

static clg_verdict verdict_of(const trial *t, const clg_diagnosis *d) {
    if (d->healthy >= 0.5 || within_alone(t)) return CLG_HEALTHY;
    bool slow =
        t->seen->step_s > 0 ? t->seen->step_s > t->plan->step_s : signs_of_slowness(t, &d->planned);
    return slow ? CLG_SLOW : CLG_FAST;
}

static clg_status suspects_of(trial *t, clg_diagnosis *d, double *all, clg_error *error) {
    const clg_job_cause *cause = clg_job_causes(&d->suspects);
    for (int i = 0; i < d->suspects; i++) {
        clg_suspect *s = &d->suspect[i];
        *s = (clg_suspect){.name = cause[i].name, .step_s = t->plan->step_s};
        if (clg_job_cause_facts_find(t->arena, s->name, &s->facts, error) != CLG_OK)
            return CLG_BAD_INPUT;
        if (s->facts.worst_said > 0 && t->plan->layout.offload)
            s->facts.worst = s->facts.worst_said;
        s->line = clg_line_seen(t->scenario, &t->plan->layout, &t->seen->log, s->name, &s->facts);
        s->probability = weigh(t, &cause[i], s);
        s->explains_s = explained_s(t, s);
        if (s->probability > 0) tell_bus(t, &cause[i], s);
        *all += s->probability;
    }
    return CLG_OK;
}

/* Operations counted beside a timed step: the chance that the count is off. The job is none the
 * worse for it, so that its other causes share what is left. */
static void weigh_count(const trial *t, double rightly, clg_diagnosis *d) {
    double strength[MOST_STRENGTHS], sum = 0, best = 0, counts = t->rules.counts_sigma;
    if (t->seen->count_s <= 0) return;
    double off = log(t->seen->count_s / t->seen->step_s);
    clg_suspect *s = d->suspect;
    while (strcmp(s->name, "miscounted") != 0) s++;
    int count = strengths_of(&s->facts, t->rules.strengths, strength);
    for (int i = 0; i < count; i++) {
        double likely = student(off - log(strength[i]), counts);
        sum += likely;
        if (likely <= best) continue;
        best = likely;
        s->strength = strength[i];
    }
    double wrongly = s->facts.prior * sum / count;
    double chance = wrongly / (wrongly + rightly * normal(off, counts));
    for (int i = 0; i < d->suspects; i++) d->suspect[i].probability *= 1 - chance;
    s->probability += chance;
    s->planned = false;
}

/* Beyond what any cause does the tails of all causes are alike, and would say "healthy". */
static clg_status refuse_far(const trial *t, double weights, clg_error *error) {
    double seen_s = t->seen->step_s, planned_s = t->plan->step_s;
    if (seen_s <= 0 ||
        (weights > 0 && seen_s < t->longest_s * clg_exp(t->rules.beyond * early_sigma(t))))
        return CLG_OK;
    bool slower = seen_s > planned_s;
    return clg_fail(error, CLG_BAD_INPUT,
                    "check the unit, the model, --gpus, --seq and --global-batch",
                    "'%.24s' is %.3g times as %s as planned: no cause known here does that",
                    t->seen->written ? t->seen->written : "",
                    slower ? seen_s / planned_s : planned_s / seen_s, slower ? "slow" : "fast");
}

clg_status clg_diagnose(clg_arena *arena, const clg_scenario *scenario, const clg_evaluation *plan,
                        const clg_observations *seen, clg_diagnosis *d, clg_error *error) {
    trial t = {.arena = arena,
               .scenario = scenario,
               .plan = plan,
               .seen = seen,
               .longest_s = plan->step_s};
    clg_job_cause_facts well;
    double all = 0;
    *d = (clg_diagnosis){0};
    t.changed = clg_take(arena, 1, clg_scenario);
    if (clg_diagnosis_rules_find(arena, &t.rules, error) != CLG_OK ||
        clg_job_cause_facts_find(arena, "healthy", &well, error) != CLG_OK ||
        suspects_of(&t, d, &all, error) != CLG_OK)
        return CLG_BAD_INPUT;
    clg_world as_given = world_of(&t, &well, plan, t.changed);
    priced planned = {plan->step_s, plan->step_s * plan->hfu, seen->other ? seen->other->step_s : 0,
                      clg_signs_of(&as_given, plan)};
    d->planned = planned.signs;
    d->healthy = weigh_healthy(&t, d, well.prior) * likelihood(&t, scenario, as_planned, planned);
    if (refuse_far(&t, d->healthy + all, error) != CLG_OK) return CLG_BAD_INPUT;
    d->healthy /= d->healthy + all;
    for (int i = 0; i < d->suspects; i++)
        d->suspect[i].probability *= (1 - d->healthy) / (all > 0 ? all : 1);
    add_waits(&t, d);
    weigh_count(&t, well.prior, d);
    qsort(d->suspect, (size_t)d->suspects, sizeof *d->suspect, by_probability);
    d->verdict = verdict_of(&t, d);
    clg_choose_next(d, seen);
    return CLG_OK;
}
