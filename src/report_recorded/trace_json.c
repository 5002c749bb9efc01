/* trace_json.c -- recordings of a job as JSON. */
#include "report_recorded/trace_report.h"

static void add_known_ns(clg_json_writer *w, const char *key, int64_t ns, bool known) {
    if (known)
        clg_json_add_nanoseconds(w, key, ns);
    else
        clg_json_add_null(w, key);
}

static void add_damage(clg_json_writer *w, const clg_trace *t) {
    clg_json_open(w, "damage", '[');
    for (int i = 0; i < t->damages; i++) {
        clg_json_open(w, NULL, '{');
        clg_json_add_integer(w, "byte", t->damage[i].byte);
        clg_json_add_integer(w, "events_lost", t->damage[i].lost);
        clg_json_add_string(w, "reason", t->damage[i].reason);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}

static void add_ledger(clg_json_writer *w, const clg_ledger *l) {
    clg_json_add_nanoseconds(w, "span_s", l->span_ns);
    clg_json_add_nanoseconds(w, "compute_s", l->compute_ns);
    clg_json_add_nanoseconds(w, "exposed_communication_s", l->exposed_communication_ns);
    clg_json_add_nanoseconds(w, "exposed_copy_s", l->exposed_copy_ns);
    clg_json_add_nanoseconds(w, "idle_s", l->idle_ns);
    clg_json_add_nanoseconds(w, "communication_s", l->communication_ns);
    clg_json_add_nanoseconds(w, "overlapped_communication_s", l->overlapped_communication_ns);
}

static void add_steps(clg_json_writer *w, const clg_trace *t) {
    clg_json_open(w, "step_ledgers", '[');
    for (size_t i = 0; t->event_step && i < t->step_count; i++) {
        const clg_trace_step *s = &t->step[i];
        clg_json_open(w, NULL, '{');
        clg_json_add_whole(w, "step", s->number);
        clg_json_add_nanoseconds(w, "step_s", s->duration_ns);
        add_ledger(w, &s->ledger);
        clg_json_add_integer(w, "events", s->events);
        clg_json_add_integer(w, "events_without_launch", s->unlaunched);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}

/* Exposed communication, whole: transfer and waiting are its parts where they are told apart. */
static void add_axes(clg_json_writer *w, const clg_axis_time *axes) {
    clg_json_open(w, "axes", '[');
    for (int i = 0; i < CLG_SPLITS; i++) {
        const clg_axis_time *a = &axes[(i + 1) % CLG_SPLITS]; /* the unknown last */
        if (a->calls == 0) continue;
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "axis", clg_name_of(clg_split_names, (i + 1) % CLG_SPLITS));
        add_known_ns(w, "transfer_s", a->transfer_ns, a->transfer_ns >= 0);
        add_known_ns(w, "waiting_s", a->waiting_ns, a->waiting_ns >= 0);
        clg_json_add_nanoseconds(w, "exposed_s", a->exposed_ns);
        clg_json_add_integer(w, "calls", a->calls);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}

static void add_rank(clg_json_writer *w, const clg_recorded_job *job, int index) {
    const clg_trace *t = &job->traces[index];
    int64_t waiting_ns = job->waiting_ns[index];
    clg_json_open(w, NULL, '{');
    clg_json_add_whole(w, "rank", t->rank);
    clg_json_add_string(w, "file", t->file);
    clg_json_add_string(w, "gpu", t->gpu);
    clg_json_add_whole(w, "device", t->device);
    add_ledger(w, &t->ledger);
    clg_json_add_integer(w, "events", (int64_t)t->timeline.count);
    clg_json_add_integer(w, "events_lost", t->events_lost);
    clg_json_add_integer(w, "events_elsewhere", t->elsewhere);
    clg_json_add_integer(w, "events_read", t->events_read);
    clg_json_add_integer(w, "communication_events", (int64_t)t->call_count);
    clg_json_add_whole(w, "world_size", t->world_size > 0 ? t->world_size : -1);
    int64_t transfer_ns = t->ledger.exposed_communication_ns - waiting_ns;
    add_known_ns(w, "exposed_waiting_s", waiting_ns, waiting_ns >= 0);
    add_known_ns(w, "exposed_transfer_s", transfer_ns, waiting_ns >= 0);
    add_axes(w, job->axis[index]);
    clg_json_add_nanoseconds(w, "own_compute_s", t->ledger.compute_ns);
    int64_t other_ns =
        t->ledger.idle_ns - t->idle_loading_ns - t->idle_allocator_ns - t->idle_launch_ns;
    bool split = t->idle_launch_ns >= 0;
    add_known_ns(w, "idle_data_loading_s", t->idle_loading_ns, split);
    add_known_ns(w, "idle_allocator_s", t->idle_allocator_ns, split);
    add_known_ns(w, "idle_launch_s", t->idle_launch_ns, split);
    add_known_ns(w, "idle_other_s", other_ns, split);
    clg_json_add_nanoseconds(w, "data_loader_s", t->loading_ns);
    clg_json_add_integer(w, "steps", t->steps);
    add_known_ns(w, "mean_step_s", t->steps ? t->steps_ns / t->steps : 0, t->steps > 0);
    add_steps(w, t);
    clg_json_phases(w, t);
    clg_trace_rate rate = clg_trace_rate_of(t);
    clg_json_add_known(w, "product_flop", rate.flop);
    clg_json_add_known(w, "product_flop_per_s", rate.flop_per_s);
    clg_json_add_known(w, "mfu_of_shapes", rate.utilization);
    clg_json_add_nanoseconds(w, "product_s", t->product_ns);
    clg_json_add_known(w, "priced_share", rate.priced);
    clg_json_add_bool(w, "damaged", t->damaged);
    add_damage(w, t);
    clg_json_close(w, '}');
}

static void add_collective(clg_json_writer *w, const clg_recorded_job *job,
                           const clg_trace_collective *c) {
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "group", c->group);
    clg_json_add_integer(w, "sequence", c->sequence);
    clg_json_add_string(w, "name", c->name);
    clg_json_add_whole(w, "bytes", c->bytes);
    clg_json_add_integer(w, "ranks", c->ranks);
    bool measured = c->transfer_ns >= 0;
    add_known_ns(w, "transfer_s", c->transfer_ns, measured);
    add_known_ns(w, "skew_s", c->skew_ns, measured);
    clg_json_add_whole(w, "last_rank", measured ? job->traces[c->last].rank : -1);
    clg_json_add_whole(w, "bus_bytes_per_s", c->bus_bytes_per_s);
    clg_json_add_string(w, "operation",
                        c->operation ? clg_name_of(clg_operation_names, (int)c->operation) : NULL);
    clg_json_add_whole(w, "group_size", c->group_size > 0 ? c->group_size : -1);
    clg_json_close(w, '}');
}

/* What nccl-tests measured has the shape of a collective whose ranks arrive together. */
static void add_benchmark(clg_json_writer *w, const clg_nccl_row *r, int64_t sequence) {
    const char *operation =
        r->operation ? clg_name_of(clg_operation_names, (int)r->operation) : NULL;
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "group", r->file);
    clg_json_add_integer(w, "sequence", sequence);
    clg_json_add_string(w, "name", "nccl-tests");
    clg_json_add_integer(w, "bytes", r->bytes);
    clg_json_add_whole(w, "ranks", r->ranks > 0 ? r->ranks : -1);
    clg_json_add_number(w, "transfer_s", r->time_s);
    clg_json_add_null(w, "skew_s");
    clg_json_add_null(w, "last_rank");
    clg_json_add_number(w, "bus_bytes_per_s", r->bus_bytes_per_s);
    clg_json_add_string(w, "operation", operation);
    clg_json_add_whole(w, "group_size", r->ranks > 0 ? r->ranks : -1);
    clg_json_add_number(w, "algorithm_bytes_per_s", r->algorithm_bytes_per_s);
    clg_json_add_bool(w, "in_place", r->in_place);
    clg_json_add_whole(w, "wrong", r->wrong);
    clg_json_close(w, '}');
}

static void add_collectives(clg_json_writer *w, const clg_recorded_job *job) {
    const clg_nccl_rows *b = &job->benchmarks;
    clg_json_open(w, "collectives", '[');
    for (int i = 0; i < job->collective_count; i++) add_collective(w, job, &job->collectives[i]);
    for (size_t i = 0, first = 0; i < b->count; i++) {
        if (b->row[i].file != b->row[first].file) first = i;
        add_benchmark(w, &b->row[i], (int64_t)(i - first));
    }
    clg_json_close(w, ']');
}

static void add_stragglers(clg_json_writer *w, const clg_recorded_job *job) {
    clg_json_open(w, "stragglers", '[');
    for (int i = 0; i < job->straggler_count; i++) {
        const clg_straggler *s = &job->stragglers[i];
        clg_json_open(w, NULL, '{');
        clg_json_add_integer(w, "rank", job->traces[s->trace].rank);
        clg_json_add_integer(w, "last_arrivals", s->last_arrivals);
        clg_json_add_nanoseconds(w, "caused_wait_s", s->caused_wait_ns);
        clg_json_add_nanoseconds(w, "caused_skew_s", s->caused_skew_ns);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}

static void add_skipped(clg_json_writer *w, const clg_trace_skipped *skipped, int count) {
    clg_json_open(w, "skipped", '[');
    for (int i = 0; i < count; i++) {
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "file", skipped[i].file);
        clg_json_add_string(w, "reason", skipped[i].reason);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}

static void add_job(clg_json_writer *w, const char *key, const clg_trace_answer *a) {
    const clg_recorded_job *job = a->job;
    clg_json_open(w, key, '{');
    clg_json_add_string(w, "kind", "trace");
    clg_json_open(w, "ranks", '[');
    for (int i = 0; i < job->count; i++) add_rank(w, job, i);
    clg_json_close(w, ']');
    add_collectives(w, job);
    add_stragglers(w, job);
    clg_json_roots(w, a);
    clg_json_slow_groups(w, &a->slow_groups);
    clg_json_open(w, "clock_offsets_s", '[');
    for (int i = 0; i < job->count; i++) clg_json_add_nanoseconds(w, NULL, job->offset_ns[i]);
    clg_json_close(w, ']');
    clg_json_add_string(w, "unmatched", job->unmatched);
    clg_json_add_integer(w, "mismatched", job->mismatched);
    clg_json_train_logs(w, &job->logs);
    clg_json_stages(w, &job->stages);
    clg_json_executions(w, &job->executions);
    clg_json_held(w, job);
    clg_json_what_if(w, a);
    clg_json_plan_terms(w, a->plan);
    clg_json_kernels(w, job);
    clg_json_strips(w, job);
    add_skipped(w, a->skipped, a->skipped_count);
    clg_json_close(w, '}');
}

/* Beside another run the job is a part of the answer. */
void clg_json_trace(clg_json_writer *w, const clg_trace_answer *a) {
    if (!a->against) {
        add_job(w, NULL, a);
        return;
    }
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "kind", "trace-against");
    clg_json_against(w, a->against);
    add_job(w, "trace", a);
    clg_json_close(w, '}');
}
