/* command_read.c -- the files of a training job, as the plan they describe. */
#include "cli/job_files.h"

#include "report/job.h"

static clg_status run(clg_session *session, clg_error *error) {
    clg_job *job = clg_take(session->arena, 1, clg_job);
    if (clg_job_files_read(session, session->operand, session->operands, job, error) != CLG_OK)
        return error->status;
    if (!clg_session_has(session, CLG_PARAM_JSON)) {
        clg_report_job(&session->out, job);
        return CLG_OK;
    }
    clg_json_writer writer = {.text = &session->out, .pretty = true};
    clg_json_job(&writer, job);
    clg_text_print(&session->out, "\n");
    return CLG_OK;
}

static const clg_param knobs[] = {CLG_PARAM_JSON, CLG_PARAM_COLOR, CLG_PARAMS};

const clg_command clg_command_read = {
    .name = "read",
    .operands = "FILE...",
    .summary = "the files of a training job, as the plan they describe",
    .details = "Launch scripts and configurations of Megatron-LM, Megatron-DeepSpeed, NeMo, "
               "Megatron-Bridge, torchtitan, DeepSpeed, Hugging Face, accelerate, LLaMA-Factory, "
               "axolotl, TRL, torchtune, GPT-NeoX, llm-foundry, nanotron, OLMo-core, MaxText, "
               "Primus; name all files of one job. Nothing is run. The same files take MODEL's "
               "place in 'explain', 'plan', 'scale' and 'size', where flags override them.",
    .example = "ceiling read train.sh ds_config.json",
    .knobs = knobs,
    .least = 1,
    .most = 32,
    .run = run};
