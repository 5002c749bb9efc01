/* Every schedule: each pass once, memory as claimed, bubbles of the papers. */
#include "schedule/schedule.h"
#include "simulate/simulate.h"
#include "test.h"

static clg_arena arena;

static clg_pipeline shape(clg_schedule_kind kind, int stages, int chunks, int micro_batches) {
    return (clg_pipeline){
        .kind = kind, .stages = stages, .chunks = chunks, .micro_batches = micro_batches};
}

/* `together` stages share a domain, sends inside which are free. */
static double makespan_of(clg_pipeline p, double f, double bi, double bw, double send,
                          int together) {
    double forward[256], input[256], weight[256];
    for (int i = 0; i < 256; i++) forward[i] = f, input[i] = bi, weight[i] = bw;
    clg_pipeline_times times = {forward, input, weight, send, 0, together, false, true};
    clg_pipeline_result result;
    clg_error error = {0};
    CHECK(clg_simulate_pipeline(&arena, p, &times, NULL, &result, &error) == CLG_OK);
    return result.makespan_s;
}

static double makespan(clg_pipeline p, double f, double bi, double bw, double send) {
    return makespan_of(p, f, bi, bw, send, 0);
}

/* What a stage has done of one chunk and micro-batch. */
enum { NOTHING, FORWARDED, BACK, CHUNKS = 4, BATCHES = 64 };

/* Every chunk and micro-batch of a stage goes forward once and then back once; where weight
 * gradients are split off, they come last. Gives the most activations held at once: a backward
 * frees one, or the weight gradient where it is split off. */
static int most_alive(clg_slots list, int passes, bool splits) {
    int state[CHUNKS][BATCHES] = {0}, alive = 0, most = 0, freed = 0;
    for (int i = 0; i < list.count; i++) {
        clg_slot slot = list.slot[i];
        int *now = &state[slot.chunk][slot.micro_batch];
        if (slot.kind == CLG_SLOT_FORWARD) {
            CHECK(*now == NOTHING);
            *now = FORWARDED;
            if (++alive > most) most = alive;
            continue;
        }
        CHECK(splits == (slot.kind != CLG_SLOT_BACKWARD));
        CHECK(*now == (slot.kind == CLG_SLOT_BACKWARD_WEIGHT ? BACK : FORWARDED));
        (*now)++;
        if (slot.kind == CLG_SLOT_BACKWARD_INPUT) continue;
        alive--;
        freed++;
    }
    CHECK(list.count == (splits ? 3 : 2) * passes && freed == passes);
    return most;
}

/* What memory is charged is what a count over the slots finds. Orders made for passes of uneven
 * lengths may hold less. */
static void complete(clg_pipeline p) {
    const clg_schedule *s = clg_schedule_of(p.kind);
    clg_slots stages[64];
    clg_schedule_slots(&arena, p, stages);
    int passes = s->weight_copies == 2 ? p.micro_batches : p.chunks * p.micro_batches;
    for (int stage = 0; stage < p.stages; stage++) {
        int most = most_alive(stages[stage], passes, s->splits_backward);
        bool uneven = p.forward_s > 0;
        CHECK(uneven ? most <= s->alive(p, stage) : most == s->alive(p, stage));
    }
}

static double alive(clg_pipeline p, int stage) { return clg_schedule_of(p.kind)->alive(p, stage); }

/* Stages, chunks and micro-batches that share no divisor. */
static void awkward(void) {
    CASE("7 stages, 3 chunks: 11 micro-batches do not go round, 14 do; 6 x 2 + 2 x 7 ahead");
    CHECK(clg_schedule_of(CLG_INTERLEAVED)->refuses(shape(CLG_INTERLEAVED, 7, 3, 11)) != NULL);
    clg_pipeline p = shape(CLG_INTERLEAVED, 7, 3, 14);
    complete(p);
    CHECK(alive(p, 0) == 27 && alive(p, 3) == 21 && alive(p, 6) == 15);
    CHECK_NEAR(makespan(p, 1, 1, 1, 0), 14 * 3 * 3.0 + 6 * 3.0, 1e-12);
    CASE("7 stages, 11 micro-batches: a stage holds one for itself and each below it");
    p = shape(CLG_1F1B, 7, 1, 11);
    complete(p);
    for (int stage = 0; stage < 7; stage++) CHECK(alive(p, stage) == 7 - stage);
    CHECK_NEAR(makespan(p, 1, 1, 1, 0), (11 + 6) * 3.0, 1e-12);
    CASE("fewer micro-batches than stages: no more can be held");
    CHECK(alive(shape(CLG_1F1B, 7, 1, 3), 0) == 3 && alive(shape(CLG_ZB_H1, 7, 1, 3), 6) == 3);
    CHECK(alive(shape(CLG_ZB_V, 7, 2, 3), 0) == 6 && alive(shape(CLG_GPIPE, 7, 1, 3), 6) == 3);
    CASE("other schedules of 7 stages and 11 micro-batches; dualpipe takes an even pp");
    CHECK(alive(shape(CLG_GPIPE, 7, 1, 11), 6) == 11);
    CHECK(alive(shape(CLG_ZB_H1, 7, 1, 11), 6) == 7);
    CHECK(alive(shape(CLG_ZB_V, 7, 2, 11), 0) == 14);
    CHECK(alive(shape(CLG_ZB_H2, 7, 1, 29), 3) == 14);
    CHECK(clg_schedule_of(CLG_DUALPIPE)->refuses(shape(CLG_DUALPIPE, 7, 1, 22)) != NULL);
    CHECK(alive(shape(CLG_DUALPIPE, 6, 1, 22), 0) == 7);
}

static void zero_bubble(void) {
    CASE("zb-h1: bubble (p - 1)(f + bi - bw) (arXiv:2401.10241, table 1)");
    CHECK_NEAR(makespan(shape(CLG_ZB_H1, 4, 1, 16), 1, 1, 1, 0), 16 * 3.0 + 3.0, 0.02);
    CASE("zb-h2: no stage waits from its first pass to its last, when f = bi = bw (table 1: no "
         "bubble)");
    CHECK_NEAR(makespan(shape(CLG_ZB_H2, 4, 1, 16), 1, 1, 1, 0), 16 * 3.0, 1e-12);
    CHECK_NEAR(makespan(shape(CLG_ZB_H2, 7, 1, 29), 0.3, 0.3, 0.3, 0), 29 * 0.9, 1e-12);
    CASE("zb-h2 of uneven passes: never more idle than zb-h1, at twice its activations");
    for (double input = 0.5; input <= 2; input += 0.25)
        CHECK(makespan(shape(CLG_ZB_H2, 8, 1, 48), 1, input, 0.8, 0.01) <
              makespan(shape(CLG_ZB_H1, 8, 1, 48), 1, input, 0.8, 0.01));
    const clg_schedule *twice = clg_schedule_of(CLG_ZB_H2);
    CHECK(twice->alive(shape(CLG_ZB_H2, 8, 1, 48), 3) == 16);
    CHECK(twice->alive(shape(CLG_ZB_H2, 8, 1, 11), 0) == 11);
    CASE("zb-v: no bubble to speak of when f = bi = bw");
    CHECK(makespan(shape(CLG_ZB_V, 4, 2, 16), 1, 1, 1, 0) < 16 * 6.0 * 1.06);
    CASE("zb-v and dualpipe are ordered by the lengths of their passes");
    for (double input = 0.5; input <= 2; input += 0.25) {
        double work = 64 * (1 + input + 0.8),
               plain = makespan(shape(CLG_1F1B, 8, 1, 64), 1, input, 0.8, 0);
        CHECK(makespan(shape(CLG_ZB_V, 8, 2, 64), 0.5, input / 2, 0.4, 0) < plain);
        CHECK(makespan(shape(CLG_DUALPIPE, 8, 1, 64), 1, input, 0.8, 0) < work * 1.08);
    }
}

static void every_schedule(void) {
    for (int kind = 0; kind < CLG_SCHEDULES; kind++) {
        const clg_schedule *s = clg_schedule_of((clg_schedule_kind)kind);
        CASE(clg_name_of(clg_schedule_names, kind));
        for (int p = 2; p <= 9; p++)
            for (int v = 1; v <= CHUNKS; v++)
                for (int m = 1; m <= 24; m++) {
                    clg_pipeline pipeline = shape((clg_schedule_kind)kind, p, v, m);
                    if (s->refuses(pipeline)) continue;
                    complete(pipeline);
                    /* never faster than the work of one stage, never slower than one by one */
                    double work = (s->weight_copies == 2 ? 1 : v) * m * 3.0;
                    double time = makespan(pipeline, 1, 1, 1, 0);
                    CHECK(time >= work - 1e-9 && time <= work * p + 1e-9);
                }
    }
}

static void any_lengths(void) {
    CASE("passes of any lengths: no order deadlocks, none drops a pass");
    static const double lengths[] = {0.1, 0.35, 1, 2.07, 9};
    static const clg_schedule_kind made[] = {CLG_ZB_V, CLG_DUALPIPE, CLG_ZB_H2};
    for (int k = 0; k < 3 * 125; k++) {
        for (int p = 2; p <= 8; p += 2) {
            clg_pipeline pipeline = shape(made[k % 3], p, k % 3 ? 1 : 2, 24);
            pipeline.forward_s = lengths[k / 3 % 5];
            pipeline.backward_input_s = lengths[k / 15 % 5];
            pipeline.backward_weight_s = lengths[k / 75 % 5];
            complete(pipeline);
        }
        clg_arena_clear(&arena);
    }
}

int main(void) {
    CASE("gpipe and 1f1b: (m + p - 1)(f + b)");
    for (int p = 1; p <= 8; p *= 2)
        for (int m = p; m <= 32; m *= 2) {
            CHECK_NEAR(makespan(shape(CLG_GPIPE, p, 1, m), 1, 1, 1, 0), (m + p - 1) * 3.0, 1e-12);
            CHECK_NEAR(makespan(shape(CLG_1F1B, p, 1, m), 1, 1, 1, 0), (m + p - 1) * 3.0, 1e-12);
        }
    awkward();
    CASE("one micro-batch: the full bubble");
    CHECK_NEAR(makespan(shape(CLG_1F1B, 8, 1, 1), 1, 1, 1, 0), 8 * 3.0, 1e-12);
    CASE("interleaved: the bubble shrinks by the chunks (arXiv:2104.04473, section 2.2)");
    for (int v = 2; v <= 4; v *= 2)
        CHECK_NEAR(makespan(shape(CLG_INTERLEAVED, 4, v, 8), 1, 1, 1, 0), 8 * v * 3.0 + 3 * 3.0,
                   1e-12);
    zero_bubble();
    CASE("dualpipe beats 1f1b");
    CHECK(makespan(shape(CLG_DUALPIPE, 8, 1, 32), 1, 1, 1, 0) <
          makespan(shape(CLG_1F1B, 8, 1, 32), 1, 1, 1, 0));
    CASE("8 stages, 4 of them a box: one border of seven is slow, crossed there and back");
    CHECK_NEAR(makespan_of(shape(CLG_1F1B, 8, 1, 1), 1, 1, 1, 0.5, 4), 8 * 3.0 + 2 * 0.5, 1e-12);
    CHECK_NEAR(makespan_of(shape(CLG_1F1B, 8, 1, 1), 1, 1, 1, 0.5, 1), 8 * 3.0 + 14 * 0.5, 1e-12);
    CASE("2 chunks of 4 stages, 2 of them a box: the way from the last to the first is slow too");
    CHECK_NEAR(makespan_of(shape(CLG_INTERLEAVED, 4, 2, 4), 1, 1, 1, 100, 2),
               makespan_of(shape(CLG_INTERLEAVED, 4, 2, 4), 1, 1, 1, 0, 2) + 600, 40);
    CASE("sends lengthen the step, at least by one trip and back");
    CHECK(makespan(shape(CLG_1F1B, 4, 1, 8), 1, 1, 1, 0.1) >= 11 * 3.0 + 0.6);
    every_schedule();
    any_lengths();
    clg_arena_clear(&arena);
    return DONE;
}
