/* Terms of several stacks at once, and the widths of intervals: recovered from runs made with known
 * ones. */
#include "calibrate/interval_widths.h"
#include "calibrate/stacks.h"
#include "validate/validate.h"

#include "test.h"

#include <string.h>

static clg_arena arena;

enum { RUNS = 400 };

typedef struct made {
    clg_stack_run run[RUNS];
    int count;
} made;

#define HEAD                                                                                       \
    "id,source,kind,layers,hidden,ffn,gated,heads,kv_heads,vocab,tied,seq,gpu,gpus,stack,"         \
    "precision,recompute,tp,pp,zero,micro_batch,global_batch,status\n"

/* Runs of a source whose kernels are so much slower: by the model itself, at the stack's other
 * terms. */
static void make(made *m, const char *source, const char *stack, int count, double slowdown) {
    for (int i = 0; i < count; i++) {
        char text[1024];
        clg_csv csv;
        clg_error e = {0};
        clg_scenario *s = clg_take(&arena, 1, clg_scenario);
        clg_evaluation v;
        int size = 1 + i % 5;
        snprintf(text, sizeof text,
                 HEAD "r,%s,dense,%d,%d,%d,1,%d,%d,32000,0,4096,h100-sxm,%d,%s,bf16,full,%d,1,1,1,"
                      "%d,ok\n",
                 source, 8 + 4 * size, 1024 * size, 2816 * size, 8 * size, 8 * size, 8 << i % 3,
                 stack, 1 << i % 2, 256 << i % 2);
        char *kept = clg_arena_copy(&arena, text, strlen(text));
        CHECK(clg_csv_parse(&arena, "made.csv", kept, strlen(kept), &csv, &e) == CLG_OK);
        const char *why = clg_validate_row(&arena, &csv, 0, s, &v);
        CHECK(!why);
        s->stack.host.launch_s = 0; /* no layer so small that it waits for the host */
        clg_scenario slower = *s;
        slower.stack.kernels.slowdown = slowdown;
        CHECK(clg_evaluate(&arena, &slower, &v.layout, false, NULL, &v, &e) == CLG_OK);
        m->run[m->count++] =
            (clg_stack_run){s, v.layout, v.step_s, clg_arena_copy(&arena, source, strlen(source))};
    }
}

static clg_stacks fitted(const made *m, const bool *left_out) {
    clg_stack_fitting *fitting;
    clg_stacks stacks = {0};
    clg_error e = {0};
    CHECK(clg_stacks_begin(&arena, m->run, m->count, NULL, &fitting, &e) == CLG_OK);
    clg_stacks_fit(&arena, fitting, &(clg_stacks_without){.left_out = left_out}, &stacks);
    return stacks;
}

static const clg_stack_terms *of(const clg_stacks *stacks, const char *name) {
    for (int i = 0; i < stacks->count; i++)
        if (strcmp(stacks->stack[i].stack, name) == 0) return &stacks->stack[i];
    return NULL;
}

static double slowdown_of(const clg_stacks *stacks, const char *name) {
    return of(stacks, name)->term[0].term.to;
}

static void one_stack(void) {
    CASE("a known slowdown is recovered, whatever the built-in one");
    made m = {.count = 0};
    make(&m, "a", "megatron-2024", 10, 1.2);
    make(&m, "b", "megatron-2024", 10, 1.2);
    clg_stacks s = fitted(&m, NULL);
    CHECK(s.count == 1 && s.stack[0].runs == 20 && s.stack[0].sources == 2);
    CHECK_NEAR(s.stack[0].alone, 1.2, 2e-3);
    CHECK_NEAR(slowdown_of(&s, "megatron-2024"), 1.2, 2e-3);
    CHECK_NEAR(s.kernel_slowdown, 1.2, 2e-3);
    /* Twenty runs of 0.06 are worth 20; two sources that are 0.06 off together, 2 x 10/11. */
    CHECK_NEAR(s.stack[0].readings, 2 * 10 / 11.0, 0.05);
}

static void bounds(void) {
    CASE("kernels are not faster than the best ones alone");
    made m = {.count = 0};
    make(&m, "a", "megatron-2024", 10, 0.8);
    clg_stacks s = fitted(&m, NULL);
    CHECK_NEAR(s.stack[0].alone, 1, 1e-9);
}

/* d ln(step) / d ln(slowdown) about 1.2, as a mean of the runs. */
static double share_of(const made *m) {
    double sum = 0;
    for (int i = 0; i < m->count; i++) {
        clg_scenario s = *m->run[i].scenario;
        clg_evaluation low = {0}, high = {0};
        clg_error e = {0};
        s.stack.kernels.slowdown = 1.19;
        CHECK(clg_evaluate(&arena, &s, &m->run[i].layout, false, NULL, &low, &e) == CLG_OK);
        s.stack.kernels.slowdown = 1.21;
        CHECK(clg_evaluate(&arena, &s, &m->run[i].layout, false, NULL, &high, &e) == CLG_OK);
        sum += log(high.step_s / low.step_s) / log(1.21 / 1.19);
    }
    return sum / m->count;
}

/* Gaussian by hand, for slowdowns so near each other that the loss is all but square: a source of
 * ten runs is known to 0.06^2 (1 + 1/10) in the step, over the share of products squared in the
 * slowdown; stacks differ by 0.03 within a family and 0.1 between. 1.18 and 1.22 have the mean
 * sqrt(1.18 x 1.22), and each keeps between / (between + known) of its distance from it. */
static void by_hand(void) {
    CASE("two stacks near each other, by hand");
    made m = {.count = 0};
    make(&m, "a", "megatron-2024", 10, 1.18);
    make(&m, "b", "fsdp-2023", 10, 1.22);
    clg_stacks s = fitted(&m, NULL);
    m.count = 10;
    double share = share_of(&m), known = 0.0036 * 1.1 / (share * share);
    double between = 0.03 * 0.03 + 0.1 * 0.1, kept = between / (between + known);
    double middle = sqrt(1.18 * 1.22);
    CHECK_NEAR(s.kernel_slowdown, middle, 1e-3);
    CHECK_NEAR(log(slowdown_of(&s, "megatron-2024") / middle), log(1.18 / middle) * kept, 0.1);
    CHECK(kept > 0.4 && kept < 0.8);
}

static void drawn(void) {
    CASE("stacks of other families are drawn to the mean of both");
    made m = {.count = 0};
    make(&m, "a", "megatron-2024", 10, 1.1);
    make(&m, "b", "fsdp-2023", 10, 1.4);
    clg_stacks s = fitted(&m, NULL);
    double middle = sqrt(1.1 * 1.4), low = slowdown_of(&s, "megatron-2024"),
           high = slowdown_of(&s, "fsdp-2023");
    CHECK_NEAR(s.kernel_slowdown, middle, 5e-3);
    CHECK(low > 1.11 && low < middle && high > middle && high < 1.39);
    CASE("less so with more sources");
    make(&m, "c", "fsdp-2023", 10, 1.4);
    make(&m, "d", "fsdp-2023", 10, 1.4);
    s = fitted(&m, NULL);
    CHECK(slowdown_of(&s, "fsdp-2023") > high + 0.01);
    CASE("a new stack has the slowdown of its family, drawn to the mean; an unknown one the mean");
    clg_stack standard, stack;
    clg_error e = {0};
    CHECK(clg_stack_find(&arena, "unknown", &standard, &e) == CLG_OK);
    CHECK(clg_stack_find(&arena, "torchtitan-2025", &stack, &e) == CLG_OK);
    CHECK(!clg_stacks_apply(&s, &standard, &stack));
    CHECK(stack.kernels.slowdown > s.kernel_slowdown && stack.kernels.slowdown < 1.4);
    stack = standard;
    CHECK(!clg_stacks_apply(&s, &standard, &stack));
    CHECK_NEAR(stack.kernels.slowdown, s.kernel_slowdown, 1e-12);
    CHECK(clg_stack_find(&arena, "fsdp-2023", &stack, &e) == CLG_OK);
    CHECK(clg_stacks_apply(&s, &standard, &stack));
    CHECK_NEAR(stack.kernels.slowdown, slowdown_of(&s, "fsdp-2023"), 1e-12);
}

static void a_grid(void) {
    CASE("a grid of 300 does not drown three tables of 5");
    made m = {.count = 0};
    make(&m, "grid", "megatron-2024", 300, 1.0);
    make(&m, "a", "megatron-2024", 5, 1.3);
    make(&m, "b", "megatron-2024", 5, 1.3);
    make(&m, "c", "megatron-2024", 5, 1.3);
    clg_stacks s = fitted(&m, NULL);
    CHECK(s.stack[0].alone > 1.2);
    CHECK(s.stack[0].runs <= 64 + 15 && s.stack[0].sources == 4);
}

static void left_out(void) {
    CASE("what is left out has no say: not a bit changes with its time");
    made m = {.count = 0};
    bool out[RUNS] = {false};
    make(&m, "a", "megatron-2024", 10, 1.1);
    make(&m, "b", "megatron-2024", 10, 1.3);
    make(&m, "c", "fsdp-2023", 10, 1.2);
    for (int i = 10; i < 20; i++) out[i] = true;
    clg_stacks before = fitted(&m, out);
    for (int i = 10; i < 20; i++) m.run[i].step_s *= 3;
    clg_stacks after = fitted(&m, out), all = fitted(&m, NULL);
    double kept = slowdown_of(&before, "megatron-2024");
    CHECK(memcmp(&kept, &of(&after, "megatron-2024")->term[0].term.to, sizeof kept) == 0);
    CHECK(memcmp(&before.kernel_slowdown, &after.kernel_slowdown, sizeof kept) == 0);
    CHECK(fabs(slowdown_of(&all, "megatron-2024") - kept) > 0.01);
    CASE("and the fit to the others is the same from the fit to all");
    clg_stack_fitting *fitting;
    clg_stacks whole, fold;
    clg_error e = {0};
    CHECK(clg_stacks_begin(&arena, m.run, m.count, NULL, &fitting, &e) == CLG_OK);
    clg_stacks_fit(&arena, fitting, &(clg_stacks_without){0}, &whole);
    clg_stacks_fit(&arena, fitting,
                   &(clg_stacks_without){.left_out = out, .wanted = out, .known = {&whole}}, &fold);
    CHECK_NEAR(slowdown_of(&fold, "megatron-2024"), kept, 1e-12);
}

/* ln error that a sigma of `width` just holds: P90 = step (1 + 1.2816 sigma). All are late. */
static double error_of(double width) { return log1p(1.2816 * width); }

static clg_miss miss(double width, double traffic, bool experts, const char *stack,
                     const char *source) {
    return (clg_miss){-error_of(width), {.traffic = traffic, .experts = experts}, stack, source};
}

static void widths_of_sources(void) {
    clg_stack standard;
    clg_error e = {0};
    clg_miss m[40];
    bool counts[40];
    clg_interval_widths w;
    int n = 0;
    CHECK(clg_stack_find(&arena, "unknown", &standard, &e) == CLG_OK);
    CASE("twelve sources: 13/12 of 80 % is the eleventh, where 80 % alone is the tenth");
    static const char *const sources[] = {"a", "b", "c", "d", "e", "f",
                                          "g", "h", "i", "j", "k", "l"};
    for (n = 0; n < 12; n++) {
        m[n] = miss(0.05 * (n + 1), 0, false, "s", sources[n]);
        counts[n] = true;
    }
    clg_widths_fit(&arena, m, counts, n, &standard, &w);
    CHECK_NEAR(w.sigma, 0.55, 1e-3);
    CASE("steps of 0.2 s miss by 30 ms more than those of a minute");
    n = 0;
    for (int i = 0; i < 10; i++) m[n] = miss(0.1, 0, false, "s", "a"), m[n++].doubt.step_s = 60;
    for (int i = 0; i < 10; i++)
        m[n] = miss(hypot(0.1, 0.15), 0, false, "s", "b"), m[n++].doubt.step_s = 0.2;
    for (int i = 0; i < n; i++) counts[i] = true;
    clg_widths_fit(&arena, m, counts, n, &standard, &w);
    CHECK_NEAR(w.sigma, 0.1, 1e-3);
    CHECK_NEAR(w.sigma_step_s, 0.03, 5e-4);
    CASE("of five sources of mixtures 6/5 of 80 % is all but a twentieth, of all of them less");
    for (n = 0; n < 12; n++) m[n] = miss(0.1, 0, n < 5, "s", sources[n]);
    m[0] = miss(hypot(0.1, 0.4), 0, true, "s", "a");
    clg_widths_fit(&arena, m, counts, n, &standard, &w);
    CHECK_NEAR(w.sigma, 0.1, 1e-3);
    CHECK_NEAR(w.sigma_experts, 0.4, 1e-3);
}

static void widths(void) {
    clg_stack standard;
    clg_error e = {0};
    clg_miss m[40];
    bool counts[40];
    clg_interval_widths w;
    int n = 0;
    CHECK(clg_stack_find(&arena, "unknown", &standard, &e) == CLG_OK);
    CASE("of misses of 0.2, with half of the step traffic 0.5 of it more, with experts 0.15");
    for (int i = 0; i < 10; i++) m[n++] = miss(0.2, 0, false, "s", "a");
    for (int i = 0; i < 10; i++) m[n++] = miss(sqrt(0.04 + 0.0625), 0.5, false, "s", "b");
    for (int i = 0; i < 10; i++) m[n++] = miss(sqrt(0.04 + 0.0225), 0, true, "t", "c");
    for (int i = 0; i < n; i++) counts[i] = true;
    clg_widths_fit(&arena, m, counts, n, &standard, &w);
    CHECK_NEAR(w.sigma, 0.2, 1e-3);
    CHECK_NEAR(w.sigma_traffic, 0.5, 5e-3);
    CHECK_NEAR(w.sigma_experts, 0.15, 3e-3);
    CHECK(w.stacks == 2 && w.stack[0].sources == 2 && w.stack[1].sources == 1);
    /* of two sources: t of 4 degrees 1.533, root of 6/5 */
    CHECK_NEAR(w.stack[0].sigma, 0.2 * 1.533 * sqrt(1.2) / 1.2816, 2e-3);
    CASE("of a stack: its source at 80 % and three of the common one, in squares");
    n = 0;
    for (int i = 0; i < 10; i++) m[n++] = miss(0.1, 0, false, "s", "a");
    for (int i = 0; i < 10; i++) m[n++] = miss(0.1, 0, false, "s", "b");
    for (int i = 0; i < 11; i++) m[n++] = miss(0.01 * i, 0, false, "t", "c");
    for (int i = 0; i < n; i++) counts[i] = true;
    clg_widths_fit(&arena, m, counts, n, &standard, &w);
    CHECK_NEAR(w.sigma, 0.1, 1e-3);
    /* squares of 0 to 0.1; the ninth of eleven is at 80 %: 0.08 */
    CHECK_NEAR(w.stack[1].sigma, sqrt((3 * 0.01 + 0.0064) / 4) * 1.638 * sqrt(1.25) / 1.2816, 1e-3);
    clg_stack stack = standard;
    clg_interval_widths_apply(&w, "t", &stack);
    CHECK_NEAR(stack.sigma.step, w.stack[1].sigma, 1e-12);
    clg_interval_widths_apply(&w, "another", &stack);
    CHECK_NEAR(stack.sigma.step, w.sigma * 1.886 * sqrt(4 / 3.0) / 1.2816, 1e-12);
    CASE("what no run tells stays: experts 0.1, traffic 0.3, 10 ms");
    CHECK_NEAR(w.sigma_step_s, 0.01, 1e-12);
    CHECK_NEAR(w.sigma_experts, 0.1, 1e-12);
    CHECK_NEAR(w.sigma_traffic, 0.3, 1e-12);
    CASE("what does not count has no say");
    double before = w.stack[1].sigma;
    m[n] = miss(3, 0, false, "t", "c");
    counts[n++] = false;
    clg_widths_fit(&arena, m, counts, n, &standard, &w);
    CHECK_NEAR(w.stack[1].sigma, before, 0);
    widths_of_sources();
}

int main(void) {
    one_stack();
    bounds();
    by_hand();
    drawn();
    a_grid();
    left_out();
    widths();
    clg_arena_clear(&arena);
    return DONE;
}
