/* least.c -- lower bounds of a step that know its stages, much cheaper than placing them. */
#include "evaluate/composition.h"

#include <math.h>

/* One micro-batch of all passes of a stage. */
static double passes_s(const stage *s) {
    double seconds = 0;
    for (int p = 0; p < CLG_PASSES; p++) seconds += clg_pass_s(&s->pass[p]);
    return seconds;
}

static double sure_host_s(const composition *c) {
    const clg_stack *stack = &c->scenario->stack;
    double calls = (double)c->layout->accumulation * c->layout->vpp;
    return stack->host.step_s + calls * stack->host.micro_batch_s + c->scenario->data_loading_s;
}

double clg_least_of_stage_s(const composition *c, const stage *s) {
    double seconds = (double)c->layout->accumulation * passes_s(s) + sure_host_s(c);
    return seconds * (1 + clg_straggler_share(c->scenario, c->layout));
}

/* What does not hide, and what both lose beside each other, as in clg_pass_hide. Of one micro-batch
 * a step that is much of the pass, of many little. */
double clg_update_exposed_s(double seconds, double share, double window_s, const clg_stack *stack) {
    double hidden = fmin(seconds * share, window_s / stack->overlap.traffic_slowdown);
    return seconds - hidden + hidden * (stack->overlap.slowdown - 1);
}

double clg_largest_optimizer_s(const composition *c) {
    double most = 0;
    for (int i = 0; i < c->layout->pp; i++)
        if (c->stages[i].optimizer_s > most) most = c->stages[i].optimizer_s;
    return most;
}

/* Sends of one stage and micro-batch; a V turns round inside its end stages. */
static int sends_at_least(const clg_layout *layout, int index) {
    if (index > 0 && index < layout->pp - 1) return 2 * layout->vpp;
    return layout->vpp > 1 ? 2 * layout->vpp - 2 : 1;
}

/* Stage i does all its passes; before its first one forwards have to come down to it, after its
 * last one either its own reduction follows or, where a backward is not split, whole backwards go
 * up again. Sends delay those ways, and occupy a stage where they block. Stage 0 starts at once:
 * what it waits for its weights is not hidden by a fill. */
double clg_least_step_s(const composition *c) {
    double most = 0, down = 0, up = 0, m = (double)c->layout->accumulation;
    double fewest_s = INFINITY; /* passes of a stage without waiting for its shards */
    const clg_stack *stack = &c->scenario->stack;
    bool both_ways = c->schedule->weight_copies > 1 || c->schedule->crosses_steps,
         split = c->schedule->splits_backward;
    int edge = c->layout->pp - 1;
    for (int i = 0; i < c->layout->pp; i++) {
        const stage *s = &c->stages[i];
        double work = passes_s(s), waits = 0;
        for (int p = 0; p < CLG_PASSES; p++) waits += s->pass[p].exposed_s[CLG_AXIS_DP];
        fewest_s = fmin(fewest_s, work - waits);
        double seconds = m * work;
        if (!stack->overlap.send && !both_ways && edge > 0)
            seconds += (m * sends_at_least(c->layout, i) - 1) * c->inside_s;
        double reduction =
            clg_update_exposed_s(s->gradient_s, s->gradient_share, s->gradient_window_s, stack) +
            s->scatter_tail_s;
        double after = !both_ways && !split && up > reduction ? up : reduction;
        if (down + seconds + after > most) most = down + seconds + after;
        if (both_ways) continue; /* starts at both ends */
        down += c->forward_s[i] + c->inside_s;
        up += c->backward_input_s[i] + c->backward_weight_s[i] + c->inside_s;
    }
    const stage *first = &c->stages[0];
    double early = clg_update_exposed_s(first->parameter_s, first->parameter_share,
                                        first->parameter_window_s, stack);
    double host = sure_host_s(c);
    double sure = most + early + clg_largest_optimizer_s(c) + host;
    return sure * (1 + clg_straggler_share(c->scenario, c->layout)) +
           (m * fewest_s + host) * clg_shard_wait_share(c->scenario, c->layout);
}
