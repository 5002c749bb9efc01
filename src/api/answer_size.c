/* answer_size.c -- limits and offers read, clusters planned. */
#include "api/command.h"
#include "api/named_gpus.h"
#include "api/request_parts.h"
#include "base/word_list.h"
#include "dataset/dataset.h"
#include "evaluate/interval.h"
#include "report_plan/cluster_report.h"

#include <math.h>
#include <string.h>

typedef struct sized {
    clg_sizing sizing;
    clg_doubts doubts; /* of the last offer weighed */
    clg_owning owning;
    clg_clusters clusters;
    clg_worth worth;
    double grams_per_joule;
} sized;

enum { OFFERS = 64 };

static clg_status read_limits(const clg_request *r, clg_sizing *ask, clg_error *error) {
    double most;
    clg_limits *limits = &ask->limits;
    const clg_wanted_number rows[] = {
        {CLG_PARAM_DEADLINE, &limits->deadline_s}, {CLG_PARAM_BUDGET, &limits->budget_usd},
        {CLG_PARAM_POWER, &limits->power_w},       {CLG_PARAM_TOKENS, &ask->tokens},
        {CLG_PARAM_KNEE, &ask->knee_share},        {CLG_PARAM_MAX_GPUS, &most}};
    if (CLG_REQUEST_NUMBERS(r, rows, error) != CLG_OK ||
        clg_request_critical_batch(r, &ask->critical_tokens, error) != CLG_OK)
        return error->status;
    ask->most_gpus = (int64_t)most;
    if (ask->tokens <= 0)
        return clg_fail(error, CLG_BAD_USAGE, "say how many: --tokens 15T", "--tokens is missing");
    if (limits->deadline_s > 0 || limits->budget_usd > 0 || limits->power_w > 0) return CLG_OK;
    return clg_fail(error, CLG_BAD_USAGE, "give --deadline 60d, --budget 20MUSD or --power 5MW",
                    "there is no limit to size for");
}

static clg_status read_running(clg_arena *arena, const clg_request *r, sized *a, clg_error *error) {
    const clg_wanted_number rows[] = {{CLG_PARAM_CARBON, &a->grams_per_joule}};
    if (clg_request_operations(arena, r, &a->sizing.operations, error) != CLG_OK ||
        clg_request_owning(r, &a->owning, error) != CLG_OK ||
        clg_spot_interruptions(arena, &a->sizing.taken_back_per_gpu_s, error) != CLG_OK)
        return error->status;
    return CLG_REQUEST_NUMBERS(r, rows, error);
}

/* A --price that names a term asks for the price of each kind at it, as --rent does. */
static const clg_request *with_term(clg_arena *arena, const clg_request *r) {
    const char *price = r->value[CLG_PARAM_PRICE];
    if (!price || r->value[CLG_PARAM_RENT]) return r;
    for (int i = 0; clg_price_terms[i].name; i++) {
        if (strcmp(price, clg_price_terms[i].name) != 0) continue;
        clg_request *own = clg_take(arena, 1, clg_request);
        *own = *r;
        own->value[CLG_PARAM_RENT] = price;
        own->value[CLG_PARAM_PRICE] = NULL;
        return own;
    }
    return r;
}

static clg_status read_term(const clg_request *r, int *term, clg_error *error) {
    if (r->value[CLG_PARAM_RENT] && r->value[CLG_PARAM_PRICE])
        return clg_fail(error, CLG_BAD_USAGE, "drop --rent or --price",
                        "--price already says what a GPU costs");
    return clg_request_name(r, CLG_PARAM_RENT, clg_price_terms, "term", term, error);
}

/* Prices of one term, or the one given: a year's contract beside an hour's rent would compare
 * contracts, not machines. One kind alone, without a word on the term, has any price it has. Boxes
 * that make no cluster are offered to who names them. */
static bool is_offered(clg_arena *arena, const clg_request *r, bool one, bool several, int term,
                       clg_scenario *s, clg_sizing *ask) {
    const clg_gpu *gpu = &s->machine.gpu;
    clg_price of_term;
    if (r->value[CLG_PARAM_PRICE]) return true;
    if (!clg_price_of_term(arena, gpu, term, &of_term)) return one && !r->value[CLG_PARAM_RENT];
    s->price = of_term;
    if (!of_term.lone || one || several) return true;
    const char *before = ask->left_out ? ask->left_out : "";
    ask->left_out = clg_arena_print(arena, "%s%s%s", before, *before ? " " : "", gpu->name);
    return false;
}

/* Kinds to consider, by name; `one`: a NULL, for the request names it, or its node. */
static const char **kinds_of(clg_arena *arena, const clg_request *r, bool one, int *count) {
    int files;
    const clg_file *file = clg_dataset_folder("gpu/", &files);
    const char *named = clg_named_gpus(r, ","), *left = named ? named : "";
    const char **kinds = clg_take(arena, (size_t)files + strlen(left) + 1, const char *);
    *count = 0;
    if (one) kinds[(*count)++] = NULL;
    for (const char *name; (name = clg_list_next(arena, &left, ',')) != NULL;)
        if (*name) kinds[(*count)++] = name;
    for (int i = 0; i < files && !one && !named; i++) {
        const char *slash = strchr(file[i].path, '/') + 1;
        kinds[(*count)++] = clg_arena_copy(arena, slash, strlen(slash) - strlen(".json"));
    }
    return kinds;
}

static bool is_among(const clg_offer *offers, int count, const char *gpu) {
    for (int i = 0; i < count; i++)
        if (strcmp(offers[i].scenario.machine.gpu.name, gpu) == 0) return true;
    return false;
}

/* One offer per GPU kind that can be compared, or those asked for. */
static clg_status read_offers(clg_arena *arena, const clg_request *request, int term,
                              clg_offer *offers, clg_sizing *ask, clg_error *error) {
    clg_request *r = clg_take(arena, 1, clg_request);
    bool several = clg_named_gpus(request, ",") != NULL;
    bool one = !several && (request->value[CLG_PARAM_GPU] || request->value[CLG_PARAM_NODE]);
    int count;
    const char **kinds = kinds_of(arena, request, one, &count);
    *r = *request;
    r->value[CLG_PARAM_GPUS] = "8";
    ask->offer = offers;
    for (int i = 0; i < count && ask->offers < OFFERS; i++) {
        if (!one) r->value[CLG_PARAM_GPU] = kinds[i];
        clg_scenario *s = &offers[ask->offers].scenario;
        if (clg_request_read(arena, r, true, s, &offers[ask->offers].space, error) != CLG_OK)
            return error->status;
        if (is_among(offers, ask->offers, s->machine.gpu.name)) continue;
        bool offered = is_offered(arena, r, one, several, term, s, ask);
        if (!offered && several)
            return clg_fail(error, CLG_BAD_INPUT, "leave it out, or give --price or another --rent",
                            "no price of the term '%s' is known of %s", clg_price_terms[term].name,
                            s->machine.gpu.name);
        ask->offers += offered;
    }
    if (ask->offers > 0) return CLG_OK;
    return clg_fail(error, CLG_BAD_INPUT, "give --price 2.5USD/h, or another --rent",
                    "no price of the term '%s' is known", clg_price_terms[term].help);
}

/* A cluster's run, with so many spare nodes. What is taken back counts as slowness: another machine
 * comes at once. */
static clg_venture venture_of(const clg_operations *o, const clg_cluster *c, int spares) {
    double share = clg_goodput_of(o, (double)c->gpus, c->plan.trained_parameters).share;
    return (clg_venture){.useful_s = c->seconds * share,
                         .sides = clg_evaluation_sides(&c->plan),
                         .gpus = (double)c->gpus,
                         .parameters = c->plan.trained_parameters,
                         .spares = spares};
}

/* As many spare nodes as pay. */
static clg_spares spares_of(const clg_operations *o, const clg_cluster *c) {
    const clg_scenario *s = &c->offer->scenario;
    return clg_spares_of(o, (double)c->gpus, s->machine.node.gpus, c->seconds, s->price.usd_per_s);
}

/* Odds of what is worth a look: the best, the nearest, the front. */
static clg_status weigh(clg_arena *arena, sized *a, clg_error *error) {
    clg_clusters *all = &a->clusters;
    for (int i = 0; i < all->count; i++) {
        clg_cluster *c = &all->cluster[i];
        const clg_scenario *s = &c->offer->scenario;
        bool shown = i == all->best || i == all->nearest || c->on_front;
        c->odds = (clg_odds){NAN, NAN, NAN};
        if (!shown) continue;
        clg_venture venture =
            venture_of(&a->sizing.operations, c, spares_of(&a->sizing.operations, c).nodes);
        if (clg_doubts_default(arena, &s->price, &a->doubts, error) != CLG_OK) return error->status;
        c->odds = clg_odds_of(&venture, &a->sizing.operations, &a->doubts,
                              a->sizing.limits.deadline_s, a->sizing.limits.budget_usd);
    }
    return CLG_OK;
}

/* As many of the chosen GPUs over another network. */
static clg_status compare_fabric(clg_arena *arena, const clg_request *request, sized *a,
                                 clg_error *error) {
    clg_worth *w = &a->worth;
    clg_offer *offer = clg_take(arena, 1, clg_offer);
    clg_request *r = clg_take(arena, 1, clg_request);
    if (!request->value[CLG_PARAM_AGAINST_FABRIC]) return CLG_OK;
    *r = *request;
    r->value[CLG_PARAM_GPUS] = "8";
    if ((!r->value[CLG_PARAM_GPU] || clg_named_gpus(r, ",")) && !r->value[CLG_PARAM_NODE])
        r->value[CLG_PARAM_GPU] = w->taken->offer->scenario.machine.gpu.name;
    r->value[CLG_PARAM_FABRIC] = request->value[CLG_PARAM_AGAINST_FABRIC];
    r->file[CLG_PARAM_FABRIC] = request->file[CLG_PARAM_AGAINST_FABRIC];
    if (clg_request_read(arena, r, true, &offer->scenario, &offer->space, error) != CLG_OK)
        return error->status;
    offer->scenario.price = w->taken->offer->scenario.price;
    w->compared = true;
    w->over_runs =
        clg_cluster_plan(arena, &a->sizing, &a->clusters, offer, w->taken->gpus, &w->over);
    return CLG_OK;
}

/* The odds with no spare node, one, half of those that pay, all, one more. */
static void weigh_spares(sized *a, const clg_doubts *doubts) {
    clg_worth *w = &a->worth;
    int pays = w->spares.nodes, last = -1,
        counts[CLG_WITH_SPARES] = {0, 1, pays / 2, pays, pays + 1};
    if (!(w->spares.nodes_out > 0)) return;
    for (int i = 0; i < CLG_WITH_SPARES; i++) {
        if (counts[i] <= last) continue;
        clg_venture venture = venture_of(&a->sizing.operations, w->taken, last = counts[i]);
        w->with[w->withs++] = (clg_with_spares){
            last, clg_odds_of(&venture, &a->sizing.operations, doubts, a->sizing.limits.deadline_s,
                              a->sizing.limits.budget_usd)};
    }
}

/* What the choice is worth beside others. */
static clg_status find_worth(clg_arena *arena, const clg_request *request, sized *a,
                             clg_error *error) {
    const clg_clusters *all = &a->clusters;
    clg_doubts doubts;
    if (all->best < 0) return CLG_OK;
    const clg_cluster *c = &all->cluster[all->best];
    const clg_scenario *s = &c->offer->scenario;
    const clg_operations *o = &a->sizing.operations;
    clg_storage_prices prices;
    if (clg_doubts_default(arena, &s->price, &doubts, error) != CLG_OK ||
        clg_storage_prices_read(arena, &prices, error) != CLG_OK)
        return error->status;
    a->worth = (clg_worth){.taken = c, .repair_s = o->repair_s};
    a->worth.spares = spares_of(o, c);
    a->worth.storage =
        clg_storage_bill_of(&prices, o, a->sizing.tokens, c->plan.trained_parameters, c->seconds);
    weigh_spares(a, &doubts);
    a->worth.regrets =
        clg_regret_rows(all, &a->sizing.limits, doubts.common_share, a->worth.regret);
    return compare_fabric(arena, request, a, error);
}

/* The chosen cluster under every term of price. */
static clg_status compare_terms(clg_arena *arena, const clg_request *request, sized *a,
                                clg_error *error) {
    clg_clusters *all = &a->clusters;
    int chosen = all->best >= 0 ? all->best : all->nearest;
    all->terms = 0;
    if (!request->value[CLG_PARAM_COMPARE_TERMS] || chosen < 0) return CLG_OK;
    const clg_cluster *c = &all->cluster[chosen];
    const clg_scenario *s = &c->offer->scenario;
    clg_terms *terms = clg_take(arena, 1, clg_terms);
    clg_price *hourly = clg_take(arena, 1, clg_price);
    clg_error none = {0};
    bool given = request->value[CLG_PARAM_PRICE] != NULL;
    if (given || clg_price_default(arena, &s->machine.gpu, hourly, &none) != CLG_OK)
        *hourly = s->price;
    if (!clg_price_known(hourly)) return CLG_OK;
    clg_terms_find(arena, hourly, terms);
    if (a->owning.capex_usd > 0) {
        clg_price owned = clg_price_owned(arena, &s->machine.gpu, &a->sizing.operations, &a->owning,
                                          c->plan.cluster_w / (double)c->gpus);
        clg_terms_own(terms, &owned);
    }
    return clg_terms_rows(arena, terms, &a->sizing.operations, (double)c->gpus,
                          c->plan.trained_parameters, c->seconds * c->goodput.share, all->term,
                          &all->terms, error);
}

static clg_status answer(const clg_question *q, void *to, clg_error *error) {
    int term;
    sized *a = to;
    clg_offer *offers = clg_take(q->arena, OFFERS, clg_offer);
    const clg_request *r = with_term(q->arena, q->request);
    *a = (sized){0};
    if (read_limits(r, &a->sizing, error) != CLG_OK || read_term(r, &term, error) != CLG_OK ||
        read_running(q->arena, r, a, error) != CLG_OK ||
        read_offers(q->arena, r, term, offers, &a->sizing, error) != CLG_OK ||
        clg_size(q->arena, &a->sizing, q->progress, &a->clusters, error) != CLG_OK ||
        compare_terms(q->arena, r, a, error) != CLG_OK ||
        find_worth(q->arena, r, a, error) != CLG_OK)
        return error->status;
    return weigh(q->arena, a, error);
}

static void write_text(clg_text *out, const void *from) {
    const sized *a = from;
    clg_report_clusters(out, &a->clusters, &a->sizing, &a->owning, &a->worth, a->grams_per_joule);
}

static void write_json(clg_json_writer *w, const void *from) {
    const sized *a = from;
    clg_json_size(w, &a->clusters, &a->sizing, &a->owning, &a->worth, a->grams_per_joule);
}

static void write_csv(clg_text *out, const void *from) {
    clg_report_cluster_rows(out, &((const sized *)from)->clusters);
}

static void write_svg(clg_text *out, const void *from) {
    clg_picture_clusters(out, &((const sized *)from)->clusters);
}

static const clg_param knobs[] = {CLG_PARAM_GPU,
                                  CLG_PARAM_NODE,
                                  CLG_PARAM_FABRIC,
                                  CLG_PARAM_NICS,
                                  CLG_PARAM_STACK,
                                  CLG_PARAM_PRICE,
                                  CLG_PARAM_CRITICAL_BATCH,
                                  CLG_PARAM_KNEE,
                                  CLG_PARAM_AGAINST_FABRIC,
                                  CLG_PARAMS};
static const clg_param local[] = {CLG_PARAM_OUT, CLG_PARAMS};

static const clg_own_words words[] = {{CLG_PARAM_AGAINST_FABRIC, NULL, NULL,
                                       "what the fabric is worth: as many GPUs over this network"},
                                      {CLG_PARAM_GPU, "NAME[,..]|FILE", "every kind with a price",
                                       "GPU kind, or several: h200-sxm,b200-sxm; 'ceiling show "
                                       "gpus', or a file like those in data/gpu"},
                                      {CLG_PARAMS, NULL, NULL, NULL}};

const clg_command clg_command_size = {
    .name = "size",
    .operands = "MODEL|FILE...",
    .summary = "which cluster meets a deadline, a budget or a power limit",
    .details =
        "Plans every GPU kind with a known price of one term (--rent; or the one given) at every "
        "size up to --max-gpus, with failures, checkpoints and restarts. Within a deadline money "
        "decides; without one time does, up to the knee, within a budget for 10 % more than the "
        "cheapest. Limits hold at P90 of the step. A batch "
        "past the critical one needs more tokens than --tokens.",
    .example = "ceiling size llama-3-70b --tokens 15T --deadline 60d --seq 8192 --global-batch "
               "16Mtok",
    .groups = CLG_TAKES(JOB) | CLG_TAKES(LAYOUT) | CLG_TAKES(CLUSTER),
    .knobs = knobs,
    .words = words,
    .local = local,
    .subject = CLG_SUBJECT_MODEL,
    .busy = "planning clusters",
    .bytes = sizeof(sized),
    .answer = answer,
    .json = write_json,
    .form = {[CLG_FORM_TEXT] = write_text, [CLG_FORM_CSV] = write_csv, [CLG_FORM_SVG] = write_svg}};
