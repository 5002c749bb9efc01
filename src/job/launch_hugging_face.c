/* launch_hugging_face.c -- the Trainer of transformers (examples/pytorch/language-modeling/
 * run_clm.py) under DeepSpeed or accelerate. Keys as in DeepSpeed's config-json, accelerate's
 * FSDP plugin and TrainingArguments (read 2026-08). */
#include "job/launch.h"

#include <string.h>

static bool parts_model(const clg_layout *l) {
    return l->tp > 1 || l->pp > 1 || l->cp > 1 || l->ep > 1;
}

static bool is_hybrid(const clg_layout *l) { return l->zero > 0 && l->hsdp > 0 && l->hsdp < l->dp; }

/* The model's place on the Hub, or the user's own config.json. */
static const char *model_of(clg_launch *f, const clg_scenario *s) {
    const char *hub = clg_launch_hub(f->arena, &s->model);
    bool file = s->model.name && strchr(s->model.name, '.') && strstr(s->model.name, ".json");
    return hub ? hub : file ? s->model.name : NULL;
}

static void refusals(clg_launch *f, const clg_scenario *s, const clg_layout *l) {
    clg_launch_refuse(f, !model_of(f, s), "no place of this model on the Hub is known here");
    clg_launch_refuse(f,
                      strncmp(s->stack.name, "megatron", 8) == 0 ||
                          strncmp(s->stack.name, "torchtitan", 10) == 0,
                      "the plan was priced for another stack: give --stack pytorch");
    clg_launch_refuse(f, parts_model(l), "it splits no layers: tp, pp, cp and ep have to be 1");
    clg_launch_refuse(f, l->recompute == CLG_RECOMPUTE_SELECTIVE || l->recompute_layers > 0,
                      "recomputation is of all layers or of none");
    clg_launch_refuse(
        f, l->precision != CLG_BF16 && l->precision != CLG_FP16 && l->precision != CLG_FP32,
        "it trains in bf16, fp16 or fp32");
    clg_launch_refuse(f, l->optimizer == CLG_MUON, "its Trainer has no Muon");
    clg_launch_refuse(f, l->optimizer == CLG_ADAM_8BIT && l->offload,
                      "8-bit Adam does not run on the host");
    clg_launch_refuse(f, l->order != 0, "it has no such order of ranks");
}

static void arguments(clg_launch *f, clg_text *t, const clg_scenario *s, const clg_layout *l) {
    static const char *const optimizers[] = {[CLG_ADAM] = "adamw_torch",
                                             [CLG_ADAM_8BIT] = "adamw_bnb_8bit",
                                             [CLG_MUON] = "",
                                             [CLG_SGD] = "sgd"};
    const char *model = model_of(f, s);
    clg_text_print(t, "  --config_name %s --tokenizer_name %s \\\n", model ? model : "",
                   model ? model : "");
    clg_text_print(t, "  --dataset_name wikitext --dataset_config_name wikitext-103-raw-v1 \\\n"
                      "  --do_train --max_steps 100 --logging_steps 1 --output_dir out \\\n");
    clg_text_print(t, "  --block_size %lld --per_device_train_batch_size %d \\\n",
                   (long long)l->seq, l->micro_batch);
    clg_text_print(t, "  --gradient_accumulation_steps %lld --optim %s", (long long)l->accumulation,
                   optimizers[l->optimizer]);
    if (l->precision != CLG_FP32)
        clg_text_print(t, " --%s true", l->precision == CLG_FP16 ? "fp16" : "bf16");
}

static void notes(clg_launch *f) {
    clg_launch_say(f, true, "run_clm.py: transformers, examples/pytorch/language-modeling");
    clg_launch_say(f, true, "attention is what the model's code picks");
}

/* ---- DeepSpeed ---- */

static void deepspeed_json(clg_text *t, const clg_scenario *s, const clg_layout *l) {
    clg_json_writer writer = {.text = t, .pretty = true}, *w = &writer;
    clg_json_open(w, NULL, '{');
    clg_json_add_integer(w, "train_batch_size", l->global_batch);
    clg_json_add_integer(w, "train_micro_batch_size_per_gpu", l->micro_batch);
    clg_json_add_integer(w, "gradient_accumulation_steps", l->accumulation);
    clg_json_open(w, "zero_optimization", '{');
    clg_json_add_integer(w, "stage", l->zero);
    clg_json_add_bool(w, "overlap_comm", true);
    if (l->offload) {
        clg_json_open(w, "offload_optimizer", '{');
        clg_json_add_string(w, "device", "cpu");
        clg_json_close(w, '}');
    }
    clg_json_close(w, '}');
    if (l->precision != CLG_FP32) {
        clg_json_open(w, l->precision == CLG_FP16 ? "fp16" : "bf16", '{');
        clg_json_add_bool(w, "enabled", true);
        clg_json_close(w, '}');
    }
    clg_json_open(w, "data_types", '{');
    clg_json_add_string(w, "grad_accum_dtype", s->stack.gradient == CLG_FP32 ? "fp32" : "bf16");
    clg_json_close(w, '}');
    clg_json_close(w, '}');
    clg_text_print(t, "\n");
}

void clg_launch_deepspeed(clg_launch *f, const clg_scenario *s, const clg_layout *l) {
    refusals(f, s, l);
    clg_launch_refuse(f, is_hybrid(l), "its shards span all ranks: --hsdp 0");
    clg_launch_refuse(f, l->offload && l->zero == 0, "ZeRO-0 has nothing to move to the host");
    deepspeed_json(clg_launch_file(f, "ds_config.json"), s, l);
    clg_text *t = clg_launch_file(f, "train.sh");
    clg_launch_head(t, s);
    clg_text_print(t, "torchrun --nproc-per-node $GPUS_PER_NODE --nnodes $NNODES \\\n"
                      "  --node-rank ${NODE_RANK:-0} --master-addr ${MASTER_ADDR:-localhost} \\\n"
                      "  run_clm.py --deepspeed ds_config.json \\\n");
    arguments(f, t, s, l);
    clg_text_print(t, " \\\n  --gradient_checkpointing %s\n",
                   l->recompute == CLG_RECOMPUTE_FULL ? "true" : "false");
    notes(f);
}

/* ---- accelerate ---- */

static void fsdp(clg_text *t, const clg_layout *l) {
    clg_text_print(t, "fsdp_config:\n");
    if (is_hybrid(l))
        clg_text_print(t, "  fsdp_version: 1\n  fsdp_sharding_strategy: %s\n",
                       l->zero == 3 ? "HYBRID_SHARD" : "HYBRID_SHARD_ZERO2");
    else
        clg_text_print(t, "  fsdp_version: 2\n  fsdp_reshard_after_forward: %s\n",
                       l->zero == 3 ? "true" : "false");
    clg_text_print(t,
                   "  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n"
                   "  fsdp_state_dict_type: SHARDED_STATE_DICT\n"
                   "  fsdp_offload_params: false\n  fsdp_activation_checkpointing: %s\n",
                   l->recompute == CLG_RECOMPUTE_FULL ? "true" : "false");
}

static void accelerate_yaml(clg_text *t, const clg_scenario *s, const clg_layout *l) {
    int nodes = s->machine.gpus > s->machine.node.gpus ? s->machine.gpus / s->machine.node.gpus : 1;
    clg_text_print(t,
                   "compute_environment: LOCAL_MACHINE\ndistributed_type: %s\n"
                   "num_machines: %d\nnum_processes: %d\nmixed_precision: '%s'\n",
                   l->zero > 0 ? "FSDP" : "MULTI_GPU", nodes, s->machine.gpus,
                   l->precision == CLG_FP32   ? "no"
                   : l->precision == CLG_FP16 ? "fp16"
                                              : "bf16");
    if (l->zero > 0) fsdp(t, l);
}

void clg_launch_accelerate(clg_launch *f, const clg_scenario *s, const clg_layout *l) {
    refusals(f, s, l);
    clg_launch_refuse(f, l->zero == 1, "it shards gradients too: --zero 2 or 3");
    clg_launch_refuse(f, l->offload, "its offload moves parameters too, which was not priced");
    clg_launch_refuse(f, is_hybrid(l) && l->hsdp != s->machine.node.gpus,
                      "its hybrid shards span one node");
    accelerate_yaml(clg_launch_file(f, "accelerate.yaml"), s, l);
    clg_text *t = clg_launch_file(f, "train.sh");
    clg_launch_head(t, s);
    clg_text_print(t, "accelerate launch --config_file accelerate.yaml \\\n"
                      "  --machine_rank ${NODE_RANK:-0} --main_process_port 29500 \\\n"
                      "  --main_process_ip ${MASTER_ADDR:-localhost} \\\n  run_clm.py \\\n");
    arguments(f, t, s, l);
    if (l->zero == 0)
        clg_text_print(t, " \\\n  --gradient_checkpointing %s",
                       l->recompute == CLG_RECOMPUTE_FULL ? "true" : "false");
    clg_text_print(t, "\n");
    notes(f);
}
