/* plan_text.h -- answers as text for people: at most 100 columns, in the words of the field. */
#ifndef CLG_REPORT_PLAN_PLAN_TEXT_H
#define CLG_REPORT_PLAN_PLAN_TEXT_H

#include "base/text.h"
#include "evaluate/evaluate.h"
#include "scaling/families.h"
#include "search/fits_with.h"
#include "search/search.h"

/* What was asked: model, machine, job, one line each. */
void clg_report_heading(clg_text *text, const clg_scenario *scenario, const clg_space *space);

/* A GPU's share of the network, and whether ports or NICs make it so; the rest of a line. */
void clg_report_network(clg_text *text, const clg_machine *machine);

/* What a batch asked for in tokens became; nothing where sequences were, or it is exact. */
void clg_report_batch(clg_text *text, const clg_space *space);

/* Whose software is assumed, and what for granted; a line of its own. */
void clg_report_software(clg_text *text, const clg_scenario *scenario);

/* What the software keeps in memory under a layout, in a few words each. */
enum { CLG_SOFTWARE_KEEPS = 16 };
int clg_software_keeps(clg_arena *arena, const clg_scenario *scenario, const clg_layout *layout,
                       const char *says[CLG_SOFTWARE_KEEPS]);
void clg_report_keeps(clg_text *text, const clg_scenario *scenario, const clg_layout *layout);

/* How the job is laid out over the GPUs, in words: two lines and more. */
void clg_report_layout(clg_text *text, const clg_layout *layout);

/* One plan in full: speed, ledger of time with bars, memory, power, money, caveats. */
void clg_report_evaluation(clg_text *text, const clg_scenario *scenario,
                           const clg_evaluation *evaluation, double tokens);

/* Its memory alone, part by part. */
void clg_report_memory(clg_text *text, const clg_evaluation *evaluation);

/* Memory and work of every stage; nothing when evaluated without detail. */
void clg_report_stages(clg_text *text, const clg_evaluation *evaluation);

/* Whom the groups of a layout talk to, and over what; tensor parallelism at every width. */
void clg_report_groups(clg_text *text, const clg_scenario *scenario,
                       const clg_evaluation *evaluation);
void clg_report_widths(clg_text *text, const clg_scenario *scenario,
                       const clg_evaluation *evaluation);

/* Runners-up against the best; time against memory; the certificate. */
void clg_report_chosen(clg_text *text, const clg_found *found);
void clg_report_alternatives(clg_text *text, const clg_found *found);
/* The plans that were kept, best first, a row of CSV each. */
void clg_report_plan_rows(clg_text *text, const clg_found *found);
/* The head of these rows, newline included, and one of them. */
extern const char clg_plan_columns[];
void clg_report_plan_row(clg_text *text, const clg_evaluation *plan);
void clg_report_front(clg_text *text, const clg_found *found);
/* The best of each family against the best of all. */
void clg_report_families(clg_text *text, const clg_layout_family *families, int count,
                         const clg_evaluation *best);
/* The fastest on the front that hardly ever runs out of memory, where the best may. */
void clg_report_safer(clg_text *text, const clg_found *found);
/* The fastest of all, where it runs out of memory more often than `risk` allows. */
void clg_report_gamble(clg_text *text, const clg_found *found, double risk);
void clg_report_certificate(clg_text *text, const clg_found *found, double seconds);

/* Which limit forced each axis of the best plan: what happens when it is undone. */
void clg_report_ladder(clg_text *text, const clg_scenario *scenario, const clg_evaluation *best);

void clg_report_nothing_fits(clg_text *text, const clg_scenario *scenario, const clg_space *space,
                             const clg_found *found, const clg_evaluation *on_more);

/* What fits on the same GPUs, flag by flag; nothing for none. */
void clg_report_fits_with(clg_text *text, const clg_fits_with *fits_with, int count);

#endif
