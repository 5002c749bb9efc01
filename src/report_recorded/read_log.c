/* read_log.c -- training logs as `read` shows them; names as in docs/formats.md. */
#include "report_recorded/read_log.h"

#include "report/number_words.h"
#include "units/units.h"

void clg_report_log(clg_text *t, const clg_train_log *l) {
    clg_text_print(t, "%.80s\n  log of %s: %d reports, the first %d discarded as warm-up\n",
                   l->file, l->trainer, l->steps, l->discarded);
    clg_text_print(t, "  step        %s, %s to %s (p10 to p90)%s\n",
                   clg_words_known(t, l->step_median_s, CLG_SECONDS),
                   clg_words_known(t, l->step_p10_s, CLG_SECONDS),
                   clg_words_known(t, l->step_p90_s, CLG_SECONDS),
                   l->by_clock ? ", from the time stamps of the lines" : "");
    clg_text_print(t, "  tokens      %s a second, %s a GPU\n",
                   clg_words_known(t, l->tokens_per_s, CLG_COUNT),
                   clg_words_known(t, l->tokens_per_s_per_gpu, CLG_COUNT));
    clg_text_print(t, "  rate        %s a GPU, as the program counts\n",
                   clg_words_known(t, l->flop_per_s_per_gpu, CLG_FLOP_PER_S));
    if (l->ended) clg_text_print(t, "  end         %s\n", l->ended);
}

static void add_change(clg_json_writer *w, const clg_train_log *l) {
    if (l->before_s < 0) {
        clg_json_add_null(w, "change");
        return;
    }
    clg_json_open(w, "change", '{');
    clg_json_add_whole(w, "step", l->change_step);
    clg_json_add_number(w, "before_s", l->before_s);
    clg_json_add_number(w, "after_s", l->after_s);
    clg_json_close(w, '}');
}

static void add_log(clg_json_writer *w, const char *key, const clg_train_log *l) {
    double flop = l->flop_per_s_per_gpu;
    clg_json_open(w, key, '{');
    clg_json_add_string(w, "file", l->file);
    clg_json_add_string(w, "format", clg_arena_print(w->text->arena, "log:%s", l->format));
    clg_json_add_integer(w, "steps", l->steps);
    clg_json_add_integer(w, "discarded", l->discarded);
    clg_json_add_integer(w, "restarts", l->restarts);
    clg_json_add_whole(w, "first_step", l->first_step);
    clg_json_add_whole(w, "last_step", l->last_step);
    clg_json_add_known(w, "step_s", l->step_median_s);
    clg_json_add_known(w, "step_p10_s", l->step_p10_s);
    clg_json_add_known(w, "step_p90_s", l->step_p90_s);
    clg_json_add_bool(w, "step_from_time_stamps", l->by_clock);
    clg_json_add_known(w, "tokens_per_s", l->tokens_per_s);
    clg_json_add_known(w, "tokens_per_s_per_gpu", l->tokens_per_s_per_gpu);
    clg_json_add_known(w, "tflop_per_s_per_gpu", flop >= 0 ? flop / 1e12 : -1);
    clg_json_add_known(w, "memory_bytes", l->memory_bytes);
    if (l->memory_bytes >= 0)
        clg_json_add_string(w, "memory_is", l->memory_reserved ? "reserved" : "allocated");
    clg_json_add_whole(w, "gpus", l->gpus);
    clg_json_add_whole(w, "global_batch", l->batch);
    clg_json_add_whole(w, "seq", l->seq);
    if (l->ended) clg_json_add_string(w, "end", l->ended);
    clg_json_add_number(w, "drift", l->drift);
    add_change(w, l);
    clg_json_close(w, '}');
}

void clg_json_add_logs(clg_json_writer *w, const clg_train_logs *logs) {
    if (logs->count > 0) add_log(w, "log", &logs->log[0]);
    if (logs->count < 2) return;
    clg_json_open(w, "logs", '[');
    for (size_t i = 0; i < logs->count; i++) add_log(w, NULL, &logs->log[i]);
    clg_json_close(w, ']');
}

void clg_json_logs(clg_json_writer *w, const clg_train_logs *logs) {
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "kind", "read");
    clg_json_add_string(w, "format",
                        clg_arena_print(w->text->arena, "log:%s", logs->log[0].format));
    clg_json_open(w, "files", '[');
    for (size_t i = 0; i < logs->count; i++) clg_json_add_string(w, NULL, logs->log[i].file);
    clg_json_close(w, ']');
    clg_json_add_logs(w, logs);
    clg_json_close(w, '}');
}

/* ---- for people ---- */

static void print_steadiness(clg_text *t, const clg_train_log *l) {
    if (l->restarts > 0)
        clg_text_print(t, "  restarts    %d: the first step after each is not counted\n",
                       l->restarts);
    if (l->before_s >= 0)
        clg_text_print(t, "  changes     from step %lld: %s before, %s after\n",
                       (long long)l->change_step, clg_words_known(t, l->before_s, CLG_SECONDS),
                       clg_words_known(t, l->after_s, CLG_SECONDS));
    if (l->drift > 0.02 || l->drift < -0.02)
        clg_text_print(t, "  drift       the step gets %.0f %% %s over the log\n",
                       100 * (l->drift > 0 ? l->drift : -l->drift),
                       l->drift > 0 ? "longer" : "shorter");
}

static void print_log(clg_text *t, const clg_train_log *l) {
    clg_report_log(t, l);
    clg_text_print(t, "  memory      %s at most%s\n",
                   clg_words_known(t, l->memory_bytes, CLG_BYTES),
                   l->memory_bytes < 0  ? ""
                   : l->memory_reserved ? ", reserved"
                                        : ", allocated: what is reserved is more");
    print_steadiness(t, l);
}

void clg_report_logs(clg_text *t, const clg_train_logs *logs) {
    for (size_t i = 0; i < logs->count; i++) print_log(t, &logs->log[i]);
}
