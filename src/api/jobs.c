/* jobs.c -- a job's files in the place of flags: fields have the flags' names. */
#include "api/jobs.h"

#include "base/letters.h"
#include "dataset/dataset.h"
#include "machine/machine.h"

#include <string.h>

/* -1: there is no such flag. */
static int flag_of(clg_job_field field) {
    if (clg_job_row_of(field).part == CLG_JOB_PART_WORKING) return -1; /* names of its own */
    for (int i = 0; i < CLG_PARAMS; i++)
        if (strcmp(clg_param_row_of((clg_param)i).flag, clg_job_row_of(field).name) == 0) return i;
    return -1;
}

/* The fields of a job that the request states itself. */
static void fields_given(const clg_request *request, const char *given[CLG_JOB_FIELDS]) {
    for (int i = 0; i < CLG_JOB_FIELDS; i++) {
        int flag = flag_of((clg_job_field)i);
        given[i] = flag >= 0 ? request->value[flag] : NULL;
    }
}

/* What plan chooses itself. */
static bool is_chosen(clg_job_field field) {
    static const clg_job_field chosen[] = {
        CLG_JOB_DP,           CLG_JOB_ZERO,      CLG_JOB_HSDP,
        CLG_JOB_TP,           CLG_JOB_SP,        CLG_JOB_CP,
        CLG_JOB_CP_KIND,      CLG_JOB_EP,        CLG_JOB_ETP,
        CLG_JOB_PP,           CLG_JOB_VPP,       CLG_JOB_SCHEDULE,
        CLG_JOB_MICRO_BATCH,  CLG_JOB_RECOMPUTE, CLG_JOB_RECOMPUTE_LAYERS,
        CLG_JOB_STAGE_LAYERS, CLG_JOB_ORDER,     CLG_JOB_OFFLOAD};
    for (size_t i = 0; i < sizeof chosen / sizeof chosen[0]; i++)
        if (chosen[i] == field) return true;
    return false;
}

static const char *as_flag(clg_arena *arena, const clg_job_value *value, clg_job_field field,
                           clg_param flag) {
    clg_param_kind kind = clg_param_row_of(flag).kind;
    if (clg_param_row_of(flag).dimension == CLG_TOKENS)
        return clg_arena_print(arena, "%stok", value->text);
    bool on = value->number != 0;
    if (clg_job_row_of(field).kind != CLG_JOB_SWITCH) return value->text;
    return kind == CLG_KIND_SWITCH ? (on ? "" : NULL) : on ? "1" : "0";
}

/* Terms of the files, and over them those that the request names. */
static void join_terms(clg_arena *arena, clg_request *request, const clg_job *job) {
    const char *files = job->field[CLG_JOB_TERM].text, *own = request->value[CLG_PARAM_TERM];
    if (files && own) request->value[CLG_PARAM_TERM] = clg_arena_print(arena, "%s,%s", files, own);
}

static clg_status take_model(clg_request *request, const clg_job *job, clg_error *error) {
    const char *named = job->field[CLG_JOB_MODEL].text;
    if (request->model || request->model_file.text) return CLG_OK;
    if (job->preset)
        request->model = job->preset;
    else if (job->config) {
        request->model = job->files[0];
        request->model_file = (clg_attachment){job->files[0], job->config, strlen(job->config)};
    } else {
        bool sized = job->field[CLG_JOB_HIDDEN].text && !job->field[CLG_JOB_VOCAB].text;
        clg_error_at(error, job->files[0], 0, 0, "model");
        if (sized)
            return clg_fail(
                error, CLG_BAD_INPUT,
                "name a preset ('ceiling show models') or a config.json before the files",
                "its sizes lack the vocabulary");
        return clg_fail(error, CLG_BAD_INPUT,
                        "name a preset ('ceiling show models') or its config.json before the files",
                        named ? "'%.80s' is no model known here" : "it names no model%s",
                        named ? named : "");
    }
    return CLG_OK;
}

/* A built-in box with so many of this GPU, on the network of its reference box; NULL: none. */
static const char *node_of(clg_arena *arena, const clg_gpu *gpu, double gpus) {
    int count;
    clg_node usual;
    clg_error none = {0};
    const clg_file *files = clg_dataset_folder("node/", &count);
    if (clg_node_default(arena, gpu, &usual, &none) != CLG_OK || usual.gpus == (int)gpus)
        return NULL;
    for (int i = 0; i < count; i++) {
        clg_node node;
        if (clg_node_read(arena, files[i].path, files[i].text, files[i].size, &node, &none) !=
            CLG_OK)
            continue;
        if (strcmp(node.gpu, gpu->name) == 0 && node.gpus == (int)gpus &&
            strcmp(node.fabric, usual.fabric) == 0)
            return node.name;
    }
    return NULL;
}

/* What files leave out and a search would choose: one set of shards over all of dp, and the box
 * with as many GPUs as a node of the job has. */
static void take_silence(clg_arena *arena, clg_request *request, const clg_job *job, bool layout) {
    const clg_job_value *zero = &job->field[CLG_JOB_ZERO], *gpu = &job->field[CLG_JOB_GPU];
    const clg_job_value *each = &job->field[CLG_JOB_GPUS_PER_NODE];
    clg_gpu known;
    clg_error none = {0};
    if (layout && zero->text && !request->value[CLG_PARAM_HSDP])
        request->value[CLG_PARAM_HSDP] = "0";
    const char *name = request->value[CLG_PARAM_GPU];
    if (!gpu->text || !each->text || request->value[CLG_PARAM_NODE] || !name ||
        strcmp(name, gpu->text) != 0 || clg_gpu_find(arena, name, &known, &none) != CLG_OK)
        return;
    const char *node = node_of(arena, &known, each->number);
    if (node) request->value[CLG_PARAM_NODE] = node;
}

/* Trainers of preferences count pairs: a chosen and a rejected sequence each, which go through the
 * model as one batch (TRL dpo_trainer.py, concatenated_inputs). */
static void count_sequences(clg_arena *arena, clg_request *request, const clg_job *job) {
    static const clg_param batches[] = {CLG_PARAM_MICRO_BATCH, CLG_PARAM_GLOBAL_BATCH};
    static const clg_job_field fields[] = {CLG_JOB_MICRO_BATCH, CLG_JOB_GLOBAL_BATCH};
    const char *teacher = job->field[CLG_JOB_TEACHER].text;
    if (!teacher || (strcmp(teacher, "reference") != 0 && strcmp(teacher, "pairs") != 0)) return;
    for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
        const clg_job_value *value = &job->field[fields[i]];
        if (value->text && request->value[batches[i]] == value->text)
            request->value[batches[i]] = clg_arena_print(arena, "%.0f", 2 * value->number);
    }
}

clg_status clg_request_job(clg_arena *arena, clg_request *request, const clg_job *job, bool layout,
                           clg_error *error) {
    const clg_request typed = *request;
    join_terms(arena, request, job);
    for (int i = 0; i < CLG_JOB_FIELDS; i++) {
        clg_job_field field = (clg_job_field)i;
        int flag = flag_of(field);
        if (flag < 0 || !job->field[i].text || request->value[flag]) continue;
        if (!layout && is_chosen(field)) continue;
        if (field == CLG_JOB_GPUS && job->field[CLG_JOB_ENGINE].text) continue; /* of one copy */
        request->value[flag] = as_flag(arena, &job->field[i], field, (clg_param)flag);
    }
    /* Files keep settings of what they have switched off. */
    for (int i = 0; i < CLG_PARAMS; i++)
        if (!typed.value[i] && clg_request_is_lone(request, (clg_param)i)) request->value[i] = NULL;
    count_sequences(arena, request, job);
    take_silence(arena, request, job, layout);
    return take_model(request, job, error);
}

clg_status clg_request_read_job(clg_arena *arena, const clg_request *request, clg_job *job,
                                clg_error *error) {
    const char *given[CLG_JOB_FIELDS];
    clg_job_file *files = clg_take(arena, (size_t)request->job_files + 1, clg_job_file);
    for (int i = 0; i < request->job_files; i++) {
        const clg_attachment *file = &request->job_file[i];
        files[i] = (clg_job_file){file->name, file->text, file->size};
    }
    fields_given(request, given);
    return clg_job_read(arena, files, request->job_files, given, job, error);
}

clg_status clg_request_files(clg_arena *arena, clg_request *request, bool layout, bool serving,
                             clg_error *error) {
    clg_job *job = clg_take(arena, 1, clg_job);
    if (request->job_files == 0) return CLG_OK;
    if (clg_request_read_job(arena, request, job, error) != CLG_OK) return error->status;
    if (!job->field[CLG_JOB_ENGINE].text || serving)
        return clg_request_job(arena, request, job, layout, error);
    clg_error_at(error, job->files[0], 0, 0, "engine");
    return clg_fail(error, CLG_BAD_INPUT, "ask what it serves: ceiling demand FILES --rate 5req/s",
                    "these files start a server of %s, no training", job->title);
}

bool clg_job_is_no_log(const char *name, const char *text, size_t size) {
    return !clg_ends(name, ".txt") && clg_job_is_file(name, text, size);
}
