/* diagnose_report.c -- verdict, causes with their odds, and what to measure next. */
#include "report_plan/diagnose_report.h"

#include "report/number_words.h"
#include "report_plan/plan_json.h"

#include <string.h>

/* What a text and a JSON answer are made from. */
typedef struct answer {
    clg_text *text;
    const clg_scenario *scenario;
    const clg_evaluation *plan;
    const clg_observations *seen;
    const clg_diagnosis *diagnosis;
} answer;

/* The strength as the clause wants it: "1/16", "3.2 times", "40 %". */
static const char *strength_words(clg_text *t, const clg_suspect *s) {
    const char *form = s->facts.form;
    double v = s->strength;
    if (strcmp(form, "level") == 0)
        return v >= 1 && v <= s->facts.levels ? s->facts.level[(int)v - 1] : "";
    if (strcmp(form, "share") == 0)
        return v < 2 ? clg_arena_print(t->arena, "%.0f %%", 100 / v)
                     : clg_arena_print(t->arena, v < 99 ? "1/%.2g" : "1/%.0f", v);
    if (strcmp(form, "seconds") == 0) return clg_words_quantity(t, v, CLG_SECONDS);
    if (strcmp(form, "growth") == 0) return clg_arena_print(t->arena, "%.0f %%", 100 * v);
    if (strcmp(form, "steps") == 0)
        return v < 1 ? clg_arena_print(t->arena, "%.0f %% of", 100 * v)
                     : clg_arena_print(t->arena, "%.2g times", v);
    return clg_arena_print(t->arena, "%.3g times", v);
}

/* The clause of a cause with its strength in place of {}. */
static const char *why(clg_text *t, const clg_suspect *s) {
    const char *hole = strstr(s->facts.says, "{}");
    if (s->planned) return "the plan itself waits for this: see 'ceiling explain'";
    if (!hole) return s->facts.says;
    return clg_arena_print(t->arena, "%.*s%s%s", (int)(hole - s->facts.says), s->facts.says,
                           strength_words(t, s), hole + 2);
}

/* The command with the job's numbers. */
static const char *command(clg_text *t, const answer *a, const char *pattern) {
    int per_node = a->scenario->machine.node.gpus;
    const struct {
        const char *word;
        long long value;
    } words[] = {{"2*PER_NODE", 2LL * per_node},
                 {"PER_NODE", per_node},
                 {"GPUS", (long long)clg_layout_gpus(&a->plan->layout)}};
    const char *out = pattern;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *at = strstr(out, words[i].word);
        if (at)
            out = clg_arena_print(t->arena, "%.*s%lld%s", (int)(at - out), out, words[i].value,
                                  at + strlen(words[i].word));
    }
    return out;
}

static const char *measure(clg_text *t, const clg_suspect *s) {
    if (!s->tells_bus || s->planned) return s->facts.measure;
    return clg_arena_print(t->arena, "%s: %s if all is well, %s if not", s->facts.measure,
                           clg_words_quantity(t, s->planned_bus_bytes_per_s, CLG_BYTES_PER_S),
                           clg_words_quantity(t, s->bus_bytes_per_s, CLG_BYTES_PER_S));
}

static void print_expected(const answer *a) {
    clg_text *t = a->text;
    const clg_evaluation *e = a->plan;
    clg_text_print(t, "expected %s a step (P10 %s - P90 %s), %s tokens/s per GPU, MFU %s %%\n",
                   clg_words_quantity(t, e->step_s, CLG_SECONDS),
                   clg_words_quantity(t, e->step_p10_s, CLG_SECONDS),
                   clg_words_quantity(t, e->step_p90_s, CLG_SECONDS),
                   clg_words_grouped(t, e->tokens_per_s_per_gpu), clg_words_share(t, e->mfu));
    size_t from = t->size;
    if (a->seen->step_s > 0)
        clg_text_print(t, "measured %s a step (%s), %.3g times as long\n",
                       clg_words_quantity(t, a->seen->step_s, CLG_SECONDS), a->seen->written,
                       a->seen->step_s / e->step_s);
    clg_text_fold(t, from, 9);
    if (a->seen->count_s > 0)
        clg_text_print(t, "counted  %s beside it: %.3g of what this step makes\n",
                       a->seen->count_written, a->seen->step_s / a->seen->count_s);
    if (a->seen->before_s > 0)
        clg_text_print(t, "before   %s a step (%s): %.3g times as long now\n",
                       clg_words_quantity(t, a->seen->before_s, CLG_SECONDS),
                       a->seen->before_written, a->seen->step_s / a->seen->before_s);
    if (a->seen->other)
        clg_text_print(t, "measured %s a step on %lld GPUs (%s), %.3g times as long as planned\n",
                       clg_words_quantity(t, a->seen->other_s, CLG_SECONDS),
                       (long long)clg_layout_gpus(&a->seen->other->layout), a->seen->other_written,
                       a->seen->other_s / a->seen->other->step_s);
    for (int i = 0; i < a->seen->buses; i++) {
        const clg_observed_bus *b = &a->seen->bus[i];
        clg_text_print(t, "measured %s of bus bandwidth, %s of %s over %d nodes\n",
                       clg_words_quantity(t, b->bus_bytes_per_s, CLG_BYTES_PER_S),
                       clg_name_of(clg_collective_names, (int)b->collective),
                       b->bytes > 0 ? clg_words_quantity(t, b->bytes, CLG_BYTES) : "large buffers",
                       b->nodes);
    }
}

static void print_signs(const answer *a) {
    const clg_observed_sign *busy = &a->seen->sign[CLG_SIGN_BUSY];
    const clg_observed_sign *data = &a->seen->sign[CLG_SIGN_DATA];
    const clg_observed_sign *memory = &a->seen->sign[CLG_SIGN_MEMORY];
    const clg_observed_sign *update = &a->seen->sign[CLG_SIGN_OPTIMIZER];
    const clg_observed_sign *met = &a->seen->sign[CLG_SIGN_COMMUNICATION];
    const double *planned = a->diagnosis->planned.value;
    if (busy->seen)
        clg_text_print(a->text, "measured GPUs busy %s %% of the time, %s %% as planned\n",
                       clg_words_share(a->text, busy->value),
                       clg_words_share(a->text, planned[CLG_SIGN_BUSY]));
    if (met->seen)
        clg_text_print(a->text, "measured %s %% of the step in collectives, %s %% as planned\n",
                       clg_words_share(a->text, met->value),
                       clg_words_share(a->text, planned[CLG_SIGN_COMMUNICATION]));
    if (update->seen)
        clg_text_print(a->text, "measured %s a step of the optimizer, %s as planned\n",
                       clg_words_quantity(a->text, update->value, CLG_SECONDS),
                       clg_words_quantity(a->text, planned[CLG_SIGN_OPTIMIZER], CLG_SECONDS));
    if (memory->seen)
        clg_text_print(a->text, "measured %s of a GPU's memory in use, %s as planned\n",
                       clg_words_quantity(a->text, memory->value, CLG_BYTES),
                       clg_words_quantity(a->text, a->plan->memory.total_bytes, CLG_BYTES));
    if (data->seen)
        clg_text_print(a->text, "measured %s a step of waiting for data\n",
                       clg_words_quantity(a->text, data->value, CLG_SECONDS));
}

static void print_verdict(const answer *a) {
    static const char *const words[] = {
        [CLG_HEALTHY] = "healthy: about as fast as this plan can be expected to run",
        [CLG_SLOW] = "slow: this plan should run faster on this machine",
        [CLG_FAST] = "fast: faster than this plan should run; check what was counted, and --stack"};
    size_t from = a->text->size;
    clg_text_print(a->text, "verdict  %s (chance that nothing is wrong: %s)\n",
                   words[a->diagnosis->verdict], clg_words_chance(a->text, a->diagnosis->healthy));
    clg_text_fold(a->text, from, 9);
}

static void print_suspect(const answer *a, const clg_suspect *s) {
    clg_text *t = a->text;
    size_t from = t->size;
    clg_text_print(t, "%4s %%  %s: %s", clg_words_share(t, s->probability), s->name, why(t, s));
    if (s->explains_s > 0)
        clg_text_print(t, " (%s of the step)", clg_words_quantity(t, s->explains_s, CLG_SECONDS));
    clg_text_print(t, "\n");
    clg_text_fold(t, from, 8);
    from = t->size;
    if (s->line) clg_text_print(t, "        the log says '%s'\n", s->line);
    clg_text_fold(t, from, 8);
}

/* The one measurement that tells most, and how it goes in again. */
static void print_next(const answer *a) {
    const clg_diagnosis *d = a->diagnosis;
    clg_text *t = a->text;
    size_t from = t->size;
    if (d->next_busy) {
        clg_text_print(t,
                       "next     how busy GPUs are, %s %% as planned: less points at host or data, "
                       "as much at ranks that wait or kernels that are slow\n"
                       "         nvidia-smi --query-gpu=utilization.gpu --format=csv -l 1\n"
                       "         then again with --measured 40%%:util beside it\n",
                       clg_words_share(t, d->planned.value[CLG_SIGN_BUSY]));
    } else if (d->next >= 0) {
        const clg_suspect *s = &d->suspect[d->next];
        clg_text_print(t, "next     %s\n         %s\n", measure(t, s),
                       command(t, a, s->facts.command));
    }
    clg_text_fold(t, from, 9);
}

void clg_report_diagnosis(clg_text *t, const clg_scenario *scenario, const clg_evaluation *plan,
                          const clg_observations *seen, const clg_diagnosis *d) {
    enum { SHOWN = 5 };
    answer a = {t, scenario, plan, seen, d};
    print_expected(&a);
    print_signs(&a);
    print_verdict(&a);
    print_next(&a);
    clg_text_print(t, "\n%s\n",
                   d->verdict == CLG_HEALTHY ? "what the step waits for, or what may be wrong"
                                             : "causes, the likeliest first");
    for (int i = 0; i < d->suspects && i < SHOWN && d->suspect[i].probability >= 0.01; i++)
        print_suspect(&a, &d->suspect[i]);
    clg_text_print(t, "\nOne cause at a time is weighed; how common each is, is assumed "
                      "(ceiling show causes).\nWhat you measure goes in as a further --measured: "
                      "40GB/s:all-reduce:6, 15%%:util, 3s:data, 4s@8.\n");
}

static void add_suspect(clg_json_writer *w, const answer *a, const clg_suspect *s) {
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "name", s->name);
    clg_json_add_number(w, "probability", s->probability);
    clg_json_add_number(w, "explains_s", s->explains_s);
    clg_json_add_string(w, "why", why(a->text, s));
    clg_json_add_bool(w, "planned", s->planned);
    if (s->line) clg_json_add_string(w, "log", s->line);
    clg_json_open(w, "measure", '{');
    clg_json_add_string(w, "what", measure(a->text, s));
    clg_json_add_string(w, "command", command(a->text, a, s->facts.command));
    clg_json_close(w, '}');
    clg_json_close(w, '}');
}

static void add_speed(clg_json_writer *w, const answer *a, double step_s) {
    const clg_layout *l = &a->plan->layout;
    double tokens = clg_layout_tokens(l);
    if (step_s <= 0) {
        clg_json_add_null(w, "step_s");
        clg_json_add_null(w, "tokens_per_s_per_gpu");
        return;
    }
    clg_json_add_number(w, "step_s", step_s);
    clg_json_add_number(w, "tokens_per_s_per_gpu", tokens / step_s / (double)clg_layout_gpus(l));
}

static void add_measured(clg_json_writer *w, const answer *a) {
    clg_json_open(w, "measured", '{');
    add_speed(w, a, a->seen->step_s);
    if (a->seen->count_s > 0) clg_json_add_number(w, "counted_step_s", a->seen->count_s);
    if (a->seen->before_s > 0) clg_json_add_number(w, "before_step_s", a->seen->before_s);
    static const char *const keys[CLG_SIGNS] = {"gpu_busy", "data_wait_s", "optimizer_s",
                                                "communication_fraction", "memory_bytes"};
    for (int i = 0; i < CLG_SIGNS; i++)
        if (a->seen->sign[i].seen) clg_json_add_number(w, keys[i], a->seen->sign[i].value);
    if (a->seen->other) {
        clg_json_open(w, "other", '{');
        clg_json_add_integer(w, "gpus", clg_layout_gpus(&a->seen->other->layout));
        clg_json_add_number(w, "step_s", a->seen->other_s);
        clg_json_add_number(w, "expected_step_s", a->seen->other->step_s);
        clg_json_close(w, '}');
    }
    clg_json_open(w, "bus", '[');
    for (int i = 0; i < a->seen->buses; i++) {
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "collective",
                            clg_name_of(clg_collective_names, (int)a->seen->bus[i].collective));
        clg_json_add_integer(w, "nodes", a->seen->bus[i].nodes);
        clg_json_add_known(w, "bytes", a->seen->bus[i].bytes > 0 ? a->seen->bus[i].bytes : -1);
        clg_json_add_number(w, "bus_bytes_per_s", a->seen->bus[i].bus_bytes_per_s);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
    clg_json_close(w, '}');
}

void clg_json_diagnosis(clg_json_writer *w, const clg_scenario *scenario,
                        const clg_evaluation *plan, const clg_observations *seen,
                        const clg_diagnosis *d) {
    answer a = {w->text, scenario, plan, seen, d};
    clg_json_open_answer(w, NULL, "diagnose");
    clg_json_open(w, "expected", '{');
    add_speed(w, &a, plan->step_s);
    clg_json_add_number(w, "step_p10_s", plan->step_p10_s);
    clg_json_add_number(w, "step_p90_s", plan->step_p90_s);
    clg_json_add_number(w, "mfu", plan->mfu);
    clg_json_add_number(w, "gpu_busy", d->planned.value[CLG_SIGN_BUSY]);
    clg_json_close(w, '}');
    clg_json_layout(w, &plan->layout);
    add_measured(w, &a);
    clg_json_add_string(w, "verdict", clg_name_of(clg_verdict_names, (int)d->verdict));
    clg_json_add_number(w, "healthy", d->healthy);
    if (d->next_busy)
        clg_json_add_string(w, "next", "gpu_busy");
    else if (d->next >= 0)
        clg_json_add_string(w, "next", d->suspect[d->next].name);
    clg_json_open(w, "causes", '[');
    for (int i = 0; i < d->suspects; i++)
        if (d->suspect[i].probability > 0) add_suspect(w, &a, &d->suspect[i]);
    clg_json_close(w, ']');
    clg_json_close(w, '}');
}
