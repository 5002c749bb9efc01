/* answer_diagnose.c -- why a job is as slow as it is, from measurements in flags and logs. */
#include "api/answer.h"
#include "api/command.h"
#include "calibrate/samples.h"
#include "job/log_size.h"
#include "record/train_log.h"
#include "report/number_words.h"
#include "report_plan/diagnose_report.h"
#include "report_plan/plan_text.h"

#include <string.h>

typedef struct diagnosed {
    clg_answer plan; /* the job as it should run */
    clg_observations seen;
    clg_diagnosis diagnosis;
} diagnosed;

/* Characters up to the comma that ends a measurement, not one that parts thousands: "1,200tok/s".
 */
static size_t measurement_size(const char *text) {
    size_t size = strspn(text, "0123456789");
    while (text[size] == ',' && strspn(text + size + 1, "0123456789") == 3) size += 4;
    return size + strcspn(text + size, ",");
}

/* "5900tok/s/GPU@8": the same job on other GPUs. */
static clg_status take_other(clg_arena *arena, const char *one, const clg_answer *plan,
                             clg_observations *seen, clg_error *error) {
    const char *at = strchr(one, '@');
    const char *written = clg_arena_copy(arena, one, (size_t)(at - one));
    clg_evaluation *other = clg_take(arena, 1, clg_evaluation);
    clg_observations alone = {0};
    double gpus;
    if (seen->other)
        return clg_fail(error, CLG_BAD_INPUT, "keep one of them",
                        "'%.24s' and '%.24s' are both of other GPUs", seen->other_written, one);
    if (clg_quantity(at + 1, CLG_COUNT, &gpus, error) != CLG_OK ||
        clg_diagnose_size(arena, &plan->scenario, &plan->evaluation,
                          gpus > 0 && gpus < 1e9 ? (int64_t)gpus : 0, other, error) != CLG_OK ||
        clg_observe(other, &plan->scenario.machine, written, &alone, error) != CLG_OK)
        return CLG_BAD_INPUT;
    if (alone.step_s <= 0)
        return clg_fail(error, CLG_BAD_INPUT, "a bandwidth says its nodes: 40GB/s:all-reduce:6",
                        "'%.48s' is no step of a job", one);
    seen->other = other;
    seen->other_s = alone.step_s;
    seen->other_written = one;
    return CLG_OK;
}

static clg_status take_measured(clg_arena *arena, const char *text, const clg_answer *plan,
                                clg_observations *seen, clg_error *error) {
    while (*text) {
        size_t size = measurement_size(text);
        const char *one = clg_arena_copy(arena, text, size);
        clg_status taken =
            size == 0 ? CLG_OK
            : strchr(one, '@')
                ? take_other(arena, one, plan, seen, error)
                : clg_observe(&plan->evaluation, &plan->scenario.machine, one, seen, error);
        if (taken != CLG_OK) return CLG_BAD_INPUT;
        text += size + (text[size] == ',');
    }
    return CLG_OK;
}

/* A log without steps is read for its lines, where something else says how long a step is. */
static clg_status read_log(clg_arena *arena, const clg_attachment *file, bool timed,
                           clg_train_logs *logs, clg_error *error) {
    *logs = (clg_train_logs){.arena = arena};
    if (!file->text) return CLG_OK;
    if (clg_train_log_read(logs, file->name, (clg_slice){file->text, file->size}) &&
        logs->count > 0 && logs->log[0].step_median_s > 0)
        return CLG_OK;
    *logs = (clg_train_logs){.arena = arena};
    if (timed) return CLG_OK;
    const char *end = clg_train_log_end((clg_slice){file->text, file->size});
    return clg_fail(error, CLG_BAD_INPUT, "give the time as --measured 12.5s",
                    "%.80s: no steps of a known trainer in it%s%s", file->name, end ? "; " : "",
                    end ? end : "");
}

/* What a job leaves open is as its log states it. */
static const clg_request *with_log(clg_arena *arena, const clg_request *request,
                                   const clg_train_logs *logs) {
    if (logs->count == 0) return request;
    const clg_train_log *log = &logs->log[0];
    const struct {
        clg_param param;
        int64_t said;
    } sizes[] = {{CLG_PARAM_GPUS, log->gpus},
                 {CLG_PARAM_GLOBAL_BATCH, log->batch},
                 {CLG_PARAM_SEQ, log->seq}};
    clg_request *r = clg_take(arena, 1, clg_request);
    *r = *request;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (sizes[i].said > 0 && !r->value[sizes[i].param])
            r->value[sizes[i].param] = clg_arena_print(arena, "%lld", (long long)sizes[i].said);
    return r;
}

/* A log's own flop/s, where the job as given would make others of the same step: it is not this
 * job. Trainers count attention and the head in ways that lie a third apart. */
static const char *other_job(clg_arena *arena, const clg_train_log *log, const clg_evaluation *e) {
    double implied = e->model_flop_per_s_per_gpu * e->step_s / log->step_median_s;
    double said = log->flop_per_s_per_gpu;
    if (!(said > 0) || (said < 1.5 * implied && implied < 1.5 * said)) return "";
    return clg_arena_print(
        arena, "; it counts %.3g Tflop/s a GPU, the job as given makes %.3g: see --seq, the model",
        said * 1e-12, implied * 1e-12);
}

/* A log in which steps went to another level, or grew by more than measurements err, says how the
 * job once ran. Of growth the ends of a line through its steps are taken. */
static clg_status take_change(clg_arena *arena, const clg_train_log *log, clg_observations *seen,
                              clg_error *error) {
    clg_diagnosis_rules rules;
    if (clg_diagnosis_rules_find(arena, &rules, error) != CLG_OK) return error->status;
    if (seen->before_s > 0) return CLG_OK;
    if (log->before_s > 0 && log->after_s > log->before_s) {
        seen->before_s = log->before_s;
        seen->step_s = log->after_s;
        seen->before_written =
            clg_arena_print(arena, "up to step %lld of the log", (long long)log->change_step - 1);
        seen->written = clg_arena_print(arena, "from step %lld of %s's log on",
                                        (long long)log->change_step, log->trainer);
    } else if (log->drift > 2 * rules.measured_sigma) {
        seen->before_s = log->step_median_s * (1 - log->drift / 2);
        seen->step_s = log->step_median_s * (1 + log->drift / 2);
        seen->before_written = "where the log begins";
        seen->written = clg_arena_print(arena, "where %s's log ends", log->trainer);
    }
    return CLG_OK;
}

/* What the log says beside the step, where nobody measured it by hand. Of its memory only that it
 * is full: other ranks may hold more. */
static clg_status take_signs(clg_arena *arena, const clg_attachment *file,
                             const clg_train_logs *logs, const clg_evaluation *plan,
                             clg_observations *seen, clg_error *error) {
    clg_diagnosis_rules rules;
    if (!file->text) return CLG_OK;
    if (clg_diagnosis_rules_find(arena, &rules, error) != CLG_OK) return error->status;
    clg_train_timers timers = clg_train_timers_read((clg_slice){file->text, file->size});
    double held = logs->count > 0 && logs->log[0].memory_reserved ? logs->log[0].memory_bytes : 0;
    bool full = held > rules.memory_full * plan->capacity_bytes;
    const struct {
        clg_sign sign;
        double value;
    } said[] = {{CLG_SIGN_OPTIMIZER, timers.optimizer_s},
                {CLG_SIGN_DATA, timers.data_s},
                {CLG_SIGN_MEMORY, full ? held : -1}};
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
        if (said[i].value >= 0 && !seen->sign[said[i].sign].seen)
            seen->sign[said[i].sign] = (clg_observed_sign){
                true, said[i].value, clg_arena_print(arena, "%.60s", file->name)};
    return CLG_OK;
}

static clg_status take_log(clg_arena *arena, const clg_train_logs *logs, const clg_answer *plan,
                           clg_observations *seen, clg_error *error) {
    if (logs->count == 0) return CLG_OK;
    const clg_train_log *log = &logs->log[0];
    if (seen->step_s > 0)
        return clg_fail(error, CLG_BAD_USAGE, "keep one of them",
                        "--measured and --log both say how long a step takes");
    seen->step_s = log->step_median_s;
    seen->written = clg_arena_print(arena, "median of %d steps, %s log%s", log->steps, log->trainer,
                                    other_job(arena, log, &plan->evaluation));
    if (take_change(arena, log, seen, error) != CLG_OK) return error->status;
    return clg_log_check_size(log, &plan->evaluation.layout, error);
}

/* The largest message of every collective and number of nodes. */
static clg_status take_nccl(clg_arena *arena, const clg_attachment *file, int per_node,
                            clg_observations *seen, clg_error *error) {
    clg_samples samples = {0};
    clg_samples_form form;
    clg_csv runs;
    if (clg_samples_read(arena, file->name, file->text, file->size, &samples, &form, &runs,
                         error) != CLG_OK)
        return CLG_BAD_INPUT;
    for (int i = 0; i < samples.count; i++) {
        const clg_sample *s = &samples.sample[i];
        int nodes = s->nodes > 0 ? s->nodes : (s->ranks + per_node - 1) / per_node, at = 0;
        if (s->kind != CLG_SAMPLE_COLLECTIVE || s->seconds <= 0) continue;
        while (at < seen->buses &&
               (seen->bus[at].collective != s->collective || seen->bus[at].nodes != nodes))
            at++;
        if (at == CLG_OBSERVATIONS) continue;
        clg_observed_bus *bus = &seen->bus[at];
        if (at == seen->buses) *bus = (clg_observed_bus){.collective = s->collective};
        seen->buses += at == seen->buses;
        if (s->bytes < bus->bytes) continue;
        bus->nodes = nodes;
        bus->bytes = s->bytes;
        bus->bus_bytes_per_s = clg_bus_bytes_per_s(s->collective, s->ranks, s->bytes, s->seconds);
    }
    if (seen->buses > 0) return CLG_OK;
    return clg_fail(error, CLG_BAD_INPUT, "it should be what nccl-tests printed",
                    "%.80s: no collectives in it", file->name);
}

/* What few jobs do and a person who does it says: a job told in flags shards over all its ranks,
 * and has neither context ranks nor chunks, unless it says so. Files say it themselves. */
static const clg_request *usual(clg_arena *arena, const clg_request *request) {
    static const struct {
        clg_param param;
        const char *value;
    } off[] = {{CLG_PARAM_CP, "1"}, {CLG_PARAM_HSDP, "0"}, {CLG_PARAM_VPP, "1"}};
    if (request->job_files > 0 || request->fixes > 0 || request->forbids > 0) return request;
    clg_request *r = clg_take(arena, 1, clg_request);
    *r = *request;
    bool scheduled = r->value[CLG_PARAM_SCHEDULE] || r->value[CLG_PARAM_STAGE_LAYERS];
    for (size_t i = 0; i < sizeof off / sizeof off[0]; i++)
        if (!r->value[off[i].param] && !(off[i].param == CLG_PARAM_VPP && scheduled))
            r->value[off[i].param] = off[i].value;
    return r;
}

/* Layout flags left out are chosen, as explain does, but for those that are usually off. */
static clg_status answer(const clg_question *q, void *to, clg_error *error) {
    diagnosed *a = to;
    const char *measured = q->request->value[CLG_PARAM_MEASURED];
    const clg_attachment *log = &q->request->file[CLG_PARAM_LOG];
    const clg_attachment *nccl = &q->request->file[CLG_PARAM_NCCL];
    clg_train_logs logs;
    *a = (diagnosed){0};
    if (!measured && !log->text && !nccl->text)
        return clg_fail(error, CLG_BAD_USAGE,
                        "give --measured 12.5s (or 200tok/s/GPU), --log FILE or --nccl FILE",
                        "nothing was measured");
    if (read_log(q->arena, log, measured || nccl->text, &logs, error) != CLG_OK)
        return error->status;
    a->seen.log = (clg_observed_log){log->text, log->size};
    const clg_request *job = usual(q->arena, with_log(q->arena, q->request, &logs));
    if (clg_answer_explain(q->arena, job, q->progress, NULL, &a->plan, error) != CLG_OK ||
        (measured && take_measured(q->arena, measured, &a->plan, &a->seen, error) != CLG_OK) ||
        take_log(q->arena, &logs, &a->plan, &a->seen, error) != CLG_OK ||
        (nccl->text && take_nccl(q->arena, nccl, a->plan.scenario.machine.node.gpus, &a->seen,
                                 error) != CLG_OK) ||
        take_signs(q->arena, log, &logs, &a->plan.evaluation, &a->seen, error) != CLG_OK)
        return error->status;
    if (a->seen.other && a->seen.step_s <= 0)
        return clg_fail(error, CLG_BAD_INPUT, "give the step on --gpus too",
                        "'%.24s' is of other GPUs than the job's", a->seen.other_written);
    if (a->seen.before_s > 0 && a->seen.step_s <= 0)
        return clg_fail(error, CLG_BAD_INPUT, "give the step as it is now too",
                        "'%.24s' is how the job once ran", a->seen.before_written);
    return clg_diagnose(q->arena, &a->plan.scenario, &a->plan.evaluation, &a->seen, &a->diagnosis,
                        error);
}

static void write_text(clg_text *out, const void *from) {
    const diagnosed *a = from;
    clg_report_heading(out, &a->plan.scenario, &a->plan.space);
    clg_report_layout(out, &a->plan.evaluation.layout);
    if (a->plan.found.layouts > 1)
        clg_text_print(out,
                       "         the fastest of %s that your flags allow: say what the job "
                       "does, and odds change\n",
                       clg_words_count(out, a->plan.found.layouts));
    clg_report_diagnosis(out, &a->plan.scenario, &a->plan.evaluation, &a->seen, &a->diagnosis);
}

static void write_json(clg_json_writer *w, const void *from) {
    const diagnosed *a = from;
    clg_json_diagnosis(w, &a->plan.scenario, &a->plan.evaluation, &a->seen, &a->diagnosis);
}

static void write_metrics(clg_text *out, const void *from) {
    const diagnosed *a = from;
    clg_metrics_diagnosis(out, &a->plan.evaluation, &a->seen, &a->diagnosis);
}

const clg_command clg_command_diagnose = {
    .name = "diagnose",
    .operands = "MODEL|FILE...",
    .summary = "why a job is as slow as it is: causes with their odds, and what to measure next",
    .details =
        "Prices the job as given, then in worlds where one thing is wrong, and weighs which of "
        "them gives what was measured. Flags left out are chosen as 'plan' would, without context "
        "ranks, chunks and sharding in groups, so say what the job does. --measured takes 12.5s a "
        "step, 200tok/s/GPU, 6400tok/s, 230Tflop/s/GPU, 13%MFU or 40GB/s:all-reduce:6 (bus "
        "bandwidth, collective, nodes); several with commas: a step, what was counted beside it "
        "(tokens, flop/s or MFU), 5900tok/s/GPU@8, the same job on 8 GPUs with as many "
        "micro-batches a rank, 15%:util, GPUs with a kernel running as nvidia-smi says, "
        "3s:data, waiting for data a step, 2s:optimizer, of its update, 60%:communication, share "
        "of the step in collectives as a profile shows, 79GB:memory, in use of a GPU, and "
        "10s:before, as the same job once ran. Of --log, lines that speak for a cause count too, "
        "as NCCL_DEBUG=INFO prints them. GPUs, batch and sequence that are left out are those of "
        "--log, where it states them.",
    .example = "ceiling diagnose llama-3-70b --gpu h200-sxm --gpus 32 --tp 8 --zero 3 "
               "--measured 200tok/s/GPU",
    .groups = CLG_TAKES_PLANNING | CLG_TAKES(MEASURED),
    .subject = CLG_SUBJECT_JOB,
    .busy = "searching",
    .bytes = sizeof(diagnosed),
    .answer = answer,
    .json = write_json,
    .form = {[CLG_FORM_TEXT] = write_text, [CLG_FORM_METRICS] = write_metrics}};
