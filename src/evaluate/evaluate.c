/* evaluate.c -- the front door: checks, then price and compose. */
#include "evaluate/evaluate.h"

#include "evaluate/advice.h"
#include "evaluate/compose.h"
#include "schedule/schedule.h"

#include <stddef.h>

/* What layout rules cannot know: the schedule's own, and the GPU's. */
static const char *refuses(clg_arena *arena, const clg_scenario *scenario,
                           const clg_layout *layout) {
    const char *why = clg_layout_refuses(arena, &scenario->model, layout);
    if (why) return why;
    why = clg_schedule_of(layout->schedule)->refuses(clg_pipeline_of(layout));
    if (why) return why;
    return clg_scenario_refuses(arena, scenario, layout->precision);
}

clg_status clg_evaluate(clg_arena *arena, const clg_scenario *scenario, const clg_layout *layout,
                        bool detail, clg_timeline *timeline, clg_evaluation *evaluation,
                        clg_error *error) {
    const char *why = refuses(arena, scenario, layout);
    if (why) return clg_fail(error, CLG_BAD_INPUT, NULL, "%s", why);
    clg_priced *priced = clg_arena_room(arena, 1, sizeof *priced);
    clg_price_blocks(scenario, layout, NULL, priced);
    clg_wanted wanted = {.detail = detail, .timeline = timeline};
    if (clg_compose(arena, scenario, layout, priced, wanted, evaluation, error) != CLG_OK)
        return error->status;
    if (!detail) return CLG_OK;
    evaluation->caveats = clg_evaluate_caveats(arena, scenario, layout);
    clg_evaluate_networks(arena, scenario, evaluation);
    return CLG_OK;
}
