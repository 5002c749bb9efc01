/* trace_roots.c -- exposed communication by axis, and who lost the time that others waited. */
#include "report_recorded/trace_report.h"

#include "record/ns.h"
#include "report/number_words.h"

/* ---- by axis ---- */

/* Sums over the ranks that communicate on an axis; of parts only while all ranks tell them. */
static clg_axis_time sum_axis(const clg_recorded_job *job, int axis, int *ranks) {
    clg_axis_time sum = {0};
    *ranks = 0;
    for (int i = 0; i < job->count; i++) {
        const clg_axis_time *a = &job->axis[i][axis];
        if (a->calls == 0) continue;
        bool told = a->transfer_ns >= 0 && sum.transfer_ns >= 0;
        ++*ranks;
        sum.calls += a->calls;
        sum.exposed_ns = clg_ns_plus(sum.exposed_ns, a->exposed_ns);
        sum.transfer_ns = told ? clg_ns_plus(sum.transfer_ns, a->transfer_ns) : -1;
        sum.waiting_ns = told ? clg_ns_plus(sum.waiting_ns, a->waiting_ns) : -1;
    }
    return sum;
}

/* Nothing where all of it is of no known axis. */
static bool any_axis(const clg_recorded_job *job) {
    int ranks;
    for (int a = 1; a < CLG_SPLITS; a++)
        if (sum_axis(job, a, &ranks).calls > 0) return true;
    return false;
}

void clg_report_axes(clg_text *t, const clg_recorded_job *job) {
    if (!any_axis(job)) return;
    clg_text_print(t, "\n  axis    ranks    calls     exposed    transfer     waiting  a rank\n");
    for (int i = 0; i < CLG_SPLITS; i++) {
        int axis = (i + 1) % CLG_SPLITS, ranks; /* the unknown last */
        clg_axis_time s = sum_axis(job, axis, &ranks);
        if (s.calls == 0) continue;
        const int64_t parts[] = {s.exposed_ns, s.transfer_ns, s.waiting_ns};
        clg_text_print(t, "  %-5s %7d %8lld", clg_name_of(clg_split_names, axis), ranks,
                       (long long)(s.calls / ranks));
        for (int k = 0; k < 3; k++)
            clg_text_pad(t, parts[k] < 0 ? "?" : clg_words_ns(t, parts[k] / ranks), 12, true);
        clg_text_print(t, "\n");
    }
}

/* ---- roots ---- */

static bool slow(const clg_root *r) {
    return r->cause_ns[CLG_CAUSE_COMPUTE] > 0 && r->kernel_ratio > 1.02;
}

/* What speaks for the cause: in so many words that a row fits 100 columns. */
static const char *evidence(clg_text *t, const clg_recorded_job *job, const clg_root *r) {
    const clg_trace *trace = &job->traces[r->trace];
    switch (clg_root_cause(r)) {
    case CLG_CAUSE_COMPUTE:
        if (!slow(r)) return "kernels as elsewhere: more of them, or scatter";
        if (r->slow_share > 0.8)
            return clg_arena_print(t->arena, "all kernels %.2f x: clock, heat, a shared GPU",
                                   r->kernel_ratio);
        return clg_arena_print(t->arena, "kernels %.2f x, most %.2f x: %.18s", r->kernel_ratio,
                               r->worst_ratio, r->kernel);
    case CLG_CAUSE_LOADER:
        return clg_arena_print(t->arena, "%s in its data loader",
                               clg_words_ns(t, trace->loading_ns));
    case CLG_CAUSE_ALLOCATOR:
        return clg_arena_print(t->arena, "idle for %s in cudaMalloc and the like",
                               clg_words_ns(t, trace->idle_allocator_ns));
    case CLG_CAUSE_HOST:
        return clg_arena_print(t->arena, "idle for %s before launches",
                               clg_words_ns(t, trace->idle_launch_ns));
    case CLG_CAUSE_TRANSFER:
        return "slower in other groups: a slow link there";
    case CLG_CAUSE_COPY:
        return "it copies more, or more slowly";
    case CLG_CAUSE_START:
        return "its step began later than theirs";
    default:
        return "idle for no reason that was recorded";
    }
}

void clg_report_roots(clg_text *t, const clg_trace_answer *a, int top) {
    const clg_roots *roots = &a->roots;
    if (roots->count == 0) return;
    clg_text_print(
        t,
        "\n  others waited for   in all   share  lost most to (kernels: beside the median rank)\n");
    for (int i = 0; i < roots->count && i < top; i++) {
        const clg_root *r = &roots->root[i];
        clg_cause cause = clg_root_cause(r);
        clg_text_print(t, "  rank %-8d", a->job->traces[r->trace].rank);
        clg_text_pad(t, clg_words_ns(t, r->waited_ns), 12, true);
        clg_text_print(t, " %6.1f%%  %s (%.0f %%): %s\n",
                       clg_trace_percent(r->waited_ns, roots->waited_ns),
                       clg_name_of(clg_cause_names, (int)cause),
                       clg_trace_percent(r->cause_ns[cause], r->waited_ns), evidence(t, a->job, r));
    }
}

/* ---- slow groups ---- */

static const char *ranks_of(clg_text *t, const clg_slow_group *s) {
    enum { SHOWN = 8 };
    clg_text words = {.arena = t->arena};
    for (int i = 0; i < s->ranks && i < SHOWN; i++)
        clg_text_print(&words, "%s%d", i ? "," : "", s->rank[i]);
    if (s->ranks > SHOWN) clg_text_print(&words, "...");
    return words.data ? words.data : "?";
}

void clg_report_slow_groups(clg_text *t, const clg_slow_groups *groups, int top) {
    if (groups->count == 0) return;
    clg_text_print(t, "\n  slow group            size  count    transfer   elsewhere\n");
    for (int i = 0; i < groups->count && i < top; i++) {
        const clg_slow_group *s = &groups->group[i];
        clg_text_print(t, "  %-15s", clg_name_of(clg_operation_names, (int)s->example->operation));
        clg_text_pad(t, clg_words_known(t, (double)s->example->bytes, CLG_BYTES), 11, true);
        clg_text_print(t, " %6d", s->count);
        clg_text_pad(t, clg_words_ns(t, s->transfer_ns), 12, true);
        clg_text_pad(t, clg_words_ns(t, s->usual_ns), 12, true);
        clg_text_print(t, "  %.2f x, ranks %s\n", (double)s->transfer_ns / (double)s->usual_ns,
                       ranks_of(t, s));
    }
}

/* ---- JSON ---- */

void clg_json_slow_groups(clg_json_writer *w, const clg_slow_groups *groups) {
    clg_json_open(w, "slow_groups", '[');
    for (int i = 0; i < groups->count; i++) {
        const clg_slow_group *s = &groups->group[i];
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "group", s->example->group);
        clg_json_add_string(w, "operation",
                            clg_name_of(clg_operation_names, (int)s->example->operation));
        clg_json_add_integer(w, "bytes", s->example->bytes);
        clg_json_add_integer(w, "count", s->count);
        clg_json_add_nanoseconds(w, "transfer_s", s->transfer_ns);
        clg_json_add_nanoseconds(w, "usual_transfer_s", s->usual_ns);
        clg_json_open(w, "ranks", '[');
        for (int k = 0; k < s->ranks; k++) clg_json_add_integer(w, NULL, s->rank[k]);
        clg_json_close(w, ']');
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}

static void add_causes(clg_json_writer *w, const clg_root *r) {
    clg_json_open(w, "causes", '[');
    for (int k = 0; k < CLG_CAUSES; k++) {
        if (r->cause_ns[k] == 0) continue;
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "cause", clg_name_of(clg_cause_names, k));
        clg_json_add_nanoseconds(w, "waited_s", r->cause_ns[k]);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}

void clg_json_roots(clg_json_writer *w, const clg_trace_answer *a) {
    clg_json_open(w, "roots", '[');
    for (int i = 0; i < a->roots.count; i++) {
        const clg_root *r = &a->roots.root[i];
        clg_json_open(w, NULL, '{');
        clg_json_add_integer(w, "rank", a->job->traces[r->trace].rank);
        clg_json_add_nanoseconds(w, "caused_wait_s", r->waited_ns);
        clg_json_add_string(w, "cause", clg_name_of(clg_cause_names, (int)clg_root_cause(r)));
        clg_json_add_string(w, "evidence", evidence(w->text, a->job, r));
        add_causes(w, r);
        clg_json_add_known(w, "kernel_ratio", r->kernel_ratio);
        clg_json_add_known(w, "slow_share", r->slow_share);
        clg_json_add_string(w, "slowest_kernel", slow(r) ? r->kernel : NULL);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}
