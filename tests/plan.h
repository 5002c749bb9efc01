/* plan.h -- scenarios and layouts that tests start from. */
#ifndef CLG_TESTS_PLAN_H
#define CLG_TESTS_PLAN_H

#include "evaluate/evaluate.h"
#include "model/preset.h"
#include "test.h"

/* A preset on the vendor's reference box; `stack` NULL: none, as in serving; 0 GPUs: one box. */
static inline clg_scenario plan_scenario(clg_arena *arena, const char *model, const char *gpu,
                                         const char *stack, int gpus) {
    clg_scenario s = {.expert_imbalance = 1};
    clg_error e = {0};
    bool found = clg_model_find(arena, model, &s.model, &e) == CLG_OK &&
                 clg_gpu_find(arena, gpu, &s.machine.gpu, &e) == CLG_OK &&
                 clg_node_default(arena, &s.machine.gpu, &s.machine.node, &e) == CLG_OK &&
                 clg_fabric_find(arena, s.machine.node.fabric, &s.machine.fabric, &e) == CLG_OK &&
                 (!stack || clg_stack_find(arena, stack, &s.stack, &e) == CLG_OK);
    s.machine.gpus = gpus > 0 ? gpus : s.machine.node.gpus;
    if (!found || clg_scenario_prepare(arena, &s, &e) != CLG_OK) printf("  %s\n", e.message);
    CHECK(found);
    return s;
}

/* One GPU, one sequence of `seq` tokens, 16 bit; tests change what they are about. */
static inline clg_layout plan_layout(int64_t seq) {
    return (clg_layout){.seq = seq,
                        .global_batch = 1,
                        .dp = 1,
                        .tp = 1,
                        .cp = 1,
                        .ep = 1,
                        .etp = 1,
                        .pp = 1,
                        .vpp = 1,
                        .schedule = CLG_1F1B,
                        .micro_batch = 1,
                        .accumulation = 1,
                        .precision = CLG_BF16,
                        .attention = CLG_FLASH2};
}

/* A step as it is written; where the layout is not legal the test fails, and says why. */
static inline const clg_step *plan_step(clg_arena *arena, const clg_scenario *s,
                                        const clg_layout *l, clg_step *step) {
    const char *why = clg_layout_refuses(arena, &s->model, l);
    if (why) printf("  %s\n", why);
    CHECK(why == NULL);
    clg_step_build(&s->model, &s->machine, &s->stack, l, step);
    return step;
}

/* Pairs counted query by query: each sees what lies at most `reach` tokens before it, `every` of
 * them an entry; half of the diagonal. */
static inline double plan_walked_pairs(int64_t tokens, int64_t reach, int every) {
    double sum = 0;
    for (int64_t i = 0; i < tokens; i++) sum += i < reach ? (double)i + 0.5 : (double)reach;
    return sum / every;
}

/* Flop of ops of a name in a pass; bytes where they have no flop. */
static inline double plan_work_of(const clg_block *block, const char *name, clg_pass pass) {
    double sum = 0;
    for (int i = 0; i < block->ops; i++)
        if (block->op[i].pass == pass && strcmp(block->op[i].name, name) == 0)
            sum += block->op[i].count *
                   (block->op[i].flop > 0 ? block->op[i].flop : block->op[i].hbm_bytes);
    return sum;
}

/* Priced and simulated; the error is printed where it is refused. */
static inline clg_evaluation plan_evaluation(clg_arena *arena, const clg_scenario *s,
                                             clg_layout l) {
    clg_evaluation e = {0};
    clg_error error = {0};
    bool ok = clg_evaluate(arena, s, &l, true, NULL, &e, &error) == CLG_OK;
    if (!ok) printf("  %s\n", error.message);
    CHECK(ok);
    return e;
}

#endif
