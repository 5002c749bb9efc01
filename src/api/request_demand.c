/* request_demand.c -- who asks: a trace, a profile of rates, or numbers. */
#include "api/request_parts.h"
#include "demand/demand.h"

#include <math.h>
#include <string.h>

/* The file of a knob that names one. */
static const clg_attachment *attached(const clg_request *request, clg_param param,
                                      clg_error *error) {
    const clg_attachment *file = &request->file[param];
    if (file->text) return file;
    clg_error_at(error, request->value[param], 0, 0, NULL);
    clg_fail(error, CLG_BAD_INPUT, "give it once more", "this file is not at hand");
    return NULL;
}

static clg_status read_trace(clg_arena *arena, const clg_request *request, clg_demand *demand,
                             clg_error *error) {
    const clg_attachment *file = attached(request, CLG_PARAM_TRACE, error);
    if (!file) return error->status;
    return clg_demand_read(arena, file->name, file->text, file->size, demand, error);
}

static clg_status read_profile(clg_arena *arena, const clg_request *request,
                               clg_rate_profile *profile, clg_error *error) {
    const clg_attachment *file = attached(request, CLG_PARAM_PROFILE, error);
    if (!file) return error->status;
    return clg_rate_profile_read(arena, file->name, file->text, file->size,
                                 request->value[CLG_PARAM_SERVICE], profile, error);
}

static void all_at_once(clg_demand *d) {
    d->span_s = 0;
    for (int64_t i = 0; i < d->count; i++) d->request[i].arrival_s = 0;
}

/* A rate of a billion is how "all at once" is said. */
static void settle_synthetic(clg_arena *arena, const clg_request *request, const clg_synthetic *s,
                             clg_demand *demand) {
    if (s->requests_per_s >= 1e9 && !s->profile) all_at_once(demand);
    const char *file = s->profile ? request->value[CLG_PARAM_PROFILE] : "";
    const char *slash = strrchr(file, '/');
    demand->title = clg_arena_print(arena, "made up, seed %llu%s%s", (unsigned long long)s->seed,
                                    s->profile ? ", rates of " : "", slash ? slash + 1 : file);
    if (s->profile && s->profile->others > 0)
        demand->title =
            clg_arena_print(arena,
                            "%s\n         service %.40s; %lld row%s of other services left out "
                            "(--service)",
                            demand->title, s->profile->service, (long long)s->profile->others,
                            s->profile->others == 1 ? "" : "s");
}

static const clg_param made_up[] = {
    CLG_PARAM_RATE,    CLG_PARAM_PROFILE, CLG_PARAM_SPAN,    CLG_PARAM_BURSTINESS,
    CLG_PARAM_PEAK,    CLG_PARAM_DUTY,    CLG_PARAM_PROMPT,  CLG_PARAM_ANSWER,
    CLG_PARAM_SPREAD,  CLG_PARAM_SERVICE, CLG_PARAM_TURNS,   CLG_PARAM_SHARED_PREFIX,
    CLG_PARAM_WEEKEND, CLG_PARAM_PEAK_AT, CLG_PARAM_TURN_GAP};

/* Numbers of made-up requests beside a real trace would be ignored. */
static clg_status check_trace_alone(const clg_request *request, clg_error *error) {
    for (size_t i = 0; i < sizeof made_up / sizeof made_up[0]; i++)
        if (request->value[made_up[i]])
            return clg_fail(error, CLG_BAD_USAGE, "leave one of them out",
                            "--%s is for made-up requests, and --trace gives real ones",
                            clg_param_row_of(made_up[i]).flag);
    return CLG_OK;
}

void clg_request_drop_made_up(clg_request *request) {
    for (size_t i = 0; i < sizeof made_up / sizeof made_up[0]; i++)
        request->value[made_up[i]] = NULL;
}

/* Fewer requests over the same time, so that no hour is left out. */
static void thin(clg_arena *arena, double most, clg_demand *d) {
    int64_t all = d->count;
    if (most <= 0 || most >= (double)all) return;
    *d = clg_demand_thin(arena, d, (int64_t)most);
    d->title =
        clg_arena_print(arena, "%s\n         THINNED to 1 in %.4g requests: so are rate and fleet",
                        d->title ? d->title : "a trace", (double)all / (double)d->count);
}

/* A job that is done by a deadline has no latency and no hours: what says those would be ignored.
 */
static clg_status check_job(const clg_request *request, clg_error *error) {
    static const clg_param beside[] = {CLG_PARAM_RATE,       CLG_PARAM_PROFILE, CLG_PARAM_CLIENTS,
                                       CLG_PARAM_SPAN,       CLG_PARAM_PEAK,    CLG_PARAM_DUTY,
                                       CLG_PARAM_BURSTINESS, CLG_PARAM_WINDOW,  CLG_PARAM_TTFT,
                                       CLG_PARAM_WEEKEND,    CLG_PARAM_GROWTH,  CLG_PARAM_TPOT,
                                       CLG_PARAM_WITHIN};
    if (!request->value[CLG_PARAM_DEADLINE] && request->value[CLG_PARAM_NIGHTLY])
        return clg_fail(error, CLG_BAD_USAGE, "give --requests 1000000 --deadline 5d beside it",
                        "--nightly is of a job that has a --deadline");
    if (!request->value[CLG_PARAM_DEADLINE]) return CLG_OK;
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++)
        if (request->value[beside[i]])
            return clg_fail(error, CLG_BAD_USAGE, "leave one of them out",
                            "--%s is for requests that come in time, and before a --deadline all "
                            "are there at once",
                            clg_param_row_of(beside[i]).flag);
    return CLG_OK;
}

/* All requests of a job are there at once; a sample tells how long they are. */
static clg_status sample_job(clg_synthetic *s, double requests, clg_error *error) {
    enum { SAMPLE = 20000 };
    if (!(requests >= 1 && requests <= 1e12))
        return clg_fail(error, CLG_BAD_USAGE, "give --requests 1000000, or a --trace",
                        "a job with a deadline has a number of requests");
    s->requests_per_s = 1e9;
    s->most = (int64_t)fmin(requests, SAMPLE);
    return CLG_OK;
}

/* What goes round in a day or a week is asked for whole: an hour of it has another rate. Less than
 * a day is that around the busiest time, for which a fleet is sized. */
static void settle_span(const clg_request *request, double peak_s, clg_synthetic *s) {
    s->peak_late_s = peak_s - CLG_DAY_S / 2;
    if (request->value[CLG_PARAM_PROFILE]) return;
    bool given = request->value[CLG_PARAM_SPAN] != NULL;
    if (!given && (s->peak_over_mean > 1 || s->duty < 1)) s->span_s = CLG_DAY_S;
    if (!given && (s->weekend_less < 0 || s->weekend_less > 0)) s->span_s = 7 * CLG_DAY_S;
    if (s->peak_over_mean > 1 && s->duty >= 1 && s->span_s < CLG_DAY_S)
        s->begin_s = fmod(peak_s + CLG_DAY_S - s->span_s / 2, CLG_DAY_S);
}

/* Clients of whom a target is asked are users. */
static void set_clients(const clg_request *request, double clients, clg_demand *demand) {
    demand->clients = clients;
    demand->apart =
        clients > 0 && (request->value[CLG_PARAM_TTFT] || request->value[CLG_PARAM_TPOT] ||
                        request->value[CLG_PARAM_WITHIN]);
}

/* Users who read, think or wait for tools before they ask again come at a rate; so do those of
 * conversations, whose turns are in order only in time. */
static clg_status settle_users(const clg_request *request, double clients, clg_synthetic *s,
                               clg_error *error) {
    if (request->value[CLG_PARAM_PROFILE])
        return clg_fail(error, CLG_BAD_USAGE, "leave one of them out",
                        "--clients ask every --turn-gap, not at the rates of a --profile");
    if (!(s->turn_gap_s > 0))
        return clg_fail(error, CLG_BAD_USAGE, "give --turn-gap 30s, or leave it and --turns out",
                        "users who ask every 0 s ask without an end");
    s->requests_per_s = clients / s->turn_gap_s;
    return CLG_OK;
}

static void say_users(clg_arena *arena, double clients, double every_s, clg_demand *demand) {
    demand->users = clients;
    demand->every_s = every_s;
    demand->title = clg_arena_print(arena, "%s: %.0f users who ask every %.4g s", demand->title,
                                    clients, every_s);
}

static clg_status make_demand(clg_arena *arena, const clg_request *request, const clg_cores *cores,
                              clg_demand *demand, clg_error *error) {
    clg_synthetic s = {.cores = cores};
    clg_rate_profile profile;
    double seed, most, clients, turns, weekend, peak_s;
    const clg_wanted_number rows[] = {{CLG_PARAM_RATE, &s.requests_per_s},
                                      {CLG_PARAM_SPAN, &s.span_s},
                                      {CLG_PARAM_BURSTINESS, &s.burstiness},
                                      {CLG_PARAM_PEAK, &s.peak_over_mean},
                                      {CLG_PARAM_PEAK_AT, &peak_s},
                                      {CLG_PARAM_DUTY, &s.duty},
                                      {CLG_PARAM_WEEKEND, &weekend},
                                      {CLG_PARAM_PROMPT, &s.prompt_tokens},
                                      {CLG_PARAM_ANSWER, &s.output_tokens},
                                      {CLG_PARAM_SPREAD, &s.spread},
                                      {CLG_PARAM_SHARED_PREFIX, &s.shared_tokens},
                                      {CLG_PARAM_TURNS, &turns},
                                      {CLG_PARAM_TURN_GAP, &s.turn_gap_s},
                                      {CLG_PARAM_REQUESTS, &most},
                                      {CLG_PARAM_CLIENTS, &clients},
                                      {CLG_PARAM_SEED, &seed}};
    if (CLG_REQUEST_NUMBERS(request, rows, error) != CLG_OK) return error->status;
    s.seed = (uint64_t)seed;
    s.weekend_less = 1 - weekend;
    settle_span(request, peak_s, &s);
    s.most = (int64_t)most;
    s.turns = (int)fmin(turns, 1e6);
    bool job = request->value[CLG_PARAM_DEADLINE] != NULL;
    if (job && sample_job(&s, most, error) != CLG_OK) return error->status;
    if (clients > 0 && request->value[CLG_PARAM_RATE])
        return clg_fail(error, CLG_BAD_USAGE, "leave one of them out",
                        "clients ask when they have their answer (--clients), not at a --rate");
    bool paced = clients > 0 && (request->value[CLG_PARAM_TURN_GAP] || s.turns > 1);
    if (paced && settle_users(request, clients, &s, error) != CLG_OK) return error->status;
    bool closed = (clients > 0 && !paced) || s.requests_per_s >= 1e9;
    if (!closed) s.most = 0;
    if (closed && s.most == 0) s.most = clients > 0 ? (int64_t)(clients * 10) + 100 : 2000;
    if (closed) s.requests_per_s = 1e9, s.span_s = 2e-9 * (double)s.most;
    if (request->value[CLG_PARAM_PROFILE]) {
        if (read_profile(arena, request, &profile, error) != CLG_OK) return error->status;
        s.profile = &profile;
    }
    if (clg_demand_make(arena, &s, demand, error) != CLG_OK) return error->status;
    settle_synthetic(arena, request, &s, demand);
    if (paced) say_users(arena, clients, s.turn_gap_s, demand);
    if (!closed) thin(arena, most, demand);
    if (!paced) set_clients(request, clients, demand);
    return CLG_OK;
}

static clg_status refuse_none(const clg_request *request, clg_error *error) {
    bool given = request->value[CLG_PARAM_GPUS] || request->value[CLG_PARAM_REPLICAS];
    if (request->value[CLG_PARAM_REQUESTS])
        return clg_fail(error, CLG_BAD_USAGE,
                        "give --rate 20000req/day, or --deadline 8h of a job without latency",
                        "--requests does not say when they come");
    return clg_fail(error, CLG_BAD_USAGE,
                    given ? "give --clients 100 --turn-gap 60s --ttft 2s --tpot 50ms, or --rate "
                            "1req/s: the answer says up to how much it is held"
                          : "give --trace FILE, --profile FILE, --rate 5req/s, --clients 64 or "
                            "--requests 1000000 --deadline 8h",
                    "no demand is given");
}

clg_status clg_request_demand(clg_arena *arena, const clg_request *request, const clg_cores *cores,
                              clg_demand *demand, clg_error *error) {
    const char *trace = request->value[CLG_PARAM_TRACE];
    double clients, most;
    if (!trace && !request->value[CLG_PARAM_RATE] && !request->value[CLG_PARAM_PROFILE] &&
        !request->value[CLG_PARAM_CLIENTS] && !request->value[CLG_PARAM_DEADLINE])
        return refuse_none(request, error);
    if (check_job(request, error) != CLG_OK) return error->status;
    if (!trace) return make_demand(arena, request, cores, demand, error);
    if (check_trace_alone(request, error) != CLG_OK) return error->status;
    const clg_wanted_number rows[] = {{CLG_PARAM_CLIENTS, &clients}, {CLG_PARAM_REQUESTS, &most}};
    if (CLG_REQUEST_NUMBERS(request, rows, error) != CLG_OK ||
        read_trace(arena, request, demand, error) != CLG_OK)
        return error->status;
    if (clients > 0 && most > 0 && most < (double)demand->count)
        *demand = clg_demand_first(demand, (int64_t)most);
    thin(arena, most, demand);
    set_clients(request, clients, demand);
    if (request->value[CLG_PARAM_DEADLINE]) all_at_once(demand);
    return CLG_OK;
}
