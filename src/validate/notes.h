/* notes.h -- internal to validate/: what a row says in words, where no column can
 * (data/row-words.csv). */
#ifndef CLG_VALIDATE_NOTES_H
#define CLG_VALIDATE_NOTES_H

#include "base/csv.h"
#include "model/model.h"
#include "stack/stack.h"

/* What a trainer had switched on, laid over its stack, in the words of --term. */
clg_status clg_notes_terms(clg_arena *arena, const char *notes, clg_stack *stack, clg_error *error);

/* Ranks that share an expert; 0: not said. */
int clg_notes_expert_tensor(clg_arena *arena, const char *notes, int tp);

/* The GPU: the board that notes name, where its column has only the kind. */
const char *clg_notes_gpu(clg_arena *arena, const clg_csv *csv, int row);

/* The software: what notes name, else the column. */
const char *clg_notes_stack(clg_arena *arena, const clg_csv *csv, int row);

/* Who shards under that software, where its cell, that of `zero` or notes say so. "": not said. */
const char *clg_notes_sharder(clg_arena *arena, const clg_csv *csv, int row);

/* The network that notes or derivations name, whose rate a column may state; NULL: none. */
const char *clg_notes_fabric(clg_arena *arena, const clg_csv *csv, int row);

/* How context ranks meet: the column `cp_kind`, else what notes or derivations say, else round a
 * ring; so do heads that all-to-all cannot deal out to `ranks`, those of tp and cp. */
clg_context_kind clg_notes_context(clg_arena *arena, const clg_csv *csv, int row,
                                   const clg_model *model, int ranks);

/* What is recomputed, by name: modules that notes name go before the column. "": not said. */
const char *clg_notes_recompute(clg_arena *arena, const clg_csv *csv, int row);

/* The attention kernel, by name: the column, else what texts padded in batches get. "": not said.
 */
const char *clg_notes_attention(clg_arena *arena, const clg_csv *csv, int row);

/* Layers recomputed of all `layers`, where notes count them, as many of each chunk; the optimizer
 * on the host. */
void clg_notes_layout(clg_arena *arena, const char *notes, int layers, clg_layout *layout);

/* Attention that stays inside packed documents: whole layers see no further than one of them.
 * Modules that predict further tokens, where they were left out. */
void clg_notes_model(clg_arena *arena, const char *notes, clg_model *model);

#endif
