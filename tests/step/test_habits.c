/* What stacks do to the same layer: norms, losses, recomputation, gradients, weights and stages. */
#include "cost/collective.h"
#include "cost/price.h"
#include "memory/memory.h"
#include "step/step.h"

#include "plan.h"

static clg_arena arena;
static clg_step step;

static const clg_block *layer(const clg_scenario *s, const clg_layout *l) {
    return &plan_step(&arena, s, l, &step)->kind[0];
}

static double hbm(const clg_block *block, clg_pass pass, clg_op_kind kind) {
    double sum = 0;
    for (int i = 0; i < block->ops; i++)
        if (block->op[i].pass == pass && block->op[i].kind == kind)
            sum += block->op[i].hbm_bytes * block->op[i].count;
    return sum;
}

static double gathered(const clg_block *block, clg_pass pass) {
    double sum = 0;
    for (int i = 0; i < block->ops; i++)
        if (block->op[i].pass == pass && block->op[i].kind == CLG_OP_COLLECTIVE &&
            block->op[i].collective == CLG_ALL_GATHER)
            sum += block->op[i].bytes;
    return sum;
}

/* What a rank hands on. */
static double passed(const clg_block *block, clg_pass pass) {
    double sum = 0;
    for (int i = 0; i < block->ops; i++)
        if (block->op[i].pass == pass && block->op[i].kind == CLG_OP_COLLECTIVE &&
            block->op[i].collective == CLG_SEND_RECEIVE)
            sum += block->op[i].bytes * block->op[i].count;
    return sum;
}

static double flop(const clg_block *block, clg_pass pass) {
    double sum = 0;
    for (int i = 0; i < block->ops; i++)
        if (block->op[i].pass == pass) sum += block->op[i].flop * block->op[i].count;
    return sum;
}

static int kernels(const clg_block *block, const char *name) {
    int count = 0;
    for (int i = 0; i < block->ops; i++)
        if (strcmp(block->op[i].name, name) == 0) count += block->op[i].count;
    return count;
}

static void norms(void) {
    CASE("a norm kernel: 3 launches a norm, elementary operations 18");
    clg_scenario s = plan_scenario(&arena, "llama-13b", "a100-sxm-80gb", "aleph-alpha-2023", 64);
    clg_layout l = plan_layout(2048);
    CHECK(kernels(layer(&s, &l), "norm") == 2 * 3);
    double kept = step.kind[0].saved_bytes;
    s.stack.fused.norm = false;
    CHECK(kernels(layer(&s, &l), "norm") == 2 * 18);
    CASE("elementary norms keep the input in fp32 and the value before the weight: 6 bytes more");
    CHECK_NEAR(step.kind[0].saved_bytes - kept, 2 * 2048.0 * 5120 * 6, 1e-12);
    CASE("where layers are recomputed, 6 launches more a norm");
    l.recompute = CLG_RECOMPUTE_FULL;
    CHECK(kernels(layer(&s, &l), "norm") == 2 * 24);
}

static void losses(void) {
    CASE("a gathered loss: one gather of all logits, tp times the loss, no sums over shards");
    clg_scenario s = plan_scenario(&arena, "llama-13b", "a100-sxm-80gb", "megatron-2024", 64);
    clg_layout l = plan_layout(2048);
    l.tp = 4, l.sp = true;
    layer(&s, &l);
    double sharded = step.head.transient_bytes;
    CHECK(kernels(&step.head, "loss over vocabulary shards") == 3);
    s.stack.loss.gathered = true;
    layer(&s, &l);
    CHECK(kernels(&step.head, "loss over vocabulary shards") == 0);
    CHECK(kernels(&step.head, "gather logits") == 1);
    CHECK_NEAR(step.head.transient_bytes, 4 * sharded, 1e-12);
    for (int i = 0; i < step.head.ops; i++)
        if (strcmp(step.head.op[i].name, "gather logits") == 0)
            CHECK_NEAR(step.head.op[i].bytes, 2048.0 * 32000 * 2, 1e-14);
    CASE("capped logits: three kernels forward and backward, 12 and 14 bytes; the tanh is kept");
    s = plan_scenario(&arena, "gemma-2-9b", "a100-sxm-80gb", "transformers", 1);
    l = plan_layout(2048);
    CHECK(s.model.capped_logits);
    layer(&s, &l);
    double capped = step.head.saved_bytes, bytes = 0;
    for (int i = 0; i < step.head.ops; i++)
        if (strcmp(step.head.op[i].name, "cap logits") == 0)
            bytes += step.head.op[i].count * step.head.op[i].hbm_bytes;
    CHECK(kernels(&step.head, "cap logits") == 6);
    CHECK_NEAR(bytes, 2048.0 * 256000 * (12 + 14), 1e-12);
    s.model.capped_logits = false;
    layer(&s, &l);
    CHECK_NEAR(capped - step.head.saved_bytes, 2048.0 * 256000 * 2, 1e-12);
}

/* GPT-3: a layer of 12 h^2 parameters, 4 of them in the attention, 4 in each half of the MLP. */
static void recomputation(void) {
    clg_scenario s = plan_scenario(&arena, "gpt3-175b", "a100-sxm-80gb", "megatron-2024", 64);
    clg_layout l = plan_layout(2048);
    l.recompute = CLG_RECOMPUTE_FULL;
    double forward = flop(layer(&s, &l), CLG_PASS_FORWARD), th2 = 2048.0 * 12288 * 12288;
    CASE("the whole layer again, or all but its last product: 8 t h^2 of 24 and attention");
    CHECK_NEAR(flop(&step.kind[0], CLG_PASS_RECOMPUTE), forward, 1e-14);
    s.stack.recompute.stops_early = true;
    CHECK_NEAR(flop(layer(&s, &l), CLG_PASS_RECOMPUTE), forward - 8 * th2, 1e-14);
    CASE("by operation: every other product again (output projection 2 and down 8), no attention");
    l.recompute = CLG_RECOMPUTE_SELECTIVE;
    s.stack.recompute.selective = CLG_SELECTIVE_OPERATIONS;
    CHECK_NEAR(flop(layer(&s, &l), CLG_PASS_RECOMPUTE), 10 * th2, 1e-14);
    CASE("else attention alone");
    s.stack.recompute.selective = CLG_SELECTIVE_ATTENTION;
    CHECK_NEAR(flop(layer(&s, &l), CLG_PASS_RECOMPUTE), forward - 24 * th2, 1e-12);
    CHECK(hbm(&step.kind[0], CLG_PASS_RECOMPUTE, CLG_OP_MEMORY) == 0);
    CASE("by product (XLA): attention, and the kernels between products; GPT-3 with biases, 2 "
         "bytes");
    /* two LayerNorms 2 x 3.6 t h, activation 2 x 4 t h, the first of two residual sums 3 t h */
    s.stack.recompute.selective = CLG_SELECTIVE_BETWEEN;
    CHECK_NEAR(flop(layer(&s, &l), CLG_PASS_RECOMPUTE), forward - 24 * th2, 1e-12);
    CHECK_NEAR(hbm(&step.kind[0], CLG_PASS_RECOMPUTE, CLG_OP_MEMORY),
               (7.2 + 8 + 3) * 2048.0 * 12288 * 2, 1e-12);
    CASE("it keeps input 1, queries, keys, values 3, output projection 1, up 4 of t h");
    double words = 2048.0 * 12288 * 2, core = forward - 24 * th2;
    CHECK_NEAR(step.kind[0].saved_bytes, 9 * words, 1e-14);
    CASE("attention's products kept: up again, 8; queries, keys and values: output projection too");
    s.stack.recompute.selective = CLG_SELECTIVE_MLP;
    CHECK_NEAR(flop(layer(&s, &l), CLG_PASS_RECOMPUTE), core + 8 * th2, 1e-12);
    CHECK_NEAR(step.kind[0].saved_bytes, 5 * words, 1e-14);
    s.stack.recompute.selective = CLG_SELECTIVE_HEADS;
    CHECK_NEAR(flop(layer(&s, &l), CLG_PASS_RECOMPUTE), core + 10 * th2, 1e-12);
    CHECK_NEAR(step.kind[0].saved_bytes, 4 * words, 1e-14);
    CASE("with what attention gave: 1 t h and 4 bytes a row of 96 heads, no core again");
    s.stack.recompute.kept_core = true;
    CHECK_NEAR(flop(layer(&s, &l), CLG_PASS_RECOMPUTE), 10 * th2, 1e-12);
    CHECK_NEAR(step.kind[0].saved_bytes, 5 * words + 2048.0 * 96 * 4, 1e-14);
    s.stack.recompute.selective = CLG_SELECTIVE_BETWEEN;
    CHECK(flop(layer(&s, &l), CLG_PASS_RECOMPUTE) == 0);
    CHECK_NEAR(step.kind[0].saved_bytes, 10 * words + 2048.0 * 96 * 4, 1e-14);
    CASE("tensor ranks: sums before what is done again are, those behind what is kept are not");
    s.stack.recompute.selective = CLG_SELECTIVE_MLP, l.tp = 8, l.sp = true;
    layer(&s, &l);
    int again = 0;
    for (int i = 0; i < step.kind[0].ops; i++)
        again += step.kind[0].op[i].kind == CLG_OP_COLLECTIVE &&
                 step.kind[0].op[i].pass == CLG_PASS_RECOMPUTE;
    CHECK(again == 1);
    l.tp = 1, l.sp = false, s.stack.recompute.kept_core = false;
    CASE("and nothing where nothing is done again");
    l.recompute = CLG_RECOMPUTE_NONE;
    CHECK(hbm(layer(&s, &l), CLG_PASS_RECOMPUTE, CLG_OP_MEMORY) == 0);
}

static void gradients(void) {
    CASE("DeepSpeed: fp16 gradients stay fp16 (2), bf16 ones are kept beside fp32 (2 + 4)");
    clg_scenario s =
        plan_scenario(&arena, "bloom-176b", "a100-sxm-80gb", "megatron-deepspeed-2022", 64);
    clg_layout l = plan_layout(2048);
    l.zero = 1, l.precision = CLG_FP16;
    CHECK(clg_gradient_bytes(&l, &s.stack) == 2 && clg_gradient_held_bytes(&l, &s.stack) == 2);
    CASE("and an update turns its own to fp32");
    CHECK(clg_update_bytes_per_parameter(&l, &s.stack) == 4);
    l.precision = CLG_BF16;
    CHECK(clg_gradient_bytes(&l, &s.stack) == 4 && clg_gradient_held_bytes(&l, &s.stack) == 6);
    CHECK(clg_update_bytes_per_parameter(&l, &s.stack) == 0);
    CASE("under Trainer ZeRO-1 and 2 are DeepSpeed's: bf16 gradients, an fp32 copy for the update");
    s = plan_scenario(&arena, "llama-2-7b", "a100-sxm-80gb", "transformers", 8);
    for (l.zero = 0; l.zero <= 3; l.zero++) {
        bool deepspeed = l.zero == 1 || l.zero == 2;
        CHECK(clg_gradient_bytes(&l, &s.stack) == (deepspeed ? 2 : 4));
        CHECK(clg_update_bytes_per_parameter(&l, &s.stack) == (deepspeed ? 4 : 0));
    }
    CASE("no masters, one rank, no ZeRO: autograd's own gradients and moments, 2 + 4, no copy");
    s = plan_scenario(&arena, "llama-3.2-3b", "a100-sxm-80gb", "torchtune-2024", 1);
    l = plan_layout(2048);
    CHECK(clg_gradient_held_bytes(&l, &s.stack) == 2);
    CHECK(clg_optimizer_bytes_per_parameter(&l, &s.stack) == 4);
    s.stack.gradient = CLG_FP32; /* where the stack's runs are sharded and sums are wide */
    CHECK(clg_gradient_held_bytes(&l, &s.stack) == 2);
    CHECK(clg_update_bytes_per_parameter(&l, &s.stack) == 0);
}

/* Bytes of one parameter, its optimizer's share split over `shards` ranks. */
static double state_bytes(const clg_layout *l, const clg_stack *stack, double shards) {
    double split =
        clg_optimizer_bytes_per_parameter(l, stack) + clg_update_bytes_per_parameter(l, stack);
    return clg_weight_bytes(l) + clg_gradient_held_bytes(l, stack) + split / shards;
}

/* Megatron-LM README, Distributed Optimizer: fp16 20 and 4 + 16/d, bf16 18 and 6 + 12/d. */
static void published_states(const char *stack) {
    CASE(stack);
    clg_scenario s = plan_scenario(&arena, "llama-2-7b", "a100-sxm-80gb", stack, 8);
    clg_layout l = plan_layout(2048);
    l.precision = CLG_FP16, l.zero = 0;
    CHECK(state_bytes(&l, &s.stack, 1) == 20);
    l.zero = 1;
    CHECK(state_bytes(&l, &s.stack, 8) == 4 + 16 / 8.0);
    l.precision = CLG_BF16;
    CHECK(state_bytes(&l, &s.stack, 8) == 6 + 12 / 8.0);
    l.zero = 0;
    CHECK(state_bytes(&l, &s.stack, 1) == 18);
}

static void remainders(void) {
    CASE("the lower half of bf16 masters: 2 + 8 bytes of states, no fp32 gradients");
    clg_scenario s = plan_scenario(&arena, "llama-3-8b", "h100-sxm", "nemo-2024", 8);
    clg_layout l = plan_layout(8192);
    CHECK(clg_optimizer_bytes_per_parameter(&l, &s.stack) == 10);
    CHECK(clg_update_bytes_per_parameter(&l, &s.stack) == 0);
    CASE("fp16 has no such half: 4 + 8, and its gradients become fp32");
    l.precision = CLG_FP16;
    CHECK(clg_optimizer_bytes_per_parameter(&l, &s.stack) == 12);
    CHECK(clg_update_bytes_per_parameter(&l, &s.stack) == 4);
    CASE("NeMo 2.0 has Megatron-Core's optimizer");
    clg_error error = {0};
    CHECK(clg_stack_find(&arena, "nemo-2024@2025-02", &s.stack, &error) == CLG_OK);
    l.precision = CLG_BF16;
    CHECK(clg_optimizer_bytes_per_parameter(&l, &s.stack) == 12);
    CHECK(clg_update_bytes_per_parameter(&l, &s.stack) == 4);
}

/* Llama 3 8B, tp 2 with sp: two regions a layer of 8,192 x 4,096 elements. */
static void gathers(void) {
    clg_scenario s = plan_scenario(&arena, "llama-3-8b", "h100-sxm", "torchtitan-2025", 16);
    clg_layout l = plan_layout(8192);
    double elements = 8192.0 * 4096;
    l.tp = 2, l.sp = true, l.dp = 8, l.global_batch = 8, l.zero = 3;
    CASE("gathered inputs are kept: two gathers forward and two of gradients backward, 16 bit");
    CHECK_NEAR(gathered(layer(&s, &l), CLG_PASS_FORWARD), 2 * elements * 2, 1e-14);
    CHECK_NEAR(gathered(&step.kind[0], CLG_PASS_BACKWARD_INPUT), 2 * elements * 2, 1e-14);
    double kept = step.kind[0].saved_bytes;
    CASE("or gathered again: two more, and half of both inputs less to keep");
    s.stack.memory.kept_gathers = 0;
    CHECK_NEAR(gathered(layer(&s, &l), CLG_PASS_BACKWARD_INPUT), 4 * elements * 2, 1e-14);
    CHECK_NEAR(kept - step.kind[0].saved_bytes, 2 * elements / 2 * 2, 1e-12);
    s.stack.memory.kept_gathers = 1;
    CASE("fp8 is cast before: half of the bytes; the head stays at 16 bit, and so does a sum");
    l.precision = CLG_FP8;
    CHECK_NEAR(gathered(layer(&s, &l), CLG_PASS_FORWARD), 2 * elements, 1e-14);
    CHECK_NEAR(gathered(&step.kind[0], CLG_PASS_BACKWARD_INPUT), 2 * elements, 1e-14);
    CHECK_NEAR(gathered(&step.head, CLG_PASS_FORWARD), elements * 2, 1e-14);
    CASE("weights too: 6e9 bytes a gather and not 12e9, gradients fp32 as before");
    clg_updates updates;
    clg_step_updates(&s.model, &s.stack, &l, &step, (clg_held){.dense = 6e9}, &updates);
    for (int i = 0; i < updates.count; i++) {
        const clg_op *op = &updates.update[i].op;
        if (op->collective == CLG_ALL_GATHER && op->kind == CLG_OP_COLLECTIVE)
            CHECK_NEAR(op->bytes, 6e9, 1e-14);
        if (op->collective == CLG_REDUCE_SCATTER && op->kind == CLG_OP_COLLECTIVE)
            CHECK_NEAR(op->bytes, 24e9, 1e-14);
    }
    CASE("and nothing of this in bf16");
    l.precision = CLG_BF16;
    clg_step_updates(&s.model, &s.stack, &l, &step, (clg_held){.dense = 6e9}, &updates);
    CHECK(updates.count > 0 && updates.update[0].op.bytes == 12e9);
}

/* What the backward of a layer all-reduces over tp, bytes. */
static double reduced(const clg_block *block) {
    double sum = 0;
    for (int i = 0; i < block->ops; i++)
        if (block->op[i].pass != CLG_PASS_FORWARD && block->op[i].axis == CLG_AXIS_TP &&
            block->op[i].kind == CLG_OP_COLLECTIVE && block->op[i].collective == CLG_ALL_REDUCE)
            sum += block->op[i].bytes * block->op[i].count;
    return sum;
}

/* Llama 13B on tp 4 without sp: gradients of inputs, 2,048 x 5,120 elements of 16 bit each. */
static double copied(const clg_scenario *s, const clg_layout *l, clg_pass pass) {
    const clg_block *block = layer(s, l);
    double bytes = 0;
    for (int i = 0; i < block->ops; i++)
        if (block->op[i].pass == pass && strstr(block->op[i].name, "copied into order"))
            bytes += block->op[i].hbm_bytes;
    return bytes;
}

/* Llama 3 8B, 8,192 tokens of 4,096 in 16 bit: 67 MB, read and written. */
static void token_copies(void) {
    clg_scenario s = plan_scenario(&arena, "llama-3-8b", "h100-sxm", "torchtitan-2025", 16);
    clg_layout l = plan_layout(8192);
    double each = 2 * 2 * 8192 * 4096.0;
    l.tp = 8, l.sp = true;
    CASE("two gathers and two scatters along tokens, forward and backward, are copied");
    CHECK_NEAR(copied(&s, &l, CLG_PASS_FORWARD), 4 * each, 1e-14);
    CHECK_NEAR(copied(&s, &l, CLG_PASS_BACKWARD_INPUT), 4 * each, 1e-14);
    CASE("a gather of one sequence is a view since 2026; of two it is not");
    s.stack.traffic.copied_from = 2;
    CHECK_NEAR(copied(&s, &l, CLG_PASS_FORWARD), 2 * each, 1e-14);
    l.micro_batch = 2, l.global_batch = 2 * l.dp;
    CHECK_NEAR(copied(&s, &l, CLG_PASS_FORWARD), 4 * 2 * each, 1e-14);
    CASE("not where gathers are pipelined with products, nor of all-reduces, nor of one rank");
    s.stack.overlap.tensor = 0.5;
    CHECK(copied(&s, &l, CLG_PASS_FORWARD) == 0);
    s.stack.overlap.tensor = 0, l.sp = false;
    CHECK(copied(&s, &l, CLG_PASS_FORWARD) == 0);
    l.tp = 1;
    CHECK(copied(&s, &l, CLG_PASS_FORWARD) == 0);
    CASE("Megatron's tokens come first");
    s = plan_scenario(&arena, "llama-3-8b", "h100-sxm", "megatron-2024", 16);
    l.tp = 8, l.sp = true;
    CHECK(copied(&s, &l, CLG_PASS_FORWARD) == 0);
}

static double named_flop(const clg_block *block, const char *name, clg_pass pass) {
    double sum = 0;
    for (int i = 0; i < block->ops; i++)
        if (block->op[i].pass == pass && strcmp(block->op[i].name, name) == 0)
            sum += (block->op[i].flop > 0 ? block->op[i].flop : 1) * block->op[i].count;
    return sum;
}

/* Mixtral 8x7B, two sequences of 4,096, two experts of eight a token: 10,240 places a sequence. */
static void fixed_capacity(void) {
    clg_scenario s = plan_scenario(&arena, "mixtral-8x7b", "h100-sxm", "maxtext-2024", 8);
    clg_layout l = plan_layout(4096);
    l.micro_batch = 2, l.global_batch = 2;
    const char *masks = "product with routing masks", *up = "expert up projection";
    CASE("as routed: rows are permuted, no products with masks");
    double routed = named_flop(layer(&s, &l), up, CLG_PASS_FORWARD);
    CHECK(named_flop(&step.kind[0], masks, CLG_PASS_FORWARD) == 0);
    CHECK(named_flop(&step.kind[0], "permute to experts", CLG_PASS_FORWARD) > 0);
    CASE("capacity 1.25: in and out by masks, 2 x 4,096 x 10,240 x 4,096 a product; 2 and 3 of "
         "them");
    s.stack.experts.capacity = 1.25;
    double product = 2.0 * 4096 * 10240 * 4096;
    CHECK_NEAR(named_flop(layer(&s, &l), masks, CLG_PASS_FORWARD), 2 * 2 * product, 1e-14);
    CHECK_NEAR(named_flop(&step.kind[0], masks, CLG_PASS_BACKWARD_INPUT), 2 * 3 * product, 1e-14);
    CASE("all places are computed, and nothing is permuted");
    CHECK_NEAR(named_flop(&step.kind[0], up, CLG_PASS_FORWARD), 1.25 * routed, 1e-14);
    CHECK(named_flop(&step.kind[0], "permute to experts", CLG_PASS_FORWARD) == 0);
    CHECK(named_flop(&step.kind[0], "unpermute and weigh", CLG_PASS_FORWARD) == 0);
}

static void gates(void) {
    clg_scenario s = plan_scenario(&arena, "llama-13b", "a100-sxm-80gb", "aleph-alpha-2023", 64);
    clg_layout l = plan_layout(2048);
    double input = 2048.0 * 5120 * 2;
    l.tp = 4;
    CASE("a gate apart: three inputs' gradients a layer are summed over tp, attention's, gate's, "
         "up's");
    CHECK_NEAR(reduced(layer(&s, &l)), 3 * input, 1e-14);
    CASE("joined: two");
    s.stack.traffic.gate_apart = false;
    CHECK_NEAR(reduced(layer(&s, &l)), 2 * input, 1e-14);
    s.stack.traffic.gate_apart = true;
    CASE("with sp what the norm gathered is one tensor, and scattered once");
    l.sp = true;
    double scattered = 0;
    const clg_block *block = layer(&s, &l);
    for (int i = 0; i < block->ops; i++)
        if (block->op[i].pass == CLG_PASS_BACKWARD_WEIGHT &&
            block->op[i].collective == CLG_REDUCE_SCATTER)
            scattered += block->op[i].bytes * block->op[i].count;
    CHECK_NEAR(scattered, 2 * input, 1e-14);
    CASE("one tensor rank sums nothing");
    l.tp = 1, l.sp = false;
    CHECK(reduced(layer(&s, &l)) == 0);
    CASE("no gate, no second sum");
    s = plan_scenario(&arena, "gpt3-1.3b", "a100-sxm-80gb", "aleph-alpha-2023", 64);
    l.tp = 4;
    CHECK_NEAR(reduced(layer(&s, &l)), 2 * 2048.0 * 2048 * 2, 1e-14);
}

/* Llama 3 8B on 4 context ranks of 2,048 tokens: 32 heads of 128, 8 of keys. */
static void contexts(void) {
    clg_scenario s = plan_scenario(&arena, "llama-3-8b", "h100-sxm", "torchtitan-2025", 8);
    clg_layout l = plan_layout(8192);
    l.cp = 4, l.dp = 2, l.global_batch = 2;
    CASE("PyTorch: keys and values of all 32 heads; 3 steps merged, 38 and 70 bytes an element");
    CHECK_NEAR(passed(layer(&s, &l), CLG_PASS_FORWARD), 3 * 2048.0 * 8192 * 2, 1e-14);
    double forward = hbm(&step.kind[0], CLG_PASS_FORWARD, CLG_OP_MEMORY);
    double backward = hbm(&step.kind[0], CLG_PASS_BACKWARD_INPUT, CLG_OP_MEMORY);
    CASE("backward: the same once more, and gradients of 4 bytes");
    CHECK_NEAR(passed(&step.kind[0], CLG_PASS_BACKWARD_INPUT), 3 * 2048.0 * 8192 * (2 + 4), 1e-14);
    s.stack.traffic.context_merged = false;
    CASE(
        "others: of 8 heads; 3 steps added, 6 bytes an element of queries, and of keys and values");
    CHECK_NEAR(passed(layer(&s, &l), CLG_PASS_FORWARD), 3 * 2048.0 * 2048 * 2, 1e-14);
    CHECK_NEAR(forward - hbm(&step.kind[0], CLG_PASS_FORWARD, CLG_OP_MEMORY),
               (38 - 6) * 3 * 2048.0 * 4096, 1e-12);
    CHECK_NEAR(backward - hbm(&step.kind[0], CLG_PASS_BACKWARD_INPUT, CLG_OP_MEMORY),
               3 * 2048.0 * (70 * 4096 - 6 * (4096 + 2048)), 1e-12);
    CASE("the core is 4 kernels, each of a quarter of the keys, and as much work together");
    double work = flop(&step.kind[0], CLG_PASS_FORWARD);
    for (int i = 0; i < step.kind[0].ops; i++)
        if (step.kind[0].op[i].kind == CLG_OP_ATTENTION)
            CHECK(step.kind[0].op[i].count == 4 && step.kind[0].op[i].attention.key_tokens == 2048);
    l.cp_kind = CLG_CONTEXT_GATHER;
    CHECK_NEAR(flop(layer(&s, &l), CLG_PASS_FORWARD), work, 1e-12);
    l.cp_kind = CLG_CONTEXT_RING;
    CASE("one rank has nobody to merge with");
    l.cp = 1, l.dp = 8, l.global_batch = 8;
    forward = hbm(layer(&s, &l), CLG_PASS_FORWARD, CLG_OP_MEMORY);
    s.stack.traffic.context_merged = true;
    CHECK(hbm(layer(&s, &l), CLG_PASS_FORWARD, CLG_OP_MEMORY) == forward);
}

/* Llama 3 8B again, dealt out by hand: of 10 blocks of causal scores, 4 of them halves, a rank has
 * 2 on average and the busiest its own half and two more. */
static void dealt_out(void) {
    clg_scenario s = plan_scenario(&arena, "llama-3-8b", "h100-sxm", "megatron-2024", 8);
    clg_layout l = plan_layout(8192);
    double keys = 2048.0 * 2048 * 2, scores = 2048.0 * 2048 * 32 * 4 * 128;
    l.cp = 4, l.dp = 2, l.global_batch = 2;
    double ring = flop(layer(&s, &l), CLG_PASS_FORWARD);
    s.stack.traffic.context_dealt = true;
    CASE("4 ranks: keys are taken in twice, not three times, gradients too");
    CHECK_NEAR(passed(layer(&s, &l), CLG_PASS_FORWARD), 2 * keys, 1e-14);
    CHECK_NEAR(passed(&step.kind[0], CLG_PASS_BACKWARD_INPUT), 2 * 2 * keys, 1e-14);
    CASE("3 kernels; the busiest rank has 2.5 blocks of work where the mean has 2");
    CHECK_NEAR(flop(&step.kind[0], CLG_PASS_FORWARD) - ring, 0.5 * scores, 1e-9);
    CHECK(kernels(&step.kind[0], "attention core") == 2 * 3);
    CASE("3 ranks: nobody idles");
    l.seq = 6144, l.cp = 3, l.dp = 1, l.global_batch = 1;
    s.stack.traffic.context_dealt = false;
    ring = flop(layer(&s, &l), CLG_PASS_FORWARD);
    s.stack.traffic.context_dealt = true;
    CHECK_NEAR(flop(layer(&s, &l), CLG_PASS_FORWARD), ring, 1e-12);
    CHECK_NEAR(passed(&step.kind[0], CLG_PASS_FORWARD), keys, 1e-14);
    CASE("one rank: as ever");
    l.cp = 1;
    double alone = flop(layer(&s, &l), CLG_PASS_FORWARD);
    s.stack.traffic.context_dealt = false;
    CHECK(flop(layer(&s, &l), CLG_PASS_FORWARD) == alone);
}

/* A checkpoint at what attention gave: 32 heads of 128 of 2,048 tokens, and a statistic a row. */
static void kept_cores(void) {
    clg_scenario s = plan_scenario(&arena, "llama-3-8b", "h100-sxm", "megatron-2024", 8);
    clg_layout l = plan_layout(8192);
    l.cp = 4, l.dp = 2, l.global_batch = 2, l.recompute = CLG_RECOMPUTE_FULL;
    double core = 2048.0 * 8192 / 2 * 32 * 4 * 128, input = 2048.0 * 4096 * 2;
    double again = flop(layer(&s, &l), CLG_PASS_RECOMPUTE);
    CHECK_NEAR(step.kind[0].saved_bytes, input, 1e-14);
    CHECK(passed(&step.kind[0], CLG_PASS_RECOMPUTE) > 0);
    s.stack.recompute.kept_core = true;
    CASE("recomputing leaves out the core and its keys, and keeps 2 bytes a value, 4 a row");
    CHECK_NEAR(again - flop(layer(&s, &l), CLG_PASS_RECOMPUTE), core, 1e-9);
    CHECK(passed(&step.kind[0], CLG_PASS_RECOMPUTE) == 0);
    CHECK_NEAR(step.kind[0].saved_bytes, 2 * input + 2048.0 * 32 * 4, 1e-14);
    CASE("unfused scores are not worth keeping");
    l.cp = 1, l.dp = 8, l.global_batch = 8, l.attention = 0;
    layer(&s, &l);
    CHECK_NEAR(step.kind[0].saved_bytes, 8192.0 * 4096 * 2, 1e-14);
}

static void weights(void) {
    CASE("owners broadcast their part one after the other: as many messages as ranks");
    clg_scenario s = plan_scenario(&arena, "llama-7b", "a100-sxm-80gb", "internevo-2023", 24);
    clg_layout l = plan_layout(2048);
    l.dp = 24, l.zero = 1, l.global_batch = 24;
    clg_updates updates;
    layer(&s, &l);
    clg_step_updates(&s.model, &s.stack, &l, &step, (clg_held){.dense = 6e9}, &updates);
    int seen = 0;
    for (int i = 0; i < updates.count; i++) {
        const clg_op *op = &updates.update[i].op;
        if (updates.update[i].when != CLG_UPDATE_PARAMETER) continue;
        seen++;
        CHECK(op->collective == CLG_BROADCAST && op->count == 24 && op->overlap == 0);
        CHECK_NEAR(op->bytes, 6e9 * 2 / 24, 1e-14);
    }
    CHECK(seen == 1);
}

static void check_buckets(const clg_scenario *s, const clg_layout *l, double parameters,
                          int reduced, int gathered_in) {
    clg_updates updates;
    layer(s, l);
    clg_step_updates(&s->model, &s->stack, l, &step, (clg_held){.dense = parameters}, &updates);
    const clg_update *reduce = &updates.update[0];
    CHECK(reduce->when == CLG_UPDATE_GRADIENT && reduce->op.count == reduced);
    CHECK_NEAR(reduce->op.bytes * reduced, 4 * parameters, 1e-14);
    for (int i = 0; i < updates.count; i++) {
        const clg_update *u = &updates.update[i];
        if (u->when != CLG_UPDATE_PARAMETER) continue;
        CHECK(u->op.collective == CLG_ALL_GATHER && u->op.count == gathered_in);
        CHECK_NEAR(u->op.bytes * gathered_in, 2 * parameters, 1e-14);
    }
}

static void buckets(void) {
    CASE("over 24 ranks buckets of 40 million, not 24: a layer's matrices, last first, of 45, 90, "
         "17 "
         "and 50 million end 3, and 6.1e9 parameters are 30.14 layers: 90.4");
    clg_scenario s = plan_scenario(&arena, "llama-7b", "h100-sxm", "megatron-2024", 24);
    clg_layout l = plan_layout(2048);
    l.dp = 24, l.zero = 1, l.global_batch = 24;
    check_buckets(&s, &l, 6.1e9, 91, 91);
    CASE("over 96 a bucket holds 96 million: four layers end 6 and fill 50/96: 1.63 each, 49.2; "
         "states "
         "whole or not");
    l.dp = 96, l.global_batch = 96;
    check_buckets(&s, &l, 6.1e9, 50, 50);
    l.zero = 0;
    check_buckets(&s, &l, 6.1e9, 50, 0);
    CASE("one where all fit, nothing hides, or a stack has no buckets");
    l.zero = 1;
    check_buckets(&s, &l, 9.6e7, 1, 1);
    s.stack.overlap.parameter = 0;
    check_buckets(&s, &l, 6.1e9, 50, 1);
    s.stack.overlap.gradient = 0;
    check_buckets(&s, &l, 6.1e9, 1, 1);
    s = plan_scenario(&arena, "llama-7b", "h100-sxm", "hai-llm-2024", 24);
    l.zero = 0;
    check_buckets(&s, &l, 6.1e9, 1, 1);
}

static void whole_reduction(void) {
    CASE("ZeRO-1 that reduces whole: 4 bytes a parameter all-reduced after the backward");
    clg_scenario s = plan_scenario(&arena, "llama-7b", "h100-sxm", "nanotron-2025", 24);
    clg_layout l = plan_layout(2048);
    l.dp = 24, l.zero = 1, l.global_batch = 24;
    s.stack.overlap.bucket_parameters = 0;
    for (int whole = 1; whole >= 0; whole--) {
        clg_updates updates;
        s.stack.traffic.zero_one = whole ? CLG_ZERO_ONE_SUMS_AFTER : CLG_ZERO_ONE_SHARDS;
        layer(&s, &l);
        clg_step_updates(&s.model, &s.stack, &l, &step, (clg_held){.dense = 6.1e9}, &updates);
        int seen = 0;
        for (int i = 0; i < updates.count; i++) {
            const clg_op *op = &updates.update[i].op;
            if (updates.update[i].when != CLG_UPDATE_GRADIENT) continue;
            seen++;
            CHECK(op->collective == (whole ? CLG_ALL_REDUCE : CLG_REDUCE_SCATTER));
            CHECK(op->group.ranks == 24 && op->overlap == (whole ? 0 : s.stack.overlap.gradient));
            CHECK_NEAR(op->bytes, 6.1e9 * 4, 1e-14);
        }
        CHECK(seen == 1);
    }
    CASE("without sharded states the reduction runs beside the backward all the same");
    l.zero = 0, s.stack.traffic.zero_one = CLG_ZERO_ONE_SUMS_AFTER;
    clg_updates updates;
    layer(&s, &l);
    clg_step_updates(&s.model, &s.stack, &l, &step, (clg_held){.dense = 6.1e9}, &updates);
    CHECK(updates.update[0].when == CLG_UPDATE_GRADIENT);
    CHECK(updates.update[0].op.overlap == s.stack.overlap.gradient && s.stack.overlap.gradient > 0);
}

static void whole_sum(void) {
    CASE("shards of 8 of 24 ranks: whole gradients are summed over all 24, beside the backward");
    clg_scenario s = plan_scenario(&arena, "llama-7b", "a100-sxm-80gb", "internevo-2023", 24);
    clg_layout l = plan_layout(2048);
    clg_updates updates;
    l.dp = 24, l.zero = 1, l.hsdp = 8, l.global_batch = 24;
    layer(&s, &l);
    clg_step_updates(&s.model, &s.stack, &l, &step, (clg_held){.dense = 6.1e9}, &updates);
    const clg_op *op = &updates.update[0].op;
    CHECK(updates.update[0].when == CLG_UPDATE_GRADIENT && op->collective == CLG_ALL_REDUCE);
    CHECK(op->group.ranks == 24 && op->overlap == s.stack.overlap.gradient && op->overlap > 0);
    CHECK_NEAR(op->bytes, 2 * 6.1e9, 1e-14);
    CASE("nothing else is summed; each of 8 owners sends its part, 12.2 GB / 8");
    CHECK(updates.update[1].when == CLG_UPDATE_PARAMETER && updates.update[1].op.count == 8);
    CHECK_NEAR(updates.update[1].op.bytes, 12.2e9 / 8, 1e-14);
    CHECK(updates.update[1].op.overlap == 0 && updates.update[2].when == CLG_UPDATE_OPTIMIZER);
}

static const clg_op *update_named(const clg_updates *updates, const char *name) {
    for (int i = 0; i < updates->count; i++)
        if (strcmp(updates->update[i].op.name, name) == 0) return &updates->update[i].op;
    return NULL;
}

static void megatron_2021(void) {
    for (int torch = 0; torch <= 1; torch++) {
        CASE(torch ? "with torch's wrapper beside it"
                   : "Megatron-LM of 2021: 2 bytes of a gradient, after the backward");
        clg_scenario s = plan_scenario(&arena, "gpt3-13b", "a100-sxm-80gb",
                                       torch ? "megatron-2021-torch" : "megatron-2021", 56);
        clg_layout l = plan_layout(2048);
        clg_updates updates;
        l.tp = 8, l.dp = 7, l.zero = 0, l.sp = false, l.precision = CLG_FP16;
        l.global_batch = 42, l.accumulation = 6;
        layer(&s, &l);
        clg_step_updates(&s.model, &s.stack, &l, &step, (clg_held){.dense = 1.3e9}, &updates);
        const clg_op *sum = update_named(&updates, "all-reduce gradients");
        CHECK_NEAR(sum->bytes, 2 * 1.3e9, 1e-14);
        CHECK(sum->overlap == (torch ? s.stack.overlap.gradient : 0) && sum->group.ranks == 7);
        CHECK((s.stack.overlap.gradient > 0) == torch);
        CASE("they are widened to fp32 (2 + 4 bytes), and read, scaled twice and used as such");
        CHECK_NEAR(update_named(&updates, "widen gradients")->hbm_bytes, 6 * 1.3e9, 1e-14);
        CHECK_NEAR(update_named(&updates, "gradient norm")->hbm_bytes, 4 * 1.3e9, 1e-14);
        CHECK_NEAR(update_named(&updates, "scale gradients")->hbm_bytes, 16 * 1.3e9, 1e-14);
        CHECK_NEAR(update_named(&updates, "clear gradients")->hbm_bytes, 2 * 1.3e9, 1e-14);
        /* gradient 4, weight 2, three fp32 states read and written 24 */
        CHECK_NEAR(update_named(&updates, "optimizer")->hbm_bytes, 30 * 1.3e9, 1e-14);
    }
    CASE("bf16 weights with fp32 gradients, or none to widen them for, are left as they are");
    clg_scenario s = plan_scenario(&arena, "gpt3-13b", "a100-sxm-80gb", "megatron-2021", 24);
    clg_layout l = plan_layout(2048);
    clg_updates updates;
    l.precision = CLG_BF16, l.dp = 24, l.global_batch = 24;
    layer(&s, &l);
    clg_step_updates(&s.model, &s.stack, &l, &step, (clg_held){.dense = 1.3e9}, &updates);
    CHECK(!update_named(&updates, "widen gradients"));
    s = plan_scenario(&arena, "gpt3-13b", "h100-sxm", "nemo-2024", 24); /* remainders */
    clg_step_updates(&s.model, &s.stack, &l, &step, (clg_held){.dense = 1.3e9}, &updates);
    CHECK(!update_named(&updates, "widen gradients"));
    CHECK_NEAR(update_named(&updates, "gradient norm")->hbm_bytes, 2 * 1.3e9, 1e-14);
}

static void stages(void) {
    CASE("Llama 3 8B on 8 stages by cost: layers of 218.1 M and a head of 525.3 M, 938 M a stage");
    /* sums pass 938, 1876 ... after layers 5, 9, 13, 18, 22, 26, 31 */
    clg_scenario s = plan_scenario(&arena, "llama-3-8b", "h100-sxm", "nanotron-2025", 8);
    clg_layout l = plan_layout(4096);
    static const int want[8] = {5, 4, 4, 5, 4, 4, 5, 1};
    int of[8];
    l.pp = 8;
    clg_layout_layers_by_cost(&s.model, &l, of);
    for (int i = 0; i < 8; i++) CHECK(of[i] == want[i]);
    CASE("16 layers and a head of exactly four: a stage is full when it has its share, 5 of 20");
    clg_model_shape shape = {.name = "x",
                             .layers = 16,
                             .hidden = 2048,
                             .ffn = 8192,
                             .gated = true,
                             .heads = 32,
                             .kv_heads = 32,
                             .head_dim = 64,
                             .vocab = 131072,
                             .tied = true};
    clg_model model;
    clg_error error = {0};
    CHECK(clg_model_from_shape(&arena, &shape, &model, &error) == CLG_OK);
    l.pp = 4;
    clg_layout_layers_by_cost(&model, &l, of);
    CHECK(of[0] == 5 && of[1] == 5 && of[2] == 5 && of[3] == 1);
    CASE("one stage has all");
    l.pp = 1;
    clg_layout_layers_by_cost(&s.model, &l, of);
    CHECK(of[0] == 32);
}

static double step_s(const clg_scenario *s, const clg_layout *l) {
    clg_evaluation e;
    clg_error error = {0};
    CHECK(clg_evaluate(&arena, s, l, false, NULL, &e, &error) == CLG_OK);
    return e.step_s;
}

static void pipelines(void) {
    CASE("tensor ranks without sp send a part each: faster, as with sp; nothing changes with sp");
    clg_scenario s = plan_scenario(&arena, "gpt3-175b", "a100-sxm-80gb", "megatron-2021", 64);
    clg_layout l = plan_layout(2048);
    l.tp = 8, l.pp = 8, l.accumulation = l.global_batch = 32;
    double parts = step_s(&s, &l);
    s.stack.traffic.scatter_gather = false;
    CHECK(parts < step_s(&s, &l));
    l.sp = true;
    double whole = step_s(&s, &l);
    s.stack.traffic.scatter_gather = true;
    CHECK(step_s(&s, &l) == whole);
    CASE("launches that ranks of a tensor collective add over nodes, with a pipeline or without: "
         "none in one node");
    s = plan_scenario(&arena, "llama-3-8b", "h100-sxm", "nanotron-2025@2025-02", 16);
    l = plan_layout(4096);
    l.tp = 4, l.sp = true, l.pp = 2, l.dp = 2, l.accumulation = 16, l.global_batch = 32;
    double over = step_s(&s, &l);
    s.stack.host.rank_launches = 0;
    CHECK(over > 1.5 * step_s(&s, &l));
    l.pp = 1, l.dp = 4, l.global_batch = 64;
    double without = step_s(&s, &l);
    s.stack.host.rank_launches = 3.5;
    CHECK(step_s(&s, &l) > 1.2 * without);
    l.dp = 2, l.global_batch = 32;
    double inside = step_s(&s, &l);
    s.stack.host.rank_launches = 0;
    CHECK(step_s(&s, &l) == inside);
    CASE("a reduction of 24 ranks in 7 buckets over nodes: 7 x 24 x 2 launches of 10 us, 3.36 ms");
    clg_pricing pricing = {.network = &s.network, .stack = &s.stack};
    s.stack.host.launch_s = 10e-6, s.stack.host.rank_launches = 2;
    clg_op op = {.kind = CLG_OP_COLLECTIVE,
                 .collective = CLG_ALL_REDUCE,
                 .group = {24, 8},
                 .bytes = 1e6,
                 .count = 7};
    double wire_s = clg_op_s(&pricing, &op);
    CHECK(clg_update_s(&pricing, &op) == wire_s);
    op.over_nodes = true;
    CHECK_NEAR(clg_update_s(&pricing, &op) - wire_s, 3.36e-3, 1e-9);
}

static void waiting(void) {
    CASE("sharded weights wait at every layer: jitter sqrt(2 ln N) + shard_jitter ln N, N nodes");
    clg_scenario s = plan_scenario(&arena, "llama-7b", "h100-sxm", "fsdp-2024", 96);
    clg_layout l = plan_layout(2048);
    l.dp = 96, l.global_batch = 96;
    for (l.zero = 1; l.zero <= 3; l.zero++) {
        clg_evaluation e;
        clg_error error = {0};
        CHECK(clg_evaluate(&arena, &s, &l, false, NULL, &e, &error) == CLG_OK);
        double busy = e.step_s - e.time.straggler_s, waits = e.time.dp_exposed_s;
        double want = busy * s.stack.sigma.jitter * 2.2293078;
        if (l.zero >= 2) want += (busy - waits) * s.stack.sigma.shard_jitter * 2.4849066;
        CHECK_NEAR(e.time.straggler_s, want, 1e-7);
    }
}

static void copies(void) {
    CASE("ZeRO-3 copied part by part: 4 matrices x 96 layers x 48 ranks, 4 times a micro-batch");
    clg_scenario s =
        plan_scenario(&arena, "gpt3-175b", "a100-sxm-80gb", "megatron-deepspeed-2022", 48);
    clg_layout l = plan_layout(2048);
    s.stack.sigma.jitter = s.stack.sigma.shard_jitter = 0;
    l.dp = 48, l.zero = 3, l.global_batch = 48, l.recompute = CLG_RECOMPUTE_FULL;
    double with = step_s(&s, &l), each = s.stack.host.copy_s;
    s.stack.host.copy_s = 0;
    CHECK(each > 0);
    CHECK_NEAR(with - step_s(&s, &l), 4 * 4 * 96 * 48 * each, 1e-9);
    CASE("three times where no layer is done again; none under ZeRO-1");
    l.recompute = CLG_RECOMPUTE_NONE;
    double without = step_s(&s, &l);
    s.stack.host.copy_s = each;
    CHECK_NEAR(step_s(&s, &l) - without, 3 * 4 * 96 * 48 * each, 1e-9);
    l.zero = 1;
    without = step_s(&s, &l);
    s.stack.host.copy_s = 0;
    CHECK(step_s(&s, &l) == without);
}

static void hiding(void) {
    CASE("all of a backward hides traffic of shards: a layer done again costs nothing beside it");
    clg_scenario s = plan_scenario(&arena, "llama-3-8b", "h100-sxm", "fsdp-2024", 64);
    clg_layout l = plan_layout(1024);
    s.stack.sigma.jitter = s.stack.sigma.shard_jitter = s.stack.host.launch_s = 0;
    s.stack.overlap.slowdown = s.stack.overlap.gradient = s.stack.overlap.parameter = 1;
    s.stack.overlap.traffic_slowdown = 1;
    s.machine.fabric.bytes_per_s /= 4; /* traffic takes longer than compute */
    clg_error error = {0};
    CHECK(clg_scenario_prepare(&arena, &s, &error) == CLG_OK);
    l.dp = 64, l.zero = 3, l.global_batch = 64;
    double plain = step_s(&s, &l);
    l.recompute = CLG_RECOMPUTE_FULL;
    CHECK_NEAR(step_s(&s, &l), plain, 1e-12);
    CASE("but where compute takes longer it does: a third of two passes");
    s.machine.fabric.bytes_per_s *= 4;
    CHECK(clg_scenario_prepare(&arena, &s, &error) == CLG_OK);
    l.micro_batch = 16, l.global_batch = 1024;
    double again = step_s(&s, &l);
    l.recompute = CLG_RECOMPUTE_NONE;
    CHECK(again > 1.1 * step_s(&s, &l));
}

int main(void) {
    norms();
    losses();
    recomputation();
    gradients();
    published_states("megatron-2021");
    published_states("megatron-2022");
    published_states("megatron-2024");
    remainders();
    gathers();
    token_copies();
    fixed_capacity();
    gates();
    contexts();
    dealt_out();
    kept_cores();
    weights();
    buckets();
    whole_reduction();
    whole_sum();
    megatron_2021();
    stages();
    pipelines();
    waiting();
    copies();
    hiding();
    clg_arena_clear(&arena);
    return DONE;
}
