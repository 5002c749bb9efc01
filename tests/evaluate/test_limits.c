/* What each choice of a plan must do to time and memory, and where its limits lie. */
#include "explain/widths.h"
#include "plan.h"

static clg_arena arena;
static clg_scenario base;

/* Llama 3 70B on 64 H100: tp 8, pp 4, dp 2; tests change one thing. */
static clg_layout usual(void) {
    clg_layout l = plan_layout(4096);
    l.tp = 8, l.sp = true, l.pp = 4, l.dp = 2, l.zero = 1;
    l.accumulation = 16, l.global_batch = 32;
    return l;
}

static clg_evaluation priced(const clg_scenario *s, clg_layout l) {
    return plan_evaluation(&arena, s, l);
}

static void order(void) {
    static const struct {
        const char *name;
        int tp, dp, pp; /* of 8 neighbours, those in the group of an axis that share a node */
    } rows[] = {{"tp-cp-dp-pp", 8, 1, 1}, {"dp-tp-cp-pp", 4, 2, 1}, {"pp-tp-cp-dp", 2, 1, 4}};
    CASE("rank order: who is inside the node");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static clg_step step;
        clg_layout l = usual();
        clg_error error = {0};
        CHECK(clg_name_value(clg_order_names, "order", rows[i].name, &l.order, &error) == CLG_OK);
        clg_step_build(&base.model, &base.machine, &base.stack, &l, &step);
        CHECK(step.dense_group.ranks == 2 && step.dense_group.per_domain == rows[i].dp);
        CHECK(step.send_group.ranks == 2 && step.send_group.per_domain == (rows[i].pp > 1 ? 2 : 1));
        for (int k = 0; k < step.kind[0].ops; k++)
            if (step.kind[0].op[k].axis == CLG_AXIS_TP && step.kind[0].op[k].group.ranks == 8)
                CHECK(step.kind[0].op[k].group.per_domain == rows[i].tp);
    }
    CASE("the rule of the field: no order has less tensor traffic than tp first; 8 in a node");
    clg_evaluation first = priced(&base, usual());
    int others = 0;
    for (int o = 1; clg_order_names[o].name; o++) {
        clg_layout l = usual();
        l.order = o;
        clg_evaluation e = priced(&base, l);
        CHECK(e.time.tp_exposed_s >= first.time.tp_exposed_s * (1 - 1e-9));
        CHECK(e.memory.total_bytes == first.memory.total_bytes);
        bool tp_first = strncmp(clg_order_names[o].name, "tp", 2) == 0 ||
                        strncmp(clg_order_names[o].name, "cp-tp", 5) == 0;
        if (tp_first) continue; /* cp is 1 here */
        CHECK(e.step_s > first.step_s * 1.1);
        others++;
    }
    CHECK(others == 16);
    CASE("copies inside the node: their reduction is the cheapest there");
    clg_layout l = usual();
    clg_error error = {0};
    clg_name_value(clg_order_names, "order", "dp-tp-cp-pp", &l.order, &error);
    l.tp = 1, l.sp = false, l.dp = 16, l.accumulation = 2;
    clg_layout far = l;
    clg_name_value(clg_order_names, "order", "pp-tp-cp-dp", &far.order, &error);
    CHECK(priced(&base, l).time.dp_exposed_s < priced(&base, far).time.dp_exposed_s);
    CASE("one box: every order is the same");
    clg_scenario box = plan_scenario(&arena, "llama-3.1-8b", "h100-sxm", "megatron-2024", 8);
    clg_layout small = plan_layout(4096);
    small.tp = 2, small.sp = true, small.pp = 2, small.dp = 2;
    small.accumulation = 4, small.global_batch = 8;
    double step_s = priced(&box, small).step_s;
    for (small.order = 0; clg_order_names[small.order].name; small.order++)
        CHECK_NEAR(priced(&box, small).step_s, step_s, 1e-12);
}

static void by_hand(void) {
    static const int even[] = {20, 20, 20, 20}, heavy[] = {23, 19, 19, 19},
                     light[] = {17, 21, 21, 21};
    static const int less[] = {20, 20, 20, 19}, empty[] = {0, 27, 27, 26};
    clg_layout l = usual();
    clg_evaluation free = priced(&base, l);
    CASE("layers by hand: the even split is the default one");
    l.split = even, l.split_count = 4;
    CHECK(priced(&base, l).step_s == free.step_s);
    CASE("three layers more in front: longer, and more memory there");
    l.split = heavy;
    clg_evaluation e = priced(&base, l);
    CHECK(e.step_s > free.step_s && e.memory.total_bytes > free.memory.total_bytes);
    CHECK(e.fullest_stage == 0 && e.stages[0].layers == 23 && e.stages[3].layers == 19);
    CHECK_NEAR(e.stages[0].memory.weights_bytes - free.stages[0].memory.weights_bytes,
               3.0 * 855654400 / 8 * 2, 1e-3); /* a layer: 855,638,016 and two norms of 8,192 */
    CASE("three less: less memory in front, longer");
    l.split = light;
    e = priced(&base, l);
    CHECK(e.step_s > free.step_s);
    CHECK(e.stages[0].memory.total_bytes < free.stages[0].memory.total_bytes);
    CASE("a stage may hold the embedding alone");
    l.split = empty;
    CHECK(priced(&base, l).stages[0].layers == 0);
    CASE("numbers that are not the model's are refused");
    clg_error error = {0};
    l.split = less;
    CHECK(clg_evaluate(&arena, &base, &l, false, NULL, &e, &error) == CLG_BAD_INPUT);
    CHECK(strstr(error.message, "79 layers") != NULL);
    error = (clg_error){0};
    l.split_count = 3;
    CHECK(clg_evaluate(&arena, &base, &l, false, NULL, &e, &error) == CLG_BAD_INPUT);
    CHECK(strstr(error.message, "3 numbers") != NULL);
}

static void set(clg_scenario *s, const char *name, const char *value) {
    clg_error error = {0};
    CHECK(clg_stack_set(&s->stack, name, value, &error) == CLG_OK);
    CHECK(clg_scenario_prepare(&arena, s, &error) == CLG_OK);
}

static void precision_of_states(void) {
    clg_layout l = usual();
    l.zero = 0;
    clg_evaluation whole = priced(&base, l);
    double held = whole.memory.weights_bytes / 2;
    clg_scenario s = base;
    CASE("gradients in bf16: half the bytes, and a shorter reduction");
    s.stack.gradient = CLG_BF16;
    clg_evaluation e = priced(&s, l);
    CHECK_NEAR(whole.memory.gradients_bytes - e.memory.gradients_bytes, 2 * held, 1e-9);
    CHECK(e.time.dp_exposed_s < whole.time.dp_exposed_s);
    CASE("no fp32 master weights: 12 bytes of states become 4, moments in bf16 with them");
    s = base;
    s.stack.precision.master_weights = false;
    CHECK_NEAR(priced(&s, l).memory.optimizer_bytes, 4 * held, 1e-9);
    CASE("moments in bf16 beside fp32 masters: 4 + 2 + 2");
    s = base;
    s.stack.moments = CLG_BF16;
    CHECK_NEAR(priced(&s, l).memory.optimizer_bytes, 8 * held, 1e-9);
    CASE("offloaded: no states in GPU memory, more time for the update");
    clg_layout away = l;
    away.offload = true;
    e = priced(&base, away);
    CHECK(e.memory.optimizer_bytes == 0 && e.time.optimizer_s > whole.time.optimizer_s);
    CASE("8-bit Adam and SGD hold less than Adam; Muon computes more");
    static const struct {
        clg_optimizer kind;
        double bytes;
    } rows[] = {
        {CLG_ADAM, 12}, {CLG_ADAM_8BIT, 4 + 2 * (1 + 4.0 / 256)}, {CLG_MUON, 8}, {CLG_SGD, 8}};
    for (int i = 0; i < 4; i++) {
        clg_layout other = l;
        other.optimizer = rows[i].kind;
        e = priced(&base, other);
        CHECK_NEAR(e.memory.optimizer_bytes, rows[i].bytes * held, 1e-9);
        if (rows[i].kind == CLG_MUON) CHECK(e.time.optimizer_s > whole.time.optimizer_s);
        if (rows[i].kind == CLG_SGD) CHECK(e.time.optimizer_s < whole.time.optimizer_s);
    }
}

static void software(void) {
    clg_layout l = usual();
    clg_scenario s = base;
    clg_evaluation now = priced(&base, l);
    CASE("a fused loss: less time and memory on the last stage");
    set(&s, "fused_cross_entropy", "true");
    clg_evaluation e = priced(&s, l);
    CHECK(e.step_s < now.step_s);
    CHECK(e.stages[3].memory.total_bytes < now.stages[3].memory.total_bytes);
    CASE("tensor traffic that overlaps: less exposed, compute slowed beside it");
    s = base;
    set(&s, "tensor_overlap", "80%");
    e = priced(&s, l);
    CHECK(e.time.tp_exposed_s < 0.5 * now.time.tp_exposed_s &&
          e.time.compute_s > now.time.compute_s);
    CASE("nothing overlaps: more of every kind is exposed");
    s = base;
    set(&s, "gradient_overlap", "0");
    set(&s, "parameter_overlap", "0");
    CHECK(priced(&s, l).time.dp_exposed_s > now.time.dp_exposed_s);
    CASE("FSDP without prefetch");
    clg_layout sharded = l;
    sharded.zero = 3;
    CHECK(priced(&s, sharded).time.dp_exposed_s > priced(&base, sharded).time.dp_exposed_s);
    CASE("a term that is none, a value it cannot have");
    clg_error error = {0};
    CHECK(clg_stack_set(&s.stack, "tensor_overlp", "1", &error) == CLG_BAD_INPUT);
    CHECK(strstr(error.mend, "tensor_overlap") != NULL);
    CHECK(clg_stack_set(&s.stack, "tensor_overlap", "1.5", &error) == CLG_BAD_INPUT);
    CHECK(clg_stack_set(&s.stack, "kernel_slowdown", "0.5", &error) == CLG_BAD_INPUT);
    CHECK(clg_stack_set(&s.stack, "fused_norm", "yes", &error) == CLG_BAD_INPUT);
    CHECK(clg_stack_set(&s.stack, "host_launch_s", "5", &error) == CLG_BAD_INPUT);
    CHECK(clg_stack_set(&s.stack, "scatters", "onse", &error) == CLG_BAD_INPUT);
    CHECK(strstr(error.mend, "once") != NULL);
    CHECK(clg_stack_set(&s.stack, "scatters", "once", &error) == CLG_OK);
    CHECK(s.stack.traffic.scatters == CLG_SCATTERS_ONCE);
    CHECK(clg_stack_set(&s.stack, "host_launch_s", "5us", &error) == CLG_OK);
    CHECK_NEAR(s.stack.host.launch_s, 5e-6, 1e-12);
}

/* The smaller the shard group, the more is held and the less goes between nodes. */
static void shards(void) {
    CASE("HSDP: shards of a node hold more and gather faster than shards of all");
    clg_scenario s = plan_scenario(&arena, "llama-3.1-8b", "h100-sxm", "fsdp-2024", 128);
    clg_layout l = plan_layout(1024); /* few tokens: not all traffic hides */
    l.dp = 128, l.zero = 3, l.micro_batch = 1, l.accumulation = 1, l.global_batch = 128;
    clg_evaluation all = priced(&s, l);
    l.hsdp = 8;
    clg_evaluation node = priced(&s, l);
    CHECK(node.memory.total_bytes > all.memory.total_bytes);
    CHECK(node.time.dp_exposed_s < all.time.dp_exposed_s);
    CHECK_NEAR(node.memory.weights_bytes / all.memory.weights_bytes, 16, 1e-9);
    CASE("without reshard after forward (ZeRO-2): more memory, less traffic");
    l.hsdp = 0, l.zero = 2;
    clg_evaluation kept = priced(&s, l);
    CHECK(kept.memory.total_bytes > all.memory.total_bytes);
    CHECK(kept.time.dp_exposed_s < all.time.dp_exposed_s);
}

static void widths(void) {
    CASE("groups: their exposed time is the ledger's, and tensor parallel stays in the node");
    clg_layout l = usual();
    clg_evaluation e = priced(&base, l);
    clg_group_row rows[CLG_GROUP_ROWS];
    int count = clg_group_rows(&arena, &base, &e, rows);
    CHECK(count == 3);
    CHECK(rows[0].group.per_domain == 8 && rows[0].exposed_s == e.time.tp_exposed_s);
    CHECK(rows[1].group.per_domain == 1 && rows[1].exposed_s == e.time.dp_exposed_s);
    CHECK(rows[2].group.ranks == 2 && rows[2].exposed_s == e.time.pp_exposed_s);
    CASE("widths: past the node traffic more than doubles, before it less so; the step as well");
    clg_width at[CLG_WIDTHS];
    count = clg_rank_widths(&arena, &base, &l, at);
    CHECK(count == 5 && at[0].plan.layout.tp == 1 && at[4].plan.layout.tp == 16);
    CHECK(at[0].plan.time.tp_exposed_s == 0);
    for (int i = 0; i < count; i++)
        CHECK(at[i].group.per_domain == (at[i].plan.layout.tp < 8 ? at[i].plan.layout.tp : 8));
    double inside = at[3].plan.time.tp_exposed_s / at[2].plan.time.tp_exposed_s;
    double outside = at[4].plan.time.tp_exposed_s / at[3].plan.time.tp_exposed_s;
    CHECK(outside > 2.2 && outside > inside);
    CHECK(at[4].plan.step_s / at[3].plan.step_s > at[3].plan.step_s / at[2].plan.step_s);
    CHECK(at[4].plan.layout.dp * 16 * 4 == 64 && at[4].plan.layout.accumulation == 32);
}

int main(void) {
    base = plan_scenario(&arena, "llama-3-70b", "h100-sxm", "megatron-2024", 64);
    order();
    by_hand();
    precision_of_states();
    software();
    shards();
    widths();
    clg_arena_clear(&arena);
    return DONE;
}
