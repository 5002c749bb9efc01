/* test_roofline.c -- the model a prediction has to beat: rooflines by hand, and the one constant
 * that fits them best by trying all. */
#include "measured/roofline.h"
#include "measured/scores.h"
#include "plan.h"

/* A replica of a preset whose peaks and bytes are round. */
static clg_replica round_replica(clg_scenario *s) {
    s->machine.gpu.hbm_bytes_per_s = 3e12;
    s->machine.gpu.peak_flop_per_s[CLG_BF16] = 1e15;
    clg_replica r = {
        .scenario = s,
        .layout = {.tp = 2, .pp = 1, .dp = 1, .ep = 1, .compute = CLG_BF16, .weights = CLG_BF16},
        .room = {
            .weight_bytes = 7.2e9, .cache_bytes_per_token = 65000, .read_bytes_per_token = 65000}};
    r.rules.max_sequences = 128;
    r.rules.block_tokens = 16;
    r.rules.blocks = 20000;
    return r;
}

static const clg_demand_means means = {
    .prompt_tokens = 1500, .output_tokens = 300, .context_tokens = 1650};

static void test_dense(clg_arena *arena) {
    clg_scenario s = plan_scenario(arena, "llama-3.1-8b", "h100-sxm", NULL, 0);
    clg_replica r = round_replica(&s);
    s.model.active_parameters = 8000000000;
    CASE("room: 320,000 tokens; 1,500 and half of 300 each, or all of 300; at most the limit");
    r.rules.max_sequences = 1000;
    CHECK_NEAR(clg_serve_room(&r, &means), 320000 / 1650.0, 1e-12);
    r.rules.reserve_output = true;
    CHECK_NEAR(clg_serve_room(&r, &means), 320000 / 1800.0, 1e-12);
    r.rules.max_sequences = 128;
    CHECK_NEAR(clg_serve_room(&r, &means), 128, 1e-12);
    CASE("40 clients: 7.2 GB + 40 x 1,650 x 65 kB over 3 TB/s; products of 240 tokens are shorter");
    clg_serve_roofline f = clg_serve_roofline_of(&r, &means, 40, 0, 400);
    double iteration = 2.4e-3 + 1.43e-3;
    CHECK_NEAR(f.tpot_s, iteration, 1e-12);
    CHECK_NEAR(f.tokens_per_s, 40 / iteration, 1e-12);
    CHECK_NEAR(f.ttft_s, 12e-3, 1e-12); /* 2 x 8e9 x 1,500 / 2e15 */
    CHECK_NEAR(f.answer_s, 12e-3 + 299 * iteration, 1e-12);
    CHECK_NEAR(f.batch_s, 400 * 300 * iteration / 40, 1e-12);
    CASE("5,000 clients: 128 there; as fast a GPU as is needed for products to be what takes "
         "longer");
    s.machine.gpu.peak_flop_per_s[CLG_BF16] = 1e14;
    f = clg_serve_roofline_of(&r, &means, 5000, 0, 0);
    CHECK_NEAR(f.tpot_s, 16e9 * 128 * 6 / 2e14, 1e-12); /* a token and 5 of a prompt each */
    CASE("twice the tokens an iteration, of three drafted: four rows a sequence");
    r.cost.drafted = 3;
    r.cost.gained = 2;
    f = clg_serve_roofline_of(&r, &means, 5000, 0, 0);
    CHECK_NEAR(f.tpot_s, 16e9 * 128 * (4 + 10) / 2e14 / 2, 1e-12);
    r.cost.drafted = 0;
    CASE("prompts that come with their cache");
    r.rules.prefilled = true;
    f = clg_serve_roofline_of(&r, &means, 5000, 0, 0);
    CHECK_NEAR(f.tpot_s, 16e9 * 128 / 2e14, 1e-12);
    CHECK(f.ttft_s <= 0);
    CASE("one by one: as many as are asked for, by bisection");
    r.rules.prefilled = false;
    s.machine.gpu.peak_flop_per_s[CLG_BF16] = 1e15;
    f = clg_serve_roofline_of(&r, &means, 0, 20, 4000);
    double low = 0, high = 128;
    for (int i = 0; i < 60; i++) {
        double there = (low + high) / 2;
        double each = fmax(2.4e-3 + there * 1650 * 65000 / 3e12, 16e9 * there * 6 / 2e15);
        *(20 * (12e-3 + 300 * each) > there ? &low : &high) = there;
    }
    CHECK_NEAR(f.tpot_s, 2.4e-3 + low * 1650 * 65000 / 3e12, 1e-6);
    CHECK_NEAR(f.tokens_per_s, 6000, 1e-12);
    CASE("two stages: a token passes the weights of both");
    r.layout.pp = 2;
    f = clg_serve_roofline_of(&r, &means, 40, 0, 0);
    CHECK_NEAR(f.tpot_s, 2 * 2.4e-3 + 1.43e-3, 1e-12);
    CHECK_NEAR(f.ttft_s, 12e-3, 1e-12); /* stages follow each other: two GPUs at a time */
}

static void test_experts(clg_arena *arena) {
    clg_scenario s = plan_scenario(arena, "mixtral-8x7b", "h100-sxm", NULL, 0);
    clg_replica r = round_replica(&s);
    CASE("8 experts of which a token visits 2: three tokens reach 1 - .75^3 of their bytes");
    double experts = 32.0 * 8 * 3 * 4096 * 14336 * 2 / 2; /* of 2 GPUs, 2 bytes */
    r.room.weight_bytes = experts + 1.2e9;
    clg_demand_means one = {.prompt_tokens = 1e-9, .output_tokens = 900, .context_tokens = 100};
    clg_serve_roofline f = clg_serve_roofline_of(&r, &one, 3, 0, 0);
    CHECK_NEAR(f.tpot_s, (1.2e9 + 0.578125 * experts + 300 * 65000) / 3e12, 1e-6);
    CASE("two pools: prompts of one are what the other waits for");
    clg_replica prefill = r;
    r.prefill = &prefill;
    r.prefills = 1;
    r.decodes = 3;
    clg_demand_means long_prompts = {.prompt_tokens = 90000, .output_tokens = 7};
    f = clg_serve_roofline_of(&r, &long_prompts, 600, 0, 0);
    double prompt_s = 2 * (double)s.model.active_parameters * 90000 / 2e15;
    CHECK_NEAR(f.tokens_per_s, 7 / prompt_s, 1e-12);
    CHECK_NEAR(f.ttft_s, prompt_s, 1e-12);
}

static bool every(const clg_measured *row, const void *context) { return row != context; }

static void test_constant(clg_arena *arena) {
    enum { ROWS = 60 };
    clg_measured row[ROWS + 2] = {0};
    clg_measured_table t = {.row = row, .rows = ROWS};
    uint64_t state = 9;
    double best[2] = {INFINITY, INFINITY};
    for (int i = 0; i < ROWS; i++) {
        row[i].source = "s";
        row[i].group = "g";
        row[i].plan.gpu = i % 3 ? "one" : "other";
        for (int m = 0; m < CLG_MEASURES; m++)
            row[i].measured[m] = row[i].roofline[m] = row[i].constant[m] = (double)NAN;
        state = state * 6364136223846793005u + 1442695040888963407u;
        row[i].roofline[CLG_MEASURE_RATE] = 1 + (double)(state >> 40);
        state = state * 6364136223846793005u + 1442695040888963407u;
        row[i].measured[CLG_MEASURE_RATE] = 1 + (double)(state >> 44);
        row[i].predicted[CLG_MEASURE_RATE] = 1.25 * row[i].measured[CLG_MEASURE_RATE];
        row[i].high[CLG_MEASURE_RATE] = INFINITY;
    }
    row[7].reason = "skipped";
    row[8].roofline[CLG_MEASURE_RATE] = (double)NAN;
    for (int kind = 0; kind < 2; kind++)
        for (int from = 0; from < ROWS; from++) {
            double sum = 0, factor = row[from].measured[CLG_MEASURE_RATE] / row[from].roofline[3];
            for (int i = 0; i < ROWS; i++)
                if ((i % 3 == 0) == kind && i != 7 && i != 8)
                    sum += fabs(factor * row[i].roofline[3] / row[i].measured[3] - 1);
            if (sum < best[kind]) best[kind] = sum;
        }
    CASE("the best of all factors, one a GPU");
    clg_measured_score_table(arena, &t);
    const clg_measured_score *s = &t.score[t.scores - 1];
    CHECK(s->measure == CLG_MEASURE_RATE && s->rows == ROWS && s->scored == ROWS - 1);
    CHECK_NEAR(s->constant_mape, (best[0] + best[1]) / (ROWS - 2), 1e-9);
    CHECK_NEAR(s->mape, 0.25, 1e-12);
    CHECK_NEAR(s->beside_mape, 0.25, 1e-12);
    CHECK_NEAR(s->bias, 0.25, 1e-12);
    CHECK_NEAR(s->coverage, 1, 1e-12);
    CASE("rows that are asked for");
    clg_measured_score some = clg_measured_score_rows(&t, every, &row[3], CLG_MEASURE_RATE);
    CHECK(some.rows == ROWS - 1 && some.scored == ROWS - 2);
    CASE("a source is held out when all of its rows are");
    for (int i = 0; i < ROWS; i++) row[i].held_out = i != 5;
    clg_measured_score_table(arena, &t);
    CHECK(!t.score[0].held_out);
    row[5].held_out = true;
    clg_measured_score_table(arena, &t);
    CHECK(t.score[0].held_out);
}

int main(void) {
    clg_arena arena = {0};
    test_dense(&arena);
    test_experts(&arena);
    test_constant(&arena);
    clg_arena_clear(&arena);
    return DONE;
}
