/* command_size.c -- how many GPUs to rent, and of which kind. */
#include "cli/planning.h"

#include "dataset/dataset.h"
#include "report/cluster.h"

#include <string.h>

enum { OFFERS = 64, MOST_GPUS = 65536 };

static clg_status read_limits(clg_session *session, clg_limits *limits, double *tokens,
                              clg_error *error) {
    const clg_request *r = &session->request;
    if (clg_request_number(r, CLG_PARAM_DEADLINE, 0, &limits->deadline_s, error) != CLG_OK ||
        clg_request_number(r, CLG_PARAM_BUDGET, 0, &limits->budget_usd, error) != CLG_OK ||
        clg_request_number(r, CLG_PARAM_POWER, 0, &limits->power_w, error) != CLG_OK ||
        clg_request_number(r, CLG_PARAM_TOKENS, 0, tokens, error) != CLG_OK)
        return error->status;
    if (*tokens <= 0)
        return clg_fail(error, CLG_BAD_USAGE, "say how many: --tokens 15T", "--tokens is missing");
    if (limits->deadline_s > 0 || limits->budget_usd > 0 || limits->power_w > 0) return CLG_OK;
    return clg_fail(error, CLG_BAD_USAGE, "give --deadline 60d, --budget 20MUSD or --power 5MW",
                    "there is no limit to size for");
}

static clg_status read_operations(clg_session *session, clg_operations *o, clg_owning *own,
                                  double *grams_per_joule, clg_error *error) {
    const clg_request *r = &session->request;
    if (clg_operations_default(session->arena, o, error) != CLG_OK ||
        clg_request_number(r, CLG_PARAM_FAILURES, o->failures_per_gpu_s, &o->failures_per_gpu_s,
                           error) != CLG_OK ||
        clg_request_number(r, CLG_PARAM_RESTART, o->restart_s, &o->restart_s, error) != CLG_OK ||
        clg_request_number(r, CLG_PARAM_PUE, o->pue, &o->pue, error) != CLG_OK ||
        clg_request_number(r, CLG_PARAM_ELECTRICITY, o->usd_per_joule, &o->usd_per_joule, error) !=
            CLG_OK ||
        clg_request_number(r, CLG_PARAM_CARBON, 0, grams_per_joule, error) != CLG_OK ||
        clg_request_number(r, CLG_PARAM_CAPEX, 0, &own->capex_usd, error) != CLG_OK ||
        clg_request_number(r, CLG_PARAM_LIFE, 1461 * 86400.0, &own->life_s, error) != CLG_OK ||
        clg_request_number(r, CLG_PARAM_UTILIZATION, 0.8, &own->utilization, error) != CLG_OK)
        return error->status;
    if (o->pue < 1)
        return clg_fail(error, CLG_BAD_INPUT, "it is 1 or more", "--pue is out of range");
    if (own->utilization <= 0 || own->utilization > 1 || own->life_s <= 0)
        return clg_fail(error, CLG_BAD_INPUT, "a share above 0, a life above 0",
                        "--utilization or --life is out of range");
    return CLG_OK;
}

/* Kinds that can be had on demand or at the price given: a year's contract beside an hour's rent
 * would compare contracts, not machines. */
static bool comparable(const clg_price *price, bool given) {
    return price->usd_per_s > 0 && (given || clg_price_on_demand(price));
}

/* One offer per GPU kind that can be compared, or the one asked for. */
static clg_status read_offers(clg_session *session, clg_offer *offers, int *count, clg_space *space,
                              clg_error *error) {
    clg_request *r = &session->request;
    bool one = r->value[CLG_PARAM_GPU] || r->value[CLG_PARAM_NODE];
    int files;
    const clg_file *file = clg_dataset_folder("gpu/", &files);
    r->value[CLG_PARAM_GPUS] = "8";
    *count = 0;
    for (int i = 0; i < (one ? 1 : files) && *count < OFFERS; i++) {
        const char *slash = strchr(file[i].path, '/') + 1;
        if (!one)
            r->value[CLG_PARAM_GPU] =
                clg_arena_copy(session->arena, slash, strlen(slash) - strlen(".json"));
        clg_offer *offer = &offers[*count];
        if (clg_planning_read(session, &offer->scenario, space, error) != CLG_OK)
            return error->status;
        if (one || comparable(&offer->scenario.price, r->value[CLG_PARAM_PRICE] != NULL))
            (*count)++;
    }
    return CLG_OK;
}

static bool tell(void *context, double share) {
    clg_progress_tell(context, "planning clusters", share);
    return true;
}

static clg_status run(clg_session *session, clg_error *error) {
    clg_limits limits;
    clg_operations operations;
    clg_owning owning;
    clg_space space;
    double tokens, grams_per_joule;
    int count;
    clg_offer *offers = clg_take(session->arena, OFFERS, clg_offer);
    clg_clusters *clusters = clg_take(session->arena, 1, clg_clusters);
    if (read_limits(session, &limits, &tokens, error) != CLG_OK ||
        read_operations(session, &operations, &owning, &grams_per_joule, error) != CLG_OK ||
        read_offers(session, offers, &count, &space, error) != CLG_OK ||
        clg_size(session->arena, offers, count, &space, &operations, &limits, tokens, MOST_GPUS,
                 (clg_progress){tell, session}, clusters, error) != CLG_OK)
        return error->status;
    clg_progress_end(session);
    if (clg_session_has(session, CLG_PARAM_JSON)) {
        clg_json_writer writer = {.text = &session->out, .pretty = true};
        clg_json_size(&writer, clusters, &operations, &owning, tokens, grams_per_joule);
        clg_text_print(&session->out, "\n");
    } else
        clg_report_clusters(&session->out, clusters, &limits, &operations, &owning, tokens,
                            grams_per_joule);
    return CLG_OK;
}

static const clg_param knobs[] = {CLG_PARAM_GPU,   CLG_PARAM_NODE,  CLG_PARAM_FABRIC,
                                  CLG_PARAM_STACK, CLG_PARAM_PRICE, CLG_PARAM_JSON,
                                  CLG_PARAM_COLOR, CLG_PARAMS};

const clg_command clg_command_size = {
    .name = "size",
    .operands = "MODEL",
    .summary = "which cluster meets a deadline, a budget or a power limit",
    .details =
        "Plans every GPU kind with a known on-demand price (or the one given) at every size up to "
        "65,536, with failures, checkpoints and restarts. Within a deadline money decides; "
        "without one, time does.",
    .example = "ceiling size llama-3-70b --tokens 15T --deadline 60d --seq 8192 --global-batch "
               "16Mtok",
    .groups = CLG_TAKES(JOB) | CLG_TAKES(LAYOUT) | CLG_TAKES(CLUSTER),
    .knobs = knobs,
    .least = 1,
    .most = 1,
    .run = run};
