/* measure_report.c -- the list of measurements, with what is known before and after each. */
#include "report_recorded/measure_report.h"

#include "report/number_words.h"

static const clg_name kinds[] = {{"products", CLG_MEASURE_PRODUCTS, NULL},
                                 {"memory-bound", CLG_MEASURE_STREAMS, NULL},
                                 {"collectives", CLG_MEASURE_COLLECTIVES, NULL},
                                 {"layer", CLG_MEASURE_LAYER, NULL},
                                 {"step", CLG_MEASURE_STEP, NULL},
                                 {NULL, 0, NULL}};

static const char *collectives(clg_text *t, const clg_measurement *m) {
    const char *words = "";
    int count = 0;
    for (int i = 0; i < CLG_COLLECTIVES; i++) count += m->collective[i];
    if (count > 2) return "collectives";
    for (int i = 0; i < CLG_COLLECTIVES; i++)
        if (m->collective[i])
            words = clg_arena_print(t->arena, "%s%s%s", words, *words ? ", " : "",
                                    clg_name_of(clg_collective_names, i));
    return words;
}

static const char *what(clg_text *t, const clg_measure_ask *ask, const clg_agenda *a,
                        const clg_measurement *m) {
    clg_arena *arena = t->arena;
    switch (m->kind) {
    case CLG_MEASURE_PRODUCTS:
        return "matrix products of the plan's shapes";
    case CLG_MEASURE_STREAMS:
        return "memory-bound kernels of its sizes";
    case CLG_MEASURE_LAYER:
        return "one layer, operation by operation";
    case CLG_MEASURE_COLLECTIVES:
        return clg_arena_print(arena, "%s: %d ranks, %d a node", collectives(t, m), m->group.ranks,
                               m->group.per_domain);
    case CLG_MEASURE_STEP:
    default:
        if (ask->plans == 1) return clg_arena_print(arena, "%d steps", a->steps);
        return clg_arena_print(arena, "%d steps of plan %d, dp%d", a->steps, m->plan + 1,
                               m->layout.dp);
    }
}

static const char *seconds(clg_text *t, double s) { return clg_words_quantity(t, s, CLG_SECONDS); }

static const char *interval(clg_text *t, const clg_known *k) {
    return clg_arena_print(t->arena, "%s to %s", seconds(t, k->p10_s), seconds(t, k->p90_s));
}

static void heading(clg_text *t, const clg_measure_ask *ask, const clg_agenda *a) {
    const clg_scenario *s = ask->scenario;
    clg_text_print(t, "machine  %s, %d GPUs, %d per node, %s\n", clg_words_gpu(t, &s->machine.gpu),
                   (int)clg_layout_gpus(&ask->plan[0].layout), s->machine.node.gpus,
                   s->machine.fabric.title);
    for (int i = 0; i < ask->plans; i++) {
        char layout[160];
        clg_layout_print(&ask->plan[i].layout, layout, sizeof layout);
        clg_text_print(t, "%-8s %s: %s a step\n", i == 0 ? (ask->plans > 1 ? "plans" : "plan") : "",
                       layout, seconds(t, ask->plan[i].step_s));
    }
    clg_text_print(t, "now      %s, P10 to P90", interval(t, &a->now));
    if (ask->plans > 1)
        clg_text_print(t, "; the first is the better one with %.0f %%", 100 * a->now.right);
    clg_text_print(t, "\n");
    size_t from = t->size;
    clg_text_print(t, "doubt   ");
    size_t words = t->size;
    for (int i = 0; i < CLG_DOUBT_TERMS; i++)
        if (a->share[i] >= 0.005)
            clg_text_print(t, "%s %s %.0f %%", t->size > words ? "," : "",
                           clg_name_of(clg_doubt_names, i), 100 * a->share[i]);
    clg_text_print(t, "%s the plan's own %.0f %%\n", t->size > words ? "," : "",
                   100 * a->own_share);
    clg_text_fold(t, from, 9);
}

static void outcome(clg_text *t, const clg_measure_ask *ask, const clg_known *k) {
    if (ask->plans > 1)
        clg_text_print(t, " %5.0f %% %7.2f %%\n", 100 * k->right, 100 * k->regret);
    else
        clg_text_print(t, "  %s\n", interval(t, k));
}

static void line(clg_text *t, const clg_measure_ask *ask, const clg_agenda *a,
                 const clg_measurement *m, int number) {
    clg_text_print(t, "%2d ", number);
    clg_text_pad(t, what(t, ask, a, m), 47, false);
    clg_text_print(t, "%6d %5d %9s %7.2f", m->gpus, m->nodes, seconds(t, m->seconds),
                   m->gpu_s / 3600);
}

static void total(clg_text *t, const clg_agenda *a) {
    double s = 0, gpu_s = 0;
    for (int i = 0; i < a->count; i++) s += a->chosen[i].seconds, gpu_s += a->chosen[i].gpu_s;
    clg_text_print(t, "%-61s %9s %7.2f\n", "   together", seconds(t, s), gpu_s / 3600);
}

/* Why the list is empty, or ends. */
static void ending(clg_text *t, const clg_measure_ask *ask, const clg_agenda *a) {
    if (a->count == 0)
        clg_text_print(t, "\nNothing that fits into %s on %d GPUs takes 2 %% of the doubt away.\n",
                       seconds(t, ask->budget_s), ask->most_gpus);
    if (a->not_fitting > 0)
        clg_text_print(t,
                       "left out %d: steps on fewer nodes, which do not fit in memory there or "
                       "cannot be split so\n",
                       a->not_fitting);
}

void clg_report_agenda(clg_text *t, const clg_measure_ask *ask, const clg_agenda *a) {
    heading(t, ask, a);
    if (a->count > 0)
        clg_text_print(t, "\n%-50s%6s %5s %9s %7s%s\n", "   measure", "GPUs", "nodes", "time",
                       "GPU-h", ask->plans > 1 ? "  right    lost" : "  then, P10 to P90");
    for (int i = 0; i < a->count; i++) {
        line(t, ask, a, &a->chosen[i], i + 1);
        outcome(t, ask, &a->after[i]);
    }
    if (a->count > 0) total(t, a);
    if (ask->plans > 1 && a->count > 0)
        clg_text_print(t,
                       "\nright: chance that the better of the first plan and its closest rival is "
                       "then taken (of the\nfirst as it stands: above); lost: speed that choosing "
                       "wrongly costs on average.\n");
    ending(t, ask, a);
}

static void add_known(clg_json_writer *w, const char *key, const clg_measure_ask *ask,
                      const clg_known *k) {
    clg_json_open(w, key, '{');
    clg_json_add_number(w, "step_p10_s", k->p10_s);
    clg_json_add_number(w, "step_p90_s", k->p90_s);
    clg_json_add_number(w, "log_sigma", k->log_sigma);
    if (ask->plans > 1) {
        clg_json_add_number(w, "right", k->right);
        clg_json_add_number(w, "lost", k->regret);
        clg_json_add_integer(w, "rival", k->rival);
    }
    clg_json_close(w, '}');
}

static void add_measurement(clg_json_writer *w, const clg_measure_ask *ask, const clg_agenda *a,
                            const clg_measurement *m, const char *key, const clg_known *k) {
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "what", clg_name_of(kinds, (int)m->kind));
    clg_json_add_string(w, "words", what(w->text, ask, a, m));
    clg_json_add_integer(w, "gpus", m->gpus);
    clg_json_add_integer(w, "nodes", m->nodes);
    clg_json_add_number(w, "seconds", m->seconds);
    clg_json_add_number(w, "gpu_h", m->gpu_s / 3600);
    if (m->kind == CLG_MEASURE_COLLECTIVES) {
        clg_json_add_integer(w, "ranks", m->group.ranks);
        clg_json_add_integer(w, "per_domain", m->group.per_domain);
        clg_json_add_number(w, "least_bytes", m->least_bytes);
        clg_json_add_number(w, "most_bytes", m->most_bytes);
    }
    if (m->kind == CLG_MEASURE_STEP) {
        clg_json_add_integer(w, "plan", m->plan);
        clg_json_add_number(w, "step_s", m->step_s);
    }
    add_known(w, key, ask, k);
    clg_json_close(w, '}');
}

static void add_doubts(clg_json_writer *w, const clg_agenda *a) {
    clg_json_open(w, "doubts", '[');
    for (int i = 0; i <= CLG_DOUBT_TERMS; i++) {
        bool own = i == CLG_DOUBT_TERMS;
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "term", own ? "the plan's own" : clg_name_of(clg_doubt_names, i));
        clg_json_add_number(w, "share", own ? a->own_share : a->share[i]);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}

static void add_plans(clg_json_writer *w, const clg_measure_ask *ask) {
    clg_json_open(w, "plans", '[');
    for (int i = 0; i < ask->plans; i++) {
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "layout", clg_words_layout(w->text, &ask->plan[i].layout));
        clg_json_add_number(w, "step_s", ask->plan[i].step_s);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}

void clg_json_agenda(clg_json_writer *w, const clg_measure_ask *ask, const clg_agenda *a) {
    clg_json_open_answer(w, NULL, "measure");
    clg_json_add_string(w, "gpu", ask->scenario->machine.gpu.name);
    clg_json_add_integer(w, "gpus", clg_layout_gpus(&ask->plan[0].layout));
    clg_json_add_number(w, "budget_s", ask->budget_s);
    add_plans(w, ask);
    add_known(w, "now", ask, &a->now);
    add_doubts(w, a);
    clg_json_open(w, "measurements", '[');
    for (int i = 0; i < a->count; i++)
        add_measurement(w, ask, a, &a->chosen[i], "then", &a->after[i]);
    clg_json_close(w, ']');
    clg_json_open(w, "candidates", '[');
    for (int i = 0; i < a->candidates; i++)
        add_measurement(w, ask, a, &a->all[i], "alone", &a->alone[i]);
    clg_json_close(w, ']');
    clg_json_add_integer(w, "not_fitting", a->not_fitting);
    clg_json_close(w, '}');
}
