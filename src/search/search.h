/* search.h -- every legal layout of a scenario, bounded, priced, certified.
 *
 * A space is a set of values per axis. Cheap lower bounds on memory and on time cut; what survives
 * is evaluated with clg_evaluate. The certificate counts all of it. Of plans that differ only in
 * how many layers they recompute the fastest that fits is kept. Ties: fewer tp, then pp, cp, ep,
 * lower zero, less recompute, larger micro-batch: deterministic. */
#ifndef CLG_SEARCH_SEARCH_H
#define CLG_SEARCH_SEARCH_H

#include "base/cores.h"
#include "evaluate/evaluate.h"

enum { CLG_SEARCH_VALUES = 64 };

/* Values of one axis: those allowed, or (`except`) all that are legal but those. Count 0: all. */
typedef struct clg_axis_values {
    int count;
    int value[CLG_SEARCH_VALUES];
    bool except;
} clg_axis_values;

bool clg_axis_allows(const clg_axis_values *axis, int value);

/* Nobody said which values: the search tries those that make sense. */
bool clg_axis_is_free(const clg_axis_values *axis);

/* How layers fall on the chunks of a pipeline: see clg_layout_layers, clg_balanced_layers. */
typedef enum clg_placing { CLG_STAGES_EVEN, CLG_STAGES_BALANCED } clg_placing;
extern const clg_name clg_placing_names[];

typedef struct clg_space {
    int64_t gpus, seq, global_batch; /* sequences */
    const char *seq_asked; /* a length as it was written, where that is not the number itself */
    double batch_tokens;   /* asked for, which `global_batch` rounds; 0: sequences were asked for */
    double batch_critical_for; /* tokens to train on, whose critical batch it is; 0: it is not */
    clg_precision precision;
    clg_optimizer optimizer;
    clg_adapter adapter; /* of a frozen model */
    clg_reference reference;
    bool offload;
    clg_axis_values dp, zero, hsdp, tp, sp, cp, cp_kind, ep, etp, pp, vpp, schedule, micro_batch,
        recompute, attention, order;
    /* clg_placing; left open: even, and balanced where the software can and pp is not given. */
    clg_axis_values placing;
    const int *split; /* layers of each chunk, split_count of them; NULL: as even as can be */
    int split_count;
    int recompute_layers; /* recompute whole layers, the first so many of a chunk; 0: all or none */
    double memory_bytes;  /* plans may use this much; 0: what the GPU and the software leave */
    double risk;      /* of running out of memory, at most, 0..1; 0: a half, by the prediction */
    int keep;         /* best plans to return, 1.. */
    bool gamble;      /* also the fastest that is predicted to fit, whatever its risk */
    int front;        /* plans on the front of time against memory; 0: none */
    bool plans_alone; /* nothing is asked of what does not fit: no nearest miss is looked for */
    bool exhaustive;  /* no cutting: brute force for tests */
    /* Layouts that may be at all, by a pure function of many threads; NULL: all. */
    bool (*may)(int context, const clg_scenario *scenario, const clg_layout *layout);
    int may_context;
} clg_space;

enum { CLG_CUTS = 5 };
typedef enum clg_cut {
    CLG_CUT_MEMORY, /* a lower bound of memory is above the limit */
    CLG_CUT_TIME,   /* a lower bound of time is above the worst plan kept */
    CLG_CUT_NO_FIT, /* priced, needs more than the limit */
    CLG_CUT_LAZIER, /* the same plan with fewer layers recomputed fits, or is cut by time */
    CLG_CUT_SAME    /* to be balanced, and its stages are as balanced as they are even */
} clg_cut;
extern const clg_name clg_cut_names[];

enum { CLG_STEPS_BETWEEN = 4 };

typedef struct clg_found {
    clg_evaluation *best; /* [count], fastest first; but for clg_found_choose_of_tie */
    int count;
    bool of_tie; /* best[0] is not the fastest, best[1] is, though count were 1 */
    /* Time against memory: the fastest plan, then the fastest that needs a tenth less memory than
     * the one before, and so on; each the outcome of a complete search. */
    clg_evaluation *front;
    int front_count;
    double limit_bytes;     /* the most a plan may be predicted to need: what the risk allows */
    clg_evaluation nearest; /* valid when count is 0: the plan missing the least memory */
    bool has_nearest;
    /* The fastest that fits as predicted, where it is faster than the best within the risk; the
     * outcome of a complete search too. */
    clg_evaluation gamble;
    bool has_gamble;
    /* Where that is much faster, what lies between: each the fastest within a twentieth less memory
     * than the one before, the gamble first. */
    clg_evaluation between[CLG_STEPS_BETWEEN];
    int between_count;
    int64_t layouts; /* legal layouts in the space */
    int64_t bounded; /* decided, by bound or price: = layouts when complete */
    int64_t priced;  /* evaluated in full */
    int64_t cut[CLG_CUTS];
    bool complete;
} clg_found;

/* Results live in `arena`. Nothing fits is an answer (count 0). A fixed axis that leaves no legal
 * layout at all is CLG_BAD_INPUT naming the rule. */
clg_status clg_search(clg_arena *arena, const clg_scenario *scenario, const clg_space *space,
                      clg_progress progress, clg_found *found, clg_error *error);

enum { CLG_TIE_PLANS = 8 };
#define CLG_TIE_SHARE 0.01

/* Of the fastest CLG_TIE_PLANS, those slower than the fastest by CLG_TIE_SHARE at most are a tie:
 * by what differences of plans were off (evaluate/difference.h, sigma 4 %) the fastest is really so
 * with a chance of at most 60 %. Puts first the one to start with: memory that will do
 * (CLG_SAFE_CHANCE_OUT) before memory that may not, then the fewest ranks in tp x cp x pp, then
 * speed. The others stay in order. */
void clg_found_choose_of_tie(clg_found *found);
int64_t clg_found_split_ranks(const clg_layout *layout);

/* The fastest plan and nothing else; false: none is legal, or none fits. */
bool clg_search_fastest(clg_arena *arena, const clg_scenario *scenario, const clg_space *space,
                        clg_evaluation *best);

#endif
