/* levers.h -- what engineering does to the demand a replica needs, and which replica is best. */
#ifndef CLG_SERVE_LEVERS_H
#define CLG_SERVE_LEVERS_H

#include "serve/serve_answer.h"

/* One change to a replica, all else as asked. */
typedef struct clg_lever {
    const char *name;
    bool fits;
    int gpus;            /* of one replica */
    const char *price;   /* of one GPU: dollars an hour, month, provider */
    bool chosen;         /* of a search: what is answered with */
    bool borrowed;       /* kernel times of another GPU */
    bool lone;           /* priced in boxes that make no cluster */
    int term;            /* of the price, a value of clg_price_terms */
    double gpus_all;     /* that the demand takes at its mean; of clients, for each token a
                            second; infinite: never meets it */
    double gpus_fleet;   /* of the fleet that meets the target; 0: not sized */
    double gpus_if_slow; /* of one that does so at P90 of the iterations; 0: none, not asked */
    bool cliff;          /* asked, and none or many times as many */
    double usd_per_h;    /* of those */
    double loss;         /* of quality, by format: serve/format.h */
    double offline_tokens_per_s; /* output, per GPU */
    double usd_per_million;      /* of a full replica at the latency target; NaN: never meets it */
    double mfu;                  /* full, at the latency target; NaN: never meets it */
    double usd_per_useful_eflop; /* 10^18 flop of the model, likewise */
    double break_even_share;     /* of offline capacity, against the API; NaN without one */
    double break_even_per_s;     /* requests per second of one replica */
    double half_price_per_s;     /* requests per second at which a token costs twice the full one */
    double fixed_price_per_s; /* and twice the full one of the replica as asked: of one copy, which
                                 costs the same at any rate; NaN: it never gets so cheap */
} clg_lever;

enum { CLG_LEVERS = 20 };

/* Measures the replica as asked and with each lever; returns how many rows were filled. */
int clg_levers(clg_arena *arena, const clg_serve_question *question,
               const clg_replica_choice *choice, clg_serve_progress progress,
               clg_lever lever[CLG_LEVERS]);

/* Fills a row with what a replica is worth to a demand. */
void clg_lever_measure(clg_arena *arena, const clg_serve_question *question,
                       const clg_replica *replica, clg_lever *row);

/* The row at another price of a GPU, `ratio` times the one it was measured at. */
void clg_lever_reprice(clg_arena *arena, const clg_price *price, double ratio, clg_lever *row);

/* GPUs that a demand takes on replicas of a kind that make so many output tokens a second each:
 * whole replicas, or what is used of a given number. A demand without time is worth the GPU-seconds
 * of its tokens. */
double clg_gpus_taken(const clg_serve_question *question, const clg_replica *replica,
                      double tokens_per_s);

/* The same of a replica whose capacity was answered; infinite where it misses the target. */
double clg_gpus_at_mean(const clg_serve_question *question, const clg_replica *replica,
                        const clg_serve_answer *answer);

#endif
