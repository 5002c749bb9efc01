/* launch_hugging_face.c -- the Trainer of transformers (examples/pytorch/language-modeling/
 * run_clm.py), or with adapters that of TRL (trl/scripts/sft.py), under DeepSpeed or accelerate.
 * Keys as in DeepSpeed's config-json (0.19.5), accelerate's FSDP plugin (1.14.0),
 * TrainingArguments, and TRL's SFTConfig (016013e8 of 2026). */
#include "job/launch.h"

#include <string.h>

/* Its --optim; NULL: it has none such. */
static const char *const optimizers[CLG_OPTIMIZERS] = {
    [CLG_ADAM] = "adamw_torch", [CLG_ADAM_8BIT] = "adamw_bnb_8bit", [CLG_SGD] = "sgd",
    [CLG_LION] = "lion_32bit",  [CLG_LION_8BIT] = "lion_8bit",      [CLG_ADAFACTOR] = "adafactor"};

static bool parts_model(const clg_layout *l) {
    return l->tp > 1 || l->pp > 1 || l->cp > 1 || l->ep > 1;
}

static bool is_hybrid(const clg_layout *l) { return l->zero > 0 && l->hsdp > 0 && l->hsdp < l->dp; }

static bool adapts(const clg_layout *l) { return l->adapter.kind != CLG_ADAPTER_NONE; }

/* The model's place on the Hub, or the user's own config.json. */
static const char *model_of(clg_launch *f, const clg_scenario *s) {
    const char *hub = clg_launch_hub(f->arena, &s->model);
    bool file = s->model.name && strchr(s->model.name, '.') && strstr(s->model.name, ".json");
    return hub ? hub : file ? s->model.name : NULL;
}

static void refusals(clg_launch *f, const clg_scenario *s, const clg_layout *l) {
    clg_launch_refuse(f, !f->asks && !model_of(f, s),
                      "no place of this model on the Hub is known here");
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
    clg_launch_refuse(f, !optimizers[l->optimizer], "its Trainer has no such optimizer");
    clg_launch_refuse(f, l->optimizer == CLG_ADAM_8BIT && l->offload,
                      "8-bit Adam does not run on the host");
    clg_launch_refuse(f, l->order != 0, "it has no such order of ranks");
    bool wide = l->adapter.base == CLG_BASE_BF16;
    clg_launch_refuse(f, l->adapter.kind == CLG_ADAPTER_QLORA ? wide : adapts(l) && !wide,
                      "a stored base of fewer bits is QLoRA, and only that");
    clg_launch_refuse(f, adapts(l) && l->adapter.base == CLG_BASE_INT4,
                      "it stores a base in nf4 or int8 while training");
}

/* What the model is loaded in. */
static const char *wide_name(const clg_layout *l) {
    return l->precision == CLG_FP16 ? "float16" : "bfloat16";
}

/* The names that most models have. */
static void targets(clg_text *t, unsigned mask) {
    static const char *const names[] = {"q_proj",    "k_proj",  "v_proj",   "o_proj",
                                        "gate_proj", "up_proj", "down_proj"};
    clg_text_print(t, " \\\n  --lora_target_modules");
    if (mask == CLG_TARGET_ALL) {
        clg_text_print(t, " all-linear");
        return;
    }
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (mask & (1U << i)) clg_text_print(t, " %s", names[i]);
}

/* Bytes are not cut into shards, floats are: accelerate's utils/fsdp_utils.py leaves 4-bit weights
 * stored as bytes whole on every rank (peft docs/source/accelerate/fsdp.md, deepspeed.md). */
static void storage(clg_text *t, const clg_layout *l) {
    if (l->zero > 0 && l->adapter.base == CLG_BASE_NF4)
        clg_text_print(t, " \\\n  --bnb_4bit_quant_storage %s", wide_name(l));
}

static void adapter(clg_text *t, const clg_layout *l) {
    const clg_adapter *a = &l->adapter;
    clg_text_print(t, "  --use_peft --lora_r %d --lora_alpha %d%s", a->rank, 2 * a->rank,
                   a->kind == CLG_ADAPTER_DORA ? " --use_dora true"
                   : a->base == CLG_BASE_NF4   ? " --load_in_4bit true"
                   : a->base == CLG_BASE_INT8  ? " --load_in_8bit true"
                                               : "");
    targets(t, a->targets);
    storage(t, l);
    clg_text_print(t, " \\\n");
}

static const char *program_of(const clg_layout *l) {
    return adapts(l) ? "-m trl.scripts.sft" : "${TRAINER:-.}/run_clm.py";
}

/* A model made from its configuration is in that one's 16 bit (transformers modeling_utils.py,
 * _from_config): where nothing keeps a copy in fp32, `wide`, a checkpoint is loaded in fp32. */
static void data(clg_launch *f, clg_text *t, const clg_scenario *s, const clg_layout *l,
                 bool wide) {
    const char *model = model_of(f, s) ? model_of(f, s) : "";
    if (adapts(l)) {
        clg_text_print(t, "  --model_name_or_path %s --dtype %s \\\n", model, wide_name(l));
        clg_text_print(t,
                       "  --dataset_name trl-lib/Capybara --packing true --max_length %lld \\\n"
                       "  --loss_type nll \\\n", /* chunked since TRL 1.7: not what was priced */
                       (long long)l->seq);
        adapter(t, l);
    } else {
        if (wide)
            clg_text_print(t, "  --model_name_or_path %s --dtype float32 \\\n", model);
        else
            clg_text_print(t, "  --config_name %s --tokenizer_name %s \\\n", model, model);
        clg_text_print(t,
                       "  --dataset_name wikitext --dataset_config_name wikitext-103-raw-v1 \\\n"
                       "  --do_train --block_size %lld \\\n",
                       (long long)l->seq);
    }
}

static void arguments(clg_launch *f, clg_text *t, const clg_scenario *s, const clg_layout *l,
                      bool wide) {
    data(f, t, s, l, wide);
    clg_text_print(t, "  --max_steps 100 --logging_steps 1 --output_dir out \\\n");
    clg_text_print(t, "  --per_device_train_batch_size %d \\\n", l->micro_batch);
    clg_text_print(t, "  --gradient_accumulation_steps %lld --optim %s", (long long)l->accumulation,
                   optimizers[l->optimizer]);
    if (l->precision != CLG_FP32)
        clg_text_print(t, " --%s true", l->precision == CLG_FP16 ? "fp16" : "bf16");
}

static void notes(clg_launch *f, const clg_scenario *s, const clg_layout *l) {
    clg_launch_say(
        f, !adapts(l),
        "TRAINER: where run_clm.py lies, transformers/examples/pytorch/language-modeling");
    clg_launch_say(
        f, adapts(l),
        "TRL of 2026 makes the loss in chunks (--loss_type chunked_nll): less memory than "
        "priced");
    clg_launch_say(
        f, !adapts(l) && s->model.max_seq > 0 && l->seq > s->model.max_seq,
        "run_clm.py cuts texts to the length of the model's tokenizer, which may be less");
    clg_launch_say(f, true, "attention is what the model's code picks");
}

/* ---- DeepSpeed ---- */

static const char *format_name(clg_precision precision) {
    return precision == CLG_FP32 ? "fp32" : precision == CLG_FP16 ? "fp16" : "bf16";
}

/* Narrow gradients are in the format of the weights. */
static const char *gradients(const clg_scenario *s, const clg_layout *l) {
    return format_name(s->stack.gradient == CLG_FP32 ? CLG_FP32 : l->precision);
}

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
    clg_json_add_string(w, "grad_accum_dtype", gradients(s, l));
    clg_json_close(w, '}');
    clg_json_close(w, '}');
    clg_text_print(t, "\n");
}

void clg_launch_deepspeed(clg_launch *f, const clg_scenario *s, const clg_layout *l) {
    refusals(f, s, l);
    clg_launch_refuse(f, is_hybrid(l), "its shards span all ranks: --hsdp 0");
    clg_launch_refuse(f, l->offload && l->zero == 0, "ZeRO-0 has nothing to move to the host");
    clg_launch_refuse(f, l->zero == 0 && strcmp(gradients(s, l), format_name(l->precision)) != 0,
                      "without ZeRO its gradients are in the format of the weights: --zero 1, or "
                      "--gradient bf16");
    clg_launch_refuse(f, l->offload && l->optimizer != CLG_ADAM && l->optimizer != CLG_LION,
                      "on the host it has Adam and Lion; accelerate puts Adam for any other");
    if (f->asks) return;
    deepspeed_json(clg_launch_file(f, "ds_config.json"), s, l);
    clg_text *t = clg_launch_file(f, "train.sh");
    clg_launch_head(t, s);
    clg_text_print(t,
                   "torchrun --nproc-per-node $GPUS_PER_NODE --nnodes $NNODES \\\n"
                   "  --node-rank ${NODE_RANK:-0} --master-addr ${MASTER_ADDR:-localhost} \\\n"
                   "  %s --deepspeed ds_config.json \\\n",
                   program_of(l));
    arguments(f, t, s, l, l->precision == CLG_FP32);
    clg_text_print(t, " \\\n  --gradient_checkpointing %s\n",
                   l->recompute == CLG_RECOMPUTE_FULL ? "true" : "false");
    notes(f, s, l);
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
    clg_launch_refuse(f, adapts(l) && l->adapter.base == CLG_BASE_INT8 && l->zero > 0,
                      "its FSDP shards no base of 8-bit whole numbers: --zero 0, or nf4");
    clg_launch_refuse(f, is_hybrid(l) && l->hsdp != s->machine.node.gpus,
                      "its hybrid shards span one node");
    if (f->asks) return;
    accelerate_yaml(clg_launch_file(f, "accelerate.yaml"), s, l);
    clg_text *t = clg_launch_file(f, "train.sh");
    clg_launch_head(t, s);
    clg_text_print(t,
                   "accelerate launch --config_file accelerate.yaml \\\n"
                   "  --machine_rank ${NODE_RANK:-0} --main_process_port 29500 \\\n"
                   "  --main_process_ip ${MASTER_ADDR:-localhost} \\\n  %s \\\n",
                   program_of(l));
    arguments(f, t, s, l, l->precision == CLG_FP32 || l->zero == 0);
    /* FSDP's own and the Trainer's together are refused (trainer.py), and TRL's is on by default.
     */
    clg_text_print(t, " \\\n  --gradient_checkpointing %s\n",
                   l->zero == 0 && l->recompute == CLG_RECOMPUTE_FULL ? "true" : "false");
    notes(f, s, l);
}
