/* calibration.c -- what moved, from, to, with what residual, over what range. */
#include "report_recorded/calibration.h"

#include "report_recorded/learned_report.h"

static void print_term(clg_text *t, const clg_fit_term *term) {
    const char *unit = term->unit_si == 1 ? "" : term->unit;
    clg_text_pad(t, term->name, 22, false);
    clg_text_print(t, "%11.4g %-3s", term->from / term->unit_si, unit);
    if (term->held) {
        clg_text_print(t, "      held  %s\n", term->held);
        return;
    }
    clg_text_print(t, "%10.4g %-3s", term->to / term->unit_si, unit);
    if (term->from > 0)
        clg_text_print(t, "%+7.1f %%", 100 * (term->to / term->from - 1));
    else
        clg_text_print(t, "     new ");
    if (term->tied) clg_text_print(t, "  in proportion with %s", term->tied);
    clg_text_print(t, "\n");
}

static void print_residuals(clg_text *t, const clg_terms_fit *f) {
    clg_text_print(t, "  error      median %.1f %% -> %.1f %%, P90 %.1f %% -> %.1f %%\n",
                   clg_percent_of_log(f->before.median), clg_percent_of_log(f->after.median),
                   clg_percent_of_log(f->before.p90), clg_percent_of_log(f->after.p90));
    if (f->held_out.samples > 0)
        clg_text_print(
            t, "  left out   median %.1f %%, P90 %.1f %% on %d samples the fit had not seen\n",
            clg_percent_of_log(f->held_out.median), clg_percent_of_log(f->held_out.p90),
            f->held_out.samples);
}

static void print_calibration(clg_text *t, const clg_calibration *c) {
    clg_text_print(t, "%s%s%s of %s: %d sample%s\n", c->title, *c->part ? ", " : "", c->part,
                   c->base, c->fit.after.samples, c->fit.after.samples == 1 ? "" : "s");
    clg_text_print(t, "  range      %s\n", c->range);
    print_residuals(t, &c->fit);
    clg_text_print(t, "\n  term                         was        fitted     change\n");
    for (int i = 0; i < c->terms; i++) {
        clg_text_print(t, "  ");
        print_term(t, &c->term[i]);
    }
    clg_text_print(t, "  sigma                 %11.4g    %10.4g\n", c->sigma_from, c->sigma_to);
    size_t from = t->size;
    if (c->notes) clg_text_print(t, "  note: %s\n", c->notes);
    clg_text_fold(t, from, 8);
    clg_text_print(t, "\n");
}

void clg_report_calibrated(clg_text *t, const clg_calibrated *calibrated) {
    for (int i = 0; i < calibrated->count; i++) print_calibration(t, &calibrated->list[i]);
    if (calibrated->job) clg_report_learned(t, calibrated->job);
    for (int i = 0; i < calibrated->reasons; i++)
        clg_text_print(t, "left out  %d: %s\n", calibrated->left_out[i].count,
                       calibrated->left_out[i].why);
    for (int i = 0; i < calibrated->files; i++)
        clg_text_print(t, "written   %s; use it with --%s %s\n", calibrated->file[i],
                       calibrated->knob[i], calibrated->file[i]);
    if (calibrated->files == 0)
        clg_text_print(t, "Nothing was written: --out FILE keeps it as an overlay.\n");
}

static void add_residual(clg_json_writer *w, const char *key, const clg_residual *r) {
    if (r->samples == 0) {
        clg_json_add_null(w, key);
        return;
    }
    clg_json_open(w, key, '{');
    clg_json_add_integer(w, "samples", r->samples);
    clg_json_add_number(w, "median_log_error", r->median);
    clg_json_add_number(w, "p90_log_error", r->p90);
    clg_json_close(w, '}');
}

static void add_term(clg_json_writer *w, const clg_fit_term *t) {
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "name", t->name);
    clg_json_add_string(w, "unit", t->unit);
    clg_json_add_number(w, "from", t->from / t->unit_si);
    clg_json_add_number(w, "to", t->to / t->unit_si);
    clg_json_add_bool(w, "fitted", t->held == NULL);
    clg_json_add_string(w, "held", t->held);
    clg_json_add_string(w, "in_proportion_with", t->tied);
    clg_json_close(w, '}');
}

static void add_calibration(clg_json_writer *w, const clg_calibration *c) {
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "knob", c->knob);
    clg_json_add_string(w, "part", *c->part ? c->part : NULL);
    clg_json_add_string(w, "base", c->base);
    clg_json_add_integer(w, "samples", c->fit.after.samples);
    clg_json_add_string(w, "range", c->range);
    add_residual(w, "before", &c->fit.before);
    add_residual(w, "after", &c->fit.after);
    add_residual(w, "held_out", &c->fit.held_out);
    clg_json_add_number(w, "sigma_from", c->sigma_from);
    clg_json_add_number(w, "sigma_to", c->sigma_to);
    clg_json_open(w, "terms", '[');
    for (int i = 0; i < c->terms; i++) add_term(w, &c->term[i]);
    clg_json_close(w, ']');
    clg_json_add_string(w, "notes", c->notes);
    clg_json_close(w, '}');
}

void clg_json_calibrated(clg_json_writer *w, const clg_calibrated *calibrated) {
    clg_json_open_answer(w, NULL, "fit");
    clg_json_add_string(w, "gpu", calibrated->gpu);
    clg_json_open(w, "fits", '[');
    for (int i = 0; i < calibrated->count; i++) add_calibration(w, &calibrated->list[i]);
    clg_json_close(w, ']');
    if (calibrated->job) clg_json_learned(w, calibrated->job);
    clg_json_open(w, "left_out", '[');
    for (int i = 0; i < calibrated->reasons; i++) {
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "why", calibrated->left_out[i].why);
        clg_json_add_integer(w, "samples", calibrated->left_out[i].count);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
    clg_json_open(w, "written", '[');
    for (int i = 0; i < calibrated->files; i++) clg_json_add_string(w, NULL, calibrated->file[i]);
    clg_json_close(w, ']');
    clg_json_close(w, '}');
}
