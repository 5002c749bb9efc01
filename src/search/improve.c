/* improve.c -- searches the neighbourhood of a layout, one more axis free at a time. */
#include "search/improve.h"

#include "base/normal.h"
#include "base/real.h"
#include "evaluate/difference.h"

static clg_axis_values only(int value) { return (clg_axis_values){.count = 1, .value = {value}}; }

/* What `space` allows of an axis, or only what the job has. */
static clg_axis_values either(bool freed, const clg_axis_values *allowed, int own) {
    return freed ? *allowed : only(own);
}

static bool has(unsigned changes, clg_freed change) { return (changes >> change) & 1; }

/* The space in which only these axes may differ from the job. dp follows from the others. */
static clg_space freed(const clg_space *space, const clg_layout *job, unsigned changes) {
    clg_space s = *space;
    bool tp = has(changes, CLG_FREED_TP), cp = has(changes, CLG_FREED_CP),
         pp = has(changes, CLG_FREED_PP), ep = has(changes, CLG_FREED_EP),
         schedule = pp || has(changes, CLG_FREED_SCHEDULE);
    s.dp = (clg_axis_values){0};
    s.zero = either(has(changes, CLG_FREED_ZERO), &space->zero, job->zero);
    s.hsdp = either(has(changes, CLG_FREED_HSDP), &space->hsdp, job->hsdp);
    s.tp = either(tp, &space->tp, job->tp);
    s.sp = either(tp, &space->sp, job->sp);
    s.cp = either(cp, &space->cp, job->cp);
    s.cp_kind = either(cp, &space->cp_kind, (int)job->cp_kind);
    s.ep = either(ep, &space->ep, job->ep);
    s.etp = either(ep || tp, &space->etp, job->etp);
    s.pp = either(pp, &space->pp, job->pp);
    s.vpp = either(schedule, &space->vpp, job->vpp);
    s.schedule = either(schedule, &space->schedule, (int)job->schedule);
    s.micro_batch =
        either(has(changes, CLG_FREED_MICRO_BATCH), &space->micro_batch, job->micro_batch);
    s.recompute = either(has(changes, CLG_FREED_RECOMPUTE), &space->recompute, (int)job->recompute);
    if (!has(changes, CLG_FREED_RECOMPUTE)) s.recompute_layers = job->recompute_layers;
    s.order = only(job->order);
    s.attention = only(job->attention);
    s.split = pp || schedule ? NULL : job->split;
    s.split_count = s.split ? job->split_count : 0;
    s.placing = only(CLG_STAGES_EVEN); /* a split is none of the flags that are changed */
    s.keep = 1;
    s.front = 0;
    s.gamble = false;
    s.plans_alone = true;
    return s;
}

unsigned clg_layout_changes(const clg_layout *a, const clg_layout *b) {
    unsigned changes = 0;
    if (a->recompute != b->recompute || a->recompute_layers != b->recompute_layers)
        changes |= 1u << CLG_FREED_RECOMPUTE;
    if (a->micro_batch != b->micro_batch) changes |= 1u << CLG_FREED_MICRO_BATCH;
    if (a->zero != b->zero) changes |= 1u << CLG_FREED_ZERO;
    if (a->hsdp != b->hsdp) changes |= 1u << CLG_FREED_HSDP;
    if (a->tp != b->tp) changes |= 1u << CLG_FREED_TP;
    if (a->pp != b->pp) changes |= 1u << CLG_FREED_PP;
    if (a->cp != b->cp || (b->cp > 1 && a->cp_kind != b->cp_kind)) changes |= 1u << CLG_FREED_CP;
    if (a->ep != b->ep) changes |= 1u << CLG_FREED_EP;
    bool staged = a->pp == b->pp && b->pp > 1;
    if (staged && (a->schedule != b->schedule || a->vpp != b->vpp))
        changes |= 1u << CLG_FREED_SCHEDULE;
    if (a->tp == b->tp && a->ep == b->ep && (a->sp != b->sp || a->etp != b->etp))
        changes |= 1u << CLG_FREED_TP;
    return changes;
}

static int bits(unsigned set) {
    int count = 0;
    for (; set; set &= set - 1) count++;
    return count;
}

/* The fastest plan that frees exactly these axes, where it is faster than `best`. A space without a
 * legal layout has none: other sets may have some. */
static void try_set(clg_arena *arena, const clg_scenario *scenario, const clg_space *space,
                    const clg_layout *job, unsigned changes, clg_evaluation *best,
                    int64_t *layouts) {
    clg_space neighbours = freed(space, job, changes);
    clg_error none = {0};
    clg_found *found = clg_take(arena, 1, clg_found);
    if (clg_search(arena, scenario, &neighbours, (clg_progress){0}, found, &none) != CLG_OK) return;
    *layouts += found->layouts;
    if (found->count > 0 && (best->step_s <= 0 || found->best[0].step_s < best->step_s))
        *best = found->best[0];
}

/* How sure a gain is (difference.h). */
static void doubt_gain(const clg_difference *d, const clg_evaluation *job, clg_improvement *step) {
    double tenth = CLG_SIGMAS_TO_TENTH * clg_difference_sigma(d, &step->plan, job);
    step->gain_p10 = (1 + step->gain) * clg_exp(-tenth) - 1;
    step->gain_p90 = (1 + step->gain) * clg_exp(tenth) - 1;
    step->faster = clg_difference_faster(d, &step->plan, job);
    step->tie = clg_difference_tie(d, &step->plan, job);
}

clg_status clg_improve(clg_arena *arena, const clg_scenario *scenario, const clg_space *space,
                       const clg_evaluation *job, double worth, clg_progress progress,
                       clg_improvements *into, clg_error *error) {
    double before_s = job->step_s;
    clg_difference difference;
    *into = (clg_improvements){0};
    if (clg_difference_find(arena, &difference, error) != CLG_OK) return error->status;
    for (int size = 1; size <= CLG_IMPROVE_CHANGES; size++) {
        clg_evaluation best = {0};
        for (unsigned set = 1; set < 1u << CLG_FREED; set++) {
            if (bits(set) != size) continue;
            double share = (double)(size - 1) / CLG_IMPROVE_CHANGES +
                           (double)set / (1u << CLG_FREED) / CLG_IMPROVE_CHANGES;
            if (progress.tell && !progress.tell(progress.context, share))
                return clg_fail(error, CLG_BAD_INPUT, NULL, "stopped");
            clg_arena_mark mark = clg_arena_here(arena);
            try_set(arena, scenario, space, &job->layout, set, &best, &into->layouts);
            clg_arena_back_to(arena, mark);
        }
        if (best.step_s <= 0 || best.step_s >= before_s / (1 + worth)) continue;
        clg_improvement *step = &into->step[into->count++];
        step->changes = bits(clg_layout_changes(&job->layout, &best.layout));
        step->gain = job->step_s / best.step_s - 1;
        if (clg_evaluate(arena, scenario, &best.layout, true, NULL, &step->plan, error) != CLG_OK)
            return error->status;
        doubt_gain(&difference, job, step);
        before_s = best.step_s;
    }
    return CLG_OK;
}
