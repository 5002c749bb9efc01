/* request_replica.c -- how a model is to be served: formats, limits, what may be left to the
 * engine. */
#include "api/request_parts.h"

#include <math.h>
#include <stdlib.h>

/* P:D */
static clg_status read_split(const clg_request *request, clg_replica_choice *choice,
                             clg_error *error) {
    const char *word = request->value[CLG_PARAM_DISAGGREGATE];
    char *end = NULL;
    if (!word) return CLG_OK;
    long prefills = strtol(word, &end, 10), decodes = *end == ':' ? strtol(end + 1, &end, 10) : 0;
    if (*end || prefills < 1 || prefills > 1024 || decodes < 1 || decodes > 1024)
        return clg_fail(error, CLG_BAD_INPUT, "give --disaggregate 1:2",
                        "'%.40s' is no pair of prefill and decode replicas", word);
    choice->prefills = (int)prefills;
    choice->decodes = (int)decodes;
    return CLG_OK;
}

static clg_status read_speculation(const clg_request *request, clg_replica_choice *choice,
                                   clg_error *error) {
    double drafted;
    const clg_wanted_number rows[] = {{CLG_PARAM_SPECULATE, &drafted},
                                      {CLG_PARAM_ACCEPT, &choice->accepted}};
    if (CLG_REQUEST_NUMBERS(request, rows, error) != CLG_OK) return error->status;
    if (request->value[CLG_PARAM_ACCEPT] && drafted <= 0 && !request->value[CLG_PARAM_SEARCH] &&
        !request->value[CLG_PARAM_LEVERS])
        return clg_fail(error, CLG_BAD_USAGE, "add --speculate 3, or --search",
                        "--accept is a share of proposed tokens, and none are proposed");
    choice->drafted = (int)drafted;
    choice->proposes = request->value[CLG_PARAM_ACCEPT] != NULL;
    return CLG_OK;
}

/* Adapters that share the base: all of one rank, beside the same modules. */
static clg_status read_adapters(const clg_request *request, clg_replica_choice *choice,
                                clg_error *error) {
    double adapters, rank;
    const clg_wanted_number rows[] = {{CLG_PARAM_ADAPTERS, &adapters},
                                      {CLG_PARAM_ADAPTER_RANK, &rank}};
    if (!request->value[CLG_PARAM_ADAPTERS]) return CLG_OK;
    if (CLG_REQUEST_NUMBERS(request, rows, error) != CLG_OK) return error->status;
    choice->adapters = (int)adapters;
    return clg_request_at_flag(
        clg_adapter_read("lora", rank, clg_request_word(request, CLG_PARAM_ADAPTER_TARGETS), NULL,
                         &choice->adapter, error),
        CLG_PARAM_ADAPTER_TARGETS, error);
}

/* Weights as asked, else in the precision asked for, else as the model is published. */
static clg_status read_weights(const clg_request *request, const clg_model *model,
                               const clg_space *space, clg_precision *weights, clg_error *error) {
    bool asked_for = request->value[CLG_PARAM_WEIGHTS] || request->value[CLG_PARAM_PRECISION];
    if (model->stored_unknown && !asked_for)
        return clg_fail(error, CLG_BAD_INPUT, "give --weights, the nearest of those in --help",
                        "%s is published in a format that is not modelled (%.40s)", model->name,
                        model->stored_unknown);
    *weights = asked_for ? space->precision : model->stored;
    return clg_request_precision(request, CLG_PARAM_WEIGHTS, weights, error);
}

clg_status clg_request_replica(const clg_request *request, const clg_model *model,
                               const clg_space *space, clg_replica_choice *choice,
                               clg_error *error) {
    double sequences, tokens, blocks, servers;
    const clg_wanted_number rows[] = {{CLG_PARAM_MAX_SEQUENCES, &sequences},
                                      {CLG_PARAM_MAX_TOKENS, &tokens},
                                      {CLG_PARAM_BLOCKS, &blocks},
                                      {CLG_PARAM_API_SERVERS, &servers},
                                      {CLG_PARAM_MEMORY_SHARE, &choice->memory_share},
                                      {CLG_PARAM_HOST_CACHE, &choice->host_bytes},
                                      {CLG_PARAM_HOST_BANDWIDTH, &choice->host_bytes_per_s}};
    choice->cache = clg_replica_cache(model);
    if (CLG_REQUEST_NUMBERS(request, rows, error) != CLG_OK ||
        read_weights(request, model, space, &choice->weights, error) != CLG_OK ||
        clg_request_precision(request, CLG_PARAM_CACHE, &choice->cache, error) != CLG_OK)
        return error->status;
    if (read_split(request, choice, error) != CLG_OK ||
        read_speculation(request, choice, error) != CLG_OK ||
        read_adapters(request, choice, error) != CLG_OK)
        return error->status;
    choice->no_prefix_cache = request->value[CLG_PARAM_NO_PREFIX_CACHE] != NULL;
    choice->in_turn = request->value[CLG_PARAM_IN_TURN] != NULL;
    choice->dp = space->dp.count > 0 ? space->dp.value[0] : 0;
    choice->ep = space->ep.count > 0 ? space->ep.value[0] : 0;
    choice->tp = space->tp.count > 0 ? space->tp.value[0] : 0;
    choice->pp = space->pp.count > 0 ? space->pp.value[0] : 0;
    int ranks = choice->dp > 1 ? choice->dp : 1; /* engines' limits are of each */
    choice->max_sequences = (int)fmin(sequences * ranks, 1 << 20);
    choice->max_tokens = (int)fmin(tokens * ranks, 1 << 24);
    choice->front_ends = (int)servers;
    choice->blocks = (int64_t)blocks;
    return CLG_OK;
}
