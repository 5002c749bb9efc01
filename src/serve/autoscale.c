/* autoscale.c -- see the header.
 *
 * Four times in a window the autoscaler counts the requests of the last one and wants
 *   ceil(requests / window / (share x rate at the target of one replica))
 * replicas (Knative's rule; Kubernetes' looks as often), up to the fleet that needs no scaling.
 * More are ordered at once and serve after the cold start. Fewer are left when nothing in the last
 * `keep_s` wanted more (Kubernetes' stabilization window): the youngest goes, answers what it has,
 * and is paid until then; one that is still starting stays. Requests that nobody serves wait for
 * the next to start.
 *
 * Of large demands a sample is simulated: hours evenly over the span, of the replicas that serve
 * at a time one in so many, each for all that are alike. Left out: limits on how fast a fleet
 * grows, other measures than the rate, and moving what waits to replicas that come. */
#include "serve/autoscale.h"

#include "serve/route.h"

#include <math.h>
#include <stdlib.h>

enum { LOOKS = 4, MOST_LOOKS = 1000000 };
enum { MOST_STARTS = 1 << 19 }; /* after so many nobody is stopped: a fleet errs large then */
enum { SAMPLE = 100000 };

/* A replica from its order to its end. */
typedef struct life {
    double ordered_s, ready_s, stopped_s;
    int64_t place; /* how many were there before it */
} life;

typedef struct roster {
    clg_arena *arena;
    life *life;
    int64_t lives, running, most;
    size_t room, places;
    int64_t *stack; /* [running] the youngest last */
} roster;

static void order(roster *r, double now_s, double ready_s) {
    life one = {now_s, ready_s, INFINITY, r->running};
    CLG_APPEND(r->arena, r->life, r->lives, r->room, one);
    CLG_APPEND(r->arena, r->stack, r->running, r->places, r->lives - 1);
    if (r->running > r->most) r->most = r->running;
}

static void stop_youngest(roster *r, double now_s) {
    r->life[r->stack[--r->running]].stopped_s = now_s;
}

/* What was wanted lately: of each value that none after it exceeds, when. */
typedef struct recent {
    int64_t *look, *wanted, begin, end, keep;
} recent;

static int64_t most_lately(recent *r, int64_t look, int64_t wanted) {
    while (r->end > r->begin && r->wanted[r->end - 1] <= wanted) r->end--;
    r->look[r->end] = look;
    r->wanted[r->end++] = wanted;
    while (r->look[r->begin] < look - r->keep) r->begin++;
    return r->wanted[r->begin];
}

static int64_t first_after(const clg_demand *d, int64_t from, double time_s) {
    while (from < d->count && d->request[from].arrival_s <= time_s) from++;
    return from;
}

/* The rate of one replica that is asked for, and as many as serve it all without scaling. */
typedef struct reach {
    double each_per_s;
    int64_t most;
} reach;

static int64_t wanted_of(const clg_autoscaler *a, double requests, reach to) {
    double n = ceil(requests / a->window_s / to.each_per_s - 1e-9);
    return (int64_t)fmin(fmax(n, (double)a->least), (double)to.most);
}

/* As if the demand had begun before: with what its first window asks for. */
static roster run_autoscaler(clg_arena *arena, const clg_serve_question *q, reach to) {
    const clg_autoscaler *a = &q->autoscaler;
    const clg_demand *d = q->demand;
    double look_s = a->window_s / LOOKS;
    int64_t looks = (int64_t)ceil(d->span_s / look_s);
    recent lately = {.look = clg_take(arena, (size_t)looks + 2, int64_t),
                     .wanted = clg_take(arena, (size_t)looks + 2, int64_t),
                     .keep = (int64_t)ceil(a->keep_s / look_s)};
    roster r = {.arena = arena};
    int64_t begin = 0, end = first_after(d, 0, a->window_s);
    int64_t wanted = wanted_of(a, (double)end, to);
    for (int64_t i = 0; i < wanted; i++) order(&r, 0, 0);
    most_lately(&lately, 0, wanted);
    for (int64_t look = 1; look <= looks; look++) {
        double now_s = look_s * (double)look;
        if (look > LOOKS) {
            end = first_after(d, end, now_s);
            begin = first_after(d, begin, now_s - a->window_s);
        }
        wanted = wanted_of(a, (double)(end - begin), to);
        int64_t most = most_lately(&lately, look, wanted);
        while (r.running < wanted) order(&r, now_s, now_s + q->cold_start_s);
        while (r.running > most && r.lives < MOST_STARTS &&
               r.life[r.stack[r.running - 1]].ready_s <= now_s)
            stop_youngest(&r, now_s);
    }
    if (r.lives == 0) order(&r, d->span_s, d->span_s + q->cold_start_s);
    return r;
}

/* Begin before they end, the oldest first; end the youngest first. */
static int by_time(const void *a, const void *b) {
    const clg_shift *x = a, *y = b;
    if (x->time_s != y->time_s) return x->time_s < y->time_s ? -1 : 1;
    if (x->joins != y->joins) return x->joins ? -1 : 1;
    int order = (x->replica > y->replica) - (x->replica < y->replica);
    return x->joins ? order : -order;
}

static clg_shift *shifts_of(const roster *r, int64_t *count) {
    clg_shift *shift = clg_take(r->arena, 2 * (size_t)r->lives, clg_shift);
    *count = 0;
    for (int64_t i = 0; i < r->lives; i++) {
        const life *l = &r->life[i];
        shift[(*count)++] = (clg_shift){l->ready_s, (int32_t)i, true};
        if (isfinite(l->stopped_s))
            shift[(*count)++] = (clg_shift){l->stopped_s, (int32_t)i, false};
    }
    qsort(shift, (size_t)*count, sizeof *shift, by_time);
    return shift;
}

/* One in so many of hours, and of the replicas that serve at a time: of eight and more, for the
 * oldest is always among them, and has the queue of when it was alone. */
typedef struct sample {
    int64_t hours, places;
} sample;

static sample sample_of(const clg_demand *d, int64_t most) {
    enum { AT_A_TIME = 8 };
    int64_t of = (d->count + SAMPLE - 1) / SAMPLE;
    int64_t places = most / AT_A_TIME > 1 ? most / AT_A_TIME : 1;
    if (places > of) places = of;
    return (sample){(of + places - 1) / places, places};
}

/* For how many requests one of a sampled replica stands. */
static double *weights_of(clg_arena *arena, const roster *r, const clg_demand *d,
                          const clg_shift *shift, int64_t shifts, int64_t places) {
    double *weight = clg_take(arena, (size_t)d->count + 1, double);
    double all = 0, sampled = 0;
    for (int64_t i = 0, at = 0; i < d->count; i++) {
        for (; at < shifts && (shift[at].time_s <= d->request[i].arrival_s || all == 0); at++) {
            double step = shift[at].joins ? 1 : -1;
            all += step;
            if (r->life[shift[at].replica].place % places == 0) sampled += step;
        }
        weight[i] = sampled > 0 ? all / sampled : 0;
    }
    return weight;
}

typedef struct tally {
    double all, well, late_first, drain_s;
} tally;

static void add_request(tally *t, const clg_arrival *q, const clg_served *s, double weight,
                        const clg_serve_target *target) {
    double ttft = s->first_token_s - q->arrival_s, tpot = 0;
    if (q->output_tokens > 1) tpot = (s->finish_s - s->first_token_s) / (q->output_tokens - 1);
    if (s->finish_s < 0) return;
    t->all += weight;
    t->late_first += weight * (ttft > target->ttft_s);
    t->well += weight * (ttft <= target->ttft_s && tpot <= target->tpot_s);
}

/* Requests by the replica they go to, in order: those of i from first[i] up to first[i + 1]. */
typedef struct parts {
    int64_t *first, *request;
} parts;

static parts parts_of(clg_arena *arena, const int32_t *route, int64_t requests, int64_t replicas) {
    parts p = {clg_take(arena, (size_t)replicas + 2, int64_t),
               clg_take(arena, (size_t)requests + 1, int64_t)};
    for (int64_t i = 0; i < requests; i++) p.first[route[i] + 2]++;
    for (int64_t i = 2; i <= replicas; i++) p.first[i] += p.first[i - 1];
    for (int64_t i = 0; i < requests; i++) p.request[p.first[route[i] + 1]++] = i;
    return p;
}

/* One life: who comes before it is ready waits for that. */
static void serve_life(clg_arena *arena, const clg_serve_question *q, const clg_demand *d,
                       const int64_t *request, int64_t count, const life *l, const double *weight,
                       tally *t) {
    clg_demand part = *d;
    clg_served *served = clg_take(arena, (size_t)count + 1, clg_served);
    clg_serve_totals totals;
    part.count = count;
    part.request = clg_take(arena, (size_t)count + 1, clg_arrival);
    for (int64_t i = 0; i < count; i++) {
        part.request[i] = d->request[request[i]];
        part.request[i].arrival_s = fmax(part.request[i].arrival_s, l->ready_s);
    }
    clg_replica_serve(arena, q->replica, &part, served, &totals);
    for (int64_t i = 0; i < count; i++)
        add_request(t, &d->request[request[i]], &served[i], weight[request[i]], &q->target);
    if (count > 0 && isfinite(l->stopped_s)) t->drain_s += fmax(0, totals.end_s - l->stopped_s);
}

static double paid_s(const roster *r, double span_s) {
    double sum = 0;
    for (int64_t i = 0; i < r->lives; i++)
        sum += fmax(0, fmin(r->life[i].stopped_s, span_s) - r->life[i].ordered_s);
    return sum;
}

/* Those of the replicas that are simulated. */
static tally serve_lives(clg_arena *arena, const clg_serve_question *q, const roster *r,
                         sample some, const clg_demand *d) {
    int64_t shifts;
    clg_shift *shift = shifts_of(r, &shifts);
    bool in_turn = !d->prefix || q->replica->in_turn || q->replica->rules.no_prefix_cache;
    int32_t *route =
        clg_route_shifts(arena, in_turn ? NULL : &q->replica->engine, d, shift, shifts, r->lives);
    double *weight = weights_of(arena, r, d, shift, shifts, some.places);
    parts p = parts_of(arena, route, d->count, r->lives);
    tally t = {0};
    for (int64_t i = 0; i < r->lives; i++) {
        clg_arena_mark mark = clg_arena_here(arena);
        if (r->life[i].place % some.places == 0 && p.first[i + 1] > p.first[i])
            serve_life(arena, q, d, p.request + p.first[i], p.first[i + 1] - p.first[i],
                       &r->life[i], weight, &t);
        clg_arena_back_to(arena, mark);
    }
    return t;
}

static clg_scaled_fleet scaled_at(clg_arena *arena, const clg_serve_question *q,
                                  const clg_serve_answer *a, double share) {
    clg_arena_mark mark = clg_arena_here(arena);
    double each = a->target_tokens_per_s / clg_demand_means_of(q->demand).output_tokens;
    roster r = run_autoscaler(arena, q, (reach){each * share, a->fleet.replicas});
    sample some = sample_of(q->demand, r.most);
    clg_demand d = clg_demand_sampled(
        arena, q->demand, (double)q->demand->count / (double)some.hours, q->cold_start_s);
    tally t = serve_lives(arena, q, &r, some, &d);
    double paid = paid_s(&r, d.span_s) + t.drain_s * (double)(some.places * some.hours);
    clg_scaled_fleet f = {.share = share,
                          .replicas_mean = paid / d.span_s,
                          .most = r.most,
                          .starts = r.lives,
                          .well_served = t.all > 0 ? t.well / t.all : 1,
                          .late_first = t.all > 0 ? t.late_first / t.all : 0};
    clg_arena_back_to(arena, mark);
    return f;
}

/* Of shares a sixteenth of the asked one apart, the highest that meets the target. */
static bool meeting_share(clg_arena *arena, const clg_serve_question *q, const clg_serve_answer *a,
                          clg_scaled_fleet *best) {
    enum { PARTS = 16 };
    int low = 0, high = PARTS;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        clg_scaled_fleet f = scaled_at(arena, q, a, q->autoscaler.share * middle / PARTS);
        bool meets = f.well_served >= q->target.share;
        if (meets) *best = f;
        *(meets ? &low : &high) = middle;
    }
    return low > 0;
}

void clg_autoscale(clg_arena *arena, const clg_serve_question *q, clg_serve_answer *a) {
    const clg_autoscaler *scaler = &q->autoscaler;
    bool idle = scaler->least == 0 || a->fleet.replicas > scaler->least;
    if (scaler->share <= 0 || !a->attainable || !idle) return;
    a->scaled[a->scaled_count++] = scaled_at(arena, q, a, scaler->share);
    if (a->scaled[0].well_served >= q->target.share) return;
    a->scaled_count += meeting_share(arena, q, a, &a->scaled[1]);
}

clg_status clg_autoscaler_check(const clg_serve_question *q, clg_error *error) {
    const clg_autoscaler *a = &q->autoscaler;
    if (a->share <= 0 || q->demand->span_s * LOOKS <= MOST_LOOKS * a->window_s) return CLG_OK;
    return clg_fail(error, CLG_BAD_INPUT, "give a longer --scale-window",
                    "an autoscaler looks %d times in a --scale-window, more than %d times in "
                    "%.6g s",
                    LOOKS, MOST_LOOKS, q->demand->span_s);
}
