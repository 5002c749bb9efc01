/* dealing.c -- sequences that are dealt to ranks of attention data parallelism, and the fullest of
 * these.
 *
 * Each rank takes prompts up to its own share of an iteration's tokens. The ranks meet in every
 * layer of experts, so all wait for the one with most to do:
 *   iteration = dense(ranks x widest rank) + ranks x max over ranks of (contexts + pairs + states)
 * Dealt to who has fewest sequences (vLLM core_client.py get_core_engine_for_request; TensorRT-LLM
 * executor_request_queue.py _schedule_attention_dp_requests) or in turn (SGLang
 * data_parallel_controller.py round_robin_scheduler).
 *
 * Left out, which errs fast: a sequence is dealt when a rank has room for its prompt, not when it
 * comes; the cache's blocks are one pool. */
#include "batching/lane.h"

#include <math.h>

void clg_lane_open_ranks(clg_arena *arena, clg_lane *r) {
    const clg_serve_rules *rules = r->rules;
    bool own = rules->prefill_alone && rules->prompt_tokens > 0;
    r->ranks = r->cost->ranks > 1 ? r->cost->ranks : 1;
    r->rank = clg_take(arena, (size_t)r->ranks, clg_rank);
    for (int i = 0; i < r->ranks; i++) r->rank[i].partial = CLG_NOBODY;
    r->seats = (rules->max_sequences + r->ranks - 1) / r->ranks;
    r->most_tokens = (own ? rules->prompt_tokens : rules->max_tokens) / r->ranks;
}

int clg_lane_rank_of_many(const clg_lane *r) {
    bool in_turn = r->rules->dealt_in_turn && r->preempted_count == 0;
    int best = CLG_NOBODY, turn = in_turn ? (int)(r->requests.begin % r->ranks) : 0;
    if (in_turn && clg_lane_open_to_next(r, turn)) return turn;
    for (int i = 0, least = r->seats; i < r->ranks; i++) {
        if (r->rank[i].admitted >= least || !clg_lane_open_to_next(r, i)) continue;
        best = i;
        least = r->rank[i].admitted;
    }
    return best;
}

int clg_lane_crowd_of_many(const clg_lane *r, bool alone) {
    int most = 0;
    for (int i = 0; i < r->ranks; i++) {
        int sequences = clg_lane_sequences_of(&r->rank[i], alone);
        if (sequences > most) most = sequences;
    }
    return r->ranks * most;
}

double clg_lane_widest_of_many(const clg_lane *r, bool alone) {
    double most = 0;
    for (int i = 0; i < r->ranks; i++)
        most = clg_larger(most, clg_lane_width_on(r, &r->rank[i], alone));
    return r->ranks * most;
}

/* Steps of decoding until a rank with less to read, whose contexts grow faster, has as much. */
static int64_t steps_before(double less_s, double faster_s, int64_t most) {
    double steps = faster_s > 0 ? floor(less_s / faster_s) + 1 : INFINITY;
    return steps < (double)most ? (int64_t)steps : most;
}

double clg_lane_beside_many_s(const clg_lane *r, bool alone, double *rise_s, int64_t *steps) {
    const clg_iteration_cost *c = r->cost;
    const clg_rank *fullest = &r->rank[0];
    double most = clg_lane_beside_of(c, fullest, alone);
    for (int i = 1; i < r->ranks; i++) {
        double seconds = clg_lane_beside_of(c, &r->rank[i], alone);
        if (seconds > most) most = seconds, fullest = &r->rank[i];
    }
    for (int i = 0; i < r->ranks; i++) {
        int more = r->rank[i].decoding - fullest->decoding;
        double less_s = most - clg_lane_beside_of(c, &r->rank[i], alone);
        if (more > 0 && *steps > 1) *steps = steps_before(less_s, more * c->context_s, *steps);
    }
    *rise_s = r->ranks * c->context_s * fullest->decoding;
    return r->ranks * most;
}
