/* laws.c -- critical batch by loss, data and compute. */
#include "scaling/laws.h"

#include "base/real.h"
#include "dataset/dataset.h"
#include "dataset/kept.h"
#include "dataset/open.h"
#include "dataset/value.h"

#include <math.h>

enum { BY_LOSS, BY_DATA, BY_COMPUTE };

static const clg_name bases[] = {{"loss", BY_LOSS, "nats per token"},
                                 {"data", BY_DATA, "training tokens"},
                                 {"compute", BY_COMPUTE, "6 x active parameters x tokens"},
                                 {NULL, 0, NULL}};

/* What a law is a power of. */
typedef struct position {
    double loss, tokens, flop;
} position;

clg_status clg_expected_loss(clg_arena *arena, double parameters, double tokens, double *loss,
                             clg_error *error) {
    double floor_, a, alpha, b, beta;
    const clg_value_field fields[] = {{"floor", CLG_COUNT, &floor_},
                                      {"parameter_scale", CLG_COUNT, &a},
                                      {"parameter_exponent", CLG_COUNT, &alpha},
                                      {"token_scale", CLG_COUNT, &b},
                                      {"token_exponent", CLG_COUNT, &beta}};
    if (CLG_DATASET_NUMBERS(arena, "loss", "chinchilla-2022", fields, error) != CLG_OK)
        return error->status;
    *loss = floor_ + a / clg_pow(parameters, alpha) + b / clg_pow(tokens, beta);
    return CLG_OK;
}

/* coefficient x (x / reference)^exponent; by loss the exponent is that of 1 / loss (values in data/
 * are not negative). */
static clg_status read_law(clg_arena *arena, const clg_file *file, const position *at,
                           clg_batch_law *law, clg_error *error) {
    const clg_json *root;
    const char *basis_word;
    int basis;
    double coefficient, exponent, reference;
    clg_value_field fields[] = {{"coefficient", CLG_TOKENS, &coefficient},
                                {"exponent", CLG_COUNT, &exponent},
                                {"reference", CLG_COUNT, &reference}};
    if (clg_dataset_parse(arena, file->path, file->text, file->size, &root, error) != CLG_OK ||
        clg_json_string(root, "name", NULL, &law->name, file->path, error) != CLG_OK ||
        clg_json_string(root, "title", NULL, &law->title, file->path, error) != CLG_OK ||
        clg_json_string(root, "basis", "data", &basis_word, file->path, error) != CLG_OK ||
        clg_name_value(bases, "basis", basis_word, &basis, error) != CLG_OK)
        return CLG_BAD_INPUT;
    if (basis == BY_DATA) fields[2].dimension = CLG_TOKENS;
    if (clg_value_fields(root, file->path, fields, 3, error) != CLG_OK ||
        clg_value_done(root, file->path, error) != CLG_OK)
        return CLG_BAD_INPUT;
    double x = basis == BY_LOSS ? at->loss : basis == BY_DATA ? at->tokens : at->flop;
    law->tokens = coefficient * clg_pow(x / reference, basis == BY_LOSS ? -exponent : exponent);
    return CLG_OK;
}

static void fill_band(clg_critical_batch *c, double measured_tokens) {
    double product = 1;
    c->low_tokens = INFINITY;
    c->high_tokens = 0;
    for (int i = 0; i < c->count; i++) {
        c->low_tokens = fmin(c->low_tokens, c->law[i].tokens);
        c->high_tokens = fmax(c->high_tokens, c->law[i].tokens);
        product *= clg_pow(c->law[i].tokens, 1.0 / c->count);
    }
    c->tokens = measured_tokens > 0 ? measured_tokens : product;
    c->name = measured_tokens > 0 ? "measured" : "geometric mean of the laws";
    if (measured_tokens > 0) c->low_tokens = c->high_tokens = measured_tokens;
}

clg_status clg_critical_batch_find(clg_arena *arena, const clg_model *model, double train_tokens,
                                   double measured_tokens, clg_critical_batch *critical,
                                   clg_error *error) {
    clg_critical_batch c = {0};
    double active = (double)model->active_parameters;
    position at = {.tokens = train_tokens, .flop = 6 * active * train_tokens};
    if (clg_expected_loss(arena, active, train_tokens, &at.loss, error) != CLG_OK)
        return CLG_BAD_INPUT;
    int files;
    const clg_file *file = clg_dataset_folder("critical-batch/", &files);
    for (int i = 0; i < files && c.count < CLG_BATCH_LAWS; i++)
        if (read_law(arena, &file[i], &at, &c.law[c.count++], error) != CLG_OK)
            return CLG_BAD_INPUT;
    fill_band(&c, measured_tokens);
    *critical = c;
    return CLG_OK;
}

double clg_balanced_parameters(double parameters, double tokens) {
    return sqrt(parameters * tokens / CLG_BALANCED_TOKENS);
}

double clg_samples_ratio(double batch_tokens, double critical_tokens) {
    return isinf(critical_tokens) ? 1 : 1 + batch_tokens / critical_tokens;
}

double clg_tokens_needed(double train_tokens, double batch_tokens, double critical_tokens) {
    if (batch_tokens <= critical_tokens) return train_tokens;
    return train_tokens * clg_samples_ratio(batch_tokens, critical_tokens) / 2;
}

double clg_tokens_as_good(clg_arena *arena, const clg_model *model, double train_tokens,
                          const clg_layout *layout, clg_critical_batch *critical) {
    clg_error none = {0};
    if (layout->adapter.kind != CLG_ADAPTER_NONE ||
        clg_critical_batch_find(arena, model, train_tokens, 0, critical, &none) != CLG_OK)
        return train_tokens;
    return clg_tokens_needed(train_tokens, clg_layout_tokens(layout), critical->tokens);
}
