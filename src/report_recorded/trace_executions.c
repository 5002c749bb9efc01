/* trace_executions.c -- graphs of operators for people and as JSON. */
#include "report_recorded/trace_report.h"

#include "record/ns.h"
#include "report/number_words.h"
#include "units/units.h"
#include <string.h>

enum { MOST_ROWS = 8 };

/* Calls of one operation, size and group. */
typedef struct row {
    clg_execution_call call;
    int64_t count, duration_ns;
} row;

static bool alike(const clg_execution_call *a, const clg_execution_call *b) {
    bool group = a->group && b->group ? strcmp(a->group, b->group) == 0 : a->group == b->group;
    return a->operation == b->operation && a->bytes == b->bytes && a->group_size == b->group_size &&
           group;
}

/* In order of first appearance; what is beyond the table is not in it. */
static int rows_of(const clg_execution *x, row *rows) {
    int count = 0;
    for (size_t i = 0; i < x->calls; i++) {
        int at = 0;
        while (at < count && !alike(&rows[at].call, &x->call[i])) at++;
        if (at == MOST_ROWS) continue;
        if (at == count) rows[count++] = (row){.call = x->call[i]};
        rows[at].count++;
        if (x->call[i].duration_ns > 0)
            rows[at].duration_ns = clg_ns_plus(rows[at].duration_ns, x->call[i].duration_ns);
    }
    return count;
}

static void print_rows(clg_text *t, const clg_execution *x) {
    row rows[MOST_ROWS];
    int count = rows_of(x, rows);
    int64_t shown = 0;
    for (int i = 0; i < count; i++) {
        const clg_execution_call *c = &rows[i].call;
        clg_text_print(t, "  %6lld  ", (long long)rows[i].count);
        clg_text_pad(t, clg_name_of(clg_operation_names, (int)c->operation), 16, false);
        clg_text_pad(t, clg_words_known(t, (double)c->bytes, CLG_BYTES), 10, true);
        if (c->group_size > 0) clg_text_print(t, "  %lld ranks", (long long)c->group_size);
        if (rows[i].duration_ns > 0)
            clg_text_print(t, "  %s",
                           clg_words_known(t, (double)rows[i].duration_ns * 1e-9, CLG_SECONDS));
        if (c->group) clg_text_print(t, "  %.40s", c->group);
        clg_text_print(t, "\n");
        shown += rows[i].count;
    }
    if (shown < (int64_t)x->calls)
        clg_text_print(t, "  ... and %lld more: --json has all\n",
                       (long long)((int64_t)x->calls - shown));
}

static void print_execution(clg_text *t, const clg_execution *x) {
    clg_text_print(t, "\n%.80s\n  %s", x->file, x->format);
    if (x->rank >= 0) clg_text_print(t, " of rank %d", x->rank);
    clg_text_print(t, ": %lld operators, %lld communicate; when they ran is not in it%s\n",
                   (long long)x->nodes, (long long)x->communications,
                   x->damaged ? " (damaged: read as far as it goes)" : "");
    if (x->compute_ns >= 0 || x->communication_ns >= 0)
        clg_text_print(t, "  kernels take %s, communication %s\n",
                       clg_words_known(t, (double)x->compute_ns * 1e-9, CLG_SECONDS),
                       clg_words_known(t, (double)x->communication_ns * 1e-9, CLG_SECONDS));
    print_rows(t, x);
    if (x->lent > 0)
        clg_text_print(t, "  lent sizes or groups to %lld kernels of its rank\n",
                       (long long)x->lent);
}

void clg_report_executions(clg_text *t, const clg_executions *list) {
    for (size_t i = 0; i < list->count; i++) print_execution(t, &list->file[i]);
}

static void add_time(clg_json_writer *w, const char *key, int64_t ns) {
    if (ns >= 0)
        clg_json_add_nanoseconds(w, key, ns);
    else
        clg_json_add_null(w, key);
}

static void add_call(clg_json_writer *w, const clg_execution_call *c) {
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "operation",
                        c->operation ? clg_name_of(clg_operation_names, (int)c->operation) : NULL);
    clg_json_add_whole(w, "bytes", c->bytes);
    clg_json_add_whole(w, "group_size", c->group_size);
    clg_json_add_string(w, "group", c->group);
    add_time(w, "duration_s", c->duration_ns);
    clg_json_close(w, '}');
}

void clg_json_executions(clg_json_writer *w, const clg_executions *list) {
    clg_json_open(w, "execution_traces", '[');
    for (size_t i = 0; i < list->count; i++) {
        const clg_execution *x = &list->file[i];
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "file", x->file);
        clg_json_add_string(w, "format", x->format);
        clg_json_add_whole(w, "rank", x->rank);
        clg_json_add_integer(w, "operators", x->nodes);
        add_time(w, "compute_s", x->compute_ns);
        add_time(w, "communication_s", x->communication_ns);
        clg_json_add_integer(w, "lent", x->lent);
        clg_json_add_bool(w, "damaged", x->damaged);
        clg_json_open(w, "calls", '[');
        for (size_t k = 0; k < x->calls; k++) add_call(w, &x->call[k]);
        clg_json_close(w, ']');
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}
