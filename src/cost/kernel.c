/* kernel.c -- reading the curves of a GPU, and the memory-bound kernels. */
#include "cost/kernel.h"
#include "cost/kernel_lent.h"

#include "dataset/kept.h"
#include "dataset/open.h"
#include "dataset/value.h"

#include <math.h>
#include <string.h>

const clg_name clg_attention_kernel_names[] = {
    {"unfused", CLG_UNFUSED, "scores in memory: two products and a softmax"},
    {"blockwise", CLG_BLOCKWISE, "products and a softmax of a block of scores after the other"},
    {"masked", CLG_MASKED, "fused, given a mask (padded texts): PyTorch's memory-efficient kernel"},
    {"flash1", CLG_FLASH1, "FlashAttention (2022)"},
    {"flash2", CLG_FLASH2, "FlashAttention-2 (2023)"},
    {"flash3", CLG_FLASH3, "FlashAttention-3 (2024)"},
    {"cudnn", CLG_CUDNN, "cuDNN fused attention"},
    {NULL, 0, NULL}};

static clg_attention_kernel kernel_of(const char *name, clg_attention_kernel missing) {
    clg_error error = {0};
    int kernel;
    bool named = name && clg_name_value(clg_attention_kernel_names, "attention", name, &kernel,
                                        &error) == CLG_OK;
    return named ? (clg_attention_kernel)kernel : missing;
}

/* Rows of kernels are by age. */
clg_attention_kernel clg_attention_default(const clg_gpu *gpu, const char *stack_kernel,
                                           const char *older) {
    clg_attention_kernel first = kernel_of(gpu->attention, CLG_UNFUSED),
                         newest = kernel_of(gpu->attention_newest, CLG_ATTENTION_KERNELS),
                         usual = stack_kernel ? CLG_UNFUSED : CLG_FLASH2;
    usual = kernel_of(stack_kernel, usual);
    if (usual > newest) usual = kernel_of(older, newest);
    return usual > first ? usual : first;
}

#define COUNT(fields) (sizeof fields / sizeof fields[0])

/* A built-in file states every field (`whole`); an overlay those that moved. */
static clg_status read_fields(const clg_json *object, const clg_value_field *fields, size_t count,
                              bool whole, const char *file, clg_error *error) {
    return whole ? clg_value_fields(object, file, fields, count, error)
                 : clg_value_optional(object, file, fields, count, error);
}

static clg_status read_product(const clg_json *object, bool whole, const char *file,
                               clg_gemm_curve *c, clg_error *error) {
    const clg_value_field fields[] = {{"efficiency", CLG_FRACTION, &c->efficiency},
                                      {"k_overhead", CLG_COUNT, &c->k_overhead},
                                      {"tail_share", CLG_FRACTION, &c->tail_share},
                                      {"launch", CLG_SECONDS, &c->launch_s},
                                      {"medium_tile", CLG_FRACTION, &c->medium_tile},
                                      {"small_tile", CLG_FRACTION, &c->small_tile},
                                      {"hbm_efficiency", CLG_FRACTION, &c->hbm_efficiency},
                                      {"sustained", CLG_FRACTION, &c->sustained},
                                      {"sigma", CLG_COUNT, &c->sigma}};
    c->known = true;
    return read_fields(object, fields, COUNT(fields), whole, file, error);
}

static clg_status read_fused(const clg_json *object, bool whole, const char *file,
                             clg_attention_curve *c, clg_error *error) {
    const clg_value_field fields[] = {
        {"forward_efficiency", CLG_FRACTION, &c->forward_efficiency},
        {"backward_efficiency", CLG_FRACTION, &c->backward_efficiency},
        {"tokens_half", CLG_COUNT, &c->tokens_half},
        {"head_dim_half", CLG_COUNT, &c->head_dim_half},
        {"launch", CLG_SECONDS, &c->launch_s},
        {"sigma", CLG_COUNT, &c->sigma}};
    const clg_value_field timed[] = {{"single_times", CLG_COUNT, &c->single_times},
                                     {"head_step", CLG_COUNT, &c->head_step},
                                     {"wide_forward", CLG_FRACTION, &c->wide_forward},
                                     {"wide_backward", CLG_FRACTION, &c->wide_backward},
                                     {"gathered_forward", CLG_FRACTION, &c->gathered_forward},
                                     {"gathered_backward", CLG_FRACTION, &c->gathered_backward},
                                     {"gathered_half", CLG_COUNT, &c->gathered_half}};
    c->known = true;
    if (clg_value_optional(object, file, timed, COUNT(timed), error) != CLG_OK)
        return error->status;
    return read_fields(object, fields, COUNT(fields), whole, file, error);
}

static clg_status read_rest(const clg_json *root, bool whole, const char *file, clg_kernels *k,
                            clg_error *error) {
    const clg_value_field batched[] = {
        {"efficiency", CLG_FRACTION, &k->batched.efficiency},
        {"hbm_efficiency", CLG_FRACTION, &k->batched.hbm_efficiency}};
    const clg_value_field state[] = {
        {"flop_share", CLG_FRACTION, &k->state.flop_share},
        {"hbm_share", CLG_FRACTION, &k->state.hbm_share},
        {"backward_hbm_share", CLG_FRACTION, &k->state.backward_hbm_share},
        {"chunk", CLG_SECONDS, &k->state.chunk_s},
        {"backward_chunk", CLG_SECONDS, &k->state.backward_chunk_s},
        {"launch", CLG_SECONDS, &k->state.launch_s},
        {"sigma", CLG_COUNT, &k->state.sigma}};
    const clg_value_field memory[] = {
        {"efficiency", CLG_FRACTION, &k->memory.efficiency},
        {"bytes_half", CLG_BYTES, &k->memory.bytes_half},
        {"launch", CLG_SECONDS, &k->memory.launch_s},
        {"optimizer_efficiency", CLG_FRACTION, &k->optimizer_efficiency},
        {"sigma", CLG_COUNT, &k->memory.sigma}};
    if (clg_value_optional(clg_json_member(root, "batched"), file, batched, COUNT(batched),
                           error) != CLG_OK ||
        read_fields(clg_json_member(root, "state"), state, COUNT(state), whole, file, error) !=
            CLG_OK)
        return error->status;
    return read_fields(clg_json_member(root, "memory"), memory, COUNT(memory), whole, file, error);
}

static clg_status read_gemm(const clg_json *object, bool whole, const char *file,
                            clg_gemm_curve curves[CLG_PRECISIONS], clg_error *error) {
    if (!object) return CLG_OK;
    for (const clg_json *c = clg_json_entries(object); c; c = c->next) {
        int precision;
        if (clg_name_value(clg_precision_names, "precision", c->key, &precision, error) != CLG_OK)
            return CLG_BAD_INPUT;
        if (read_product(c, whole, file, &curves[precision], error) != CLG_OK) return CLG_BAD_INPUT;
    }
    return CLG_OK;
}

static clg_status read_attention(const clg_json *object, bool whole, const char *file,
                                 clg_attention_curve curves[CLG_ATTENTION_KERNELS],
                                 clg_error *error) {
    for (const clg_json *c = clg_json_entries(object); c; c = c->next) {
        int kernel;
        if (clg_name_value(clg_attention_kernel_names, "attention kernel", c->key, &kernel,
                           error) != CLG_OK)
            return CLG_BAD_INPUT;
        if (read_fused(c, whole, file, &curves[kernel], error) != CLG_OK) return CLG_BAD_INPUT;
    }
    return CLG_OK;
}

/* 16-bit formats share tensor-core rates; narrower ones borrow the next wider one's shares. */
static void fill_missing_gemm(clg_gemm_curve curves[CLG_PRECISIONS]) {
    static const clg_precision order[] = {CLG_BF16,  CLG_FP16,  CLG_TF32,  CLG_FP32, CLG_FP8,
                                          CLG_MXFP8, CLG_NVFP4, CLG_MXFP4, CLG_INT4};
    for (int i = 0; i < CLG_PRECISIONS; i++) {
        clg_precision p = order[i];
        if (curves[p].known) continue;
        clg_precision from = p == CLG_MXFP8   ? CLG_FP8
                             : p == CLG_NVFP4 ? CLG_MXFP8
                             : p == CLG_MXFP4 ? CLG_NVFP4
                             : p == CLG_BF16  ? CLG_FP16
                                              : CLG_BF16;
        bool known = curves[from].known && (p == CLG_FP16 || p == CLG_BF16);
        curves[p] = curves[from];
        curves[p].known = known;
    }
}

/* The shares of single products where grouped ones were never timed. */
static void fill_missing_grouped(clg_kernels *kernels) {
    for (int p = 0; p < CLG_PRECISIONS; p++)
        if (kernels->grouped[p].known) return;
    for (int p = 0; p < CLG_PRECISIONS; p++) {
        kernels->grouped[p] = kernels->gemm[p];
        kernels->grouped[p].known = false;
    }
}

static void fill_missing_attention(clg_attention_curve curves[CLG_ATTENTION_KERNELS]) {
    for (int i = CLG_ATTENTION_KERNELS - 1; i >= 0; i--) {
        if (curves[i].known) continue;
        curves[i] = curves[i == CLG_MASKED ? CLG_FLASH1 : CLG_FLASH2];
        curves[i].known = false;
    }
}

static clg_status read_curves(const clg_json *root, bool whole, const char *file,
                              clg_kernels *kernels, clg_error *error) {
    if (read_gemm(clg_json_member(root, "gemm"), whole, file, kernels->gemm, error) != CLG_OK ||
        read_gemm(clg_json_member(root, "grouped"), whole, file, kernels->grouped, error) !=
            CLG_OK ||
        read_attention(clg_json_member(root, "attention"), whole, file, kernels->attention,
                       error) != CLG_OK)
        return CLG_BAD_INPUT;
    return read_rest(root, whole, file, kernels, error);
}

/* With a share of nothing no kernel would ever end. */
static bool all_positive(const clg_kernels *k) {
    bool positive = k->memory.efficiency > 0 && k->optimizer_efficiency > 0 &&
                    k->batched.efficiency > 0 && k->state.flop_share > 0 &&
                    k->state.hbm_share > 0 && k->state.backward_hbm_share > 0;
    for (int i = 0; i < CLG_PRECISIONS; i++) {
        const clg_gemm_curve *c = &k->gemm[i], *g = &k->grouped[i];
        positive = positive && c->efficiency > 0 && c->hbm_efficiency > 0 && c->sustained > 0 &&
                   c->medium_tile > 0 && c->small_tile > 0 && g->efficiency > 0 &&
                   g->hbm_efficiency > 0 && g->sustained > 0 && g->medium_tile > 0 &&
                   g->small_tile > 0;
    }
    for (int i = 0; i < CLG_ATTENTION_KERNELS; i++)
        positive = positive && k->attention[i].forward_efficiency > 0 &&
                   k->attention[i].backward_efficiency > 0;
    return positive;
}

/* What a file says, over what its base says; `left`: so many bases may follow. */
static clg_status read_over_base(clg_arena *arena, const clg_file *file, int left,
                                 clg_kernels *kernels, clg_error *error) {
    const clg_json *root;
    if (clg_dataset_parse(arena, file->path, file->text, file->size, &root, error) != CLG_OK)
        return error->status;
    const char *name = clg_json_text(root, "base", "");
    const clg_file *base = *name && left > 0 ? clg_kernels_called(arena, name) : NULL;
    if (*name && !base) {
        clg_error_at(error, file->path, root->line, root->column, "base");
        return clg_fail(error, CLG_BAD_INPUT, "name a GPU with curves, whose bases do not go round",
                        "no curves of '%.64s' to begin with", name);
    }
    if (base && read_over_base(arena, base, left - 1, kernels, error) != CLG_OK)
        return error->status;
    kernels->file = file->path;
    clg_json_member(root, "serving"); /* cost/skinny reads it */
    if (read_curves(root, !*name, file->path, kernels, error) != CLG_OK) return error->status;
    return clg_value_done(root, file->path, error);
}

static clg_status read_file(clg_arena *arena, const clg_file *file, clg_kernels *kernels,
                            clg_error *error) {
    clg_kernels read = {.batched.efficiency = 1};
    if (read_over_base(arena, file, 4, &read, error) != CLG_OK) return error->status;
    fill_missing_gemm(read.gemm);
    fill_missing_grouped(&read);
    fill_missing_gemm(read.grouped);
    fill_missing_attention(read.attention);
    if (!all_positive(&read)) {
        clg_error_at(error, file->path, 0, 0, NULL);
        return clg_fail(error, CLG_BAD_INPUT, "state all of a curve that the base has not",
                        "a share of 0");
    }
    *kernels = read;
    return CLG_OK;
}

/* Of what a stack loses in products: the time passes beside the matrix units, in lanes, loads and
 * stores, and they take twice as long where a chip is sold with half their rate. Without matrix
 * units nothing is lost. */
static clg_status read_felt(clg_arena *arena, const clg_gpu *gpu, clg_kernels *kernels,
                            clg_error *error) {
    double full_rate;
    const clg_value_field fields[] = {{"full_rate", CLG_COUNT, &full_rate}};
    if (CLG_DATASET_NUMBERS(arena, "operations", "slowdown", fields, error) != CLG_OK)
        return error->status;
    const double *peak = gpu->peak_flop_per_s;
    double matrix = fmax(peak[CLG_BF16], peak[CLG_FP16]), lanes = peak[CLG_FP32];
    kernels->slowdown_felt = matrix > lanes ? fmin(matrix / (full_rate * lanes), 1) : 0;
    return CLG_OK;
}

clg_status clg_kernels_find(clg_arena *arena, const clg_gpu *gpu, clg_kernels *kernels,
                            clg_error *error) {
    bool borrowed;
    const clg_file *file = clg_kernels_file(arena, gpu, &borrowed);
    if (!file)
        return clg_fail(error, CLG_BAD_INPUT, "add data/kernel/<gpu>.json", "no kernel curves");
    if (read_file(arena, file, kernels, error) != CLG_OK) return CLG_BAD_INPUT;
    kernels->borrowed = borrowed;
    if (read_felt(arena, gpu, kernels, error) != CLG_OK) return error->status;
    return borrowed ? clg_kernels_lend(arena, gpu, kernels, error) : CLG_OK;
}

clg_status clg_kernels_generic(clg_arena *arena, const clg_gpu *gpu, clg_kernels *kernels,
                               clg_error *error) {
    const clg_file *file = clg_kernels_of_stranger(arena, gpu);
    if (!file) return clg_fail(error, CLG_BAD_INPUT, "add data/kernel/<gpu>.json", "no curves");
    if (read_file(arena, file, kernels, error) != CLG_OK) return CLG_BAD_INPUT;
    kernels->borrowed = true;
    return read_felt(arena, gpu, kernels, error);
}

static clg_status check_name(const clg_json *root, const char *file, const clg_gpu *gpu,
                             clg_error *error) {
    const char *name = NULL;
    if (clg_json_string(root, "name", NULL, &name, file, error) != CLG_OK) return CLG_BAD_INPUT;
    if (!gpu || !name || strcmp(name, gpu->name) == 0) return CLG_OK;
    clg_error_at(error, file, root->line, root->column, "name");
    return clg_fail(error, CLG_BAD_INPUT, "fit products of this one", "curves of '%.64s', not %s",
                    name, gpu->name);
}

clg_status clg_kernels_check(clg_arena *arena, const clg_file *file, clg_error *error) {
    clg_kernels ignored;
    return read_file(arena, file, &ignored, error);
}

clg_status clg_kernels_overlay(clg_arena *arena, const clg_file *file, const clg_gpu *gpu,
                               clg_kernels *kernels, clg_error *error) {
    static const char *const keys[] = {"name",    "title",     "notes", "gemm",  "grouped",
                                       "batched", "attention", "state", "memory"};
    const clg_json *root;
    clg_kernels read = *kernels;
    if (clg_dataset_parse(arena, file->path, file->text, file->size, &root, error) != CLG_OK ||
        clg_value_keys(root, keys, COUNT(keys), file->path, error) != CLG_OK ||
        check_name(root, file->path, gpu, error) != CLG_OK ||
        read_curves(root, false, file->path, &read, error) != CLG_OK)
        return CLG_BAD_INPUT;
    if (!all_positive(&read)) {
        clg_error_at(error, file->path, 0, 0, NULL);
        return clg_fail(error, CLG_BAD_INPUT, "give a share above 0", "a share of 0");
    }
    read.file = file->path;
    *kernels = read;
    return CLG_OK;
}

double clg_memory_bound_s(const clg_gpu *gpu, const clg_kernels *kernels, double bytes) {
    double rate = gpu->hbm_bytes_per_s * kernels->memory.efficiency;
    return kernels->memory.launch_s + (bytes + kernels->memory.bytes_half) / rate;
}

double clg_optimizer_s(const clg_gpu *gpu, const clg_kernels *kernels, double bytes) {
    return kernels->memory.launch_s +
           bytes / (gpu->hbm_bytes_per_s * kernels->optimizer_efficiency);
}
