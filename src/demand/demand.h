/* demand.h -- who asks for what, and when: requests with arrival, prompt and output lengths.
 *
 * From a trace, a profile of rates, or numbers alone. Rows that cannot be meant are left out and
 * counted by reason; nothing is lost silently. */
#ifndef CLG_DEMAND_DEMAND_H
#define CLG_DEMAND_DEMAND_H

#include "base/arena.h"
#include "base/cores.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct clg_arrival {
    double arrival_s; /* from the first request of the demand */
    int32_t prompt_tokens, output_tokens;
    uint32_t block; /* first of its prefix blocks in the demand's list */
    int32_t blocks; /* 0: not known */
} clg_arrival;

/* Rows left out, by the first reason found. */
typedef struct clg_demand_losses {
    int64_t unreadable; /* a cell is missing or no number */
    int64_t negative;   /* a time or length below 0 */
    int64_t empty;      /* no prompt or no output: nothing to serve (failed calls in BurstGPT) */
    int64_t absurd;     /* longer than CLG_DEMAND_TOKENS, or a time beyond CLG_DEMAND_SECONDS */
} clg_demand_losses;

#define CLG_DEMAND_TOKENS 1e8
#define CLG_DEMAND_SECONDS 1e12

typedef struct clg_demand {
    const char *title;    /* what it is and where from */
    clg_arrival *request; /* [count] in order of arrival */
    int64_t count;
    double span_s;  /* time the demand covers; 0: all at once */
    double clients; /* > 0: closed loop, so many requests outstanding at most */
    bool apart;     /* users, of whom a target is asked: clients who are not in step */
    double users;   /* who ask at the rate of the requests, each so often; 0: nobody says */
    double every_s; /* how often: the mean from one request to the next of a user */
    int64_t prompt_tokens, output_tokens;
    int64_t longest_tokens; /* prompt and output of the longest request */
    double read_tokens;     /* sum over output tokens of those before them: prompt and answer */
    double pairs;           /* query-key pairs of all prompts */
    const uint32_t *prefix; /* identity of prompt blocks, 0 to prefixes - 1; NULL: not known */
    int64_t prefixes;       /* different blocks */
    int32_t prefix_tokens;  /* per block */
    const double *said_s;   /* [prefixes] when each came up; NULL: when it is first asked with */
    double since_s;         /* what came up before is in the caches when the demand begins */
    double telling; /* simulated requests that tell enough of a fleet of equal replicas; 0: a
                       million */
    int64_t moved;  /* rows that came out of order and were sorted in */
    clg_demand_losses lost;
} clg_demand;

int64_t clg_demand_lost(const clg_demand *demand);

/* Whether requests come in time, rather than all at once or when clients are free. */
bool clg_demand_in_time(const clg_demand *demand);

/* Requests per second, mean; 0 when all come at once. */
double clg_demand_rate_per_s(const clg_demand *demand);

/* Busiest minute (or twentieth, of demands under ten minutes) over the mean. */
double clg_demand_peak_over_mean(const clg_demand *demand);

/* How long that is. */
double clg_demand_peak_s(const clg_demand *demand);

/* Means that costs depend on. */
typedef struct clg_demand_means {
    double prompt_tokens, output_tokens; /* per request */
    double context_tokens;               /* in the cache, per output token */
    double pairs_per_output;             /* query-key pairs of prefill per output token */
} clg_demand_means;

clg_demand_means clg_demand_means_of(const clg_demand *demand);

/* Requests from `begin_s` up to but not at `end_s`, or to the last where that is the end of the
 * span; times kept; shares the requests of `demand`. */
clg_demand clg_demand_slice(const clg_demand *demand, double begin_s, double end_s);

/* Every `stride`-th request from `first` on, side by side; all else is that of `demand`. */
clg_demand clg_demand_dealt(clg_arena *arena, const clg_demand *demand, int64_t first,
                            int64_t stride);

/* The first `count` requests, 1 to all; they span up to the one that follows. */
clg_demand clg_demand_first(const clg_demand *demand, int64_t count);

/* `count` requests, 1 to all, evenly out of all of them; the span stays, and the rate falls. */
clg_demand clg_demand_thin(clg_arena *arena, const clg_demand *demand, int64_t count);

/* About `count` requests in stretches over the whole span, at the rates they came: each stretch as
 * long as `least_s` where that leaves four of them, and at most 24. The span stays; all of a demand
 * that has no more. */
clg_demand clg_demand_sampled(clg_arena *arena, const clg_demand *demand, double count,
                              double least_s);

/* The `count` requests, 1 to all, that come one after the other in the least time; they span that.
 */
clg_demand clg_demand_busiest(const clg_demand *demand, int64_t count);

/* How many of a request's blocks came up before the demand begins. */
int32_t clg_demand_said_before(const clg_demand *demand, const clg_arrival *request);

/* Fills the sums and sorts; every maker ends with it. */
void clg_demand_finish(clg_arena *arena, clg_demand *demand);

/* Reads CSV with a header, or JSON Lines. Columns are known by the names that published traces give
 * them (data/request-logs.csv). */
clg_status clg_demand_read(clg_arena *arena, const char *name, const char *text, size_t size,
                           clg_demand *demand, clg_error *error);

/* A rate that holds for a while. */
typedef struct clg_rate_step {
    double seconds, requests_per_s;
} clg_rate_step;

typedef struct clg_rate_profile {
    clg_rate_step *step;
    int64_t steps;
    const char *service; /* whose rates they are, NULL: not said */
    int64_t others;      /* rows of other services, left out */
} clg_rate_profile;

/* Reads a table of rates: a column req_per_s, req_per_min (or _mid), req_per_hour, or as ServeGen
 * has it. A row is an hour, or holds until the next one's window_start_s. With a column `service`
 * or `model`, that service alone; NULL: the first. */
clg_status clg_rate_profile_read(clg_arena *arena, const char *name, const char *text, size_t size,
                                 const char *service, clg_rate_profile *profile, clg_error *error);

/* A demand made from numbers; the same numbers and seed make the same demand on every machine. */
typedef struct clg_synthetic {
    double requests_per_s; /* mean over the span */
    double span_s;
    double burstiness;     /* shape of gamma gaps: 1 Poisson */
    double peak_over_mean; /* of a sine over the day, above 2 of a power of one; 1: flat */
    double peak_late_s;    /* its busiest time after noon, on the clock */
    double begin_s;        /* on the clock, from the first midnight */
    double duty;           /* share of every day with any demand */
    double weekend_less;   /* by so much of the others' rate, every sixth and seventh day; the mean
                              of a week stays */
    double prompt_tokens, output_tokens; /* means */
    double spread;                       /* standard deviation over mean of lengths, log-normal */
    double most_prompt, most_output;     /* longer ones are cut, and means stay; 0: none are */
    double shared_tokens;                /* that every prompt begins with, beside prompt_tokens */
    int turns;         /* of a conversation, each with all that was said before; 0 and 1: one */
    double turn_gap_s; /* mean, from one to the next */
    int64_t most;      /* requests, 0: as many as come */
    uint64_t seed;
    const clg_cores *cores;          /* lent; NULL: one */
    const clg_rate_profile *profile; /* instead of rate, span, peak and duty; may be NULL */
} clg_synthetic;

/* The mean of a log-normal length that is `mean` once what is above `most` is cut to it; `mean`
 * itself where nothing is cut (most 0). */
double clg_demand_uncut_mean(double mean, double spread, double most);

clg_status clg_demand_make(clg_arena *arena, const clg_synthetic *synthetic, clg_demand *demand,
                           clg_error *error);

/* `count` requests drawn from the lengths of `demand` at a rate, as one of so many `dealt` in turn
 * from a Poisson stream gets them (1: that stream); rate 0: all at once. With prefixes they are
 * taken in order, so that conversations stay together. */
clg_demand clg_demand_resample(clg_arena *arena, const clg_demand *demand, int64_t count,
                               double requests_per_s, double dealt, uint64_t seed);

#endif
