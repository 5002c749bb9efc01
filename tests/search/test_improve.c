/* The fewest changes: every step is the fastest of all layouts that differ in no more, by brute
 * force over the whole space. */
#include "plan.h"
#include "search/improve.h"

static clg_arena arena;

static int bits(unsigned set) {
    int count = 0;
    for (; set; set &= set - 1) count++;
    return count;
}

static clg_space space_of(int gpus, int batch) {
    clg_space s = {.gpus = gpus,
                   .seq = 4096,
                   .global_batch = batch,
                   .precision = CLG_BF16,
                   .keep = 1,
                   .risk = 0.1};
    s.attention = (clg_axis_values){.count = 1, .value = {CLG_FLASH2}};
    s.order = (clg_axis_values){.count = 1, .value = {0}};
    return s;
}

/* The fastest of `found` with at most so many changes. */
static double fastest(const clg_found *found, const clg_layout *job, int changes) {
    double best = 1e300;
    for (int i = 0; i < found->count; i++)
        if (bits(clg_layout_changes(job, &found->best[i].layout)) <= changes &&
            found->best[i].step_s < best)
            best = found->best[i].step_s;
    return best;
}

static void compare(const char *model, clg_layout job) {
    int gpus = (int)clg_layout_gpus(&job);
    clg_scenario s = plan_scenario(&arena, model, "h100-sxm", "megatron-2024", gpus);
    clg_space space = space_of(gpus, (int)job.global_batch), whole = space;
    clg_evaluation e = plan_evaluation(&arena, &s, job);
    clg_improvements got = {0};
    clg_found *all = clg_take(&arena, 1, clg_found);
    clg_error error = {0};
    whole.keep = 20000;
    whole.exhaustive = true;
    CHECK(clg_improve(&arena, &s, &space, &e, 0, (clg_progress){0}, &got, &error) == CLG_OK);
    CHECK(clg_search(&arena, &s, &whole, (clg_progress){0}, all, &error) == CLG_OK);
    CHECK(got.count > 0 && all->count > 20);
    for (int i = 0; i < got.count; i++) {
        const clg_improvement *step = &got.step[i];
        CHECK(step->plan.step_s <= fastest(all, &job, step->changes) * (1 + 1e-12));
        CHECK(bits(clg_layout_changes(&job, &step->plan.layout)) == step->changes);
        CHECK(i == 0 || step->plan.step_s < got.step[i - 1].plan.step_s);
    }
}

static void brute_force(void) {
    CASE("a job that recomputes all and pipelines needlessly");
    clg_layout job = plan_layout(4096);
    job.tp = 2;
    job.pp = 4;
    job.recompute = CLG_RECOMPUTE_FULL;
    job.global_batch = 8;
    job.accumulation = 8;
    compare("llama-3-8b", job);
    CASE("experts that are not spread");
    job = plan_layout(4096);
    job.tp = 4;
    job.etp = 4;
    job.sp = true;
    job.dp = 2;
    job.zero = 1;
    job.global_batch = 8;
    job.accumulation = 4;
    compare("qwen1.5-moe-a2.7b", job);
}

static void nothing_to_do(void) {
    CASE("the best plan of all has no better neighbour");
    clg_scenario s = plan_scenario(&arena, "llama-3-8b", "h100-sxm", "megatron-2024", 16);
    clg_space space = space_of(16, 32);
    clg_found *found = clg_take(&arena, 1, clg_found);
    clg_improvements got = {0};
    clg_error error = {0};
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, found, &error) == CLG_OK);
    CHECK(clg_improve(&arena, &s, &space, &found->best[0], 0, (clg_progress){0}, &got, &error) ==
          CLG_OK);
    CHECK(got.count == 0);
}

int main(void) {
    brute_force();
    nothing_to_do();
    return DONE;
}
