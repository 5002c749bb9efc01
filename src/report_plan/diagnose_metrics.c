/* diagnose_metrics.c -- a diagnosis as gauges for monitoring, in Prometheus' text format 0.0.4. */
#include "report_plan/diagnose_report.h"

static void gauge(clg_text *t, const char *name, const char *help) {
    clg_text_print(t, "# HELP ceiling_%s %s\n# TYPE ceiling_%s gauge\n", name, help, name);
}

static void add(clg_text *t, const char *name, const char *label, const char *value,
                double number) {
    clg_text_print(t, "ceiling_%s", name);
    if (label) clg_text_print(t, "{%s=\"%s\"}", label, value);
    clg_text_print(t, " %.9g\n", number);
}

void clg_metrics_diagnosis(clg_text *t, const clg_evaluation *plan, const clg_observations *seen,
                           const clg_diagnosis *d) {
    if (seen->step_s > 0) {
        gauge(t, "step_seconds", "Time of a training step as measured.");
        add(t, "step_seconds", NULL, NULL, seen->step_s);
        gauge(t, "mfu_ratio", "Model FLOPs utilization of the measured step, attention in full.");
        add(t, "mfu_ratio", NULL, NULL, plan->mfu * plan->step_s / seen->step_s);
    }
    gauge(t, "expected_step_seconds",
          "Time that the step should take, with 8 chances in 10 between 10 and 90.");
    add(t, "expected_step_seconds", "percentile", "10", plan->step_p10_s);
    add(t, "expected_step_seconds", "percentile", "50", plan->step_s);
    add(t, "expected_step_seconds", "percentile", "90", plan->step_p90_s);
    gauge(t, "healthy_probability", "Chance that nothing is wrong with the job as planned.");
    add(t, "healthy_probability", NULL, NULL, d->healthy);
    gauge(t, "cause_probability", "Chance that this makes the job slow.");
    for (int i = 0; i < d->suspects; i++)
        if (!d->suspect[i].planned)
            add(t, "cause_probability", "cause", d->suspect[i].name, d->suspect[i].probability);
}
