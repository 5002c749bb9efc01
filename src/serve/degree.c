/* degree.c -- see the header. Left out: ranks of --dp and stages, which the search weighs. */
#include "serve/degree.h"

#include "serve/crowd.h"
#include "serve/headroom.h"
#include "serve/levers.h"

#include <math.h>

enum { DEGREES = 4, WIDEST = 8 };

static double gpus_needed(clg_arena *arena, const clg_serve_question *q, const clg_replica *r) {
    clg_arena_mark mark = clg_arena_here(arena);
    clg_serve_question asked = *q;
    clg_serve_answer a;
    asked.replica = r;
    clg_serve_capacity(arena, &asked, &a);
    clg_arena_back_to(arena, mark);
    return clg_gpus_at_mean(&asked, r, &a);
}

/* A degree that the model fits with. */
typedef struct degree {
    clg_replica replica;
    double gpus_all, gpus_fleet; /* at the mean; of the fleet that meets the target, 0: none */
    double gpus_sure;            /* of one that meets it at P90 of the iterations; 0: none */
} degree;

/* The degree asked for, or the least that fits and the wider ones of a node. */
static int list_degrees(clg_arena *arena, const clg_serve_question *q, const clg_scenario *scenario,
                        const clg_engine *engine, const clg_replica_choice *choice,
                        degree list[DEGREES]) {
    int count = 1, domain = scenario->machine.node.domain;
    for (int tp = 2 * list[0].replica.layout.tp; tp <= WIDEST && tp <= domain; tp *= 2) {
        clg_replica_choice other = *choice;
        clg_error no = {0};
        other.tp = tp;
        if (clg_replica_prepare(arena, scenario, engine, &other, q->demand, &list[count].replica,
                                &no) == CLG_OK)
            count++;
    }
    for (int i = 0; i < count; i++) list[i].gpus_all = gpus_needed(arena, q, &list[i].replica);
    return count;
}

static const degree *best_of(const degree *list, int count) {
    const degree *best = list;
    for (int i = 1; i < count; i++)
        if (list[i].gpus_all < best->gpus_all) best = &list[i];
    return best;
}

double clg_gpus_if_slow(clg_arena *arena, const clg_serve_question *q, const clg_replica *r,
                        double guess) {
    clg_serve_question slow = *q;
    slow.margin = (1 + q->margin) * clg_serve_doubt_of(&r->sigma).rate - 1;
    return clg_gpus_of_fleet(arena, &slow, r, guess);
}

bool clg_is_past_cliff(double gpus, double gpus_if_slow) {
    return gpus_if_slow <= 0 || gpus_if_slow > CLG_HEADROOM_WORTH * gpus;
}

static double sure_gpus(clg_arena *arena, const clg_serve_question *q, const degree *d) {
    return clg_gpus_if_slow(arena, q, &d->replica, d->gpus_all);
}

/* A fleet of no GPUs is none. */
static bool fewer(double gpus, double than) { return gpus > 0 && (than <= 0 || gpus < than); }

static bool is_past_cliff(const degree *d) {
    return clg_is_past_cliff(d->gpus_fleet, d->gpus_sure);
}

/* Of those that take as few GPUs the surest; of all where even that is past a cliff. */
static const degree *surest(clg_arena *arena, const clg_serve_question *q, degree *list, int count,
                            const degree *smallest) {
    const degree *best = smallest;
    double fewest = smallest->gpus_fleet;
    for (int i = 0; i < count; i++) {
        if (list[i].gpus_fleet != fewest) continue;
        list[i].gpus_sure = sure_gpus(arena, q, &list[i]);
        if (fewer(list[i].gpus_sure, best->gpus_sure)) best = &list[i];
    }
    if (!is_past_cliff(best)) return best;
    for (int i = 0; i < count; i++) {
        degree *d = &list[i];
        if (d->gpus_fleet == fewest || !isfinite(d->gpus_all)) continue;
        d->gpus_sure = sure_gpus(arena, q, d);
        if (fewer(d->gpus_sure, best->gpus_sure)) best = d;
    }
    return best;
}

static const degree *smallest_fleet(clg_arena *arena, const clg_serve_question *q, degree *list,
                                    int count) {
    const degree *best = best_of(list, count);
    double most = CLG_HOPELESS_RATIO * best->gpus_all, replicas = 1;
    if (count < 2 || !isfinite(best->gpus_all) || !clg_has_target(q) || q->replicas > 0)
        return best;
    if (!q->demand->apart) replicas = best->gpus_all / clg_replica_gpus(&best->replica);
    clg_demand part = clg_demand_for_fleets(q->demand, replicas);
    clg_serve_question on_some = *q;
    on_some.demand = &part;
    for (int i = 0; i < count; i++) {
        degree *d = &list[i];
        if (d->gpus_all > most) continue;
        d->gpus_fleet = clg_gpus_of_fleet(arena, &on_some, &d->replica, d->gpus_all);
    }
    const degree *smallest = best;
    for (int i = 0; i < count; i++)
        if (fewer(list[i].gpus_fleet, smallest->gpus_fleet)) smallest = &list[i];
    return smallest->gpus_fleet > 0 ? surest(arena, &on_some, list, count, smallest) : smallest;
}

clg_status clg_replica_choose(clg_arena *arena, const clg_serve_question *q,
                              const clg_scenario *scenario, const clg_engine *engine,
                              const clg_replica_choice *choice, clg_replica *replica,
                              clg_error *error) {
    clg_status smallest =
        clg_replica_prepare(arena, scenario, engine, choice, q->demand, replica, error);
    if (smallest != CLG_OK || choice->tp > 0) return smallest;
    degree list[DEGREES] = {{.replica = *replica}};
    int count = list_degrees(arena, q, scenario, engine, choice, list);
    *replica = smallest_fleet(arena, q, list, count)->replica;
    return CLG_OK;
}
