/* balance.c -- layers cut over chunks so that the busiest stage has less to do.
 *
 * From as even as can be, one layer after the other is taken off the busiest stage, from its
 * longest chunk, and given to the shortest chunk of the least busy, as long as the busiest gets
 * shorter; of equal ones to the deepest, which keeps fewest activations. A chunk takes all passes
 * of its layers, the first those of the embedding too, the last those of the head and of
 * prediction layers. Where full recomputing is of some layers of a chunk only, all are counted;
 * sends and the traffic of shards are not. Where layers differ a better cut may exist. Such a cut
 * is a proposal: a search prices it in full, beside the even one. */
#include "evaluate/compose.h"
#include "schedule/schedule.h"

/* What is dealt out: seconds of the layers before each, and of what the ends hold besides. */
typedef struct deal {
    int layers, chunks, stages, of_stage; /* chunks that one stage holds */
    double *before_s;                     /* [layers + 1] */
    double first_s, last_s;
    const int *depth; /* [stages * of_stage] */
    double *chunk_s;  /* [chunks] */
} deal;

/* How busy the busiest stage is, and how many are as busy; which, and the least busy one. */
typedef struct load {
    double seconds, least_s;
    int count, busiest, idlest;
} load;

static const double rounding = 1e-9; /* of sums: what differs by less is equal */

/* One micro-batch of all passes. */
static double passes_s(const clg_pass_cost pass[CLG_PASSES]) {
    double seconds = 0;
    for (int p = 0; p < CLG_PASSES; p++) seconds += clg_pass_s(&pass[p]);
    return seconds;
}

static void fill_seconds(clg_arena *arena, const clg_model *model, const clg_priced *priced,
                         deal *d) {
    double kind_s[CLG_LAYER_KINDS];
    for (int kind = 0; kind < model->kinds; kind++) kind_s[kind] = passes_s(priced->layer[kind]);
    d->before_s = clg_take(arena, (size_t)d->layers + 1, double);
    for (int i = 0; i < d->layers; i++)
        d->before_s[i + 1] = d->before_s[i] + kind_s[model->layer_kind[i]];
    d->first_s = passes_s(priced->embedding);
    d->last_s = passes_s(priced->head) +
                model->prediction_layers * kind_s[model->layer_kind[d->layers - 1]];
}

static deal begin(clg_arena *arena, const clg_model *model, const clg_layout *layout,
                  const clg_priced *priced) {
    clg_pipeline pipeline = clg_pipeline_of(layout);
    const clg_schedule *schedule = clg_schedule_of(pipeline.kind);
    deal d = {.layers = model->layers,
              .chunks = layout->pp * layout->vpp,
              .stages = layout->pp,
              .of_stage = layout->vpp * clg_layout_copies(layout)};
    int *depth = clg_take(arena, (size_t)d.stages * (size_t)d.of_stage, int);
    for (int s = 0; s < d.stages; s++)
        for (int v = 0; v < d.of_stage; v++)
            depth[s * d.of_stage + v] = schedule->depth(pipeline, s, v);
    d.depth = depth;
    d.chunk_s = clg_take(arena, (size_t)d.chunks, double);
    fill_seconds(arena, model, priced, &d);
    return d;
}

static void note_stage(load *now, int stage, double seconds) {
    if (seconds > now->seconds * (1 + rounding)) {
        now->seconds = seconds;
        now->busiest = stage;
        now->count = 0;
    }
    now->count += seconds >= now->seconds * (1 - rounding);
    if (stage > 0 && seconds > now->least_s * (1 + rounding)) return;
    now->least_s = seconds;
    now->idlest = stage;
}

static load load_of(const deal *d, const int *layers_of) {
    load now = {0};
    for (int chunk = 0, from = 0; chunk < d->chunks; from += layers_of[chunk++])
        d->chunk_s[chunk] = d->before_s[from + layers_of[chunk]] - d->before_s[from];
    d->chunk_s[0] += d->first_s;
    d->chunk_s[d->chunks - 1] += d->last_s;
    for (int s = 0; s < d->stages; s++) {
        double seconds = 0;
        for (int v = 0; v < d->of_stage; v++) seconds += d->chunk_s[d->depth[s * d->of_stage + v]];
        note_stage(&now, s, seconds);
    }
    return now;
}

static bool is_less(load a, load b) {
    if (a.seconds < b.seconds * (1 - rounding)) return true;
    return a.seconds <= b.seconds * (1 + rounding) && a.count < b.count;
}

/* By the seconds of the last load; -1: no chunk of the stage can spare a layer. */
static int longest_chunk(const deal *d, const int *layers_of, int stage) {
    int longest = -1;
    for (int v = 0; v < d->of_stage; v++) {
        int chunk = d->depth[stage * d->of_stage + v];
        bool end = chunk == 0 || chunk == d->chunks - 1; /* may hold its table alone */
        if (layers_of[chunk] <= (end ? 0 : 1)) continue;
        double least_s = longest < 0 ? 0 : d->chunk_s[longest] * (1 - rounding);
        if (d->chunk_s[chunk] >= least_s) longest = chunk;
    }
    return longest;
}

static int shortest_chunk(const deal *d, int stage) {
    int shortest = d->depth[stage * d->of_stage];
    for (int v = 1; v < d->of_stage; v++) {
        int chunk = d->depth[stage * d->of_stage + v];
        if (d->chunk_s[chunk] <= d->chunk_s[shortest] * (1 + rounding)) shortest = chunk;
    }
    return shortest;
}

/* One layer from the busiest to the least busy stage; false: that makes it no better. */
static bool relieve(const deal *d, int *layers_of, load *now) {
    int from = longest_chunk(d, layers_of, now->busiest), to = shortest_chunk(d, now->idlest);
    if (from < 0 || from == to) return false;
    layers_of[from]--, layers_of[to]++;
    load then = load_of(d, layers_of);
    bool less = is_less(then, *now);
    if (less)
        *now = then;
    else
        layers_of[from]++, layers_of[to]--;
    return less;
}

bool clg_balanced_layers(clg_arena *scratch, const clg_model *model, const clg_layout *layout,
                         const clg_priced *priced, int *layers_of) {
    clg_arena_mark mark = clg_arena_here(scratch);
    clg_layout even = *layout;
    even.split = NULL;
    clg_layout_layers(model, &even, layers_of);
    deal d = begin(scratch, model, layout, priced);
    load now = load_of(&d, layers_of);
    double even_s = now.seconds;
    for (int moved = 0; moved < d.layers && relieve(&d, layers_of, &now); moved++) {
    }
    clg_arena_back_to(scratch, mark);
    return now.seconds < even_s * (1 - rounding);
}
