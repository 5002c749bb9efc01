/* plan.c -- predicted and measured terms side by side. */
#include "trace/plan.h"

#include "base/json.h"

typedef struct source {
    const char *file;
    const clg_json *object;
    clg_error *error;
} source;

static bool take(const source *s, const char *key, double *out) {
    return clg_json_number(s->object, key, out, s->file, s->error) == CLG_OK;
}

static bool read_time(clg_time_ledger *t, source s) {
    for (int i = 0; i < CLG_LEDGER_TERMS; i++)
        if (!take(&s, clg_ledger_terms[i].key, &t->term_s[i])) return false;
    return true;
}

static bool read_memory(clg_memory_ledger *m, source s) {
    for (int i = 0; i < CLG_MEMORY_PARTS; i++)
        if (!take(&s, clg_memory_parts[i].key, &m->part_bytes[i])) return false;
    return take(&s, "total_bytes", &m->total_bytes);
}

static bool read_degrees(clg_trace_plan *p, source s) {
    static const char *const keys[CLG_SPLITS] = {NULL, "tp", "cp", "ep", "dp", "pp"};
    for (int i = 1; i < CLG_SPLITS; i++)
        if (clg_json_integer(s.object, keys[i], 0, &p->degrees.of[i], s.file, s.error) != CLG_OK)
            return false;
    return true;
}

/* The object of an explanation: the answer itself, or the best plan of a search. */
static const clg_json *explanation(const clg_json *root) {
    const clg_json *best = clg_json_member(root, "best");
    return best ? best : root;
}

clg_status clg_trace_plan_read(clg_arena *arena, const char *file, const char *text, size_t size,
                               clg_trace_plan *plan, clg_error *error) {
    clg_json *root;
    *plan = (clg_trace_plan){.file = file};
    if (clg_json_parse(arena, file, text, size, &root, error) != CLG_OK) return CLG_BAD_INPUT;
    source s = {file, explanation(root), error}, time = s, layout = s, machine = s, model = s,
           memory = s;
    time.object = clg_json_member(s.object, "time");
    layout.object = clg_json_member(s.object, "layout");
    machine.object = clg_json_member(s.object, "machine");
    model.object = clg_json_member(s.object, "model");
    memory.object = clg_json_member(s.object, "memory");
    if (!time.object || time.object->kind != CLG_JSON_OBJECT) {
        clg_error_at(error, file, 1, 1, "time");
        return clg_fail(error, CLG_BAD_INPUT, "give what 'ceiling explain --json' printed",
                        "no plan is in it");
    }
    bool read = take(&s, "step_s", &plan->step_s) && take(&s, "mfu", &plan->mfu) &&
                read_time(&plan->time, time) && read_degrees(plan, layout) &&
                read_memory(&plan->memory, memory) &&
                clg_json_integer(machine.object, "gpus", 0, &plan->gpus, file, error) == CLG_OK &&
                clg_json_string(machine.object, "gpu", NULL, &plan->gpu, file, error) == CLG_OK &&
                clg_json_string(model.object, "name", NULL, &plan->model, file, error) == CLG_OK;
    return read ? CLG_OK : error->status;
}

static void add(clg_plan_comparison *c, const char *name, double predicted_s, double measured_s) {
    if (predicted_s != 0 || measured_s != 0)
        c->term[c->terms++] = (clg_plan_term){name, predicted_s, measured_s};
}

static void find_worst(clg_plan_comparison *c) {
    double most_s = 0;
    c->worst = -1;
    for (int i = 0; i < c->terms; i++) {
        double lost_s = c->term[i].measured_s - c->term[i].predicted_s;
        if (lost_s > most_s) {
            most_s = lost_s;
            c->worst = i;
        }
    }
}

/* A log tells the step and no more: the median of its reports. */
static clg_plan_comparison compare_log(const clg_trace_plan *p, const clg_train_log *log) {
    clg_plan_comparison c = {.plan = *p, .measured_mfu = -1, .worst = -1, .log = log};
    c.means.step_s = log->step_median_s;
    if (p->mfu > 0 && c.means.step_s > 0) c.measured_mfu = p->mfu * p->step_s / c.means.step_s;
    return c;
}

/* A pipeline's bubble is waiting inside receives; where waiting cannot be told from transfer, it is
 * in the kinds of communication, and bubble and stragglers are compared with idle time. */
clg_plan_comparison clg_trace_plan_compare(const clg_trace_plan *p, const clg_recorded_job *job) {
    if (job->count == 0 && job->logs.count > 0) return compare_log(p, &job->logs.log[0]);
    static const char *const kinds[CLG_SPLITS] = {
        "other communication",     "exposed tensor parallel", "exposed context parallel",
        "exposed expert parallel", "exposed data parallel",   "exposed pipeline"};
    clg_plan_comparison c = {.plan = *p, .measured_mfu = -1};
    const clg_trace_means *m = &c.means;
    clg_arena scratch = {0};
    clg_span_rule rule = clg_span_rule_of(&scratch, &job, 1);
    c.means = clg_job_means(job, &rule, &p->degrees);
    clg_arena_clear(&scratch);
    const clg_time_ledger *l = &p->time;
    add(&c, "compute", l->compute_s + l->optimizer_s, m->compute_s);
    for (int i = 1; i < CLG_SPLITS; i++) /* a ledger has traffic in the order of splits */
        add(&c, kinds[i], l->term_s[CLG_FIRST_TRAFFIC + i - 1], m->transfer_s[i]);
    add(&c, kinds[0], 0, m->transfer_s[0]);
    double late_s = l->bubble_s + l->straggler_s, idle_s = m->idle_s;
    double host_s = l->host_s + l->data_loading_s; /* a recording tells them apart by other means */
    if (m->waiting_known) add(&c, "waiting: bubble, stragglers", late_s, m->waiting_s);
    add(&c, "copies", 0, m->copy_s);
    if (m->waiting_known)
        add(&c, "idle: host, launches", host_s, idle_s);
    else
        add(&c, "idle: host, bubble, stragglers", host_s + late_s, idle_s);
    find_worst(&c);
    if (p->mfu > 0 && m->step_s > 0) c.measured_mfu = p->mfu * p->step_s / m->step_s;
    return c;
}
