/* skinny.c -- reading what data/kernel says under "serving". */
#include "cost/skinny.h"

#include "cost/kernel.h"
#include "dataset/kept.h"
#include "dataset/open.h"
#include "dataset/value.h"

#include <math.h>
#include <string.h>

#define READ(object, file, fields, error)                                                          \
    clg_value_fields(object, file, fields, sizeof fields / sizeof fields[0], error)

/* Of each of a table's formats. */
typedef clg_status format_reader(const clg_json *row, const char *file, void *curve,
                                 clg_error *error);

/* A table of curves by format, each of `size` bytes in `curves`. */
static clg_status read_formats(const clg_json *root, const char *key, const char *file,
                               void *curves, size_t size, format_reader *read, clg_error *error) {
    const clg_json *object = clg_json_member(root, key);
    for (const clg_json *row = clg_json_entries(object); row; row = row->next) {
        int p;
        if (clg_name_value(clg_precision_names, "precision", row->key, &p, error) != CLG_OK ||
            read(row, file, (char *)curves + (size_t)p * size, error) != CLG_OK)
            return error->status;
    }
    return CLG_OK;
}

static clg_status read_reading(const clg_json *row, const char *file, void *curve,
                               clg_error *error) {
    clg_read_curve *c = curve;
    const clg_value_field fields[] = {{"hbm_share", CLG_FRACTION, &c->hbm_share},
                                      {"launch", CLG_SECONDS, &c->launch_s}};
    c->known = true;
    return READ(row, file, fields, error);
}

static clg_status read_latent(const clg_json *row, const char *file, void *curve,
                              clg_error *error) {
    clg_latent_curve *c = curve;
    const clg_value_field fields[] = {{"flop_share", CLG_FRACTION, &c->flop_share},
                                      {"pad", CLG_COUNT, &c->pad}};
    c->known = true;
    return READ(row, file, fields, error);
}

static clg_status read_product(const clg_json *row, const char *file, void *curve,
                               clg_error *error) {
    clg_product_curve *c = curve;
    const clg_value_field fields[] = {{"time_share", CLG_COUNT, &c->time_share},
                                      {"quantize_hbm_share", CLG_FRACTION, &c->quantize_hbm_share}};
    c->known = true;
    if (READ(row, file, fields, error) != CLG_OK) return error->status;
    return clg_value_read(row, "power", CLG_WATTS, false, file, &c->power_w, error);
}

/* Pairs [n,k]. */
static clg_status read_shapes(const clg_json *list, const char *file, clg_walked_curve *c,
                              clg_error *error) {
    for (const clg_json *pair = list ? list->first : NULL; pair; pair = pair->next) {
        const clg_json *n = pair->first, *k = n ? n->next : NULL;
        if (c->tuned == CLG_TUNED_SHAPES || !k || k->next || n->kind != CLG_JSON_NUMBER ||
            k->kind != CLG_JSON_NUMBER) {
            clg_error_at(error, file, pair->line, pair->column, "tuned");
            return clg_fail(error, CLG_BAD_INPUT, "give at most 32 pairs [columns, depth]",
                            "shapes that cannot be read");
        }
        c->columns[c->tuned] = n->number;
        c->depth[c->tuned++] = k->number;
    }
    return CLG_OK;
}

static clg_status read_walked(const clg_json *row, const char *file, void *curve,
                              clg_error *error) {
    clg_walked_curve *c = curve;
    const clg_value_field fields[] = {{"tile", CLG_COUNT, &c->tile},
                                      {"step", CLG_SECONDS, &c->step_s}};
    const clg_json *tuned = clg_json_member(row, "tuned");
    c->known = true;
    if (READ(row, file, fields, error) != CLG_OK) return error->status;
    if (!tuned) return CLG_OK;
    for (const clg_json *one = clg_json_entries(tuned); one; one = one->next)
        if (strcmp(one->key, "value") == 0) return read_shapes(one, file, c, error);
    return CLG_OK;
}

static clg_status read_expert(const clg_json *row, const char *file, void *curve,
                              clg_error *error) {
    clg_expert_curve *c = curve;
    const clg_value_field fields[] = {
        {"hbm_share", CLG_FRACTION, &c->hbm_share},
        {"launch", CLG_SECONDS, &c->launch_s},
        {"flop_share", CLG_FRACTION, &c->flop_share},
        {"pad", CLG_COUNT, &c->pad},
        {"activation_hbm_share", CLG_FRACTION, &c->activation_hbm_share}};
    c->known = true;
    if (READ(row, file, fields, error) != CLG_OK ||
        clg_value_read(row, "hidden_multiple", CLG_COUNT, false, file, &c->hidden_multiple,
                       error) != CLG_OK)
        return error->status;
    return clg_value_read(row, "width_multiple", CLG_COUNT, false, file, &c->width_multiple, error);
}

/* Of every GPU alike; `object`, what the file of one says, goes over it. */
static clg_status read_state(clg_arena *arena, const clg_json *object, const char *path,
                             clg_serve_curves *c, clg_error *error) {
    const clg_value_field fields[] = {
        {"hbm_share", CLG_FRACTION, &c->state.hbm_share},
        {"convolution_hbm_share", CLG_FRACTION, &c->state.convolution_hbm_share},
        {"block_token", CLG_SECONDS, &c->state.block_token_s}};
    if (CLG_DATASET_NUMBERS(arena, "operations", "states", fields, error) != CLG_OK)
        return error->status;
    return object ? clg_value_optional(object, path, fields, sizeof fields / sizeof *fields, error)
                  : CLG_OK;
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
    case CLG_INT4:
        return CLG_MXFP4;
    default:
        return CLG_BF16;
    }
}

/* One table's lender, which its own entries decide; what is lent stays unknown. */
#define LEND(table, p)                                                                             \
    do {                                                                                           \
        if ((table)[p].known) break;                                                               \
        (table)[p] = (table)[lender_of(p, (table)[CLG_MXFP4].known)];                              \
        (table)[p].known = false;                                                                  \
    } while (0)

/* Formats not measured take the measured one of the nearest width: reads are reads. */
static void fill_missing(clg_serve_curves *c) {
    static const clg_precision order[] = {CLG_BF16,  CLG_FP16,  CLG_TF32,  CLG_FP32, CLG_FP8,
                                          CLG_MXFP8, CLG_NVFP4, CLG_MXFP4, CLG_INT4};
    for (int i = 0; i < CLG_PRECISIONS; i++) {
        clg_precision p = order[i];
        LEND(c->weights, p);
        LEND(c->experts, p);
        LEND(c->shared, p);
        LEND(c->product, p);
        LEND(c->cache, p);
    }
}

static clg_status read_tables(const clg_json *root, const char *file, clg_serve_curves *c,
                              clg_error *error) {
    const struct {
        const char *key;
        void *curves;
        size_t size;
        format_reader *read;
    } tables[] = {{"weights", c->weights, sizeof *c->weights, read_reading},
                  {"cache", c->cache, sizeof *c->cache, read_reading},
                  {"latent", c->latent, sizeof *c->latent, read_latent},
                  {"product", c->product, sizeof *c->product, read_product},
                  {"product_blocks", c->blocks, sizeof *c->blocks, read_product},
                  {"product_walked", c->walked, sizeof *c->walked, read_walked},
                  {"product_library", c->library, sizeof *c->library, read_product},
                  {"experts", c->experts, sizeof *c->experts, read_expert},
                  {"experts_shared", c->shared, sizeof *c->shared, read_expert},
                  {"experts_tiled", c->tiled, sizeof *c->tiled, read_expert},
                  {"experts_shared_tiled", c->tiled_shared, sizeof *c->tiled_shared, read_expert},
                  {"experts_tuned", c->tuned, sizeof *c->tuned, read_expert},
                  {"experts_shared_tuned", c->tuned_shared, sizeof *c->tuned_shared, read_expert},
                  {"experts_whole", c->whole, sizeof *c->whole, read_expert}};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (read_formats(root, tables[i].key, file, tables[i].curves, tables[i].size,
                         tables[i].read, error) != CLG_OK)
            return error->status;
    return CLG_OK;
}

/* Experts on slower matrix units (clg_units_cut): rows that pad them take what they took, in rows
 * of fewer a second. */
static void slow_experts(clg_expert_curve of[CLG_PRECISIONS], double cut) {
    for (int p = 0; p < CLG_PRECISIONS; p++) {
        double share = of[p].flop_share;
        if (!of[p].known) continue;
        of[p].flop_share = clg_slowed_share(share, cut);
        of[p].pad *= of[p].flop_share / share / cut;
    }
}

static clg_status slow_units(clg_arena *arena, const clg_gpu *gpu, clg_serve_curves *c,
                             clg_error *error) {
    double cut;
    if (clg_units_cut(arena, gpu, &cut, error) != CLG_OK) return error->status;
    clg_expert_curve *tables[] = {c->experts, c->shared,       c->tiled, c->tiled_shared,
                                  c->tuned,   c->tuned_shared, c->whole};
    for (size_t i = 0; cut > 1 && i < sizeof tables / sizeof tables[0]; i++)
        slow_experts(tables[i], cut);
    return CLG_OK;
}

/* Whether a file is of a GPU of the same generation. */
static clg_status compare_generations(clg_arena *arena, const clg_gpu *gpu, const clg_json *root,
                                      bool *same, clg_error *error) {
    clg_gpu timed;
    if (clg_gpu_find(arena, clg_json_text(root, "name", ""), &timed, error) != CLG_OK)
        return error->status;
    *same = strcmp(gpu->generation, timed.generation) == 0;
    return CLG_OK;
}

/* What a file says under "serving". */
typedef struct section {
    const char *path;
    const clg_json *root;
} section;

/* Kernels of one GPU serve others: those that lend all curves (cost/kernel), and those that the
 * lender's file names where some of a GPU's own kernels were timed and others not: `own` are then
 * the timed ones. */
static clg_status open_sections(clg_arena *arena, const clg_gpu *gpu, section *all, section *own,
                                clg_serve_curves *c, clg_error *error) {
    const clg_json *root;
    const clg_file *file = clg_kernels_file(arena, gpu, &c->borrowed);
    if (!file)
        return clg_fail(error, CLG_BAD_INPUT, "add data/kernel/<gpu>.json", "no kernel curves");
    if (clg_dataset_parse(arena, file->path, file->text, file->size, &root, error) != CLG_OK)
        return error->status;
    *all = (section){file->path, clg_json_member(root, "serving")};
    const char *lender = clg_json_text(all->root, "lender", "");
    if (*lender) {
        c->borrowed = true;
        *own = *all;
        if (clg_dataset_open(arena, "kernel", lender, &file, &root, error) != CLG_OK)
            return error->status;
        *all = (section){file->path, clg_json_member(root, "serving")};
    }
    return compare_generations(arena, gpu, root, &c->own_generation, error);
}

static clg_status read_section(clg_arena *arena, const section *s, clg_serve_curves *c,
                               clg_error *error) {
    if (read_tables(s->root, s->path, c, error) != CLG_OK ||
        read_state(arena, clg_json_member(s->root, "state"), s->path, c, error) != CLG_OK ||
        read_reduces(clg_json_member(s->root, "reduce"), s->path, c, error) != CLG_OK ||
        clg_value_read(s->root, "reduce_link", CLG_BYTES_PER_S, false, s->path,
                       &c->reduce_link_bytes_per_s, error) != CLG_OK)
        return error->status;
    clg_json_member(s->root, "lender"); /* others look */
    return clg_value_done(s->root, s->path, error);
}

clg_status clg_serve_curves_find(clg_arena *arena, const clg_gpu *gpu, clg_serve_curves *c,
                                 clg_error *error) {
    section all = {0}, own = {0};
    *c = (clg_serve_curves){0};
    if (open_sections(arena, gpu, &all, &own, c, error) != CLG_OK ||
        read_section(arena, &all, c, error) != CLG_OK ||
        (c->borrowed && slow_units(arena, gpu, c, error) != CLG_OK))
        return error->status;
    c->file = all.path;
    if (own.root && (read_tables(own.root, own.path, c, error) != CLG_OK ||
                     clg_value_done(own.root, own.path, error) != CLG_OK))
        return error->status;
    for (int p = 0; p < CLG_PRECISIONS; p++)
        if (!c->shared[p].known) c->shared[p] = c->experts[p];
    fill_missing(c);
    return CLG_OK;
}
