/* sequences.c -- who is in the batch: order of admission, a heap of finishes, blocks that fall due.
 */
#include "batching/lane.h"

static void put(clg_lane *r, int at, clg_due due) {
    r->heap[at] = due;
    r->pool[due.id].heap = at;
}

/* Moves what is at a place to where it belongs. */
static void sift(clg_lane *r, int at) {
    clg_due due = r->heap[at];
    for (int up; at > 0 && due.finish_step < r->heap[up = (at - 1) / 2].finish_step; at = up)
        put(r, at, r->heap[up]);
    for (int least; (least = 2 * at + 1) < r->decoding; at = least) {
        if (least + 1 < r->decoding && r->heap[least + 1].finish_step < r->heap[least].finish_step)
            least++;
        if (r->heap[least].finish_step >= due.finish_step) break;
        put(r, at, r->heap[least]);
    }
    put(r, at, due);
}

/* ---- sequences in and out */

/* The ring of due blocks turns with the steps: a sequence stays where it was put. */
static int64_t *due_of(clg_lane *r, const clg_sequence *s) {
    int64_t size = r->rules->block_tokens, key = (s->target - s->start_step) % size;
    return &r->due[key < 0 ? key + size : key];
}

void clg_lane_decode_begin(clg_lane *r, int id) {
    clg_sequence *s = &r->pool[id];
    s->start_step = r->step;
    int64_t left = clg_lane_request_at(r, s->request)->output_tokens - s->generated;
    r->heap[r->decoding++] = (clg_due){r->step + left, id};
    sift(r, r->decoding - 1);
    r->rank[s->rank].decoding++;
    r->rank[s->rank].context += s->target;
    *due_of(r, s) += clg_lane_grows(r);
}

static void decode_end(clg_lane *r, int id) {
    clg_sequence *s = &r->pool[id];
    int at = s->heap;
    r->rank[s->rank].decoding--;
    r->rank[s->rank].context -= clg_lane_cached(r, s);
    *due_of(r, s) -= clg_lane_grows(r);
    if (at < --r->decoding) {
        r->heap[at] = r->heap[r->decoding];
        sift(r, at);
    }
    s->heap = CLG_NOBODY;
}

static void leave(clg_lane *r, int id) {
    clg_sequence *s = &r->pool[id];
    *(s->previous == CLG_NOBODY ? &r->oldest : &r->pool[s->previous].next) = s->next;
    *(s->next == CLG_NOBODY ? &r->youngest : &r->pool[s->next].previous) = s->previous;
    clg_rank *rank = &r->rank[s->rank];
    r->admitted--;
    rank->admitted--;
    r->prompt_blocks -= clg_lane_blocks_of(r, s->target) - r->rules->sequence_blocks;
    if (rank->partial == id) rank->partial = CLG_NOBODY;
}

void clg_lane_join(clg_lane *r, int id) {
    clg_sequence *s = &r->pool[id];
    s->previous = r->youngest;
    s->next = CLG_NOBODY;
    *(r->youngest == CLG_NOBODY ? &r->oldest : &r->pool[r->youngest].next) = id;
    r->youngest = id;
    r->prompt_blocks += clg_lane_blocks_of(r, s->target) - r->rules->sequence_blocks;
    r->admitted++;
    r->rank[s->rank].admitted++;
}

/* Late by the tokens after a first one that was not. */
static bool is_late(const clg_lane *r, const clg_served *s, int64_t tokens) {
    const clg_serve_rules *rules = r->rules;
    if (tokens < 2 || s->first_token_s + rules->front.after_s - s->arrival_s > rules->late_first_s)
        return false;
    double after_s = s->finish_s + rules->front.token_s * (double)tokens - s->first_token_s;
    return after_s / (double)(tokens - 1) > rules->late_token_s;
}

void clg_lane_finish(clg_lane *r, int id) {
    clg_sequence *s = &r->pool[id];
    int64_t blocks = clg_lane_held(r, s);
    if (s->heap != CLG_NOBODY) decode_end(r, id);
    r->free_blocks += blocks;
    leave(r, id);
    r->unused[r->unused_count++] = id;
    const clg_arrival *q = clg_lane_request_at(r, s->request);
    r->served[s->request].finish_s = clg_lane_handed_s(r);
    r->totals->late += is_late(r, &r->served[s->request], q->output_tokens);
    r->totals->finished++;
    r->totals->prompt_tokens += q->prompt_tokens;
    r->totals->output_tokens += q->output_tokens;
    clg_lane_note_through(r, s->request);
    clg_lane_client_asks(r, clg_lane_handed_s(r) + r->rules->front.after_s +
                                r->rules->front.token_s * q->output_tokens);
}

/* The youngest gives its blocks back and will compute everything again; who reads is not stopped.
 */
void clg_lane_preempt_youngest(clg_lane *r) {
    int id = r->youngest;
    while (r->pool[id].reading) id = r->pool[id].previous;
    clg_sequence *s = &r->pool[id];
    int64_t blocks = clg_lane_held(r, s);
    if (s->heap != CLG_NOBODY) {
        s->generated += r->step - s->start_step;
        decode_end(r, id);
    }
    r->free_blocks += blocks;
    leave(r, id);
    s->target = clg_lane_request_at(r, s->request)->prompt_tokens + s->generated;
    s->done = 0;
    r->preempted[r->preempted_count++] = id;
    r->totals->preemptions++;
}
