/* bound.c -- a lower bound of a step in constant time.
 *
 * Two facts hold for every schedule: the busiest stage does at least the mean work of all stages
 * for every micro-batch; and the stage that holds depth p-1 first cannot start before a forward has
 * passed p-1 chunks, nor may the step end before its last input gradient has passed back through
 * them. Gathers, reductions and sends are left out, which only lowers the bound. */
#include "evaluate/compose.h"

#include <math.h>

/* Seconds of all layers, embedding and head in the given passes, one micro-batch. */
static double model_s(const clg_scenario *scenario, const clg_priced *priced, const int *layers,
                      const clg_pass *passes, int count) {
    double seconds = 0;
    for (int i = 0; i < count; i++) {
        for (int kind = 0; kind < scenario->model.kinds; kind++)
            seconds += layers[kind] * clg_pass_s(&priced->layer[kind][passes[i]]);
        seconds += clg_pass_s(&priced->embedding[passes[i]]);
        seconds += clg_pass_s(&priced->head[passes[i]]);
    }
    return seconds;
}

static double cheapest_layer_s(const clg_scenario *scenario, const clg_priced *priced,
                               const clg_pass *passes, int count) {
    double least = 0;
    for (int kind = 0; kind < scenario->model.kinds; kind++) {
        double seconds = 0;
        for (int i = 0; i < count; i++) seconds += clg_pass_s(&priced->layer[kind][passes[i]]);
        if (kind == 0 || seconds < least) least = seconds;
    }
    return least;
}

double clg_compose_bound_s(const clg_scenario *scenario, const clg_layout *layout,
                           const clg_priced *priced) {
    static const clg_pass sure[] = {CLG_PASS_FORWARD, CLG_PASS_BACKWARD_INPUT,
                                    CLG_PASS_BACKWARD_WEIGHT};
    static const clg_pass chain[] = {CLG_PASS_FORWARD, CLG_PASS_BACKWARD_INPUT};
    const int *layers = priced->layers_of_kind;
    const clg_model *model = &scenario->model;
    double mean = model_s(scenario, priced, layers, sure, 3) / layout->pp;
    if (layout->recompute == CLG_RECOMPUTE_FULL && layout->recompute_layers == 0) {
        static const clg_pass again[] = {CLG_PASS_RECOMPUTE};
        mean += model_s(scenario, priced, layers, again, 1) / layout->pp;
    }
    int chunks = layout->pp * layout->vpp;
    int before = layout->pp > 1 ? (layout->pp - 1) * (model->layers / chunks) : 0;
    double fill = before * cheapest_layer_s(scenario, priced, chain, 2);
    /* The mean need not be the work of the stage behind the fill: only one of the two is sure. */
    double work = (double)layout->accumulation * mean;
    double layer_s = cheapest_layer_s(scenario, priced, sure, 3);
    double behind = (double)layout->accumulation * layout->vpp * (model->layers / chunks) * layer_s;
    return fmax(work, behind + fill) + scenario->stack.host_step_s;
}
