/* Fine-tuning with the model frozen: what is trained, what is left out, what is added. */
#include "plan.h"
#include "step/step.h"

#include <string.h>

static clg_arena arena;

static clg_adapter adapter(const char *kind, double rank, const char *targets, const char *base) {
    clg_adapter a;
    clg_error e = {0};
    CHECK(clg_adapter_read(kind, rank, targets, base, &a, &e) == CLG_OK);
    return a;
}

static clg_step *step_under(const char *stack, const char *model, clg_adapter a, int zero) {
    clg_scenario s = plan_scenario(&arena, model, "a100-sxm-80gb", stack, 1);
    clg_layout l = plan_layout(2048);
    clg_step *step = clg_take(&arena, 1, clg_step);
    l.adapter = a;
    l.zero = zero;
    clg_step_build(&s.model, &s.machine, &s.stack, &l, step);
    return step;
}

static clg_step *step_of(const char *model, clg_adapter a) {
    return step_under("pytorch", model, a, 0);
}

/* Launches of adapters' products in a layer's forward pass. */
static int thin_products(const clg_step *step) {
    int calls = 0;
    for (int i = 0; i < step->kind[0].ops; i++) {
        const clg_op *op = &step->kind[0].op[i];
        if (op->pass == CLG_PASS_FORWARD && op->adapts && op->kind == CLG_OP_GEMM)
            calls += op->count;
    }
    return calls;
}

/* What Hugging Face PEFT prints as trainable for Llama 2 7B. */
static void counts(void) {
    CASE("q_proj and v_proj, rank 8: 4,194,304 trained");
    clg_step *step = step_of("llama-2-7b", adapter("lora", 8, "q_proj v_proj", ""));
    CHECK_NEAR(32 * step->kind[0].adapter_parameters, 4194304, 1e-12);
    CASE("all linear layers, rank 16: 39,976,960 trained");
    step = step_of("llama-2-7b", adapter("lora", 16, "", ""));
    CHECK_NEAR(32 * step->kind[0].adapter_parameters, 39976960, 1e-12);
    CASE("grouped keys and values have narrower ones: Llama 3 8B, attention, rank 16: 13,631,488");
    step = step_of("llama-3-8b", adapter("lora", 16, "attention", ""));
    CHECK_NEAR(32 * step->kind[0].adapter_parameters, 13631488, 1e-12);
    CASE("each of 8 experts has its own: 16 x (26,624 of attention + 8 x 3 x (4,096 + 14,336))");
    step = step_of("mixtral-8x7b", adapter("lora", 16, "w1,w2,w3 attention", ""));
    CHECK_NEAR(step->kind[0].adapter_parameters, 16 * (26624 + 8 * 3 * 18432), 1e-12);
    CHECK(thin_products(step) == 4 * 2 + 8 * 3 * 2); /* three an expert, two products each */
    CASE("Megatron-Bridge: one beside q, k and v, one beside gate and up, one for all experts");
    step = step_under("megatron-2026", "mixtral-8x7b", adapter("lora", 16, "", ""), 0);
    CHECK_NEAR(step->kind[0].adapter_parameters,
               16 * (4096 + 6144 + 4096 + 4096 + 4096 + 2 * 14336 + 14336 + 4096), 1e-12);
    CHECK(thin_products(step) == 4 * 2);
    CASE("no adapter: everything is trained");
    step = step_of("llama-2-7b", (clg_adapter){0});
    CHECK(step->frozen_share == 0 && step->kind[0].adapter_parameters == 0);
}

/* Flop of a layer's products in one pass, without those of adapters. */
static double frozen_flop(const clg_step *step, clg_pass pass) {
    double flop = 0;
    for (int i = 0; i < step->kind[0].ops; i++) {
        const clg_op *op = &step->kind[0].op[i];
        if (op->kind == CLG_OP_GEMM && op->pass == pass && strncmp(op->name, "adapter", 7) != 0)
            flop += op->flop;
    }
    return flop;
}

/* Of kernels of a name in a layer, in all passes or in one. */
static double bytes_in(const clg_step *step, const char *name, int pass) {
    double bytes = 0;
    for (int i = 0; i < step->kind[0].ops; i++) {
        const clg_op *op = &step->kind[0].op[i];
        if (strcmp(op->name, name) == 0 && (pass < 0 || (int)op->pass == pass))
            bytes += op->hbm_bytes * op->count;
    }
    return bytes;
}

static double widened(const clg_step *step) { return bytes_in(step, "widen frozen weights", -1); }

static void passes(void) {
    CASE("frozen products have a forward and an input gradient, as whole ones, and nothing more");
    clg_step *whole = step_of("llama-2-7b", (clg_adapter){0});
    clg_step *frozen = step_of("llama-2-7b", adapter("lora", 16, "", ""));
    CHECK_NEAR(frozen_flop(frozen, CLG_PASS_FORWARD), frozen_flop(whole, CLG_PASS_FORWARD), 1e-12);
    CHECK_NEAR(frozen_flop(frozen, CLG_PASS_BACKWARD_INPUT),
               frozen_flop(whole, CLG_PASS_BACKWARD_INPUT), 1e-12);
    CHECK(frozen_flop(frozen, CLG_PASS_BACKWARD_WEIGHT) == 0);
    CASE("nf4 weights are widened once forward and once backward: 4.127 bit read, 16 written, and "
         "12 bytes for the scale of 64");
    clg_step *narrow = step_of("llama-2-7b", adapter("qlora", 16, "", ""));
    double layer = 4 * 4096.0 * 4096 + 3 * 4096.0 * 11008;
    CHECK_NEAR(widened(narrow), 2 * layer * (4.127 / 8 + 2 + 12.0 / 64), 1e-9);
    CHECK(widened(frozen) == 0);
}

/* Input-gradient products of the frozen layer in fp32. */
static int single_products(const clg_step *step) {
    int count = 0;
    for (int i = 0; i < step->kind[0].ops; i++) {
        const clg_op *op = &step->kind[0].op[i];
        count += op->kind == CLG_OP_GEMM && op->precision == CLG_FP32 && !op->adapts;
        CHECK(op->precision != CLG_FP32 || op->kind != CLG_OP_GEMM ||
              op->pass == CLG_PASS_BACKWARD_INPUT);
    }
    return count;
}

static int kernels_in(const clg_step *step, const char *name, clg_pass pass, bool awaited) {
    int kernels = 0;
    for (int i = 0; i < step->kind[0].ops; i++) {
        const clg_op *op = &step->kind[0].op[i];
        if (op->pass == pass && op->awaited == awaited && strcmp(op->name, name) == 0)
            kernels += op->count;
    }
    return kernels;
}

/* Llama 2 7B, 2,048 tokens: qkv 4,096 to 12,288, out 4,096 to 4,096, gate and up 4,096 to 22,016,
 * down 11,008 to 4,096: seven modules, inputs and results 35,584 and 42,496 wide. */
static void prepared(void) {
    const double tokens = 2048, in = 35584, out = 42496;
    const char *casts = "cast beside frozen weights", *eight = "quantize, outliers, dequantize";
    CASE("prepared for k-bit training: sums of residuals are of fp32, 3 x 4 bytes an element");
    clg_adapter nf4 = adapter("qlora", 16, "", ""), int8 = adapter("lora", 16, "", "int8");
    clg_step *step = step_under("transformers", "llama-2-7b", nf4, 0);
    CHECK_NEAR(bytes_in(step, "residual", CLG_PASS_FORWARD), 2 * tokens * 4096 * 12, 1e-12);
    CASE("and each product has its input cast down and its result up: 6 bytes");
    CHECK_NEAR(bytes_in(step, casts, CLG_PASS_FORWARD), tokens * (in + out) * 6, 1e-12);
    CHECK_NEAR(bytes_in(step, casts, CLG_PASS_BACKWARD_INPUT), tokens * (in + out) * 6, 1e-12);
    CHECK(single_products(step) == 0);
    CASE("an adapter's dropout reads fp32 and its mask, 9 + 6 of the cast; scale 4, sum 10");
    double adapted = 4 * 4096 + 2 * 4096 + 11008 /* inputs of seven */, weights = 16 * 6;
    CHECK_NEAR(bytes_in(step, "adapter dropout, scale, sum", CLG_PASS_FORWARD),
               tokens * (adapted * 15 + out * 14) + weights * (adapted + out), 1e-12);
    CASE("FSDP and DeepSpeed bring norms back to 16 bit; so does who does not prepare");
    step = step_under("transformers", "llama-2-7b", nf4, 2);
    CHECK_NEAR(bytes_in(step, "residual", CLG_PASS_FORWARD), 2 * tokens * 4096 * 6, 1e-12);
    CHECK(bytes_in(step, casts, -1) == 0);
    CHECK(bytes_in(step_under("pytorch", "llama-2-7b", nf4, 0), casts, -1) == 0);
    CHECK(bytes_in(step_under("transformers", "llama-2-7b", adapter("lora", 16, "", "int4"), 0),
                   casts, -1) == 0);
    CASE("LLM.int8 in 16 bit: 8 an input, 20 a result; backward 6 a gradient and 11 a weight");
    step = step_under("pytorch", "llama-2-7b", int8, 0);
    double layer = 4 * 4096.0 * 4096 + 3 * 4096.0 * 11008;
    CHECK_NEAR(bytes_in(step, eight, CLG_PASS_FORWARD), tokens * (8 * in + 20 * out), 1e-12);
    CHECK_NEAR(bytes_in(step, eight, CLG_PASS_BACKWARD_INPUT), tokens * 6 * out + layer * 11,
               1e-12);
    CHECK(single_products(step) == 0 && widened(step) == 0);
    CASE("48 kernels forward of each of seven modules, which the host awaits, and 12 back");
    CHECK(kernels_in(step, eight, CLG_PASS_FORWARD, true) == 7 * 48);
    CHECK(kernels_in(step, eight, CLG_PASS_BACKWARD_INPUT, false) == 7 * 12);
    CASE("PEFT before 2023-06 casts no norm of Llama");
    CHECK(single_products(step_under("transformers@2023-05", "llama-2-7b", int8, 0)) == 0);
    CASE("prepared: 14 an input, 34 a result, 12 and 17; and its backward products are of fp32");
    step = step_under("transformers", "llama-2-7b", int8, 0);
    CHECK_NEAR(bytes_in(step, eight, CLG_PASS_FORWARD), tokens * (14 * in + 34 * out), 1e-12);
    CHECK_NEAR(bytes_in(step, eight, CLG_PASS_BACKWARD_INPUT), tokens * 12 * out + layer * 17,
               1e-12);
    CHECK(single_products(step) == 4);
}

static int adapters_in(const clg_step *step, clg_precision precision) {
    int count = 0;
    for (int i = 0; i < step->kind[0].ops; i++) {
        const clg_op *op = &step->kind[0].op[i];
        count += op->kind == CLG_OP_GEMM && op->adapts && op->precision == precision;
    }
    return count;
}

/* PEFT beside a base of 16 bit; seven inputs of 35,776 and results of 42,496 in all. */
static void single(void) {
    const double tokens = 2048, in = 6 * 4096 + 11008, out = 42496;
    const char *casts = "adapter casts";
    clg_adapter lora = adapter("lora", 16, "", "");
    CASE("under autocast inputs go to fp32 and back, 6 + 4 + 6, and products are of 16 bit");
    clg_step *step = step_under("transformers@2025-06", "llama-2-7b", lora, 0);
    CHECK_NEAR(bytes_in(step, casts, CLG_PASS_FORWARD), 16 * tokens * in, 1e-12);
    CHECK_NEAR(bytes_in(step, casts, CLG_PASS_BACKWARD_INPUT), 16 * tokens * in, 1e-12);
    CHECK(adapters_in(step, CLG_FP32) == 0);
    CASE(
        "without it, as with weights of 16 bit alone, all is fp32: 10 an input, 14 or 16 a result");
    clg_scenario s =
        plan_scenario(&arena, "llama-2-7b", "a100-sxm-80gb", "transformers@2025-06", 1);
    clg_layout l = plan_layout(2048);
    l.adapter = lora;
    s.stack.precision.master_weights = false;
    clg_step_build(&s.model, &s.machine, &s.stack, &l, step);
    CHECK_NEAR(bytes_in(step, casts, CLG_PASS_FORWARD), tokens * (10 * in + 14 * out), 1e-12);
    CHECK_NEAR(bytes_in(step, casts, CLG_PASS_BACKWARD_INPUT), tokens * (10 * in + 16 * out),
               1e-12);
    CHECK(adapters_in(step, CLG_FP32) == 7 * 2 * 3 && adapters_in(step, CLG_BF16) == 0);
    CASE("FSDP and DeepSpeed keep 16 bit, as do other trainers and PEFT before 0.12");
    CHECK(bytes_in(step_under("transformers@2025-06", "llama-2-7b", lora, 3), casts, -1) == 0);
    CHECK(bytes_in(step_under("transformers@2024-06", "llama-2-7b", lora, 0), casts, -1) == 0);
    CHECK(bytes_in(step_of("llama-2-7b", lora), casts, -1) == 0);
}

/* Llama 2 7B in nf4: 6.476 G parameters of layers x 4.127 bit + tables and norms of 16 bit. */
static void memory(void) {
    CASE("states of what is trained only; tables stay in 16 bit");
    clg_scenario s = plan_scenario(&arena, "llama-2-7b", "a100-sxm-80gb", "pytorch", 1);
    clg_layout l = plan_layout(2048);
    l.recompute = CLG_RECOMPUTE_FULL;
    l.adapter = adapter("qlora", 16, "", "");
    clg_evaluation e = plan_evaluation(&arena, &s, l);
    double layers = 32 * (4 * 4096.0 * 4096 + 3 * 4096.0 * 11008), tables = 2 * 32000 * 4096.0;
    CHECK_NEAR(e.memory.weights_bytes, layers * 4.127 / 8 + tables * 2 + 39976960 * 2.0, 0.005);
    CHECK_NEAR(e.memory.gradients_bytes, 39976960 * clg_gradient_held_bytes(&l, &s.stack), 0.005);
    CASE("of six operations a frozen weight asks for four");
    double tokens = 2048, attention = 12.0 * 32 * 4096 * 2048;
    CHECK_NEAR(e.model_flop / tokens, 4 * 6.738e9 + attention + 6 * 39976960.0, 0.002);
}

/* DPO's second model. */
static void reference(void) {
    CASE("a frozen model beside: every forward product once more, nothing backward, nothing kept");
    clg_scenario s = plan_scenario(&arena, "llama-2-7b", "a100-sxm-80gb", "pytorch", 1);
    clg_layout l = plan_layout(2048);
    clg_step *alone = clg_take(&arena, 1, clg_step), *both = clg_take(&arena, 1, clg_step);
    clg_step_build(&s.model, &s.machine, &s.stack, &l, alone);
    l.reference = CLG_REFERENCE_MODEL;
    clg_step_build(&s.model, &s.machine, &s.stack, &l, both);
    CHECK_NEAR(frozen_flop(both, CLG_PASS_FORWARD), 2 * frozen_flop(alone, CLG_PASS_FORWARD),
               1e-12);
    CHECK_NEAR(frozen_flop(both, CLG_PASS_BACKWARD_INPUT),
               frozen_flop(alone, CLG_PASS_BACKWARD_INPUT), 1e-12);
    CHECK(both->kind[0].saved_bytes == alone->kind[0].saved_bytes);
    CASE("beside an adapter it is the frozen model itself: no thin products, no memory");
    l.adapter = adapter("lora", 16, "", "");
    clg_step_build(&s.model, &s.machine, &s.stack, &l, both);
    for (int i = 0; i < both->kind[0].ops; i++)
        if (strcmp(both->kind[0].op[i].name, "reference model") == 0)
            CHECK(!both->kind[0].op[i].adapts);
    clg_evaluation with = plan_evaluation(&arena, &s, l);
    l.reference = CLG_REFERENCE_NONE;
    clg_evaluation without = plan_evaluation(&arena, &s, l);
    CHECK(with.memory.weights_bytes == without.memory.weights_bytes);
    CASE("a forward of three passes: a third more of a step whose kernels are all there is");
    CHECK(with.step_s > 1.2 * without.step_s && with.step_s < 1.6 * without.step_s);
}

static void words(void) {
    CASE("modules as models call them; unknown ones are refused with the nearest");
    unsigned targets;
    clg_error e = {0};
    CHECK(clg_adapter_targets("q_proj,v_proj", &targets, &e) == CLG_OK);
    CHECK(targets == (CLG_TARGET_QUERY | CLG_TARGET_VALUE));
    CHECK(clg_adapter_targets("c_attn c_proj w1 w2", &targets, &e) == CLG_OK);
    CHECK(targets == CLG_TARGET_ALL);
    unsigned packed;
    CHECK(clg_adapter_targets("W_pack", &packed, &e) == CLG_OK);
    CHECK(clg_adapter_targets("wqkv", &targets, &e) == CLG_OK && targets == packed);
    CHECK(clg_adapter_targets("q_prog", &targets, &e) != CLG_OK);
    CHECK(clg_adapter_targets("", &targets, &e) != CLG_OK);
    clg_adapter a;
    CHECK(clg_adapter_read("lora", 1e9, "", "", &a, &e) != CLG_OK);
    CHECK(clg_adapter_read("none", -1, "nonsense", "", &a, &e) == CLG_OK);
}

int main(void) {
    counts();
    passes();
    prepared();
    single();
    memory();
    reference();
    words();
    return DONE;
}
