/* walk.c -- the axes of a space, one loop each.
 *
 * Order of loops, outermost first: tp, sp, cp, ep, etp, recompute, attention, micro-batch,
 * pp (which gives dp), schedule, vpp, zero, hsdp. Illegal degrees are left out where they are
 * chosen, so that whole branches fall away. */
#include "search/walk.h"

#include "schedule/schedule.h"

#include <stddef.h>

typedef struct walker {
    const clg_scenario *scenario;
    const clg_space *space;
    bool (*visit)(void *context, const clg_layout *layout);
    void *context;
    clg_layout layout;
    const clg_mlp *experts;
    bool stopped;
} walker;

static bool allowed(const clg_axis_values *axis, int value) {
    if (axis->count == 0) return true;
    for (int i = 0; i < axis->count; i++)
        if (axis->value[i] == value) return true;
    return false;
}

static void offer(walker *w) {
    if (clg_layout_refuses(NULL, &w->scenario->model, &w->layout)) return;
    if (!w->visit(w->context, &w->layout)) w->stopped = true;
}

/* Shard groups smaller than dp matter from ZeRO-2 on; the node is the natural one. */
static void walk_hsdp(walker *w) {
    const clg_space *space = w->space;
    int node = w->scenario->machine.node.gpus / w->layout.tp;
    w->layout.hsdp = 0;
    if (allowed(&space->hsdp, 0) || allowed(&space->hsdp, w->layout.dp)) offer(w);
    if (space->hsdp.count > 0) {
        for (int i = 0; i < space->hsdp.count && !w->stopped; i++) {
            w->layout.hsdp = space->hsdp.value[i];
            if (w->layout.hsdp > 0 && w->layout.hsdp < w->layout.dp) offer(w);
        }
    } else if (w->layout.zero >= 2 && node > 1 && node < w->layout.dp && w->layout.dp % node == 0 &&
               !w->stopped) {
        w->layout.hsdp = node;
        offer(w);
    }
    w->layout.hsdp = 0;
}

static void walk_zero(walker *w) {
    for (int zero = 0; zero <= 3 && !w->stopped; zero++) {
        if (!allowed(&w->space->zero, zero)) continue;
        if (zero > 0 && w->layout.dp * w->layout.cp == 1 && w->space->zero.count == 0) continue;
        w->layout.zero = zero;
        walk_hsdp(w);
    }
}

/* The chunk counts a schedule can take: what divides into the layers, up to one layer a chunk. */
static void walk_vpp(walker *w, const clg_schedule *schedule) {
    int most = w->scenario->model.layers / w->layout.pp;
    for (int vpp = 1; vpp <= most && vpp <= 16 && !w->stopped; vpp++) {
        clg_pipeline pipeline = {schedule->kind, w->layout.pp, vpp, (int)w->layout.accumulation};
        if (!allowed(&w->space->vpp, vpp) || schedule->refuses(pipeline)) continue;
        bool even = w->scenario->model.layers % (w->layout.pp * vpp) == 0;
        if (vpp > 2 && !even && w->space->vpp.count == 0) continue;
        w->layout.vpp = vpp;
        walk_zero(w);
    }
}

static void walk_schedule(walker *w) {
    for (int kind = 0; kind < CLG_SCHEDULES && !w->stopped; kind++) {
        if (!allowed(&w->space->schedule, kind)) continue;
        /* Without a pipeline all schedules are one. */
        if (w->layout.pp == 1 && w->space->schedule.count == 0 && kind != CLG_1F1B) continue;
        /* Left open: what the software has. Asked for, any. */
        unsigned has = w->scenario->stack.schedules;
        if (w->space->schedule.count == 0 && has != 0 && !(has & 1u << kind)) continue;
        w->layout.schedule = (clg_schedule_kind)kind;
        walk_vpp(w, clg_schedule_of((clg_schedule_kind)kind));
    }
}

static void walk_pp(walker *w) {
    int64_t rest = w->space->gpus / ((int64_t)w->layout.tp * w->layout.cp);
    if (rest * w->layout.tp * w->layout.cp != w->space->gpus) return;
    for (int pp = 1; pp <= rest && pp <= w->scenario->model.layers && !w->stopped; pp++) {
        int64_t dp = rest / pp, sequences = dp * w->layout.micro_batch;
        if (rest % pp != 0 || !allowed(&w->space->pp, pp) || !allowed(&w->space->dp, (int)dp))
            continue;
        int64_t accumulation = w->space->global_batch / sequences;
        if (accumulation * sequences != w->space->global_batch || accumulation > 65536) continue;
        if (accumulation < 1) continue;
        w->layout.pp = pp;
        w->layout.dp = (int)dp;
        w->layout.accumulation = accumulation;
        walk_schedule(w);
    }
}

/* Left open, up to 16 sequences: larger ones neither run faster nor fit. */
static void walk_micro_batch(walker *w) {
    const clg_axis_values *axis = &w->space->micro_batch;
    int count = axis->count > 0 ? axis->count : 16;
    for (int i = 0; i < count && !w->stopped; i++) {
        w->layout.micro_batch = axis->count > 0 ? axis->value[i] : i + 1;
        if (w->layout.micro_batch >= 1 && w->space->global_batch % w->layout.micro_batch == 0)
            walk_pp(w);
    }
}

static void walk_recompute(walker *w) {
    for (int r = CLG_RECOMPUTE_NONE; r <= CLG_RECOMPUTE_FULL && !w->stopped; r++) {
        if (!allowed(&w->space->recompute, r)) continue;
        w->layout.recompute = (clg_recompute)r;
        for (int a = 0; a < CLG_ATTENTION_KERNELS && !w->stopped; a++) {
            if (!allowed(&w->space->attention, a)) continue;
            w->layout.attention = a;
            walk_micro_batch(w);
        }
    }
}

static void walk_etp(walker *w) {
    for (int etp = 1; etp <= w->layout.tp && !w->stopped; etp++) {
        if (!w->experts && etp > 1) return;
        if (w->experts && w->experts->expert_ffn % etp != 0) continue;
        if (!allowed(&w->space->etp, etp)) continue;
        /* Left open, an expert is whole or split as its layer is. */
        if (w->space->etp.count == 0 && etp != 1 && etp != w->layout.tp) continue;
        w->layout.etp = etp;
        walk_recompute(w);
    }
}

static void walk_ep(walker *w) {
    int most = w->experts ? w->experts->experts : 1;
    for (int ep = 1; ep <= most && !w->stopped; ep++) {
        if (most % ep != 0 || !allowed(&w->space->ep, ep)) continue;
        w->layout.ep = ep;
        walk_etp(w);
    }
}

static void walk_cp(walker *w) {
    for (int cp = 1; cp <= w->space->seq / 512 || cp == 1; cp *= 2) {
        if (w->stopped || cp > w->space->gpus) return;
        if (!allowed(&w->space->cp, cp)) continue;
        w->layout.cp = cp;
        walk_ep(w);
    }
    for (int i = 0; i < w->space->cp.count && !w->stopped; i++) {
        int cp = w->space->cp.value[i];
        bool power = (cp & (cp - 1)) == 0;
        if (power && (cp == 1 || cp <= w->space->seq / 512)) continue; /* visited above */
        w->layout.cp = cp;
        walk_ep(w);
    }
}

static void walk_sp(walker *w) {
    for (int sp = 0; sp <= 1 && !w->stopped; sp++) {
        if (sp && w->layout.tp == 1) continue;
        if (sp && w->space->sp.count == 0 && !w->scenario->stack.sequence_parallel) continue;
        if (!allowed(&w->space->sp, sp) && w->layout.tp > 1) continue;
        w->layout.sp = sp;
        walk_cp(w);
    }
}

static void start(walker *w) {
    const clg_model *model = &w->scenario->model;
    for (int i = 0; i < model->kinds; i++)
        if (model->kind[i].mlp.kind == CLG_MLP_MOE) w->experts = &model->kind[i].mlp;
    w->layout.seq = w->space->seq;
    w->layout.global_batch = w->space->global_batch;
    w->layout.precision = w->space->precision;
    w->layout.optimizer = w->space->optimizer;
    w->layout.offload = w->space->offload;
}

bool clg_walk(const clg_scenario *scenario, const clg_space *space,
              bool (*visit)(void *context, const clg_layout *layout), void *context) {
    walker w = {.scenario = scenario, .space = space, .visit = visit, .context = context};
    start(&w);
    for (int tp = 1; tp <= space->gpus && tp <= 1024 && !w.stopped; tp++) {
        if (space->gpus % tp != 0 || !allowed(&space->tp, tp)) continue;
        w.layout.tp = tp;
        walk_sp(&w);
    }
    return !w.stopped;
}

/* The value asked for, or the one that is legal most often. */
static int likely(const clg_axis_values *axis, int otherwise) {
    return axis->count > 0 ? axis->value[0] : otherwise;
}

/* Whether any fixed degree is one that nothing can be split into. */
static bool absurd(const clg_space *s) {
    const clg_axis_values *axes[] = {&s->tp,  &s->cp,  &s->pp, &s->ep,
                                     &s->etp, &s->vpp, &s->dp, &s->micro_batch};
    for (size_t a = 0; a < sizeof axes / sizeof axes[0]; a++)
        for (int i = 0; i < axes[a]->count; i++)
            if (axes[a]->value[i] < 1 || axes[a]->value[i] > 1 << 20) return true;
    return false;
}

const char *clg_walk_refused(clg_arena *arena, const clg_scenario *scenario,
                             const clg_space *space) {
    walker w = {.scenario = scenario, .space = space};
    if (absurd(space)) return "a degree of parallelism is a whole number from 1 to 1,048,576";
    start(&w);
    clg_layout *l = &w.layout;
    l->tp = likely(&space->tp, 1);
    l->cp = likely(&space->cp, 1);
    l->pp = likely(&space->pp, 1);
    l->ep = likely(&space->ep, 1);
    l->etp = likely(&space->etp, 1);
    l->vpp = likely(&space->vpp, 1);
    l->sp = likely(&space->sp, 0) != 0;
    l->zero = likely(&space->zero, 0);
    l->schedule =
        (clg_schedule_kind)likely(&space->schedule, l->vpp > 1 ? CLG_INTERLEAVED : CLG_1F1B);
    int64_t model_ranks = (int64_t)l->tp * l->cp * l->pp;
    l->dp = likely(&space->dp, (int)(space->gpus / model_ranks));
    if (l->dp * model_ranks != space->gpus)
        return clg_arena_print(
            arena, "tp %d x cp %d x pp %d x dp %d is %lld GPUs, not the %lld asked for", l->tp,
            l->cp, l->pp, l->dp, (long long)(l->dp * model_ranks), (long long)space->gpus);
    l->micro_batch = likely(&space->micro_batch, 1);
    l->accumulation = space->global_batch / ((int64_t)l->dp * l->micro_batch);
    if (l->accumulation < 1)
        return clg_arena_print(arena,
                               "dp %d x micro-batch %d is more than the global batch of %lld "
                               "sequences; raise it or the model-parallel degrees",
                               l->dp, l->micro_batch, (long long)space->global_batch);
    const char *why = clg_layout_refuses(arena, &scenario->model, l);
    if (why) return why;
    clg_pipeline pipeline = {(clg_schedule_kind)l->schedule, l->pp, l->vpp, (int)l->accumulation};
    why = clg_schedule_of(pipeline.kind)->refuses(pipeline);
    return why ? why : "the degrees asked for cannot be met together";
}
