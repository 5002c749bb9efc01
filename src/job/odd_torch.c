/* odd_torch.c -- torchtitan's and torchtune's own rules. */
#include "job/odd.h"

#include <math.h>
#include <string.h>

/* FSDP shards unless one rank holds all; weights are gathered anew for the backward unless told not
 * to, or, by default, under a pipeline (torchtitan parallelize_llama.py, get_fsdp_reshard...). */
static void titan_sharding(clg_reading *r) {
    double pp = clg_job_value_or(r, CLG_JOB_PP, 1), shards = clg_job_get(r, CLG_JOB_SHARDS);
    double replicas = clg_job_value_or(r, CLG_JOB_REPLICAS, 1);
    const char *when =
        clg_odd_word(r,
                     "parallelism.fsdp_reshard_after_forward|training.fsdp_reshard_after_forward|"
                     "fsdp_reshard_after_forward",
                     "default");
    if (shards == 1 && replicas > 1) {
        clg_job_put(r, CLG_JOB_ZERO, 0, NULL, "replicas only: nothing is sharded");
        return;
    }
    bool kept = clg_job_is(when, "never") || (clg_job_is(when, "default") && pp > 1);
    clg_job_put(r, CLG_JOB_ZERO, kept ? 2 : 3, NULL,
                kept ? "FSDP without resharding after the forward"
                     : "FSDP, resharding after the forward");
}

/* A pipeline cuts the batch of a rank into micro-batches; without one the batch is the
 * micro-batch. */
static void titan_batches(clg_reading *r) {
    double pp = clg_job_value_or(r, CLG_JOB_PP, 1),
           rank = clg_job_value_or(r, CLG_JOB_RANK_BATCH, 8);
    double parts = clg_odd_number(r, "experimental.pipeline_parallel_microbatches", 0);
    if (pp <= 1) return;
    if (parts > 0)
        clg_job_put(r, CLG_JOB_MICRO_BATCH, rank / parts, NULL,
                    "batch of a rank over micro-batches");
    clg_job_put(r, CLG_JOB_MICRO_BATCH, clg_job_value_or(r, CLG_JOB_DEVICE_BATCH, 1), NULL,
                "default of torchtitan: parallelism.pipeline_parallel_microbatch_size");
}

/* Since 2026 a micro-batch is so many tokens of a data-parallel rank, and a step so many of them as
 * the pipeline has (torchtitan/config/configs.py, TrainingConfig). */
static void titan_tokens(clg_reading *r) {
    double tokens = clg_odd_number(r,
                                   "training.num_tokens_per_microbatch_per_dp_rank|"
                                   "num_tokens_per_microbatch_per_dp_rank",
                                   0);
    double seq = clg_job_get(r, CLG_JOB_SEQ);
    double parts = clg_odd_number(r, "parallelism.num_pp_microbatches|num_pp_microbatches", 1);
    if (tokens < 1 || seq < 1) return;
    clg_job_put(r, CLG_JOB_MICRO_BATCH, ceil(tokens / seq), NULL,
                "tokens of a micro-batch over the context");
    if (clg_job_get(r, CLG_JOB_BATCH_TOKENS) < 1 && clg_job_get(r, CLG_JOB_GLOBAL_BATCH) < 1)
        clg_job_put(r, CLG_JOB_ACCUMULATION, parts, NULL, "micro-batches of the pipeline");
}

/* A configuration of one's own begins with one that is shipped: "config = llama3_70b()". */
static void titan_model(clg_reading *r) {
    for (int i = 0; i < r->sources; i++) {
        const clg_json *calls = clg_tree_find(r->source[i].root, "calls");
        for (const clg_json *one = calls ? calls->first : NULL; one; one = one->next)
            if (!strchr(one->key, '.') && clg_job_preset_in(r->arena, one->key))
                clg_job_put_word(r, CLG_JOB_MODEL, one->key,
                                 clg_arena_print(r->arena, "%s:%d %s",
                                                 clg_job_base_name(r->source[i].name), one->line,
                                                 one->key),
                                 NULL);
    }
}

static void titan_chunks(clg_reading *r) {
    const char *schedule = r->job->field[CLG_JOB_SCHEDULE].text;
    bool many = schedule && (strcmp(schedule, "interleaved") == 0 ||
                             strncmp(schedule, "zb", 2) == 0 || strcmp(schedule, "dualpipe") == 0);
    if (clg_job_value_or(r, CLG_JOB_PP, 1) > 1 && many &&
        !clg_job_has_field(r, CLG_JOB_CHUNK_LAYERS))
        clg_job_put(r, CLG_JOB_VPP, 2, NULL, "two chunks a stage, as the trainer has it");
}

/* Embedding and head stand for a layer each unless told otherwise; what does not divide goes to the
 * first stages (torchtitan/distributed/pipeline_parallel.py). */
static void titan_stages(clg_reading *r) {
    int pp = clg_odd_whole(r, CLG_JOB_PP), layers[256];
    double all = clg_job_get(r, CLG_JOB_LAYERS);
    double each = clg_job_get(r, CLG_JOB_CHUNK_LAYERS);
    double first = clg_odd_number(r,
                                  "parallelism.pipeline_parallel_first_stage_less_layers|"
                                  "pipeline_parallel_first_stage_less_layers",
                                  1);
    double last = clg_odd_number(r,
                                 "parallelism.pipeline_parallel_last_stage_less_layers|"
                                 "pipeline_parallel_last_stage_less_layers",
                                 1);
    double shares = all + first + last;
    if (pp < 2 || pp > 256 || all < 1 || first < 0 || last < 0 || shares > 1e6) return;
    if (each > 0)
        clg_job_put(r, CLG_JOB_VPP, ceil(ceil(shares / each) / pp), NULL,
                    "layers and what counts as such over pp x layers of a stage");
    int vpp = clg_odd_whole(r, CLG_JOB_VPP), chunks = pp * vpp;
    if (vpp < 1 || vpp > 256 / pp || first + last == 0) return;
    int share = (int)shares / chunks, more = (int)shares % chunks;
    for (int i = 0; i < chunks; i++)
        layers[i] =
            share + (i < more) - (i == 0 ? (int)first : 0) - (i == chunks - 1 ? (int)last : 0);
    clg_odd_stage_layers(r, layers, chunks,
                         "first_ and last_stage_less_layers: what they count as layers");
}

/* In eight parts unless told (components/loss.py). */
static void titan_loss(clg_reading *r) {
    if (!clg_job_key(r, r->main, "calls.ChunkedLossWrapper.Config").node) return;
    double parts = clg_odd_number(r, "num_chunks|Config.num_chunks", 8);
    clg_job_put_word(r, CLG_JOB_TERM, clg_arena_print(r->arena, "loss_chunks=%.0f", parts), NULL,
                     "ChunkedLossWrapper");
}

void clg_odd_torchtitan(clg_reading *r) {
    const char *option = clg_odd_word(r, "activation_checkpoint.selective_ac_option", "2");
    clg_found_key recipe = clg_job_key(r, r->main, "config");
    if (recipe.node && recipe.source->command) clg_odd_known_recipe(r, clg_job_word(recipe.node));
    const char *mode = r->job->field[CLG_JOB_RECOMPUTE].text;
    titan_model(r);
    titan_sharding(r);
    titan_tokens(r);
    titan_batches(r);
    titan_chunks(r);
    titan_stages(r);
    titan_loss(r);
    /* A class of 2026, SelectiveAC if none is named, goes by operation. */
    bool by_class = clg_job_has(clg_odd_word(r, "activation_checkpoint", ""), "AC.Config") ||
                    clg_job_key(r, r->main, "calls.Trainer.Config").node;
    if (mode && strcmp(mode, "selective") == 0 && !by_class && option[0] >= '1' && option[0] <= '9')
        clg_job_note_down(r->arena, &r->job->doubts, "recompute", NULL,
                          clg_arena_print(r->arena,
                                          "selective here is every %s. layer whole: taken as "
                                          "selective within layers",
                                          option),
                          -1);
}

static bool has_name(const clg_reading *r, const char *part) {
    for (int i = 0; i < r->file_count; i++)
        if (clg_job_has(r->files[i].name, part)) return true;
    return r->program && clg_job_has(r->program, part);
}

/* Which recipe runs it stands in the command, or in the file's name. */
/* Modules of the attention are listed, the MLP's are a switch beside the list. */
static void adapted_mlp(clg_reading *r) {
    clg_job_value *targets = &r->job->field[CLG_JOB_ADAPTER_TARGETS];
    bool mlp = clg_job_is(clg_odd_word(r, "model.apply_lora_to_mlp", ""), "true");
    if (!targets->text || !mlp || clg_job_has(targets->text, "gate_proj")) return;
    targets->text = clg_arena_print(r->arena, "%s,gate_proj,up_proj,down_proj", targets->text);
}

void clg_odd_torchtune(clg_reading *r) {
    adapted_mlp(r);
    bool one = has_name(r, "single_device");
    if (one) clg_job_put(r, CLG_JOB_GPUS, 1, NULL, "a recipe for a single device, by its name");
    clg_job_put(r, CLG_JOB_ZERO, one ? 0 : 3, NULL,
                one ? "one device" : "distributed recipes shard by FSDP");
}
