/* refused.c -- why no layout of a space is legal. */
#include "schedule/schedule.h"
#include "search/walk.h"

/* The value asked for, or the one that is legal most often. */
static int likely(const clg_axis_values *axis, int otherwise) {
    return clg_axis_is_free(axis) ? otherwise : axis->value[0];
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
    if (absurd(space)) return "a degree of parallelism is a whole number from 1 to 1,048,576";
    clg_layout start = clg_walk_start(scenario, space), *l = &start;
    l->tp = likely(&space->tp, 1);
    l->cp = likely(&space->cp, 1);
    l->pp = likely(&space->pp, 1);
    l->ep = likely(&space->ep, 1);
    l->etp = likely(&space->etp, 1);
    l->vpp = likely(&space->vpp, 1);
    l->sp = likely(&space->sp, 0) != 0;
    l->zero = likely(&space->zero, 0);
    l->hsdp = likely(&space->hsdp, 0);
    l->cp_kind = (clg_context_kind)likely(&space->cp_kind, CLG_CONTEXT_RING);
    l->attention = likely(&space->attention, CLG_FLASH2);
    l->order = likely(&space->order, 0);
    l->recompute_layers = space->recompute_layers;
    l->recompute = (clg_recompute)likely(
        &space->recompute, l->recompute_layers > 0 ? CLG_RECOMPUTE_FULL : CLG_RECOMPUTE_NONE);
    l->schedule =
        (clg_schedule_kind)likely(&space->schedule, l->vpp > 1 ? CLG_INTERLEAVED : CLG_1F1B);
    int64_t model_ranks = (int64_t)l->tp * l->cp * l->pp;
    if (model_ranks > space->gpus)
        return clg_arena_print(
            arena, "tp %d x cp %d x pp %d is more than the %lld GPUs; lower one of them", l->tp,
            l->cp, l->pp, (long long)space->gpus);
    l->dp = likely(&space->dp, (int)(space->gpus / model_ranks));
    if (l->dp * model_ranks != space->gpus)
        return clg_arena_print(
            arena,
            "tp %d x cp %d x pp %d x dp %d is %lld GPUs, not the %lld asked for; "
            "give degrees that make %lld, or --gpus %lld",
            l->tp, l->cp, l->pp, l->dp, (long long)(l->dp * model_ranks), (long long)space->gpus,
            (long long)space->gpus, (long long)(l->dp * model_ranks));
    l->micro_batch = likely(&space->micro_batch, 1);
    l->accumulation = space->global_batch / ((int64_t)l->dp * l->micro_batch);
    if (l->accumulation < 1)
        return clg_arena_print(arena,
                               "dp %d x micro-batch %d is more than the global batch of %lld "
                               "sequences; raise it or the model-parallel degrees",
                               l->dp, l->micro_batch, (long long)space->global_batch);
    const char *why = clg_layout_refuses(arena, &scenario->model, l);
    if (why) return why;
    why = clg_schedule_of(l->schedule)->refuses(clg_pipeline_of(l));
    return why ? why : "the degrees asked for cannot be met together";
}
