/* number_words.c -- numbers as words. */
#include "report/number_words.h"

#include "evaluate/interval.h"

#include <math.h>
#include <string.h>

const char *clg_words_quantity(clg_text *text, double value, clg_dimension dimension) {
    char out[48];
    clg_quantity_print(value, dimension, 3, out, sizeof out);
    return clg_arena_copy(text->arena, out, strlen(out));
}

const char *clg_words_known(clg_text *text, double value, clg_dimension dimension) {
    return value >= 0 ? clg_words_quantity(text, value, dimension) : "?";
}

const char *clg_words_seconds(clg_text *t, double seconds) {
    char out[48];
    clg_quantity_print(fabs(seconds), CLG_SECONDS, 3, out, sizeof out);
    return clg_arena_print(t->arena, "%s%s", seconds < 0 ? "-" : "", out);
}

void clg_words_seconds_column(clg_text *t, double seconds) {
    clg_text_pad(t, clg_words_seconds(t, seconds), 11, true);
}

const char *clg_words_ns(clg_text *text, int64_t ns) {
    return clg_words_quantity(text, (double)ns / 1e9, CLG_SECONDS);
}

const char *clg_words_gpu(clg_text *t, const clg_gpu *gpu) {
    if (!gpu->asked) return gpu->title;
    return clg_arena_print(t->arena, "%s ('%s' taken as %s)", gpu->title, gpu->asked, gpu->name);
}

const char *clg_words_model(clg_text *t, const clg_model *model) {
    const char *title = model->title ? model->title : model->name;
    if (!model->asked) return title;
    return clg_arena_print(t->arena, "%s ('%s' taken as %s)", title, model->asked, model->name);
}

const char *clg_words_grouped(clg_text *text, double number) {
    const char *digits = clg_arena_print(text->arena, "%.0f", number);
    clg_text out = {.arena = text->arena};
    size_t size = strlen(digits);
    for (size_t i = 0; i < size; i++) {
        if (i > 0 && (size - i) % 3 == 0 && digits[i - 1] != '-') clg_text_add(&out, ",", 1);
        clg_text_add(&out, digits + i, 1);
    }
    return out.data;
}

const char *clg_words_count(clg_text *text, int64_t count) {
    return clg_words_grouped(text, (double)count);
}

const char *clg_words_few(clg_text *t, double number) {
    return number < 999.5 ? clg_arena_print(t->arena, "%.3g", number)
                          : clg_words_grouped(t, number);
}

const char *clg_words_share(clg_text *text, double share) {
    return isfinite(share) ? clg_arena_print(text->arena, "%.1f", 100 * share) : "-";
}

static const char *above_one(clg_text *text, const char *name, int degree) {
    return degree > 1 ? clg_arena_print(text->arena, "%s%d ", name, degree) : "";
}

void clg_words_share_column(clg_text *text, double share, int width) {
    clg_text_pad(text, clg_words_share(text, share), width, true);
}

const char *clg_words_layout(clg_text *text, const clg_layout *l) {
    const char *micro =
        l->micro_batch > 1 ? clg_arena_print(text->arena, " mb%d", (int)l->micro_batch) : "";
    return clg_arena_print(text->arena, "%s%s%s%sdp%d z%d%s", above_one(text, "tp", l->tp),
                           above_one(text, "cp", l->cp), above_one(text, "ep", l->ep),
                           above_one(text, "pp", l->pp), l->dp, l->zero, micro);
}

const char *clg_words_chance(clg_text *text, double chance) {
    if (chance > 0.99) return "over 99 %";
    return chance < 0.01 ? "under 1 %" : clg_arena_print(text->arena, "%.0f %%", 100 * chance);
}

const char *clg_words_chance_out(clg_text *text, const clg_evaluation *evaluation) {
    double percent = 100 * clg_evaluation_chance_out(evaluation);
    if (percent > 0 && percent < 0.5) return "<1";
    if (percent < 100 && percent >= 99.5) return ">99";
    return clg_arena_print(text->arena, "%.0f", percent);
}

const char *clg_words_gb(clg_text *text, double bytes) {
    return clg_arena_print(text->arena, "%.1f GB", bytes / 1e9);
}
