/* replica_search.c -- see the header. Left out: formats and degrees mixed between the two pools of
 * a disaggregated replica, and limits of sequences beside other changes. */
#include "serve/replica_search.h"

#include "base/order.h"
#include "serve/crowd.h"
#include "serve/degree.h"

#include <math.h>

enum { WAVE = 4, REFINED = 2, MOST_CHANGES = 16 };

/* Rows whose fleets are sized at a time and in all. */
enum { SIZED = 8, MOST_SIZED = 24 };

typedef struct weighing {
    clg_arena *arena;
    const clg_serve_question *question;
    const clg_scenario *scenario;
    const clg_engine *engine;
    clg_serve_candidate *found;
    int count;
    double best_gpus; /* of those that lose no quality, and lossy ones apart */
    double best_lossy_gpus;
    clg_serve_candidate wave[WAVE]; /* to be measured, side by side */
    int waiting;
    int sized; /* rows, in order */
} weighing;

int clg_replica_degrees(const clg_scenario *s, const clg_replica_choice *c,
                        clg_copy_degrees list[CLG_DEGREES]) {
    int count = 0, dp = c->dp > 0 ? c->dp : 1, ep = c->ep > 0 ? c->ep : 1;
    bool experts = clg_model_experts(&s->model) != NULL;
    for (int tp = 1; tp <= 8 && (tp == 1 || tp <= s->machine.node.domain); tp *= 2) {
        int wide = c->tp > 0 ? c->tp : tp;
        list[count++] = (clg_copy_degrees){wide, dp, ep};
        if (experts && c->ep == 0 && wide * dp > 1)
            list[count++] = (clg_copy_degrees){wide, dp, wide * dp};
        if (c->tp > 0) break;
    }
    for (int ranks = 2; experts && c->tp <= 1 && c->dp == 0 && ranks <= 32; ranks *= 2)
        list[count++] = (clg_copy_degrees){1, ranks, c->ep > 0 ? c->ep : ranks};
    return count;
}

static const char *name_of(clg_arena *arena, const clg_replica *r, const clg_replica_choice *c) {
    int ranks = r->layout.dp;
    const char *dp = ranks > 1 ? clg_arena_print(arena, " dp %d", ranks) : "";
    const char *ep = r->layout.ep > 1 ? clg_arena_print(arena, " ep %d", r->layout.ep) : "";
    const char *pp = r->layout.pp > 1 ? clg_arena_print(arena, " pp %d", r->layout.pp) : "";
    const char *tokens =
        c->max_tokens > 0 ? clg_arena_print(arena, ", %d tok.", c->max_tokens / ranks) : "";
    const char *split =
        r->prefill ? clg_arena_print(arena, ", %d:%d", r->prefills, r->decodes) : "";
    const char *drafted = c->drafted > 0 ? clg_arena_print(arena, ", +%d", c->drafted) : "";
    return clg_arena_print(arena, "%s tp %d%s%s%s, %d seq.%s%s%s",
                           clg_name_of(clg_precision_names, (int)r->layout.weights), r->layout.tp,
                           pp, dp, ep, r->rules.max_sequences / ranks, tokens, split, drafted);
}

/* No batch however large makes more tokens. */
static double fewest_gpus(const weighing *w, const clg_replica *r) {
    clg_demand_means means = clg_demand_means_of(w->question->demand);
    double most = 0;
    for (double b = 1; b <= 1 << 16; b *= 4)
        most = fmax(most, clg_replica_steady_tokens_per_s(r, &means, b));
    return clg_gpus_taken(w->question, r, most);
}

/* Lossy ones are not measured against those that lose nothing, which are taken before them. */
static void weigh_one(void *context, int index, clg_arena *arena) {
    weighing *w = context;
    clg_serve_candidate *c = &w->wave[index];
    double best = c->worth.loss > 0 ? w->best_lossy_gpus : w->best_gpus;
    clg_replica r;
    clg_error no = {0};
    if (clg_replica_prepare(arena, w->scenario, w->engine, &c->choice, w->question->demand, &r,
                            &no) != CLG_OK ||
        fewest_gpus(w, &r) > CLG_HOPELESS_RATIO * best)
        return;
    c->worth.fits = true;
    c->worth.name = name_of(arena, &r, &c->choice);
    clg_lever_measure(arena, w->question, &r, &c->worth);
}

/* Those of a wave are bounded by the best of the waves before, so that the answer does not depend
 * on how many are measured at once. */
static void weigh_wave(weighing *w) {
    clg_cores_each((clg_progress){.cores = w->question->cores}, w->arena, w->waiting, weigh_one, w);
    for (int i = 0; i < w->waiting; i++) {
        const clg_serve_candidate *c = &w->wave[i];
        double *best = c->worth.loss > 0 ? &w->best_lossy_gpus : &w->best_gpus;
        if (!c->worth.fits || w->count == CLG_CANDIDATES) continue;
        if (c->worth.gpus_all < *best) *best = c->worth.gpus_all;
        w->found[w->count++] = *c;
    }
    w->waiting = 0;
}

static void weigh(weighing *w, const clg_replica_choice *choice, double loss) {
    w->wave[w->waiting++] = (clg_serve_candidate){.choice = *choice, .worth = {.loss = loss}};
    if (w->waiting == WAVE) weigh_wave(w);
}

static void weigh_format(weighing *w, const clg_replica_choice *choice, const clg_format *f) {
    clg_copy_degrees list[CLG_DEGREES];
    int count = clg_replica_degrees(w->scenario, choice, list), before = w->count;
    for (int i = 0; i < count; i++) {
        clg_replica_choice c = *choice;
        c.weights = f->weights;
        c.compute = clg_serve_arithmetic(&w->scenario->machine.gpu, f->weights);
        c.tp = list[i].tp;
        c.dp = list[i].dp;
        c.ep = list[i].ep;
        int ranks = choice->dp > 1 ? choice->dp : 1;
        c.max_sequences = choice->max_sequences / ranks * list[i].dp;
        c.max_tokens = choice->max_tokens / ranks * list[i].dp;
        weigh(w, &c, f->loss);
    }
    weigh_wave(w);
    if (w->count > before || choice->tp > 0 || choice->dp > 1) return;
    clg_replica_choice smallest = *choice; /* no node holds it: with stages */
    smallest.weights = f->weights;
    smallest.compute = clg_serve_arithmetic(&w->scenario->machine.gpu, f->weights);
    weigh(w, &smallest, f->loss);
    weigh_wave(w);
}

/* What else may be better about a replica, one thing at a time. */
static int list_changes(const weighing *w, const clg_replica_choice *c,
                        clg_replica_choice list[MOST_CHANGES]) {
    static const int sequences[] = {64, 16}, tokens[] = {2048, 16384};
    static const int split[][2] = {{1, 1}, {1, 2}, {2, 1}};
    int count = 0, ranks = c->dp > 1 ? c->dp : 1;
    for (int i = 0; i < MOST_CHANGES; i++) list[i] = *c;
    clg_engine e = clg_engine_on(w->engine, &w->scenario->machine.gpu);
    for (int i = 0; i < 2; i++) {
        if (c->max_sequences == 0 && sequences[i] < e.max_sequences)
            list[count++].max_sequences = sequences[i] * ranks;
        if (c->max_tokens == 0 && (double)tokens[i] != e.max_tokens)
            list[count++].max_tokens = tokens[i] * ranks;
    }
    for (int i = 0; i < 3 && c->prefills == 0; i++) {
        list[count].prefills = split[i][0];
        list[count++].decodes = split[i][1];
    }
    if (c->drafted == 0 && c->proposes) list[count++].drafted = 3;
    return count;
}

static void refine(weighing *w, const clg_serve_candidate *base) {
    clg_replica_choice list[MOST_CHANGES], from = base->choice;
    double loss = base->worth.loss;
    int count = list_changes(w, &from, list);
    for (int i = 0; i < count; i++) weigh(w, &list[i], loss);
    weigh_wave(w);
}

static void size_one(void *context, int index, clg_arena *arena) {
    const weighing *w = context;
    clg_serve_candidate *c = &w->found[w->sized + index];
    clg_lever *row = &c->worth;
    clg_replica r;
    clg_error no = {0};
    if (!isfinite(row->gpus_all) || clg_replica_prepare(arena, w->scenario, w->engine, &c->choice,
                                                        w->question->demand, &r, &no) != CLG_OK)
        return;
    row->gpus_fleet = clg_gpus_of_fleet(arena, w->question, &r, row->gpus_all);
    if (row->gpus_fleet > 0) row->usd_per_h *= row->gpus_fleet / row->gpus_all;
}

static int by_gpus(const void *x, const void *y) {
    const clg_lever *a = &((const clg_serve_candidate *)x)->worth;
    const clg_lever *b = &((const clg_serve_candidate *)y)->worth;
    if (a->gpus_fleet != b->gpus_fleet) {
        if (a->gpus_fleet <= 0 || b->gpus_fleet <= 0) return a->gpus_fleet <= 0 ? 1 : -1;
        return a->gpus_fleet > b->gpus_fleet ? 1 : -1;
    }
    double left = isfinite(a->gpus_all) ? a->gpus_all : 1e300 / a->offline_tokens_per_s;
    double right = isfinite(b->gpus_all) ? b->gpus_all : 1e300 / b->offline_tokens_per_s;
    if (left != right) return left > right ? 1 : -1;
    double x_rate = a->offline_tokens_per_s, y_rate = b->offline_tokens_per_s;
    return (y_rate > x_rate) - (y_rate < x_rate);
}

static void sort(weighing *w) {
    clg_order(w->arena, w->found, (size_t)w->count, sizeof *w->found, by_gpus);
}

static void slow_one(void *context, int index, clg_arena *arena) {
    const weighing *w = context;
    clg_serve_candidate *c = &w->found[index];
    clg_lever *row = &c->worth;
    clg_replica r;
    clg_error no = {0};
    if (row->gpus_fleet <= 0 || row->loss > 0 || row->gpus_if_slow > 0 || row->cliff ||
        clg_replica_prepare(arena, w->scenario, w->engine, &c->choice, w->question->demand, &r,
                            &no) != CLG_OK)
        return;
    row->gpus_if_slow = clg_gpus_if_slow(arena, w->question, &r, row->gpus_all);
    row->cliff = clg_is_past_cliff(row->gpus_fleet, row->gpus_if_slow);
}

/* Whether the best stands at a cliff; then which of the others does. */
static void mark_cliffs(weighing *w) {
    const clg_serve_candidate *best = clg_search_best(w->found, w->count);
    if (best) slow_one(w, (int)(best - w->found), w->arena);
    if (best && best->worth.cliff)
        clg_cores_each((clg_progress){.cores = w->question->cores}, w->arena, w->sized, slow_one,
                       w);
}

/* In order of GPUs at the mean, until no fleet of those left can be smaller than the smallest. */
static void size_best(weighing *w) {
    const clg_serve_question *q = w->question;
    if (!clg_has_target(q) || q->replicas > 0 || w->count == 0) return;
    const clg_lever *first = &w->found[0].worth;
    double best = INFINITY,
           replicas = isfinite(first->gpus_all) ? first->gpus_all / first->gpus : 1;
    clg_demand part = clg_demand_for_fleets(q->demand, replicas);
    clg_serve_question on_some = *q;
    on_some.demand = &part;
    w->question = &on_some;
    while (w->sized < w->count && w->sized < MOST_SIZED) {
        if (w->found[w->sized].worth.gpus_all >= best) break;
        int left = w->count - w->sized, some = left < SIZED ? left : SIZED;
        clg_cores_each((clg_progress){.cores = q->cores}, w->arena, some, size_one, w);
        for (int i = 0; i < some; i++, w->sized++) {
            const clg_lever *row = &w->found[w->sized].worth;
            if (row->gpus_fleet > 0 && row->loss <= 0) best = fmin(best, row->gpus_fleet);
        }
    }
    sort(w);
    mark_cliffs(w);
    w->question = q;
}

static double fleet_of(const clg_serve_candidate *c) {
    return c->worth.gpus_fleet > 0 ? c->worth.gpus_fleet : c->worth.gpus_all;
}

/* Two pools are run for more than what fleets are uncertain by. */
static const clg_serve_candidate *plainer(const clg_serve_candidate *found, int count,
                                          const clg_serve_candidate *best) {
    static const double tie = 1.05;
    for (int i = 0; i < count && best->choice.prefills > 0; i++)
        if (found[i].worth.loss <= 0 && found[i].choice.prefills == 0 &&
            fleet_of(&found[i]) <= tie * fleet_of(best))
            return &found[i];
    return best;
}

/* The surest of those that are not at a cliff; NULL: none. */
static const clg_serve_candidate *off_the_cliff(const clg_serve_candidate *found, int count) {
    const clg_serve_candidate *best = NULL;
    for (int i = 0; i < count; i++) {
        const clg_lever *row = &found[i].worth;
        bool off = row->loss <= 0 && row->gpus_if_slow > 0 && !row->cliff;
        if (off && (!best || row->gpus_if_slow < best->worth.gpus_if_slow)) best = &found[i];
    }
    return best;
}

static const clg_serve_candidate *smallest(const clg_serve_candidate *found, int count) {
    for (int i = 0; i < count; i++)
        if (found[i].worth.loss <= 0 && isfinite(found[i].worth.gpus_all))
            return plainer(found, count, &found[i]);
    for (int i = 0; i < count; i++)
        if (found[i].worth.loss <= 0) return &found[i];
    return count > 0 ? found : NULL;
}

const clg_serve_candidate *clg_search_best(const clg_serve_candidate *found, int count) {
    const clg_serve_candidate *first = smallest(found, count);
    const clg_serve_candidate *other =
        first && first->worth.cliff ? off_the_cliff(found, count) : NULL;
    return other ? other : first;
}

/* The one that makes most where nobody waits, of those beyond the first so many. */
static const clg_serve_candidate *fullest(const weighing *w, bool lossy, int beyond) {
    const clg_serve_candidate *best = NULL;
    for (int i = 0, seen = 0; i < w->count; i++) {
        const clg_serve_candidate *c = &w->found[i];
        if ((c->worth.loss > 0) != lossy || seen++ < beyond) continue;
        if (!best || c->worth.offline_tokens_per_s > best->worth.offline_tokens_per_s) best = c;
    }
    return best;
}

/* The best of those that lose no quality, or of the others; and one that tokens wait for prompts
 * in, until they are read elsewhere: one change may bring what it lacks. */
static void refine_best(weighing *w, bool lossy, int how_many) {
    clg_serve_candidate base[REFINED + 1];
    int count = 0;
    const clg_serve_candidate *full = fullest(w, lossy, how_many);
    for (int i = 0; i < w->count && count < how_many; i++)
        if ((w->found[i].worth.loss > 0) == lossy) base[count++] = w->found[i];
    if (full && !lossy) base[count++] = *full;
    for (int i = 0; i < count; i++) refine(w, &base[i]);
}

int clg_replica_search(clg_arena *arena, const clg_serve_question *q, const clg_scenario *scenario,
                       const clg_engine *engine, const clg_replica_choice *choice,
                       const clg_format *format, int formats, clg_serve_progress progress,
                       clg_serve_candidate found[CLG_CANDIDATES]) {
    weighing w = {.arena = arena,
                  .question = q,
                  .scenario = scenario,
                  .engine = engine,
                  .found = found,
                  .best_gpus = INFINITY,
                  .best_lossy_gpus = INFINITY};
    for (int i = 0; i < formats; i++) {
        weigh_format(&w, choice, &format[i]);
        if (progress.tell) progress.tell(progress.context, (i + 1.0) / (formats + 1));
    }
    sort(&w);
    refine_best(&w, false, REFINED);
    refine_best(&w, true, 1);
    sort(&w);
    size_best(&w);
    return w.count;
}
