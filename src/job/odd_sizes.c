/* odd_sizes.c -- widths, batches and degrees that trainers write in their own way. */
#include "job/odd.h"

#include <math.h>
#include <string.h>

/* A gated MLP's width is two thirds of what is written, half of it each, in multiples of 256
 * (gpt-neox megatron/model/transformer.py, ParallelMLP): 32768 is written for 11008. */
void clg_odd_gpt_neox(clg_reading *r) {
    double hidden = clg_job_get(r, CLG_JOB_HIDDEN);
    double written =
        clg_odd_number(r, "intermediate_size", clg_odd_number(r, "expansion_factor", 4) * hidden);
    bool gated = clg_job_get(r, CLG_JOB_GATED) != 0;
    double multiple = clg_odd_number(r, "mlp_multiple_of", 256);
    const char *type = clg_odd_word(r, "mlp_type", "");
    bool own = strcmp(type, "llama") == 0 || strcmp(type, "gated") == 0;
    if (hidden > 0 && own && multiple >= 1)
        clg_job_put(r, CLG_JOB_FFN, ceil(floor(hidden * 8 / 3) / multiple) * multiple, NULL,
                    "two thirds of 4 x hidden, in whole multiples, as mlp_type has it");
    else if (hidden > 0 && written > 0 && gated && multiple >= 1)
        clg_job_put(r, CLG_JOB_FFN, ceil(floor(floor(written * 2 / 3) / 2) / multiple) * multiple,
                    NULL,
                    "a third of intermediate_size each for gate and input, as the trainer has it");
    else if (hidden > 0)
        clg_job_put(r, CLG_JOB_FFN, written, NULL, "4 x hidden, as the trainer has it");
}

/* Scripts of encoders' heirs cut question and answer apart (qlora.py, ptuning/main.py). */
void clg_odd_hugging_face(clg_reading *r) {
    double source = clg_odd_number(r, "source_max_len|max_source_length", 0);
    double target = clg_odd_number(r, "target_max_len|max_target_length", 0);
    if (source > 0 && target > 0)
        clg_job_put(r, CLG_JOB_SEQ, source + target, NULL, "longest source and target together");
}

/* 256 tokens at a time, whose logits are made again from an fp32 copy of the head (TRL
 * trainer/sft_trainer.py, _chunked_cross_entropy_loss, _chunk). */
static void chunk_loss(clg_reading *r) {
    enum { CHUNK = 256 };
    double tokens = clg_job_get(r, CLG_JOB_SEQ) * clg_job_get(r, CLG_JOB_MICRO_BATCH);
    clg_found_key key = clg_job_key(r, r->main, "loss_type");
    if (tokens >= 2 * CHUNK)
        clg_job_put_word(
            r, CLG_JOB_TERM,
            clg_arena_print(r->arena, "loss_chunks=%.0f,loss_wide_head=true", ceil(tokens / CHUNK)),
            clg_job_from(r, &key), NULL);
}

/* SFT's loss_type is chunked_nll since TRL 1.7 (2026-06, pull request 5846). */
void clg_odd_trl(clg_reading *r) {
    bool said = clg_job_is(clg_odd_word(r, "loss_type", ""), "chunked_nll");
    bool left = clg_job_key(r, r->main, "loss_type").node == NULL;
    bool fine_tunes = clg_job_key(r, r->main, "calls.SFTConfig").node != NULL ||
                      (r->program && clg_job_has(r->program, "sft"));
    bool liger = clg_job_is(clg_odd_word(r, "use_liger_kernel|use_liger", ""), "true");
    if (!said && !(left && fine_tunes && !liger)) return;
    if (said) chunk_loss(r);
    clg_job_note_down(
        r->arena, &r->job->doubts, "loss_type", NULL,
        said ? "chunked_nll multiplies the head in fp32, twice forward: slower than priced"
             : "TRL 1.7 and later (2026-06) keep no logits (chunked_nll): memory is "
               "priced with them, as before; --cross-entropy fused comes nearer",
        -1);
}

/* Of old files: batch_size counts a rank's samples of a step. */
void clg_odd_axolotl(clg_reading *r) {
    double all = clg_odd_number(r, "batch_size", 0),
           micro = clg_odd_number(r, "micro_batch_size", 0);
    if (all > 0 && micro > 0)
        clg_job_put(r, CLG_JOB_ACCUMULATION, floor(all / micro), NULL,
                    "batch_size over micro_batch_size");
}

void clg_odd_foundry(clg_reading *r) {
    double hidden = clg_job_get(r, CLG_JOB_HIDDEN);
    double ratio = clg_odd_number(r, "model.expansion_ratio", 4);
    bool expert = clg_job_get(r, CLG_JOB_EXPERTS) > 0;
    if (hidden > 0 && r->job->field[CLG_JOB_HIDDEN].from)
        clg_job_put(r, expert ? CLG_JOB_EXPERT_FFN : CLG_JOB_FFN, floor(hidden * ratio), NULL,
                    "expansion_ratio x d_model");
}

void clg_odd_nanotron(clg_reading *r) {
    double hidden = clg_job_get(r, CLG_JOB_HIDDEN);
    if (hidden > 0 && clg_job_value_or(r, CLG_JOB_GATED, 1) == 0)
        clg_job_put(r, CLG_JOB_FFN, 4 * hidden, NULL, "4 x hidden, as the trainer has it");
    double tp = clg_job_value_or(r, CLG_JOB_TP, 1), dp = clg_job_get(r, CLG_JOB_DP);
    double pp = clg_job_value_or(r, CLG_JOB_PP, 1), cp = clg_job_value_or(r, CLG_JOB_CP, 1);
    double ep = clg_job_value_or(r, CLG_JOB_EP, 1);
    if (dp > 0 && ep > 1)
        clg_job_put(r, CLG_JOB_GPUS, dp * tp * pp * cp * ep, NULL, "product of its degrees");
}

/* "one_in_four": of so many layers so many are checkpointed. */
static void share_of_layers(clg_reading *r) {
    static const struct {
        const char *word;
        double some, of;
    } shares[] = {{"one_in_two", 1, 2},   {"one_in_three", 1, 3}, {"one_in_four", 1, 4},
                  {"one_in_eight", 1, 8}, {"two_in_three", 2, 3}, {"three_in_four", 3, 4}};
    const char *word = clg_odd_word(r, "activation_checkpointing", "");
    double layers = clg_job_get(r, CLG_JOB_LAYERS);
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
        if (layers > 0 && strcmp(word, shares[i].word) == 0)
            clg_job_put(r, CLG_JOB_RECOMPUTE_LAYERS, floor(layers * shares[i].some / shares[i].of),
                        NULL, "so many of the layers are checkpointed");
}

/* OLMo writes the width of gate and input together; OLMo-core batches in tokens. */
void clg_odd_olmo(clg_reading *r) {
    double hidden = clg_job_get(r, CLG_JOB_HIDDEN), seq = clg_job_get(r, CLG_JOB_SEQ);
    bool gated = clg_job_get(r, CLG_JOB_GATED) != 0;
    double written = clg_odd_number(r, "model.mlp_hidden_size",
                                    clg_odd_number(r, "model.mlp_ratio", 4) * hidden);
    const char *why =
        gated ? "half of the MLP's width: gate and input are written together" : "the MLP's width";
    double width = gated ? written / 2 : written;
    bool expert = clg_job_get(r, CLG_JOB_EXPERTS) > 0;
    if (hidden > 0 && r->job->field[CLG_JOB_HIDDEN].from)
        clg_job_put(r, expert ? CLG_JOB_EXPERT_FFN : CLG_JOB_FFN, width, NULL, why);
    if (expert && clg_job_is(clg_odd_word(r, "model.moe_shared_expert", "false"), "true"))
        clg_job_put(r, CLG_JOB_SHARED_FFN, width, NULL, "a shared expert as wide as the others");
    share_of_layers(r);
    double tokens = clg_odd_number(r, "rank_microbatch_size|train_module.rank_microbatch_size", 0);
    if (tokens > 0 && seq > 0 && tokens >= seq)
        clg_job_put(r, CLG_JOB_MICRO_BATCH, floor(tokens / seq), NULL,
                    "rank_microbatch_size tokens over the sequence");
    const clg_json *calls = NULL;
    for (int i = 0; i < r->sources && !calls; i++)
        calls = clg_tree_find(r->source[i].root, "calls");
    for (const clg_json *one = calls ? calls->first : NULL; one; one = one->next)
        if (strncmp(one->key, "TransformerConfig.", 18) == 0 && strchr("lo", one->key[18]) &&
            strncmp(one->key + 18, "llama_like", 10) != 0) /* a builder of any size */
            clg_job_put_word(r, CLG_JOB_MODEL, one->key + 18,
                             clg_arena_print(r->arena, "%s:%d %s",
                                             clg_job_base_name(r->files[0].name), one->line,
                                             one->key),
                             NULL);
}

/* 8/3 of the width x ffn_dim_multiplier in multiples of 256; experts a share of that in multiples
 * of 16 (kempnerforge/config/model.py, computed_ffn_hidden_dim). */
void clg_odd_kempnerforge(clg_reading *r) {
    double hidden = clg_job_get(r, CLG_JOB_HIDDEN);
    double more = clg_odd_number(r, "model.ffn_dim_multiplier", 1);
    double each = clg_odd_number(r, "model.moe_expert_ffn_multiplier", 1);
    double shared = clg_odd_number(r, "model.moe_shared_experts", 0);
    if (hidden <= 0 || hidden > 1e7 || !(more > 0) || !(each > 0)) return;
    clg_job_put(r, CLG_JOB_FFN, ceil(floor(hidden * 8 / 3 * more) / 256) * 256, NULL,
                "8/3 of dim x ffn_dim_multiplier in multiples of 256, as the trainer has it");
    if (clg_job_get(r, CLG_JOB_EXPERTS) < 1) return;
    double width = fmax(16, floor(clg_job_get(r, CLG_JOB_FFN) * each / 16 + 0.5) * 16);
    clg_job_put(r, CLG_JOB_EXPERT_FFN, width, NULL, "the dense width x moe_expert_ffn_multiplier");
    if (shared >= 1)
        clg_job_put(r, CLG_JOB_SHARED_FFN, shared * width, NULL,
                    "shared experts x an expert's width");
    if (clg_odd_number(r, "model.moe_frequency", 1) > 1)
        clg_job_note_down(r->arena, &r->job->doubts, "model.moe_frequency", NULL,
                          "layers without experts stand between others: priced as if those had "
                          "experts; give the model's config.json",
                          -1);
}

/* ---- MaxText: mesh axes inside and between slices ---- */

/* Product of an axis; 0: one of the two is left to the number of devices. */
static double axis(clg_reading *r, const char *name, double inner, double outer) {
    double ici = clg_odd_number(r, clg_arena_print(r->arena, "ici_%s_parallelism", name), inner);
    double dcn = clg_odd_number(r, clg_arena_print(r->arena, "dcn_%s_parallelism", name), outer);
    return ici < 1 || dcn < 1 ? 0 : ici * dcn;
}

static void put_axis(clg_reading *r, clg_job_field field, double degree) {
    if (degree >= 1) clg_job_put(r, field, degree, NULL, "ici x dcn of its axis");
}

/* per_device_batch_size counts every device, also those that share a sequence. */
void clg_odd_maxtext(clg_reading *r) {
    double tp = axis(r, "tensor", 1, 1), pp = axis(r, "pipeline", 1, 1);
    double cp = axis(r, "context", 1, 1), ep = axis(r, "expert", 1, 1);
    double sequence = axis(r, "sequence", 1, 1), shared = axis(r, "tensor_sequence", 1, 1);
    double shards = axis(r, "fsdp", -1, 1), copies = axis(r, "data", 1, -1);
    double each = clg_odd_number(r, "per_device_batch_size", 12);
    bool dcn = clg_job_key(r, r->main, "dcn_data_parallelism").node != NULL;
    if (!dcn) copies = clg_odd_number(r, "ici_data_parallelism", 1);
    put_axis(r, CLG_JOB_TP, tp * shared);
    put_axis(r, CLG_JOB_PP, pp);
    put_axis(r, CLG_JOB_CP, cp * sequence);
    put_axis(r, CLG_JOB_EP, ep);
    if (clg_job_get(r, CLG_JOB_EXPERTS) == 1) clg_job_forget(r, CLG_JOB_EXPERTS);
    if (shards >= 1 && copies >= 1 && clg_job_key(r, r->main, "ici_fsdp_parallelism").node)
        clg_job_put(r, CLG_JOB_DP, shards * copies * ep, NULL, "fsdp x data axes");
    if (shards >= 1 && copies > 1) clg_job_put(r, CLG_JOB_HSDP, shards, NULL, "fsdp axis");
    double ranks = tp * shared * pp * cp * sequence, micro = each * ranks;
    if (micro >= 1 && micro == floor(micro) && pp <= 1)
        clg_job_put(r, CLG_JOB_MICRO_BATCH, micro, NULL,
                    "per_device_batch_size x devices of a copy");
    if (pp > 1 && clg_job_get(r, CLG_JOB_GPUS) > 0)
        clg_job_put(r, CLG_JOB_GLOBAL_BATCH, each * clg_job_get(r, CLG_JOB_GPUS), NULL,
                    "per_device_batch_size x devices");
}
