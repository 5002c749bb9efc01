/* Famous runs as their papers state them: sharded gradients under pipelines. */
#include "validate/validate.h"

#include "test.h"

static clg_arena arena;

static clg_validation validated(const char *text) {
    clg_validation v = {0};
    clg_csv table;
    clg_error error = {0};
    CHECK(clg_csv_parse(&arena, "runs.csv", text, strlen(text), &table, &error) == CLG_OK);
    CHECK(clg_validate(&arena, &table, 1, (clg_progress){0}, &v, &error) == CLG_OK);
    return v;
}

/* Jiang et al. 2024, arXiv:2402.15627, table 2: Megatron-LM, ZeRO-2 (section 3.1). A reduction in
 * every micro-batch would make 118 s of 40. */
static void megascale(void) {
    static const struct {
        int gpus, batch;
        double step_s;
    } rows[] = {{256, 768, 40},
                {512, 768, 21.2},
                {1024, 768, 11.9},
                {3072, 6144, 29.02},
                {12288, 6144, 8.57}};
    static const char head[] =
        "id,source,kind,layers,hidden,ffn,gated,heads,kv_heads,head_dim,vocab,tied,seq,gpu,gpus,"
        "gpus_per_node,inter_gbit_per_s_per_gpu,stack,date,precision,tp,pp,vpp,schedule,status,"
        "dp,zero,global_batch,step_s\n";
    CASE("MegaScale's table 2 with ZeRO-2: within a tenth, and as ZeRO-1 to a twentieth");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        clg_text text = {.arena = &arena};
        clg_text_print(&text, "%s", head);
        for (int zero = 1; zero <= 2; zero++)
            clg_text_print(&text,
                           "m-%d,m,dense,96,12288,49152,0,128,128,96,64000,1,2048,a100-sxm-80gb,%d,"
                           "8,200,megatron-2022,2024-02,bf16,8,8,6,interleaved,ok,%d,%d,%d,%g\n",
                           zero, rows[i].gpus, rows[i].gpus / 64, zero, rows[i].batch,
                           rows[i].step_s);
        clg_validation v = validated(text.data);
        CHECK(v.runs == 2 && !v.run[1].reason && fabs(v.run[1].error) < 0.1);
        CHECK_NEAR(v.run[0].predicted.step_s, v.run[1].predicted.step_s, 0.05);
    }
}

/* Llama Team 2024, arXiv:2407.21783, table 4 and section 3.3.2: gradients and states sharded,
 * weights not resharded after the forward. A reduction in every micro-batch made 19 s of 6.5. */
static void llama(void) {
    CASE(
        "Llama 3 405B on 8,192 and 16,384 H100 with ZeRO-2: within a seventh, and fits, as it did");
    clg_validation v =
        validated("id,source,model,seq,gpu,gpus,gpus_per_node,inter_gbit_per_s_per_gpu,stack,date,"
                  "precision,recompute,dp,zero,tp,cp,pp,vpp,schedule,micro_batch,global_batch,"
                  "step_s,status\n"
                  "l-1,l,llama-3.1-405b,8192,h100-sxm,16384,8,400,unknown,2024-07,bf16,none,128,2,"
                  "8,1,16,8,interleaved,1,2048,6.4936,ok\n"
                  "l-2,l,llama-3.1-405b,8192,h100-sxm,8192,8,400,unknown,2024-07,bf16,none,64,2,"
                  "8,1,16,8,interleaved,1,2048,12.081,ok\n");
    CHECK(v.runs == 2);
    for (int i = 0; i < v.runs; i++)
        CHECK(!v.run[i].reason && fabs(v.run[i].error) < 0.143 && v.run[i].predicted.fits);
}

/* DeepSeek 2025, arXiv:2505.09343, table 4; what is kept: arXiv:2412.19437, sections 3.2 and 3.3.
 */
static void deepseek(void) {
    CASE("DeepSeek-V3 on 2,048 H800 as recorded: within a tenth, and fits, as it did");
    clg_validation v =
        validated("id,source,model,seq,gpu,gpus,gpus_per_node,inter_gbit_per_s_per_gpu,stack,date,"
                  "precision,recompute,dp,zero,tp,ep,pp,schedule,global_batch,step_s,status\n"
                  "d-1,d,deepseek-v3,4096,h800-sxm,2048,8,400,unknown,2025-05,fp8,selective,128,1,"
                  "1,64,16,dualpipe,15360,19.926,ok\n");
    CHECK(v.runs == 1 && !v.run[0].reason);
    CHECK(fabs(v.run[0].error) < 0.1 && v.run[0].predicted.fits);
}

int main(void) {
    megascale();
    llama();
    deepseek();
    clg_arena_clear(&arena);
    return DONE;
}
