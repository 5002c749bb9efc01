/* validation_json.c -- predicted against measured runs as JSON: names and order of docs/formats.md.
 */
#include "report_accuracy/validation.h"

#include "report_accuracy/leave_out_report.h"

#include <math.h>

/* A number, or null where nothing was measured or predicted. */
static void add_known(clg_json_writer *w, const char *key, double value, bool known) {
    clg_json_add_number(w, key, known ? value : (double)NAN);
}

static void add_run(clg_json_writer *w, const clg_run *r) {
    bool predicted = r->reason == NULL, measured = r->measured_step_s > 0;
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "id", r->id);
    clg_json_add_string(w, "source", r->source);
    clg_json_add_bool(w, "held_out", r->held_out);
    clg_json_add_string(w, "verdict", predicted ? "scored" : "skipped");
    clg_json_add_string(w, "reason", r->reason);
    add_known(w, "measured_step_s", r->measured_step_s, measured);
    add_known(w, "model_flop", r->model_flop, predicted);
    add_known(w, "predicted_step_s", r->predicted.step_s, predicted);
    add_known(w, "predicted_p10_s", r->predicted.step_p10_s, predicted);
    add_known(w, "predicted_p90_s", r->predicted.step_p90_s, predicted);
    add_known(w, "error", r->error, predicted && measured);
    add_known(w, "measured_memory_bytes", r->measured_memory_bytes, r->measured_memory_bytes > 0);
    add_known(w, "predicted_memory_bytes", r->predicted_memory_bytes, predicted);
    clg_json_add_string(w, "memory_kind",
                        !predicted       ? NULL
                        : r->memory_open ? "open"
                                         : clg_name_of(clg_memory_names, (int)r->memory_kind));
    if (r->measured_fits >= 0)
        clg_json_add_bool(w, "measured_fits", r->measured_fits == 1);
    else
        clg_json_add_null(w, "measured_fits");
    if (predicted)
        clg_json_add_bool(w, "predicted_fits", r->predicted.fits);
    else
        clg_json_add_null(w, "predicted_fits");
    clg_json_close(w, '}');
}

void clg_json_errors(clg_json_writer *w, clg_errors e) {
    clg_json_add_integer(w, "rows", e.rows);
    clg_json_add_integer(w, "scored", e.scored);
    clg_json_add_number(w, "mape", e.mape);
    clg_json_add_number(w, "median_ape", e.median_ape);
    clg_json_add_number(w, "p90_ape", e.p90_ape);
    clg_json_add_number(w, "bias", e.bias);
}

static void add_score(clg_json_writer *w, const char *key, const clg_score *s) {
    clg_json_open(w, key, '{');
    clg_json_add_string(w, "source", s->source);
    clg_json_add_bool(w, "held_out", s->held_out);
    clg_json_errors(w,
                    (clg_errors){s->rows, s->scored, s->mape, s->median_ape, s->p90_ape, s->bias});
    clg_json_add_number(w, "baseline_mape", s->baseline_mape);
    clg_json_add_number(w, "coverage", s->coverage);
    clg_json_add_number(w, "memory_mape", s->memory_mape);
    clg_json_add_number(w, "memory_coverage", s->memory_coverage);
    clg_json_add_number(w, "fits_accuracy", s->fits_accuracy);
    clg_json_close(w, '}');
}

void clg_json_validation(clg_json_writer *w, const clg_validation *v,
                         const clg_leave_out *left_out) {
    clg_json_open_answer(w, NULL, "validate");
    clg_json_open(w, "rows", '[');
    for (int i = 0; i < v->runs; i++) add_run(w, &v->run[i]);
    clg_json_close(w, ']');
    clg_json_open(w, "summary", '[');
    for (int i = 0; i < v->scores; i++) add_score(w, NULL, &v->score[i]);
    clg_json_close(w, ']');
    if (v->held_out.held.rows > 0) {
        clg_json_open(w, "held_out", '{');
        add_score(w, "held", &v->held_out.held);
        add_score(w, "others", &v->held_out.others);
        clg_json_add_integer(w, "known_rows", v->held_out.known);
        clg_json_add_number(w, "known_mape", v->held_out.mape);
        clg_json_add_number(w, "known_constant_mape", v->held_out.elsewhere_mape);
        clg_json_close(w, '}');
    }
    if (left_out) {
        clg_json_open(w, "leave_out", '{');
        clg_json_leave_out(w, left_out);
        clg_json_close(w, '}');
    }
    clg_json_close(w, '}');
}
