/* storage.h -- what a plan asks of storage: samples read, checkpoints written.
 *
 * Left out: reading what was written after a failure (in `restart_s`), files that are decoded on
 * the way (images, video: many times as many bytes), checkpoints that are written behind the step,
 * which take less, and adapters, whose checkpoints are small. */
#ifndef CLG_ECONOMICS_STORAGE_H
#define CLG_ECONOMICS_STORAGE_H

#include "economics/goodput.h"
#include "evaluate/evaluate.h"

typedef struct clg_storage {
    double samples_per_s, read_bytes_per_s; /* of the whole job; as token ids */
    double bytes_per_s;                     /* storage as assumed, of the whole job */
    double checkpoint_bytes, node_bytes;    /* of one, of all ranks and of one node's */
    double checkpoint_s, interval_s; /* one write, and from one to the next; 0: no failures */
    double share;                    /* of the time that writing takes */
    double one_percent_bytes_per_s;  /* storage with which writing takes one per cent of the time;
                                        narrower, it becomes a wall; 0: no failures */
} clg_storage;

clg_storage clg_storage_of(const clg_operations *operations, const clg_scenario *scenario,
                           const clg_evaluation *evaluation);

/* What a run pays for storage: its data set and the checkpoints that are kept, for its length; and
 * for the data set and one copy of the weights to leave a cloud. From the cheapest price asked to
 * the dearest (data/operations/storage.json). Left out: data that are not tokens, copies, requests.
 */
typedef struct clg_storage_bill {
    double data_bytes, checkpoint_bytes; /* of one checkpoint */
    double checkpoints;                  /* kept at a time */
    double low_usd, high_usd;            /* kept for the length of the run */
    double out_low_usd, out_high_usd;    /* leaving a cloud once */
} clg_storage_bill;

/* Of a TB, 10^12 bytes. */
typedef struct clg_storage_prices {
    double tb_month_low_usd, tb_month_high_usd, tb_out_low_usd, tb_out_high_usd;
    double checkpoints; /* kept at a time */
} clg_storage_prices;

clg_status clg_storage_prices_read(clg_arena *arena, clg_storage_prices *prices, clg_error *error);

/* Of a run of `seconds` on so many tokens. */
clg_storage_bill clg_storage_bill_of(const clg_storage_prices *prices,
                                     const clg_operations *operations, double tokens,
                                     double parameters, double seconds);

#endif
