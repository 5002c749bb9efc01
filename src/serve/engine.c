/* engine.c -- reading data/engine, data/serve and data/api-price. */
#include "serve/engine.h"

#include "dataset/dataset.h"
#include "dataset/value.h"

#include <math.h>
#include <string.h>

#define READ(object, file, fields, error)                                                          \
    clg_value_fields(object, file, fields, sizeof fields / sizeof fields[0], error)

static const char *word(const clg_json *object, const char *key) {
    const clg_json *member = clg_json_member(object, key);
    return member && member->kind == CLG_JSON_STRING ? member->text : "";
}

/* The built-in file folder/name.json, or an error with the nearest name. */
static clg_status open_file(clg_arena *arena, const char *folder, const char *name,
                            const clg_file **file, clg_json **root, clg_error *error) {
    *file = clg_dataset_find(clg_arena_print(arena, "%s/%.64s.json", folder, name));
    if (*file)
        return clg_json_parse(arena, (*file)->path, (*file)->text, (*file)->size, root, error);
    int count;
    const clg_file *files = clg_dataset_folder(clg_arena_print(arena, "%s/", folder), &count);
    const char **names = clg_take(arena, (size_t)count + 1, const char *);
    size_t skip = strlen(folder) + 1;
    for (int i = 0; i < count; i++)
        names[i] = clg_arena_copy(arena, files[i].path + skip, strlen(files[i].path) - skip - 5);
    const char *nearest = clg_name_nearest(names, count, name);
    return clg_fail(error, CLG_BAD_INPUT,
                    nearest ? clg_arena_print(arena, "did you mean %s?", nearest) : NULL,
                    "there is no %s '%.64s'", folder, name);
}

int clg_graph_padded(const clg_graph_sizes *sizes, int sequences) {
    int from = 0;
    for (int i = 0; i < sizes->count; from = sizes->to[i++]) {
        if (sequences > sizes->to[i]) continue;
        int step = sizes->step[i], size = from + (sequences - from + step - 1) / step * step;
        return size < sizes->to[i] ? size : sizes->to[i];
    }
    return 0;
}

/* Pairs of where a stretch ends and its step; ends rise. */
static clg_status read_graphs(const clg_json *object, const char *file, clg_graph_sizes *sizes,
                              clg_error *error) {
    const clg_json *list = object ? clg_json_member(object, "value") : NULL;
    for (const clg_json *pair = list ? list->first : NULL; pair; pair = pair->next) {
        const clg_json *to = pair->first, *step = to ? to->next : NULL;
        int last = sizes->count > 0 ? sizes->to[sizes->count - 1] : 0;
        bool good = step && to->kind == CLG_JSON_NUMBER && step->kind == CLG_JSON_NUMBER &&
                    to->number > last && to->number < 1e6 && step->number >= 1 &&
                    step->number < 1e6 && sizes->count < CLG_GRAPH_STRETCHES;
        if (!good) {
            clg_error_at(error, file, pair->line, pair->column, "graphs");
            return clg_fail(error, CLG_BAD_INPUT, "give pairs [to, step] whose ends rise",
                            "sizes of graphs that cannot be read");
        }
        sizes->to[sizes->count] = (int)to->number;
        sizes->step[sizes->count++] = (int)step->number;
    }
    return CLG_OK;
}

/* What an engine may say of limits and memory by GPU. */
static clg_status read_by_gpu(const clg_json *root, const char *file, clg_engine *e,
                              clg_error *error) {
    const clg_value_field fields[] = {{"large_memory", CLG_BYTES, &e->large_memory_bytes},
                                      {"large_sequences", CLG_COUNT, &e->large_sequences},
                                      {"large_tokens", CLG_COUNT, &e->large_tokens},
                                      {"reserve", CLG_BYTES, &e->reserve_bytes},
                                      {"reserve_token", CLG_BYTES, &e->reserve_token_bytes},
                                      {"reserve_graph", CLG_BYTES, &e->reserve_graph_bytes},
                                      {"reserve_rank", CLG_BYTES, &e->reserve_rank_bytes},
                                      {"reserve_least", CLG_BYTES, &e->reserve_least_bytes},
                                      {"graph_most", CLG_COUNT, &e->graph_most},
                                      {"graph_most_narrow", CLG_COUNT, &e->graph_most_narrow},
                                      {"logit_bytes", CLG_BYTES, &e->logit_bytes},
                                      {"state_bytes", CLG_BYTES, &e->state_bytes},
                                      {"state_pages", CLG_COUNT, &e->state_pages},
                                      {"state_pool", CLG_COUNT, &e->state_pool},
                                      {"state_slots", CLG_COUNT, &e->state_slots},
                                      {"state_blocks", CLG_COUNT, &e->state_blocks},
                                      {"filter", CLG_SECONDS, &e->filter_s},
                                      {"filter_logit", CLG_BYTES, &e->filter_logit_bytes},
                                      {"whole_windows", CLG_COUNT, &e->whole_windows},
                                      {"no_windows", CLG_COUNT, &e->no_windows},
                                      {"chunk_reads", CLG_COUNT, &e->chunk_reads},
                                      {"position_bytes", CLG_BYTES, &e->position_bytes},
                                      {"dense_prompt", CLG_COUNT, &e->dense_prompt_tokens}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (clg_value_read(root, fields[i].key, fields[i].dimension, false, file, fields[i].into,
                           error) != CLG_OK)
            return error->status;
    return CLG_OK;
}

clg_status clg_engine_find(clg_arena *arena, const char *name, clg_engine *e, clg_error *error) {
    const clg_file *file;
    clg_json *root;
    if (open_file(arena, "engine", name, &file, &root, error) != CLG_OK) return error->status;
    *e = (clg_engine){.name = word(root, "name"), .title = word(root, "title"), .file = file->path};
    const clg_value_field fields[] = {
        {"memory_share", CLG_FRACTION, &e->memory_share},
        {"free_share", CLG_COUNT, &e->free_share},
        {"static_share", CLG_COUNT, &e->static_share},
        {"other", CLG_BYTES, &e->other_bytes},
        {"block_tokens", CLG_COUNT, &e->block_tokens},
        {"max_sequences", CLG_COUNT, &e->max_sequences},
        {"max_tokens", CLG_COUNT, &e->max_tokens},
        {"step", CLG_SECONDS, &e->step_s},
        {"layer", CLG_SECONDS, &e->layer_s},
        {"sequence", CLG_SECONDS, &e->sequence_s},
        {"loop", CLG_SECONDS, &e->loop_s},
        {"loop_sequence", CLG_SECONDS, &e->loop_sequence_s},
        {"eager_layer", CLG_SECONDS, &e->eager_layer_s},
        {"eager_expert", CLG_SECONDS, &e->eager_expert_s},
        {"eager_step", CLG_SECONDS, &e->eager_step_s},
        {"launch_share", CLG_FRACTION, &e->launch_share},
        {"launch_share_blackwell", CLG_FRACTION, &e->launch_share_blackwell},
        {"graph_tokens", CLG_COUNT, &e->graph_tokens},
        {"before", CLG_SECONDS, &e->before_s},
        {"turn", CLG_SECONDS, &e->turn_s},
        {"prompt_token", CLG_SECONDS, &e->prompt_token_s},
        {"random_token", CLG_SECONDS, &e->random_token_s},
        {"graph_context", CLG_COUNT, &e->graph_context},
        {"after", CLG_SECONDS, &e->after_s},
        {"token", CLG_SECONDS, &e->token_s},
        {"sigma_first", CLG_COUNT, &e->sigma_first},
        {"sigma_token", CLG_COUNT, &e->sigma_token},
        {"sigma_rate", CLG_COUNT, &e->sigma_rate},
        {"reserve_output", CLG_COUNT, &e->reserve_output},
        {"prefill_alone", CLG_COUNT, &e->prefill_alone},
        {"whole_prompts", CLG_COUNT, &e->whole_prompts},
        {"overlapped", CLG_COUNT, &e->overlapped},
        {"query_reads", CLG_COUNT, &e->query_reads},
        {"narrow_cache", CLG_COUNT, &e->narrow_cache},
        {"narrow_weights", CLG_COUNT, &e->narrow_weights},
        {"cutlass_experts", CLG_COUNT, &e->cutlass_experts},
        {"static_scales", CLG_COUNT, &e->static_scales},
        {"deepgemm", CLG_SECONDS, &e->deepgemm_s},
        {"gathers", CLG_COUNT, &e->gathers},
        {"deepep", CLG_COUNT, &e->deepep}};
    if (read_graphs(clg_json_member(root, "graphs"), file->path, &e->graphs, error) != CLG_OK)
        return error->status;
    e->large_except = word(root, "large_except");
    if (READ(root, file->path, fields, error) != CLG_OK) return error->status;
    return read_by_gpu(root, file->path, e, error);
}

clg_engine clg_engine_on(const clg_engine *engine, const clg_gpu *gpu) {
    clg_engine e = *engine;
    const char *except = e.large_except;
    bool small = gpu->memory_usable_bytes < e.large_memory_bytes ||
                 (*except && strncmp(gpu->name, except, strlen(except)) == 0);
    if (e.large_memory_bytes <= 0 || small) return e;
    e.max_sequences = e.large_sequences;
    e.max_tokens = e.large_tokens;
    return e;
}

double clg_engine_graph_most(const clg_engine *engine, int gpus) {
    return gpus < 4 ? engine->graph_most_narrow : engine->graph_most;
}

static clg_status read_weights(const clg_json *object, const char *file, clg_serve_curves *c,
                               clg_error *error) {
    for (const clg_json *row = object ? object->first : NULL; row; row = row->next) {
        int p;
        if (clg_name_value(clg_precision_names, "precision", row->key, &p, error) != CLG_OK)
            return error->status;
        const clg_value_field fields[] = {{"hbm_share", CLG_FRACTION, &c->weights[p].hbm_share},
                                          {"launch", CLG_SECONDS, &c->weights[p].launch_s}};
        if (READ(row, file, fields, error) != CLG_OK) return error->status;
        c->weights[p].known = true;
    }
    return CLG_OK;
}

static clg_status read_experts(const clg_json *object, const char *file, clg_expert_curve *into,
                               clg_error *error) {
    for (const clg_json *row = object ? object->first : NULL; row; row = row->next) {
        int p;
        if (clg_name_value(clg_precision_names, "precision", row->key, &p, error) != CLG_OK)
            return error->status;
        clg_expert_curve *c = &into[p];
        const clg_value_field fields[] = {
            {"hbm_share", CLG_FRACTION, &c->hbm_share},
            {"launch", CLG_SECONDS, &c->launch_s},
            {"flop_share", CLG_FRACTION, &c->flop_share},
            {"pad", CLG_COUNT, &c->pad},
            {"activation_hbm_share", CLG_FRACTION, &c->activation_hbm_share}};
        if (READ(row, file, fields, error) != CLG_OK ||
            clg_value_read(row, "hidden_multiple", CLG_COUNT, false, file, &c->hidden_multiple,
                           error) != CLG_OK ||
            clg_value_read(row, "width_multiple", CLG_COUNT, false, file, &c->width_multiple,
                           error) != CLG_OK)
            return error->status;
        c->known = true;
    }
    return CLG_OK;
}

static clg_status read_products(const clg_json *object, const char *file, clg_product_curve *into,
                                clg_error *error) {
    for (const clg_json *row = object ? object->first : NULL; row; row = row->next) {
        int p;
        if (clg_name_value(clg_precision_names, "precision", row->key, &p, error) != CLG_OK)
            return error->status;
        const clg_value_field fields[] = {
            {"time_share", CLG_COUNT, &into[p].time_share},
            {"quantize_hbm_share", CLG_FRACTION, &into[p].quantize_hbm_share}};
        if (READ(row, file, fields, error) != CLG_OK ||
            clg_value_read(row, "power", CLG_WATTS, false, file, &into[p].power_w, error) != CLG_OK)
            return error->status;
        into[p].known = true;
    }
    return CLG_OK;
}

static clg_status read_cache(const clg_json *object, const char *file, clg_serve_curves *c,
                             clg_error *error) {
    for (const clg_json *row = object ? object->first : NULL; row; row = row->next) {
        int p;
        if (clg_name_value(clg_precision_names, "precision", row->key, &p, error) != CLG_OK)
            return error->status;
        const clg_value_field fields[] = {{"hbm_share", CLG_FRACTION, &c->cache[p].hbm_share},
                                          {"launch", CLG_SECONDS, &c->cache[p].launch_s}};
        if (READ(row, file, fields, error) != CLG_OK) return error->status;
        c->cache[p].known = true;
    }
    return CLG_OK;
}

static clg_status read_latent(const clg_json *object, const char *file, clg_serve_curves *c,
                              clg_error *error) {
    for (const clg_json *row = object ? object->first : NULL; row; row = row->next) {
        int p;
        if (clg_name_value(clg_precision_names, "precision", row->key, &p, error) != CLG_OK)
            return error->status;
        const clg_value_field fields[] = {{"flop_share", CLG_FRACTION, &c->latent[p].flop_share},
                                          {"pad", CLG_COUNT, &c->latent[p].pad}};
        if (READ(row, file, fields, error) != CLG_OK) return error->status;
        c->latent[p].known = true;
    }
    return CLG_OK;
}

static clg_status read_state(const clg_json *object, const char *file, clg_serve_curves *c,
                             clg_error *error) {
    const clg_value_field fields[] = {
        {"hbm_share", CLG_FRACTION, &c->state.hbm_share},
        {"convolution_hbm_share", CLG_FRACTION, &c->state.convolution_hbm_share},
        {"block_token", CLG_SECONDS, &c->state.block_token_s}};
    return READ(object, file, fields, error);
}

/* Numbers of a list, times `scale`, that rise or stay. */
static int read_list(const clg_json *list, double scale, double into[CLG_REDUCE_POINTS]) {
    int count = 0;
    for (const clg_json *one = list ? list->first : NULL; one; one = one->next) {
        if (one->kind != CLG_JSON_NUMBER || count == CLG_REDUCE_POINTS) return 0;
        into[count++] = one->number * scale;
        if (count > 1 && into[count - 1] < into[count - 2]) return 0;
    }
    return count;
}

static clg_status read_reduces(const clg_json *list, const char *file, clg_serve_curves *c,
                               clg_error *error) {
    for (const clg_json *row = list ? list->first : NULL; row; row = row->next) {
        const clg_json *ranks = clg_json_member(row, "ranks");
        clg_reduce_curve *curve = &c->reduce[c->reduces];
        bool room = c->reduces < CLG_REDUCE_CURVES && ranks && ranks->kind == CLG_JSON_NUMBER;
        if (room) {
            curve->ranks = (int)ranks->number;
            curve->points = read_list(clg_json_member(row, "bytes"), 1, curve->bytes);
        }
        if (!room || curve->points < 2 ||
            read_list(clg_json_member(row, "us"), 1e-6, curve->seconds) != curve->points) {
            clg_error_at(error, file, row->line, row->column, "reduce");
            return clg_fail(error, CLG_BAD_INPUT, "give ranks, and bytes and us that rise",
                            "a curve that cannot be read");
        }
        c->reduces++;
    }
    return CLG_OK;
}

double clg_reduce_curve_s(const clg_serve_curves *c, int ranks, double bytes) {
    const clg_reduce_curve *curve = NULL;
    for (int i = 0; i < c->reduces && (!curve || curve->ranks < ranks); i++) curve = &c->reduce[i];
    if (!curve) return (double)INFINITY;
    if (bytes <= curve->bytes[0]) return curve->seconds[0];
    int at = 1;
    while (at + 1 < curve->points && curve->bytes[at] < bytes) at++;
    double share = (bytes - curve->bytes[at - 1]) / (curve->bytes[at] - curve->bytes[at - 1]);
    return curve->seconds[at - 1] + share * (curve->seconds[at] - curve->seconds[at - 1]);
}

/* The format of the nearest width; GPUs without 4-bit products unpack both 4-bit formats alike. */
static clg_precision lender_of(clg_precision p, bool unpacked) {
    switch (p) {
    case CLG_MXFP8:
        return CLG_FP8;
    case CLG_NVFP4:
        return unpacked ? CLG_MXFP4 : CLG_MXFP8;
    case CLG_MXFP4:
        return CLG_NVFP4;
    default:
        return CLG_BF16;
    }
}

/* Formats not measured take the measured one of the nearest width: reads are reads. */
static void fill_missing(clg_serve_curves *c) {
    static const clg_precision order[] = {CLG_BF16, CLG_FP16,  CLG_TF32,  CLG_FP32,
                                          CLG_FP8,  CLG_MXFP8, CLG_NVFP4, CLG_MXFP4};
    for (int i = 0; i < CLG_PRECISIONS; i++) {
        clg_precision p = order[i];
        if (c->weights[p].known) continue;
        clg_precision from = lender_of(p, c->weights[CLG_MXFP4].known);
        c->weights[p] = c->weights[from];
        c->weights[p].known = false;
    }
    for (int i = 0; i < CLG_PRECISIONS; i++) {
        clg_precision p = order[i];
        clg_precision from = lender_of(p, c->experts[CLG_MXFP4].known);
        if (!c->experts[p].known) c->experts[p] = c->experts[from];
        if (!c->shared[p].known) c->shared[p] = c->shared[from];
        if (!c->product[p].known) c->product[p] = c->product[from];
        if (!c->cache[p].known) c->cache[p] = c->cache[from];
    }
}

/* The measured GPU of the nearest generation, where its file names no nearer one. */
static const char *lender(const clg_gpu *gpu) {
    static const struct {
        const char *generation, *gpu;
    } lenders[] = {{"volta", "a100-sxm-80gb"},
                   {"ampere", "a100-sxm-80gb"},
                   {"ada", "l40s"},
                   {"blackwell", "b200-sxm"}};
    if (gpu->lender) return gpu->lender;
    for (size_t i = 0; i < sizeof lenders / sizeof lenders[0]; i++)
        if (strcmp(lenders[i].generation, gpu->generation) == 0) return lenders[i].gpu;
    return "h100-sxm";
}

clg_status clg_serve_curves_find(clg_arena *arena, const clg_gpu *gpu, clg_serve_curves *c,
                                 clg_error *error) {
    const clg_file *file;
    clg_json *root;
    bool own = clg_dataset_find(clg_arena_print(arena, "serve/%.64s.json", gpu->name)) != NULL;
    if (open_file(arena, "serve", own ? gpu->name : lender(gpu), &file, &root, error) != CLG_OK)
        return error->status;
    *c = (clg_serve_curves){.file = file->path, .borrowed = !own};
    if (read_weights(clg_json_member(root, "weights"), file->path, c, error) != CLG_OK ||
        read_experts(clg_json_member(root, "experts"), file->path, c->experts, error) != CLG_OK ||
        read_experts(clg_json_member(root, "experts_shared"), file->path, c->shared, error) !=
            CLG_OK ||
        read_experts(clg_json_member(root, "experts_cutlass"), file->path, c->cutlass, error) !=
            CLG_OK ||
        read_experts(clg_json_member(root, "experts_shared_cutlass"), file->path, c->cutlass_shared,
                     error) != CLG_OK ||
        read_experts(clg_json_member(root, "experts_cutlass_tuned"), file->path, c->tuned, error) !=
            CLG_OK ||
        read_experts(clg_json_member(root, "experts_shared_cutlass_tuned"), file->path,
                     c->tuned_shared, error) != CLG_OK ||
        read_experts(clg_json_member(root, "experts_triton"), file->path, c->triton, error) !=
            CLG_OK ||
        read_latent(clg_json_member(root, "latent"), file->path, c, error) != CLG_OK ||
        read_products(clg_json_member(root, "product"), file->path, c->product, error) != CLG_OK ||
        read_products(clg_json_member(root, "product_cublas"), file->path, c->cublas, error) !=
            CLG_OK ||
        read_cache(clg_json_member(root, "cache"), file->path, c, error) != CLG_OK ||
        read_state(clg_json_member(root, "state"), file->path, c, error) != CLG_OK ||
        read_reduces(clg_json_member(root, "reduce"), file->path, c, error) != CLG_OK ||
        clg_value_read(root, "reduce_link", CLG_BYTES_PER_S, false, file->path,
                       &c->reduce_link_bytes_per_s, error) != CLG_OK)
        return error->status;
    for (int p = 0; p < CLG_PRECISIONS; p++)
        if (!c->shared[p].known) c->shared[p] = c->experts[p];
    fill_missing(c);
    return CLG_OK;
}

/* Of two independent deviations, as a factor. */
static double tenth_of(double sigma, double more) {
    static const double tenth = 1.2815515655446004; /* from the middle to P90 of a normal */
    return exp(tenth * sqrt(sigma * sigma + more * more));
}

clg_serve_doubt clg_serve_doubt_of(const clg_engine *e, double more) {
    return (clg_serve_doubt){tenth_of(e->sigma_first, more), tenth_of(e->sigma_token, more),
                             tenth_of(e->sigma_rate, more)};
}

clg_status clg_api_price_find(clg_arena *arena, const char *name, clg_api_price *p,
                              clg_error *error) {
    const clg_file *file;
    clg_json *root;
    if (open_file(arena, "api-price", name, &file, &root, error) != CLG_OK) return error->status;
    *p = (clg_api_price){.name = word(root, "name"),
                         .title = word(root, "title"),
                         .model = word(root, "model"),
                         .date = word(root, "date"),
                         .source = word(clg_json_member(root, "output"), "source")};
    const clg_value_field fields[] = {{"input", CLG_USD_PER_TOKEN, &p->usd_per_input_token},
                                      {"output", CLG_USD_PER_TOKEN, &p->usd_per_output_token}};
    p->usd_per_cached_token = -1;
    if (READ(root, file->path, fields, error) != CLG_OK) return error->status;
    return clg_value_read(root, "input_cached", CLG_USD_PER_TOKEN, false, file->path,
                          &p->usd_per_cached_token, error);
}

clg_status clg_api_price_default(clg_arena *arena, const char *model, clg_api_price *price,
                                 clg_error *error) {
    int count;
    const clg_file *files = clg_dataset_folder("api-price/", &count);
    *price = (clg_api_price){0};
    for (int i = 0; i < count; i++) {
        clg_api_price read;
        size_t skip = strlen("api-price/");
        const char *name =
            clg_arena_copy(arena, files[i].path + skip, strlen(files[i].path) - skip - 5);
        if (clg_api_price_find(arena, name, &read, error) != CLG_OK) return error->status;
        if (strcmp(read.date, "undated") == 0 || strcmp(read.model, model) != 0) continue;
        if (!price->name || strcmp(read.date, price->date) > 0) *price = read;
    }
    return CLG_OK;
}
