/* learned_report.c -- predicted, measured, predicted again; which terms took the difference. */
#include "report_recorded/learned_report.h"

#include "base/normal.h"
#include "base/real.h"
#include "report/number_words.h"

#include <math.h>

double clg_percent_of_log(double log_error) { return 100 * (clg_exp(log_error) - 1); }

/* Terms that could hardly have moved the step are not shown. */
static const double SHOWN = 0.005;

static void print_term(clg_text *t, const char *name, const clg_learned_term *term) {
    double most = CLG_SIGMAS_TO_TENTH * term->after;
    if (term->before < SHOWN) return;
    clg_text_print(t, "  ");
    clg_text_pad(t, name, 24, false);
    clg_text_print(t, "+-%5.1f %%   %+6.1f %%   (%+.1f to %+.1f %%)\n",
                   clg_percent_of_log(CLG_SIGMAS_TO_TENTH * term->before),
                   clg_percent_of_log(term->moved), clg_percent_of_log(term->moved - most),
                   clg_percent_of_log(term->moved + most));
}

static void print_step(clg_text *t, const char *what, double step_s, double p10_s, double p90_s) {
    clg_text_print(
        t, "  %-10s %s (P10 %s - P90 %s)\n", what, clg_words_quantity(t, step_s, CLG_SECONDS),
        clg_words_quantity(t, p10_s, CLG_SECONDS), clg_words_quantity(t, p90_s, CLG_SECONDS));
}

void clg_report_learned(clg_text *t, const clg_learned *l) {
    double off = 100 * (l->measured_s / l->planned_s - 1);
    clg_text_print(t, "the job, a step of it:\n");
    print_step(t, "predicted", l->planned_s, l->planned_p10_s, l->planned_p90_s);
    clg_text_print(t, "  %-10s %s, %.1f %% %s than predicted\n", "measured",
                   clg_words_quantity(t, l->measured_s, CLG_SECONDS), fabs(off),
                   off < 0 ? "shorter" : "longer");
    if (l->beyond)
        clg_text_print(t,
                       "  so far off that wrong terms are unlikely to be why: 'ceiling diagnose' "
                       "with the same\n  words says what may be; fit it when it is mended\n");
    clg_text_print(t, "  %-10s %s with the stack as fitted: %+.1f %% on the prediction\n", "now",
                   clg_words_quantity(t, l->fitted_s, CLG_SECONDS),
                   100 * (l->fitted_s / l->planned_s - 1));
    if (l->beyond) {
        clg_text_print(t, "\n");
        return;
    }
    print_step(t, "run again", l->step_s, l->p10_s, l->p90_s);
    clg_text_print(t, "\n  of the step             was open    moved by    now (P10 to P90)\n");
    for (int i = 0; i < CLG_DOUBT_TERMS; i++)
        print_term(t, clg_name_of(clg_doubt_names, i), &l->term[i]);
    print_term(t, "this plan alone", &l->own);
    clg_text_print(t,
                   "  One step cannot tell these apart: each takes of the difference what it was "
                   "open by.\n\n");
}

static void add_term(clg_json_writer *w, const char *name, const clg_learned_term *term) {
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "name", name);
    clg_json_add_number(w, "log_sigma_before", term->before);
    clg_json_add_number(w, "moved_log", term->moved);
    clg_json_add_number(w, "log_sigma_after", term->after);
    clg_json_close(w, '}');
}

void clg_json_learned(clg_json_writer *w, const clg_learned *l) {
    clg_json_open(w, "job", '{');
    clg_json_add_number(w, "measured_s", l->measured_s);
    clg_json_add_number(w, "planned_s", l->planned_s);
    clg_json_add_number(w, "planned_p10_s", l->planned_p10_s);
    clg_json_add_number(w, "planned_p90_s", l->planned_p90_s);
    clg_json_add_number(w, "fitted_s", l->fitted_s);
    clg_json_add_bool(w, "beyond", l->beyond);
    clg_json_add_number(w, "again_s", l->step_s);
    clg_json_add_number(w, "again_p10_s", l->p10_s);
    clg_json_add_number(w, "again_p90_s", l->p90_s);
    clg_json_open(w, "terms", '[');
    for (int i = 0; i < CLG_DOUBT_TERMS; i++)
        if (l->term[i].before > 0) add_term(w, clg_name_of(clg_doubt_names, i), &l->term[i]);
    add_term(w, "this plan alone", &l->own);
    clg_json_close(w, ']');
    clg_json_close(w, '}');
}
