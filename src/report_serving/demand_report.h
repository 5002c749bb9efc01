/* demand_report.h -- serving economics as text for people and as JSON. */
#ifndef CLG_REPORT_SERVING_DEMAND_REPORT_H
#define CLG_REPORT_SERVING_DEMAND_REPORT_H

#include "base/text.h"
#include "serve/headroom.h"
#include "serve/levers.h"

/* What it needs and what to buy first, then how fast, what it costs and why. */
void clg_report_demand(clg_text *text, const clg_serve_question *question,
                       const clg_serve_answer *answer, const clg_serve_headroom *headroom);

/* What a demand costs as time goes by; NaN where it does not apply: no price, no span, no API. */
typedef struct clg_bill {
    double usd_per_h; /* of the whole fleet */
    /* In 30 days of the same demand: the fleet as it is, scaled by window with cold starts paid,
     * and the comparator for the same tokens. */
    double usd_per_month, scaled_usd_per_month, api_usd_per_month;
    double api_usd_per_h; /* while it is asked; of users, while all of them do */
} clg_bill;

/* GPUs a demand loads above the full share of what they do, with iterations as at that bound. */
double clg_serve_kept_full(const clg_serve_question *question, const clg_serve_answer *answer,
                           const clg_serve_bound *bound);

clg_bill clg_bill_of(const clg_serve_question *question, const clg_serve_answer *answer);

/* What one change does to capacity, cost and the demand needed. */
void clg_report_levers(clg_text *text, const clg_lever *lever, int count);

/* The first rows of a search and the one that was taken, of which a fleet of so many GPUs was sized
 * for the whole demand; 0: none was. */
void clg_report_search(clg_text *text, const clg_lever *row, int count, double needed_gpus);

/* Names of GPUs that could not be ranked, by why; NULL: none. */
typedef struct clg_unranked {
    const char *unpriced, *unfit, *narrow; /* no price but spot; too small; no products in bf16 */
    const char *apart; /* a copy takes several boxes, which have no network between them */
} clg_unranked;

/* The best replica on each GPU at each term of price, in the order given. */
void clg_report_gpus(clg_text *text, const clg_lever *row, int count, const clg_unranked *left);
void clg_json_unranked(clg_json_writer *writer, const clg_unranked *left);

/* The comparator and its date; "given by you". Words in the arena. */
const char *clg_report_api(clg_arena *arena, const clg_api_price *api);

/* Four panels: throughput and cost against batch, load through the span, the cost factor by
 * factor, and cost against demand beside the API's price. */
void clg_picture_demand(clg_text *svg, const clg_serve_question *question,
                        const clg_serve_answer *answer);

/* Names and order of docs/formats.md. Members of an object the caller opens and closes. */
void clg_json_demand(clg_json_writer *writer, const clg_serve_question *question,
                     const clg_serve_answer *answer);
void clg_json_levers(clg_json_writer *writer, const char *key, const clg_lever *row, int count);

/* Where an iteration's time goes with the sequences that a busy replica of the answer has. */
clg_iteration clg_report_iteration(const clg_serve_question *question,
                                   const clg_serve_answer *answer);

/* What weights in a narrower format than the model's own lose; of its own, unless others were
 * `searched`, which narrower one loses nothing. */
void clg_report_quality(clg_text *text, const clg_replica *replica, bool searched);

#endif
