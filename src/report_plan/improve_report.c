/* improve_report.c -- which flags to change, what each number of changes brings, at which risk. */
#include "report_plan/improve_report.h"

#include "report/number_words.h"
#include "report_plan/plan_json.h"
#include "report_plan/plan_text.h"

/* One flag that differs. */
typedef struct difference {
    const char *flag, *from, *to;
} difference;

enum { DIFFERENCES = 24 };

static const char *number(clg_text *t, int64_t value) {
    return clg_arena_print(t->arena, "%lld", (long long)value);
}

static void add_number(clg_text *t, difference *d, int *count, const char *flag, int64_t from,
                       int64_t to) {
    if (from != to) d[(*count)++] = (difference){flag, number(t, from), number(t, to)};
}

static void add_name(difference *d, int *count, const char *flag, const clg_name *names, int from,
                     int to) {
    if (from != to)
        d[(*count)++] = (difference){flag, clg_name_of(names, from), clg_name_of(names, to)};
}

/* Every flag of a layout; dp and accumulation follow from the others and come last. */
static int differences(clg_text *t, const clg_layout *a, const clg_layout *b, difference *d) {
    int count = 0;
    add_name(d, &count, "recompute", clg_recompute_names, (int)a->recompute, (int)b->recompute);
    add_number(t, d, &count, "recompute-layers", a->recompute_layers, b->recompute_layers);
    add_number(t, d, &count, "micro-batch", a->micro_batch, b->micro_batch);
    add_number(t, d, &count, "zero", a->zero, b->zero);
    add_number(t, d, &count, "hsdp", a->hsdp, b->hsdp);
    add_number(t, d, &count, "tp", a->tp, b->tp);
    add_number(t, d, &count, "sp", a->sp, b->sp);
    add_number(t, d, &count, "cp", a->cp, b->cp);
    if (b->cp > 1)
        add_name(d, &count, "cp-kind", clg_context_names, (int)a->cp_kind, (int)b->cp_kind);
    add_number(t, d, &count, "ep", a->ep, b->ep);
    add_number(t, d, &count, "etp", a->etp, b->etp);
    add_number(t, d, &count, "pp", a->pp, b->pp);
    if (b->pp > 1 || a->pp > 1) {
        add_name(d, &count, "schedule", clg_schedule_names, (int)a->schedule, (int)b->schedule);
        add_number(t, d, &count, "vpp", a->vpp, b->vpp);
    }
    add_number(t, d, &count, "dp", a->dp, b->dp);
    return count;
}

static void print_step(clg_text *t, const clg_evaluation *job, const clg_improvement *i) {
    difference d[DIFFERENCES];
    int count = differences(t, &job->layout, &i->plan.layout, d);
    size_t from = t->size;
    clg_text_print(
        t,
        "%d change%s: %s+%s %% (P10 %+.1f %%, P90 %+.1f %%; faster with a chance of %s %%), "
        "step %s, chance of running out of memory %s %%\n",
        i->changes, i->changes == 1 ? "" : "s", i->tie ? "a tie, " : "",
        clg_words_share(t, i->gain), 100 * i->gain_p10, 100 * i->gain_p90,
        clg_words_share(t, i->faster), clg_words_quantity(t, i->plan.step_s, CLG_SECONDS),
        clg_words_chance_out(t, &i->plan));
    clg_text_print(t, "   ");
    for (int k = 0; k < count; k++)
        clg_text_print(t, " --%s %s (was %s)", d[k].flag, d[k].to, d[k].from);
    clg_text_print(t, "\n");
    clg_text_fold(t, from, 4);
}

/* Another format is another job, whose loss somebody must watch: it is not searched, but said. */
static void print_format(clg_text *t, const clg_gpu *gpu, const clg_layout *l) {
    bool wide = l->precision == CLG_BF16 || l->precision == CLG_FP16;
    if (wide && gpu->peak_flop_per_s[CLG_FP8] > 0)
        clg_text_print(t, "The number format is left as it is: ask again with --precision fp8.\n");
}

void clg_report_improvements(clg_text *t, const clg_gpu *gpu, const clg_evaluation *job,
                             double risk, const clg_improvements *all) {
    clg_text_print(t,
                   "as it is %s a step, %s tokens/s per GPU, MFU %s %%, chance of running out of "
                   "memory %s %%\n\n",
                   clg_words_quantity(t, job->step_s, CLG_SECONDS),
                   clg_words_grouped(t, job->tokens_per_s_per_gpu), clg_words_share(t, job->mfu),
                   clg_words_chance_out(t, job));
    for (int i = 0; i < all->count; i++) print_step(t, job, &all->step[i]);
    if (all->count == 0)
        clg_text_print(t, "No change of up to %d flags makes it 1 %% faster within the risk.\n",
                       CLG_IMPROVE_CHANGES);
    clg_text_print(t,
                   "\n%s layouts that differ from the job in up to %d flags were searched; within "
                   "a risk\nof %s %% none is faster with as few.\n",
                   clg_words_count(t, all->layouts), CLG_IMPROVE_CHANGES, clg_words_share(t, risk));
    print_format(t, gpu, &job->layout);
}

void clg_report_improvement_rows(clg_text *t, const clg_evaluation *job,
                                 const clg_improvements *all) {
    clg_text_print(t, "changes,flags,gain,gain_p10,gain_p90,faster,tie,%s0,,0,0,0,,,",
                   clg_plan_columns);
    clg_report_plan_row(t, job);
    for (int i = 0; i < all->count; i++) {
        const clg_improvement *step = &all->step[i];
        difference d[DIFFERENCES];
        int count = differences(t, &job->layout, &step->plan.layout, d);
        clg_text_print(t, "%d,", step->changes);
        for (int k = 0; k < count; k++)
            clg_text_print(t, "%s--%s %s", k > 0 ? " " : "", d[k].flag, d[k].to);
        clg_text_print(t, ",%.6g,%.6g,%.6g,%.6g,%d,", step->gain, step->gain_p10, step->gain_p90,
                       step->faster, step->tie);
        clg_report_plan_row(t, &step->plan);
    }
}

static void add_step(clg_json_writer *w, const clg_scenario *s, const clg_evaluation *job,
                     const clg_improvement *i) {
    difference d[DIFFERENCES];
    int count = differences(w->text, &job->layout, &i->plan.layout, d);
    clg_json_open(w, NULL, '{');
    clg_json_add_integer(w, "changes", i->changes);
    clg_json_add_number(w, "gain", i->gain);
    clg_json_add_number(w, "gain_p10", i->gain_p10);
    clg_json_add_number(w, "gain_p90", i->gain_p90);
    clg_json_add_number(w, "faster", i->faster);
    clg_json_add_bool(w, "tie", i->tie);
    clg_json_open(w, "flags", '[');
    for (int k = 0; k < count; k++) {
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "flag", d[k].flag);
        clg_json_add_string(w, "from", d[k].from);
        clg_json_add_string(w, "to", d[k].to);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
    clg_json_explain(w, "plan", s, &i->plan);
    clg_json_close(w, '}');
}

void clg_json_improvements(clg_json_writer *w, const clg_scenario *s, const clg_evaluation *job,
                           const clg_improvements *all) {
    clg_json_open_answer(w, NULL, "improve");
    clg_json_explain(w, "job", s, job);
    clg_json_open(w, "steps", '[');
    for (int i = 0; i < all->count; i++) add_step(w, s, job, &all->step[i]);
    clg_json_close(w, ']');
    clg_json_add_integer(w, "layouts", all->layouts);
    clg_json_close(w, '}');
}
