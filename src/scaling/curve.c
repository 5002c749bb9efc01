/* curve.c -- plans every size, then reads the curve off the plans. */
#include "scaling/curve.h"

#include "evaluate/interval.h"

#include <math.h>

const clg_name clg_scale_mode_names[] = {
    {"strong", CLG_STRONG, "model, batch and tokens stay, GPUs grow"},
    {"weak", CLG_WEAK, "the batch grows with the GPUs: work per GPU stays"},
    {"grow", CLG_GROW, "model, tokens and GPUs grow together"},
    {NULL, 0, NULL}};

/* The nearest batch, by ratio, that many layouts divide: 2 or 3 times a power of two. */
static int64_t divisible(int64_t batch) {
    int64_t power = 1;
    while (power * 2 <= batch) power *= 2;
    double over = (double)batch / (double)power;
    return over < sqrt(1.5) ? power : over < sqrt(3.0) ? power * 3 / 2 : power * 2;
}

/* One site's share of GPUs and batch at a size. */
static clg_space space_at(const clg_space *space, const clg_curve *curve, int i) {
    const clg_scale_point *p = &curve->point[i];
    int sites = curve->request.sites.sites > 1 ? curve->request.sites.sites : 1;
    clg_space at = *space;
    at.gpus = curve->request.gpus[i] / sites;
    at.keep = 1;
    if (p->batch > 0)
        at.global_batch = p->batch;
    else if (p->batch_growth != 1) {
        at.global_batch =
            (int64_t)fmax(1, floor((double)space->global_batch * p->batch_growth + 0.5));
        if (curve->request.mode == CLG_GROW) at.global_batch = divisible(at.global_batch);
    }
    at.global_batch = at.global_batch > sites ? at.global_batch / sites : 1;
    return at;
}

/* What is trained at one size, and with which batch: in weak scaling the first batch times the
 * growth of the GPUs. */
static clg_status choose_model(clg_arena *arena, const clg_scenario *scenario, clg_curve *curve,
                               int i, clg_error *error) {
    const clg_scale_request *request = &curve->request;
    clg_scale_point *p = &curve->point[i];
    clg_grown grown;
    double ratio = (double)request->gpus[i] / (double)request->gpus[0];
    *p = (clg_scale_point){.gpus = request->gpus[i],
                           .why = "not planned: stopped before",
                           .model = &scenario->model,
                           .train_tokens = request->train_tokens,
                           .critical_tokens = curve->critical.tokens,
                           .batch_growth = request->mode == CLG_WEAK ? ratio : 1};
    if (request->mode != CLG_GROW) return CLG_OK;
    if (clg_grow(arena, &request->growth, &scenario->model, i, ratio, request->train_tokens,
                 curve->critical.tokens, &grown, error) != CLG_OK)
        return error->status;
    p->model = grown.model;
    p->train_tokens = grown.train_tokens;
    p->critical_tokens = grown.critical_tokens;
    p->batch_growth = grown.batch_growth;
    p->batch = grown.batch;
    return CLG_OK;
}

static const char *why_none(clg_arena *arena, const clg_found *found) {
    if (!found->has_nearest || !found->nearest.fits) return "nothing fits in memory";
    return clg_arena_print(arena, "nothing is safe: the safest runs out of memory with %.0f %%",
                           100 * clg_evaluation_chance_out(&found->nearest));
}

/* All points of a curve, planned in any order. */
typedef struct planning {
    const clg_scenario *scenario;
    const clg_space *space;
    clg_curve *curve;
} planning;

static void plan_point(void *context, int index, clg_arena *arena) {
    const planning *p = context;
    clg_scale_point *point = &p->curve->point[index];
    clg_space at = space_at(p->space, p->curve, index), *space = &at;
    const clg_sites *sites = &p->curve->request.sites;
    clg_scenario here = *p->scenario;
    clg_error error = {0};
    clg_found found;
    here.model = *point->model;
    here.machine.gpus = (int)space->gpus;
    if (sites->sites > 1 && point->gpus % sites->sites != 0) {
        point->why = clg_arena_print(arena, "%d sites have no equal shares of them", sites->sites);
        return;
    }
    if (clg_search(arena, &here, space, (clg_progress){0}, &found, &error) != CLG_OK)
        point->why = clg_arena_print(arena, "%s", error.message);
    else if (found.count == 0)
        point->why = why_none(arena, &found);
    else {
        point->runs = true;
        point->plan = found.best[0];
        point->outer_exposed_s =
            clg_sites_exposed_s(sites, (double)point->model->parameters, point->plan.step_s);
        clg_sites_join(sites, (double)point->model->parameters, &point->plan);
    }
}

static const clg_scale_point *first_that_runs(const clg_curve *curve) {
    for (int i = 0; i < curve->count; i++)
        if (curve->point[i].runs) return &curve->point[i];
    return NULL;
}

/* dp <= B_crit / (micro-batch x accumulation x seq), at no accumulation, times the GPUs of one
 * model copy at the first size. In weak scaling a copy keeps its share of the batch, so that the
 * batch is the critical one at B_crit / B of the first size's GPUs. */
static double cap_gpus(const clg_curve *curve, const clg_scale_point *first,
                       double critical_tokens) {
    const clg_layout *l = &first->plan.layout;
    if (isinf(critical_tokens)) return INFINITY;
    if (curve->request.mode == CLG_WEAK)
        return (double)first->gpus * critical_tokens / clg_layout_tokens(&first->plan.layout);
    double ranks = floor(critical_tokens / ((double)l->micro_batch * (double)l->seq));
    return fmax(1, ranks) * l->tp * l->cp * l->pp;
}

static void fill_point(clg_curve *curve, const clg_scenario *scenario, const clg_scale_point *first,
                       clg_scale_point *p) {
    const clg_evaluation *e = &p->plan;
    double traffic_s = clg_ledger_traffic_s(&e->time);
    p->efficiency = e->model_flop_per_s_per_gpu / first->plan.model_flop_per_s_per_gpu;
    p->communication_fraction = traffic_s / (e->step_s - traffic_s);
    p->bound_efficiency = 1 / (1 + p->communication_fraction);
    p->samples_ratio = clg_samples_ratio(clg_layout_tokens(&e->layout), p->critical_tokens);
    p->useful_tokens_per_s = e->tokens_per_s / p->samples_ratio;
    p->tokens_needed =
        clg_tokens_needed(p->train_tokens, clg_layout_tokens(&e->layout), p->critical_tokens);
    p->seconds_to_target = p->tokens_needed / e->tokens_per_s;
    p->usd_to_target = p->seconds_to_target * scenario->price.usd_per_s * (double)p->gpus;
    p->joules_to_target = p->seconds_to_target * e->cluster_w;
    p->past_dp_cap = p->past_critical_batch = clg_layout_tokens(&e->layout) > p->critical_tokens;
    if (curve->request.mode != CLG_GROW && (double)p->gpus > curve->dp_cap_gpus)
        p->past_dp_cap = true;
}

/* Work done per second: parameters x tokens, so that a larger model counts as more. */
static double progress_of(const clg_scale_point *p) {
    return (double)p->model->active_parameters * p->train_tokens / p->seconds_to_target;
}

static double per(double gained, double added) { return added > 0 ? gained / added : 0; }

/* Tokens/s of the first size's model that are the same work: parameters x tokens. */
static double tokens_per_s_of(const clg_curve *curve, const clg_scale_point *p) {
    double parameters = (double)first_that_runs(curve)->model->active_parameters;
    return p->plan.tokens_per_s * ((double)p->model->active_parameters / parameters);
}

/* Of the GPUs added since the size before, the share by which something grew that many times. */
static double share_of_added(const clg_scale_point *p, const clg_scale_point *before,
                             double growth) {
    return (growth - 1) / ((double)p->gpus / (double)before->gpus - 1);
}

static void fill_margin(const clg_curve *curve, clg_scale_point *p, const clg_scale_point *before) {
    double gained = tokens_per_s_of(curve, p), gpus = (double)p->gpus, watts = p->plan.cluster_w,
           usd_per_h = p->plan.usd_per_h;
    p->marginal_share = 1;
    if (before && p->gpus > before->gpus) {
        gained -= tokens_per_s_of(curve, before);
        gpus -= (double)before->gpus;
        watts -= before->plan.cluster_w;
        usd_per_h -= before->plan.usd_per_h;
        p->marginal_share = share_of_added(p, before, progress_of(p) / progress_of(before));
    }
    p->marginal_per_gpu = per(gained, gpus);
    p->marginal_per_w = per(gained, watts);
    p->marginal_per_usd_per_h = per(gained, usd_per_h);
}

/* The last size whose total is at most 1/share of the least, both per unit of work; -1 when every
 * size is, or there are no totals. */
static int knee_of(const clg_curve *curve, double (*total)(const clg_scale_point *point)) {
    double least = INFINITY;
    int last = -1, knee = -1;
    for (int i = 0; i < curve->count; i++)
        if (curve->point[i].runs) least = fmin(least, total(&curve->point[i]));
    for (int i = 0; i < curve->count; i++) {
        if (!curve->point[i].runs) continue;
        last = i;
        if (total(&curve->point[i]) * curve->request.knee_share <= least) knee = i;
    }
    return knee == last ? -1 : knee;
}

static double work_of(const clg_scale_point *p) {
    return (double)p->model->active_parameters * p->train_tokens;
}

static double usd_of(const clg_scale_point *p) { return p->usd_to_target / work_of(p); }
static double joules_of(const clg_scale_point *p) { return p->joules_to_target / work_of(p); }

static void fill_margins(clg_curve *curve) {
    const clg_scale_point *before = NULL;
    for (int i = 0; i < curve->count; i++) {
        clg_scale_point *p = &curve->point[i];
        if (!p->runs) continue;
        fill_margin(curve, p, before);
        if (before && curve->knee < 0 && p->marginal_share < curve->request.knee_share) {
            double faster = p->efficiency * (double)p->gpus;
            faster /= before->efficiency * (double)before->gpus;
            curve->knee = (int)(before - curve->point);
            curve->knee_of_batch = share_of_added(p, before, faster) >= curve->request.knee_share;
        }
        before = p;
    }
    curve->knee_usd = before && before->usd_to_target > 0 ? knee_of(curve, usd_of) : -1;
    curve->knee_j = knee_of(curve, joules_of);
}

clg_status clg_scale(clg_arena *arena, const clg_scenario *scenario, const clg_space *space,
                     const clg_scale_request *request, clg_progress progress, clg_curve *curve,
                     clg_error *error) {
    *curve = (clg_curve){
        .request = *request, .count = request->count, .knee = -1, .knee_usd = -1, .knee_j = -1};
    const char *why = clg_scenario_refuses(arena, scenario, space->precision);
    if (why) return clg_fail(error, CLG_BAD_INPUT, NULL, "%s", why);
    if (clg_critical_batch_find(arena, &scenario->model, request->train_tokens,
                                request->critical_tokens, &curve->critical, error) != CLG_OK)
        return CLG_BAD_INPUT;
    planning all = {scenario, space, curve};
    for (int i = 0; i < request->count; i++)
        if (choose_model(arena, scenario, curve, i, error) != CLG_OK) return error->status;
    clg_cores_each(progress, arena, request->count, plan_point, &all);
    for (int i = 0; i < request->count; i++)
        if (clg_sites_penalty(arena, &request->sites, (double)curve->point[i].model->parameters,
                              &curve->point[i].penalty, error) != CLG_OK)
            return error->status;
    const clg_scale_point *first = first_that_runs(curve);
    curve->dp_cap_gpus = first ? cap_gpus(curve, first, curve->critical.tokens) : INFINITY;
    curve->dp_cap_low_gpus = first ? cap_gpus(curve, first, curve->critical.low_tokens) : INFINITY;
    curve->dp_cap_high_gpus =
        first ? cap_gpus(curve, first, curve->critical.high_tokens) : INFINITY;
    for (int i = 0; first && i < curve->count; i++)
        if (curve->point[i].runs) fill_point(curve, scenario, first, &curve->point[i]);
    fill_margins(curve);
    return CLG_OK;
}
