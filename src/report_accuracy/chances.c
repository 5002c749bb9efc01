/* chances.c -- how many runs did run out, by the chance of it that was stated; and how far off
 * memory is, each source once. */
#include "report_accuracy/accuracy.h"

#include "evaluate/interval.h"
#include "report/number_words.h"

#include <math.h>
#include <string.h>

/* A source with so many failures tried layouts one by one and recorded all. */
enum { GRID = 80, BANDS = 6 };
static const double band_to[BANDS] = {0.02, 0.1, 0.3, 0.5, 0.9, 1};

/* Runs of a kind of source in one band, and those that ran out. */
typedef struct tally {
    int runs, out, sources;
    double shares; /* of each source that says what failed, its share that ran out */
} tally;

/* What was taken because it fits says nothing of the chance that it does. */
static bool known(const clg_run *r) { return !r->reason && r->measured_fits >= 0 && !r->plan_open; }

static bool in_band(const clg_run *r, int band) {
    double chance = clg_evaluation_chance_out(&r->predicted);
    return known(r) && (band == 0 || chance >= band_to[band - 1]) &&
           (band == BANDS - 1 || chance < band_to[band]);
}

static tally of_source(const clg_validation *v, const char *source, int band) {
    tally t = {0};
    for (int i = 0; i < v->runs; i++) {
        const clg_run *r = &v->run[i];
        if (strcmp(r->source, source) != 0 || (band < 0 ? !known(r) : !in_band(r, band))) continue;
        t.runs++;
        t.out += r->measured_fits == 0;
    }
    return t;
}

static tally of_band(const clg_validation *v, int band, bool grids) {
    tally all = {0};
    for (int i = 0; i < v->scores - 1; i++) { /* the last is of all */
        const char *source = v->score[i].source;
        tally whole = of_source(v, source, -1), t = of_source(v, source, band);
        if ((whole.out >= GRID) != grids || t.runs == 0) continue;
        all.runs += t.runs;
        all.out += t.out;
        if (whole.out == 0) continue;
        all.sources++;
        all.shares += (double)t.out / t.runs;
    }
    return all;
}

static void print_cell(clg_text *t, int of, double out) {
    clg_text_print(t, " %d | ", of);
    if (of > 0)
        clg_text_print(t, "%.0f %% |", 100 * out / of);
    else
        clg_text_print(t, "- |");
}

static void print_bands(clg_text *t, const clg_validation *v) {
    for (int band = 0; band < BANDS; band++) {
        tally grids = of_band(v, band, true), others = of_band(v, band, false);
        clg_text_print(t, "| %.0f-%.0f |", band ? 100 * band_to[band - 1] : 0, 100 * band_to[band]);
        print_cell(t, grids.runs, grids.out);
        print_cell(t, others.runs, others.out);
        print_cell(t, others.sources, others.shares);
        clg_text_print(t, "\n");
    }
}

/* Each source once: how far off, and how many of them. */
static void print_memory(clg_text *t, const clg_validation *v) {
    int sources = 0, runs = 0, left = 0;
    double sum = 0;
    for (int i = 0; i < v->scores - 1; i++) {
        if (isnan(v->score[i].memory_mape)) continue;
        sources++;
        sum += v->score[i].memory_mape;
    }
    for (int i = 0; i < v->runs; i++) {
        const clg_run *r = &v->run[i];
        runs += clg_run_weighed(r);
        left += !r->reason && r->measured_memory_bytes > 0 && r->memory_open;
    }
    if (sources > 0)
        clg_text_print(
            t,
            "\nMemory is off by %s %% on %d runs, %s %% where each of %d sources counts "
            "once. %d more measure no need: the micro-batch, recomputation or the longest "
            "sequence is not printed, or the allocator had filled the card.\n",
            clg_words_share(t, v->score[v->scores - 1].memory_mape), runs,
            clg_words_share(t, sum / sources), sources, left);
}

void clg_report_chances(clg_text *t, const clg_validation *v) {
    int runs = 0;
    for (int i = 0; i < v->runs; i++) runs += known(&v->run[i]);
    if (runs == 0) return;
    clg_text_print(
        t,
        "\n## Memory\n\nHow many of %d runs that print micro-batch and recomputation did "
        "run out, by the stated chance of it. "
        "Grids: sources with %d failures or more, which tried layouts one by one; the "
        "last columns count each of the other sources that say what failed once.\n\n"
        "| stated chance, %% | of grids | ran out | others | ran out | sources | ran "
        "out |\n|---|--:|--:|--:|--:|--:|--:|\n",
        runs, GRID);
    print_bands(t, v);
    print_memory(t, v);
}
