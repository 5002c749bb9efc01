/* answer_read.c -- the files of a training job, as the plan they describe; its logs, as step times.
 */
#include "api/command.h"
#include "api/jobs.h"

#include "report_recorded/job_report.h"
#include "report_recorded/read_log.h"

typedef struct read_answer {
    clg_job *job; /* NULL: only logs were given */
    clg_train_logs logs;
    clg_request flags; /* what planning takes from the files */
} read_answer;

static bool is_log(const clg_attachment *file, clg_train_logs *logs) {
    return !clg_job_is_no_log(file->name, file->text, file->size) &&
           clg_train_log_read(logs, file->name, (clg_slice){file->text, file->size});
}

static clg_status answer(const clg_question *q, void *to, clg_error *error) {
    read_answer *a = to;
    const clg_request *request = q->request;
    clg_request job = *request;
    clg_error none = {0};
    clg_attachment *files = clg_take(q->arena, (size_t)request->job_files + 1, clg_attachment);
    a->logs.arena = q->arena;
    if (request->job_files == 0)
        return clg_fail(error, CLG_BAD_USAGE, "give the files of one job, or its log",
                        "there is nothing to read");
    job.job_file = files, job.job_files = 0;
    for (int i = 0; i < request->job_files; i++)
        if (!is_log(&request->job_file[i], &a->logs)) files[job.job_files++] = request->job_file[i];
    if (job.job_files == 0) return CLG_OK;
    a->job = clg_take(q->arena, 1, clg_job);
    if (clg_request_read_job(q->arena, &job, a->job, error) != CLG_OK) return error->status;
    clg_request_job(q->arena, &a->flags, a->job, false, &none); /* as far as it names a model */
    return CLG_OK;
}

static void write_text(clg_text *out, const void *from) {
    const read_answer *a = from;
    if (a->job) clg_report_job(out, a->job);
    if (a->job && a->logs.count > 0) clg_text_print(out, "\n");
    clg_report_logs(out, &a->logs);
}

static void add_flags(clg_json_writer *w, const clg_request *flags) {
    clg_json_open(w, "flags", '{');
    if (flags->model && !flags->model_file.text) clg_json_add_string(w, "model", flags->model);
    if (flags->model_file.text) clg_json_add_string(w, "config", flags->model_file.text);
    for (int i = 0; i < CLG_PARAMS; i++)
        if (flags->value[i])
            clg_json_add_string(w, clg_param_row_of((clg_param)i).flag, flags->value[i]);
    clg_json_close(w, '}');
}

static void write_json(clg_json_writer *w, const void *from) {
    const read_answer *a = from;
    if (a->job) {
        clg_json_open(w, NULL, '{');
        clg_json_job(w, a->job, &a->logs);
        add_flags(w, &a->flags);
        clg_json_close(w, '}');
    } else
        clg_json_logs(w, &a->logs);
}

const clg_command clg_command_read = {
    .name = "read",
    .operands = "FILE...",
    .summary = "the files of a training job as a plan, its log as step times",
    .details =
        "Launch scripts and configurations of the trainers and engines that 'ceiling show "
        "trainers' lists; name all files of one job. Nothing is run. Logs of trainers (and W&B or "
        "TensorBoard exports) give step time, tokens, rate and memory. The same files take "
        "MODEL's place in 'explain', 'plan', 'scale' and 'size', where flags override them.",
    .example = "ceiling read train.sh ds_config.json",
    .least = 1,
    .most = CLG_JOB_OPERANDS,
    .subject = CLG_SUBJECT_FILES,
    .busy = "reading",
    .bytes = sizeof(read_answer),
    .answer = answer,
    .json = write_json,
    .form = {[CLG_FORM_TEXT] = write_text}};
