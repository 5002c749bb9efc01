/* lane_state.h -- internal to batching/: what a replica holds while it is simulated. */
#ifndef CLG_BATCHING_LANE_STATE_H
#define CLG_BATCHING_LANE_STATE_H

#include "batching/batching.h"
#include "batching/prefix.h"

enum { CLG_NOBODY = -1 };

/* A sequence in the batch, or preempted and waiting to come back. */
typedef struct clg_sequence {
    int64_t request;
    int64_t start_step; /* iteration its decoding began at */
    int64_t target;     /* tokens to prefill: the prompt, and output that preemption lost */
    int64_t done;       /* of them */
    int64_t generated;  /* output tokens when decoding (re)started */
    int previous, next; /* in order of admission */
    int heap;           /* place in the heap; CLG_NOBODY: not decoding */
    int rank;           /* that it is dealt to */
    bool reading;       /* in the batch, until its cache is read back from the host at */
    double ready_s;
} clg_sequence;

/* A decoding sequence in the heap. */
typedef struct clg_due {
    int64_t finish_step; /* iteration its last token is made in */
    int id;
} clg_due;

/* What is on one of the ranks that share sequences out, and meet in every layer of experts. */
typedef struct clg_rank {
    int admitted, decoding; /* sequences in the batch; of them decoding, */
    int64_t context;        /* and tokens of cache that these read */
    int partial;            /* whose prompt is being prefilled over several iterations */
    int prompts;            /* of this iteration, */
    int64_t chunk;          /* their tokens */
    double pairs;           /* and query-key pairs */
} clg_rank;

/* Of the demand every `stride`th request from `first` on; places count in strides. */
typedef struct clg_lane_requests {
    int64_t first, stride, count;
    int64_t known;        /* so many of them may be looked at: all, or those told by then */
    double known_until_s; /* arrivals before then are; later ones may still be told */
    int64_t begin, end;   /* next to admit, and one past the last that arrived */
} clg_lane_requests;

/* Processes before the scheduler, which read requests and hand tokens on. */
typedef struct clg_lane_front {
    double *asks_s;      /* closed loop: [clients] ring of when free clients ask, in order */
    int64_t asks, asked; /* put in, taken out */
    double *free_s;      /* [front_ends] when each is through with all that it has */
    double ready_s;      /* when the last that reached the scheduler did */
    double behind_s;     /* what they still have to hand on, before the last iteration's tokens */
    double pending_s;    /* those */
} clg_lane_front;

/* Prompts whose cache is read back from the host. */
typedef struct clg_lane_host {
    int *reading, count; /* who reads, the last to be through first */
    double *free_s;      /* [ranks] when the link of each has read all that was asked of it */
} clg_lane_host;

typedef struct clg_lane {
    const clg_iteration_cost *cost;
    const clg_serve_rules *rules;
    const clg_demand *demand;
    clg_lane_requests requests;
    clg_lane_front front;
    clg_lane_host host;
    clg_served *served;
    clg_serve_totals *totals;
    clg_sequence *pool;
    int *unused, unused_count;
    clg_due *heap; /* [decoding] by finish step */
    int decoding;
    int *preempted, preempted_count; /* a stack: the last one is first to come back */
    int *completing;                 /* prompts that end in this iteration */
    int oldest, youngest, admitted;  /* list of sequences in the batch */
    clg_rank *rank;                  /* [ranks] */
    int ranks, seats, most_tokens;   /* sequences and tokens that each may have */
    int64_t *due; /* [block_tokens] decoding sequences by when they need a block */
    int64_t free_blocks, step;
    int64_t prompt_blocks; /* that sequences in the batch hold for their prompts */
    int64_t waited;        /* iterations that prompts were held back */
    double seen_s;         /* who came later is not in the next iteration */
    int64_t unpolled;      /* iterations since new requests were last looked for */
    clg_prefix_cache prefix;
    double now_s;
    bool warms, fills;               /* marks of the totals that are still to be noted */
    int64_t *through, through_count; /* finished and refused since it was emptied; NULL: not kept */
} clg_lane;

#endif
