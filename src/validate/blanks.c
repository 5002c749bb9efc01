/* blanks.c -- completes blank columns, over what may have been. */
#include "validate/blanks.h"

#include "dataset/open.h"
#include "evaluate/interval.h"
#include "machine/seen.h"

#include <math.h>

enum { MICRO_BATCHES = 16, BATCHES = 2, CASES = CLG_SEEN * MICRO_BATCHES * BATCHES };

/* data/accuracy/blanks.json */
typedef struct open_habits {
    double more_recompute, slower_layout, batch_tokens, whole_experts;
} open_habits;

/* Whole layers are done again: as few of each chunk as fit. `evaluation` is that of all of them. */
static void fewest_layers(clg_arena *arena, const clg_scenario *scenario, clg_layout layout,
                          clg_evaluation *evaluation) {
    int chunks = layout.pp * layout.vpp, least = 1;
    int most = (scenario->model.layers + chunks - 1) / chunks;
    while (least < most) {
        clg_error error = {0};
        clg_evaluation one;
        layout.recompute_layers = least + (most - least) / 2;
        if (clg_evaluate(arena, scenario, &layout, false, NULL, &one, &error) != CLG_OK) return;
        if (one.fits) {
            *evaluation = one;
            most = layout.recompute_layers;
        } else {
            least = layout.recompute_layers + 1;
        }
    }
}

/* Where a table does not print what is recomputed: the least that fits, as its authors did. */
static const char *predict_recompute(clg_arena *arena, const clg_scenario *scenario,
                                     const clg_space *space, clg_layout layout,
                                     clg_evaluation *evaluation) {
    bool said = space->recompute.count > 0;
    int first = said ? (int)layout.recompute : CLG_RECOMPUTE_NONE;
    int last = said ? (int)layout.recompute : CLG_RECOMPUTE_FULL;
    for (int recompute = first; recompute <= last; recompute++) {
        clg_error error = {0};
        layout.recompute = (clg_recompute)recompute;
        if (clg_evaluate(arena, scenario, &layout, false, NULL, evaluation, &error) != CLG_OK)
            return clg_error_words(arena, &error);
        if (!evaluation->fits) continue;
        if (!said && recompute == CLG_RECOMPUTE_FULL)
            fewest_layers(arena, scenario, layout, evaluation);
        break;
    }
    return NULL;
}

static bool may_interleave(const clg_scenario *scenario, const clg_space *space) {
    bool said = space->schedule.count > 0 && space->schedule.value[0] != CLG_1F1B;
    return !said && clg_stack_has(scenario->stack.schedules, CLG_INTERLEAVED);
}

/* Where it does not print the chunks per stage: those that make it fastest, as its authors did. */
static const char *predict_chunks(clg_arena *arena, const clg_scenario *scenario,
                                  const clg_space *space, clg_layout layout,
                                  clg_evaluation *evaluation) {
    const char *reason = "no layout completes the row";
    int most = clg_layout_most_chunks(&scenario->model, layout.pp);
    bool found = false;
    for (int vpp = 1; vpp <= most && (vpp == 1 || may_interleave(scenario, space)); vpp++) {
        clg_evaluation one;
        if (vpp > 1 && scenario->model.layers % (layout.pp * vpp) != 0) continue;
        layout.vpp = vpp;
        layout.schedule = vpp > 1 ? CLG_INTERLEAVED : CLG_1F1B;
        const char *why = predict_recompute(arena, scenario, space, layout, &one);
        if (!found) reason = why;
        if (why || (found && (one.step_s >= evaluation->step_s || !one.fits))) continue;
        *evaluation = one;
        found = true;
    }
    return found ? NULL : reason;
}

static const char *predict_layout(clg_arena *arena, const clg_scenario *scenario,
                                  const clg_space *space, const clg_layout *layout,
                                  clg_evaluation *evaluation) {
    if (space->vpp.count == 0) return predict_chunks(arena, scenario, space, *layout, evaluation);
    return predict_recompute(arena, scenario, space, *layout, evaluation);
}

/* One way to fill the blanks. */
typedef struct filled {
    double weight, rate;
    clg_evaluation evaluation;
} filled;

typedef struct cases {
    filled *one; /* [CASES] */
    int count;
} cases;

/* Seconds a sequence: where no batch is stated, it grows with the micro-batch. */
static double pace(const filled *f) {
    return f->evaluation.step_s / (double)f->evaluation.layout.global_batch;
}

/* Whoever publishes a run has tuned it more often than not: half of the weight is the fastest's. */
static void weigh(cases *all, int first, double weight) {
    int fastest = first, count = all->count - first;
    for (int i = first; i < all->count; i++)
        if (pace(&all->one[i]) < pace(&all->one[fastest])) fastest = i;
    for (int i = first; i < all->count; i++) all->one[i].weight = weight / 2 / count;
    all->one[fastest].weight += weight / 2;
}

/* Sequences of a step where a table prints only how fast tokens go: one micro-batch of each replica
 * and, where replicas keep their gradients and sum them, the batch of a pretraining. Pipelines,
 * whose stages share more micro-batches than one, have the latter alone. */
static int batches_of(const clg_space *space, const clg_layout *l, double tokens,
                      int64_t batch[BATCHES]) {
    int64_t once = (int64_t)l->dp * l->micro_batch, step = once * l->seq;
    int64_t sums = step > 0 && l->zero < 2 ? (int64_t)(tokens / (double)step) : 1;
    int count = 0;
    if (space->global_batch > 0) {
        batch[count++] = space->global_batch;
        return count;
    }
    if (l->pp == 1 || sums < 2) batch[count++] = once;
    if (sums > 1 && (l->dp > 1 || l->pp > 1)) batch[count++] = once * sums;
    return count;
}

/* Micro-batches that need no more recomputation than one sequence does: memory is what trainers
 * fill first. Of a mixture it is one sequence: what routing asks for is not known beforehand. */
static const char *add_micro_batches(clg_arena *arena, const clg_scenario *scenario,
                                     const clg_space *space, const clg_layout *layout,
                                     const open_habits *habits, double weight, double rate,
                                     cases *all) {
    bool shared = layout->ep > 1 || layout->etp > 1, fits = true;
    int first = all->count, most = layout->micro_batch > 0 || shared ? 1 : MICRO_BATCHES;
    clg_layout l = *layout;
    if (l.micro_batch <= 0) l.micro_batch = 1;
    for (int i = 0; i < most && l.dp > 0 && fits; i++, l.micro_batch *= 2) {
        int64_t batch[BATCHES];
        int count = batches_of(space, &l, habits->batch_tokens, batch);
        for (int j = 0; j < count && fits; j++) {
            filled *f = &all->one[all->count];
            l.global_batch = batch[j];
            l.accumulation = l.global_batch / ((int64_t)l.dp * l.micro_batch);
            const char *reason = predict_layout(arena, scenario, space, &l, &f->evaluation);
            if (reason && i == 0) return reason;
            fits =
                !reason &&
                (i == 0 || (f->evaluation.fits && f->evaluation.layout.recompute <=
                                                      all->one[first].evaluation.layout.recompute));
            f->rate = rate;
            all->count += fits ? 1 : 0;
        }
    }
    if (all->count == first) return "no micro-batch divides the batch";
    weigh(all, first, weight);
    return NULL;
}

static void set_rate(clg_arena *arena, clg_scenario *scenario, double bytes_per_s) {
    clg_error error = {0};
    scenario->machine.fabric.gpu_bytes_per_s = bytes_per_s;
    clg_network_find(arena, &scenario->machine, &scenario->network, &error); /* as it was found */
}

static const char *add_networks(clg_arena *arena, clg_scenario *scenario, const clg_space *space,
                                const clg_layout *layout, const open_habits *habits,
                                const clg_seen *seen, cases *all) {
    for (int i = 0; i < seen->count; i++) {
        set_rate(arena, scenario, seen->bytes_per_s[i]);
        const char *reason = add_micro_batches(arena, scenario, space, layout, habits,
                                               seen->share[i], seen->bytes_per_s[i], all);
        if (reason) return reason;
    }
    return NULL;
}

/* The case that half of the weight is not slower than. */
static const filled *middle_of(const cases *all) {
    const filled *middle = NULL;
    for (int i = 0; i < all->count; i++) {
        const filled *f = &all->one[i];
        double faster = 0;
        for (int j = 0; j < all->count; j++)
            if (pace(&all->one[j]) <= pace(f)) faster += all->one[j].weight;
        if (faster < 0.5 - 1e-9) continue;
        if (!middle || pace(f) < pace(middle)) middle = f;
    }
    return middle;
}

/* How far the others lie from it: the standard deviation of the logarithm. */
static double spread_of(const cases *all, const filled *middle) {
    double variance = 0;
    for (int i = 0; i < all->count; i++) {
        double off = log(pace(&all->one[i]) / pace(middle));
        variance += all->one[i].weight * off * off;
    }
    return sqrt(variance);
}

static clg_status find_habits(clg_arena *arena, open_habits *found, clg_error *error) {
    const clg_value_field fields[] = {{"more_recompute", CLG_COUNT, &found->more_recompute},
                                      {"slower_layout", CLG_COUNT, &found->slower_layout},
                                      {"batch_tokens", CLG_COUNT, &found->batch_tokens},
                                      {"whole_experts", CLG_COUNT, &found->whole_experts}};
    return CLG_DATASET_NUMBERS(arena, "accuracy", "blanks", fields, error);
}

/* How far a row that recomputes more lies off, as a variance. What does less than the least that is
 * predicted to fit is left out: few rows do. */
static double more_recompute(clg_arena *arena, const clg_scenario *scenario, const clg_space *space,
                             const clg_evaluation *least, double share) {
    clg_error error = {0};
    clg_evaluation more;
    clg_layout layout = least->layout;
    if (space->recompute.count > 0 || layout.recompute == CLG_RECOMPUTE_FULL) return 0;
    layout.recompute = CLG_RECOMPUTE_FULL;
    layout.recompute_layers = 0;
    if (clg_evaluate(arena, scenario, &layout, false, NULL, &more, &error) != CLG_OK) return 0;
    double off = log(more.step_s / least->step_s);
    return share * off * off;
}

/* What fixes a plan that was found. */
static void take_plan(const clg_layout *plan, clg_space *space, clg_layout *layout) {
    *layout = *plan;
    space->vpp.count = space->recompute.count = 1;
}

/* What follows from degrees that a row leaves open. */
typedef struct open_degrees {
    double slower;    /* log-sigma by which its plan may be later than the fastest */
    double fastest_s; /* with other expert ranks than are taken; 0: none are open */
} open_degrees;

/* Than the fastest: the fastest with whole experts. */
static bool much_slower(clg_arena *arena, const clg_scenario *scenario, const open_habits *habits,
                        const clg_space *space, double fastest_s) {
    clg_space whole = *space;
    clg_evaluation one;
    whole.ep = (clg_axis_values){.count = 1, .value = {1}};
    return clg_search_fastest(arena, scenario, &whole, &one) &&
           one.step_s > habits->whole_experts * fastest_s;
}

/* They are those of the fastest plan its software has, as its authors looked for one, on the
 * reference network. A mixture that leaves out its expert ranks alone has whole layers where they
 * fit and are not much slower: who prints the others would print them. */
static open_degrees complete_degrees(clg_arena *arena, const clg_scenario *scenario,
                                     const open_habits *habits, clg_space *space,
                                     clg_layout *layout) {
    clg_evaluation one, fastest;
    clg_layout alone = *layout;
    clg_error error = {0};
    bool any = space->tp.count == 0 || space->pp.count == 0, experts = space->ep.count == 0;
    if ((!any && !experts) || !clg_search_fastest(arena, scenario, space, &fastest))
        return (open_degrees){0};
    if (alone.micro_batch <= 0) alone.micro_batch = 1;
    if (space->recompute.count == 0) alone.recompute = CLG_RECOMPUTE_FULL;
    if (alone.dp > 0)
        alone.accumulation = alone.global_batch / ((int64_t)alone.dp * alone.micro_batch);
    bool whole = !any && clg_evaluate(arena, scenario, &alone, false, NULL, &one, &error) == CLG_OK;
    if (whole && one.fits && !much_slower(arena, scenario, habits, space, fastest.step_s))
        return (open_degrees){.fastest_s = fastest.step_s};
    take_plan(&fastest.layout, space, layout);
    return (open_degrees){.slower = any ? habits->slower_layout : 0};
}

/* Half of the weight is on other expert ranks, as a variance. */
static double other_experts(const clg_evaluation *taken, double fastest_s) {
    double off = fastest_s > 0 ? log(taken->step_s / fastest_s) : 0;
    return off * off / 2;
}

const char *clg_open_predict(clg_arena *arena, clg_scenario *scenario, const clg_space *space,
                             const clg_layout *layout, bool network_open,
                             clg_evaluation *evaluation) {
    clg_error error = {0};
    clg_seen seen = {0};
    const char *reason;
    open_habits habits = {0};
    cases all = {.one = clg_take(arena, CASES, filled)};
    if (find_habits(arena, &habits, &error) != CLG_OK) return clg_error_words(arena, &error);
    clg_space rest = *space;
    clg_layout whole = *layout;
    open_degrees degrees = complete_degrees(arena, scenario, &habits, &rest, &whole);
    if (network_open) seen = clg_seen_find(arena, scenario->machine.gpu.generation);
    if (seen.count > 0)
        reason = add_networks(arena, scenario, &rest, &whole, &habits, &seen, &all);
    else
        reason = add_micro_batches(arena, scenario, &rest, &whole, &habits, 1, 0, &all);
    if (reason) return reason;
    const filled *middle = middle_of(&all);
    *evaluation = middle->evaluation;
    if (seen.count > 0) set_rate(arena, scenario, middle->rate);
    double spread = spread_of(&all, middle);
    evaluation->doubt.open =
        sqrt(spread * spread + other_experts(evaluation, degrees.fastest_s) +
             more_recompute(arena, scenario, space, evaluation, habits.more_recompute));
    evaluation->doubt.slower = degrees.slower;
    if (evaluation->doubt.open > 0 || degrees.slower > 0)
        clg_evaluation_widen(evaluation, clg_doubt_sides(&evaluation->doubt, &scenario->stack));
    return NULL;
}
