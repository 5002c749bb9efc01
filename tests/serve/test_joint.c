/* test_joint.c -- several models on one fleet: memory and time on shared GPUs, nodes, money, moves
 * and a lost node, by hand. */
#include "demand.h"
#include "plan.h"
#include "serve/joint_growth.h"
#include "units/units.h"

enum { MODELS = 3, NODE = 8 };

typedef struct world {
    clg_arena arena;
    clg_scenario scenario;
    clg_engine engine;
    clg_demand demand[MODELS];
    clg_replica replica[MODELS];
    clg_serve_question question[MODELS];
    clg_serve_answer answer[MODELS];
    clg_joint_model model[MODELS];
    clg_joint joint;
} world;

/* Llama 3.1 8B on H100, 3 dollars an hour, so many requests a second for two minutes. */
static void put(world *w, int i, double rate, int tp) {
    clg_error error = {0};
    clg_replica_choice c = {.tp = tp, .weights = CLG_BF16, .compute = CLG_BF16, .cache = CLG_BF16};
    w->demand[i] = demand_at_rate(&w->arena, rate, 120, 500, 100, 0.3, (uint64_t)i + 1);
    CHECK(clg_replica_prepare(&w->arena, &w->scenario, &w->engine, &c, &w->demand[i],
                              &w->replica[i], &error) == CLG_OK);
    w->question[i] = (clg_serve_question){.replica = &w->replica[i],
                                          .demand = &w->demand[i],
                                          .target = {1, 0.05, 0.99},
                                          .cold_start_s = 5,
                                          .full_share = 0.5};
    w->model[i] =
        (clg_joint_model){.name = "m", .question = &w->question[i], .answer = &w->answer[i]};
}

static void build(world *w) {
    clg_error error = {0};
    w->scenario = plan_scenario(&w->arena, "llama-3.1-8b", "h100-sxm", NULL, 0);
    w->scenario.price.usd_per_s = 3.0 / 3600;
    CHECK(clg_engine_find(&w->arena, "vllm", &w->engine, &error) == CLG_OK);
    CHECK(w->scenario.machine.node.gpus == NODE);
}

/* What an answer says of a fleet of so many replicas. */
static void say(world *w, int i, int64_t replicas, double rho) {
    w->answer[i] = (clg_serve_answer){.rho = rho};
    w->answer[i].fleet.replicas = replicas;
    w->answer[i].fast.replicas = replicas;
    w->answer[i].slow = (clg_serve_bound){.attainable = true, .replicas = 2 * replicas};
}

static void make(world *w, int models) {
    clg_error error = {0};
    CHECK(clg_joint_make(&w->arena, w->model, models, NULL, &w->joint, &error) == CLG_OK);
}

static void shared_gpu(world *w) {
    CASE("two copies on a GPU: half of what two sets of weights leave, and twice the time");
    put(w, 0, 0.5, 1);
    put(w, 1, 0.5, 1);
    const clg_replica *a = &w->replica[0];
    double fixed = a->room.weight_bytes + a->room.activation_bytes + w->engine.other_bytes;
    double all = fixed + a->room.cache_room_bytes, room = (all - 2 * fixed) / 2;
    int both[] = {0, 1};
    clg_replica r;
    CHECK(clg_joint_replica(&w->arena, w->model, 0, both, 2, 1, &r));
    CHECK_NEAR((double)r.rules.blocks, (double)a->rules.blocks * room / a->room.cache_room_bytes,
               1);
    CHECK_NEAR(r.cost.dense_s[512] / a->cost.dense_s[512], 2, 1e-12);
    CHECK_NEAR(r.cost.decode_s[8] / a->cost.decode_s[8], 2, 1e-12);
    CASE("five copies of 16 GB and what is beside them are more than 72 GB");
    int five[] = {0, 1, 0, 1, 0};
    CHECK(!clg_joint_replica(&w->arena, w->model, 0, five, 5, 1, &r));
}

static void answer_alone(world *w, int models) {
    clg_error error = {0};
    for (int i = 0; i < models; i++)
        CHECK(clg_serve_answer_make(&w->arena, &w->question[i], (clg_serve_progress){0},
                                    &w->answer[i], &error) == CLG_OK);
}

static void who_shares(world *w) {
    CASE("two models of a request in two seconds share a GPU; both still meet their targets");
    put(w, 0, 0.5, 1);
    put(w, 1, 0.5, 1);
    answer_alone(w, 2);
    make(w, 2);
    const clg_joint *j = &w->joint;
    CHECK(j->pools == 1 && j->pool[0].members == 2 && j->pool[0].gpus == 1);
    CHECK(j->stage[CLG_JOINT_NODES].gpus == 2 && j->stage[CLG_JOINT_GPUS].gpus == 1);
    clg_replica r;
    CHECK(clg_joint_replica(&w->arena, w->model, 0, j->pool[0].member, 2, 1, &r));
    CHECK(clg_fleet_meets(&w->arena, &r, &w->demand[0], 1, &w->question[0].target));
    CASE("one node does without sharing too: no more in common than saves");
    CHECK(j->taken == CLG_JOINT_NODES && j->stage[CLG_JOINT_APART].nodes == 2);
    CASE("two that fill more than half a GPU each do not share");
    put(w, 0, 50, 1);
    put(w, 1, 50, 1);
    answer_alone(w, 2);
    CHECK(w->answer[0].fleet.replicas == 1 && w->answer[0].rho > 0.5);
    make(w, 2);
    CHECK(w->joint.pools == 0 && w->model[0].pool == -1);
}

static void nodes_and_money(world *w) {
    CASE("2 x 2, 1 x 4 and 4 x 1 GPUs: three nodes apart, two together, 12 of 16 GPUs held");
    put(w, 0, 0.5, 2);
    put(w, 1, 0.5, 4);
    put(w, 2, 0.5, 1);
    say(w, 0, 2, 0.5);
    say(w, 1, 1, 0.5);
    say(w, 2, 4, 0.25);
    make(w, 3);
    const clg_joint *j = &w->joint;
    CHECK(j->stage[CLG_JOINT_APART].nodes == 3 && j->stage[CLG_JOINT_NODES].nodes == 2);
    CHECK(j->stage[CLG_JOINT_NODES].gpus == 12 && j->stage[CLG_JOINT_NODES].bound == 2);
    CASE("P90 takes twice the replicas: 24 GPUs on three nodes");
    CHECK(j->low_nodes == 2 && j->high_nodes == 3);
    CASE("P90 takes more nodes than are packed: none that can be named");
    w->answer[0].slow.replicas = INT64_C(1) << 20;
    make(w, 3);
    CHECK(j->low_nodes == 2 && j->high_nodes == 0);
    w->answer[0].slow.replicas = 4;
    make(w, 3);
    CHECK(j->high_nodes == 3);
    CASE("48 dollars an hour, by GPUs held: a third each; apart 24");
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(3600 * w->model[i].usd_per_s, 16, 1e-9);
        CHECK_NEAR(3600 * w->model[i].alone_usd_per_s, 24, 1e-9);
    }
    CASE("a lost node takes half of what is spread over two, and all of one");
    CHECK(w->model[0].lost_replicas == 1 && w->model[1].lost_replicas == 1);
    CHECK(w->model[2].lost_replicas == 2);
    CHECK(w->model[0].lost_share >= 0.99 && w->model[1].lost_share <= 0);
    CASE("with a second replica of 4 GPUs the same two bear it: 1 + 1, 1 + 1, 2 + 2 replicas, 16 "
         "GPUs");
    CHECK(j->hot_nodes == 2);
}

static void by_the_hour(world *w) {
    CASE("peaks of 6 an hour apart: 12 GPUs on two nodes, or one node whose replicas move");
    static clg_serve_window first[] = {
        {0, 30, 6, 6}, {30, 30, 1, 1}, {60, 30, 1, 1}, {90, 30, 1, 1}};
    static clg_serve_window other[] = {
        {0, 30, 1, 1}, {30, 30, 1, 1}, {60, 30, 6, 6}, {90, 30, 1, 1}};
    for (int i = 0; i < 2; i++) {
        put(w, i, 0.5, 1);
        say(w, i, 6, 0.3);
        w->answer[i].window = i == 0 ? first : other;
        w->answer[i].windows = 4;
    }
    make(w, 2);
    const clg_joint_moved *m = &w->joint.moved;
    CHECK(w->joint.stage[w->joint.taken].nodes == 2);
    CHECK(m->known && m->most_nodes == 1 && m->starts == 10);
    CHECK_NEAR(m->mean_nodes, 1, 1e-12);
    CASE("a last window of 10 of 100 s counts a tenth: two nodes in it and in the one before");
    first[3] = other[3] = (clg_serve_window){90, 10, 6, 6};
    make(w, 2);
    CHECK_NEAR(m->mean_nodes, 1 + (30 + 10) / 100.0, 1e-12);
    CASE("not where a start takes longer than a window, nor where days end apart");
    other[3].seconds = 20;
    make(w, 2);
    CHECK(!w->joint.moved.known);
    other[3].seconds = 10;
    w->question[0].cold_start_s = 31;
    make(w, 2);
    CHECK(!w->joint.moved.known);
}

static void outgrown(world *w) {
    enum { DOUBLED = 1, TWO = 2 };
    static clg_joint_growth g;
    CASE("nothing grows, nothing is due");
    put(w, 0, 40, 4);
    put(w, 1, 2, 1);
    answer_alone(w, 2);
    make(w, 2);
    clg_joint_grow(&w->arena, &w->joint, NULL, &g);
    CHECK(!g.known);
    CASE("twice as much every month: as many replicas in two as four times the rate takes");
    w->question[0].growth = 1;
    w->question[0].lead_s = TWO * CLG_MEAN_MONTH_S;
    int64_t now = w->answer[0].fleet.replicas, other = w->answer[1].fleet.replicas;
    clg_joint_grow(&w->arena, &w->joint, NULL, &g);
    put(w, 2, 160, 4);
    clg_error error = {0};
    CHECK(clg_serve_answer_make(&w->arena, &w->question[2], (clg_serve_progress){0}, &w->answer[2],
                                &error) == CLG_OK);
    CHECK(g.known && w->answer[2].fleet.replicas > now);
    CHECK_NEAR((double)g.month[DOUBLED].replicas[0], (double)w->answer[2].fleet.replicas, 1);
    CASE("the other stays as it is, and an order for then is of the nodes of then");
    CHECK(g.month[DOUBLED].replicas[1] == other);
    CHECK(g.lead.nodes == g.month[DOUBLED].nodes);
    int64_t least = (4 * g.month[DOUBLED].replicas[0] + other + NODE - 1) / NODE;
    CHECK(g.month[DOUBLED].nodes == least && least > w->joint.stage[w->joint.taken].nodes);
    CASE("half as much: no more replicas than today");
    w->question[0].growth = -0.5;
    clg_joint_grow(&w->arena, &w->joint, NULL, &g);
    CHECK(g.month[0].replicas[0] <= now);
    CASE("a fleet that was given stays what it is");
    w->question[0].replicas = now;
    w->question[0].growth = 1;
    clg_joint_grow(&w->arena, &w->joint, NULL, &g);
    CHECK(g.month[DOUBLED].replicas[0] == now);
}

int main(void) {
    static world w;
    build(&w);
    shared_gpu(&w);
    who_shares(&w);
    nodes_and_money(&w);
    by_the_hour(&w);
    outgrown(&w);
    clg_arena_clear(&w.arena);
    return DONE;
}
