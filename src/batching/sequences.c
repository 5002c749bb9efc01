/* sequences.c -- who is in the batch: order of admission, a heap of finishes, blocks that fall due.
 */
#include "batching/lane.h"

static bool earlier(const clg_lane *r, int a, int b) {
    return r->pool[r->heap[a]].finish_step < r->pool[r->heap[b]].finish_step;
}

static void swap(clg_lane *r, int a, int b) {
    int x = r->heap[a];
    r->heap[a] = r->heap[b];
    r->heap[b] = x;
    r->pool[r->heap[a]].heap = a;
    r->pool[r->heap[b]].heap = b;
}

static void sift(clg_lane *r, int at) {
    while (at > 0 && earlier(r, at, (at - 1) / 2)) {
        swap(r, at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
    for (;;) {
        int least = at, left = 2 * at + 1;
        if (left < r->decoding && earlier(r, left, least)) least = left;
        if (left + 1 < r->decoding && earlier(r, left + 1, least)) least = left + 1;
        if (least == at) return;
        swap(r, at, least);
        at = least;
    }
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
    s->finish_step = r->step + clg_lane_request_at(r, s->request)->output_tokens - s->generated;
    s->heap = r->decoding;
    r->heap[r->decoding++] = id;
    sift(r, s->heap);
    r->context += s->target;
    *due_of(r, s) += clg_lane_grows(r);
}

static void decode_end(clg_lane *r, int id) {
    clg_sequence *s = &r->pool[id];
    int at = s->heap;
    r->context -= clg_lane_cached(r, s);
    *due_of(r, s) -= clg_lane_grows(r);
    swap(r, at, --r->decoding);
    if (at < r->decoding) sift(r, at);
    s->heap = CLG_NOBODY;
}

static void leave(clg_lane *r, int id) {
    clg_sequence *s = &r->pool[id];
    *(s->previous == CLG_NOBODY ? &r->oldest : &r->pool[s->previous].next) = s->next;
    *(s->next == CLG_NOBODY ? &r->youngest : &r->pool[s->next].previous) = s->previous;
    r->admitted--;
    r->prompt_blocks -= clg_lane_blocks_of(r, s->target) - r->rules->sequence_blocks;
    if (r->partial == id) r->partial = CLG_NOBODY;
}

void clg_lane_join(clg_lane *r, int id) {
    clg_sequence *s = &r->pool[id];
    s->previous = r->youngest;
    s->next = CLG_NOBODY;
    *(r->youngest == CLG_NOBODY ? &r->oldest : &r->pool[r->youngest].next) = id;
    r->youngest = id;
    r->prompt_blocks += clg_lane_blocks_of(r, s->target) - r->rules->sequence_blocks;
    r->admitted++;
}

/* Late by the tokens after a first one that was not. */
static bool is_late(const clg_lane *r, const clg_served *s, int64_t tokens) {
    const clg_serve_rules *rules = r->rules;
    if (tokens < 2 || s->first_token_s + rules->after_s - s->arrival_s > rules->late_first_s)
        return false;
    double after_s = s->finish_s + rules->token_s * (double)tokens - s->first_token_s;
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
    r->outstanding--;
    clg_lane_client_asks(r, clg_lane_handed_s(r) + r->rules->after_s +
                                r->rules->token_s * q->output_tokens);
}

/* The youngest gives its blocks back and will compute everything again. */
void clg_lane_preempt_youngest(clg_lane *r) {
    int id = r->youngest;
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
