/* reading.c -- prompts whose cache is read back from the host's memory, beside the iterations.
 *
 *   ready = max(now, link free) + tokens x read_token_s        over the link that is free first
 *
 * Left out: reads that are given up where computing would be sooner (engines do not), and others
 * with the same beginning, which find it as soon as the reading has begun. */
#include "batching/lane.h"

static double *first_free(const clg_lane *r) {
    int links = r->cost->ranks > 1 ? r->cost->ranks : 1, best = 0;
    for (int i = 1; i < links; i++)
        if (r->host.free_s[i] < r->host.free_s[best]) best = i;
    return &r->host.free_s[best];
}

void clg_lane_read_back(clg_lane *r, int id, int64_t tokens) {
    clg_sequence *s = &r->pool[id];
    double *link = first_free(r);
    *link = clg_larger(r->now_s, *link) + (double)tokens * r->rules->read_token_s;
    s->reading = true;
    s->ready_s = *link;
    int at = r->host.count++;
    for (; at > 0 && r->pool[r->host.reading[at - 1]].ready_s <= s->ready_s; at--)
        r->host.reading[at] = r->host.reading[at - 1];
    r->host.reading[at] = id;
}

int clg_lane_next_read(const clg_lane *r) {
    return clg_lane_next_read_s(r) <= clg_lane_seen_s(r) ? r->host.reading[r->host.count - 1]
                                                         : CLG_NOBODY;
}

void clg_lane_end_read(clg_lane *r) { r->pool[r->host.reading[--r->host.count]].reading = false; }
