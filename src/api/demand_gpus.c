/* demand_gpus.c -- the GPUs of a demand: its own, formats on them, and every other kind, each in
 * its own box. */
#include "api/demand_gpus.h"

#include "api/request_parts.h"
#include "dataset/dataset.h"
#include "serve/degree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

clg_status clg_demand_scenario(const clg_question *q, const clg_request *request,
                               clg_scenario *scenario, clg_space *space, clg_error *error) {
    if (clg_request_read(q->arena, request, false, scenario, space, error) != CLG_OK)
        return error->status;
    scenario->machine.gpus = scenario->machine.node.gpus;
    return clg_scenario_prepare(q->arena, scenario, error);
}

clg_status clg_demand_formats(const clg_question *q, const clg_scenario *scenario,
                              const clg_replica_choice *choice, clg_format *format, int *count,
                              clg_error *error) {
    format[0] = (clg_format){choice->weights, 0};
    *count = 1;
    if (clg_question_gives(q, CLG_PARAM_WEIGHTS) || clg_question_gives(q, CLG_PARAM_PRECISION))
        return CLG_OK;
    return clg_formats_of(q->arena, &scenario->model, &scenario->machine.gpu, format, count, error);
}

/* The scenario on another GPU, in its own box at its own price. */
static clg_status move_to(const clg_question *q, const char *gpu, clg_scenario *scenario,
                          clg_space *space, clg_error *error) {
    return clg_demand_scenario(q, clg_request_on_gpu(q->arena, q->request, gpu), scenario, space,
                               error);
}

/* On fewer GPUs or, where whole replicas are as many, with the cheaper tokens of a full one. */
static bool is_better(const clg_lever *row, const clg_lever *than) {
    if (!than->fits || row->gpus_all != than->gpus_all)
        return !than->fits || row->gpus_all < than->gpus_all;
    return row->usd_per_million < than->usd_per_million;
}

/* The best of the formats that lose no quality. */
static bool measure_formats(const clg_question *q, const clg_serve_question *question,
                            const clg_engine *engine, const clg_scenario *scenario,
                            const clg_replica_choice *choice, clg_lever *row) {
    clg_format format[CLG_FORMATS];
    clg_error none = {0};
    int formats;
    row->fits = false;
    if (clg_demand_formats(q, scenario, choice, format, &formats, &none) != CLG_OK) return false;
    for (int i = 0; i < formats; i++) {
        clg_replica replica;
        clg_replica_choice own = *choice;
        if (format[i].loss > 0) continue;
        own.weights = format[i].weights;
        own.compute = clg_serve_arithmetic(&scenario->machine.gpu, own.weights);
        if (clg_replica_choose(q->arena, question, scenario, engine, &own, &replica, &none) !=
            CLG_OK)
            continue;
        clg_lever other = {.fits = true, .borrowed = replica.curves.borrowed};
        clg_lever_measure(q->arena, question, &replica, &other);
        other.name = clg_arena_print(q->arena, "%s %s", scenario->machine.gpu.name,
                                     clg_name_of(clg_precision_names, (int)own.weights));
        if (is_better(&other, row)) *row = other;
    }
    return row->fits;
}

typedef enum outcome { RANKED, UNPRICED, UNFIT, NARROW, APART } outcome;

/* GPUs without products in bf16 would need the model in another format than it is published in. */
static outcome measure_gpu(const clg_question *q, const clg_serve_question *question,
                           const clg_engine *engine, const char *gpu, clg_scenario *scenario,
                           clg_lever *row) {
    clg_space space;
    clg_replica_choice choice = {0};
    clg_error none = {0};
    bool moved = move_to(q, gpu, scenario, &space, &none) == CLG_OK;
    if (moved && scenario->machine.gpu.peak_flop_per_s[CLG_BF16] <= 0) return NARROW;
    if (!moved || scenario->price.usd_per_s <= 0) return UNPRICED;
    if (clg_request_replica(q->request, &scenario->model, &space, &choice, &none) != CLG_OK)
        return UNFIT;
    choice.blocks = 0; /* another GPU has another memory */
    return measure_formats(q, question, engine, scenario, &choice, row) ? RANKED : UNFIT;
}

/* Boxes that make no cluster, where a copy of the model takes several. */
static bool is_apart(const clg_scenario *s, const clg_lever *row, const clg_price *price) {
    return price->lone && row->gpus > s->machine.node.gpus;
}

/* At the cheapest price of every term but spot, whose interruptions are not simulated. */
static int add_terms(clg_arena *arena, const clg_scenario *scenario, const clg_lever *row,
                     clg_lever *into) {
    int count = 0;
    for (int i = 0; clg_price_terms[i].name; i++) {
        clg_price price;
        int term = clg_price_terms[i].value;
        if (strcmp(clg_price_terms[i].name, "spot") == 0 ||
            !clg_price_of_term(arena, &scenario->machine.gpu, term, &price) ||
            is_apart(scenario, row, &price))
            continue;
        into[count] = *row;
        clg_lever_reprice(arena, &price, price.usd_per_s / scenario->price.usd_per_s, &into[count]);
        into[count++].term = term;
    }
    return count;
}

static int by_dollars(const void *a, const void *b) {
    const clg_lever *x = a, *y = b;
    double left = isfinite(x->usd_per_h) ? x->usd_per_h : 1e300;
    double right = isfinite(y->usd_per_h) ? y->usd_per_h : 1e300;
    int order = (x->term > y->term) - (x->term < y->term);
    if (order == 0) order = (left > right) - (left < right);
    return order ? order : strcmp(x->name, y->name);
}

/* Every GPU there is, one beside the other. */
enum { MOST_TERMS = 4 };
typedef struct rivals {
    const clg_question *q;
    const clg_serve_question *question;
    const clg_file *file;
    clg_lever (*row)[MOST_TERMS];
    int *rows;
    outcome *why;
    const char **name;
} rivals;

static void measure_rival(void *context, int index, clg_arena *arena) {
    const rivals *all = context;
    clg_question own = {.arena = arena, .request = all->q->request};
    const char *path = all->file[index].path;
    size_t skip = strlen("gpu/"), extra = skip + strlen(".json");
    const char *gpu = clg_arena_copy(arena, path + skip, strlen(path) - extra);
    clg_scenario scenario;
    clg_lever one;
    outcome why =
        measure_gpu(&own, all->question, &all->question->replica->engine, gpu, &scenario, &one);
    if (why == RANKED) all->rows[index] = add_terms(arena, &scenario, &one, all->row[index]);
    if (why == RANKED && all->rows[index] == 0)
        why = is_apart(&scenario, &one, &scenario.price) ? APART : UNPRICED;
    all->why[index] = why;
    all->name[index] = gpu;
}

static const char *names_of(clg_arena *arena, const rivals *all, int count, outcome why) {
    const char *names = NULL;
    for (int i = 0; i < count; i++)
        if (all->why[i] == why)
            names = clg_arena_print(arena, "%s%s%s", names ? names : "", names ? " " : "",
                                    all->name[i]);
    return names;
}

void clg_demand_gpus(const clg_question *q, const clg_serve_question *question,
                     clg_lever_rows *gpus) {
    int count, rows = 0;
    const clg_file *files = clg_dataset_folder("gpu/", &count);
    rivals all = {q,
                  question,
                  files,
                  clg_arena_take(q->arena, (size_t)count, sizeof *all.row),
                  clg_take(q->arena, (size_t)count, int),
                  clg_take(q->arena, (size_t)count, outcome),
                  clg_take(q->arena, (size_t)count, const char *)};
    clg_lever *row = clg_take(q->arena, (size_t)count * MOST_TERMS, clg_lever);
    clg_cores_each(q->progress, q->arena, count, measure_rival, &all);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < all.rows[i]; j++) row[rows++] = all.row[i][j];
    qsort(row, (size_t)rows, sizeof *row, by_dollars);
    *gpus = (clg_lever_rows){row,
                             rows,
                             {.unpriced = names_of(q->arena, &all, count, UNPRICED),
                              .unfit = names_of(q->arena, &all, count, UNFIT),
                              .narrow = names_of(q->arena, &all, count, NARROW),
                              .apart = names_of(q->arena, &all, count, APART)}};
}
