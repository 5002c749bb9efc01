/* measured.h -- serving predicted against measured, row by row.
 *
 * Tables are of one form, docs/formats.md (tools/tables brings published ones into it). A row is
 * predicted from its plan columns alone (model, GPU, engine, formats, degrees, lengths, clients);
 * what was measured is only compared. */
#ifndef CLG_MEASURED_MEASURED_H
#define CLG_MEASURED_MEASURED_H

#include "base/cores.h"
#include "base/csv.h"
#include "measured/lengths.h"
#include "serve/replica.h"

/* What tables measure. */
typedef enum clg_measure {
    CLG_MEASURE_TTFT,   /* seconds to the first token, mean */
    CLG_MEASURE_TPOT,   /* seconds per output token, mean */
    CLG_MEASURE_ANSWER, /* seconds for a whole answer, mean */
    CLG_MEASURE_RATE,   /* output tokens per second, all GPUs */
    CLG_MEASURES
} clg_measure;
extern const clg_name clg_measure_names[];

/* Degrees of one copy of the weights, and how many copies. */
typedef struct clg_part {
    int tp, pp, dp, ep, copies;
} clg_part;

/* The requests of a row. */
typedef struct clg_plan_load {
    double prompt_tokens, output_tokens;
    double shortest; /* lengths are even from this share of the nominal one up; 1: all alike */
    double spread;   /* log-normal lengths of this deviation over mean instead; 0: no */
    const clg_lengths *lengths; /* of texts, scaled to the numbers above; NULL: as those say */
    int64_t clients;            /* closed loop; 0: all requests at once, or as they came */
    int64_t requests;
    double requests_per_s;      /* one by one, Poisson; 0: not */
    const clg_arrival *request; /* [requests] as they came; NULL: lengths of the numbers above */
    int64_t distinct;           /* different prompts, sent in turn; 0: no two are alike */
    int64_t seen;               /* so many of the first prompts an earlier run sent, */
    int64_t seen_tokens;        /* or so many of their first tokens; 0: all */
    bool random_tokens;         /* prompts that are slow to tokenize */
    bool prefilled;             /* prompts come with their cache: decoding alone */
} clg_plan_load;

/* What the engine was told to hold; 0: its own. */
typedef struct clg_plan_limits {
    int max_sequences, max_tokens;
    int prefill_tokens, decode_sequences; /* of an iteration of the parts; 0: those of both */
    double memory_share;
    const clg_graph_sizes *graphs; /* NULL: the engine's */
    int graph_most;                /* of a rank; CLG_NO_GRAPHS: none */
    int graph_tokens;              /* graphs for prompts too, of so many tokens */
    int64_t wait_iterations, wait_tokens, wait_ranks; /* prompts held back: clg_serve_rules */
    int64_t poll_iterations;
} clg_plan_limits;

/* How a row was measured. */
typedef struct clg_plan_manner {
    bool fits;        /* all requests were in memory at once */
    bool settled;     /* the first round of clients is not measured */
    bool in_process;  /* measured in the engine: no front end */
    bool medians;     /* the table has medians over requests, not means */
    bool whole_batch; /* an answer is that of all requests: the last to end */
} clg_plan_manner;

/* A benchmark whose layout is chosen: data/workload. */
typedef struct clg_plan_box {
    const char *workload; /* NULL: none, the row says what it is asked */
    int gpus, boxes;
    bool timed; /* requests come one by one and must meet the workload's target */
} clg_plan_box;

/* What a row plans. */
typedef struct clg_serve_plan {
    const char *model, *gpu, *engine; /* names of the built-in data */
    clg_precision weights, cache;
    bool wide_attention;    /* weights of attention are in 16 bit */
    clg_part part, prefill; /* prefill.copies 0: not disaggregated */
    clg_expert_kernels expert_kernels;
    int drafted;   /* tokens proposed an iteration; 0: no speculation */
    double gained; /* tokens an iteration gives then, from 1 */
    bool filtered; /* top-k, top-p: clg_replica_choice */
    bool two_batches, balanced, no_prefix_cache; /* as asked of the replica */
    clg_plan_load load;
    clg_plan_limits limits;
    clg_plan_manner manner;
    clg_plan_box box;
} clg_serve_plan;

typedef struct clg_measured {
    const char *id, *source, *group;
    const char *reason; /* why the row was skipped; NULL when scored */
    const char *year;   /* of the software; NULL: the row has no date */
    clg_serve_plan plan;
    double measured[CLG_MEASURES];                /* NaN: not measured */
    double predicted[CLG_MEASURES];               /* NaN: not asked */
    double roofline[CLG_MEASURES];                /* of measured/roofline.h; NaN: not asked */
    double constant[CLG_MEASURES];                /* it times one factor that knows the answers */
    bool held_out;                                /* by its column: nothing was fitted on it */
    double low[CLG_MEASURES], high[CLG_MEASURES]; /* P10 and P90 */
    double rho; /* sequences wanted over those that fit; above 1 there is a queue; NaN: unknown */
} clg_measured;

typedef struct clg_measured_score {
    const char *source, *group; /* group "all": the whole source */
    clg_measure measure;
    int rows, scored;                       /* that have the measure; of them, predicted */
    double mape, median_ape, p90_ape, bias; /* shares; bias: median of signed errors */
    double coverage;                        /* share of measured inside P10..P90 */
    double roofline_mape;                   /* of the rows that have one; NaN: none */
    double constant_mape;                   /* of the same rows: see measured/scores.h */
    double beside_mape;                     /* our error on them */
    bool held_out;                          /* all rows are */
} clg_measured_score;

/* What somebody else's tool predicted for a row, measured/peers.h. */
typedef struct clg_peer {
    const char *id, *by;        /* of the row; the tool */
    double value[CLG_MEASURES]; /* NaN: not predicted */
} clg_peer;

typedef struct clg_measured_table {
    clg_measured *row;
    int rows;
    const clg_peer *peer;
    int peers;
    clg_measured_score *score;
    int scores;
} clg_measured_table;

/* Whether a table has a form that is known. */
bool clg_measured_recognised(const clg_csv *table);

clg_status clg_measured_score_all(clg_arena *arena, const clg_csv *tables, int count,
                                  clg_progress progress, clg_measured_table *result,
                                  clg_error *error);

/* Fills plan and measured values of a row. NULL or why it cannot be expressed. */
const char *clg_measured_read(clg_arena *arena, const clg_csv *table, int row, clg_measured *into);

#endif
