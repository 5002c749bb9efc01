/* demand.c -- sums, order and samples of a demand. */
#include "demand/demand.h"

#include "base/first.h"

#include <math.h>
#include <stdlib.h>

int64_t clg_demand_lost(const clg_demand *d) {
    return d->lost.unreadable + d->lost.negative + d->lost.empty + d->lost.absurd;
}

double clg_demand_rate_per_s(const clg_demand *d) {
    return d->span_s > 0 ? (double)d->count / d->span_s : 0;
}

/* Requests from the one at `begin` that come before `end_s`. */
static int64_t count_before(const clg_demand *d, int64_t begin, double end_s) {
    int64_t at = begin;
    while (at < d->count && d->request[at].arrival_s < end_s) at++;
    return at - begin;
}

double clg_demand_peak_s(const clg_demand *d) { return d->span_s >= 600 ? 60 : d->span_s / 20; }

double clg_demand_peak_over_mean(const clg_demand *d) {
    if (d->span_s <= 0 || d->count == 0) return 1;
    double window_s = clg_demand_peak_s(d);
    double start_s = d->request[0].arrival_s;
    int64_t most = 0;
    for (int64_t at = 0; at < d->count;) {
        double window = floor((d->request[at].arrival_s - start_s) / window_s);
        int64_t here = count_before(d, at, start_s + (window + 1) * window_s);
        if (here < 1) here = 1; /* rounding at the edge of a window */
        if (here > most) most = here;
        at += here;
    }
    return (double)most / window_s / clg_demand_rate_per_s(d);
}

clg_demand_means clg_demand_means_of(const clg_demand *d) {
    double n = d->count > 0 ? (double)d->count : 1, prompt = (double)d->prompt_tokens;
    double output = d->output_tokens > 0 ? (double)d->output_tokens : 1;
    return (clg_demand_means){prompt / n, output / n, d->read_tokens / output, d->pairs / output};
}

bool clg_demand_in_time(const clg_demand *d) { return d->span_s > 0 && d->clients <= 0; }

/* First request at or after a time. */
static int64_t first_after(const clg_demand *d, double time_s) {
    size_t at;
    CLG_FIRST(at, 0, (size_t)d->count, !(d->request[at].arrival_s < time_s));
    return (int64_t)at;
}

/* A block comes up after those before it. */
int32_t clg_demand_said_before(const clg_demand *d, const clg_arrival *q) {
    size_t at;
    if (!d->said_s) return 0;
    CLG_FIRST(at, 0, (size_t)q->blocks, !(d->said_s[d->prefix[q->block + at]] < d->since_s));
    return (int32_t)at;
}

static void sum(clg_demand *d) {
    d->prompt_tokens = d->output_tokens = d->longest_tokens = 0;
    d->read_tokens = d->pairs = 0;
    for (int64_t i = 0; i < d->count; i++) {
        int64_t p = d->request[i].prompt_tokens, o = d->request[i].output_tokens;
        d->prompt_tokens += p;
        d->output_tokens += o;
        d->read_tokens += (double)o * ((double)p + (double)o / 2);
        d->pairs += (double)p * (double)p / 2;
        if (p + o > d->longest_tokens) d->longest_tokens = p + o;
    }
}

clg_demand clg_demand_slice(const clg_demand *d, double begin_s, double end_s) {
    clg_demand slice = *d;
    bool to_the_end = end_s >= d->span_s * (1 - 1e-12); /* with who comes at the end itself */
    int64_t begin = first_after(d, begin_s), end = to_the_end ? d->count : first_after(d, end_s);
    slice.request = d->request + begin;
    slice.count = end - begin;
    slice.span_s = end_s - begin_s;
    slice.since_s = begin_s;
    sum(&slice);
    return slice;
}

clg_demand clg_demand_dealt(clg_arena *arena, const clg_demand *d, int64_t first, int64_t stride) {
    clg_demand part = *d;
    part.count = first < d->count ? (d->count - first + stride - 1) / stride : 0;
    part.request = clg_arena_room(arena, (size_t)part.count + 1, sizeof *part.request);
    for (int64_t i = 0; i < part.count; i++) part.request[i] = d->request[first + i * stride];
    return part;
}

clg_demand clg_demand_first(const clg_demand *d, int64_t count) {
    clg_demand first = *d;
    if (count >= d->count) return first;
    first.count = count;
    first.span_s = d->request[count].arrival_s - d->request[0].arrival_s;
    sum(&first);
    return first;
}

clg_demand clg_demand_thin(clg_arena *arena, const clg_demand *d, int64_t count) {
    clg_demand thin = *d;
    if (count >= d->count) return thin;
    thin.count = count;
    thin.request = clg_take(arena, (size_t)count, clg_arrival);
    for (int64_t i = 0; i < count; i++) {
        double at = floor(((double)i + 0.5) * (double)d->count / (double)count);
        thin.request[i] = d->request[(int64_t)at];
    }
    sum(&thin);
    return thin;
}

/* The first request from `from` on that comes later than that; they double their way, then halve.
 */
static int64_t later_than(const clg_demand *d, int64_t from, double when_s) {
    int64_t low = from, step = 1;
    while (low + step < d->count && d->request[low + step].arrival_s <= when_s) {
        low += step;
        step *= 2;
    }
    int64_t high = low + step < d->count ? low + step : d->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (d->request[middle].arrival_s <= when_s)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A window that is shorter than the shortest yet ends after this one does, so it begins less than
 * that before this one's end: what lies between is skipped, but for rounding. */
clg_demand clg_demand_busiest(const clg_demand *d, int64_t count) {
    static const double rounding = 1e-15; /* of seconds: four times that of a double */
    const clg_arrival *at = d->request;
    int64_t best = 0;
    if (count >= d->count) return *d;
    for (int64_t i = 0, next; i + count < d->count; i = next) {
        double end_s = at[i + count].arrival_s;
        double least_s = at[best + count].arrival_s - at[best].arrival_s;
        next = i + 1;
        if (end_s - at[i].arrival_s < least_s)
            best = i;
        else
            next = later_than(d, next, end_s - least_s - rounding * end_s);
    }
    return clg_demand_slice(d, at[best].arrival_s, at[best + count].arrival_s);
}

/* Whether a stretch is the one of its `one_in` that is taken. Another place in each, spread evenly
 * by the golden ratio: at the same one days would be seen at the same hour. */
static bool is_taken(int64_t stretch, int64_t one_in) {
    static const double golden = 0.6180339887498949;
    double turns = ((double)(stretch / one_in) + 0.5) * golden;
    return stretch % one_in == (int64_t)((turns - floor(turns)) * (double)one_in);
}

clg_demand clg_demand_sampled(clg_arena *arena, const clg_demand *d, double count, double least_s) {
    static const double fewest = 4, most = 24;
    clg_demand some = *d;
    if (count >= (double)d->count || d->span_s <= 0) return some;
    int64_t one_in = (int64_t)ceil((double)d->count / count);
    double held = floor(d->span_s / (double)one_in / fmax(least_s, 1e-9));
    double stretch_s = d->span_s / ((double)one_in * fmin(fmax(held, fewest), most));
    size_t room = 0;
    some.request = NULL;
    some.count = 0;
    for (int64_t i = 0; i < d->count; i++)
        if (is_taken((int64_t)(d->request[i].arrival_s / stretch_s), one_in))
            CLG_APPEND(arena, some.request, some.count, room, d->request[i]);
    sum(&some);
    return some;
}

static int by_arrival(const void *a, const void *b) {
    const clg_arrival *x = a, *y = b;
    return (x->arrival_s > y->arrival_s) - (x->arrival_s < y->arrival_s);
}

/* qsort is not stable and may be quadratic nowhere in glibc; ties are requests at one instant,
 * whose order carries no meaning. */
void clg_demand_finish(clg_arena *arena, clg_demand *d) {
    (void)arena;
    d->moved = 0;
    for (int64_t i = 1; i < d->count; i++)
        d->moved += d->request[i].arrival_s < d->request[i - 1].arrival_s;
    if (d->moved > 0) qsort(d->request, (size_t)d->count, sizeof *d->request, by_arrival);
    sum(d);
}
