/* evidence.h -- what a job wrote of itself, and what to measure next. */
#ifndef CLG_DIAGNOSE_EVIDENCE_H
#define CLG_DIAGNOSE_EVIDENCE_H

#include "diagnose/cause.h"
#include "diagnose/observe.h"

/* The first of the cause's lines that the log has, as data/cause/ writes it; NULL: none, or the
 * plan says the same: sockets over Ethernet, states on the host. Blanks do not matter. */
const char *clg_line_seen(const clg_scenario *scenario, const clg_layout *layout,
                          const clg_observed_log *log, const char *cause,
                          const clg_job_cause_facts *facts);

/* How much likelier a cause is by the memory in use: one that full memory makes is barred where
 * there is room, and odds grow where there is none; 1 for all others, and where it was not said. */
double clg_memory_odds(const clg_diagnosis_rules *rules, const clg_observations *seen,
                       double capacity_bytes, const clg_job_cause_facts *facts);

typedef struct clg_diagnosis clg_diagnosis;

/* Sets what to measure next: what splits the odds of all that may be wrong most evenly. */
void clg_choose_next(clg_diagnosis *d, const clg_observations *seen);

#endif
