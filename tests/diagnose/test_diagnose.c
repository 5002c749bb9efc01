/* Planted causes are found again: the step of a world where one thing is wrong, and what the
 * measurement that shows it would say, go in; the cause comes out. */
#include "cost/sweep.h"
#include "diagnose/diagnose.h"
#include "plan.h"

#include <string.h>

static clg_arena arena;

typedef struct job {
    clg_scenario scenario;
    clg_evaluation plan;
} job;

static job make(const char *model, clg_layout l) {
    job j;
    j.scenario = plan_scenario(&arena, model, "h100-sxm", "fsdp-2024", (int)clg_layout_gpus(&l));
    j.scenario.machine.gpu.memory_usable_bytes *= 1.2; /* full memory would be a cause by itself */
    j.plan = plan_evaluation(&arena, &j.scenario, l);
    return j;
}

static clg_layout sharded(int gpus) {
    clg_layout l = plan_layout(4096);
    l.dp = gpus;
    l.zero = 3;
    l.micro_batch = 2;
    l.global_batch = 2 * gpus;
    return l;
}

static clg_diagnosis diagnose(const job *j, const clg_observations *seen) {
    clg_diagnosis d = {0};
    clg_error e = {0};
    CHECK(clg_diagnose(&arena, &j->scenario, &j->plan, seen, &d, &e) == CLG_OK);
    return d;
}

static int place_of(const clg_diagnosis *d, const char *name) {
    for (int i = 0; i < d->suspects; i++)
        if (strcmp(d->suspect[i].name, name) == 0) return i;
    return -1;
}

/* What the job does where a cause holds. */
static clg_observations planted(const job *j, const char *name, double strength, int nodes) {
    int count;
    const clg_job_cause *cause = clg_job_causes(&count);
    clg_scenario changed = j->scenario;
    clg_world w = {.arena = &arena,
                   .scenario = &changed,
                   .layout = j->plan.layout,
                   .plan = &j->plan,
                   .counted = 1};
    clg_evaluation e = {0};
    clg_error error = {0};
    for (int i = 0; i < count; i++)
        if (strcmp(cause[i].name, name) == 0) CHECK(cause[i].holds(&w, strength));
    CHECK(clg_evaluate(&arena, &changed, &w.layout, false, NULL, &e, &error) == CLG_OK);
    clg_observations seen = {.step_s = (e.step_s + w.more_s) * w.counted, .written = "planted"};
    if (nodes == 0) return seen;
    clg_sweep_point p =
        clg_sweep_at(&changed.network, &changed.machine, CLG_ALL_REDUCE, nodes * 8, 1e9);
    seen.bus[seen.buses++] = (clg_observed_bus){CLG_ALL_REDUCE, nodes, 1e9, p.bus_bytes_per_s};
    return seen;
}

static void found_again(void) {
    job j = make("llama-3-8b", sharded(64));
    CASE("a network at a tenth, and its bus bandwidth: found");
    clg_observations seen = planted(&j, "network_bandwidth", 10, 8);
    clg_diagnosis d = diagnose(&j, &seen);
    CHECK(d.verdict == CLG_SLOW && place_of(&d, "network_bandwidth") == 0);
    CHECK(d.suspect[0].strength > 7 && d.suspect[0].strength < 14);
    CHECK_NEAR(d.suspect[0].explains_s, seen.step_s - j.plan.step_s, 0.2);
    CASE("a network at a thirtieth, and nothing but the step: among the first three");
    seen = planted(&j, "network_bandwidth", 30, 0);
    d = diagnose(&j, &seen);
    CHECK(place_of(&d, "network_bandwidth") <= 2);
    CASE("the same step with the network as it should be: not the network");
    seen = planted(&j, "data_loading", 2, 8);
    d = diagnose(&j, &seen);
    CHECK(place_of(&d, "network_bandwidth") > 3 && place_of(&d, "data_loading") <= 3);
    CASE("a network that falls with nodes: congestion, not bandwidth");
    clg_observations all = {0};
    for (int nodes = 2; nodes <= 8; nodes *= 2) {
        seen = planted(&j, "network_congestion", 0.6, nodes);
        all.step_s = seen.step_s;
        all.bus[all.buses++] = seen.bus[0];
    }
    d = diagnose(&j, &all);
    CHECK(place_of(&d, "network_congestion") == 0);
}

static void priors(void) {
    CASE("a healthy job is as likely as all that can be wrong together");
    clg_job_cause_facts facts;
    clg_error e = {0};
    int count;
    const clg_job_cause *cause = clg_job_causes(&count);
    double all = 0;
    for (int i = 0; i < count; i++) {
        CHECK(clg_job_cause_facts_find(&arena, cause[i].name, &facts, &e) == CLG_OK);
        bool level = strcmp(facts.form, "level") == 0; /* each of its strengths has words */
        CHECK(facts.levels == (level ? (int)facts.worst : 0));
        CHECK(facts.possible > 0 && facts.possible <= 1 && facts.prior < facts.possible * 100);
        all += facts.prior;
    }
    CHECK(clg_job_cause_facts_find(&arena, "healthy", &facts, &e) == CLG_OK);
    CHECK_NEAR(facts.prior, all, 1e-9);
}

static void two_sizes(void) {
    CASE("a slow step at 64 GPUs alone is data or network; as planned on one node: network only");
    job j = make("llama-3-8b", sharded(64));
    clg_evaluation node = {0};
    clg_error e = {0};
    CHECK(clg_diagnose_size(&arena, &j.scenario, &j.plan, 8, &node, &e) == CLG_OK);
    CHECK(node.layout.dp == 8 && node.layout.global_batch == 16 && node.step_s < j.plan.step_s);
    clg_observations seen = planted(&j, "network_bandwidth", 30, 0);
    seen.other = &node;
    seen.other_s = node.step_s;
    clg_diagnosis d = diagnose(&j, &seen);
    CHECK(place_of(&d, "network_bandwidth") <= 1 && place_of(&d, "data_loading") > 1);
    CASE("as slow on one node: not the network");
    seen.other_s = node.step_s * seen.step_s / j.plan.step_s;
    d = diagnose(&j, &seen);
    CHECK(place_of(&d, "data_loading") <= 1 && place_of(&d, "network_bandwidth") > 3);
    CASE("sizes that hold no whole copies, and the job's own, are refused");
    CHECK(clg_diagnose_size(&arena, &j.scenario, &j.plan, 64, &node, &e) == CLG_BAD_INPUT);
    CHECK(clg_diagnose_size(&arena, &j.scenario, &j.plan, 0, &node, &e) == CLG_BAD_INPUT);
}

static void signs(void) {
    CASE("one slow step: with busy GPUs it waits for ranks, with idle ones for host or data");
    job j = make("llama-3-8b", sharded(64));
    clg_observations seen = planted(&j, "data_loading", 3, 0);
    seen.sign[CLG_SIGN_BUSY] = (clg_observed_sign){true, 0.98, "98%:util"};
    clg_diagnosis d = diagnose(&j, &seen);
    CHECK(place_of(&d, "network_bandwidth") <= 1 && place_of(&d, "data_loading") > 4);
    CHECK(d.planned.value[CLG_SIGN_BUSY] > 0.8 && d.planned.value[CLG_SIGN_BUSY] <= 1);
    seen.sign[CLG_SIGN_BUSY].value = 0.25; /* three steps in four of nothing */
    d = diagnose(&j, &seen);
    CHECK(place_of(&d, "data_loading") <= 1 && place_of(&d, "network_bandwidth") > 4);
    CASE("and a timed wait for data is the data");
    seen.sign[CLG_SIGN_DATA] = (clg_observed_sign){true, 3 * j.plan.step_s, "3 steps"};
    d = diagnose(&j, &seen);
    CHECK(place_of(&d, "data_loading") == 0 && d.suspect[0].probability > 0.8);
    CASE("a step as planned with GPUs half idle is not as planned");
    clg_observations well = {.step_s = j.plan.step_s, .written = "as planned"};
    double before = diagnose(&j, &well).healthy;
    well.sign[CLG_SIGN_BUSY] = (clg_observed_sign){true, 0.4, "40%:util"};
    CHECK(diagnose(&j, &well).healthy < before);
}

static void timed_inside(void) {
    CASE("a slow step whose seconds the optimizer takes is the host's that keeps its states");
    clg_layout l = sharded(8);
    l.offload = true;
    job j = make("llama-3-8b", l);
    clg_observations seen = {.step_s = 10 * j.plan.step_s, .written = "given"};
    clg_diagnosis d = diagnose(&j, &seen);
    double alone = d.suspect[place_of(&d, "offload")].probability;
    seen.sign[CLG_SIGN_OPTIMIZER] =
        (clg_observed_sign){true, 9 * j.plan.step_s + j.plan.time.optimizer_s, "timer"};
    d = diagnose(&j, &seen);
    CHECK(place_of(&d, "offload") == 0 && d.suspect[0].probability > 2 * alone);
    seen.sign[CLG_SIGN_OPTIMIZER].value = j.plan.time.optimizer_s;
    d = diagnose(&j, &seen);
    CHECK(d.suspect[place_of(&d, "offload")].probability < alone / 2);
    CASE(
        "a step that collectives take is the network's or a late rank's, not the host's or data's");
    j = make("llama-3-8b", sharded(64));
    seen = (clg_observations){.step_s = 4 * j.plan.step_s, .written = "given"};
    seen.sign[CLG_SIGN_COMMUNICATION] = (clg_observed_sign){true, 0.8, "profile"};
    d = diagnose(&j, &seen);
    CHECK(place_of(&d, "network_bandwidth") <= 1 && place_of(&d, "data_loading") > 4);
    CHECK(place_of(&d, "kernels_unfused") > 3);
    seen.sign[CLG_SIGN_COMMUNICATION].value = 0.02;
    d = diagnose(&j, &seen);
    CHECK(place_of(&d, "network_bandwidth") > 3 && place_of(&d, "slow_gpu") > 3);
}

static void looped_experts(void) {
    CASE("a plan whose experts run one by one waits for them, not for kernels that are not fused");
    clg_layout l = sharded(8);
    l.micro_batch = 1, l.global_batch = 8, l.accumulation = 1;
    job j = make("qwen3-30b-a3b", l);
    j.scenario.stack.experts.rows = CLG_ROWS_LOOPED;
    j.scenario.stack.host.expert_s = 1e-3;
    clg_error e = {0};
    CHECK(clg_evaluate(&arena, &j.scenario, &j.plan.layout, true, NULL, &j.plan, &e) == CLG_OK);
    clg_observations seen = {.step_s = j.plan.step_s, .written = "as planned"};
    clg_diagnosis d = diagnose(&j, &seen);
    CHECK(d.verdict == CLG_HEALTHY && place_of(&d, "expert_dispatch") == 0);
    CHECK(d.suspect[0].planned && d.suspect[0].explains_s > 0.5 * j.plan.step_s);
}

static void counts(void) {
    CASE("of two numbers of different kinds the more direct is the step, in either order");
    job j = make("llama-3-8b", sharded(64));
    static const char *const pairs[][2] = {
        {"2s", "100ktok/s"}, {"100ktok/s", "300Tflop/s/GPU"}, {"300Tflop/s/GPU", "20%MFU"}};
    for (size_t i = 0; i < 3; i++)
        for (int turned = 0; turned < 2; turned++) {
            clg_observations seen = {0}, alone = {0};
            clg_error e = {0};
            for (int k = 0; k < 2; k++)
                CHECK(clg_observe(&j.plan, &j.scenario.machine, pairs[i][k ^ turned], &seen, &e) ==
                      CLG_OK);
            CHECK(clg_observe(&j.plan, &j.scenario.machine, pairs[i][0], &alone, &e) == CLG_OK);
            CHECK_NEAR(seen.step_s, alone.step_s, 1e-12);
            CHECK(seen.counted == alone.counted && strcmp(seen.count_written, pairs[i][1]) == 0);
            CHECK(clg_observe(&j.plan, &j.scenario.machine, "9%MFU", &seen, &e) != CLG_OK);
        }
    CASE("an MFU above 1 is miscounted");
    clg_observations seen = {0};
    clg_error e = {0};
    CHECK(clg_observe(&j.plan, &j.scenario.machine, "250%MFU", &seen, &e) == CLG_OK);
    clg_diagnosis d = diagnose(&j, &seen);
    CHECK(d.verdict == CLG_FAST && place_of(&d, "miscounted") == 0);
}

static void as_planned(void) {
    CASE("the step as expected, a tenth faster, a tenth slower: healthy");
    job j = make("llama-3-8b", sharded(64));
    for (int i = -1; i <= 1; i++) {
        clg_observations seen = {.step_s = j.plan.step_s * (1 + 0.1 * i), .written = "as planned"};
        clg_diagnosis d = diagnose(&j, &seen);
        CHECK(d.verdict == CLG_HEALTHY && d.healthy > 0.5);
    }
    CASE("just within P90, and no more known: healthy; with idle GPUs beside it: not");
    clg_observations edge = {.step_s = 0.999 * j.plan.step_p90_s, .written = "late"};
    CHECK(diagnose(&j, &edge).verdict == CLG_HEALTHY);
    edge.sign[CLG_SIGN_BUSY] = (clg_observed_sign){true, 0.3, "30%:util"};
    CHECK(diagnose(&j, &edge).verdict == CLG_SLOW);
    CASE("a third of the time: fast, and miscounted first");
    clg_observations seen = {.step_s = j.plan.step_s / 3, .written = "fast"};
    clg_diagnosis d = diagnose(&j, &seen);
    CHECK(d.verdict == CLG_FAST && place_of(&d, "miscounted") <= 1);
}

static void impossible(void) {
    CASE("one node has no slow network, dense models no experts, tp 1 no tensor ranks apart");
    clg_layout l = sharded(8);
    job j = make("llama-3-8b", l);
    clg_observations seen = {.step_s = j.plan.step_s * 4, .written = "slow"};
    clg_diagnosis d = diagnose(&j, &seen);
    double all = 0;
    for (int i = 0; i < d.suspects; i++) {
        const clg_suspect *s = &d.suspect[i];
        all += s->probability;
        if (strstr(s->name, "network") || strstr(s->name, "expert") || strstr(s->name, "tp_across"))
            CHECK(s->probability == 0);
    }
    CASE("chances add up to one, or to what is wrong where the plan waits for nothing");
    CHECK_NEAR(all, 1, 1e-9);
}

static void out_of_reach(void) {
    CASE("a step that no cause makes is refused, be it a wrong unit or a wrong batch");
    job j = make("llama-3-8b", sharded(64));
    static const double times[] = {1e-9, 0.002, 3000, 1e7};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        clg_observations seen = {.step_s = times[i] * j.plan.step_s, .written = "given"};
        clg_diagnosis d;
        clg_error e = {0};
        CHECK(clg_diagnose(&arena, &j.scenario, &j.plan, &seen, &d, &e) == CLG_BAD_INPUT);
        CHECK(strstr(e.message, i < 2 ? "as fast as planned" : "as slow as planned") != NULL);
    }
    CASE("below what its operations take at the peak of the GPUs, a step is miscounted for sure");
    clg_observations seen = {.step_s = 0.8 * j.plan.hfu * j.plan.step_s, .written = "given"};
    clg_diagnosis d = diagnose(&j, &seen);
    CHECK(d.verdict == CLG_FAST && d.healthy == 0);
    CHECK(strcmp(d.suspect[0].name, "miscounted") == 0);
    CHECK_NEAR(d.suspect[0].probability, 1, 1e-9);
}

static void written(void) {
    CASE("every way to write 64 sequences of 4,096 tokens in two seconds on 64 GPUs");
    job j = make("llama-3-8b", sharded(64));
    double tokens = 128 * 4096.0 / 2, flop = j.plan.model_flop / 2 / 64;
    char word[8][64];
    snprintf(word[0], 64, "2s");
    snprintf(word[1], 64, "%.9gtok/s", tokens);
    snprintf(word[2], 64, "%.9gtok/s/GPU", tokens / 64);
    snprintf(word[3], 64, "64samples/s");
    snprintf(word[4], 64, "%.9gTflop/s/GPU", flop / 1e12);
    snprintf(word[5], 64, "0.5it/s");
    snprintf(word[6], 64, "64 samples/sec");
    snprintf(word[7], 64, "%.9g tokens/second/GPU", tokens / 64);
    for (int i = 0; i < 8; i++) {
        clg_observations seen = {0};
        clg_error e = {0};
        CHECK(clg_observe(&j.plan, &j.scenario.machine, word[i], &seen, &e) == CLG_OK);
        CHECK_NEAR(seen.step_s, 2, 1e-6);
    }
    CASE("what is none is refused, and so is a second step");
    static const char *const bad[] = {
        "",       "2",   "fast",   "40GB/s:all-reduce", "40GB/s:gather:2",
        "1e400s", "-3s", "-5%MFU", "120%:util",         "3s:cheese"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        clg_observations seen = {0};
        clg_error e = {0};
        CHECK(clg_observe(&j.plan, &j.scenario.machine, bad[i], &seen, &e) != CLG_OK);
    }
    clg_observations seen = {0};
    clg_error e = {0};
    CHECK(clg_observe(&j.plan, &j.scenario.machine, "2s", &seen, &e) == CLG_OK);
    CHECK(clg_observe(&j.plan, &j.scenario.machine, "3s", &seen, &e) != CLG_OK);
}

static void once_faster(void) {
    CASE("a job a tenth slower than it was: nothing that its settings do");
    job j = make("llama-3-8b", sharded(64));
    clg_observations seen = {.step_s = j.plan.step_s * 1.1, .written = "given"};
    CHECK(diagnose(&j, &seen).verdict == CLG_HEALTHY);
    seen.before_s = j.plan.step_s;
    clg_diagnosis d = diagnose(&j, &seen);
    static const char *const settings[] = {"recompute", "kernels_unfused", "wide_numbers",
                                           "small_work", "miscounted"};
    CHECK(d.verdict == CLG_SLOW && d.healthy < 0.1);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        const clg_suspect *s = &d.suspect[place_of(&d, settings[i])];
        CHECK(s->probability < 0.1 && (s->planned || s->probability == 0));
    }
    CHECK(d.suspect[place_of(&d, "slow_gpu")].probability > 0.05);
    CASE("as before: nothing came over it");
    seen.before_s = seen.step_s;
    CHECK(diagnose(&j, &seen).healthy > d.healthy);
}

static void lines_of_logs(void) {
    CASE("a line of the log speaks for its cause, whatever its blanks; another log says nothing");
    job j = make("llama-3-8b", sharded(64));
    clg_observations seen = {.step_s = 2.5 * j.plan.step_s, .written = "given"};
    clg_diagnosis without = diagnose(&j, &seen);
    static const char throttled[] = "GPU 3\n   HW Thermal Slowdown     : Active\n";
    seen.log = (clg_observed_log){throttled, sizeof throttled - 1};
    clg_diagnosis d = diagnose(&j, &seen);
    CHECK(place_of(&d, "slow_gpu") == 0 && place_of(&without, "slow_gpu") > 0);
    CHECK(d.suspect[0].line != NULL && d.healthy < without.healthy);
    static const char well[] = "HW Thermal Slowdown : Not Active\nHW Thermal Slowdown : Act";
    seen.log = (clg_observed_log){well, sizeof well - 1};
    d = diagnose(&j, &seen);
    CHECK(d.suspect[0].line == NULL && d.healthy == without.healthy);
}

static void pipelines(void) {
    CASE("a pipeline's engine exchanges gradients once a step; an own loop may do so more often");
    clg_layout l = plan_layout(4096);
    l.tp = 8, l.dp = 4, l.pp = 2, l.micro_batch = 1, l.global_batch = 64, l.accumulation = 16;
    for (int staged = 1; staged >= 0; staged--) {
        if (!staged) l.pp = 1, l.dp = 8, l.accumulation = 8;
        job j = make("llama-3-8b", l);
        clg_observations seen = {.step_s = 2 * j.plan.step_s, .written = "given"};
        clg_diagnosis d = diagnose(&j, &seen);
        int at = place_of(&d, "gradient_sync_each_micro_batch");
        CHECK((d.suspect[at].probability > 0) == !staged);
    }
}

static void what_next(void) {
    CASE("next is what splits the odds most evenly, and what was not measured");
    job j = make("llama-3-8b", sharded(64));
    clg_observations seen = {.step_s = 3 * j.plan.step_s, .written = "given"};
    clg_diagnosis d = diagnose(&j, &seen);
    CHECK(d.next >= 0 || d.next_busy);
    seen.sign[CLG_SIGN_BUSY] = (clg_observed_sign){true, 0.98, "98%:util"};
    d = diagnose(&j, &seen);
    CHECK(!d.next_busy && d.next >= 0);
    seen.bus[seen.buses++] = (clg_observed_bus){CLG_ALL_REDUCE, 8, 1e9, 20e9};
    d = diagnose(&j, &seen);
    CHECK(place_of(&d, "network_bandwidth") == 0);
    CHECK(d.next < 0 || !d.suspect[d.next].tells_bus || d.suspect[d.next].bus_inside);
    CASE("nothing of a job that is well");
    clg_observations well = {.step_s = j.plan.step_s, .written = "as planned"};
    d = diagnose(&j, &well);
    CHECK(d.next < 0 && !d.next_busy);
}

int main(void) {
    found_again();
    priors();
    two_sizes();
    signs();
    timed_inside();
    looped_experts();
    counts();
    as_planned();
    impossible();
    out_of_reach();
    written();
    once_faster();
    lines_of_logs();
    pipelines();
    what_next();
    return DONE;
}
