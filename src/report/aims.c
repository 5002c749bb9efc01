/* aims.c -- what the numbers were to reach on runs of others, beside what they reach. */
#include "report/accuracy.h"

#include <math.h>
#include <string.h>

enum { MOST = 5 };

typedef struct aim {
    const char *of, *kind; /* kind: in the group of the one-constant model; NULL: all */
    const char *source[MOST];
    double percent; /* mean absolute error of step time */
} aim;

static const aim aims[] = {
    {"A100, Megatron on several nodes",
     NULL,
     {"narayanan2021-t1", "megatron-readme-jan2021", "mt-nlg", "megascale-baseline"},
     8},
    {"Korthikanti et al. 2022, table 5", NULL, {"korthikanti2022-t5"}, 3.6},
    {"FSDP on A100 and H100",
     NULL,
     {"torchtitan-2024", "torchtitan-2024-12", "ibm-fsdp-2024", "llm-foundry-models"},
     7},
    {"Megatron-Bridge, dense", "dense", {"megatron-bridge-models"}, 12},
    {"Megatron-Bridge, mixtures", "moe", {"megatron-bridge-models"}, 15},
};

static bool belongs(const aim *a, const clg_run *r) {
    if (r->reason || r->measured_step_s <= 0 || (a->kind && !strstr(r->group, a->kind)))
        return false;
    for (int i = 0; i < MOST && a->source[i]; i++)
        if (strcmp(r->source, a->source[i]) == 0) return true;
    return false;
}

static void print_row(clg_text *t, const char *of, int runs, double percent, const char *wanted,
                      bool met) {
    clg_text_print(t, "| %s | %d | %s %% | %.1f %% | %s |\n", of, runs, wanted, percent,
                   met ? "met" : "missed");
}

static void print_aim(clg_text *t, const clg_validation *v, const aim *a) {
    double sum = 0;
    int runs = 0;
    for (int i = 0; i < v->runs; i++) {
        if (!belongs(a, &v->run[i])) continue;
        sum += fabs(v->run[i].error);
        runs++;
    }
    if (runs == 0) return;
    double percent = 100 * sum / runs;
    print_row(t, a->of, runs, percent, clg_arena_print(t->arena, "at most %g", a->percent),
              percent <= a->percent + 1e-9);
}

void clg_report_aims(clg_text *t, const clg_validation *v) {
    const clg_score *all = v->scores > 0 ? &v->score[v->scores - 1] : NULL;
    int memory = 0, fits = 0;
    for (int i = 0; i < v->runs; i++) {
        memory += !v->run[i].reason && v->run[i].measured_memory_bytes > 0;
        fits += !v->run[i].reason && v->run[i].measured_fits >= 0;
    }
    clg_text_print(t, "\n## Aims\n\nMean errors, fitted on or not; slopes and ranking have "
                      "sections of their own.\n\n| of | runs | aim | reached | |\n"
                      "|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof aims / sizeof aims[0]; i++) print_aim(t, v, &aims[i]);
    if (all && memory > 0)
        print_row(t, "memory", memory, 100 * all->memory_mape, "at most 5",
                  all->memory_mape <= 0.05);
    if (all && fits > 0)
        print_row(t, "runs and out of memory called right", fits, 100 * all->fits_accuracy,
                  "at least 95", all->fits_accuracy >= 0.95);
}
