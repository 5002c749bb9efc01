/* batch_cost.h -- internal to serve/: what a batch of a replica costs. Tokens are those of the
 * whole replica. */
#ifndef CLG_SERVE_BATCH_COST_H
#define CLG_SERVE_BATCH_COST_H

#include "serve/replica.h"

/* What operations are written from. */
clg_serving clg_serving_of(const clg_replica *r);

/* `tokens` through all layers to the logits; `decoding`: no prompt among them. */
double clg_dense_iteration_s(const clg_replica *r, double tokens, bool decoding);

/* Of `tokens` that do not only decode, what depends on those of all ranks together: experts, and
 * gathering tokens to them. 0: one rank; or two batches in turn, where it hides the exchange. */
double clg_shared_iteration_s(const clg_replica *r, double tokens);

/* What contexts add, at a mean context and with so many tokens proposed: context_s, mixed_s,
 * context_pad, pair_s, state_s and scan_s of *cost. */
void clg_context_costs(const clg_replica *r, double context, int drafted, clg_iteration_cost *cost);

/* Proposing `drafted` tokens for each sequence of a batch that then has `tokens`. */
double clg_draft_s(const clg_replica *r, double tokens, int drafted);

/* Of a host of x86, to launch all layers of a micro-batch kernel by kernel. */
double clg_eager_layers_s(const clg_replica *r);

/* Whether the host's work runs beside the GPU's, and what an iteration takes more where not. */
void clg_settle_overlap(clg_replica *r, bool no_prefixes);

/* Of 1 to `most` tokens, which ranks and stages share out in steps of so many: clg_replica_dense_s
 * and clg_draft_s of each, in dense[1] on. */
void clg_replica_dense_table(const clg_replica *r, int step, int drafted, int most, double *dense);

/* Up to how many tokens iterations with prompts are replayed from graphs. */
int clg_prompt_graph_tokens(const clg_replica *r);

/* Sorting all logits of one sequence, where its sampling is cut to the likeliest. */
double clg_filter_sequence_s(const clg_replica *r);

#endif
