/* Layers taken off the busiest stage, worked by hand on layers of round seconds. */
#include "evaluate/compose.h"
#include "plan.h"

#include <stdio.h>
#include <string.h>

static clg_arena arena;
static clg_scenario base;
static clg_priced priced;

static void fill(clg_pass_cost pass[CLG_PASSES], double forward, double backward) {
    for (int p = 0; p < CLG_PASSES; p++) pass[p] = (clg_pass_cost){0};
    pass[CLG_PASS_FORWARD].matrix_s = forward;
    pass[CLG_PASS_BACKWARD_INPUT].matrix_s = backward / 2;
    pass[CLG_PASS_BACKWARD_WEIGHT].matrix_s = backward / 2;
}

/* Layers of 3 s on pp stages of vpp chunks: what each chunk gets, or "even". */
static const char *cut(int layers, int pp, int vpp, clg_schedule_kind schedule) {
    int layers_of[64];
    clg_layout l = plan_layout(4096);
    l.pp = pp, l.vpp = vpp, l.schedule = schedule;
    base.model.layers = layers;
    bool other = clg_balanced_layers(&arena, &base.model, &l, &priced, layers_of);
    static char text[256];
    text[0] = '\0';
    for (int i = 0; other && i < pp * vpp; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d", i > 0 ? "," : "",
                 layers_of[i]);
    return other ? text : "even";
}

int main(void) {
    base = plan_scenario(&arena, "llama-3.1-8b", "h100-sxm", "megatron-2026", 32);
    fill(priced.layer[0], 1, 2);
    CASE("no head to speak of: even is as good");
    CHECK_TEXT(cut(32, 4, 1, CLG_1F1B), "even");
    CASE("a head of 4.5 s, one and a half layers: 28.5 s become 27, one stage has 9 layers");
    fill(priced.head, 1.5, 3);
    CHECK_TEXT(cut(32, 4, 1, CLG_1F1B), "8,8,9,7");
    CASE("of 2.9 s, less than a layer: another stage would have 27 s, the last has 26.9");
    fill(priced.head, 0.9, 2);
    CHECK_TEXT(cut(32, 4, 1, CLG_1F1B), "even");
    CASE("of 24 s, as much as a stage: 10 layers each before it, 8 + 2 x 3 behind them");
    fill(priced.head, 8, 16);
    CHECK_TEXT(cut(32, 4, 1, CLG_1F1B), "10,10,10,2");
    CASE("of more than its share: the head alone, the others as they come");
    fill(priced.head, 20, 40);
    CHECK_TEXT(cut(32, 4, 1, CLG_1F1B), "10,11,11,0");
    CASE("a heavy embedding is balanced too");
    fill(priced.head, 0, 0);
    fill(priced.embedding, 2, 4);
    CHECK_TEXT(cut(32, 4, 1, CLG_1F1B), "7,8,8,9");
    CASE("two chunks a stage: what counts is the stage, 4 layers and a head of 2");
    fill(priced.embedding, 0, 0);
    fill(priced.head, 2, 4);
    CHECK_TEXT(cut(16, 2, 2, CLG_INTERLEAVED), "4,4,5,3");
    CASE("in a V the first stage has the head, and the last two chunks in the middle");
    CHECK_TEXT(cut(16, 2, 2, CLG_ZB_V), "4,4,5,3");
    CASE("layers of two kinds: seconds are cut, not layers");
    fill(priced.head, 0, 0);
    base.model.kinds = 2;
    fill(priced.layer[1], 2, 4);
    static const uint8_t kinds[16] = {[8] = 1, 1, 1, 1, 1, 1, 1, 1};
    base.model.layer_kind = kinds;
    CHECK_TEXT(cut(16, 2, 1, CLG_1F1B), "10,6");
    clg_arena_clear(&arena);
    return DONE;
}
