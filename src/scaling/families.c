/* families.c -- one search per family, its axes narrowed. */
#include "scaling/families.h"

/* What a family says of a degree: it is one, it is more, or it may be anything. */
typedef enum degree { ONE, MORE, ANY } degree;

static const struct {
    const char *name;      /* with gradients, or all, sharded (ZeRO-2, 3), where that tells it */
    const char *unsharded; /* without; NULL: the same */
    degree tp, pp, cp, ep;
} kinds[CLG_LAYOUT_FAMILIES] = {{"FSDP", "DP", ONE, ONE, ONE, ONE},
                                {"TP + FSDP", "TP + DP", MORE, ONE, ONE, ONE},
                                {"TP + PP", NULL, ANY, MORE, ONE, ONE},
                                {"+ CP", NULL, ANY, ANY, MORE, ONE},
                                {"+ EP", NULL, ANY, ANY, ANY, MORE}};

/* Takes a value off an axis; false: none is left. */
static bool strike(clg_axis_values *axis, int value) {
    if (axis->count == 0 || axis->except) {
        axis->except = true;
        if (axis->count < CLG_SEARCH_VALUES) axis->value[axis->count++] = value;
        return true;
    }
    int kept = 0;
    for (int i = 0; i < axis->count; i++)
        if (axis->value[i] != value) axis->value[kept++] = axis->value[i];
    axis->count = kept;
    return kept > 0;
}

static bool narrow(clg_axis_values *axis, degree wanted) {
    if (wanted == ANY) return true;
    if (wanted == MORE) return strike(axis, 1);
    bool allowed = clg_axis_allows(axis, 1);
    *axis = (clg_axis_values){.count = 1, .value = {1}};
    return allowed;
}

/* Whether software and axes leave a stage of ZeRO that FSDP is. */
static bool has_fsdp(const clg_scenario *scenario, const clg_space *space) {
    for (int zero = 2; zero <= 3; zero++)
        if (clg_stack_has(scenario->stack.shardings, (int)CLG_SHARD_ZERO + zero) &&
            clg_axis_allows(&space->zero, zero))
            return true;
    return false;
}

/* The space of a family; false: the axes asked for have none of it. */
static bool space_of(int kind, bool fsdp, clg_space *space) {
    if (kinds[kind].unsharded && fsdp && !(strike(&space->zero, 0) && strike(&space->zero, 1)))
        return false;
    return narrow(&space->tp, kinds[kind].tp) && narrow(&space->pp, kinds[kind].pp) &&
           narrow(&space->cp, kinds[kind].cp) && narrow(&space->ep, kinds[kind].ep);
}

typedef struct asked {
    const clg_scenario *scenario;
    clg_space space[CLG_LAYOUT_FAMILIES];
    clg_layout_family *family;
} asked;

static void find(void *context, int index, clg_arena *arena) {
    const asked *a = context;
    clg_layout_family *family = &a->family[index];
    clg_found found;
    clg_error error = {0};
    if (clg_search(arena, a->scenario, &a->space[index], (clg_progress){0}, &found, &error) !=
        CLG_OK)
        family->why = "no layout of it is legal here";
    else if (found.count == 0)
        family->why = "none fits";
    else {
        family->runs = true;
        family->plan = found.best[0];
    }
}

int clg_layout_families(clg_arena *arena, const clg_scenario *scenario, const clg_space *space,
                        clg_progress progress, clg_layout_family families[CLG_LAYOUT_FAMILIES]) {
    asked a = {.scenario = scenario, .family = families};
    bool mixture = clg_model_experts(&scenario->model) != NULL;
    bool fsdp = has_fsdp(scenario, space);
    int count = 0;
    for (int kind = 0; kind < CLG_LAYOUT_FAMILIES; kind++) {
        clg_space narrowed = *space;
        if ((kinds[kind].ep == MORE && !mixture) || !space_of(kind, fsdp, &narrowed)) continue;
        narrowed.keep = 1;
        narrowed.front = 0;
        narrowed.gamble = false;
        narrowed.plans_alone = true;
        a.space[count] = narrowed;
        families[count++] = (clg_layout_family){
            .name = kinds[kind].unsharded && !fsdp ? kinds[kind].unsharded : kinds[kind].name};
    }
    clg_cores_each(progress, arena, count, find, &a);
    return count;
}
