/* trace_lost.c -- where the time went that was no compute, the most first, and what may mend it. */
#include "report_recorded/trace_report.h"

#include "record/ns.h"
#include "report/number_words.h"

#include <stdlib.h>

enum { LEAST_PERCENT = 1, MOST_NAMED = 2 };

/* Sums over ranks. */
typedef struct totals {
    int64_t span_ns, communication_ns, overlapped_ns, exposed_ns, waiting_ns;
    int64_t compute_ns, copies_ns, idle_ns, loading_ns, allocator_ns, launch_ns;
    bool waits, splits;
} totals;

static totals sum_up(const clg_recorded_job *job) {
    totals s = {.waits = true, .splits = true};
    for (int i = 0; i < job->count; i++) {
        const clg_trace *t = &job->traces[i];
        if (t->ledger.span_ns == 0) continue;
        s.span_ns = clg_ns_plus(s.span_ns, t->ledger.span_ns);
        s.compute_ns = clg_ns_plus(s.compute_ns, t->ledger.compute_ns);
        s.copies_ns = clg_ns_plus(s.copies_ns, t->ledger.exposed_copy_ns);
        s.communication_ns = clg_ns_plus(s.communication_ns, t->ledger.communication_ns);
        s.overlapped_ns = clg_ns_plus(s.overlapped_ns, t->ledger.overlapped_communication_ns);
        s.exposed_ns = clg_ns_plus(s.exposed_ns, t->ledger.exposed_communication_ns);
        s.idle_ns = clg_ns_plus(s.idle_ns, t->ledger.idle_ns);
        s.loading_ns = clg_ns_plus(s.loading_ns, t->idle_loading_ns);
        s.allocator_ns = clg_ns_plus(s.allocator_ns, t->idle_allocator_ns);
        s.launch_ns = clg_ns_plus(s.launch_ns, t->idle_launch_ns);
        s.waiting_ns = clg_ns_plus(s.waiting_ns, job->waiting_ns[i]);
        s.waits = s.waits && job->waiting_ns[i] >= 0;
        s.splits = s.splits && t->idle_launch_ns >= 0;
    }
    return s;
}

/* ---- who is waited for ---- */

static const char *waited_for(clg_text *t, const clg_trace_answer *a) {
    clg_text names = {.arena = t->arena};
    clg_text_print(&names, "waiting for others");
    for (int i = 0; i < a->roots.count && i < MOST_NAMED; i++) {
        const clg_root *r = &a->roots.root[i];
        if (clg_trace_percent(r->waited_ns, a->roots.waited_ns) < 10) break;
        clg_text_print(&names, "%s rank %d (%s, %.0f %%%s)", i == 0 ? ":" : ",",
                       a->job->traces[r->trace].rank,
                       clg_name_of(clg_cause_names, (int)clg_root_cause(r)),
                       clg_trace_percent(r->waited_ns, a->roots.waited_ns), i == 0 ? " of it" : "");
    }
    return names.data;
}

/* ---- rows ---- */

typedef struct row {
    int64_t ns;
    const char *words;
} row;

static int most_first(const void *a, const void *b) {
    const row *x = a, *y = b;
    return (x->ns < y->ns) - (x->ns > y->ns);
}

static const char *transfers(clg_text *t, const totals *s, const char *what) {
    return clg_arena_print(t->arena, "%s (%.0f %% of all is hidden)", what,
                           clg_trace_percent(s->overlapped_ns, s->communication_ns));
}

static int rows_of(clg_text *t, const clg_trace_answer *a, const totals *s, row *rows) {
    int n = 0;
    int64_t other_ns = s->idle_ns - s->loading_ns - s->allocator_ns - s->launch_ns;
    if (s->waits) {
        rows[n++] = (row){s->waiting_ns, waited_for(t, a)};
        rows[n++] = (row){s->exposed_ns - s->waiting_ns,
                          transfers(t, s, "transfers that no compute hides")};
    } else
        rows[n++] =
            (row){s->exposed_ns, transfers(t, s, "transfers and waiting that no compute hides")};
    rows[n++] = (row){s->copies_ns, "copies that nothing hides"};
    if (!s->splits) {
        rows[n++] = (row){s->idle_ns, "idle: launches were not recorded"};
        return n;
    }
    rows[n++] = (row){s->loading_ns, "idle under the data loader: workers, prefetch, storage"};
    rows[n++] = (row){s->allocator_ns, "idle in the driver's allocator (cudaMalloc, cudaFree)"};
    rows[n++] = (row){s->launch_ns, "idle until the host launched what came next"};
    rows[n++] = (row){other_ns, "idle for no reason that was recorded"};
    return n;
}

void clg_report_lost(clg_text *t, const clg_trace_answer *a) {
    enum { MOST_ROWS = 8 };
    totals s = sum_up(a->job);
    row rows[MOST_ROWS];
    int count = rows_of(t, a, &s, rows);
    qsort(rows, (size_t)count, sizeof *rows, most_first);
    if (s.span_ns == 0) return;
    clg_text_print(t, "\n  %5.1f %%  compute; the rest, a rank:\n",
                   clg_trace_percent(s.compute_ns, s.span_ns));
    for (int i = 0; i < count; i++) {
        if (clg_trace_percent(rows[i].ns, s.span_ns) < LEAST_PERCENT) continue;
        size_t from = t->size;
        clg_text_print(t, "  %5.1f %% ", clg_trace_percent(rows[i].ns, s.span_ns));
        clg_text_pad(t, clg_words_ns(t, rows[i].ns / a->job->count), 9, true);
        clg_text_print(t, "  %s\n", rows[i].words);
        clg_text_fold(t, from, 22);
    }
}
