/* pace.c -- how long iterations take, and how many of them until something happens. */
#include "batching/lane.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

static double shared_s(const clg_iteration_cost *c, double tokens) {
    return c->shared_s[(int)clg_smaller(ceil(tokens), c->max_tokens)];
}

/* What experts that ranks share take less, as they see the tokens that are there: engines do not
 * pad prompts to the fullest rank (SGLang dp_attention.py: sum of lengths where one is read). */
double clg_lane_shared_less_s(const clg_lane *r, double crowded, double there) {
    const clg_iteration_cost *c = r->cost;
    return c->shared_s ? shared_s(c, crowded) - shared_s(c, there) : 0;
}

/* Steps until the longest context is too long for a CUDA graph; 0: one is. */
static int64_t steps_in_graph(const clg_lane *r) {
    int64_t least = INT64_MAX;
    for (int i = 0; i < r->decoding; i++) {
        int64_t left = r->cost->graph_context - clg_lane_cached(r, &r->pool[r->heap[i].id]);
        if (left <= 0) return 0;
        if (left < least) least = left;
    }
    return least;
}

/* The pace of decoding, which holds for *steps steps or fewer: until a context is too long for a
 * graph, another rank is the fullest, or kernels take longer than the host. */
clg_pace clg_lane_pace_of(const clg_lane *r, int64_t *steps) {
    const clg_iteration_cost *c = r->cost;
    int crowd = clg_lane_crowd(r, false);
    double beside = crowd * c->sequence_s, rise_s;
    double kernels = c->decode_s && crowd <= c->decodes
                         ? c->decode_s[crowd]
                         : clg_lane_dense_of(r, clg_lane_widest(r, false));
    kernels += clg_lane_beside_s(r, false, &rise_s, steps);
    clg_pace graph = {kernels + beside, rise_s};
    int64_t most = c->graph_context > 0 ? steps_in_graph(r) : *steps;
    if (most > 0 && most < *steps) *steps = most;
    double host = clg_lane_hosted_s(c, 0, most == 0 ? clg_lane_stages_of(c) : 0, crowd);
    if (kernels >= host) return graph;
    double until = graph.rise_s > 0 ? ceil((host - kernels) / graph.rise_s) : (double)*steps;
    if (until < (double)*steps) *steps = (int64_t)clg_larger(until, 1);
    return (clg_pace){host + beside, 0};
}

/* Steps, at most `most`, until at least `seconds` have passed. */
int64_t clg_lane_steps_until(clg_pace p, double seconds, int64_t most) {
    if (clg_lane_stretch_s(p, (double)most) <= seconds) return most;
    double slope = p.rise_s, w = p.first_s - slope / 2;
    double guess = slope > 0 ? (sqrt(w * w + 2 * slope * seconds) - w) / slope : seconds / w;
    int64_t k = (int64_t)clg_smaller(clg_larger(ceil(guess), 1), (double)most);
    while (k > 1 && clg_lane_stretch_s(p, (double)(k - 1)) >= seconds) k--;
    while (k < most && clg_lane_stretch_s(p, (double)k) < seconds) k++;
    return k;
}

/* Blocks that fall due at a place of the ring and the next of fewer steps than it has places. */
static int64_t due_from(const clg_lane *r, int64_t place, int64_t steps) {
    int64_t down = steps < place + 1 ? steps : place + 1, top = r->rules->block_tokens, sum = 0;
    for (int64_t i = place + 1 - down; i <= place; i++) sum += r->due[i];
    for (int64_t i = top - (steps - down); i < top; i++) sum += r->due[i];
    return sum;
}

/* Steps, at most `most`, before a decoding sequence finds no block; what they take in *taken. */
int64_t clg_lane_steps_with_blocks(const clg_lane *r, int64_t most, int64_t *taken) {
    int64_t size = r->rules->block_tokens, turns = clg_lane_over(most, size), k = 0;
    *taken = 0;
    if (!clg_lane_grows(r)) return most;
    if (turns > 0 && turns * r->decoding > r->free_blocks) turns = r->free_blocks / r->decoding;
    k = turns * size;
    *taken = turns * r->decoding;
    int64_t place = clg_lane_place(r, k);
    if (*taken + r->decoding <= r->free_blocks) { /* one each at most: there is room for all */
        *taken += due_from(r, place, most - k);
        return most;
    }
    for (int64_t i = 0; i < size && k<most; i++, k++, place = place> 0 ? place - 1 : size - 1) {
        int64_t need = r->due[place];
        if (*taken + need > r->free_blocks) break;
        *taken += need;
    }
    return k;
}

/* Micro-batches whose kernels are launched one by one: all, where a context is too long for a
 * graph; those with a prompt, where there are many tokens. */
int clg_lane_launched_of(const clg_lane *r, int prompts, double tokens) {
    const clg_iteration_cost *c = r->cost;
    if (c->graph_context > 0 && steps_in_graph(r) == 0) return clg_lane_stages_of(c);
    if (prompts == 0 || tokens <= c->graph_tokens) return 0;
    return prompts < clg_lane_stages_of(c) ? prompts : clg_lane_stages_of(c);
}

static const double *scaled(clg_arena *arena, const double *seconds, int most, double scale) {
    if (!seconds) return NULL;
    double *all = clg_take(arena, (size_t)most + 1, double);
    for (int i = 0; i <= most; i++) all[i] = seconds[i] * scale;
    return all;
}

clg_iteration_cost clg_iteration_cost_scaled(clg_arena *arena, const clg_iteration_cost *cost,
                                             double scale) {
    clg_iteration_cost c = *cost;
    c.dense_s = scaled(arena, cost->dense_s, c.max_tokens, scale);
    c.shared_s = scaled(arena, cost->shared_s, c.max_tokens, scale);
    c.decode_s = scaled(arena, cost->decode_s, c.decodes, scale);
    static_assert(sizeof c.term_s == offsetof(clg_iteration_cost, context_pad) -
                                         offsetof(clg_iteration_cost, sequence_s),
                  "all terms are scaled");
    for (int i = 0; i < CLG_COST_TERMS; i++) c.term_s[i] *= scale;
    return c;
}
