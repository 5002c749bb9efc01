/* launch.c -- one function per trainer. Flags as in Megatron-LM core_r0.12 (arguments.py),
 * torchtitan 0.2 (job_config.py) and DeepSpeed 0.16 (JSON configuration). */
#include "report/launch.h"

enum { MEGATRON, TORCHTITAN, DEEPSPEED };

const clg_name clg_trainer_names[] = {
    {"megatron", MEGATRON, "Megatron-LM command line"},
    {"torchtitan", TORCHTITAN, "torchtitan job flags"},
    {"deepspeed", DEEPSPEED, "DeepSpeed JSON (data parallel and ZeRO only)"},
    {NULL, 0, NULL}};

/* How layers fall on chunks that they do not divide into: the ends have less. */
static void megatron_split(clg_text *t, int layers, const clg_layout *l) {
    int chunks = l->pp * l->vpp;
    if (layers % chunks == 0 && !l->split) return;
    if ((layers + 2) % chunks == 0)
        clg_text_print(t, "  --account-for-embedding-in-pipeline-split "
                          "--account-for-loss-in-pipeline-split \\\n");
    else
        clg_text_print(t,
                       "  --pipeline-model-parallel-layout ... \\\n"
                       "  # %d layers on %d chunks: the ends one less than those between\n",
                       layers, chunks);
}

static void megatron_precision(clg_text *t, const clg_layout *l) {
    clg_text_print(t, "--%s", l->precision == CLG_FP16 ? "fp16" : "bf16");
    if (l->precision == CLG_FP8 || l->precision == CLG_MXFP8)
        clg_text_print(t, " --fp8-format hybrid%s",
                       l->precision == CLG_MXFP8 ? " --fp8-recipe mxfp8" : "");
    if (l->precision == CLG_NVFP4) clg_text_print(t, " --fp4-format e2m1");
    clg_text_print(t, "\n");
}

static void megatron(clg_text *t, int layers, const clg_layout *l) {
    static const char *const context[] = {[CLG_CONTEXT_RING] = "p2p",
                                          [CLG_CONTEXT_GATHER] = "allgather",
                                          [CLG_CONTEXT_ULYSSES] = "a2a"};
    clg_text_print(t, "  --tensor-model-parallel-size %d --pipeline-model-parallel-size %d \\\n",
                   l->tp, l->pp);
    if (l->sp) clg_text_print(t, "  --sequence-parallel \\\n");
    if (l->order == 1) clg_text_print(t, "  --use-tp-pp-dp-mapping \\\n");
    if (l->order > 1)
        clg_text_print(t, "  # Megatron-LM has no rank order %s\n",
                       clg_name_of(clg_order_names, l->order));
    if (l->cp > 1)
        clg_text_print(t, "  --context-parallel-size %d --cp-comm-type %s \\\n", l->cp,
                       context[l->cp_kind]);
    if (l->ep > 1)
        clg_text_print(t, "  --expert-model-parallel-size %d --expert-tensor-parallel-size %d \\\n",
                       l->ep, l->etp);
    if (l->vpp > 1) clg_text_print(t, "  --num-virtual-stages-per-pipeline-rank %d \\\n", l->vpp);
    if (l->pp > 1) megatron_split(t, layers, l);
    if (l->zero == 1)
        clg_text_print(t, "  --use-distributed-optimizer --overlap-grad-reduce "
                          "--overlap-param-gather \\\n");
    if (l->zero >= 2)
        clg_text_print(t, "  --use-megatron-fsdp --data-parallel-sharding-strategy %s \\\n",
                       l->zero == 3 ? "optim_grads_params" : "optim_grads");
    if (l->recompute == CLG_RECOMPUTE_SELECTIVE)
        clg_text_print(t, "  --recompute-activations \\\n");
    if (l->recompute == CLG_RECOMPUTE_FULL)
        clg_text_print(t,
                       "  --recompute-granularity full --recompute-method %s "
                       "--recompute-num-layers %d \\\n",
                       l->recompute_layers > 0 ? "block" : "uniform",
                       l->recompute_layers > 0 ? l->recompute_layers : 1);
    clg_text_print(t, "  --micro-batch-size %d --global-batch-size %lld --seq-length %lld ",
                   l->micro_batch, (long long)l->global_batch, (long long)l->seq);
    megatron_precision(t, l);
    if (l->schedule != CLG_1F1B && l->schedule != CLG_INTERLEAVED && l->pp > 1)
        clg_text_print(t, "  # Megatron-LM has no %s schedule: it will run 1f1b\n",
                       clg_name_of(clg_schedule_names, (int)l->schedule));
}

static const char *titan_schedule(const clg_layout *l) {
    switch (l->schedule) {
    case CLG_GPIPE:
        return "GPipe";
    case CLG_INTERLEAVED:
        return "Interleaved1F1B";
    case CLG_ZB_H1:
    case CLG_ZB_H2:
        return "InterleavedZeroBubble";
    case CLG_ZB_V:
        return "ZBVZeroBubble";
    case CLG_DUALPIPE:
        return "DualPipeV";
    default:
        return "1F1B";
    }
}

static void torchtitan(clg_text *t, int layers, const clg_layout *l) {
    (void)layers; /* it splits by itself */
    /* Its shards span context ranks as well: dp_shard x cp. */
    int shard = l->zero == 0 ? 1 : clg_layout_shards(l) / l->cp;
    if (shard < 1) shard = 1;
    clg_text_print(
        t,
        "  --parallelism.tensor_parallel_degree %d --parallelism.pipeline_parallel_degree "
        "%d \\\n",
        l->tp, l->pp);
    clg_text_print(t,
                   "  --parallelism.data_parallel_shard_degree %d "
                   "--parallelism.data_parallel_replicate_degree %d \\\n",
                   shard, l->dp / shard);
    if (l->cp > 1) clg_text_print(t, "  --parallelism.context_parallel_degree %d \\\n", l->cp);
    if (l->ep > 1) clg_text_print(t, "  --parallelism.expert_parallel_degree %d \\\n", l->ep);
    if (l->zero > 0)
        clg_text_print(t, "  --parallelism.fsdp_reshard_after_forward %s \\\n",
                       l->zero == 3 ? "always" : "never");
    if (l->pp > 1)
        clg_text_print(t, "  --parallelism.pipeline_parallel_schedule %s \\\n", titan_schedule(l));
    clg_text_print(t, "  --activation_checkpoint.mode %s \\\n",
                   clg_name_of(clg_recompute_names, (int)l->recompute));
    clg_text_print(t,
                   "  --training.local_batch_size %d --training.global_batch_size %lld "
                   "--training.seq_len %lld\n",
                   l->micro_batch, (long long)l->global_batch, (long long)l->seq);
}

static void deepspeed(clg_text *t, int layers, const clg_layout *l) {
    (void)layers;
    clg_text_print(t,
                   "  {\"train_batch_size\": %lld, \"train_micro_batch_size_per_gpu\": %d,\n"
                   "   \"gradient_accumulation_steps\": %lld,\n"
                   "   \"zero_optimization\": {\"stage\": %d, \"overlap_comm\": true%s},\n"
                   "   \"%s\": {\"enabled\": true}}\n",
                   (long long)l->global_batch, l->micro_batch, (long long)l->accumulation, l->zero,
                   l->offload ? ", \"offload_optimizer\": {\"device\": \"cpu\"}" : "",
                   l->precision == CLG_FP16 ? "fp16" : "bf16");
    if (l->tp > 1 || l->pp > 1 || l->cp > 1 || l->ep > 1)
        clg_text_print(t, "  # tp, pp, cp and ep are the model's own business in DeepSpeed\n");
}

void clg_report_launch(clg_text *t, int trainer, int layers, const clg_layout *layout) {
    static void (*const trainers[])(clg_text *, int, const clg_layout *) = {
        [MEGATRON] = megatron, [TORCHTITAN] = torchtitan, [DEEPSPEED] = deepspeed};
    clg_text_print(t, "\nlaunch   %s\n", clg_trainer_names[trainer].help);
    trainers[trainer](t, layers, layout);
}
