/* launch_torchtitan.c -- keys as in torchtitan 0.2.2, torchtitan/config/job_config.py, and of
 * 2026-08-22 (b5bcd76c), torchtitan/config/configs.py; models as in
 * data/trainer/torchtitan-models.json. */
#include "job/launch.h"

#include "base/json.h"

#include <string.h>

/* The shipped model of this name: {"name", "flavor"}; NULL: none. */
static const clg_json *model_of(clg_launch *f, const char *name) {
    return clg_launch_model(f, "trainer/torchtitan-models.json", name);
}

static const char *schedule_of(const clg_layout *l) {
    switch (l->schedule) {
    case CLG_GPIPE:
        return "GPipe";
    case CLG_1F1B:
        return "1F1B";
    case CLG_INTERLEAVED:
        return "Interleaved1F1B";
    case CLG_ZB_V:
        return "ZBVZeroBubble";
    default:
        return NULL;
    }
}

static bool narrows_experts(const clg_scenario *s, const clg_layout *l) {
    return clg_model_experts(&s->model) && l->precision != CLG_BF16 && !s->stack.experts.wide;
}

/* Of the ranks that share a batch, those that one set of shards spans. */
static int shard_of(const clg_layout *l) {
    int shard = l->zero == 0 ? 1 : clg_layout_shards(l) / l->cp;
    return shard < 1 ? 1 : shard;
}

static bool is_compiled(const clg_scenario *s) { return !strstr(s->stack.name, "eager"); }

/* Even chunks: embedding and head, which it counts as layers by default, are told to weigh none. */
static int layers_of(const clg_scenario *s, const clg_layout *l) {
    return (s->model.layers + l->pp * l->vpp - 1) / (l->pp * l->vpp);
}

/* It makes as many chunks as so many layers fill, or refuses to start. */
static void chunks(clg_launch *f, const clg_scenario *s, const clg_layout *l) {
    int parts = l->pp * l->vpp, each = layers_of(s, l);
    clg_launch_refuse(f, l->pp > 1 && l->vpp > 2 && (s->model.layers + each - 1) / each != parts,
                      "so many chunks do not divide its layers");
    clg_launch_say(
        f, l->pp > 1 && s->model.layers % parts != 0,
        "the layers do not divide: the first stages have one more there, the middle ones "
        "as priced");
}

static void refusals(clg_launch *f, const clg_scenario *s, const clg_layout *l) {
    bool single = l->schedule == CLG_GPIPE || l->schedule == CLG_1F1B;
    clg_launch_refuse(f, !f->asks && !model_of(f, s->model.name), "it does not ship this model");
    clg_launch_refuse(f, strncmp(s->stack.name, "torchtitan", 10) != 0,
                      "the plan was priced for another stack: give --stack torchtitan-2025");
    clg_launch_refuse(f, l->pp > 1 && l->schedule == CLG_DUALPIPE,
                      "its DualPipeV holds the model once and runs no compiled model: another "
                      "schedule than the one priced");
    clg_launch_refuse(f, l->pp > 1 && l->schedule == CLG_ZB_H1,
                      "its zero-bubble schedules have two chunks a stage: --schedule zb-v");
    clg_launch_refuse(f, l->pp > 1 && (single ? l->vpp > 1 : l->vpp < 2),
                      "this schedule has another number of chunks there");
    clg_launch_refuse(f, l->split != NULL, "layers of stages by hand are not written");
    chunks(f, s, l);
    clg_launch_refuse(f, l->optimizer != CLG_ADAM, "it has AdamW only");
    clg_launch_refuse(f, l->order != 0, "it has no such order of ranks");
    clg_launch_refuse(f, l->zero == 1, "it shards gradients too: --zero 2 or 3");
    clg_launch_refuse(f, l->zero == 0 && l->cp > 1, "it shards over context ranks always");
    clg_launch_refuse(f, l->tp > 1 && !l->sp, "sequence parallel comes with tensor parallel");
    clg_launch_refuse(f, l->cp > 1 && l->cp_kind == CLG_CONTEXT_ULYSSES, "it has no Ulysses");
    clg_launch_refuse(f, l->recompute_layers > 0, "recomputation is of all layers or of none");
    clg_launch_refuse(
        f, l->precision != CLG_BF16 && l->precision != CLG_FP8 && l->precision != CLG_MXFP8,
        "it trains in bf16, fp8 or mxfp8");
    bool pure = !s->stack.precision.master_weights;
    clg_launch_refuse(
        f, (s->stack.gradient == CLG_BF16) != pure,
        "its gradients are in the format of its weights: --master none and --gradient "
        "bf16, or neither");
    clg_launch_refuse(
        f, clg_model_experts(&s->model) && shard_of(l) * l->cp * l->tp % (l->ep * l->etp) != 0,
        "--ep x --etp has to divide what one set of shards spans, times --tp");
    clg_launch_refuse(f, l->hsdp > 0 && (l->hsdp < l->cp || l->hsdp % l->cp != 0),
                      "one set of shards spans whole groups of context ranks");
}

/* Of 0.2 alone: parallelize.py, args.py of models, components/quantization/float8.py. */
static void old_refusals(clg_launch *f, const clg_scenario *s, const clg_layout *l) {
    clg_launch_refuse(f, l->zero == 0 && (l->tp > 1 || l->pp > 1),
                      "copies that share nothing run beside no other way of sharing");
    clg_launch_refuse(f, clg_model_experts(&s->model) && l->etp > 1 && l->etp != l->tp,
                      "experts are split over all tensor ranks or none");
    clg_launch_refuse(
        f, !f->asks && l->cp > 1 && clg_json_member(model_of(f, s->model.name), "whole_sequences"),
        "this model's attention runs on whole sequences: --cp 1");
    clg_launch_refuse(f,
                      narrows_experts(s, l) && l->precision == CLG_FP8 && (l->pp > 1 || l->cp > 1),
                      "experts in fp8 run without --pp and --cp");
}

static void parallelism(clg_text *t, const clg_scenario *s, const clg_layout *l) {
    int shard = shard_of(l); /* its shards span context ranks as well: dp_shard x cp */
    clg_text_print(t,
                   "\n[parallelism]\ntensor_parallel_degree = %d\npipeline_parallel_degree = %d\n"
                   "data_parallel_shard_degree = %d\ndata_parallel_replicate_degree = %d\n"
                   "context_parallel_degree = %d\n",
                   l->tp, l->pp, shard, l->dp / shard, l->cp);
    if (l->cp > 1)
        clg_text_print(t, "context_parallel_rotate_method = \"%s\"\n",
                       l->cp_kind == CLG_CONTEXT_GATHER ? "allgather" : "alltoall");
    if (clg_model_experts(&s->model))
        clg_text_print(t, "expert_parallel_degree = %d\nexpert_tensor_parallel_degree = %d\n",
                       l->ep, l->etp);
    if (l->zero > 0)
        clg_text_print(t, "fsdp_reshard_after_forward = \"%s\"\n",
                       l->zero == 3 ? "always" : "never");
    if (l->pp == 1) return;
    clg_text_print(t,
                   "pipeline_parallel_schedule = \"%s\"\npipeline_parallel_microbatch_size = %d\n",
                   schedule_of(l), l->micro_batch);
    clg_text_print(t, "pipeline_parallel_first_stage_less_layers = 0\n"
                      "pipeline_parallel_last_stage_less_layers = 0\n");
    if (l->vpp > 2) clg_text_print(t, "pipeline_parallel_layers_per_stage = %d\n", layers_of(s, l));
}

/* The batch of a rank is one micro-batch, or all that its pipeline cuts into them. */
static void training(clg_text *t, const clg_scenario *s, const clg_layout *l) {
    long long rank = l->pp > 1 ? l->global_batch / l->dp : l->micro_batch;
    clg_text_print(t,
                   "\n[training]\nlocal_batch_size = %lld\nglobal_batch_size = %lld\n"
                   "seq_len = %lld\nsteps = 100\ndataset = \"c4\"\n",
                   rank, (long long)l->global_batch, (long long)l->seq);
    if (l->offload) clg_text_print(t, "enable_cpu_offload = true\n");
    if (!s->stack.precision.master_weights) clg_text_print(t, "dtype = \"bfloat16\"\n");
}

/* Heads stay in 16 bit; shards gather in 8 where that is priced (docs/float8.md). */
static void converters(clg_text *t, const clg_scenario *s, const clg_layout *l) {
    if (l->precision == CLG_BF16) return;
    const char *kind = l->precision == CLG_FP8 ? "float8" : "mx";
    bool experts = narrows_experts(s, l);
    clg_text_print(t, "converters = [\"quantize.linear.%s\"", kind);
    if (experts) clg_text_print(t, ", \"quantize.grouped_mm.%s\"", kind);
    clg_text_print(t, "]\n");
    if (experts) clg_text_print(t, "\n[quantize.grouped_mm.%s]\nfqns = [\"experts\"]\n", kind);
    clg_text_print(t, "\n[quantize.linear.%s]\nfilter_fqns = [\"output\"%s]\n", kind,
                   clg_model_experts(&s->model) ? ", \"router.gate\"" : "");
    if (l->precision == CLG_FP8 && s->stack.traffic.narrow_gathers)
        clg_text_print(t, "enable_fsdp_float8_all_gather = true\n"
                          "precompute_float8_dynamic_scale_for_fsdp = true\n");
}

static void toml(clg_launch *f, clg_text *t, const clg_scenario *s, const clg_layout *l) {
    const clg_json *model = model_of(f, s->model.name);
    const clg_json *name = clg_json_member(model, "name"),
                   *flavor = clg_json_member(model, "flavor");
    const char *hub = clg_launch_hub(f->arena, &s->model), *last = hub ? strchr(hub, '/') : NULL;
    clg_text_print(t, "# torchtitan 0.2.2\n[job]\ndump_folder = \"./outputs\"\n");
    clg_text_print(t, "\n[model]\nname = \"%s\"\nflavor = \"%s\"\n", name ? name->text : "",
                   flavor ? flavor->text : "");
    clg_text_print(t, "hf_assets_path = \"./assets/hf/%s\"\n", last ? last + 1 : "TOKENIZER");
    converters(t, s, l);
    clg_text_print(t, "\n[optimizer]\nname = \"AdamW\"\n\n[metrics]\nlog_freq = 1\n");
    training(t, s, l);
    parallelism(t, s, l);
    clg_text_print(t, "\n[activation_checkpoint]\nmode = \"%s\"\n",
                   clg_name_of(clg_recompute_names, (int)l->recompute));
    if (l->recompute == CLG_RECOMPUTE_SELECTIVE)
        clg_text_print(t, "selective_ac_option = \"op\"\n");
    clg_text_print(t, "\n[compile]\nenable = %s\n", is_compiled(s) ? "true" : "false");
}

static void start(clg_launch *f, const clg_scenario *s, const char *what) {
    clg_text *t = clg_launch_file(f, "train.sh");
    clg_launch_head(t, s);
    clg_text_print(t,
                   "torchrun --nproc_per_node $GPUS_PER_NODE --nnodes $NNODES \\\n"
                   "  --rdzv_backend c10d --rdzv_endpoint ${MASTER_ADDR:-localhost}:29500 \\\n"
                   "  -m torchtitan.train %s\n",
                   what);
    clg_launch_say(f, true, "hf_assets_path: scripts/download_hf_assets.py fetches the tokenizer");
}

void clg_launch_torchtitan(clg_launch *f, const clg_scenario *s, const clg_layout *l) {
    refusals(f, s, l);
    old_refusals(f, s, l);
    if (f->asks) return;
    toml(f, clg_launch_file(f, "train.toml"), s, l);
    start(f, s, "--job.config_file train.toml");
    clg_launch_say(f, l->recompute == CLG_RECOMPUTE_SELECTIVE,
                   "its selective option \"op\" keeps every second product too: more memory is "
                   "saved than priced");
}

/* ---- the configurations of 2026, which are Python ---- */

/* "Float8" or "MXFP8", as its converters begin; NULL: none. */
static const char *format_of(const clg_layout *l) {
    return l->precision == CLG_FP8 ? "Float8" : l->precision == CLG_MXFP8 ? "MXFP8" : NULL;
}

static const char *checkpoint_of(const clg_layout *l) {
    return l->recompute == CLG_RECOMPUTE_FULL        ? "FullAC"
           : l->recompute == CLG_RECOMPUTE_SELECTIVE ? "SelectiveAC"
                                                     : NULL;
}

/* Steps in CUDA graphs, its default, are refused with pipelines and with experts dispatched by the
 * host (trainer.py, _validate_cuda_graphs). */
static bool captures(const clg_layout *l) { return l->pp == 1 && l->ep == 1; }

static void set_number(clg_text *t, const char *key, long long value) {
    clg_text_print(t, "    config.%s = %lld\n", key, value);
}

static void set_parallelism(clg_text *t, const clg_scenario *s, const clg_layout *l) {
    int shard = shard_of(l);
    set_number(t, "parallelism.tensor_parallel_degree", l->tp);
    set_number(t, "parallelism.pipeline_parallel_degree", l->pp);
    set_number(t, "parallelism.context_parallel_degree", l->cp);
    set_number(t, "parallelism.data_parallel_shard_degree", shard);
    set_number(t, "parallelism.data_parallel_replicate_degree", l->dp / shard);
    if (clg_model_experts(&s->model)) set_number(t, "parallelism.expert_parallel_degree", l->ep);
    if (l->zero > 0)
        clg_text_print(t, "    config.parallelism.fsdp_reshard_after_forward = \"%s\"\n",
                       l->zero == 3 ? "always" : "never");
    if (l->pp == 1) return;
    clg_text_print(t, "    config.parallelism.pipeline_parallel_schedule = \"%s\"\n",
                   schedule_of(l));
    set_number(t, "parallelism.num_pp_microbatches", l->global_batch / (l->dp * l->micro_batch));
    set_number(t, "parallelism.pipeline_parallel_first_stage_less_layers", 0);
    set_number(t, "parallelism.pipeline_parallel_last_stage_less_layers", 0);
    if (l->vpp > 2)
        set_number(t, "parallelism.pipeline_parallel_layers_per_stage", layers_of(s, l));
}

static void imports(clg_text *t, const clg_scenario *s, const clg_layout *l, const char *module,
                    const char *recipe) {
    clg_text_print(t, "# torchtitan of 2026-08\n");
    const char *format = format_of(l);
    if (format)
        clg_text_print(t, "from torchtitan.components.quantization import %sLinearConverter\n",
                       format);
    if (narrows_experts(s, l))
        clg_text_print(t,
                       "from torchtitan.components.quantization import %sGroupedExpertsConverter\n",
                       format);
    clg_text_print(t, "from torchtitan.config import CompileConfig\n");
    if (checkpoint_of(l))
        clg_text_print(t, "from torchtitan.distributed.activation_checkpoint import %s\n",
                       checkpoint_of(l));
    clg_text_print(t,
                   "from torchtitan.models.%s import model_registry\n"
                   "from torchtitan.models.%s.config_registry import %s\n"
                   "from torchtitan.trainer import Trainer\n",
                   module, module, recipe);
}

/* One converter leaves out what it is told, the other takes what it is told: the head stays wide.
 */
static void specification(clg_text *t, const clg_scenario *s, const clg_layout *l,
                          const char *flavor) {
    const char *format = format_of(l), *compiled = is_compiled(s) ? "True" : "False";
    clg_text_print(t, "    config.model_spec = model_registry(\"%s\"", flavor);
    if (format)
        clg_text_print(t,
                       ", converters=[\n        %sLinearConverter.Config(\n"
                       "            model_compile_enabled=%s, %s),\n",
                       format, compiled,
                       l->precision == CLG_MXFP8
                           ? "fqns=[\"attention\", \"feed_forward\", \"shared_experts\"]"
                           : "filter_fqns=[\"lm_head\", \"router.gate\"]");
    if (narrows_experts(s, l))
        clg_text_print(t, "        %sGroupedExpertsConverter.Config(model_compile_enabled=%s),\n",
                       format, compiled);
    clg_text_print(t, "%s)\n", format ? "    ]" : "");
}

static void configuration(clg_launch *f, clg_text *t, const clg_scenario *s, const clg_layout *l) {
    const clg_json *model = model_of(f, s->model.name);
    const clg_json *module = clg_json_member(model, "name"),
                   *recipe = clg_json_member(model, "recipe"),
                   *flavor = clg_json_member(model, "flavor");
    if (!recipe || !module || !flavor) return;
    imports(t, s, l, module->text, recipe->text);
    clg_text_print(t, "\n\ndef plan() -> Trainer.Config:\n    config = %s()\n", recipe->text);
    specification(t, s, l, flavor->text);
    set_number(t, "training.max_context_length", l->seq);
    set_number(t, "training.num_tokens_per_microbatch_per_dp_rank", l->micro_batch * l->seq);
    set_number(t, "training.num_tokens_per_train_step", l->global_batch * l->seq);
    set_number(t, "training.steps", 100);
    if (l->offload) clg_text_print(t, "    config.training.enable_cpu_offload = True\n");
    if (!s->stack.precision.master_weights)
        clg_text_print(t, "    config.training.dtype = \"bfloat16\"\n");
    if (!captures(l)) clg_text_print(t, "    config.training.disable_cuda_graphs = True\n");
    set_parallelism(t, s, l);
    clg_text_print(t, "    config.activation_checkpoint = %s%s\n",
                   checkpoint_of(l) ? checkpoint_of(l) : "None",
                   checkpoint_of(l) ? ".Config()" : "");
    clg_text_print(t, "    config.compile = CompileConfig(enable=%s)\n    return config\n",
                   is_compiled(s) ? "True" : "False");
}

void clg_launch_torchtitan_2026(clg_launch *f, const clg_scenario *s, const clg_layout *l) {
    refusals(f, s, l);
    clg_launch_refuse(f, clg_model_experts(&s->model) && l->etp > 1,
                      "it splits no expert: --etp 1");
    clg_launch_refuse(f, l->cp > 1, "context parallelism is not written for it: --cp 1");
    if (f->asks) return;
    clg_launch_refuse(f, !clg_json_member(model_of(f, s->model.name), "recipe"),
                      "its configurations of 2026 have none of this model");
    configuration(f, clg_launch_file(f, "plan.py"), s, l);
    start(f, s, "--module plan --config plan");
    clg_launch_say(f, s->stack.loss.chunks != 8,
                   "its recipes make the loss in 8 chunks: --term loss_chunks=8 prices that");
    clg_launch_say(
        f, true, "its attention is FlexAttention under a mask of documents, which was not priced");
    clg_launch_say(f, l->precision == CLG_FP8,
                   "its float8 is scaled by rows, and shards gather in 16 bit");
    clg_launch_say(f, captures(l),
                   "it captures steps in CUDA graphs, which was not priced: they may be shorter");
}
