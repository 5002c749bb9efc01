/* demand_make.c -- demands from numbers: a profile of rates, gamma gaps, log-normal lengths.
 *
 * Gaps are drawn in units of expected requests and stretched by the profile, so burstiness and
 * shape of the day are independent of each other. */
#include "demand/demand.h"

#include "base/normal.h"
#include "base/real.h"
#include "demand/random.h"
#include "demand/turns.h"

#include <math.h>

static const double day_s = 86400, quarter_s = 900, longest_s = 36525 * 86400.0;

/* Half of one and the cosine, as a power; of the day it is 1 at its busiest and 0 half a day away.
 */
static double peaked(double day, double power) {
    double half = (1 + clg_cos_of_turns(day)) / 2;
    return half > 0 ? clg_pow(half, power) : 0;
}

/* The power of which the busiest is so many times the mean of a day; at 2 it is the sine itself. */
static double power_of(double peak_over_mean) {
    enum { HALVINGS = 40, PLACES = 1024 };
    double low = 1, high = 1024;
    for (int i = 0; i < HALVINGS && peak_over_mean > 2; i++) {
        double middle = (low + high) / 2, sum = 0;
        for (int k = 0; k < PLACES; k++) sum += peaked((double)k / PLACES, middle);
        if (sum * peak_over_mean > PLACES)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The rate at a time since the beginning, of mean 1 over the day and, with all its days, over the
 * week. */
static double shape_at(const clg_synthetic *s, double power, double since_s) {
    double time_s = s->begin_s + since_s, swing = s->peak_over_mean - 1;
    double hour = fmod(time_s, day_s) / day_s, weekend = 1 - s->weekend_less;
    bool ends = fmod(time_s, 7 * day_s) >= 5 * day_s;
    double late = fmod(hour + 1 - s->peak_late_s / day_s, 1);
    double sine = swing > 1 ? s->peak_over_mean * peaked(fmod(late + 0.5, 1), power)
                            : 1 - swing * clg_cos_of_turns(late);
    double shape = s->duty < 1 ? (hour < s->duty ? 1 / s->duty : 0) : sine;
    return shape * 7 / (5 + 2 * weekend) * (ends ? weekend : 1);
}

/* Steps of a quarter of an hour; flat demands are one step. */
static clg_rate_profile profile_of(clg_arena *arena, const clg_synthetic *s) {
    bool flat = s->duty >= 1 && s->peak_over_mean <= 1 && s->weekend_less == 0.0;
    double step_s = flat ? s->span_s : fmin(quarter_s, s->span_s);
    double power = power_of(s->peak_over_mean);
    int64_t steps = (int64_t)ceil(s->span_s / step_s - 1e-9);
    clg_rate_profile p = {.step = clg_take(arena, (size_t)steps, clg_rate_step), .steps = steps};
    for (int64_t i = 0; i < steps; i++) {
        double begin = (double)i * step_s, seconds = fmin(step_s, s->span_s - begin);
        double shape = flat ? 1 : shape_at(s, power, begin + seconds / 2);
        p.step[i] = (clg_rate_step){seconds, s->requests_per_s * shape};
    }
    return p;
}

static double expected(const clg_rate_profile *p) {
    double sum = 0;
    for (int64_t i = 0; i < p->steps; i++) sum += p->step[i].seconds * p->step[i].requests_per_s;
    return sum;
}

static double span_of(const clg_rate_profile *p) {
    double sum = 0;
    for (int64_t i = 0; i < p->steps; i++) sum += p->step[i].seconds;
    return sum;
}

/* E min(X, L) = m P(Z < (ln L - mu - s^2) / s) + L P(Z > (ln L - mu) / s), mu = ln m - s^2 / 2. */
static double cut_mean(double mean, double spread, double most) {
    double sigma2 = log(1 + spread * spread), sigma = sqrt(sigma2);
    double above = (log(most / mean) + sigma2 / 2) / sigma;
    return mean * clg_normal_below(above - sigma) + most * clg_normal_below(-above);
}

double clg_demand_uncut_mean(double mean, double spread, double most) {
    enum { HALVINGS = 50 };
    double low = mean, high = 1e3 * mean;
    if (most <= 0 || spread <= 0 || mean >= most) return mean;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (cut_mean(middle, spread, most) < mean)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* Log-normal lengths about a mean, cut. */
typedef struct lengths {
    double mean, sigma2, most;
} lengths;

static int32_t length_of(const lengths *l, double x) {
    if (l->most > 0 && x > l->most) x = l->most;
    x = floor(x + 0.5);
    return (int32_t)(x < 1 ? 1 : x > 1e7 ? 1e7 : x);
}

/* Lengths of some requests, drawn prompt, output, prompt, output; exp(0) is 1 without spread. */
static void draw_some(clg_random *random, const lengths of[2], clg_arrival *request, int count) {
    double x[CLG_EACH] = {0}, sigma2 = of->sigma2;
    if (sigma2 > 0) clg_random_normals(random, x, 2 * count);
    for (int k = 0; k < 2 * count; k++) x[k] = sqrt(sigma2) * x[k] - sigma2 / 2;
    clg_exp_each(x, 2 * count);
    for (int k = 0; k < count; k++) {
        request[k].prompt_tokens = length_of(&of[0], of[0].mean * x[2 * k]);
        request[k].output_tokens = length_of(&of[1], of[1].mean * x[2 * k + 1]);
    }
}

/* Lengths are drawn in stretches of requests, each from its own place in the stream. */
typedef struct drawing {
    clg_demand *demand;
    lengths of[2];
    clg_random random;
    int64_t each; /* requests of a stretch */
} drawing;

static void draw_stretch(void *context, int index, clg_arena *arena) {
    enum { UNITS = 4, SOME = CLG_EACH / 2 }; /* of a request: two normals; drawn side by side */
    const drawing *all = context;
    (void)arena;
    int64_t begin = index * all->each, end = begin + all->each;
    if (end > all->demand->count) end = all->demand->count;
    clg_random random = clg_random_after(all->random, UNITS * (uint64_t)begin);
    for (int64_t i = begin; i < end; i += SOME)
        draw_some(&random, all->of, &all->demand->request[i],
                  (int)(end - i < SOME ? end - i : SOME));
}

static void draw_lengths(clg_arena *arena, const clg_synthetic *s, clg_demand *d) {
    enum { EACH = 1 << 16 };
    double sigma2 = s->spread > 0 ? log(1 + s->spread * s->spread) : 0;
    drawing all = {.demand = d,
                   .of = {{clg_demand_uncut_mean(s->prompt_tokens, s->spread, s->most_prompt),
                           sigma2, s->most_prompt},
                          {clg_demand_uncut_mean(s->output_tokens, s->spread, s->most_output),
                           sigma2, s->most_output}},
                   .random = {s->seed ^ 0x5851F42D4C957F2Du},
                   .each = EACH};
    clg_cores_each((clg_progress){.cores = s->cores}, arena, (int)((d->count + EACH - 1) / EACH),
                   draw_stretch, &all);
}

static clg_status check_turns(const clg_synthetic *s, double requests, clg_error *error) {
    double said = s->shared_tokens + s->turns * (s->prompt_tokens + s->output_tokens);
    bool many = s->turns > 1 && requests * said / s->turns > 1e11; /* tokens that are listed */
    if (s->turns >= 0 && s->turns <= 1000 && s->shared_tokens >= 0 && said <= 1e8 && !many &&
        s->turn_gap_s >= 0 && isfinite(s->turn_gap_s))
        return CLG_OK;
    return clg_fail(error, CLG_BAD_INPUT,
                    "--turns to 1000, conversations to 100 Mtok each and 100 Gtok in all",
                    "conversations are out of range");
}

static clg_status check(const clg_synthetic *s, double requests, clg_error *error) {
    if (!(s->burstiness > 1e-3 && s->burstiness <= 1e6 && s->spread >= 0 && s->spread <= 10 &&
          s->duty > 0 && s->duty <= 1 && s->peak_over_mean >= 1 && s->peak_over_mean <= 20))
        return clg_fail(error, CLG_BAD_INPUT,
                        "--burstiness above 0.001, --spread to 10, --duty above 0 to 100%, --peak "
                        "from 1 to 20",
                        "a shape is out of range");
    if (!(requests > 0))
        return s->profile ? clg_fail(error, CLG_BAD_INPUT, "give it a rate above 0",
                                     "the --profile has no demand in it")
                          : clg_fail(error, CLG_BAD_INPUT, "give --rate 5req/s, above 0",
                                     "a --rate of 0 is no demand");
    if (requests > 2e8 && !(s->most > 0 && s->most <= 200000000))
        return clg_fail(error, CLG_BAD_INPUT, "shorten the span, --span 1d",
                        "%.3g requests are more than 200 million", requests);
    if (!(s->prompt_tokens >= 1 && s->output_tokens >= 1 && s->prompt_tokens <= 1e7 &&
          s->output_tokens <= 1e7))
        return clg_fail(error, CLG_BAD_INPUT, "--prompt and --output from 1tok to 10Mtok",
                        "a length is out of range");
    return CLG_OK;
}

/* Walks the profile: where the clock stands after so many more expected requests. */
typedef struct walk {
    const clg_rate_profile *profile;
    int64_t step;
    double begin_s, used_s; /* of the step; time used in it */
} walk;

/* False past the end. */
static bool advance(walk *w, double requests) {
    while (w->step < w->profile->steps) {
        clg_rate_step s = w->profile->step[w->step];
        double left = (s.seconds - w->used_s) * s.requests_per_s;
        if (requests < left) {
            w->used_s += requests / s.requests_per_s;
            return true;
        }
        requests -= left;
        w->begin_s += s.seconds;
        w->used_s = 0;
        w->step++;
    }
    return false;
}

clg_status clg_demand_make(clg_arena *arena, const clg_synthetic *s, clg_demand *demand,
                           clg_error *error) {
    if (!s->profile && !(s->span_s > 0 && s->span_s <= longest_s))
        return clg_fail(error, CLG_BAD_INPUT, "give a --span above 0s, to 36525d",
                        "no demand comes in %.3g s", s->span_s);
    clg_rate_profile profile = s->profile ? *s->profile : profile_of(arena, s);
    double requests = expected(&profile);
    if (check(s, requests, error) != CLG_OK || check_turns(s, requests, error) != CLG_OK)
        return error->status;
    double turns = s->turns > 1 ? s->turns : 1; /* of which each opening is one */
    int64_t most = (int64_t)ceil((double)s->most / turns);
    requests /= turns;
    clg_random gaps = {s->seed};
    double likely = requests * 1.2 + 40 * sqrt(requests / fmin(1, s->burstiness)) + 100;
    int64_t room = most > 0 && (double)most < likely ? most : (int64_t)likely;
    *demand = (clg_demand){.span_s = span_of(&profile)};
    demand->request = clg_arena_room(arena, (size_t)room, sizeof *demand->request);
    walk w = {&profile, 0, 0, 0};
    while (demand->count < room && advance(&w, turns * clg_random_gamma(&gaps, s->burstiness)))
        demand->request[demand->count++] = (clg_arrival){.arrival_s = w.begin_s + w.used_s};
    draw_lengths(arena, s, demand);
    if (demand->count == most) demand->span_s = w.begin_s + w.used_s;
    if (demand->count == 0)
        return clg_fail(
            error, CLG_BAD_INPUT, s->profile ? "raise its rates" : "raise --rate, or --span 30d",
            "not one request came within the %.4g h asked about", demand->span_s / 3600);
    clg_demand_finish(arena, demand);
    clg_demand_converse(arena, s, demand);
    return CLG_OK;
}

clg_demand clg_demand_resample(clg_arena *arena, const clg_demand *demand, int64_t count,
                               double requests_per_s, double dealt, uint64_t seed) {
    clg_demand made = {.title = demand->title,
                       .count = count,
                       .prefix = demand->prefix,
                       .prefixes = demand->prefixes,
                       .prefix_tokens = demand->prefix_tokens,
                       .said_s = demand->said_s};
    clg_random random = {seed};
    double now_s = 0;
    int64_t start = (int64_t)(clg_random_unit(&random) * (double)demand->count);
    made.since_s = demand->request[start].arrival_s;
    made.request = clg_take(arena, (size_t)count, clg_arrival);
    clg_arena_mark mark = clg_arena_here(arena);
    int64_t *from = clg_arena_room(arena, (size_t)count, sizeof *from);
    double *time_s = clg_arena_room(arena, (size_t)count, sizeof *time_s);
    for (int64_t i = 0; i < count; i++) {
        from[i] = (int64_t)(clg_random_unit(&random) * (double)demand->count);
        if (demand->prefix) from[i] = (start + i) % demand->count;
        time_s[i] = now_s;
        if (requests_per_s > 0) now_s += clg_random_gamma(&random, dealt) / requests_per_s;
    }
    for (int64_t i = 0; i < count; i++) { /* apart, so that memory is waited for at once */
        made.request[i] = demand->request[from[i]];
        if (i >= demand->count) made.request[i].blocks = 0; /* nobody asks the same twice */
        made.request[i].arrival_s = time_s[i];
    }
    clg_arena_back_to(arena, mark);
    made.span_s = now_s;
    clg_demand_finish(arena, &made);
    return made;
}
