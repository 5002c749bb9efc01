/* trace_kernels.c -- GPU work of the first rank by name, longest first. */
#include "report/trace.h"

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
        t.total_ns += trace->kernels[i].total_ns;
    }
    if (count > 0) qsort(t.rows, (size_t)count, sizeof *t.rows, longest_first);
    return t;
}

static double percent(int64_t part, int64_t whole) {
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

static const char *seconds(clg_text *t, int64_t ns) {
    char out[48];
    clg_quantity_print((double)ns / 1e9, CLG_SECONDS, 3, out, sizeof out);
    return clg_arena_copy(t->arena, out, strlen(out));
}

void clg_report_kernels(clg_text *t, const clg_trace *trace, int top) {
    table all = sorted(t->arena, trace);
    if (all.count == 0) return;
    clg_text_print(t, "\n       time  share  count  GPU work of %s\n",
                   trace->rank < 0 ? "the first file"
                                   : clg_arena_print(t->arena, "rank %d", trace->rank));
    for (int i = 0; i < all.count && i < top; i++) {
        const row *r = &all.rows[i];
        clg_text_pad(t, seconds(t, r->kernel->total_ns), 11, true);
        clg_text_print(t, " %5.1f%% %6lld  %.66s\n", percent(r->kernel->total_ns, all.total_ns),
                       (long long)r->kernel->count, r->name);
    }
    for (int i = 0; i < all.count; i++)
        if (all.rows[i].kernel->suspicious && 100 * all.rows[i].kernel->total_ns > all.total_ns)
            clg_text_print(t, "warning  counted as compute, but named like communication: %.44s\n",
                           all.rows[i].name);
}

/* The longest of them; "kernels_s" is the sum over all. */
void clg_json_kernels(clg_json_writer *w, const clg_job *job) {
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
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}
