/* command_read.c -- the files of a training job, as the plan they describe. */
#include "cli/job_files.h"

#include "report/job_report.h"
#include "report/read_log.h"

/* Logs among the operands go to `logs`, the rest is the job's. */
static int sort_files(clg_session *session, const char **files, clg_train_logs *logs) {
    int count = 0;
    for (int i = 0; i < session->operands; i++)
        if (!clg_job_files_log(session, session->operand[i], logs))
            files[count++] = session->operand[i];
    return count;
}

static clg_status run(clg_session *session, clg_error *error) {
    clg_job *job = clg_take(session->arena, 1, clg_job);
    clg_train_logs logs = {.arena = session->arena};
    const char **files = clg_take(session->arena, (size_t)session->operands, const char *);
    int count = sort_files(session, files, &logs);
    clg_json_writer writer = {.text = &session->out, .pretty = true};
    bool json = clg_session_has(session, CLG_PARAM_JSON);
    if (count > 0 && clg_job_files_read(session, files, count, job, error) != CLG_OK)
        return error->status;
    if (json && count > 0)
        clg_json_job(&writer, job, &logs);
    else if (json)
        clg_json_logs(&writer, &logs);
    if (json) clg_text_print(&session->out, "\n");
    if (!json && count > 0) clg_report_job(&session->out, job);
    if (!json && count > 0 && logs.count > 0) clg_text_print(&session->out, "\n");
    if (!json) clg_report_logs(&session->out, &logs);
    return CLG_OK;
}

static const clg_param knobs[] = {CLG_PARAM_JSON, CLG_PARAM_COLOR, CLG_PARAMS};

const clg_tool clg_tool_read = {
    .about =
        &(const clg_command){
            .name = "read",
            .operands = "FILE...",
            .summary = "the files of a training job as a plan, its log as step times",
            .details =
                "Launch scripts and configurations of Megatron-LM, Megatron-DeepSpeed, NeMo, "
                "Megatron-Bridge, torchtitan, DeepSpeed, Hugging Face, accelerate, LLaMA-Factory, "
                "axolotl, TRL, torchtune, GPT-NeoX, llm-foundry, nanotron, OLMo-core, MaxText, "
                "Primus; name all files of one job. Nothing is run. Logs of those trainers (and "
                "W&B or TensorBoard exports) give step time, tokens, rate and memory. The same "
                "files take MODEL's place in 'explain', 'plan', 'scale' and 'size', where flags "
                "override them.",
            .example = "ceiling read train.sh ds_config.json",
            .knobs = knobs,
            .least = 1,
            .most = 32},
    .run = run};
