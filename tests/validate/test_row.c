/* Rows of runs: what a blank column means, and what a name knows. */
#include "test.h"
#include "validate/degrees.h"
#include "validate/notes.h"
#include "validate/row.h"
#include "validate/validate.h"

#include <math.h>

static clg_arena arena;
static clg_scenario scenario;
static clg_evaluation answer;

static const char *const head =
    "id,model,kind,layers,hidden,ffn,gated,heads,kv_heads,head_dim,vocab,experts,experts_per_token,"
    "shared_experts,expert_ffn,dense_layers,seq,gpu,gpus,stack,date,precision,recompute,tp,ep,pp,"
    "vpp,schedule,micro_batch,global_batch,etp,zero,inter_gbit_per_s_per_gpu,notes,"
    "gpus_per_node,adapter,adapter_rank,cp_kind,cp,tokens_per_s_per_gpu,dp,"
    "accumulation\n";

/* Fields that `row` leaves out at the end are blank. */
static const char *predict(const char *row) {
    clg_csv csv;
    clg_error error = {0};
    int missing = 0;
    for (const char *c = head; *c; c++) missing += *c == ',';
    bool quoted = false;
    for (const char *c = row; *c; c++) {
        quoted ^= *c == '"';
        missing -= *c == ',' && !quoted;
    }
    const char *text =
        clg_arena_print(&arena, "%s%s%.*s\n", head, row, missing, ",,,,,,,,,,,,,,,,,");
    CHECK(missing >= 0);
    CHECK(clg_csv_parse(&arena, "runs.csv", text, strlen(text), &csv, &error) == CLG_OK);
    return clg_validate_row(&arena, &csv, 0, &scenario, &answer);
}

#define MIXTRAL "x,mixtral-8x22b,moe,56,6144,,1,48,8,128,32000,8,2,0,16384,0,4096,h100-sxm,128,"

static void expert_tensor(void) {
    CASE("stacks before folding split experts by tp as well, where there are the ranks");
    CHECK(predict(MIXTRAL "megatron-2024,2024-06,bf16,,2,4,8,1,,1,1024,") == NULL);
    CHECK(answer.layout.etp == 2 && answer.layout.ep == 4);
    CASE("128 / 8 = 16 ranks of a stage have no room for 4 x 8: folded");
    CHECK(predict(MIXTRAL "megatron-2024,2024-06,bf16,,4,8,8,1,,1,1024,") == NULL);
    CHECK(answer.layout.etp == 1);
    CASE("a table that says etp is believed");
    CHECK(predict(MIXTRAL "megatron-2024,2024-06,bf16,,2,4,8,1,,1,1024,1") == NULL);
    CHECK(answer.layout.etp == 1);
    CASE("words stand in for the column: equal to tp, or a number; the column goes before them");
    const char *said = MIXTRAL "megatron-2024,2025-04,bf16,,2,4,8,1,,1,1024,%s,1,400,"
                               "method as printed: MCore; expert tensor parallelism %s; drops";
    CHECK(predict(clg_arena_print(&arena, said, "", "1")) == NULL);
    CHECK(answer.layout.etp == 1);
    CHECK(predict(clg_arena_print(&arena, said, "", "equal to tp")) == NULL);
    CHECK(answer.layout.etp == 2);
    CHECK(predict(clg_arena_print(&arena, said, "1", "equal to tp")) == NULL);
    CHECK(answer.layout.etp == 1);
    CHECK(predict(clg_arena_print(&arena, said, "", "of no kind")) == NULL);
    CHECK(answer.layout.etp == 2); /* the stack's */
    CASE("a later stack keeps experts whole");
    CHECK(predict(MIXTRAL "megatron-2026,2026-04,bf16,,2,4,8,1,,1,1024,") == NULL);
    CHECK(answer.layout.etp == 1);
}

/* 48 heads: 2 x 8 ranks deal them out, 2 x 32 do not. */
static void contexts(void) {
    const char *said =
        MIXTRAL "megatron-2024,2024-06,bf16,,2,1,1,1,,1,1024,1,1,400,\"%s\",,,,%s,%d";
    static const struct {
        const char *notes, *column;
        int cp;
        clg_context_kind kind;
    } rows[] = {
        {"", "", 8, CLG_CONTEXT_RING},
        {"DeepSpeed-Ulysses on two nodes", "", 8, CLG_CONTEXT_ULYSSES},
        {"sequence parallel 8 (all-to-all over heads)", "", 8, CLG_CONTEXT_ULYSSES},
        {"ulysses-degree 1, ring-degree 8 (all-to-all over heads)", "", 8, CLG_CONTEXT_RING},
        {"ulysses-degree 2, ring-degree 4 (all-to-all over heads)", "", 8, CLG_CONTEXT_RING},
        {"ulysses-degree 8, ring-degree 1 (", "", 8, CLG_CONTEXT_ULYSSES},
        {"Ulysses", "gather", 8, CLG_CONTEXT_GATHER},
        {"Ulysses", "", 32, CLG_CONTEXT_RING}};
    CASE("how context ranks meet: the column, else words; a ring where heads are too few");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK(predict(clg_arena_print(&arena, said, rows[i].notes, rows[i].column, rows[i].cp)) ==
              NULL);
        CHECK(answer.layout.cp == rows[i].cp && answer.layout.cp_kind == rows[i].kind);
    }
}

static void terms(void) {
    CASE("notes may set terms of the software, after stack, date and recipe");
    const char *said = MIXTRAL "megatron-2026,2025-08,bf16,,2,4,8,1,,1,1024,,1,400,"
                               "alltoall%s";
    CHECK(predict(clg_arena_print(&arena, said, "")) == NULL);
    CHECK(!scenario.stack.experts.dedup);
    CHECK(predict(clg_arena_print(&arena, said, "; terms as printed: expert_dedup=true; no")) ==
          NULL);
    CHECK(scenario.stack.experts.dedup);
    CASE("what overlaps, by as much as in the stack whose share is known");
    clg_stack other;
    clg_error error = {0};
    CHECK(clg_stack_find(&arena, "megatron-2026@2026-06", &other, &error) == CLG_OK);
    CHECK(scenario.stack.overlap.expert == 0 && other.overlap.expert > 0);
    CHECK(predict(clg_arena_print(&arena, said, "; expert traffic overlapped")) == NULL);
    CHECK(scenario.stack.overlap.expert == other.overlap.expert);
    CASE("how tokens are routed, in the words of the text");
    CHECK(predict(clg_arena_print(&arena, said, "; natural routing on real text")) == NULL);
    CHECK(scenario.stack.experts.learned_routing);
    CHECK(predict(clg_arena_print(&arena, said, "; tokens not balanced by force")) == NULL);
    CHECK(scenario.stack.experts.learned_routing);
    CHECK(predict(clg_arena_print(&arena, said, "; experts balanced by force")) == NULL);
    CHECK(!scenario.stack.experts.learned_routing);
    CASE("a word said of one thing may be said of another after it");
    scenario.stack.fused.norm = false;
    clg_notes_terms(&arena, "fused AdamW; its fused RMSNorm", &scenario.stack, &error);
    CHECK(scenario.stack.fused.norm && scenario.stack.fused.optimizer);
    CASE("software that is not compiled stays what it is, its kernels apart");
    CHECK(predict("x,llama-2-7b,,,,,,,,,,,,,,,4096,h100-sxm,8,torchtune,2025-01,bf16,none,,,,,,1,"
                  "8,,3,,\"packed, no compile\"") == NULL);
    CHECK_TEXT(scenario.stack.name, "torchtune-2024");
    CHECK(predict("x,llama-2-7b,,,,,,,,,,,,,,,4096,h100-sxm,8,torchtitan,2025-09,bf16,none,,,,,,1,"
                  "8,,3,,no compile") == NULL);
    CHECK(!scenario.stack.fused.norm && !scenario.stack.fused.cross_entropy);
    CHECK(predict(clg_arena_print(&arena, said, "")) == NULL);
    CASE("words of the table are not found inside others");
    CHECK(predict(clg_arena_print(&arena, said, "; natural routing: imbalanced routing")) == NULL);
    CHECK(scenario.stack.experts.learned_routing);
    CHECK(predict(clg_arena_print(&arena, said, "; natural routing made balanced routing")) ==
          NULL);
    CHECK(!scenario.stack.experts.learned_routing);
    CASE("a term that does not exist is no run of anything");
    const char *reason = predict(clg_arena_print(&arena, said, "; terms as printed: dedup=true"));
    CHECK(reason && strstr(reason, "dedup"));
    CASE("in which type gradients are is no term, but said");
    scenario.stack.gradient = CLG_BF16;
    clg_notes_terms(&arena, "parameter gathers not overlapped; gradients in fp32", &scenario.stack,
                    &error);
    CHECK(scenario.stack.gradient == CLG_FP32 && scenario.stack.overlap.parameter == 0);
}

/* 7B without its precision, ending before micro_batch. */
#define V100 "x,llama-2-7b,dense,,,,,,,,,,,,,,2048,V100 32GB,8,"

static void unknown_words(void) {
    CASE("a word that is not known is not taken for another");
    const char *reason = predict(MIXTRAL "megatron-2024,2024-06,bf16,lots,2,4,8,1,,1,1024,1");
    CHECK(reason && strstr(reason, "unknown recompute 'lots'"));
    reason = predict(MIXTRAL "megatron-2024,2024-06,bf16,,2,4,8,1,swift,1,1024,1");
    CHECK(reason && strstr(reason, "unknown schedule 'swift'"));
    CASE("without a precision: the GPU's 16 bits");
    CHECK(predict(V100 "megatron-2022,2022-06,,full,8,,1,,,1,8") == NULL);
    CHECK(answer.layout.precision == CLG_FP16);
    CASE("recipes go by what a GPU is, not by how it is spelled");
    const char *qwen = "x,qwen3-235b-a22b,moe,,,,,,,,,,,,,,4096,%s,128,megatron-2026,2026-01,bf16,"
                       "full,1,8,4,,,1,1024";
    CHECK(predict(clg_arena_print(&arena, qwen, "b300-sxm")) == NULL);
    double canonical = answer.step_s;
    CHECK(predict(clg_arena_print(&arena, qwen, "NVIDIA B300")) == NULL);
    CHECK(answer.step_s == canonical);
}

static void open_layouts(void) {
    CASE("no degree printed: the fastest plan that fits, which theirs may be slower than");
    const char *row = "x,llama-3.1-70b,dense,,,,,,,,,,,,,,4096,h100-sxm,64,megatron-2024,2024-12,"
                      "bf16,,%s,,,,,,256";
    CHECK(predict(clg_arena_print(&arena, row, "")) == NULL);
    CHECK(answer.fits && answer.layout.tp > 1 && answer.doubt.slower > 0);
    double fastest_s = answer.step_s, p90 = answer.step_p90_s / answer.step_s;
    CHECK(predict(clg_arena_print(&arena, row, "8")) == NULL);
    CHECK(answer.layout.tp == 8 && answer.layout.pp == 1 && answer.doubt.slower == 0);
    CHECK(answer.step_p90_s / answer.step_s < p90);
    CHECK(!answer.fits || answer.step_s >= fastest_s);
    CASE("ZeRO-1 alone does not say how software with pipelines splits a model; ZeRO-3 does");
    static const char zero[] = "id,model,seq,gpu,gpus,stack,date,precision,zero,global_batch\n"
                               "a,llama-3.1-70b,4096,h100-sxm,64,megatron-2024,2024-12,bf16,1,256\n"
                               "b,llama-3.1-70b,4096,h100-sxm,64,torchtitan,2024-12,bf16,3,256\n";
    clg_csv csv;
    clg_error error = {0};
    CHECK(clg_csv_parse(&arena, "zero.csv", zero, strlen(zero), &csv, &error) == CLG_OK);
    CHECK(clg_validate_row(&arena, &csv, 0, &scenario, &answer) == NULL);
    CHECK(answer.fits && answer.layout.tp * answer.layout.pp > 1 && answer.layout.zero == 1);
    CHECK(!clg_row_prints_layout(&csv, 0, &scenario.stack));
    CHECK(clg_validate_row(&arena, &csv, 1, &scenario, &answer) == NULL);
    CHECK(answer.layout.dp == 64 && clg_row_prints_layout(&csv, 1, &scenario.stack));
    CASE("a mixture that leaves out its expert ranks has whole layers where they fit");
    const char *mixture = "x,%s,moe,,,,,,,,,,,,,,4096,h100-sxm,16,megatron-2026,2026-04,bf16,full,"
                          "1,%s,1,,,1,256";
    CHECK(predict(clg_arena_print(&arena, mixture, "olmoe-1b-7b", "1")) == NULL);
    double narrow = answer.log_sigma;
    CHECK(predict(clg_arena_print(&arena, mixture, "olmoe-1b-7b", "")) == NULL);
    CHECK(answer.layout.ep == 1 && answer.log_sigma > narrow);
    CHECK(predict(clg_arena_print(&arena, mixture, "mixtral-8x7b", "")) == NULL);
    CHECK(answer.fits && answer.layout.ep > 1);
    CASE("nor where they fit and take over twice the fastest");
    CHECK(predict("x,llama-4-scout,moe,,,,,,,,,,,,,,8192,gb200,256,torchtitan,2026-01,mxfp8,none,"
                  "1,,1,,,1,256,,3") == NULL);
    CHECK(answer.layout.ep > 1);
}

/* 16 GPUs. */
static const clg_layout *split_as(const char *tp, const char *pp, const char *schedule,
                                  const char *dp_and_sums) {
    const char *row = "x,,dense,16,2048,8192,1,32,32,64,131072,,,,,,4096,h100-sxm,16,"
                      "megatron-2026,2026-04,bf16,none,%s,,%s,,%s,1,64,,1,,,,,,,,,%s";
    CHECK(predict(clg_arena_print(&arena, row, tp, pp, schedule, dp_and_sums)) == NULL);
    return &answer.layout;
}

static void blank_degrees(void) {
    CASE("GPUs that printed degrees do not account for fall to the blank one");
    CHECK(split_as("4", "", "", "2,")->pp == 2);
    CHECK(split_as("", "2", "", "2,")->tp == 4);
    CHECK(split_as("4", "1", "", "2,")->cp == 2);
    CASE("of two blank ones they are those of the fastest plan");
    const clg_layout *l = split_as("", "", "", "2,");
    CHECK(l->dp == 2 && l->cp == 1 && l->tp * l->pp == 8);
    CASE("64 sequences in sums of 8 are 8 replicas");
    CHECK(split_as("2", "", "", ",8")->dp == 8 && answer.layout.pp == 1);
    CHECK(split_as("1", "", "", ",8")->dp == 8 && answer.layout.pp == 2);
    CASE("a schedule of stages asks for stages");
    CHECK(split_as("2", "", "interleaved", "")->pp > 1);
    CHECK(split_as("16", "", "1f1b", "")->pp == 1);
    CASE("four sequences are not shared by eight replicas: matrices are split");
    CHECK(predict("x,,dense,16,2048,8192,1,32,32,64,131072,,,,,,4096,h100-sxm,16,"
                  "megatron-2026,2026-04,bf16,none,,,2,,,1,4,,1") == NULL);
    CHECK(answer.layout.tp >= 2 && answer.layout.pp == 2);
}

static void degrees(void) {
    CASE("degrees that multiply to other GPUs than the row's are a slip, not a run");
    CHECK(predict(MIXTRAL "megatron-2024,2024-06,bf16,,2,4,8,1,,1,1024,,,,,,,,,,,8") == NULL);
    const char *reason = predict(MIXTRAL "megatron-2024,2024-06,bf16,,2,4,8,1,,1,1024,,,,,,,,,,,3");
    CHECK(reason && strstr(reason, "48 GPUs, the row has 128"));
}

static void blanks(void) {
    CASE("blank micro-batch of a mixture: one sequence; blank chunks: the fastest even count");
    CHECK(predict(MIXTRAL "megatron-2024,2024-06,bf16,,2,4,8,,,,1024,") == NULL);
    CHECK(answer.layout.micro_batch == 1 && answer.layout.accumulation == 128);
    CHECK(answer.layout.vpp == 7 && answer.layout.schedule == CLG_INTERLEAVED);
    double chosen_s = answer.step_s;
    CHECK(predict(MIXTRAL "megatron-2024,2024-06,bf16,,2,4,8,1,,1,1024,") == NULL);
    CHECK(answer.step_s > chosen_s);
    CASE("a table that prints the micro-batch means one chunk by a blank");
    CHECK(predict(MIXTRAL "megatron-2024,2024-06,bf16,,2,4,8,,,1,1024,") == NULL);
    CHECK(answer.layout.vpp == 1);
    CASE("blank recomputation: whole layers, but no more than needed");
    const char *llama = "x,,dense,80,8192,28672,1,64,8,128,128256,,,,,,8192,gb200,64,megatron-2026,"
                        "2025-11,fp8,,1,1,1,1,,%d,256,,3";
    CHECK(predict(clg_arena_print(&arena, llama, 2)) == NULL);
    CHECK(answer.fits && answer.layout.recompute == CLG_RECOMPUTE_FULL);
    int some = answer.layout.recompute_layers;
    CHECK(some > 0 && some < 80);
    CHECK(predict(clg_arena_print(&arena, llama, 4)) == NULL);
    CHECK(answer.fits && answer.layout.recompute_layers > some);
    CHECK(answer.memory.total_bytes > 0.95 * answer.capacity_bytes);
}

static void names(void) {
    CASE("a mixture known by name brings its latent attention and prediction module");
    CHECK(predict("x,deepseek-v3,moe,61,7168,18432,1,128,128,128,129280,256,8,1,2048,3,4096,"
                  "h800-sxm,2048,unknown,2025-05,fp8,selective,1,64,16,1,1f1b,1,15360,") == NULL);
    CHECK(scenario.model.prediction_layers == 1);
    CHECK(scenario.model.kind[0].attention.kind == CLG_ATTENTION_LATENT);
    CHECK(scenario.stack.known &&
          scenario.stack.precision.narrow_activations); /* its own trainer */
    CASE("its attention on Blackwell had no fused kernel before cuDNN 9.11: as the recipe says");
    const char *latent = "x,deepseek-v3,moe,61,7168,18432,1,128,128,128,129280,256,8,1,2048,3,4096,"
                         "%s,256,nemo-2024,%s,bf16,selective,2,64,4,1,1f1b,1,2048,";
    CHECK(predict(clg_arena_print(&arena, latent, "gb200", "2025-07")) == NULL);
    CHECK(answer.layout.attention == CLG_UNFUSED);
    CHECK(predict(clg_arena_print(&arena, latent, "gb200", "2025-09")) == NULL);
    CHECK(answer.layout.attention == CLG_CUDNN);
    CHECK(predict(clg_arena_print(&arena, latent, "h100-sxm", "2025-07")) == NULL);
    CHECK(answer.layout.attention == CLG_CUDNN);
    CASE("cut to 4 layers of which 1 dense: so it is, without the module");
    CHECK(predict("x,deepseek-v3,moe,4,7168,18432,1,128,128,128,129280,256,8,1,2048,1,4096,"
                  "b200-sxm,8,simumax-2025,2026-04,bf16,none,1,8,1,1,,1,32,") == NULL);
    const clg_model *m = &scenario.model;
    CHECK(m->layers == 4 && m->prediction_layers == 0);
    for (int i = 0; i < 4; i++)
        CHECK((m->kind[m->layer_kind[i]].mlp.kind == CLG_MLP_DENSE) == (i == 0));
    CASE("Blackwell runs no attention kernel older than its own");
    CHECK(answer.layout.attention == CLG_CUDNN);
    CASE("another shape under the same name is that shape");
    CHECK(predict("x,deepseek-v3,moe,61,4096,18432,1,128,128,32,129280,256,8,1,2048,3,4096,"
                  "h800-sxm,2048,unknown,2025-05,bf16,full,1,64,16,1,1f1b,1,15360,") == NULL);
    CHECK(scenario.model.kind[0].attention.kind == CLG_ATTENTION_GROUPED);
    CHECK(scenario.model.hidden == 4096);
    CASE("by name alone: the built-in model; a name that is none asks for the nearest");
    CHECK(predict("x,deepseek-v3,moe,,,,,,,,,,,,,,4096,"
                  "h800-sxm,2048,unknown,2025-05,bf16,full,1,64,16,1,1f1b,1,15360,") == NULL);
    CHECK(scenario.model.layers == 61 && scenario.model.prediction_layers == 1);
    CHECK(predict("x,deepseek-v3,moe,,,,,,,,,,,,,,4096,h800-sxm,2048,unknown,2025-05,bf16,full,1,"
                  "64,16,1,1f1b,1,15360,,,,without multi-token prediction") == NULL);
    CHECK(scenario.model.prediction_layers == 0);
    CASE("graphs of a whole step leave the host nothing; those of routers alone all modules");
    const char *graphs = "x,qwen3-30b-a3b,moe,,,,,,,,,,,,,,4096,gb200,8,megatron-2026,2026-07,mxfp8"
                         ",none,1,8,1,1,,4,512,,,,HybridEP; %s";
    CHECK(predict(clg_arena_print(&arena, graphs, "whole-iteration CUDA graphs")) == NULL);
    CHECK_NEAR(scenario.stack.host.launch_s, 3e-6, 1e-12);
    CHECK(scenario.stack.host.experts_s == 0);
    CHECK(predict(clg_arena_print(&arena, graphs, "CUDA graphs of router and preprocessing")) ==
          NULL);
    CHECK_NEAR(scenario.stack.host.launch_s, 57e-6, 1e-12);
    CHECK(scenario.stack.host.experts_s > 0);
    CHECK(predict("x,deepseek-v3,moe,,,,,,,,,,,,,,4096,h800-sxm,2048,unknown,2025-05,bf16,full,1,"
                  "64,16,1,1f1b,1,15360,,,,predicts two tokens further by one module") == NULL);
    CHECK(scenario.model.prediction_layers == 2);
    const char *why = predict("x,deepseek-v33,moe,,,,,,,,,,,,,,4096,"
                              "h800-sxm,2048,unknown,,bf16,full,1,64,16,1,1f1b,1,15360,");
    CHECK(why && strstr(why, "deepseek-v3"));
    CASE("the row's month picks the release; what is no month picks none");
    CHECK(predict(MIXTRAL "megatron-2026,2026-06,mxfp8,,1,8,1,1,,1,128,") != NULL); /* H100 */
    CHECK(scenario.stack.fused.experts);
    CHECK(predict(MIXTRAL "megatron-2026,June 2026,bf16,,1,8,1,1,,1,128,") == NULL);
    CHECK(scenario.stack.known && !scenario.stack.fused.experts);
}

static void sharders(void) {
    CASE("FSDP around a trainer's models, where notes say so, is a stack of its own");
    CHECK(predict("x,llama-2-7b,,,,,,,,,,,,,,,4096,h100-sxm,8,trl,2026-02,bf16,full,,,,,,1,8,,3,,"
                  "FSDP2; padded") == NULL);
    CHECK_TEXT(scenario.stack.name, "transformers-fsdp");
    CHECK_TEXT(scenario.stack.date, "2026-02");
    CHECK(predict("x,llama-2-7b,,,,,,,,,,,,,,,4096,h100-sxm,8,trl,2026-02,bf16,full,,,,,,1,8,,3,,"
                  "DeepSpeed ZeRO-3") == NULL);
    CHECK_TEXT(scenario.stack.name, "transformers");
    CHECK(predict(MIXTRAL "megatron-2024,2025-04,bf16,,2,4,8,1,,1,1024,,1,400,FSDP") == NULL);
    CHECK_TEXT(scenario.stack.name, "megatron-2024");
}

/* One run, with what its notes say. */
static clg_run noted(const char *stack, const char *schedule, const char *notes) {
    clg_csv csv;
    clg_error error = {0};
    clg_validation v;
    const char *text = clg_arena_print(
        &arena,
        "id,source,layers,hidden,ffn,gated,heads,vocab,seq,gpu,gpus,stack,precision,recompute,dp,"
        "zero,tp,pp,schedule,micro_batch,global_batch,memory_gb,notes\n"
        "a,b,24,2304,9216,1,24,32000,1024,a100-sxm-80gb,8,%s,bf16,none,1,0,1,8,%s,2,48,30,%s\n",
        stack, schedule, notes);
    CHECK(clg_csv_parse(&arena, "runs.csv", text, strlen(text), &csv, &error) == CLG_OK);
    CHECK(clg_validate(&arena, &csv, 1, (clg_progress){0}, &v, &error) == CLG_OK);
    CHECK(v.run[0].reason == NULL);
    return v.run[0];
}

/* The same, of a recomputation, a micro-batch, a reading and what is said of how values were
 * derived. */
static clg_run filled(const char *recompute, const char *micro_batch, const char *notes,
                      const char *memory_gb, const char *derived) {
    clg_csv csv;
    clg_error error = {0};
    clg_validation v;
    const char *text = clg_arena_print(
        &arena,
        "id,source,layers,hidden,ffn,gated,heads,vocab,seq,gpu,gpus,stack,precision,recompute,dp,"
        "zero,tp,pp,micro_batch,global_batch,memory_gb,notes,derived\n"
        "a,b,24,2304,9216,1,24,32000,1024,a100-sxm-80gb,8,megatron-2024,bf16,%s,8,1,1,1,%s,48,%s,"
        "%s,%s\n",
        recompute, micro_batch, memory_gb, notes, derived);
    CHECK(clg_csv_parse(&arena, "runs.csv", text, strlen(text), &csv, &error) == CLG_OK);
    CHECK(clg_validate(&arena, &csv, 1, (clg_progress){0}, &v, &error) == CLG_OK);
    return v.run[0];
}

static void shapes(void) {
    CASE("a mixture without a name is the built-in one of its shape, cut or not");
    CHECK(predict("x,,moe,4,5120,12288,1,128,128,128,102400,160,6,2,1536,1,4096,b200-sxm,8,"
                  "unknown,2026-04,bf16,none,1,8,1,1,,1,32,,1") == NULL);
    CHECK(scenario.model.kind[0].attention.kind == CLG_ATTENTION_LATENT);
    CHECK(scenario.model.layers == 4);
    CASE("of another vocabulary it is what its columns say");
    CHECK(predict("x,,moe,4,5120,12288,1,128,128,128,102144,160,6,2,1536,1,4096,b200-sxm,8,"
                  "unknown,2026-04,bf16,none,1,8,1,1,,1,32,,1") == NULL);
    CHECK(scenario.model.kind[0].attention.kind == CLG_ATTENTION_GROUPED);
}

static void notes(void) {
    CASE("kinds of memory: said by the notes, else by the stack; the allocator's is the rule");
    clg_run r = noted("megatron-2024", "1f1b", "");
    clg_memory_ledger m = r.predicted.memory, first = r.predicted.first_memory;
    CHECK(r.predicted_memory_bytes == m.total_bytes);
    r = noted("megatron-2022", "1f1b", "memory: printed GB; kind not stated");
    CHECK(r.memory_kind == CLG_MEMORY_ALLOCATED);
    r = noted("megatron-2022", "1f1b",
              "read twice; memory: torch max reserved; max allocated 3 GiB");
    CHECK(r.memory_kind == CLG_MEMORY_RESERVED);
    r = noted("megatron-2024", "1f1b", "memory: torch max allocated; reserved 3 GiB");
    CHECK_NEAR(r.predicted_memory_bytes, m.total_bytes - m.reserved_bytes, 1e-14);
    r = noted("megatron-2024", "1f1b", "memory: nvidia-smi reading");
    CHECK_NEAR(r.predicted_memory_bytes, m.total_bytes + (0.4 + 0.65) * 1073741824, 1e-14);
    r = noted("megatron-2024", "1f1b", "real corpus; memory: device");
    CHECK(r.memory_kind == CLG_MEMORY_DEVICE);
    r = noted("unknown", "1f1b", "fused RMSNorm; memory is max_memory_allocated; ALiBi");
    CHECK(r.memory_kind == CLG_MEMORY_ALLOCATED);
    CASE("memory of rank 0 is that of the first stage");
    r = noted("megatron-2024", "1f1b", "memory: torch max allocated of rank 0");
    CHECK_NEAR(r.predicted_memory_bytes, first.total_bytes - first.reserved_bytes, 1e-14);
    r = noted("megatron-2024", "gpipe", "memory: max reserved"); /* the last one has the logits */
    CHECK(r.predicted.fullest_stage == 7);
    CHECK(r.predicted_memory_bytes > r.predicted.first_memory.total_bytes);
    CASE("a number that repeats what the notes call reserved is that");
    r = noted("megatron-2024", "1f1b", "memory: torch max allocated; memory reserved 27.94 GiB");
    CHECK(r.memory_kind == CLG_MEMORY_RESERVED && !r.memory_open);
    CASE("no measure of need: a micro-batch nobody printed, a card that the allocator has filled");
    CHECK(!filled("none", "2", "memory: max reserved", "70", "").memory_open);
    clg_run open = filled("none", "", "memory: max reserved", "70", "");
    CHECK(open.memory_open && open.plan_open);
    open = filled("", "2", "memory: max reserved", "70", "");
    CHECK(open.memory_open && open.plan_open);
    CHECK(filled("none", "2", "memory: max reserved", "70", "one sequence per GPU assumed")
              .memory_open);
    CHECK(filled("none", "2", "memory: max reserved", "83", "").memory_open);
    CHECK(!filled("none", "2", "memory: max allocated", "83", "").memory_open);
    CASE("kernels as printed: the norm's, the softmax's");
    CHECK(noted("aleph-alpha-2023", "1f1b", "kernel as printed: flash_attention2; the RMS kernel")
              .predicted.memory.activations_bytes >
          noted("aleph-alpha-2023", "1f1b", "kernel as printed: flash_attention2 + RMS kernel")
              .predicted.memory.activations_bytes);
    CASE("a schedule the column has no name for");
    CHECK(noted("megatron-2022", "zb-h1", "").predicted.layout.schedule == CLG_ZB_H1);
    r = noted("megatron-2022", "zb-h1", "schedule as printed: ZB-2p; twice the memory");
    CHECK(r.predicted.layout.schedule == CLG_ZB_H2);
    r = noted("megatron-2022", "zb-h1", "schedule as printed: ZB-1p");
    CHECK(r.predicted.layout.schedule == CLG_ZB_H1);
}

#define LLAMA "x,,dense,16,2048,8192,1,32,32,64,131072,,,,,,4096,h100-sxm,16,"

static void words(void) {
    const char *said = LLAMA "megatron-2024,2025-02,bf16,%s,2,,2,1,,1,256,,1,200,\"%s\"";
#define SAID(recompute, notes) predict(clg_arena_print(&arena, said, recompute, notes))
    CASE("documents of 1,024 tokens: a query sees no further, in chunks; else the sequence");
    CHECK(SAID("none", "FA4 varlen attention stays inside short packed documents") == NULL);
    CHECK(scenario.model.kind[0].attention.window == 1024 &&
          scenario.model.kind[0].attention.chunked);
    double packed = answer.attention_s;
    CHECK(SAID("none", "packed samples, causal over all of them") == NULL);
    CHECK(scenario.model.kind[0].attention.window == 0 && answer.attention_s > 2 * packed);
    CASE("6 of 16 layers recomputed: 3 on each of two stages; 0 and all need no count");
    CHECK(SAID("", "activation checkpointing on 6 of 16 layers (partial: recompute left blank)") ==
          NULL);
    CHECK(answer.layout.recompute == CLG_RECOMPUTE_FULL && answer.layout.recompute_layers == 3);
    CHECK(SAID("none", "activation checkpointing on 0 of 16 layers") == NULL);
    CHECK(answer.layout.recompute == CLG_RECOMPUTE_NONE && answer.layout.recompute_layers == 0);
    CHECK(SAID("full", "activation checkpointing on 16 of 16 layers") == NULL);
    CHECK(answer.layout.recompute_layers == 0);
    CASE("modules that are recomputed go before the column; switches of overlap and fusion");
    CHECK(SAID("selective", "recompute=select (--recompute-modules moe_act layernorm)") == NULL);
    CHECK(answer.layout.recompute == CLG_RECOMPUTE_NONE && scenario.stack.recompute.activation);
    CHECK(SAID("none", "OVERLAP OFF: no communication overlapped") == NULL);
    CHECK(scenario.stack.overlap.gradient == 0 && scenario.stack.overlap.parameter == 0);
    CHECK(SAID("none", "script has --no-gradient-accumulation-fusion") == NULL);
    CHECK(!scenario.stack.fused.accumulation && scenario.stack.overlap.gradient > 0);
    CASE("texts padded in batches hand attention a mask, unless the column names a kernel");
    CHECK(SAID("none", "plain causal text") == NULL);
    packed = answer.attention_s;
    CHECK(SAID("none", "texts padded to the longest of four") == NULL);
    CHECK(answer.layout.attention == CLG_MASKED && answer.attention_s > 2 * packed);
    CHECK(SAID("none", "vocabulary padded to 50688") == NULL);
    CHECK(answer.layout.attention == CLG_CUDNN);
    CHECK(SAID("none", "blockwise attention in JAX, no fused kernel") == NULL);
    CHECK(answer.layout.attention == CLG_BLOCKWISE && answer.attention_s > 2 * packed);
    CHECK(SAID("none", "fixed capacity 1.25: all places computed") == NULL);
    CHECK(scenario.stack.experts.capacity > 1.2);
    CASE("networks by name, at the rate of the column; the optimizer on the host");
    static const struct {
        const char *notes, *fabric;
    } networks[] = {{"two boxes over TCP", "ethernet-100"},
                    {"GPUDirect-TCPX between them", "tcpx"},
                    {"GPUDirect-TCPXO between them", "tcpxo"},
                    {"RoCE of the cloud", "roce-400"},
                    {"2 x p5.48xlarge, EFA", "efa-v2"},
                    {"a3-megagpu-8g", "tcpxo"},
                    {"four cards", "ib-ndr"}};
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        CHECK(SAID("none", networks[i].notes) == NULL && !answer.layout.offload);
        CHECK(strcmp(scenario.machine.fabric.name, networks[i].fabric) == 0);
        CHECK_NEAR(clg_machine_line_bytes_per_s(&scenario.machine), 25e9, 1e-14);
    }
    CHECK(SAID("none", "optimizer states on the CPU") == NULL && answer.layout.offload);
    CHECK(SAID("none", "FSDP CPU offload of parameters and optimizer") == NULL);
    CHECK(answer.layout.offload && scenario.stack.memory.weights_on_host);
    CASE("a board that its text tells from the one in the column");
    CHECK(SAID("none", "custom A100 of 64 GB (not the 80 GB part)") == NULL);
    CHECK(strcmp(scenario.machine.gpu.name, "a100-sxm-64gb") == 0);
}

static void software(void) {
    const char *said = LLAMA "megatron-2024,2025-02,bf16,%s,2,,2,1,,1,256,,1,200,\"%s\"";
    CASE("what people call kernels and options of their software");
    CHECK(SAID("none", "JAX_FLASH attention") == NULL);
    CHECK(answer.layout.attention == CLG_BLOCKWISE);
    CHECK(SAID("none", "vanilla attention") == NULL && answer.layout.attention == CLG_UNFUSED);
    CHECK(SAID("none", "xformers attention") == NULL && answer.layout.attention == CLG_FLASH1);
    CHECK(SAID("none", "LLaMA without xformers") == NULL && answer.layout.attention == CLG_UNFUSED);
    CHECK(SAID("none", "flash attention; DDP") == NULL && answer.layout.attention == CLG_FLASH2);
    CHECK(SAID("none", "async TP; float8 rowwise") == NULL && scenario.stack.precision.scaled_rows);
    CHECK(!scenario.stack.traffic.narrow_gathers && scenario.stack.traffic.copied_from == 0);
    CASE("an optimizer that is printed beats what the date of its software would say");
    CHECK(SAID("none", "torch.optim.AdamW as printed") == NULL);
    CHECK(scenario.stack.kernels.foreach_update && !scenario.stack.fused.optimizer);
}

static void network(void) {
    CASE("a table that is silent on its network: that of the stack's published runs");
    CHECK(predict(LLAMA "nanotron-2025,2025-02,bf16,none,2,,1,1,,1,256,,1,") == NULL);
    CHECK(strcmp(scenario.machine.fabric.name, "efa-v2-2024") == 0);
    CASE("one that states a rate, or of another stack: the reference box's");
    CHECK(predict(LLAMA "nanotron-2025,2025-02,bf16,none,2,,1,1,,1,256,,1,200") == NULL);
    CHECK(strcmp(scenario.machine.fabric.name, "ib-ndr") == 0);
    CHECK_NEAR(clg_machine_line_bytes_per_s(&scenario.machine), 25e9, 1e-14);
    CHECK(predict(LLAMA "megatron-2024,2025-02,bf16,none,2,,1,1,,1,256,,1,") == NULL);
    CHECK(strcmp(scenario.machine.fabric.name, "ib-ndr") == 0);
    const char *said = LLAMA "megatron-2024,2025-02,bf16,%s,2,,1,1,,1,256,,1,,\"%s\"";
    CASE("one whose text names the machine and what it goes over");
    CHECK(SAID("none", "two g5.8xlarge over EFA") == NULL);
    CHECK(strcmp(scenario.machine.fabric.name, "efa-v1") == 0);
    CHECK(SAID("none", "two g5.8xlarge; EFA was off") == NULL);
    CHECK(strcmp(scenario.machine.fabric.name, "ib-ndr") == 0);
    CASE("a wrapper of models compiles nothing");
    CHECK(predict(LLAMA "PyTorch FSDP,2025-06,bf16,full,2,,1,1,,1,256,,3,200") == NULL);
    CHECK(!scenario.stack.fused.norm && scenario.stack.precision.master_weights);
}

#define BLACKWELL "x,,dense,16,2048,8192,1,32,32,64,131072,,,,,,4096,gb200,144,"

/* 400 Gbit/s and a card for each GPU: 4 in a box of 4, whatever NVLink reaches. */
static void boxes(void) {
    CASE("72 a node of GB200 is what NVLink reaches, not what shares four network cards");
    CHECK(predict(BLACKWELL "megatron-2026,2026-02,bf16,none,2,,1,1,,1,288,,1,,,72") == NULL);
    CHECK(scenario.machine.node.gpus == 4 && scenario.machine.node.domain == 72);
    double step_s = answer.step_s;
    CHECK(predict(BLACKWELL "megatron-2026,2026-02,bf16,none,2,,1,1,,1,288,,1,,,4") == NULL);
    CHECK(scenario.machine.node.gpus == 4 && scenario.machine.node.domain == 72);
    CHECK_NEAR(answer.step_s, step_s, 1e-14);
    CASE("a rack of which NVLink reaches 36; a box of H100 that holds four");
    CHECK(predict(BLACKWELL "megatron-2026,2026-02,bf16,none,2,,1,1,,1,288,,1,,,36") == NULL);
    CHECK(scenario.machine.node.gpus == 4 && scenario.machine.node.domain == 36);
    CHECK(predict(LLAMA "megatron-2024,2025-02,bf16,none,2,,1,1,,1,256,,1,,,4") == NULL);
    CHECK(scenario.machine.node.gpus == 4 && scenario.machine.node.domain == 4);
}

/* Llama 3 8B on 32 A100. */
#define EIGHT_B "x,llama-3-8b,dense,32,4096,14336,1,32,8,128,128256,0,,,,,4096,a100-sxm-80gb,32,"

static void open_recompute(void) {
    CASE("what is not said to be recomputed is the least that fits; one in five does layers again");
    CHECK(predict(EIGHT_B "fsdp-2024,2024-06,bf16,full,1,,1,1,,1,32,,3,200") == NULL);
    double full_s = answer.step_s;
    CHECK(answer.doubt.open == 0);
    CHECK(predict(EIGHT_B "fsdp-2024,2024-06,bf16,none,1,,1,1,,1,32,,3,200") == NULL);
    double least_s = answer.step_s;
    CHECK(answer.doubt.open == 0);
    CHECK(predict(EIGHT_B "fsdp-2024,2024-06,bf16,,1,,1,1,,1,32,,3,200") == NULL);
    CHECK_NEAR(answer.step_s, least_s, 1e-14);
    CHECK_NEAR(answer.doubt.open, sqrt(0.2) * log(full_s / least_s), 1e-12);
}

static void ports(void) {
    CASE("ports of a technology named without its rate are as fast as the box's cards");
    CHECK(predict("x,llama-3-8b,dense,32,4096,14336,1,32,8,128,128256,0,,,,,4096,mi355x,32,"
                  "fsdp-2024,2026-06,bf16,none,1,,1,1,,1,32,,3,,over RoCE") == NULL);
    CHECK(strcmp(scenario.machine.fabric.name, "roce-400") == 0);
    CHECK_NEAR(clg_machine_line_bytes_per_s(&scenario.machine), 50e9, 1e-14);
    CHECK(predict("x,llama-3-8b,dense,32,4096,14336,1,32,8,128,128256,0,,,,,4096,a10,32,"
                  "fsdp-2024,2026-06,bf16,full,1,,1,1,,1,32,,3,,over RoCE") == NULL);
    CHECK(strcmp(scenario.machine.fabric.name, "roce-200") == 0); /* cards of 100: no such port */
}

static void open_cells(void) {
    CASE("a network that nobody names is one in the middle of those there are, and widens");
    CHECK(predict(EIGHT_B "fsdp-2024,2024-06,bf16,none,1,,1,1,,1,32,,3,") == NULL);
    double open = answer.doubt.open, step_s = answer.step_s;
    CHECK(scenario.machine.fabric.gpu_bytes_per_s < 200e9 / 8 && open > 0);
    CHECK(predict(EIGHT_B "fsdp-2024,2024-06,bf16,none,1,,1,1,,1,32,,3,200") == NULL);
    CHECK(answer.doubt.open == 0 && answer.step_s < step_s);
    CHECK(predict(EIGHT_B "fsdp-2024,2024-06,bf16,none,1,,1,1,,1,32,,3,,over RoCE") == NULL);
    CHECK(answer.doubt.open == 0 && strcmp(scenario.machine.fabric.name, "roce-200") == 0);
    CASE("a blank micro-batch widens, too: half of the weight is on the fastest");
    CHECK(predict(EIGHT_B "megatron-2024,2024-06,bf16,none,2,,2,1,,,256,,1,200") == NULL);
    double fastest = answer.step_s;
    CHECK(answer.doubt.open > 0);
    int taken = answer.layout.micro_batch;
    for (int micro = 1; micro <= 4; micro *= 2) {
        const char *row = EIGHT_B "megatron-2024,2024-06,bf16,none,2,,2,1,,%d,256,,1,200";
        CHECK(predict(clg_arena_print(&arena, row, micro)) == NULL);
        CHECK(!answer.fits || answer.step_s >= fastest || micro == taken);
    }
    CASE("tokens a second and no batch: 4M tokens where replicas keep gradients, 61 sums of 16");
    CHECK(predict(EIGHT_B "megatron-2024,2024-06,bf16,none,2,,1,1,,1,,,1,200,,,,,,,900") == NULL);
    CHECK(answer.layout.global_batch == 61 * 16 && answer.layout.accumulation == 61);
    CHECK(answer.doubt.open > 0); /* one of each replica may be meant */
    CHECK(predict(EIGHT_B "megatron-2024,2024-06,bf16,none,2,,2,1,,1,,,1,200,,,,,,,900") == NULL);
    CHECK(answer.layout.global_batch == 122 * 8 && answer.doubt.open == 0); /* a pipeline's own */
    CASE("sharded whole, one of each replica; with seconds a step a batch has to be stated");
    CHECK(predict(EIGHT_B "fsdp-2024,2024-06,bf16,none,1,,1,1,,1,,,3,200,,,,,,,900") == NULL);
    CHECK(answer.layout.global_batch == 32 && answer.doubt.open == 0);
    CHECK(predict(EIGHT_B "fsdp-2024,2024-06,bf16,none,1,,1,1,,1,,,3,200") != NULL);
    CASE("experts' traffic beside the other micro-batch");
    CHECK(predict(EIGHT_B "megatron-2024,2024-06,bf16,none,2,,1,1,,1,256,,1,200,"
                          "expert traffic overlapped") == NULL);
    CHECK(scenario.stack.overlap.expert == 0.5);
    CASE("Liger: no fp32 logits; torch.compile pads a vocabulary");
    CHECK(predict(EIGHT_B "trl,2025-06,bf16,none,1,,1,1,,1,32,,3,200,Liger") == NULL);
    CHECK(scenario.stack.fused.cross_entropy && scenario.stack.kernels.odd_flop_per_clock > 0);
    CHECK(predict(EIGHT_B "trl,2025-06,bf16,none,1,,1,1,,1,32,,3,200,; torch.compile") == NULL);
    CHECK(scenario.stack.kernels.odd_flop_per_clock == 0);
    CASE("trained beside frozen weights: priced so; an unknown kind is set aside with its reason");
    CHECK(predict(EIGHT_B "fsdp-2024,2024-06,bf16,none,1,,1,1,,1,32,,3,,,,lora,8") == NULL);
    CHECK(answer.layout.adapter.kind == CLG_ADAPTER_LORA && answer.layout.adapter.rank == 8);
    CASE(
        "blank recompute: all of it with a base in 4 bits, as its trainers do; said, what is said");
    CHECK(predict(EIGHT_B "fsdp-2024,2024-06,bf16,,1,,1,1,,1,32,,3,,,,qlora,8") == NULL);
    CHECK(answer.layout.recompute == CLG_RECOMPUTE_FULL && answer.layout.recompute_layers == 0);
    CHECK(predict(EIGHT_B "fsdp-2024,2024-06,bf16,none,1,,1,1,,1,32,,3,,,,qlora,8") == NULL);
    CHECK(answer.layout.recompute == CLG_RECOMPUTE_NONE);
    CHECK(predict(EIGHT_B "fsdp-2024,2024-06,bf16,,1,,1,1,,1,32,,3,,,,lora,8") == NULL);
    CHECK(answer.layout.recompute == CLG_RECOMPUTE_NONE);
    const char *why = predict(EIGHT_B "fsdp-2024,2024-06,bf16,none,1,,1,1,,1,32,,3,,,,prefix,8");
    CHECK(why && strstr(why, "adapter"));
    CHECK(predict(EIGHT_B "fsdp-2024,2024-06,bf16,none,1,,1,1,,1,32,,3,,,,none,") == NULL);
}

int main(void) {
    unknown_words();
    open_layouts();
    ports();
    open_cells();
    open_recompute();
    network();
    boxes();
    expert_tensor();
    contexts();
    terms();
    degrees();
    blank_degrees();
    blanks();
    shapes();
    notes();
    words();
    software();
    names();
    sharders();
    clg_arena_clear(&arena);
    return DONE;
}
