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

/* Degrees that the row leaves blank. */
typedef struct blank_degrees {
    bool tp, cp, pp;
} blank_degrees;

static bool is_blank(const clg_csv *csv, int row, const char *column) {
    return !*clg_row_word(csv, row, column);
}

static int64_t ranks_of(const clg_space *s) {
    return (int64_t)s->tp.value[0] * s->cp.value[0] * s->pp.value[0];
}

static int schedule_of(const clg_csv *csv, int row) {
    int schedule = CLG_1F1B;
    clg_error none = {0};
    clg_name_value(clg_schedule_names, "schedule", clg_row_word(csv, row, "schedule"), &schedule,
                   &none);
    return schedule;
}

static bool interleaves(const clg_csv *csv, int row) {
    return clg_row_integer(csv, row, "vpp", 1) > 1 || schedule_of(csv, row) == CLG_INTERLEAVED;
}

/* One stage is said to run 1F1B, too. */
static bool asks_for_stages(const clg_csv *csv, int row) {
    return interleaves(csv, row) || schedule_of(csv, row) != CLG_1F1B;
}

/* Of a batch whose micro-batches are all printed. */
static double replicas_of(const clg_csv *csv, int row) {
    double sequences = clg_row_number(csv, row, "micro_batch", (double)NAN) *
                       clg_row_number(csv, row, "accumulation", (double)NAN);
    return clg_row_number(csv, row, "global_batch", (double)NAN) / sequences;
}

/* Whether the batch cannot be shared out among replicas that nothing blank splits. */
static bool splits_more(const clg_csv *csv, int row, const clg_space *space) {
    double once = clg_row_number(csv, row, "micro_batch", 1) * (double)space->gpus;
    double sums = (double)space->global_batch * (double)ranks_of(space) / once;
    if (interleaves(csv, row)) sums /= space->pp.value[0];
    return space->global_batch > 0 && !(sums >= 1 && sums == floor(sums));
}

/* `both`: matrices and layers are split by this software. */
static void give(const blank_degrees *blank, bool both, bool stages, int times, clg_space *space) {
    if (blank->pp && blank->tp && both)
        space->pp.count = space->tp.count = 0;
    else if (blank->pp && stages)
        clg_row_fix(&space->pp, times);
    else if (blank->tp)
        clg_row_fix(&space->tp, times);
    else if (blank->cp)
        clg_row_fix(&space->cp, times);
}

void clg_degrees_read(const clg_csv *csv, int row, const clg_stack *stack, clg_space *space) {
    const blank_degrees blank = {is_blank(csv, row, "tp"), is_blank(csv, row, "cp"),
                                 is_blank(csv, row, "pp")};
    bool both = clg_stack_has(stack->schedules, schedule_of(csv, row));
    bool stages = both || asks_for_stages(csv, row); /* of the user's own */
    clg_row_fix(&space->tp, clg_row_integer(csv, row, "tp", 1));
    clg_row_fix(&space->cp, clg_row_integer(csv, row, "cp", 1));
    clg_row_fix(&space->pp, clg_row_integer(csv, row, "pp", 1));
    clg_row_fix(&space->dp, clg_row_number(csv, row, "dp", (double)NAN));
    double dp = space->dp.count ? space->dp.value[0] : stages ? replicas_of(csv, row) : (double)NAN;
    double times = (double)space->gpus / (dp * (double)ranks_of(space));
    if (times >= 2 && times == floor(times)) {
        give(&blank, both, stages, (int)times, space);
        clg_row_fix(&space->dp, dp);
        return;
    }
    bool more = !space->dp.count && space->gpus > 1;
    if (more && blank.pp && asks_for_stages(csv, row)) space->pp.count = 0;
    if (more && blank.tp && splits_more(csv, row, space)) space->tp.count = 0;
}

const char *clg_degrees_other_gpus(clg_arena *arena, const clg_space *s) {
    bool open = s->tp.count == 0 || s->pp.count == 0;
    if (!s->dp.count || open || s->dp.value[0] * ranks_of(s) == s->gpus) return NULL;
    return clg_arena_print(arena, "dp %d x tp %d x cp %d x pp %d are %lld GPUs, the row has %lld",
                           s->dp.value[0], s->tp.value[0], s->cp.value[0], s->pp.value[0],
                           (long long)(s->dp.value[0] * ranks_of(s)), (long long)s->gpus);
}

static bool accumulates(int micro_batches, const clg_scenario *scenario, const clg_layout *l) {
    return scenario && l->accumulation == micro_batches;
}

/* A row that prints none of its degrees leaves all of them open, one with GPUs to spare how its
 * stages and matrices are split, a mixture without expert ranks those. What is fixed here stays as
 * the plan of software that can split nothing. */
void clg_degrees_open(const clg_csv *csv, int row, const clg_stack *stack, bool mixture,
                      clg_space *space) {
    bool some = space->tp.count == 0 || space->pp.count == 0;
    bool none = !clg_row_prints_layout(csv, row, stack);
    const struct {
        clg_axis_values *axis;
        const char *column;
        bool open;
    } all[] = {{&space->tp, "tp", none},
               {&space->sp, "sp", none || some},
               {&space->cp, "cp", none},
               {&space->ep, "ep", none},
               {&space->etp, "etp", none},
               {&space->pp, "pp", none},
               {&space->dp, "dp", none},
               {&space->vpp, "vpp", none || some},
               {&space->zero, "zero", none},
               {&space->hsdp, "shard_group", none},
               {&space->schedule, "schedule", none || some}};
    int micro_batches = (int)fmin(fmax(clg_row_number(csv, row, "accumulation", 0), 0), 1e9);
    if (space->gpus == 1 || space->global_batch < 1) return;
    if (micro_batches > 0) space->may = accumulates, space->may_context = micro_batches;
    if (mixture && is_blank(csv, row, "ep")) space->ep.count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].open && is_blank(csv, row, all[i].column)) all[i].axis->count = 0;
}
