/* trace_stages.c -- what stragglers of a pipeline job cost, for people and as JSON. */
#include "report_recorded/trace_report.h"

#include "units/units.h"

#include <string.h>

static const char *seconds(clg_text *t, double value_s) {
    char out[48];
    clg_quantity_print(value_s, CLG_SECONDS, 4, out, sizeof out);
    return clg_arena_copy(t->arena, out, strlen(out));
}

static double slowdown(const clg_stages *s, double step_s) {
    return s->even_s > 0 ? step_s / s->even_s : 0;
}

/* Of the time that stragglers cost, what repairing some of them gives back. */
static double given_back(const clg_stages *s, double repaired_s) {
    double lost_s = s->prompt_s - s->even_s;
    return lost_s != 0 ? (s->prompt_s - repaired_s) / lost_s : 0;
}

static void print_line(clg_text *t, const clg_stages *s, const char *what, double step_s) {
    clg_text_print(t, "  ");
    clg_text_pad(t, what, 44, false);
    clg_text_pad(t, seconds(t, step_s), 10, true);
    clg_text_print(t, "  %6.4f x\n", slowdown(s, step_s));
}

static void print_each(clg_text *t, const clg_stages *s, const char *what, const double *step_s,
                       int count, int top) {
    for (int i = 0; step_s && i < count && i < top; i++)
        print_line(t, s, clg_arena_print(t->arena, "only %s %d as it was", what, i), step_s[i]);
    if (step_s && count > top)
        clg_text_print(t, "  ... and %d more: --json has all\n", count - top);
}

static void print_replay(clg_text *t, const clg_stages *s, int top) {
    print_line(t, s, "step as recorded", s->recorded_s);
    print_line(t, s, "no launch late", s->prompt_s);
    print_line(t, s, "no stragglers either", s->even_s);
    print_each(t, s, "replica", s->replica_s, s->replicas, top);
    print_each(t, s, "stage", s->stage_s, s->stages, top);
    for (int i = 0; i < CLG_STAGE_KINDS; i++)
        if (slowdown(s, s->kind_s[i]) > 1.001)
            print_line(t, s,
                       clg_arena_print(t->arena, "only %s as it was",
                                       clg_name_of(clg_stage_kind_names, i)),
                       s->kind_s[i]);
    clg_text_print(t, "  stragglers make the job %.4f times as long\n", slowdown(s, s->prompt_s));
    if (s->prompt_s > 1.001 * s->even_s) {
        if (s->worst_replica >= 0)
            clg_text_print(t, "  repairing replica %d, stage %d gives back %.1f %% of that\n",
                           s->worst_replica, s->worst_stage,
                           100 * given_back(s, s->without_worst_s));
        clg_text_print(t, "  repairing stage %d everywhere gives back %.1f %%\n", s->worst_stage,
                       100 * given_back(s, s->without_stage_s[s->worst_stage]));
    }
}

void clg_report_operations(clg_text *t, const clg_stages_list *list, int top) {
    for (size_t i = 0; i < list->count; i++) {
        const clg_stages *s = &list->file[i];
        clg_text_print(t, "\n%.80s\n  operation timeline: %d steps of %d replicas x %d stages, ",
                       s->file, s->steps, s->replicas, s->stages);
        clg_text_print(t, "%zu operations\n", s->count);
        if (s->others > 0)
            clg_text_print(t, "  %lld operations of other kinds are left out\n",
                           (long long)s->others);
        if (s->unknown)
            clg_text_print(t, "  not replayed: %s\n", s->unknown);
        else
            print_replay(t, s, top);
    }
}

static void add_list(clg_json_writer *w, const char *key, const double *list, int count) {
    if (!list) {
        clg_json_add_null(w, key);
        return;
    }
    clg_json_open(w, key, '[');
    for (int i = 0; i < count; i++) clg_json_add_number(w, NULL, list[i]);
    clg_json_close(w, ']');
}

static void add_replay(clg_json_writer *w, const clg_stages *s) {
    clg_json_add_number(w, "recorded_step_s", s->recorded_s);
    clg_json_add_number(w, "without_launch_delays_s", s->prompt_s);
    clg_json_add_number(w, "without_stragglers_s", s->even_s);
    clg_json_add_number(w, "slowdown", slowdown(s, s->prompt_s));
    clg_json_add_number(w, "launch_slowdown", s->prompt_s > 0 ? s->recorded_s / s->prompt_s : 0);
    add_list(w, "only_replica_s", s->replica_s, s->replicas);
    add_list(w, "only_stage_s", s->stage_s, s->stages);
    add_list(w, "without_stage_s", s->without_stage_s, s->stages);
    clg_json_open(w, "only_kind_s", '{');
    for (int i = 0; i < CLG_STAGE_KINDS; i++)
        if (s->kind_s[i] > 0)
            clg_json_add_number(w, clg_name_of(clg_stage_kind_names, i), s->kind_s[i]);
    clg_json_close(w, '}');
    clg_json_open(w, "worst_worker", '{');
    clg_json_add_integer(w, "replica", s->worst_replica);
    clg_json_add_integer(w, "stage", s->worst_stage);
    clg_json_add_number(w, "repaired_step_s", s->without_worst_s);
    clg_json_add_number(w, "share_of_slowdown", given_back(s, s->without_worst_s));
    clg_json_close(w, '}');
}

void clg_json_stages(clg_json_writer *w, const clg_stages_list *list) {
    clg_json_open(w, "operation_timelines", '[');
    for (size_t i = 0; i < list->count; i++) {
        const clg_stages *s = &list->file[i];
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "file", s->file);
        clg_json_add_integer(w, "steps", s->steps);
        clg_json_add_integer(w, "replicas", s->replicas);
        clg_json_add_integer(w, "stages", s->stages);
        clg_json_add_integer(w, "operations", (int64_t)s->count);
        clg_json_add_integer(w, "operations_left_out", s->others);
        clg_json_add_string(w, "not_replayed", s->unknown);
        if (!s->unknown) add_replay(w, s);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}
