/* launch_bridge.c -- a recipe of Megatron-Bridge with the plan's values over it; names as in its
 * recipes and training/config.py (v0.2.0 to v0.6.0 and 067f987d of 2026-08-22), models as in
 * data/trainer/bridge-models.json. Left out: CUDA graphs, whose scopes are other ones by release.
 */
#include "job/launch.h"

#include "base/json.h"

/* {"module", "recipe"} of this model; NULL: none. */
static const clg_json *recipe_of(clg_launch *f, const char *name) {
    return clg_launch_model(f, "trainer/bridge-models.json", name);
}

static void refusals(clg_launch *f, const clg_scenario *s, const clg_layout *l) {
    bool usual = l->schedule == CLG_1F1B || l->schedule == CLG_INTERLEAVED;
    int chunks = l->pp * l->vpp;
    clg_launch_refuse(f, !f->asks && !recipe_of(f, s->model.name),
                      "no recipe for this model is known here");
    clg_launch_refuse(f, l->pp > 1 && !usual, "it runs 1f1b and interleaved 1f1b only");
    clg_launch_refuse(f, l->split || s->model.layers % chunks != 0,
                      "layers that do not divide over the stages are not written");
    clg_launch_refuse(f, l->zero > 1, "its FSDP is not written: --zero 0 or 1");
    clg_launch_refuse(f, l->zero == 1 && l->hsdp > 0 && l->hsdp < l->dp,
                      "shards over a part of the ranks are not written: --hsdp 0");
    clg_launch_refuse(f, l->order != 0, "its order of ranks is Megatron's");
    clg_launch_refuse(f, l->cp > 1 && l->cp_kind != CLG_CONTEXT_RING,
                      "kinds of context parallelism are not written but the ring");
    clg_launch_refuse(f, clg_model_experts(&s->model) && l->tp > 1 && !l->sp,
                      "its experts beside tensor parallelism want --sp 1"); /* moe_layer.py */
    clg_launch_refuse(f, l->optimizer != CLG_ADAM, "its recipes use Adam");
    clg_launch_refuse(f, l->offload, "offload is not written");
    clg_launch_refuse(
        f, clg_launch_narrow_moments(s) && (s->stack.moments != CLG_BF16 || l->zero == 0),
        "moments are written in fp32, or with --zero 1 in bf16");
    clg_launch_refuse(f, l->precision == CLG_FP32, "its recipes have no fp32");
}

static const char *precision_of(const clg_scenario *s, const clg_layout *l) {
    switch (l->precision) {
    case CLG_FP16:
        return "fp16_mixed";
    case CLG_FP8:
        return s->stack.precision.current_scaling ? "bf16_with_fp8_current_scaling_mixed"
                                                  : "bf16_with_fp8_delayed_scaling_mixed";
    case CLG_MXFP8:
        return "bf16_with_mxfp8_mixed";
    case CLG_NVFP4:
        return "bf16_with_nvfp4_mixed";
    default:
        return "bf16_mixed";
    }
}

static void degrees(clg_text *t, const clg_scenario *s, const clg_layout *l) {
    clg_text_print(t,
                   "    cfg.model.tensor_model_parallel_size = %d\n"
                   "    cfg.model.sequence_parallel = %s\n"
                   "    cfg.model.context_parallel_size = %d\n"
                   "    cfg.model.pipeline_model_parallel_size = %d\n",
                   l->tp, l->sp ? "True" : "False", l->cp, l->pp);
    clg_text_print(t, "    cfg.model.pipeline_model_parallel_layout = None\n"
                      "    cfg.model.account_for_embedding_in_pipeline_split = False\n"
                      "    cfg.model.account_for_loss_in_pipeline_split = False\n");
    if (l->vpp > 1)
        clg_text_print(t, "    cfg.model.virtual_pipeline_model_parallel_size = %d\n", l->vpp);
    else
        clg_text_print(t, "    cfg.model.virtual_pipeline_model_parallel_size = None\n");
    if (clg_model_experts(&s->model))
        clg_text_print(t,
                       "    cfg.model.expert_model_parallel_size = %d\n"
                       "    cfg.model.expert_tensor_parallel_size = %d\n",
                       l->ep, l->etp);
    if (clg_model_experts(&s->model) &&
        !s->stack.experts.dedup) /* recipes have DeepEP or HybridEP */
        clg_text_print(t, "    cfg.model.moe_token_dispatcher_type = \"alltoall\"\n");
}

static void recompute(clg_text *t, const clg_layout *l) {
    const char *mode = clg_name_of(clg_recompute_names, (int)l->recompute);
    if (l->recompute == CLG_RECOMPUTE_NONE) {
        clg_text_print(t, "    cfg.model.recompute_granularity = None\n");
        return;
    }
    clg_text_print(t, "    cfg.model.recompute_granularity = \"%s\"\n", mode);
    if (l->recompute == CLG_RECOMPUTE_SELECTIVE)
        clg_text_print(t, "    cfg.model.recompute_modules = [\"core_attn\"]\n");
    if (l->recompute != CLG_RECOMPUTE_FULL) return;
    /* Graphs of parts, as some recipes have, are refused beside it (transformer_config.py). */
    clg_text_print(t, "    cfg.model.cuda_graph_impl = \"none\"\n");
    clg_text_print(t,
                   "    cfg.model.recompute_method = \"%s\"\n"
                   "    cfg.model.recompute_num_layers = %d\n",
                   l->recompute_layers > 0 ? "block" : "uniform",
                   l->recompute_layers > 0 ? l->recompute_layers : 1);
}

/* Recipes have it off; those of megatron/bridge/perf_recipes turn it on so. */
static bool overlaps_tensor(const clg_scenario *s, const clg_layout *l) {
    return l->tp > 1 && l->sp && s->stack.overlap.tensor > 0;
}

/* Some recipes keep moments in bf16, others in fp32: the plan's go over them. */
static void moments(clg_text *t, const clg_scenario *s) {
    bool narrow = s->stack.moments == CLG_BF16;
    const char *grads = narrow && s->stack.gradient == CLG_BF16 ? "bfloat16" : "float32";
    const char *type = narrow ? "bfloat16" : "float32";
    clg_text_print(t,
                   "    cfg.optimizer.use_precision_aware_optimizer = %s\n"
                   "    cfg.optimizer.main_grads_dtype = torch.%s\n"
                   "    cfg.optimizer.exp_avg_dtype = torch.%s\n"
                   "    cfg.optimizer.exp_avg_sq_dtype = torch.%s\n",
                   narrow ? "True" : "False", grads, type, type);
}

/* A warm-up of thousands of steps, as recipes have it, is refused by releases before 0.6. */
static void optimizer(clg_text *t, const clg_scenario *s, const clg_layout *l) {
    const char *wide = s->stack.gradient == CLG_BF16 ? "False" : "True";
    const char *sharded = l->zero == 1 ? "True" : "False";
    clg_text_print(t,
                   "    cfg.scheduler.lr_warmup_iters = 10\n"
                   "    cfg.ddp.use_distributed_optimizer = %s\n"
                   "    cfg.optimizer.use_distributed_optimizer = %s\n"
                   "    cfg.ddp.overlap_param_gather = %s\n"
                   "    cfg.ddp.grad_reduce_in_fp32 = %s\n"
                   "    cfg.mixed_precision.grad_reduce_in_fp32 = %s  # goes over that of ddp\n",
                   sharded, sharded, sharded, wide, wide);
}

static void recipe(clg_launch *f, clg_text *t, const clg_scenario *s, const clg_layout *l) {
    const clg_json *known = recipe_of(f, s->model.name);
    const clg_json *module = clg_json_member(known, "module");
    const char *name = known ? clg_json_member(known, "recipe")->text : "";
    clg_text_print(t,
                   "import torch\n"
                   "from megatron.bridge.recipes.%s import %s\n"
                   "%sfrom megatron.bridge.training.gpt_step import forward_step\n"
                   "from megatron.bridge.training.mixed_precision import %s\n"
                   "from megatron.bridge.training.pretrain import pretrain\n\n\ndef main():\n"
                   "    cfg = %s()\n",
                   module ? module->text : "", name,
                   overlaps_tensor(s, l)
                       ? "from megatron.bridge.training.comm_overlap import CommOverlapConfig\n"
                       : "",
                   precision_of(s, l), name);
    degrees(t, s, l);
    recompute(t, l);
    clg_text_print(t,
                   "    cfg.model.seq_length = %lld\n    cfg.dataset.seq_length = %lld\n"
                   "    cfg.train.micro_batch_size = %d\n    cfg.train.global_batch_size = %lld\n"
                   "    cfg.train.train_iters = 100\n"
                   "    cfg.mixed_precision = %s()\n",
                   (long long)l->seq, (long long)l->seq, l->micro_batch, (long long)l->global_batch,
                   precision_of(s, l));
    if (overlaps_tensor(s, l))
        clg_text_print(t, "    cfg.comm_overlap = CommOverlapConfig(tp_comm_overlap=True)\n");
    optimizer(t, s, l);
    moments(t, s);
    clg_text_print(t, "    pretrain(config=cfg, forward_step_func=forward_step)\n\n\n"
                      "if __name__ == \"__main__\":\n    main()\n");
}

void clg_launch_bridge(clg_launch *f, const clg_scenario *s, const clg_layout *l) {
    refusals(f, s, l);
    if (f->asks) return;
    recipe(f, clg_launch_file(f, "recipe.py"), s, l);
    clg_text *t = clg_launch_file(f, "train.sh");
    clg_launch_head(t, s);
    if (l->tp > 1 || l->cp > 1) clg_text_print(t, "export CUDA_DEVICE_MAX_CONNECTIONS=1\n");
    clg_text_print(t, "torchrun --nproc-per-node $GPUS_PER_NODE --nnodes $NNODES \\\n"
                      "  --node-rank ${NODE_RANK:-0} --master-addr ${MASTER_ADDR:-localhost} \\\n"
                      "  --master-port ${MASTER_PORT:-29500} recipe.py\n");
    clg_launch_say(
        f, true,
        "what the recipe sets otherwise stays: fusions, mock data, evaluation, checkpoints; CUDA "
        "graphs, if priced, as in perf_recipes");
}
