/* size.c -- the plan on other GPUs. */
#include "diagnose/diagnose.h"

clg_status clg_diagnose_size(clg_arena *arena, const clg_scenario *scenario,
                             const clg_evaluation *plan, int64_t gpus, clg_evaluation *other,
                             clg_error *error) {
    clg_layout l = plan->layout;
    int64_t all = clg_layout_gpus(&l), apart = all / l.dp; /* GPUs of one data-parallel rank */
    if (gpus < apart || gpus % apart != 0 || gpus / apart > 1000000 || gpus == all)
        return clg_fail(error, CLG_BAD_INPUT, "give another size of the same job",
                        "%lld GPUs hold no whole copies of %lld, or are the job's own %lld",
                        (long long)gpus, (long long)apart, (long long)all);
    l.global_batch = l.global_batch / l.dp * (gpus / apart);
    l.dp = (int)(gpus / apart);
    if (l.hsdp >= l.dp * l.cp) l.hsdp = 0;
    const char *refused = clg_layout_refuses(arena, &scenario->model, &l);
    if (refused)
        return clg_fail(error, CLG_BAD_INPUT, "give a size that the layout allows",
                        "the job on %lld GPUs: %.200s", (long long)gpus, refused);
    return clg_evaluate(arena, scenario, &l, false, NULL, other, error);
}
