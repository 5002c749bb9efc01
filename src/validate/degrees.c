/* degrees.c -- which degrees of a row are open. */
#include "validate/degrees.h"

#include "validate/row.h"

#include <math.h>

/* Software with pipelines splits models: how GPUs are split does not follow from ZeRO-1, nor from
 * expert or context ranks alone. Of others, and where all weights are sharded, it does. */
bool clg_row_prints_layout(const clg_csv *csv, int row, const clg_stack *stack) {
    static const char *const degrees[] = {"dp", "tp", "pp", "zero", "cp", "ep"};
    bool splits =
        clg_stack_has(stack->schedules, CLG_1F1B) && clg_row_number(csv, row, "zero", 0) <= 1;
    bool printed = !(clg_row_number(csv, row, "gpus", 1) > 1);
    for (int i = 0; i < (splits ? 3 : 6); i++)
        printed = printed || *clg_row_word(csv, row, degrees[i]) != 0;
    return printed;
}

static bool accumulates(int micro_batches, const clg_scenario *scenario, const clg_layout *l) {
    return scenario && l->accumulation == micro_batches;
}

/* A row that prints none of its degrees leaves all of them open, a mixture without expert ranks
 * those. What is fixed here stays as the plan of software that can split nothing. */
void clg_degrees_open(const clg_csv *csv, int row, const clg_stack *stack, bool mixture,
                      clg_space *space) {
    const struct {
        clg_axis_values *axis;
        const char *column;
    } all[] = {{&space->tp, "tp"},
               {&space->sp, "sp"},
               {&space->cp, "cp"},
               {&space->ep, "ep"},
               {&space->etp, "etp"},
               {&space->pp, "pp"},
               {&space->dp, "dp"},
               {&space->vpp, "vpp"},
               {&space->zero, "zero"},
               {&space->hsdp, "shard_group"},
               {&space->schedule, "schedule"}};
    bool printed = clg_row_prints_layout(csv, row, stack);
    int micro_batches = (int)fmin(fmax(clg_row_number(csv, row, "accumulation", 0), 0), 1e9);
    if (space->gpus == 1 || space->global_batch < 1) return;
    if (micro_batches > 0) space->may = accumulates, space->may_context = micro_batches;
    if (mixture && !*clg_row_word(csv, row, "ep")) space->ep.count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all && !printed; i++)
        if (!*clg_row_word(csv, row, all[i].column)) all[i].axis->count = 0;
}
