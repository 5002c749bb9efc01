/* walk.c -- the axes of a space, one loop each.
 *
 * Order of loops, outermost first: tp, sp, cp, ep, etp, recompute, attention, micro-batch,
 * pp (which gives dp), schedule, vpp, zero, hsdp, layers recomputed. Illegal degrees are left out
 * where they are chosen, so that whole branches fall away. */
#include "search/walk.h"

#include "schedule/schedule.h"

#include <stddef.h>
#include <string.h>

typedef struct walker {
    const clg_scenario *scenario;
    const clg_space *space;
    clg_walk_enter *enter;
    clg_walk_visit *visit;
    void *context;
    clg_layout layout;
    const clg_mlp *experts;
    bool stopped;
} walker;

bool clg_axis_allows(const clg_axis_values *axis, int value) {
    for (int i = 0; i < axis->count; i++)
        if (axis->value[i] == value) return !axis->except;
    return axis->count == 0 || axis->except;
}

bool clg_axis_is_free(const clg_axis_values *axis) { return axis->count == 0 || axis->except; }

/* Left open, what the software has; asked for, any. */
static bool may(const clg_axis_values *axis, unsigned set, int one) {
    return !clg_axis_is_free(axis) || clg_stack_has(set, one);
}

static bool admits(const walker *w, const clg_layout *layout) {
    const clg_space *space = w->space;
    return !space->may || space->may(space->may_context, w->scenario, layout);
}

/* Recompute left open: any number of a chunk's layers, the first so many, may be recomputed. */
static int open_layers(const walker *w) {
    bool open = w->layout.recompute == CLG_RECOMPUTE_FULL &&
                clg_axis_is_free(&w->space->recompute) && w->space->recompute_layers == 0 &&
                w->scenario->stack.recompute.some_layers;
    clg_layout some = w->layout;
    some.recompute_layers = 1;
    return open && admits(w, &some) ? clg_layout_most(&w->scenario->model, &w->layout) : 1;
}

/* Both, where nobody said which and the software can: a stage that is balanced may not fit. Whoever
 * gives the degrees of a pipeline has its layers as trainers deal them out. */
static bool is_placed(const walker *w, clg_placing placing) {
    const clg_space *space = w->space;
    bool given = space->pp.count == 1 && !space->pp.except, one = w->layout.pp == 1 || space->split;
    if (one || space->placing.count > 0)
        return one ? placing == CLG_STAGES_EVEN : clg_axis_allows(&space->placing, (int)placing);
    return placing == CLG_STAGES_EVEN || (!given && w->scenario->stack.stages.uneven);
}

/* Whether the layout may be with another split than an even one. */
static bool admits_uneven(const walker *w) {
    if (!w->space->may) return true;
    clg_arena arena = {0};
    clg_layout uneven = w->layout;
    uneven.split_count = uneven.pp * uneven.vpp;
    int *split = clg_take(&arena, (size_t)uneven.split_count, int);
    clg_layout_layers(&w->scenario->model, &uneven, split);
    uneven.split = split;
    bool may = admits(w, &uneven);
    clg_arena_clear(&arena);
    return may;
}

static void offer_placed(walker *w, bool balanced) {
    if (!w->stopped && !w->visit(w->context, &w->layout, open_layers(w), balanced))
        w->stopped = true;
}

/* Left open, ranks are in the order of the trainers. */
static void offer_order(walker *w) {
    const clg_axis_values *axis = &w->space->order;
    for (int order = 0; order == 0 || clg_order_names[order].name; order++) {
        if (!clg_axis_allows(axis, order) || (axis->count == 0 && order > 0)) continue;
        w->layout.order = order;
        if (is_placed(w, CLG_STAGES_EVEN) && admits(w, &w->layout)) offer_placed(w, false);
        if (is_placed(w, CLG_STAGES_BALANCED) && admits_uneven(w)) offer_placed(w, true);
    }
}

static void offer(walker *w) {
    if (clg_layout_stages_legal(&w->scenario->model, &w->layout)) offer_order(w);
}

/* Shard groups smaller than dp x cp matter from ZeRO-2 on; the node is the natural one. */
static void walk_hsdp(walker *w) {
    const clg_space *space = w->space;
    int node = w->scenario->machine.node.gpus / w->layout.tp, ranks = w->layout.dp * w->layout.cp;
    w->layout.hsdp = 0;
    if (clg_axis_allows(&space->hsdp, 0) || clg_axis_allows(&space->hsdp, ranks)) offer(w);
    if (!clg_axis_is_free(&space->hsdp)) {
        for (int i = 0; i < space->hsdp.count && !w->stopped; i++) {
            w->layout.hsdp = space->hsdp.value[i];
            if (w->layout.hsdp > 0 && w->layout.hsdp < ranks) offer(w);
        }
    } else if (w->layout.zero >= 2 && node > 1 && node < ranks && ranks % node == 0 &&
               clg_axis_allows(&space->hsdp, node) && !w->stopped) {
        w->layout.hsdp = node;
        offer(w);
    }
    w->layout.hsdp = 0;
}

static void walk_zero(walker *w) {
    for (int zero = 0; zero <= 3 && !w->stopped; zero++) {
        if (!clg_axis_allows(&w->space->zero, zero)) continue;
        bool alone = w->layout.dp * w->layout.cp == 1;
        if (zero > 0 && alone && clg_axis_is_free(&w->space->zero)) continue;
        if (!alone && !may(&w->space->zero, w->scenario->stack.shardings, CLG_SHARD_ZERO + zero))
            continue;
        w->layout.zero = zero;
        walk_hsdp(w);
    }
}

/* Layers fall evenly on chunks, alone or with embedding and head counted as a layer each, which the
 * ends then have less (Llama 3 405B: arXiv:2407.21783, section 3.3.2). */
static bool is_even(int layers, int chunks) {
    return layers % chunks == 0 || (layers + 2) % chunks == 0;
}

/* The chunk counts a schedule can take. Left open: where layers fall evenly, up to 16. */
static void walk_vpp(walker *w, const clg_schedule *schedule) {
    bool open = clg_axis_is_free(&w->space->vpp), by_hand = w->space->split != NULL;
    int most = clg_layout_most_chunks(&w->scenario->model, w->layout.pp);
    clg_pipeline pipeline = clg_pipeline_of(&w->layout);
    for (int vpp = 1; vpp <= most && (!open || vpp <= 16) && !w->stopped; vpp++) {
        w->layout.vpp = pipeline.chunks = vpp;
        if (!clg_axis_allows(&w->space->vpp, vpp)) continue;
        if (by_hand && w->layout.pp * vpp != w->space->split_count) continue;
        if (vpp > 2 && open && !by_hand && !is_even(w->scenario->model.layers, w->layout.pp * vpp))
            continue;
        if (!schedule->refuses(pipeline)) walk_zero(w);
    }
}

/* Pipelines asked for of software that has none run in the plainest order. */
static unsigned schedules_of(const walker *w) {
    unsigned has = w->scenario->stack.schedules;
    return has == 0 && !clg_axis_is_free(&w->space->pp) ? 1u << CLG_1F1B : has;
}

static void walk_schedule(walker *w) {
    for (int kind = 0; kind < CLG_SCHEDULES && !w->stopped; kind++) {
        if (!clg_axis_allows(&w->space->schedule, kind)) continue;
        /* Without a pipeline all schedules are one. */
        if (w->layout.pp == 1 && clg_axis_is_free(&w->space->schedule) && kind != CLG_1F1B)
            continue;
        if (w->layout.pp > 1 && !may(&w->space->schedule, schedules_of(w), kind)) continue;
        w->layout.schedule = (clg_schedule_kind)kind;
        walk_vpp(w, clg_schedule_of((clg_schedule_kind)kind));
    }
}

static void walk_pp(walker *w) {
    if (w->enter && !w->enter(w->context, &w->layout)) return;
    int64_t rest = w->space->gpus / ((int64_t)w->layout.tp * w->layout.cp);
    if (rest * w->layout.tp * w->layout.cp != w->space->gpus) return;
    for (int pp = 1; pp <= rest && pp <= w->scenario->model.layers && !w->stopped; pp++) {
        int64_t dp = rest / pp, sequences = dp * w->layout.micro_batch;
        if (rest % pp != 0 || !clg_axis_allows(&w->space->pp, pp) ||
            !clg_axis_allows(&w->space->dp, (int)dp))
            continue;
        int64_t accumulation = w->space->global_batch / sequences;
        if (accumulation * sequences != w->space->global_batch || accumulation > 65536) continue;
        if (accumulation < 1) continue;
        w->layout.pp = pp;
        w->layout.dp = (int)dp;
        w->layout.accumulation = accumulation;
        if (clg_layout_degrees_legal(&w->scenario->model, &w->layout)) walk_schedule(w);
    }
}

/* Left open, up to 16 sequences: larger ones neither run faster nor fit. */
static void walk_micro_batch(walker *w) {
    const clg_axis_values *axis = &w->space->micro_batch;
    bool open = clg_axis_is_free(axis);
    int count = open ? 16 : axis->count;
    for (int i = 0; i < count && !w->stopped; i++) {
        w->layout.micro_batch = open ? i + 1 : axis->value[i];
        if (!clg_axis_allows(axis, w->layout.micro_batch)) continue;
        if (w->layout.micro_batch >= 1 && w->space->global_batch % w->layout.micro_batch == 0)
            walk_pp(w);
    }
}

static void walk_recompute(walker *w) {
    for (int r = CLG_RECOMPUTE_NONE; r <= CLG_RECOMPUTE_FULL && !w->stopped; r++) {
        if (!clg_axis_allows(&w->space->recompute, r)) continue;
        if (w->space->recompute_layers > 0 && r != CLG_RECOMPUTE_FULL) continue;
        if (w->space->recompute_layers == 0 &&
            !may(&w->space->recompute, w->scenario->stack.recomputes, r))
            continue;
        w->layout.recompute = (clg_recompute)r;
        w->layout.recompute_layers = w->space->recompute_layers;
        for (int a = 0; a < CLG_ATTENTION_KERNELS && !w->stopped; a++) {
            if (!clg_axis_allows(&w->space->attention, a)) continue;
            w->layout.attention = a;
            walk_micro_batch(w);
        }
    }
}

static void walk_etp(walker *w) {
    for (int etp = 1; etp <= w->layout.tp && !w->stopped; etp++) {
        if (!w->experts && etp > 1) return;
        if (w->experts && w->experts->expert_ffn % etp != 0) continue;
        if (!clg_axis_allows(&w->space->etp, etp)) continue;
        /* Left open, an expert is whole or split as its layer is. */
        if (clg_axis_is_free(&w->space->etp) && etp != 1 && etp != w->layout.tp) continue;
        if (etp > 1 && !may(&w->space->etp, w->scenario->stack.shardings, CLG_SHARD_ETP)) continue;
        w->layout.etp = etp;
        walk_recompute(w);
    }
}

static void walk_ep(walker *w) {
    int most = w->experts ? w->experts->experts : 1;
    for (int ep = 1; ep <= most && !w->stopped; ep++) {
        if (most % ep != 0 || !clg_axis_allows(&w->space->ep, ep)) continue;
        if (ep > 1 && !may(&w->space->ep, w->scenario->stack.shardings, CLG_SHARD_EP)) continue;
        w->layout.ep = ep;
        walk_etp(w);
    }
}

/* Left open, context ranks meet in the first way the software has: a ring, where it has one. */
static int usual_context(const walker *w) {
    for (int kind = CLG_CONTEXT_RING; kind <= CLG_CONTEXT_ULYSSES; kind++)
        if (clg_stack_has(w->scenario->stack.shardings, CLG_SHARD_CP + kind)) return kind;
    return clg_axis_is_free(&w->space->cp) ? -1 : CLG_CONTEXT_RING;
}

static void walk_cp_kind(walker *w) {
    const clg_axis_values *axis = &w->space->cp_kind;
    int usual = w->layout.cp == 1 ? CLG_CONTEXT_RING : usual_context(w);
    for (int kind = CLG_CONTEXT_RING; kind <= CLG_CONTEXT_ULYSSES && !w->stopped; kind++) {
        bool open = w->layout.cp == 1 || axis->count == 0;
        if (open ? kind != usual : !clg_axis_allows(axis, kind)) continue;
        w->layout.cp_kind = (clg_context_kind)kind;
        walk_ep(w);
    }
    w->layout.cp_kind = CLG_CONTEXT_RING;
}

static void walk_cp(walker *w) {
    const clg_axis_values *axis = &w->space->cp;
    for (int cp = 1; cp <= w->space->seq / 512 || cp == 1; cp *= 2) {
        if (w->stopped || cp > w->space->gpus) return;
        if (!clg_axis_allows(axis, cp)) continue;
        w->layout.cp = cp;
        walk_cp_kind(w);
    }
    for (int i = 0; i < axis->count && !clg_axis_is_free(axis) && !w->stopped; i++) {
        int cp = axis->value[i];
        bool power = (cp & (cp - 1)) == 0;
        if (power && (cp == 1 || cp <= w->space->seq / 512)) continue; /* visited above */
        w->layout.cp = cp;
        walk_cp_kind(w);
    }
}

/* Whether the stack's tensor ranks work with or without sequence parallelism, and beside experts
 * without. Of a stack without tensor ranks, asked for them all the same, none is known. */
static bool splits_so(const walker *w, bool sp) {
    const clg_stack *stack = &w->scenario->stack;
    bool with = clg_stack_has(stack->shardings, CLG_SHARD_SP);
    if (sp || (with && w->experts && stack->experts.sequence)) return sp && with;
    return clg_stack_has(stack->shardings, CLG_SHARD_TP) || !with;
}

static void walk_sp(walker *w) {
    for (int sp = 0; sp <= 1 && !w->stopped; sp++) {
        if (sp && w->layout.tp == 1) continue;
        if (w->space->sp.count == 0 && w->layout.tp > 1 && !splits_so(w, sp)) continue;
        if (!clg_axis_allows(&w->space->sp, sp) && w->layout.tp > 1) continue;
        w->layout.sp = sp;
        walk_cp(w);
    }
}

/* A split by hand that is the even one is no other layout. */
static bool is_other(const clg_scenario *scenario, const clg_space *space) {
    clg_layout even = {.pp = space->split_count, .vpp = 1};
    clg_arena arena = {0};
    if (!space->split || space->split_count < 1 || scenario->stack.stages.by_cost)
        return space->split != NULL;
    int *layers = clg_take(&arena, (size_t)space->split_count, int);
    clg_layout_layers(&scenario->model, &even, layers);
    bool other = memcmp(layers, space->split, (size_t)even.pp * sizeof *layers) != 0;
    clg_arena_clear(&arena);
    return other;
}

clg_layout clg_walk_start(const clg_scenario *scenario, const clg_space *space) {
    clg_layout layout = {.vpp = 1,
                         .seq = space->seq,
                         .global_batch = space->global_batch,
                         .precision = space->precision,
                         .optimizer = space->optimizer,
                         .adapter = space->adapter,
                         .reference = space->reference,
                         .offload = space->offload};
    if (is_other(scenario, space)) {
        layout.split = space->split;
        layout.split_count = space->split_count;
    }
    return layout;
}

bool clg_walk(const clg_scenario *scenario, const clg_space *space, clg_walk_enter *enter,
              clg_walk_visit *visit, void *context) {
    const clg_model *model = &scenario->model;
    walker w = {.scenario = scenario,
                .space = space,
                .enter = enter,
                .visit = visit,
                .context = context,
                .layout = clg_walk_start(scenario, space)};
    for (int i = 0; i < model->kinds; i++)
        if (model->kind[i].mlp.kind == CLG_MLP_MOE) w.experts = &model->kind[i].mlp;
    for (int tp = 1; tp <= space->gpus && tp <= 1024 && !w.stopped; tp++) {
        if (space->gpus % tp != 0 || !clg_axis_allows(&space->tp, tp)) continue;
        if (tp > 1 && !may(&space->tp, scenario->stack.shardings, CLG_SHARD_TP) &&
            !clg_stack_has(scenario->stack.shardings, CLG_SHARD_SP))
            continue;
        w.layout.tp = tp;
        walk_sp(&w);
    }
    return !w.stopped;
}
