/* software.c -- whose software a plan assumes, and what that keeps in memory. */
#include "report_plan/plan_text.h"

#include "report/number_words.h"

void clg_report_software(clg_text *t, const clg_scenario *s) {
    const clg_stack *stack = &s->stack;
    clg_text_print(t, "software %s (%s%s%s)", stack->title, stack->name, stack->chosen ? ": " : "",
                   stack->chosen ? stack->chosen : "");
    if (stack->assumes) clg_text_print(t, ": %s", stack->assumes);
    clg_text_print(t, "\n");
}

static bool sums_gradients(const clg_stack *stack, const clg_layout *l) {
    return clg_gradients_whole(l, stack) && l->dp * l->cp > 1;
}

/* When they are reduced, where that is not beside the last backward. */
static const char *reduced(const clg_stack *stack, const clg_layout *l) {
    if (sums_gradients(stack, l)) return ", whole until they are reduced once a step";
    if (l->zero == 2 && stack->traffic.scatters == CLG_SCATTERS_SUMS)
        return ", all-reduced in every backward";
    return l->zero >= 2 ? ", scattered in every backward" : "";
}

static bool is_latent(const clg_model *m) {
    for (int i = 0; i < m->kinds; i++)
        if (m->kind[i].attention.kind == CLG_ATTENTION_LATENT) return true;
    return false;
}

int clg_software_keeps(clg_arena *arena, const clg_scenario *s, const clg_layout *l,
                       const char *says[CLG_SOFTWARE_KEEPS]) {
    const clg_stack *k = &s->stack;
    bool single = clg_precision_is_single(l->precision), full = l->recompute == CLG_RECOMPUTE_FULL;
    bool narrow = clg_precision_bytes(l->precision) < 2;
    bool sends = l->pp > 1;
    const char *gradient = clg_name_of(clg_precision_names, (int)(single ? CLG_FP32 : k->gradient));
    const char *moments = k->moments == CLG_PRECISIONS
                              ? "moments as the optimizer has them"
                              : clg_arena_print(arena, "moments in %s",
                                                clg_name_of(clg_precision_names, (int)k->moments));
    const struct {
        bool so;
        const char *says;
    } all[] = {
        {true, clg_arena_print(arena, "gradients in %s%s", gradient, reduced(k, l))},
        {!single, k->precision.master_weights ? "fp32 masters" : "no fp32 masters"},
        {true, moments},
        {!full && k->recompute.activation, "norms and activations made again in the backward"},
        {!full && k->recompute.latent && is_latent(&s->model), "latent heads made again"},
        {!full && k->recompute.experts && clg_model_experts(&s->model), "mixtures made again"},
        {narrow && k->precision.narrow_activations,
         "inputs of activations kept in 8 bit, attention's result in 12"},
        {k->memory.held_layers > 0 && l->pp > 1 && l->tp > 1,
         "the host runs ahead of sums over tensor ranks"},
        {sends,
         k->memory.kept_outputs ? "what a stage sends is kept" : "what a stage sends is freed"},
        {l->sp && k->memory.kept_gathers > 0, "gathered inputs kept"},
        {true, k->fused.cross_entropy ? "loss without fp32 logits" : "loss with fp32 logits"},
        {l->offload, "states on the host"}};
    int count = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].so) says[count++] = all[i].says;
    return count;
}

void clg_report_keeps(clg_text *t, const clg_scenario *s, const clg_layout *l) {
    const char *says[CLG_SOFTWARE_KEEPS];
    size_t from = t->size;
    int count = clg_software_keeps(t->arena, s, l, says);
    clg_text_print(t, "  assumed: ");
    for (int i = 0; i < count; i++) clg_text_print(t, "%s%s", i > 0 ? "; " : "", says[i]);
    clg_text_print(t, "\n");
    clg_text_fold(t, from, 11);
}
