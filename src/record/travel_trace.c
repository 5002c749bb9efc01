/* travel_trace.c -- the fields of a trace. */
#include "record/travel_fields.h"

#include "record/captured.h"
#include "record/phases.h"
#include "record/split.h"

static void walk_ledger(clg_parcel *p, clg_ledger *l) {
    int64_t *fields[] = {
        &l->start_ns,        &l->span_ns, &l->compute_ns,       &l->exposed_communication_ns,
        &l->exposed_copy_ns, &l->idle_ns, &l->communication_ns, &l->overlapped_communication_ns};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) any(p, fields[i]);
}

static void walk_names(clg_parcel *p, clg_timeline *t) {
    size_t count = t->name_count;
    t->names = clg_parcel_array(p, t->names, &count, sizeof *t->names, 1);
    for (size_t i = 0; i < count; i++) text(p, &t->names[i]);
    t->name_count = t->name_capacity = (uint32_t)count;
}

/* All are of the trace's rank. */
static void walk_tracks(clg_parcel *p, clg_timeline *t, int32_t rank) {
    size_t count = t->track_count;
    t->tracks = clg_parcel_array(p, t->tracks, &count, sizeof *t->tracks, 1);
    for (size_t i = 0; i < count; i++) {
        text(p, &t->tracks[i].name);
        t->tracks[i].rank = rank;
    }
    if (count > UINT16_MAX) clg_parcel_break(p, "more tracks than events can name");
    t->track_count = t->track_capacity = (uint32_t)count;
}

/* Recorded work has no pass and no micro-batch. Starts are written from one to the next. */
static void walk_events(clg_parcel *p, clg_timeline *t) {
    size_t count = t->count;
    int64_t before_ns = 0;
    t->events = clg_parcel_array(p, t->events, &count, sizeof *t->events, 6);
    for (size_t i = 0; i < count; i++) {
        clg_event *e = &t->events[i];
        before_ns = e->start_ns = clg_parcel_near(p, e->start_ns, before_ns);
        any(p, &e->duration_ns);
        e->name = one_of(p, e->name, t->name_count);
        e->track = (uint16_t)one_of(p, e->track, t->track_count);
        small(p, &e->work, CLG_WORK_NONE + 1);
        any32(p, &e->detail);
        e->micro_batch = -1;
    }
    t->count = t->capacity = count;
}

static void walk_kernels(clg_parcel *p, clg_trace *t) {
    size_t count = t->timeline.name_count;
    t->kernels = clg_parcel_array(p, t->kernels, &count, sizeof *t->kernels, 14);
    if (count != t->timeline.name_count) clg_parcel_break(p, "kernels without names");
    for (size_t i = 0; i < count; i++) {
        clg_trace_kernel *k = &t->kernels[i];
        any(p, &k->total_ns);
        any(p, &k->count);
        k->work = (clg_work)one_of(p, k->work, CLG_WORK_NONE + 1);
        flag(p, &k->suspicious);
        flag(p, &k->product);
        number(p, &k->flop);
        any(p, &k->flop_ns);
        small(p, &k->precision, CLG_PRECISIONS);
    }
}

/* Groups keep their numbers; what is no text of its own would shift them. */
static void walk_groups(clg_parcel *p, clg_intern *groups) {
    size_t count = clg_parcel_count(p, groups->count, 1);
    for (size_t i = 0; i < count; i++) {
        const char *own = p->out ? groups->texts[i] : NULL;
        text(p, &own);
        if (p->out) continue;
        if (clg_intern_keep(groups, (clg_slice){own, strlen(own)}) == i) continue;
        clg_parcel_break(p, "a group twice");
        return;
    }
}

static void walk_description(clg_parcel *p, clg_trace_description *d, size_t groups) {
    operation(p, &d->operation);
    flag(p, &d->grouped);
    d->group = one_of(p, d->group, groups);
    d->group_name = one_of(p, d->group_name, groups);
    small(p, &d->axis, CLG_SPLITS);
    any(p, &d->bytes);
    any(p, &d->group_size);
    any(p, &d->sequence);
    any32(p, &d->source);
    any32(p, &d->target);
}

/* A call has the times and the launch of its event; what matching fills is not known yet. */
static void walk_calls(clg_parcel *p, clg_trace *t) {
    size_t count = t->call_count;
    t->calls = clg_parcel_array(p, t->calls, &count, sizeof *t->calls, 10);
    for (size_t i = 0; i < count; i++) {
        clg_trace_call *c = &t->calls[i];
        c->event = one_of(p, c->event, t->timeline.count);
        c->name = one_of(p, c->name, t->timeline.name_count);
        walk_description(p, &c->what, t->groups.count);
        if (p->out || p->broken) continue;
        const clg_event *e = &t->timeline.events[c->event];
        c->start_ns = e->start_ns;
        c->duration_ns = e->duration_ns;
        c->correlation = e->detail;
        c->instance = -1;
        c->transfer_ns = -1;
    }
    t->call_count = t->call_capacity = count;
}

static void walk_products(clg_parcel *p, clg_trace *t) {
    size_t count = t->product_count;
    t->product = clg_parcel_array(p, t->product, &count, sizeof *t->product, 6);
    for (size_t i = 0; i < count; i++) {
        clg_product *x = &t->product[i];
        int64_t *fields[] = {&x->batch, &x->m, &x->n, &x->k, &x->kernel_ns};
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) any(p, fields[k]);
        small(p, &x->precision, CLG_PRECISIONS);
    }
    t->product_count = count;
    for (int i = 0; i < CLG_PRECISIONS; i++) number(p, &t->flop[i]);
    any(p, &t->product_ns);
    any(p, &t->priced_ns);
}

static void walk_steps(clg_parcel *p, clg_trace *t) {
    size_t count = t->step_count;
    any(p, &t->steps);
    any(p, &t->steps_ns);
    t->step = clg_parcel_array(p, t->step, &count, sizeof *t->step, 13);
    for (size_t i = 0; i < count; i++) {
        clg_trace_step *s = &t->step[i];
        int64_t *fields[] = {&s->number, &s->start_ns, &s->duration_ns, &s->events, &s->unlaunched};
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) any(p, fields[k]);
        walk_ledger(p, &s->ledger);
    }
    t->step_count = t->step_capacity = count;
}

/* Of events: the step, and when the launch began; each for all or for none. */
static void walk_sides(clg_parcel *p, clg_trace *t) {
    size_t count = t->timeline.count;
    bool stepped = clg_parcel_flag(p, t->event_step != NULL);
    if (stepped && !p->out) t->event_step = clg_take(p->arena, count, int32_t);
    for (size_t i = 0; stepped && i < count; i++)
        t->event_step[i] =
            (int32_t)clg_parcel_integer(p, t->event_step[i], -1, (int64_t)t->step_count - 1);
    bool launched = clg_parcel_flag(p, t->launch_ns != NULL);
    if (launched && !p->out) t->launch_ns = clg_take(p->arena, count, int64_t);
    for (size_t i = 0; launched && i < count; i++)
        t->launch_ns[i] = clg_parcel_near(p, t->launch_ns[i], t->timeline.events[i].start_ns);
}

static void walk_host(clg_parcel *p, clg_trace *t) {
    size_t count = t->stretch_count;
    int64_t before_ns = 0;
    t->stretch = clg_parcel_array(p, t->stretch, &count, sizeof *t->stretch, 3);
    for (size_t i = 0; i < count; i++) {
        clg_stretch *s = &t->stretch[i];
        before_ns = s->start_ns = clg_parcel_near(p, s->start_ns, before_ns);
        any(p, &s->duration_ns);
        small(p, &s->work, CLG_HOST_ALLOCATOR + 1);
    }
    t->stretch_count = t->stretch_capacity = count;
}

static void walk_damage(clg_parcel *p, clg_trace *t) {
    any(p, &t->events_read);
    any(p, &t->events_lost);
    flag(p, &t->damaged);
    t->damages = (int)clg_parcel_integer(p, t->damages, 0, CLG_TRACE_DAMAGES);
    for (int i = 0; i < t->damages; i++) {
        any(p, &t->damage[i].byte);
        any(p, &t->damage[i].lost);
        text(p, &t->damage[i].reason);
    }
}

void clg_walk_trace(clg_parcel *p, const char *path, clg_trace *t) {
    if (!p->out) *t = (clg_trace){.timeline.arena = p->arena, .groups.arena = p->arena};
    t->file = file(p, path, t->file);
    text_or_null(p, &t->gpu);
    text_or_null(p, &t->host);
    any32(p, &t->rank);
    any32(p, &t->world_size);
    any32(p, &t->device);
    walk_ledger(p, &t->ledger);
    int64_t *times[] = {&t->elsewhere, &t->idle_loading_ns, &t->idle_allocator_ns,
                        &t->idle_launch_ns, &t->loading_ns};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) any(p, times[i]);
    walk_names(p, &t->timeline);
    walk_tracks(p, &t->timeline, t->rank);
    walk_events(p, &t->timeline);
    walk_kernels(p, t);
    walk_groups(p, &t->groups);
    walk_calls(p, t);
    walk_products(p, t);
    walk_steps(p, t);
    walk_sides(p, t);
    walk_host(p, t);
    walk_damage(p, t);
    clg_walk_use(p, path, &t->memory);
    clg_walk_phases(p, t);
    clg_walk_captured(p, t);
}
