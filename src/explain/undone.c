/* undone.c -- one axis halved or switched off, priced again. */
#include "explain/undone.h"

static bool to_dp(clg_layout *l) {
    l->dp *= 2;
    if (l->accumulation % 2 == 0)
        l->accumulation /= 2;
    else if (l->micro_batch % 2 == 0)
        l->micro_batch /= 2;
    else
        return false;
    return true;
}

static bool halve_tp(clg_layout *l) {
    if (l->tp % 2 != 0) return false;
    l->tp /= 2;
    l->sp = l->sp && l->tp > 1;
    return to_dp(l);
}

static bool halve_pp(clg_layout *l) {
    if (l->pp % 2 != 0) return false;
    l->pp /= 2;
    l->split = NULL; /* as even as can be on the chunks it has then */
    if (l->pp == 1) {
        l->vpp = 1;
        l->schedule = CLG_1F1B;
    }
    return to_dp(l);
}

static bool halve_cp(clg_layout *l) {
    if (l->cp % 2 != 0) return false;
    l->cp /= 2;
    return to_dp(l);
}

static bool halve_ep(clg_layout *l) {
    if (l->ep % 2 != 0) return false;
    l->ep /= 2;
    return true;
}

static bool lower_zero(clg_layout *l) {
    if (l->zero == 0) return false;
    l->zero--;
    l->hsdp = 0;
    return true;
}

static bool no_recompute(clg_layout *l) {
    if (l->recompute == CLG_RECOMPUTE_NONE) return false;
    l->recompute = CLG_RECOMPUTE_NONE;
    l->recompute_layers = 0;
    return true;
}

static bool double_micro_batch(clg_layout *l) {
    if (l->accumulation % 2 != 0) return false;
    l->micro_batch *= 2;
    l->accumulation /= 2;
    return true;
}

static bool plain_schedule(clg_layout *l) {
    if (l->schedule == CLG_1F1B || l->pp == 1) return false;
    l->schedule = CLG_1F1B;
    if (l->vpp > 1) l->split = NULL;
    l->vpp = 1;
    return true;
}

static const struct {
    const char *what;
    bool (*undo)(clg_layout *layout);
} rungs[CLG_UNDONE] = {
    {"tensor parallel halved", halve_tp},    {"pipeline halved", halve_pp},
    {"context parallel halved", halve_cp},   {"expert parallel halved", halve_ep},
    {"1f1b without chunks", plain_schedule}, {"ZeRO stage lowered", lower_zero},
    {"no recompute", no_recompute},          {"micro-batch doubled", double_micro_batch}};

int clg_undo(clg_arena *arena, const clg_scenario *scenario, const clg_layout *layout,
             clg_undone into[CLG_UNDONE]) {
    int count = 0;
    for (int i = 0; i < CLG_UNDONE; i++) {
        clg_undone *u = &into[count];
        clg_layout changed = *layout;
        clg_error error = {0};
        if (!rungs[i].undo(&changed)) continue;
        *u = (clg_undone){.what = rungs[i].what};
        if (clg_evaluate(arena, scenario, &changed, false, NULL, &u->plan, &error) != CLG_OK)
            u->illegal = clg_arena_print(arena, "%s", error.message);
        count++;
    }
    return count;
}
