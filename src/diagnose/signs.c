/* signs.c -- busy GPUs and waits of a world, and how far they are from what was seen. */
#include "diagnose/signs.h"

static double idle_s(const clg_evaluation *e) { return e->time.host_s + e->time.data_loading_s; }

static double meets_s(const clg_world *w, const clg_evaluation *e) {
    double waits_s = e->time.bubble_s + e->time.straggler_s + (w->meets ? w->more_s : 0);
    return clg_ledger_traffic_s(&e->time) + waits_s;
}

static bool in_seconds(int sign) { return sign == CLG_SIGN_DATA || sign == CLG_SIGN_OPTIMIZER; }

clg_signs clg_signs_of(const clg_world *w, const clg_evaluation *e) {
    double step_s = e->step_s + w->more_s;
    double idles_s = w->idles ? idle_s(w->plan) + step_s - w->plan->step_s : idle_s(e);
    clg_signs signs = {.silent = w->silent};
    signs.value[CLG_SIGN_BUSY] = step_s > 0 ? 1 - idles_s / step_s : 1;
    signs.value[CLG_SIGN_DATA] = e->time.data_loading_s + w->data_s;
    signs.value[CLG_SIGN_OPTIMIZER] = e->time.optimizer_s;
    signs.value[CLG_SIGN_COMMUNICATION] = step_s > 0 ? meets_s(w, e) / step_s : 0;
    return signs;
}

double clg_signs_agree(const clg_diagnosis_rules *rules, const clg_observations *seen,
                       const clg_signs *signs, double step_s, double (*density)(double, double)) {
    double all = 1;
    for (int i = 0; i < CLG_SIGN_MEMORY; i++) { /* that is weighed with what it bars */
        if (!seen->sign[i].seen) continue;
        double sigma = i == CLG_SIGN_DATA ? rules->measured_sigma : rules->signs_sigma;
        double apart = seen->sign[i].value - signs->value[i];
        if (in_seconds(i)) apart /= step_s;
        if (!signs->silent) all *= density(apart, sigma); /* else any share is as likely */
    }
    return all;
}
