/* widths.c -- groups and the links they cross; tensor parallelism at every width. */
#include "explain/widths.h"

#include "step/step.h"

static const double MESSAGE_BYTES = 64 << 20; /* about an activation of a large model */

static double bus(const clg_scenario *s, clg_collective collective, clg_group group) {
    double seconds;
    clg_collective_best(&s->network, collective, group, MESSAGE_BYTES, &seconds);
    return clg_bus_bytes_per_s(collective, group.ranks, MESSAGE_BYTES, seconds);
}

/* The link whose being faster would help more. */
static bool fast_link_limits(const clg_network *network, clg_collective collective,
                             clg_group group) {
    if (group.per_domain >= group.ranks) return true;
    clg_network inside = *network, outside = *network;
    double inside_s, outside_s;
    inside.fast.bytes_per_s *= 1.1;
    inside.pair_bytes_per_s *= 1.1;
    inside.in_switch_bytes_per_s *= 1.1;
    outside.slow.bytes_per_s *= 1.1;
    clg_collective_best(&inside, collective, group, MESSAGE_BYTES, &inside_s);
    clg_collective_best(&outside, collective, group, MESSAGE_BYTES, &outside_s);
    return inside_s < outside_s;
}

/* The first collective of an axis in a layer says which group it is. */
static clg_group group_on(const clg_step *step, clg_axis axis) {
    for (int kind = 0; kind < step->kinds; kind++)
        for (int i = 0; i < step->kind[kind].ops; i++)
            if (step->kind[kind].op[i].kind == CLG_OP_COLLECTIVE &&
                step->kind[kind].op[i].axis == axis)
                return step->kind[kind].op[i].group;
    return (clg_group){1, 1};
}

int clg_group_rows(clg_arena *arena, const clg_scenario *scenario, const clg_evaluation *plan,
                   clg_group_row into[CLG_GROUP_ROWS]) {
    clg_arena_mark mark = clg_arena_here(arena);
    clg_step *step = clg_take(arena, 1, clg_step);
    clg_step_build(&scenario->model, &scenario->machine, &scenario->stack, &plan->layout, step);
    const clg_time_ledger *t = &plan->time;
    const struct {
        const char *name;
        clg_group group;
        clg_collective collective;
        double exposed_s;
    } rows[CLG_GROUP_ROWS] = {
        {"tensor parallel", group_on(step, CLG_AXIS_TP),
         plan->layout.sp ? CLG_ALL_GATHER : CLG_ALL_REDUCE, t->tp_exposed_s},
        {"context parallel", group_on(step, CLG_AXIS_CP), CLG_ALL_GATHER, t->cp_exposed_s},
        {"expert parallel", group_on(step, CLG_AXIS_EP), CLG_ALL_TO_ALL, t->ep_exposed_s},
        {"data parallel", step->shard_group,
         plan->layout.zero > 0 ? CLG_REDUCE_SCATTER : CLG_ALL_REDUCE, t->dp_exposed_s},
        {"pipeline neighbours", step->send_group, CLG_SEND_RECEIVE, t->pp_exposed_s}};
    int count = 0;
    for (int i = 0; i < CLG_GROUP_ROWS; i++) {
        if (!rows[i].name || rows[i].group.ranks <= 1) continue;
        into[count++] = (clg_group_row){
            rows[i].name, rows[i].group, bus(scenario, rows[i].collective, rows[i].group),
            rows[i].exposed_s,
            fast_link_limits(&scenario->network, rows[i].collective, rows[i].group)};
    }
    clg_arena_back_to(arena, mark);
    return count;
}

/* The same layout with another tensor degree; false when the batch or the ranks do not divide. */
static bool widen(clg_layout *l, int tp) {
    int64_t rest = (int64_t)l->tp * l->dp;
    if (rest % tp != 0) return false;
    l->sp =
        tp > 1 && (l->sp || l->tp == 1); /* a degree of one leaves open whether norms are split */
    l->tp = tp;
    l->dp = (int)(rest / tp);
    int64_t sequences = (int64_t)l->dp * l->micro_batch;
    l->accumulation = l->global_batch / sequences;
    if (l->hsdp > 0 && l->dp * l->cp % l->hsdp != 0) l->hsdp = 0;
    return l->accumulation * sequences == l->global_batch && l->accumulation > 0;
}

int clg_rank_widths(clg_arena *arena, const clg_scenario *scenario, const clg_layout *layout,
                    clg_width into[CLG_WIDTHS]) {
    int count = 0;
    for (int tp = 1; tp <= 1024 && count < CLG_WIDTHS; tp *= 2) {
        clg_layout l = *layout;
        clg_error error = {0};
        clg_width *w = &into[count];
        if (!widen(&l, tp) ||
            clg_evaluate(arena, scenario, &l, false, NULL, &w->plan, &error) != CLG_OK)
            continue;
        clg_group_row rows[CLG_GROUP_ROWS];
        int groups = clg_group_rows(arena, scenario, &w->plan, rows);
        w->group = tp > 1 && groups > 0 ? rows[0].group : (clg_group){1, 1};
        w->bus_bytes_per_s = tp > 1 && groups > 0 ? rows[0].bus_bytes_per_s : 0;
        count++;
    }
    return count;
}
