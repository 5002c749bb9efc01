/* fit_job.c -- a job and its logs: the step as priced against the step as it was. Several logs are
 * of one job: the median of their medians counts, as one reading. */
#include "cli/fit_job.h"
#include "base/letters.h"

#include "base/quantile.h"
#include "cli/job_files.h"
#include "cli/planning.h"
#include "job/log_size.h"

#include <string.h>

static const char LOG_MEND[] = "name the job and its log: ceiling fit train.sh train.log";

clg_status clg_fit_job_asked(clg_session *session, clg_fit_job *job, clg_error *error) {
    const char *log = session->request.value[CLG_PARAM_LOG];
    job->logs.arena = session->arena;
    if (!log || clg_job_files_log(session, log, &job->logs)) return CLG_OK;
    clg_error_at(error, log, 0, 0, NULL);
    return clg_fail(error, CLG_BAD_INPUT,
                    clg_file_absent(log) ? "name a file" : "see docs/read.md for what is read",
                    clg_file_absent(log) ? "there is no such file"
                                         : "no steps of a known trainer in it");
}

bool clg_fit_job_log(clg_session *session, clg_fit_job *job, const char *operand) {
    return clg_job_files_log(session, operand, &job->logs);
}

bool clg_fit_job_word(clg_session *session, clg_fit_job *job, const char *operand) {
    bool json = clg_ends(operand, ".json");
    bool word = clg_file_absent(operand) && strcmp(operand, "-") != 0;
    if (!json && !word && !clg_job_files_is(session, operand)) return false;
    if (job->words == CLG_JOB_OPERANDS) return false;
    job->word[job->words++] = operand;
    return true;
}

/* The words as the operands of a command that plans. */
static clg_status request(clg_session *session, const clg_fit_job *job, clg_error *error) {
    const char *kept[CLG_JOB_OPERANDS];
    int operands = session->operands;
    memcpy(kept, session->operand, sizeof kept);
    memcpy(session->operand, job->word, (size_t)job->words * sizeof *job->word);
    session->operands = job->words;
    clg_status status = clg_planning_request(session, true, error);
    memcpy(session->operand, kept, sizeof kept);
    session->operands = operands;
    return status;
}

clg_status clg_fit_job_read(clg_session *session, clg_fit_job *job, clg_error *error) {
    if (job->logs.count == 0) return CLG_OK;
    if (job->words == 0) {
        clg_error_at(error, job->logs.log[0].file, 0, 0, NULL);
        return clg_fail(error, CLG_BAD_USAGE, LOG_MEND, "a log without the job that it is of");
    }
    if (request(session, job, error) != CLG_OK) return error->status;
    clg_status status =
        clg_answer_explain(session->arena, &session->request, clg_progress_of(session, "pricing"),
                           NULL, &job->plan, error);
    clg_progress_end(session);
    return status;
}

static double median_s(clg_arena *arena, const clg_train_logs *logs) {
    double *medians = clg_take(arena, logs->count, double);
    size_t count = 0;
    for (size_t i = 0; i < logs->count; i++)
        if (logs->log[i].step_median_s > 0) medians[count++] = logs->log[i].step_median_s;
    clg_sort(medians, count);
    return count > 0 ? medians[(count - 1) / 2] : 0;
}

/* A log of another size than the job is of another job. */
static clg_status check_size(const clg_fit_job *job, clg_error *error) {
    for (size_t i = 0; i < job->logs.count; i++)
        if (clg_log_check_size(&job->logs.log[i], &job->plan.evaluation.layout, error) != CLG_OK)
            return error->status;
    return CLG_OK;
}

clg_status clg_fit_job_learn(clg_session *session, clg_fit_job *job, clg_calibration *c,
                             clg_error *error) {
    double measured_s = median_s(session->arena, &job->logs);
    if (measured_s <= 0) {
        clg_error_at(error, job->logs.log[0].file, 0, 0, NULL);
        return clg_fail(error, CLG_BAD_INPUT, "say the batch in the job, or take a longer log",
                        "no step time can be told from it");
    }
    if (check_size(job, error) != CLG_OK) return error->status;
    return clg_learn_stack(session->arena, &job->plan.scenario, &job->plan.evaluation, measured_s,
                           &job->learned, c, error);
}
