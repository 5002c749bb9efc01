/* travel.c -- the fields of logs, operation timelines, executions and memory. */
#include "record/travel_fields.h"

void clg_walk_nccl_rows(clg_parcel *p, const char *path, clg_nccl_rows *rows) {
    rows->row = clg_parcel_array(p, rows->row, &rows->count, sizeof *rows->row, 30);
    for (size_t i = 0; i < rows->count; i++) {
        clg_nccl_row *r = &rows->row[i];
        r->file = file(p, path, r->file);
        operation(p, &r->operation);
        flag(p, &r->in_place);
        any(p, &r->bytes);
        any32(p, &r->ranks);
        number(p, &r->time_s);
        number(p, &r->algorithm_bytes_per_s);
        number(p, &r->bus_bytes_per_s);
        any(p, &r->wrong);
    }
    rows->capacity = rows->count;
}

void clg_walk_train_logs(clg_parcel *p, const char *path, clg_train_logs *logs) {
    logs->log = clg_parcel_array(p, logs->log, &logs->count, sizeof *logs->log, 95);
    for (size_t i = 0; i < logs->count; i++) {
        clg_train_log *l = &logs->log[i];
        l->file = file(p, path, l->file);
        text(p, &l->trainer);
        text(p, &l->format);
        int64_t *whole[] = {&l->first_step, &l->last_step, &l->gpus,
                            &l->batch,      &l->seq,       &l->change_step};
        double *real[] = {&l->step_p10_s,
                          &l->step_median_s,
                          &l->step_p90_s,
                          &l->tokens_per_s,
                          &l->tokens_per_s_per_gpu,
                          &l->flop_per_s_per_gpu,
                          &l->memory_bytes,
                          &l->drift,
                          &l->before_s,
                          &l->after_s};
        for (size_t k = 0; k < sizeof whole / sizeof *whole; k++) any(p, whole[k]);
        for (size_t k = 0; k < sizeof real / sizeof *real; k++) number(p, real[k]);
        any32(p, &l->steps);
        any32(p, &l->discarded);
        any32(p, &l->restarts);
        flag(p, &l->by_clock);
        flag(p, &l->memory_reserved);
        text_or_null(p, &l->ended);
    }
    logs->capacity = logs->count;
}

/* ---- operation timelines ---- */

static void walk_list(clg_parcel *p, double **list, int32_t count) {
    size_t elements = (size_t)count;
    if (!clg_parcel_flag(p, *list != NULL)) return;
    *list = clg_parcel_array(p, *list, &elements, sizeof **list, 8);
    if (elements != (size_t)count) clg_parcel_break(p, "a list of another length");
    for (size_t i = 0; i < elements; i++) number(p, &(*list)[i]);
}

static void walk_replay(clg_parcel *p, clg_stages *s) {
    number(p, &s->recorded_s);
    number(p, &s->prompt_s);
    number(p, &s->even_s);
    number(p, &s->without_worst_s);
    for (int i = 0; i < CLG_STAGE_KINDS; i++) number(p, &s->kind_s[i]);
    walk_list(p, &s->replica_s, s->replicas);
    walk_list(p, &s->stage_s, s->stages);
    walk_list(p, &s->without_stage_s, s->stages);
    s->worst_replica = (int)clg_parcel_integer(p, s->worst_replica, -1, INT32_MAX);
    s->worst_stage = (int)clg_parcel_integer(p, s->worst_stage, 0, INT32_MAX);
    if (!s->unknown && (!s->without_stage_s || s->worst_stage >= s->stages))
        clg_parcel_break(p, "a replay without stages");
}

void clg_walk_stages(clg_parcel *p, const char *path, clg_stages_list *list) {
    list->file = clg_parcel_array(p, list->file, &list->count, sizeof *list->file, 150);
    for (size_t i = 0; i < list->count; i++) {
        clg_stages *s = &list->file[i];
        s->file = file(p, path, s->file);
        s->count = (size_t)clg_parcel_integer(p, (int64_t)s->count, 0, INT64_MAX);
        any(p, &s->others);
        s->steps = (int)clg_parcel_integer(p, s->steps, 0, INT32_MAX);
        s->replicas = (int)clg_parcel_integer(p, s->replicas, 0, INT32_MAX);
        s->stages = (int)clg_parcel_integer(p, s->stages, 0, INT32_MAX);
        text_or_null(p, &s->unknown);
        walk_replay(p, s);
    }
    list->capacity = list->count;
}

static void walk_execution_calls(clg_parcel *p, clg_execution *x) {
    x->call = clg_parcel_array(p, x->call, &x->calls, sizeof *x->call, 5);
    for (size_t i = 0; i < x->calls; i++) {
        clg_execution_call *c = &x->call[i];
        operation(p, &c->operation);
        any(p, &c->bytes);
        any(p, &c->group_size);
        any(p, &c->duration_ns);
        text_or_null(p, &c->group);
    }
    x->capacity = x->calls;
}

void clg_walk_executions(clg_parcel *p, const char *path, clg_executions *list) {
    list->file = clg_parcel_array(p, list->file, &list->count, sizeof *list->file, 9);
    for (size_t i = 0; i < list->count; i++) {
        clg_execution *x = &list->file[i];
        x->file = file(p, path, x->file);
        text(p, &x->format);
        any32(p, &x->rank);
        int64_t *fields[] = {&x->nodes, &x->communications, &x->compute_ns, &x->communication_ns};
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) any(p, fields[k]);
        flag(p, &x->damaged);
        walk_execution_calls(p, x);
    }
    list->capacity = list->count;
}

void clg_walk_use(clg_parcel *p, const char *path, clg_memory_use *u) {
    bool known = u->file != NULL;
    flag(p, &known);
    if (!known) return;
    u->file = file(p, path, u->file);
    any32(p, &u->rank);
    int64_t *fields[] = {&u->changes,        &u->least_bytes, &u->peak_bytes,
                         &u->reserved_bytes, &u->span_ns,     &u->peak_ns,
                         &u->refused_bytes,  &u->free_bytes,  &u->left_out};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) any(p, fields[i]);
    flag(p, &u->kinds);
    for (int i = 0; i < CLG_HELD_KINDS; i++) any(p, &u->at_peak[i]);
    for (int i = 0; i < CLG_MEMORY_BINS; i++) any(p, &u->bin[i]);
    u->sites = (int)clg_parcel_integer(p, u->sites, 0, CLG_MEMORY_SITES);
    for (int i = 0; i < u->sites; i++) {
        text(p, &u->site[i].where);
        any(p, &u->site[i].bytes);
    }
}

void clg_walk_memory(clg_parcel *p, const char *path, clg_memory_uses *list) {
    list->use = clg_parcel_array(p, list->use, &list->count, sizeof *list->use, 50);
    for (size_t i = 0; i < list->count; i++) clg_walk_use(p, path, &list->use[i]);
    list->capacity = list->count;
}
