/* A network that nobody named: taken, widened for, said. */
#include "plan.h"
#include "test.h"

int main(void) {
    clg_arena arena = {0};
    clg_error error = {0};
    clg_scenario s = plan_scenario(&arena, "llama-3-8b", "a100-sxm-80gb", "fsdp-2024", 64);
    clg_layout l = plan_layout(4096);
    clg_evaluation named, open;
    l.dp = 64, l.zero = 3, l.global_batch = 64, l.recompute = CLG_RECOMPUTE_FULL;
    CHECK(clg_evaluate(&arena, &s, &l, true, NULL, &named, &error) == CLG_OK);
    s.machine.fabric.assumed = true;
    CHECK(clg_evaluate(&arena, &s, &l, true, NULL, &open, &error) == CLG_OK);
    CASE("the step is that of the reference box, the interval wider, and the caveat says so");
    CHECK(open.step_s == named.step_s && named.doubt.open == 0);
    CHECK(open.doubt.open > 0 && open.step_p90_s > named.step_p90_s);
    CHECK(open.caveats && strstr(open.caveats, "12.5 Gbit/s per GPU"));
    CHECK(!named.caveats || !strstr(named.caveats, "no network named"));
    CASE("inside one box there is no network to name");
    s.machine.gpus = 8;
    l.dp = 8, l.global_batch = 8;
    CHECK(clg_evaluate(&arena, &s, &l, true, NULL, &open, &error) == CLG_OK);
    CHECK(open.doubt.open == 0);
    clg_arena_clear(&arena);
    return DONE;
}
