/* settled.c -- see the header. */
#include "measured/settled.h"

#include <math.h>

/* Requests are asked in order: the first of them are one of each client. */
static double first_round_s(const clg_served *served, const clg_demand *d, int64_t clients) {
    double end_s = 0;
    for (int64_t i = 0; i < clients && i < d->count; i++) end_s = fmax(end_s, served[i].finish_s);
    return end_s;
}

static double last_asked_s(const clg_served *served, const clg_demand *d) {
    double last_s = 0;
    for (int64_t i = 0; i < d->count; i++) last_s = fmax(last_s, served[i].arrival_s);
    return last_s;
}

clg_settled clg_settled_among(const clg_served *served, const clg_demand *d, int64_t clients) {
    double from_s = first_round_s(served, d, clients), to_s = last_asked_s(served, d);
    double first = 0, each = 0, whole = 0, tokens = 0;
    int64_t count = 0, decoded = 0;
    for (int64_t i = 0; i < d->count; i++) {
        const clg_served *s = &served[i];
        double output = d->request[i].output_tokens;
        if (s->finish_s <= from_s || s->finish_s > to_s) continue;
        count++;
        first += s->first_token_s - s->arrival_s;
        whole += s->finish_s - s->arrival_s;
        tokens += output;
        decoded += output > 1;
        if (output > 1) each += (s->finish_s - s->first_token_s) / (output - 1);
    }
    if (count == 0) return (clg_settled){0};
    return (clg_settled){.ttft_s = first / (double)count,
                         .tpot_s = decoded > 0 ? each / (double)decoded : 0,
                         .answer_s = whole / (double)count,
                         .tokens_per_s = tokens / (to_s - from_s),
                         .requests = count};
}

clg_settled clg_settled_of(clg_arena *arena, const clg_replica *replica, const clg_demand *d) {
    clg_arena_mark mark = clg_arena_here(arena);
    clg_served *served = clg_take(arena, (size_t)d->count + 1, clg_served);
    clg_serve_totals totals;
    clg_replica_serve(arena, replica, d, served, &totals);
    clg_settled settled = clg_settled_among(served, d, replica->rules.clients);
    clg_arena_back_to(arena, mark);
    return settled;
}
