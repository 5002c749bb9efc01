/* local.c -- the time that distance costs, and the loss that meeting seldom does. */
#include "scaling/local.h"

#include "base/real.h"
#include "dataset/dataset.h"
#include "dataset/kept.h"
#include "dataset/value.h"

#include <math.h>

double clg_sites_exposed_s(const clg_sites *s, double parameters, double step_s) {
    if (s->sites < 2) return 0;
    double steps = s->inner_steps > 0 ? s->inner_steps : 1;
    double bytes = 2.0 * (s->sites - 1) / s->sites * parameters * s->exchange_bytes;
    double seconds = bytes / s->bytes_per_s / steps;
    return s->streamed ? fmax(0, seconds - step_s) : seconds;
}

/* All copies are data-parallel ranks; shards stay within a site. */
static void join_layout(const clg_sites *s, clg_layout *l) {
    if (l->zero > 0 && l->hsdp == 0) l->hsdp = l->dp;
    l->dp *= s->sites;
    l->global_batch *= s->sites;
}

void clg_sites_join(const clg_sites *s, double parameters, clg_evaluation *e) {
    if (s->sites < 2) return;
    double exposed_s = clg_sites_exposed_s(s, parameters, e->step_s), alone_s = e->step_s;
    double slower = alone_s / (alone_s + exposed_s), all = s->sites;
    join_layout(s, &e->layout);
    e->time.dp_exposed_s += exposed_s;
    e->step_s += exposed_s;
    e->step_p10_s += exposed_s;
    e->step_p90_s += exposed_s;
    e->tokens_per_s *= all * slower;
    e->tokens_per_s_per_gpu *= slower;
    e->model_flop *= all;
    e->executed_flop *= all;
    e->mfu *= slower;
    e->hfu *= slower;
    e->model_flop_per_s_per_gpu *= slower;
    e->cluster_w *= all; /* while they wait they draw as if they trained: a little too much */
    e->step_j = e->cluster_w * e->step_s;
    e->tokens_per_j = e->tokens_per_s / e->cluster_w;
    e->usd_per_h *= all;
    e->usd_per_million_tokens /= slower;
}

/* loss = scale x parameters^-exponent x copies^copies_exponent */
typedef struct law {
    double copies, scale, exponent, copies_exponent;
} law;

enum { LAWS = 4 };
typedef struct laws {
    law parallel, joint, of[LAWS]; /* of: by number of copies, ascending */
    double residual, least_parameters, most_parameters;
} laws;

static clg_status read_law(const clg_json *root, const char *key, const char *file, law *l,
                           clg_error *error) {
    const clg_json *object = clg_json_member(root, key);
    const clg_value_field fields[] = {{"copies", CLG_COUNT, &l->copies},
                                      {"scale", CLG_COUNT, &l->scale},
                                      {"exponent", CLG_COUNT, &l->exponent},
                                      {"copies_exponent", CLG_COUNT, &l->copies_exponent}};
    if (object) return clg_value_fields(object, file, fields, 4, error);
    clg_error_at(error, file, root->line, root->column, key);
    return clg_fail(error, CLG_BAD_INPUT, NULL, "this law is missing");
}

static clg_status read_laws(clg_arena *arena, laws *all, clg_error *error) {
    static const char *const keys[LAWS] = {"copies_1", "copies_2", "copies_4", "copies_8"};
    const clg_file *file = clg_dataset_find("local-sgd/2025.json");
    const clg_json *root;
    if (!file) return clg_fail(error, CLG_BAD_INPUT, NULL, "laws of local SGD are not built in");
    if (clg_dataset_parse(arena, file->path, file->text, file->size, &root, error) != CLG_OK ||
        read_law(root, "data_parallel", file->path, &all->parallel, error) != CLG_OK ||
        read_law(root, "joint", file->path, &all->joint, error) != CLG_OK)
        return CLG_BAD_INPUT;
    for (int i = 0; i < LAWS; i++)
        if (read_law(root, keys[i], file->path, &all->of[i], error) != CLG_OK) return CLG_BAD_INPUT;
    const clg_value_field fields[] = {{"residual", CLG_COUNT, &all->residual},
                                      {"least_parameters", CLG_COUNT, &all->least_parameters},
                                      {"most_parameters", CLG_COUNT, &all->most_parameters}};
    if (clg_value_fields(root, file->path, fields, 3, error) != CLG_OK) return error->status;
    return clg_value_done(root, file->path, error);
}

static double loss_of(const law *l, double parameters, double copies) {
    return l->scale / clg_pow(parameters, l->exponent) * clg_pow(copies, l->copies_exponent);
}

/* Between two laws by the logarithm of the copies, beyond the last by the joint law's growth. */
static double loss_between(const laws *all, double parameters, double copies) {
    int i = 1;
    while (i < LAWS - 1 && all->of[i].copies < copies) i++;
    const law *few = &all->of[i - 1], *many = &all->of[i];
    double most = loss_of(many, parameters, 1);
    if (copies > many->copies)
        return most * clg_pow(copies / many->copies, all->joint.copies_exponent);
    double at = log(copies / few->copies) / log(many->copies / few->copies);
    return loss_of(few, parameters, 1) * (1 - at) + most * at;
}

clg_status clg_sites_penalty(clg_arena *arena, const clg_sites *s, double parameters,
                             clg_loss_penalty *penalty, clg_error *error) {
    laws all = {0};
    *penalty = (clg_loss_penalty){0};
    if (s->inner_steps == 0) return CLG_OK;
    if (read_laws(arena, &all, error) != CLG_OK) return error->status;
    double size = fmin(fmax(parameters, all.least_parameters), all.most_parameters);
    double copies = s->sites > 1 ? s->sites : 1, base = loss_of(&all.parallel, size, 1);
    double apart = loss_between(&all, size, copies) / base - 1;
    double joint = loss_of(&all.joint, size, copies) / base - 1;
    *penalty = (clg_loss_penalty){.low = fmin(apart, joint) - all.residual,
                                  .expected = apart,
                                  .high = fmax(apart, joint) + all.residual,
                                  .beyond = size != parameters || copies > all.of[LAWS - 1].copies};
    return CLG_OK;
}
