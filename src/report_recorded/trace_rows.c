/* trace_rows.c -- ledgers of ranks and steps as CSV. */
#include "report_recorded/trace_report.h"

#include "base/csv.h"

#include <inttypes.h>

static void add_ns(clg_text *t, int64_t ns, bool known) {
    if (known)
        clg_text_print(t, ",%" PRId64 ".%09" PRId64, ns / 1000000000, ns % 1000000000);
    else
        clg_text_print(t, ",");
}

static void add_ledger(clg_text *t, const clg_ledger *l) {
    const int64_t parts[] = {
        l->span_ns, l->compute_ns,       l->exposed_communication_ns,   l->exposed_copy_ns,
        l->idle_ns, l->communication_ns, l->overlapped_communication_ns};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) add_ns(t, parts[i], true);
}

static void add_rank(clg_text *t, const clg_trace *trace) {
    if (trace->rank >= 0) clg_text_print(t, "%d", trace->rank);
    clg_text_print(t, ",");
    clg_csv_add(t, trace->file);
}

void clg_report_trace_rows(clg_text *t, const clg_recorded_job *job) {
    clg_text_print(t, "rank,file,step,step_s,span_s,compute_s,exposed_communication_s,"
                      "exposed_copy_s,idle_s,communication_s,overlapped_communication_s,"
                      "exposed_waiting_s,events\n");
    for (int i = 0; i < job->count; i++) {
        const clg_trace *trace = &job->traces[i];
        add_rank(t, trace);
        clg_text_print(t, ",");
        add_ns(t, 0, false);
        add_ledger(t, &trace->ledger);
        add_ns(t, job->waiting_ns[i], job->waiting_ns[i] >= 0);
        clg_text_print(t, ",%zu\n", trace->timeline.count);
        for (size_t s = 0; trace->event_step && s < trace->step_count; s++) {
            const clg_trace_step *step = &trace->step[s];
            add_rank(t, trace);
            clg_text_print(t, ",%" PRId64, step->number);
            add_ns(t, step->duration_ns, true);
            add_ledger(t, &step->ledger);
            clg_text_print(t, ",,%" PRId64 "\n", step->events);
        }
    }
}
