/* serve_answer.h -- what a demand needs and what it costs: replicas, latency, dollars by factor.
 *
 *   $/M output tokens = hardware floor x batch x latency target x bursts x replica granularity
 *                       x idle hours
 *
 * The product is exact: each factor is a quotient of two throughputs or two numbers of replicas
 * that the next one starts from. */
#ifndef CLG_SERVE_SERVE_ANSWER_H
#define CLG_SERVE_SERVE_ANSWER_H

#include "base/cores.h"
#include "economics/api_price.h"
#include "serve/doubt.h"
#include "serve/habits.h"
#include "serve/replica.h"

typedef struct clg_serve_target {
    double ttft_s, tpot_s; /* a request is well served within both */
    double share;          /* of requests that must be */
} clg_serve_target;

/* Of prompt tokens: in the cache, and of these in the host's part of it. */
typedef struct clg_reuse {
    double cached, read;
} clg_reuse;

typedef struct clg_percentiles {
    double p50, p90, p99, mean;
} clg_percentiles;

/* A fleet of equal replicas, requests dealt in turn. */
typedef struct clg_fleet {
    int64_t replicas;
    int64_t simulated; /* of them: replicas dealt in turn are alike, a sample stands for all */
    int64_t requests, refused, preemptions; /* of the simulated */
    double well_served;                     /* share of requests not refused */
    double late_first, late_token;          /* shares of them beyond one target and the other */
    clg_percentiles ttft_s, tpot_s, e2e_s;
    double busy_share, mean_sequences; /* of paid time; while busy */
    double span_s;                     /* paid time of each replica */
    double output_tokens_per_s;        /* of the whole fleet */
    clg_reuse found;                   /* of prompt tokens */
} clg_fleet;

typedef enum clg_factor {
    CLG_FACTOR_FLOOR,
    CLG_FACTOR_BATCH,
    CLG_FACTOR_LATENCY,
    CLG_FACTOR_BURSTS,
    CLG_FACTOR_GRANULARITY,
    CLG_FACTOR_IDLE,
    CLG_FACTORS
} clg_factor;
extern const clg_name clg_factor_names[];

/* What adds replicas and takes them away, and sees no request before it comes. Its times are those
 * of Knative and Kubernetes (docs/economics.md). */
typedef struct clg_autoscaler {
    double share;    /* of the rate at the target that a replica shall have; 0: nobody scales */
    double window_s; /* that the rate is measured over */
    double keep_s;   /* no fewer than the most wanted in so long */
    int64_t least;   /* replicas */
} clg_autoscaler;

/* A fleet that an autoscaler ran. */
typedef struct clg_scaled_fleet {
    double share;         /* of the autoscaler */
    double replicas_mean; /* paid: from the order to the last answer */
    int64_t most, starts;
    double well_served, late_first; /* shares of requests, as of clg_fleet */
} clg_scaled_fleet;

typedef struct clg_serve_question {
    const clg_replica *replica;
    const clg_demand *demand;
    clg_serve_target target;
    int64_t replicas;    /* 0: as many as the target needs */
    int64_t spare_gpus;  /* of those given, too few for one more */
    double window_s;     /* of scaling up and down; 0: an hour, or a twelfth of shorter spans */
    double cold_start_s; /* until a started replica serves */
    clg_autoscaler autoscaler;
    clg_serving_habits habits;
    double full_share;        /* of capacity that counts as full */
    double growth;            /* of the demand in a month; 0: not said */
    double pue, power_w;      /* of the site; the most that it draws, 0: not said */
    double lead_s;            /* from an order to its GPUs; 0: not said */
    double margin;            /* fleets meet the target with iterations this share longer */
    const clg_api_price *api; /* name NULL: none */
    const clg_cores *cores;   /* lent; NULL: one */
} clg_serve_question;

/* One stretch between scaling up and down. */
typedef struct clg_serve_window {
    double begin_s, seconds;
    double steady; /* replicas' worth of tokens, at the rate that meets the target */
    double needed; /* whole replicas that meet the target */
} clg_serve_window;

/* The same demand where iterations take another time than predicted. */
typedef struct clg_serve_bound {
    double scale;     /* times the predicted one */
    bool attainable;  /* the target, by any fleet */
    int64_t replicas; /* the given ones, or as many as the target needs */
    double usd_per_million;
    double well_served; /* share of requests, by those replicas */
} clg_serve_bound;

typedef struct clg_serve_answer {
    clg_fleet fleet;
    clg_serve_doubt doubt;      /* of what follows from times and rates alone */
    clg_serve_bound fast, slow; /* iterations at P10 and P90 of the engine's errors in tokens/s */
    double ttft_low_s, ttft_high_s; /* p99 with iterations 5 % faster and slower */
    bool meets;                     /* the target, by this fleet */
    bool attainable;                /* by any */
    bool brief;         /* all requests come sooner than one is answered alone: a batch, no rate */
    double alone_share; /* in time with nobody beside them, iterations longer by the margin */
    double floor_tokens_per_s;   /* output, one replica: batch without bound of memory */
    double offline_tokens_per_s; /* all requests at once: the most it does with this mix */
    double target_tokens_per_s;  /* at a steady Poisson rate that meets the target */
    double steady_batch;         /* sequences offline */
    double rho; /* mean demand over offline capacity of the fleet; brief: until its last answer */
    double mfu;
    double usd_per_s;                  /* one replica */
    double usd_per_million;            /* output tokens */
    double usd_per_useful_eflop;       /* 10^18 flop of the model, as MFU counts them */
    double peak_usd_per_eflop;         /* were the GPU at its peak */
    double factor[CLG_FACTORS];        /* the first one in USD per million output tokens */
    double windows_mean, windows_most; /* replicas, scaled by window, seen ahead */
    clg_scaled_fleet scaled[2];        /* as asked and, if that misses the target, at the highest */
    int scaled_count;                  /* share that meets it */
    int64_t windows;
    const clg_serve_window *window; /* [windows], in the arena; NULL without a span */
    double api_usd_per_million;     /* same mix, per million output tokens; 0: no comparator */
    double break_even_share;        /* of offline capacity; above 1: never */
    double break_even_per_s;        /* requests per second of one replica */
    double gpus_kept_full;
} clg_serve_answer;

/* `progress` may be NULL; it is told a share now and then. */
typedef struct clg_serve_progress {
    void (*tell)(void *context, double share);
    void *context;
} clg_serve_progress;

clg_status clg_serve_answer_make(clg_arena *arena, const clg_serve_question *question,
                                 clg_serve_progress progress, clg_serve_answer *answer,
                                 clg_error *error);

/* The capacity part alone: floor, offline, at the target, break-even. */
void clg_serve_capacity(clg_arena *arena, const clg_serve_question *question,
                        clg_serve_answer *answer);

/* A fleet of a size on a demand. */
void clg_fleet_run(clg_arena *arena, const clg_replica *replica, const clg_demand *demand,
                   int64_t replicas, const clg_serve_target *target, clg_fleet *fleet);

/* Whether it serves the share of requests within the target that it is asked for: ends when so many
 * are late that it cannot. */
bool clg_fleet_meets(clg_arena *arena, const clg_replica *replica, const clg_demand *demand,
                     int64_t replicas, const clg_serve_target *target);

/* The shares of prompt tokens it finds in its caches, from as few of its replicas as tell. */
clg_reuse clg_fleet_found(clg_arena *arena, const clg_replica *replica, const clg_demand *demand,
                          int64_t replicas);

/* p99 to its first token, and the share of requests that it serves within the target. */
double clg_fleet_first_token_s(clg_arena *arena, const clg_replica *replica,
                               const clg_demand *demand, int64_t replicas,
                               const clg_serve_target *target, double *share);

/* The share of requests that it serves within the target; cheaper than all of clg_fleet_run. */
double clg_fleet_well_served(clg_arena *arena, const clg_replica *replica, const clg_demand *demand,
                             int64_t replicas, const clg_serve_target *target);

/* Forward flop of one output token and its share of prompts, as MFU counts them; the share of
 * prompts that is found in a cache is no work. */
double clg_serve_useful_flop(const clg_replica *replica, const clg_demand_means *means,
                             double cached_share);

/* What MFU is a share of: the peak of one GPU in the format it multiplies in. */
double clg_serve_peak_flop_per_s(const clg_replica *replica);

/* Dollars of 10^18 flop, of those for a million output tokens and the flop of one. */
double clg_usd_per_useful_eflop(double usd_per_million, double flop_per_output);

#endif
