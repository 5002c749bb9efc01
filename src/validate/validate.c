/* validate.c -- predicts every row, then scores per source. */
#include "validate/validate.h"

#include "base/quantile.h"
#include "calibrate/measure.h"
#include "search/search.h"
#include "units/units.h"
#include "validate/blanks.h"
#include "validate/degrees.h"
#include "validate/notes.h"
#include "validate/row.h"
#include "validate/score.h"
#include "validate/words.h"

#include <math.h>
#include <string.h>

const char *clg_plan_read(clg_arena *arena, const clg_csv *csv, int row, clg_plan *plan) {
    const char *reason =
        clg_row_read(arena, csv, row, &plan->scenario, &plan->space, &plan->layout);
    if (!reason) plan->network_open = clg_row_network_open(arena, csv, row, &plan->scenario);
    return reason;
}

const char *clg_plan_predict(clg_arena *arena, const clg_plan *plan, clg_validate_change change,
                             const void *context, clg_scenario *scenario,
                             clg_evaluation *evaluation) {
    *scenario = plan->scenario;
    const char *reason = change ? change(context, arena, scenario) : NULL;
    if (reason) return reason;
    return clg_open_predict(arena, scenario, &plan->space, &plan->layout, plan->network_open,
                            evaluation);
}

const char *clg_validate_row(clg_arena *arena, const clg_csv *csv, int row, clg_scenario *scenario,
                             clg_evaluation *evaluation) {
    clg_plan *plan = clg_take(arena, 1, clg_plan);
    const char *reason = clg_plan_read(arena, csv, row, plan);
    return reason ? reason : clg_plan_predict(arena, plan, NULL, NULL, scenario, evaluation);
}

void clg_rows_of_tables(const clg_csv *tables, int count, const clg_csv **table, int *row) {
    for (int i = 0, at = 0; i < count; i++)
        for (int k = 0; k < tables[i].rows; k++, at++) {
            table[at] = &tables[i];
            row[at] = k;
        }
}

/* What was measured, in its own unit or, a bare number, that of the column; 0: it is not known. */
static double measured(const clg_csv *csv, int row, const char *column, clg_dimension dimension,
                       double unit) {
    clg_error none = {0};
    double value = clg_row_number(csv, row, column, 0) * unit;
    if (isnan(value) &&
        clg_quantity(clg_row_word(csv, row, column), dimension, &value, &none) != CLG_OK)
        value = 0;
    return value > 0 ? value : 0;
}

static void read_measured(const clg_csv *csv, int row, clg_run *run) {
    const char *status = clg_row_word(csv, row, "status");
    run->measured_step_s = measured(csv, row, "step_s", CLG_SECONDS, 1);
    run->published_flop_per_s = clg_row_number(csv, row, "tflops_per_gpu", 0) * 1e12;
    if (!(run->published_flop_per_s > 0)) run->published_flop_per_s = 0;
    run->measured_memory_bytes = measured(csv, row, "memory_gb", CLG_BYTES, 1e9);
    run->held_out = clg_row_number(csv, row, "held_out", 0) > 0;
    run->measured_fits = strcmp(status, "ok") == 0 ? 1 : strcmp(status, "oom") == 0 ? 0 : -1;
}

static void read_memory_kind(clg_arena *arena, const clg_csv *csv, int row, const clg_stack *stack,
                             clg_run *run) {
    const char *notes = clg_row_word(csv, row, "notes"), *said;
    int from = 0;
    run->memory_kind = stack->prints;
    run->plan_open =
        !*clg_row_word(csv, row, "micro_batch") || !*clg_notes_recompute(arena, csv, row);
    run->memory_open =
        run->plan_open || clg_words_say(arena, clg_row_word(csv, row, "derived"), "memory", &from);
    for (int at = 0; (said = clg_words_say(arena, notes, "memory", &at)) != NULL;) {
        int kind;
        clg_error error = {0};
        if (strcmp(said, "first") == 0)
            run->memory_of_first = true;
        else if (strcmp(said, "open") == 0)
            run->memory_open = true;
        else if (clg_name_value(clg_memory_names, "memory", said, &kind, &error) == CLG_OK)
            run->memory_kind = (clg_memory_kind)kind;
    }
}

static double memory_of_kind(const clg_run *run, const clg_stack *stack) {
    const clg_evaluation *e = &run->predicted;
    const clg_memory_ledger *m = run->memory_of_first ? &e->first_memory : &e->memory;
    if (run->memory_kind == CLG_MEMORY_ALLOCATED) return m->total_bytes - m->reserved_bytes;
    return m->total_bytes + (run->memory_kind == CLG_MEMORY_DEVICE
                                 ? clg_memory_outside_bytes(stack, &e->layout)
                                 : 0);
}

/* What an allocator has taken of a card that it fills is no measure of need. */
static bool fills_card(const clg_run *run, const clg_stack *stack, double full_pool) {
    bool device = run->memory_kind == CLG_MEMORY_DEVICE;
    const clg_evaluation *e = &run->predicted;
    double outside = device ? clg_memory_outside_bytes(stack, &e->layout) : 0;
    double most = e->capacity_bytes + outside;
    return run->memory_kind != CLG_MEMORY_ALLOCATED &&
           run->measured_memory_bytes >= full_pool * most;
}

static const char *group_of(clg_arena *arena, const clg_csv *csv, int row) {
    return clg_arena_print(arena, "%s %s %s", clg_row_word(csv, row, "gpu"),
                           clg_row_word(csv, row, "precision"), clg_row_word(csv, row, "kind"));
}

/* Of a row that states only how fast tokens go, at the batch it is predicted with. */
static void read_rate(const clg_csv *csv, int row, clg_run *run) {
    const clg_layout *l = &run->predicted.layout;
    double rate = measured(csv, row, "tokens_per_s_per_gpu", CLG_COUNT, 1);
    if (run->measured_step_s > 0 || rate <= 0) return;
    run->measured_step_s = clg_layout_tokens(l) / rate / (double)run->gpus;
}

/* All runs of all tables. */
typedef struct rows {
    const clg_csv **table;
    int *row;
    clg_run *run;
    int count;
    double full_pool; /* share of a GPU's memory: clg_measuring */
} rows;

static void run_row(const rows *all, int index, clg_arena *arena) {
    const clg_csv *csv = all->table[index];
    int row = all->row[index];
    clg_run *run = &all->run[index];
    clg_arena scratch = clg_arena_beside(arena);
    clg_scenario *scenario = clg_take(&scratch, 1, clg_scenario);
    run->id = clg_row_word(csv, row, "id");
    run->source = clg_row_word(csv, row, "source");
    run->date = clg_row_word(csv, row, "date");
    run->group = group_of(arena, csv, row);
    read_measured(csv, row, run);
    const char *reason = clg_validate_row(&scratch, csv, row, scenario, &run->predicted);
    if (reason) {
        run->reason = clg_arena_copy(arena, reason, strlen(reason));
    } else {
        /* Where it prints no layout one is taken, which says nothing of memory. */
        if (!clg_row_prints_layout(csv, row, &scenario->stack)) run->measured_fits = -1;
        run->stack = clg_arena_copy(arena, scenario->stack.name, strlen(scenario->stack.name));
        if (!scenario->stack.known) run->unknown_stack = clg_row_word(csv, row, "stack");
        run->predicted.stages = NULL;
        run->predicted.caveats = NULL;
        run->model_flop = run->predicted.model_flop;
        run->gpus = scenario->machine.gpus;
        read_memory_kind(arena, csv, row, &scenario->stack, run);
        run->predicted_memory_bytes = memory_of_kind(run, &scenario->stack);
        run->memory_open = run->memory_open || fills_card(run, &scenario->stack, all->full_pool);
        read_rate(csv, row, run);
        if (run->measured_step_s > 0) run->error = run->predicted.step_s / run->measured_step_s - 1;
    }
    clg_arena_clear(&scratch);
}

/* Many rows share an arena: a row leaves a few words there. */
enum { ROWS_OF_PIECE = 16 };

static void run_rows(void *context, int piece, clg_arena *arena) {
    const rows *all = context;
    int last = (piece + 1) * ROWS_OF_PIECE;
    for (int i = piece * ROWS_OF_PIECE; i < all->count && i < last; i++) run_row(all, i, arena);
}

double clg_best_rate(const clg_run *runs, const bool *counts, int count, const char *group) {
    clg_arena scratch = {0};
    double *rates = clg_take(&scratch, (size_t)count + 1, double);
    double best = 0, least = INFINITY;
    int known = 0;
    for (int i = 0; i < count; i++) {
        const clg_run *r = &runs[i];
        if (clg_run_timed(r) && counts[i] && strcmp(r->group, group) == 0)
            rates[known++] = r->model_flop / r->measured_step_s / (double)r->gpus;
    }
    for (int i = 0; i < known; i++) {
        double sum = 0;
        for (int j = 0; j < known; j++) sum += fabs(rates[j] / rates[i] - 1);
        if (sum < least) {
            least = sum;
            best = rates[i];
        }
    }
    clg_arena_clear(&scratch);
    return best;
}

/* On the rows of one source; without it, on all rows that are not held out. */
static double best_rate(const clg_validation *v, const char *source, const char *group) {
    clg_arena scratch = {0};
    bool *counts = clg_take(&scratch, (size_t)v->runs + 1, bool);
    for (int i = 0; i < v->runs; i++)
        counts[i] = source ? strcmp(v->run[i].source, source) == 0 : !v->run[i].held_out;
    double rate = clg_best_rate(v->run, counts, v->runs, group);
    clg_arena_clear(&scratch);
    return rate;
}

static void fill_baseline(clg_validation *v) {
    for (int i = 0; i < v->runs; i++) {
        clg_run *r = &v->run[i];
        if (!clg_run_timed(r) || r->baseline_step_s > 0) continue;
        double rate = best_rate(v, r->source, r->group);
        for (int j = i; j < v->runs; j++) {
            clg_run *other = &v->run[j];
            if (clg_run_timed(other) && strcmp(other->source, r->source) == 0 &&
                strcmp(other->group, r->group) == 0)
                other->baseline_step_s = other->model_flop / rate / (double)other->gpus;
        }
    }
}

/* The same model where it has not seen the rows either. */
static void fill_elsewhere(clg_validation *v) {
    clg_held_out *h = &v->held_out;
    for (int i = 0; i < v->runs; i++) {
        clg_run *r = &v->run[i];
        if (!clg_run_timed(r) || !r->held_out) continue;
        double rate = best_rate(v, NULL, r->group);
        if (!(rate > 0)) continue;
        r->elsewhere_step_s = r->model_flop / rate / (double)r->gpus;
        h->known++;
        h->mape += fabs(r->error);
        h->elsewhere_mape += fabs(r->elsewhere_step_s / r->measured_step_s - 1);
    }
    h->mape /= h->known > 0 ? h->known : (double)NAN;
    h->elsewhere_mape /= h->known > 0 ? h->known : (double)NAN;
}

/* Sums while walking the rows of one source. */
typedef struct tally {
    double absolute, signed_error, baseline, memory;
    int inside, memory_rows, memory_inside, fits_right, fits_known, baseline_rows;
} tally;

static void tally_row(const clg_run *r, tally *t) {
    if (r->reason) return;
    if (r->measured_fits >= 0) {
        t->fits_known++;
        t->fits_right += (int)r->predicted.fits == r->measured_fits;
    }
    if (clg_run_weighed(r)) {
        t->memory_rows++;
        double share = r->measured_memory_bytes / r->predicted_memory_bytes;
        double total = r->predicted.memory.total_bytes;
        t->memory += fabs(1 / share - 1);
        t->memory_inside += share >= r->predicted.memory_p10_bytes / total &&
                            share <= r->predicted.memory_p90_bytes / total;
    }
    if (!clg_run_timed(r)) return;
    t->absolute += fabs(r->error);
    t->signed_error += r->error;
    if (r->baseline_step_s > 0) {
        t->baseline_rows++;
        t->baseline += fabs(r->baseline_step_s / r->measured_step_s - 1);
    }
    t->inside += r->measured_step_s >= r->predicted.step_p10_s &&
                 r->measured_step_s <= r->predicted.step_p90_s;
}

clg_score clg_score_runs(clg_arena *arena, const clg_run *runs, const bool *counts, int count,
                         const char *name) {
    clg_score s = {.source = name, .held_out = true};
    tally t = {0};
    double *errors = clg_take(arena, (size_t)count + 1, double);
    for (int i = 0; i < count; i++) {
        const clg_run *r = &runs[i];
        if (!counts[i]) continue;
        s.rows++;
        s.held_out = s.held_out && r->held_out;
        tally_row(r, &t);
        if (clg_run_timed(r)) errors[s.scored++] = fabs(r->error);
    }
    clg_sort(errors, (size_t)s.scored);
    double n = s.scored > 0 ? s.scored : (double)NAN;
    s.mape = t.absolute / n;
    s.bias = t.signed_error / n;
    s.baseline_mape = t.baseline_rows > 0 ? t.baseline / t.baseline_rows : (double)NAN;
    s.coverage = t.inside / n;
    s.median_ape = clg_quantile(errors, s.scored, 0.5);
    s.p90_ape = clg_quantile(errors, s.scored, 0.9);
    s.memory_mape = t.memory_rows > 0 ? t.memory / t.memory_rows : (double)NAN;
    s.memory_coverage = t.memory_rows > 0 ? (double)t.memory_inside / t.memory_rows : (double)NAN;
    s.fits_accuracy = t.fits_known > 0 ? (double)t.fits_right / t.fits_known : (double)NAN;
    return s;
}

/* The rows of a total. */
static bool any_row(const clg_run *r) { return r != NULL; }
static bool held_row(const clg_run *r) { return r->held_out; }
static bool other_row(const clg_run *r) { return !r->held_out; }

/* Of one source, or where `total` is given of all its rows under that name. */
static clg_score score_rows(clg_arena *arena, const clg_validation *v, const char *source,
                            bool (*total)(const clg_run *)) {
    bool *counts = clg_take(arena, (size_t)v->runs + 1, bool);
    for (int i = 0; i < v->runs; i++)
        counts[i] = total ? total(&v->run[i]) : strcmp(v->run[i].source, source) == 0;
    return clg_score_runs(arena, v->run, counts, v->runs, source);
}

static void fill_scores(clg_arena *arena, clg_validation *v) {
    const char **sources = clg_take(arena, (size_t)v->runs + 1, const char *);
    int count = 0;
    for (int i = 0; i < v->runs; i++) {
        bool seen = false;
        for (int j = 0; j < count && !seen; j++) seen = strcmp(sources[j], v->run[i].source) == 0;
        if (!seen) sources[count++] = v->run[i].source;
    }
    v->score = clg_take(arena, (size_t)count + 1, clg_score);
    for (int j = 0; j < count; j++) v->score[v->scores++] = score_rows(arena, v, sources[j], NULL);
    v->score[v->scores++] = score_rows(arena, v, "all", any_row);
    v->held_out.held = score_rows(arena, v, "held out", held_row);
    v->held_out.others = score_rows(arena, v, "others", other_row);
}

clg_status clg_validate(clg_arena *arena, const clg_csv *tables, int count, clg_progress progress,
                        clg_validation *validation, clg_error *error) {
    clg_validation v = {0};
    for (int i = 0; i < count; i++) {
        if (tables[i].rows > 0 && !clg_csv_field(&tables[i], 0, "gpus")) {
            clg_error_at(error, tables[i].name, 1, 1, "gpus");
            return clg_fail(error, CLG_BAD_INPUT, "see docs/formats.md for the columns of runs",
                            "not a table of training runs: it has no such column");
        }
        v.runs += tables[i].rows;
    }
    if (v.runs == 0)
        return clg_fail(error, CLG_BAD_INPUT, "see docs/formats.md for the columns of runs",
                        "no runs are in %.120s", count > 0 ? tables[0].name : "no table");
    clg_measuring measuring;
    if (clg_measuring_find(arena, &measuring, error) != CLG_OK) return error->status;
    size_t runs = (size_t)v.runs + 1;
    rows all = {clg_take(arena, runs, const clg_csv *), clg_take(arena, runs, int),
                v.run = clg_take(arena, runs, clg_run), v.runs, measuring.full_pool};
    clg_rows_of_tables(tables, count, all.table, all.row);
    clg_cores_each(progress, arena, (v.runs + ROWS_OF_PIECE - 1) / ROWS_OF_PIECE, run_rows, &all);
    fill_baseline(&v);
    fill_elsewhere(&v);
    fill_scores(arena, &v);
    *validation = v;
    return CLG_OK;
}
