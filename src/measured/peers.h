/* peers.h -- what other tools predicted for rows of ours. */
#ifndef CLG_MEASURED_PEERS_H
#define CLG_MEASURED_PEERS_H

#include "measured/measured.h"

/* `by` of lines that hold what was measured, as the tools' authors score it. */
extern const char clg_peer_measured[];

/* Whether a table holds such predictions: columns `id`, `by` and `itl_ms`. */
bool clg_peers_recognised(const clg_csv *table);

/* Those of all tables that hold them, in order; *count may be 0. */
const clg_peer *clg_peers_read(clg_arena *arena, const clg_csv *tables, int count, int *peers);

/* The line of a row by a tool; NULL when there is none. */
const clg_peer *clg_peer_find(const clg_measured_table *table, const char *id, const char *by);

/* A tool's predictions as rows, beside what was measured, of the rows that the program predicted
 * too: what is scored of it is scored as ours. Rows have id, measured and predicted alone. */
clg_measured_table clg_peers_table(clg_arena *arena, const clg_measured_table *table,
                                   const char *by);

#endif
