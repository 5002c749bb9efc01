/* bench_limits.h -- the limits that an engine's own benchmark sets before it starts. */
#ifndef CLG_MEASURED_BENCH_LIMITS_H
#define CLG_MEASURED_BENCH_LIMITS_H

#include "machine/machine.h"
#include "model/model.h"

typedef struct clg_bench_limits {
    int sequences, tokens; /* of one iteration, per rank with attention data parallelism */
} clg_bench_limits;

/* What trtllm-bench 1.0 takes for tp GPUs and requests of one length when no limits are given:
 * sequences that fit in `cache_share` of what it believes that weights leave, rounded up; and
 * tokens for prompts to keep pace with answers, or a whole prompt beside all sequences. Source:
 * github NVIDIA/TensorRT-LLM, tensorrt_llm/bench/build/tuning.py (calc_engine_setting and
 * finetune_setting) and bench/benchmark/utils/general.py (get_settings; prompts are not cut). */
clg_bench_limits clg_bench_limits_of(const clg_model *model, const clg_gpu *gpu, int tp,
                                     clg_precision weights, clg_precision cache,
                                     double prompt_tokens, double output_tokens,
                                     double cache_share);

#endif
