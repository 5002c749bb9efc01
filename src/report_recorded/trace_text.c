/* trace_text.c -- recordings of a job for people. */
#include "report_recorded/trace_report.h"

#include "record/ns.h"
#include "report/number_words.h"
#include "units/units.h"
#include <stdlib.h>

enum { BAR = 40, MOST_RANKS = 64 };

/* Cells up to the end of each part, so that the parts always fill the bar. */
static void stacked_bar(clg_text *t, const clg_ledger *l) {
    static const char *const cells[] = {"█", "▒", "▪", "·"};
    const int64_t parts[] = {l->compute_ns, l->exposed_communication_ns, l->exposed_copy_ns,
                             l->idle_ns};
    int64_t so_far_ns = 0;
    int drawn = 0;
    for (int i = 0; i < 4; i++) {
        so_far_ns += parts[i];
        int until = (int)(clg_trace_percent(so_far_ns, l->span_ns) / 100 * BAR + 0.5);
        for (; drawn < until; drawn++) clg_text_print(t, "%s", cells[i]);
    }
}

static void print_heading(clg_text *t, const clg_recorded_job *job) {
    const clg_trace *first = &job->traces[0];
    clg_text_print(t, "trace    %d rank%s", job->count, job->count == 1 ? "" : "s");
    if (first->world_size > 0) clg_text_print(t, " of %d", first->world_size);
    if (first->gpu && *first->gpu) clg_text_print(t, " · %.40s", first->gpu);
    if (first->steps > 0)
        clg_text_print(t, " · %lld step%s of %s", (long long)first->steps,
                       first->steps == 1 ? "" : "s",
                       clg_words_ns(t, first->steps_ns / first->steps));
    clg_text_print(t, "\n\n");
}

static void print_rank(clg_text *t, const clg_trace *trace) {
    const clg_ledger *l = &trace->ledger;
    const char *rank = trace->rank >= 0 ? clg_arena_print(t->arena, "%d", trace->rank) : "?";
    clg_text_pad(t, rank, 6, true);
    if (l->span_ns == 0) {
        clg_text_print(t, "  no GPU work: %lld events of %.60s\n", (long long)trace->events_read,
                       trace->file);
        return;
    }
    clg_text_pad(t, clg_words_ns(t, l->span_ns), 10, true);
    clg_text_print(t, " %7.1f%% %8.1f%% %6.1f%% %6.1f%%  ",
                   clg_trace_percent(l->compute_ns, l->span_ns),
                   clg_trace_percent(l->exposed_communication_ns, l->span_ns),
                   clg_trace_percent(l->exposed_copy_ns, l->span_ns),
                   clg_trace_percent(l->idle_ns, l->span_ns));
    stacked_bar(t, l);
    clg_text_print(t, "%s\n", trace->damaged ? " damaged" : "");
}

static void print_ranks(clg_text *t, const clg_recorded_job *job) {
    clg_text_print(t, "  rank      span  compute  exp.comm   copies   idle  "
                      "█ compute ▒ exposed comm ▪ copies · idle\n");
    for (int i = 0; i < job->count && i < MOST_RANKS; i++) print_rank(t, &job->traces[i]);
    if (job->count > MOST_RANKS)
        clg_text_print(t, "  ... and %d more ranks: --json has all\n", job->count - MOST_RANKS);
}

/* Of all ranks. */
typedef struct work {
    double flop, share; /* share of peak, summed */
    int64_t wall_ns, product_ns, priced_ns;
    bool known, by_steps; /* by_steps: the host took longer than the GPU */
} work;

static work all_work(const clg_recorded_job *job) {
    work w = {.known = true};
    for (int i = 0; i < job->count; i++) {
        const clg_trace *trace = &job->traces[i];
        clg_trace_rate r = clg_trace_rate_of(trace);
        w.wall_ns = clg_ns_plus(w.wall_ns, clg_trace_wall_ns(trace));
        w.by_steps = w.by_steps || clg_trace_wall_ns(trace) > trace->ledger.span_ns;
        w.product_ns = clg_ns_plus(w.product_ns, trace->product_ns);
        w.priced_ns = clg_ns_plus(w.priced_ns, trace->priced_ns);
        w.flop += r.flop > 0 ? r.flop : 0;
        w.share += r.flop > 0 ? r.utilization : 0;
        w.known = w.known && (r.flop <= 0 || r.utilization >= 0);
    }
    return w;
}

/* Why there is no MFU, and what could be done about it. */
static void print_unpriced(clg_text *t, const clg_trace *trace) {
    clg_trace_unpriced u = clg_trace_unpriced_of(trace);
    size_t from = t->size;
    if (trace->product_ns == 0 || !u.longest) return;
    clg_text_print(t, "  ");
    if (!trace->lent && clg_trace_percent(u.graph_ns, trace->product_ns) > 10)
        clg_text_print(t, "%.0f %% was launched by graphs, whose shapes are in their capture; ",
                       clg_trace_percent(u.graph_ns, trace->product_ns));
    else if (trace->priced_ns == 0)
        clg_text_print(t, "no shapes were recorded (PyTorch: record_shapes=True); ");
    clg_text_print(t, "longest without: %.60s\n", u.longest);
    clg_text_fold(t, from, 4);
}

/* What products, convolutions and attention of known shapes did of what the GPU can, on the average
 * rank; nothing of that where too few shapes are known. */
static void print_products(clg_text *t, const clg_recorded_job *job) {
    work w = all_work(job);
    if (w.product_ns == 0 || w.wall_ns <= 0) return;
    double priced = (double)w.priced_ns / (double)w.product_ns;
    size_t from = t->size;
    if (w.flop > 0)
        clg_text_print(t, "products %s a rank by shapes, %s over its %s; ",
                       clg_words_quantity(t, w.flop / job->count, CLG_FLOP),
                       clg_words_quantity(t, w.flop / ((double)w.wall_ns * 1e-9), CLG_FLOP_PER_S),
                       w.by_steps ? "steps" : "span");
    else
        clg_text_print(t, "products ");
    clg_text_print(t, "%.0f %% of their time is priced: ", 100 * priced);
    if (w.known && w.flop > 0 && priced >= CLG_TRACE_PRICED_LEAST)
        clg_text_print(t, "MFU %.1f %%\n", 100 * w.share / job->count);
    else
        clg_text_print(t, "%s\n", priced < CLG_TRACE_PRICED_LEAST ? "no MFU" : "peak not known");
    clg_text_fold(t, from, 9);
    if (priced < CLG_TRACE_PRICED_LEAST) print_unpriced(t, &job->traces[0]);
}

/* ---- collectives, by operation and size ---- */

static int by_kind(const void *a, const void *b) {
    const clg_trace_collective *x = *(const clg_trace_collective *const *)a;
    const clg_trace_collective *y = *(const clg_trace_collective *const *)b;
    if (x->operation != y->operation) return (int)x->operation - (int)y->operation;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    if (x->group_size != y->group_size) return x->group_size < y->group_size ? -1 : 1;
    return (x->transfer_ns > y->transfer_ns) - (x->transfer_ns < y->transfer_ns);
}

static bool same_kind(const clg_trace_collective *x, const clg_trace_collective *y) {
    return x->operation == y->operation && x->bytes == y->bytes && x->group_size == y->group_size;
}

/* One line for a run of equal collectives, which lie in order of transfer time. */
static void print_kind(clg_text *t, const clg_trace_collective *const *run, int count) {
    const clg_trace_collective *first = run[0], *middle = run[count / 2];
    int64_t skew_ns = 0;
    for (int i = 0; i < count; i++) skew_ns = clg_ns_plus(skew_ns, run[i]->skew_ns);
    char bytes[48] = "?", rate[48] = "-";
    if (first->bytes >= 0)
        clg_quantity_print((double)first->bytes, CLG_BYTES, 3, bytes, sizeof bytes);
    if (middle->bus_bytes_per_s >= 0)
        clg_quantity_print((double)middle->bus_bytes_per_s, CLG_BYTES_PER_S, 3, rate, sizeof rate);
    clg_text_print(t, "  %-15s", clg_name_of(clg_operation_names, (int)first->operation));
    clg_text_pad(t, bytes, 10, true);
    clg_text_print(t, " %6lld %6d", (long long)first->group_size, count);
    clg_text_pad(t, clg_words_ns(t, middle->transfer_ns), 13, true);
    clg_text_pad(t, rate, 13, true);
    clg_text_pad(t, clg_words_ns(t, skew_ns / count), 13, true);
    clg_text_print(t, "\n");
}

static void print_collectives(clg_text *t, const clg_recorded_job *job, int top) {
    const clg_trace_collective **sorted =
        clg_take(t->arena, (size_t)job->collective_count + 1, const clg_trace_collective *);
    int count = 0, shown = 0;
    for (int i = 0; i < job->collective_count; i++)
        if (job->collectives[i].transfer_ns >= 0) sorted[count++] = &job->collectives[i];
    if (count == 0) return;
    qsort(sorted, (size_t)count, sizeof(const clg_trace_collective *), by_kind);
    clg_text_print(t, "\n  collective           size  ranks  count  transfer p50  bus rate p50"
                      "    mean skew\n");
    for (int i = 0, next; i < count && shown < top; i = next, shown++) {
        for (next = i + 1; next < count && same_kind(sorted[i], sorted[next]);) next++;
        print_kind(t, sorted + i, next - i);
    }
}

static void print_stragglers(clg_text *t, const clg_recorded_job *job, int top) {
    if (job->straggler_count == 0) return;
    clg_text_print(t, "\n  last to arrive   times   skew caused   others waited   own data loader"
                      "   own launch gaps\n");
    for (int i = 0; i < job->straggler_count && i < top; i++) {
        const clg_straggler *s = &job->stragglers[i];
        clg_text_print(t, "  rank %-10d %6lld", job->traces[s->trace].rank,
                       (long long)s->last_arrivals);
        clg_text_pad(t, clg_words_ns(t, s->caused_skew_ns), 14, true);
        clg_text_pad(t, clg_words_ns(t, s->caused_wait_ns), 16, true);
        clg_text_pad(t, clg_words_ns(t, job->traces[s->trace].loading_ns), 18, true);
        int64_t late_ns = job->traces[s->trace].idle_launch_ns;
        clg_text_pad(t, late_ns >= 0 ? clg_words_ns(t, late_ns) : "?", 18, true);
        clg_text_print(t, "\n");
    }
}

/* ---- logs of nccl-tests ---- */

static void print_benchmark(clg_text *t, const clg_nccl_row *r) {
    char bytes[48], rate[48], bus[48];
    clg_quantity_print((double)r->bytes, CLG_BYTES, 3, bytes, sizeof bytes);
    clg_quantity_print(r->algorithm_bytes_per_s, CLG_BYTES_PER_S, 3, rate, sizeof rate);
    clg_quantity_print(r->bus_bytes_per_s, CLG_BYTES_PER_S, 3, bus, sizeof bus);
    clg_text_print(t, "  ");
    clg_text_pad(t, bytes, 10, true);
    clg_text_pad(t, clg_words_ns(t, (int64_t)(r->time_s * 1e9 + 0.5)), 12, true);
    clg_text_pad(t, rate, 14, true);
    clg_text_pad(t, bus, 14, true);
    clg_text_print(t, "  %s%s\n", r->in_place ? "in place" : "out of place",
                   r->wrong > 0 ? "  WRONG RESULTS" : "");
}

static void print_benchmarks(clg_text *t, const clg_nccl_rows *rows) {
    const char *file = NULL;
    for (size_t i = 0; i < rows->count; i++) {
        const clg_nccl_row *r = &rows->row[i];
        if (r->file != file) {
            file = r->file;
            clg_text_print(t, "\n%.80s\n  nccl-tests, operation %s, ", file,
                           clg_name_of(clg_operation_names, (int)r->operation));
            if (r->ranks > 0)
                clg_text_print(t, "%d ranks\n", r->ranks);
            else
                clg_text_print(t, "ranks not said\n");
            clg_text_print(t, "        size        time     algorithm           bus\n");
        }
        print_benchmark(t, r);
    }
}

/* ---- what to know before believing any of it ---- */

static void print_damage(clg_text *t, const clg_trace *trace) {
    for (int i = 0; i < trace->damages; i++) {
        const clg_trace_damage *d = &trace->damage[i];
        clg_text_print(t, "damaged  %.60s\n         %lld event%s lost at byte %lld: %s\n",
                       trace->file, (long long)d->lost, d->lost == 1 ? "" : "s", (long long)d->byte,
                       d->reason);
    }
}

static bool communicates(const clg_recorded_job *job) {
    for (int i = 0; i < job->count; i++)
        if (job->traces[i].call_count > 0) return true;
    return false;
}

static void print_notes(clg_text *t, const clg_trace_answer *a) {
    const clg_recorded_job *job = a->job;
    clg_text_print(t, "\n");
    if (job->unmatched && communicates(job))
        clg_text_print(t, "note     waiting is not told from transfer: %s\n", job->unmatched);
    if (job->mismatched > 0)
        clg_text_print(t, "warning  %d collectives differ between ranks and were not matched\n",
                       job->mismatched);
    for (int i = 0; i < job->count; i++)
        if (job->offset_ns[i] != 0)
            clg_text_print(t, "clock    rank %d is %s off rank %d\n", job->traces[i].rank,
                           clg_words_ns(t, job->offset_ns[i]), job->traces[0].rank);
    for (int i = 0; i < job->count; i++)
        if (job->traces[i].elsewhere > 0)
            clg_text_print(t, "note     %lld copies of other GPUs in %.60s are left out\n",
                           (long long)job->traces[i].elsewhere, job->traces[i].file);
    for (int i = 0; i < job->count; i++) print_damage(t, &job->traces[i]);
    for (int i = 0; i < a->skipped_count; i++) {
        size_t from = t->size;
        clg_text_print(t, "skipped  %.200s: %.200s\n", a->skipped[i].file, a->skipped[i].reason);
        clg_text_fold(t, from, 9);
    }
}

void clg_report_trace(clg_text *t, const clg_trace_answer *a) {
    const clg_recorded_job *job = a->job;
    const int top = a->top;
    if (job->count > 0) {
        print_heading(t, job);
        print_ranks(t, job);
        clg_report_lost(t, a);
        print_products(t, job);
        clg_report_axes(t, job);
        clg_report_steps(t, job, top);
        clg_report_phases(t, &job->traces[0]);
        print_collectives(t, job, top);
        print_stragglers(t, job, top);
        clg_report_roots(t, a, top);
        clg_report_slow_groups(t, &a->slow_groups, top);
        clg_report_what_if(t, a);
        clg_report_kernels(t, &job->traces[0], top);
        if (a->plan) clg_report_plan(t, a->plan);
        if (a->against) clg_report_against(t, a->against, top);
    }
    print_benchmarks(t, &job->benchmarks);
    clg_report_train_logs(t, &job->logs);
    if (job->count == 0 && a->plan && a->plan->log) clg_report_plan(t, a->plan);
    clg_report_held(t, job);
    if (a->plan) clg_report_held_beside(t, a);
    clg_report_operations(t, &job->stages, top);
    clg_report_executions(t, &job->executions);
    print_notes(t, a);
}
