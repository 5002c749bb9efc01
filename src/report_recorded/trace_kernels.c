/* trace_kernels.c -- GPU work of the first rank by name, longest first. */
#include "report_recorded/trace_report.h"

#include "record/ns.h"
#include "report/number_words.h"
#include "units/units.h"
#include <stdlib.h>
#include <string.h>

enum { JSON_ROWS = 64 };

typedef struct row {
    const clg_trace_kernel *kernel;
    const char *name;
} row;

typedef struct table {
    row *rows;
    int count;
    int64_t total_ns;
} table;

static int longest_first(const void *a, const void *b) {
    const row *x = a, *y = b;
    if (x->kernel->total_ns != y->kernel->total_ns)
        return x->kernel->total_ns > y->kernel->total_ns ? -1 : 1;
    return strcmp(x->name, y->name);
}

static table sorted(clg_arena *arena, const clg_trace *trace) {
    int count = (int)trace->timeline.name_count;
    table t = {clg_take(arena, (size_t)count + 1, row), count, 0};
    for (int i = 0; i < count; i++) {
        t.rows[i] = (row){&trace->kernels[i], trace->timeline.names[i]};
        t.total_ns = clg_ns_plus(t.total_ns, trace->kernels[i].total_ns);
    }
    if (count > 0) qsort(t.rows, (size_t)count, sizeof *t.rows, longest_first);
    return t;
}

/* Of the products among a kernel's launches whose shapes are known. */
static void print_rate(clg_text *t, const clg_trace *trace, const clg_trace_kernel *k) {
    char rate[48] = "";
    double share = clg_trace_efficiency(trace->gpu, k);
    if (k->flop_ns > 0)
        clg_quantity_print(k->flop / ((double)k->flop_ns * 1e-9), CLG_FLOP_PER_S, 3, rate,
                           sizeof rate);
    clg_text_pad(t, rate, 13, true);
    clg_text_pad(t, share >= 0 ? clg_arena_print(t->arena, "%.1f%%", 100 * share) : "", 8, true);
}

void clg_report_kernels(clg_text *t, const clg_trace *trace, int top) {
    table all = sorted(t->arena, trace);
    if (all.count == 0) return;
    bool rates = clg_trace_rate_of(trace).flop > 0;
    clg_text_print(
        t, "\n       time  share  count%s  GPU work of %s\n", rates ? "         rate of peak" : "",
        trace->rank < 0 ? "the first file" : clg_arena_print(t->arena, "rank %d", trace->rank));
    for (int i = 0; i < all.count && i < top; i++) {
        const row *r = &all.rows[i];
        clg_text_pad(t, clg_words_ns(t, r->kernel->total_ns), 11, true);
        clg_text_print(t, " %5.1f%% %6lld", clg_trace_percent(r->kernel->total_ns, all.total_ns),
                       (long long)r->kernel->count);
        if (rates) print_rate(t, trace, r->kernel);
        clg_text_print(t, "  %.*s\n", rates ? 50 : 66, r->name);
    }
    for (int i = 0; i < all.count; i++)
        if (all.rows[i].kernel->suspicious && 100 * all.rows[i].kernel->total_ns > all.total_ns)
            clg_text_print(t, "warning  counted as compute, but named like communication: %.44s\n",
                           all.rows[i].name);
}

/* The longest of them; "kernels_s" is the sum over all. */
void clg_json_kernels(clg_json_writer *w, const clg_recorded_job *job) {
    static const char *const works[] = {"compute", "communication", "copy", "none"};
    table all = {0};
    if (job->count > 0) all = sorted(w->text->arena, &job->traces[0]);
    clg_json_add_nanoseconds(w, "kernels_s", all.total_ns);
    clg_json_open(w, "kernels", '[');
    for (int i = 0; i < all.count && i < JSON_ROWS; i++) {
        const row *r = &all.rows[i];
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "name", r->name);
        clg_json_add_nanoseconds(w, "total_s", r->kernel->total_ns);
        clg_json_add_integer(w, "count", r->kernel->count);
        clg_json_add_bool(w, "communication_by_name", r->kernel->suspicious);
        clg_json_add_string(w, "work", works[r->kernel->work]);
        double flop_s = (double)r->kernel->flop_ns * 1e-9;
        clg_json_add_known(w, "flop_per_s", flop_s > 0 ? r->kernel->flop / flop_s : -1);
        clg_json_add_known(w, "efficiency", clg_trace_efficiency(job->traces[0].gpu, r->kernel));
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}
