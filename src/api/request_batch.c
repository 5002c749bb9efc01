/* request_batch.c -- the batch of a request: sequences as they are, or tokens. */
#include "api/request_parts.h"
#include "layout/batch.h"
#include "scaling/laws.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool in_tokens(const char *text) { return strstr(text, "tok") != NULL; }

static clg_status read_tokens(const char *text, clg_space *space, clg_error *error) {
    double tokens;
    if (clg_quantity(text, CLG_TOKENS, &tokens, error) != CLG_OK) return CLG_BAD_INPUT;
    if (!(tokens * 2 >= (double)space->seq))
        return clg_fail(error, CLG_BAD_INPUT, "raise it", "less than one sequence of %lld tokens",
                        (long long)space->seq);
    if (tokens / (double)space->seq > 1e9)
        return clg_fail(error, CLG_BAD_INPUT, "give 1 to 1e9 sequences", "'%.32s' is out of range",
                        text);
    space->batch_tokens = tokens;
    space->global_batch = clg_batch_of_tokens(tokens, space->seq, space->gpus);
    return CLG_OK;
}

/* Four times what is noted as more than any published run took: who says so meant tokens. */
static const double MOST_TOKENS = 1e9;

static clg_status read_sequences(const char *text, clg_space *space, clg_error *error) {
    double count;
    if (clg_request_count(text, &count, error) != CLG_OK) {
        snprintf(error->mend, sizeof error->mend, "give sequences (1024) or tokens (4Mtok)");
        return CLG_BAD_INPUT;
    }
    if (count < 1 || count > 1e9)
        return clg_fail(error, CLG_BAD_INPUT, "give 1 to 1000000000", "'%.32s' is out of range",
                        text);
    double tokens = count * (double)space->seq;
    if (tokens > MOST_TOKENS) {
        char mend[48];
        snprintf(mend, sizeof mend, "write %.24stok for tokens", text);
        return clg_fail(
            error, CLG_BAD_INPUT, mend,
            "sequences or tokens? %.24s sequences are %.3g Gtok, more than any run took", text,
            tokens / 1e9);
    }
    space->global_batch = (int64_t)count;
    return CLG_OK;
}

/* What a few tokens are trained on is in batches up to the critical one, in twos: the usual batch
 * would take many times the tokens. */
static clg_status keep_to_critical(clg_arena *arena, const clg_request *request,
                                   const clg_model *model, clg_space *space, clg_error *error) {
    double tokens, measured, seq = (double)space->seq, sequences = 1;
    clg_critical_batch critical;
    if (clg_request_number(request, CLG_PARAM_TOKENS, &tokens, error) != CLG_OK ||
        clg_request_critical_batch(request, &measured, error) != CLG_OK ||
        clg_critical_batch_find(arena, model, tokens, measured, &critical, error) != CLG_OK)
        return error->status;
    if (critical.tokens >= space->batch_tokens) return CLG_OK;
    while (2 * sequences * seq <= critical.tokens) sequences *= 2;
    space->batch_tokens = sequences * seq;
    space->batch_critical_for = tokens;
    space->global_batch = clg_batch_of_tokens(space->batch_tokens, space->seq, space->gpus);
    return CLG_OK;
}

clg_status clg_request_batch(clg_arena *arena, const clg_request *request, const clg_model *model,
                             clg_space *space, clg_error *error) {
    const char *given = request->value[CLG_PARAM_GLOBAL_BATCH];
    if (!given && space->seq > 4000000) { /* the usual batch is not one sequence */
        space->global_batch = 1;
        return CLG_OK;
    }
    const char *text = clg_request_word(request, CLG_PARAM_GLOBAL_BATCH);
    clg_status status =
        in_tokens(text) ? read_tokens(text, space, error) : read_sequences(text, space, error);
    if (status == CLG_OK && !given && request->value[CLG_PARAM_TOKENS])
        return keep_to_critical(arena, request, model, space, error);
    return clg_request_at_flag(status, CLG_PARAM_GLOBAL_BATCH, error);
}

clg_status clg_request_critical_batch(const clg_request *request, double *tokens,
                                      clg_error *error) {
    const char *word = request->value[CLG_PARAM_CRITICAL_BATCH];
    if (word && strcmp(word, "none") == 0) {
        *tokens = INFINITY;
        return CLG_OK;
    }
    return clg_request_number(request, CLG_PARAM_CRITICAL_BATCH, tokens, error);
}
