/* trace_report.h -- recordings of a job as text, JSON, a table and a picture. */
#ifndef CLG_REPORT_RECORDED_TRACE_REPORT_H
#define CLG_REPORT_RECORDED_TRACE_REPORT_H

#include "base/text.h"
#include "trace/against.h"
#include "trace/links.h"
#include "trace/plan.h"
#include "trace/rates.h"
#include "trace/replay.h"
#include "trace/roots.h"

/* A file that was given and not read. */
typedef struct clg_trace_skipped {
    const char *file, *reason;
} clg_trace_skipped;

/* What there is to say about a job. */
typedef struct clg_trace_answer {
    clg_recorded_job *job;
    int top; /* rows of each ranking in the text */
    const clg_trace_skipped *skipped;
    int skipped_count;
    clg_roots roots;
    clg_slow_groups slow_groups;
    clg_what_if what_if;
    const clg_plan_comparison *plan; /* NULL: none was given */
    const clg_against *against;      /* likewise */
} clg_trace_answer;

/* Ledger of every rank with bars, waiting, collectives, stragglers, kernels, damage. */
void clg_report_trace(clg_text *text, const clg_trace_answer *answer);

/* Parts of it. */
void clg_report_train_logs(clg_text *text, const clg_train_logs *logs);
void clg_report_executions(clg_text *text, const clg_executions *list);
void clg_report_operations(clg_text *text, const clg_stages_list *list, int top);
void clg_report_steps(clg_text *text, const clg_recorded_job *job, int top);
void clg_report_what_if(clg_text *text, const clg_trace_answer *answer);
void clg_report_plan(clg_text *text, const clg_plan_comparison *plan);
void clg_report_kernels(clg_text *text, const clg_trace *trace, int top);
void clg_report_lost(clg_text *text, const clg_trace_answer *answer);
void clg_report_phases(clg_text *text, const clg_trace *trace);
void clg_report_held(clg_text *text, const clg_recorded_job *job);
void clg_report_held_beside(clg_text *text, const clg_trace_answer *answer);
void clg_report_axes(clg_text *text, const clg_recorded_job *job);
void clg_report_roots(clg_text *text, const clg_trace_answer *answer, int top);
void clg_report_slow_groups(clg_text *text, const clg_slow_groups *groups, int top);
/* Name, before, after and the difference, without an end of the line. */
void clg_report_change(clg_text *text, const char *name, double before_s, double after_s);
void clg_report_against(clg_text *text, const clg_against *against, int top);

/* Names and order of docs/traces.md. */
void clg_json_trace(clg_json_writer *writer, const clg_trace_answer *answer);

/* Parts of it. */
void clg_json_train_logs(clg_json_writer *writer, const clg_train_logs *logs);
void clg_json_executions(clg_json_writer *writer, const clg_executions *list);
void clg_json_phases(clg_json_writer *writer, const clg_trace *trace);
void clg_json_held(clg_json_writer *writer, const clg_recorded_job *job);
void clg_json_stages(clg_json_writer *writer, const clg_stages_list *list);
void clg_json_what_if(clg_json_writer *writer, const clg_trace_answer *answer);
void clg_json_plan_terms(clg_json_writer *writer, const clg_plan_comparison *plan);
void clg_json_kernels(clg_json_writer *writer, const clg_recorded_job *job);
void clg_json_strips(clg_json_writer *writer, const clg_recorded_job *job);
void clg_json_roots(clg_json_writer *writer, const clg_trace_answer *answer);
void clg_json_slow_groups(clg_json_writer *writer, const clg_slow_groups *groups);
void clg_json_against(clg_json_writer *writer, const clg_against *against);

/* One row a rank and, where steps are annotated, a row a step of it. */
void clg_report_trace_rows(clg_text *text, const clg_recorded_job *job);

/* Stacked bars per rank, and who arrives last. */
void clg_picture_trace(clg_text *svg, const clg_recorded_job *job);

/* Of times: 0 of none. */
static inline double clg_trace_percent(int64_t part_ns, int64_t whole_ns) {
    return whole_ns > 0 ? 100 * (double)part_ns / (double)whole_ns : 0;
}

#endif
