/* trace_logs.c -- logs of training programs for people and as JSON. */
#include "report_recorded/trace_report.h"

#include "report_recorded/read_log.h"

void clg_report_train_logs(clg_text *t, const clg_train_logs *logs) {
    for (size_t i = 0; i < logs->count; i++) {
        clg_text_print(t, "\n");
        clg_report_log(t, &logs->log[i]);
    }
}

static void add_log(clg_json_writer *w, const clg_train_log *l) {
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "file", l->file);
    clg_json_add_string(w, "trainer", l->trainer);
    clg_json_add_integer(w, "steps", l->steps);
    clg_json_add_integer(w, "discarded", l->discarded);
    clg_json_open(w, "step_s", '{');
    clg_json_add_known(w, "p10", l->step_p10_s);
    clg_json_add_known(w, "median", l->step_median_s);
    clg_json_add_known(w, "p90", l->step_p90_s);
    clg_json_close(w, '}');
    clg_json_add_known(w, "tokens_per_s", l->tokens_per_s);
    clg_json_add_known(w, "tflop_per_s_per_gpu",
                       l->flop_per_s_per_gpu >= 0 ? l->flop_per_s_per_gpu / 1e12 : -1);
    clg_json_add_known(w, "tokens_per_s_per_gpu", l->tokens_per_s_per_gpu);
    clg_json_add_whole(w, "first_step", l->first_step);
    clg_json_add_whole(w, "last_step", l->last_step);
    clg_json_add_whole(w, "gpus", l->gpus);
    clg_json_add_whole(w, "global_batch", l->batch);
    clg_json_add_whole(w, "seq", l->seq);
    clg_json_add_bool(w, "step_from_time_stamps", l->by_clock);
    if (l->ended) clg_json_add_string(w, "end", l->ended);
    clg_json_close(w, '}');
}

void clg_json_train_logs(clg_json_writer *w, const clg_train_logs *logs) {
    clg_json_open(w, "logs", '[');
    for (size_t i = 0; i < logs->count; i++) add_log(w, &logs->log[i]);
    clg_json_close(w, ']');
}
