/* evaluation.h -- the answer: seconds, bytes, watts and dollars of one layout, and what was
 * doubted. */
#ifndef CLG_EVALUATE_EVALUATION_H
#define CLG_EVALUATE_EVALUATION_H

#include "layout/layout.h"
#include "memory/memory.h"
#include "step/step.h"

/* Where one step's seconds go; the terms sum to step_s. */
enum { CLG_LEDGER_TERMS = 11, CLG_FIRST_TRAFFIC = 1, CLG_LAST_TRAFFIC = 5 };
typedef struct clg_time_ledger {
    union {
        struct {
            double compute_s, tp_exposed_s, cp_exposed_s, ep_exposed_s, dp_exposed_s, pp_exposed_s,
                bubble_s, optimizer_s, host_s, data_loading_s, straggler_s;
        };
        double term_s[CLG_LEDGER_TERMS];
    };
} clg_time_ledger;

/* What its terms are called, in their order: in JSON (as the member), in tables, in a word or two,
 * and in full. */
typedef struct clg_ledger_term {
    const char *key, *column, *words, *title;
} clg_ledger_term;
extern const clg_ledger_term clg_ledger_terms[CLG_LEDGER_TERMS];

/* Exposed traffic of all kinds. */
double clg_ledger_traffic_s(const clg_time_ledger *ledger);

typedef struct clg_stage_report {
    int layers;    /* of all chunks */
    double busy_s; /* in passes, whole step */
    double alive;  /* micro-batch activations at the peak (in chunks) */
    clg_memory_ledger memory;
    clg_stage_load load;        /* which blocks it holds */
    double dense, expert, tied; /* parameters a rank holds, before ZeRO; summed between ends */
} clg_stage_report;

/* Walls, in the words of the field. */
typedef enum clg_wall {
    CLG_WALL_COMPUTE,
    CLG_WALL_MEMORY_BANDWIDTH,
    CLG_WALL_TP,
    CLG_WALL_CP,
    CLG_WALL_EP,
    CLG_WALL_DP,
    CLG_WALL_SENDS,
    CLG_WALL_BUBBLE,
    CLG_WALL_HOST,
    CLG_WALL_STRAGGLER,
    CLG_WALL_MEMORY /* does not fit */
} clg_wall;
extern const clg_name clg_wall_names[];

/* What an interval is wider for than the residual of its stack. */
typedef struct clg_doubt {
    double traffic; /* exposed communication over the step; twice that with borrowed link curves */
    double step_s;  /* the step: what no term explains weighs more in a short one; 0: not said */
    double open;    /* what was left open, over what it may have been: in logarithms */
    double slower;  /* a plan that was left open, and may be slower than the one taken */
    /* Variance that the user's own curves took away from the stack's and from traffic's (below 0:
     * added), and from that of borrowed kernels. */
    double measured_kernels, measured_links, measured_borrowed;
    bool aged;              /* software of another year than what its stack describes */
    bool unnamed;           /* software that nobody named: a middle stack stands in */
    bool experts, borrowed; /* a mixture; kernel curves of another GPU */
} clg_doubt;

typedef struct clg_evaluation {
    clg_layout layout;
    double step_s, step_p10_s, step_p90_s;
    clg_time_ledger time;
    clg_memory_ledger memory;                  /* of the fullest rank */
    clg_memory_ledger first_memory;            /* of the first stage */
    double memory_p10_bytes, memory_p90_bytes; /* of its total */
    double capacity_bytes;
    bool fits;
    int fullest_stage, busiest_stage; /* of memory; of the ledger of time */
    clg_stage_report *stages;         /* [pp], NULL when evaluated without detail */
    double tokens_per_s, tokens_per_s_per_gpu;
    double model_flop, executed_flop; /* whole job, one step */
    double mfu, hfu, model_flop_per_s_per_gpu;
    double trained_parameters; /* of all ranks: those of adapters where the rest is frozen; what
                                  checkpoints hold */
    double gpu_w, cluster_w, step_j, tokens_per_j;
    double usd_per_h, usd_per_million_tokens; /* 0 without a price */
    clg_wall bound_by;
    double matrix_s, attention_s, memory_bound_s; /* parts of compute_s on the critical stage */
    double log_sigma;                             /* of the interval: mean of its sides */
    clg_doubt doubt;                              /* what it is made of beside the stack */
    const char *caveats; /* "; "-joined: borrowed curves, outside fitted range; NULL */
} clg_evaluation;

/* Exposed traffic of all kinds over the step. */
double clg_exposed_share(const clg_evaluation *evaluation);

/* What HFU is a share of: executed, recomputation counted, masked attention not. */
double clg_executed_flop_per_s_per_gpu(const clg_evaluation *evaluation);

#endif
