/* request_parts.h -- internal to api/: what the files that read a request share.
 *
 * All return error->status, with the flag named in the sentence. */
#ifndef CLG_API_REQUEST_PARTS_H
#define CLG_API_REQUEST_PARTS_H

#include "api/request.h"
#include "demand/demand.h"
#include "economics/goodput.h"
#include "serve/replica.h"

/* Names the flag in an error that a lower layer filled without naming a file; passes the status
 * through. */
clg_status clg_request_at_flag(clg_status status, clg_param param, clg_error *error);

/* The same on another GPU, by name, in its own box at its own price. */
clg_request *clg_request_on_gpu(clg_arena *arena, const clg_request *request, const char *gpu);

/* A whole number from 0 to 1e12. */
clg_status clg_request_count(const char *text, double *number, clg_error *error);

/* One number of GPUs: 1024, "1,024", or nodes by GPUs per node, "128x8". */
clg_status clg_request_gpus(const char *text, double *number, clg_error *error);

/* A text as the number of a knob, within its range. */
clg_status clg_request_parse(clg_param_row row, const char *text, double *number, clg_error *error);

/* The value that a table has for a word of a knob; as it was where nothing is written and the knob
 * has no default. `what` names the thing in the sentence that refuses a word. */
clg_status clg_request_name(const clg_request *request, clg_param param, const clg_name *names,
                            const char *what, int *value, clg_error *error);

clg_status clg_request_precision(const clg_request *request, clg_param param,
                                 clg_precision *precision, clg_error *error);

/* What a word of a knob is called here: "tensorrt-llm" is trtllm (data/value-words.csv). Words that
 * nobody knows stay. */
clg_status clg_request_meant(clg_arena *arena, clg_param param, const char **word,
                             clg_error *error);

/* The value that a table has for a word: "FP8", "adamw_bnb_8bit". */
clg_status clg_request_named(clg_param param, const clg_name *names, const char *what,
                             const char *word, int *value, clg_error *error);

/* Several numbers in one go: knob, and where it goes. */
typedef struct clg_wanted_number {
    clg_param param;
    double *into;
} clg_wanted_number;

clg_status clg_request_numbers(const clg_request *request, const clg_wanted_number *row,
                               size_t count, clg_error *error);
#define CLG_REQUEST_NUMBERS(request, rows, error)                                                  \
    clg_request_numbers(request, rows, sizeof rows / sizeof rows[0], error)

/* What running a cluster loses and costs: the data's, but for what is said. */
clg_status clg_request_operations(clg_arena *arena, const clg_request *request,
                                  clg_operations *operations, clg_error *error);
clg_status clg_request_owning(const clg_request *request, clg_owning *owning, clg_error *error);

/* The price of GPUs of one's own, where --capex says what one costs: written off over --life, and
 * drawing as if always busy. Else `price` stays. */
clg_status clg_request_owned(clg_arena *arena, const clg_request *request,
                             const clg_machine *machine, const clg_operations *operations,
                             clg_price *price, clg_error *error);

/* Who asks for what when: from --trace, --profile or numbers, on the cores that are lent. */
clg_status clg_request_demand(clg_arena *arena, const clg_request *request, const clg_cores *cores,
                              clg_demand *demand, clg_error *error);

/* Without what is said of made-up requests: for one that has a trace. */
void clg_request_drop_made_up(clg_request *request);

/* How a model is served, zeros where that is left to the engine; of `space` precision and degrees.
 */
clg_status clg_request_replica(const clg_request *request, const clg_model *model,
                               const clg_space *space, clg_replica_choice *choice,
                               clg_error *error);

/* Of one GPU: a rate, or the name of a price in the data that is one of this GPU; the cheapest on
 * demand where nothing is said, usd_per_s 0 where none is known. */
clg_status clg_request_price(clg_arena *arena, const clg_request *request, const clg_gpu *gpu,
                             clg_price *price, clg_error *error);

/* The layouts that are asked for; the scenario's machine and software are read. */
clg_status clg_request_space(clg_arena *arena, const clg_request *request, bool gpus_needed,
                             const clg_scenario *scenario, clg_space *space, clg_error *error);

/* Adapters, and how the frozen model beside them is stored. */
clg_status clg_request_adapter(const clg_request *request, clg_adapter *adapter, clg_error *error);

/* The batch into a space that has its sequence length and its GPUs. Sequences are taken as they
 * are; tokens, and where nothing is given the usual tokens, become sequences. */
clg_status clg_request_batch(clg_arena *arena, const clg_request *request, const clg_model *model,
                             clg_space *space, clg_error *error);

/* Measured critical batch, INFINITY for "none", 0 where it is left to the laws. */
clg_status clg_request_critical_batch(const clg_request *request, double *tokens, clg_error *error);

#endif
