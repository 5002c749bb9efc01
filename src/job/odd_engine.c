/* odd_engine.c -- what serving engines count differently: degrees and limits of all ranks, experts
 * shared out by a switch. */
#include "job/odd.h"

static bool is_on(clg_reading *r, const char *keys) {
    return clg_job_is(clg_odd_word(r, keys, "false"), "true");
}

/* Experts are shared out over all GPUs of a stage (vLLM, docs of expert parallelism). */
void clg_odd_vllm(clg_reading *r) {
    double tp = clg_job_value_or(r, CLG_JOB_TP, 1), dp = clg_job_value_or(r, CLG_JOB_DP, 1);
    if (is_on(r, "enable_expert_parallel|ep") && tp * dp > 1)
        clg_job_put(r, CLG_JOB_EP, tp * dp, NULL, "--enable-expert-parallel: tp x dp");
}

static void divide(clg_reading *r, clg_job_field field, const char *keys, double ranks) {
    double all = clg_odd_number(r, keys, 0);
    if (all > 0) clg_job_put(r, field, all / ranks, NULL, "of all ranks, over them");
}

/* --tp-size counts the GPUs of a stage, limits are of all ranks (server_args.py). */
void clg_odd_sglang(clg_reading *r) {
    double all = clg_odd_number(r, "tp_size|tensor_parallel_size|tp", 1);
    double ranks = clg_odd_number(r, "dp_size|data_parallel_size|dp", 1);
    bool apart = is_on(r, "enable_dp_attention") && ranks >= 1;
    clg_job_put(r, CLG_JOB_TP, apart ? all / ranks : all, NULL, "GPUs of a stage over ranks");
    clg_job_put(r, CLG_JOB_DP, ranks, NULL, "--dp-size");
    divide(r, CLG_JOB_MAX_SEQUENCES, "max_running_requests", apart ? ranks : 1);
    divide(r, CLG_JOB_MAX_TOKENS, "chunked_prefill_size", apart ? ranks : 1);
}

/* Attention on a rank for each GPU of a stage, or split over all (llm_args.py). */
void clg_odd_trtllm(clg_reading *r) {
    double all = clg_odd_number(r, "tp_size|tensor_parallel_size", 1);
    bool apart = is_on(r, "enable_attention_dp");
    clg_job_put(r, CLG_JOB_TP, apart ? 1 : all, NULL, "enable_attention_dp");
    clg_job_put(r, CLG_JOB_DP, apart ? all : 1, NULL, "enable_attention_dp");
}
