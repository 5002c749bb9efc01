/* kernel_lent.c -- whose curves a GPU takes that was never timed itself, and what they become on
 * it. */
#include "cost/kernel_lent.h"

#include "base/csv.h"
#include "dataset/kept.h"

#include <math.h>
#include <string.h>

/* The lender of a generation in data/kernel-lenders.csv. NULL of one that is not there; with
 * `stranger` the first that lends to all and is not the generation's own. */
static const char *lender_of(clg_arena *arena, const char *generation, bool stranger) {
    clg_csv csv = clg_dataset_csv(arena, "kernel-lenders.csv");
    const char *own = stranger ? lender_of(arena, generation, false) : NULL;
    for (int i = 0; i < csv.rows; i++) {
        const char *of = clg_csv_field(&csv, i, "generation"), *gpu = clg_csv_field(&csv, i, "gpu");
        if (strcmp(of, stranger ? "*" : generation) == 0 && !(own && strcmp(own, gpu) == 0))
            return gpu;
    }
    return NULL;
}

/* Whose curves stand in for a GPU without its own: the measured one of its generation, where its
 * file names no nearer one. */
static const char *lender(clg_arena *arena, const clg_gpu *gpu) {
    const char *found = gpu->lender ? gpu->lender : lender_of(arena, gpu->generation, false);
    return found ? found : lender_of(arena, gpu->generation, true);
}

const clg_file *clg_kernels_called(clg_arena *arena, const char *gpu) {
    return gpu ? clg_dataset_find(clg_arena_print(arena, "kernel/%s.json", gpu)) : NULL;
}

const clg_file *clg_kernels_of_stranger(clg_arena *arena, const clg_gpu *gpu) {
    return clg_kernels_called(arena, lender_of(arena, gpu->generation, true));
}

/* x^(1/3) as the fixed point of y = (x y)^(1/4): square roots are the same everywhere. */
static double cube_root(double x) {
    double y = 1;
    for (int i = 0; i < 64; i++) y = sqrt(sqrt(x * y));
    return y;
}

/* The chip of the timed board under a lower power limit, or fewer of its multiprocessors. Dynamic
 * power is capacity x voltage^2 x clock, and voltage falls with the clock (Chandrakasan, Sheng,
 * Brodersen 1992, IEEE JSSC 27(4)): the clock that a multiprocessor sustains goes as the cube root
 * of its watts. Peaks are those of boards' own boost clocks, so what they share is flop/s of one
 * multiprocessor: one that does half as much a clock is limited later. Static power and voltages
 * that fall no further, which make it worse, and clocks that a limit never touched (sustained 1)
 * are left out. */
static clg_status limit_power(clg_arena *arena, const clg_gpu *gpu, clg_kernels *kernels,
                              clg_error *error) {
    clg_gpu timed;
    if (clg_gpu_find(arena, lender(arena, gpu), &timed, error) != CLG_OK) return CLG_BAD_INPUT;
    double watts = gpu->tdp_w / timed.tdp_w * timed.multiprocessors / gpu->multiprocessors;
    double own = gpu->peak_flop_per_s[CLG_BF16] / gpu->multiprocessors;
    double peaks = timed.peak_flop_per_s[CLG_BF16] / timed.multiprocessors / own;
    bool same = strcmp(gpu->generation, timed.generation) == 0 && own > 0;
    if (!same || kernels->gemm[CLG_BF16].sustained >= 1 || (watts >= 1 && peaks <= 1))
        return CLG_OK;
    double share = cube_root(fmin(watts, 1)) * peaks;
    for (int p = 0; p < CLG_PRECISIONS; p++) {
        kernels->gemm[p].sustained = fmin(1, kernels->gemm[p].sustained * share);
        kernels->grouped[p].sustained = fmin(1, kernels->grouped[p].sustained * share);
    }
    return CLG_OK;
}

clg_status clg_units_cut(clg_arena *arena, const clg_gpu *gpu, double *cut, clg_error *error) {
    enum { LEAST = 2 };
    clg_gpu timed;
    *cut = 1;
    if (clg_gpu_find(arena, lender(arena, gpu), &timed, error) != CLG_OK) return CLG_BAD_INPUT;
    double own = gpu->peak_flop_per_s[CLG_BF16] / gpu->multiprocessors / gpu->clock_hz;
    double theirs = timed.peak_flop_per_s[CLG_BF16] / timed.multiprocessors / timed.clock_hz;
    if (strcmp(gpu->generation, timed.generation) == 0 && theirs >= LEAST * own && own > 0)
        *cut = theirs / own;
    return CLG_OK;
}

double clg_slowed_share(double share, double cut) { return 1 / (1 + (1 / share - 1) / cut); }

static void slow_gemm(clg_gemm_curve *c, double cut) {
    c->efficiency = clg_slowed_share(c->efficiency, cut);
    c->medium_tile = clg_slowed_share(c->medium_tile, cut);
    c->small_tile = clg_slowed_share(c->small_tile, cut);
    c->k_overhead /= cut;
}

static clg_status slow_units(clg_arena *arena, const clg_gpu *gpu, clg_kernels *kernels,
                             clg_error *error) {
    double cut;
    if (clg_units_cut(arena, gpu, &cut, error) != CLG_OK) return CLG_BAD_INPUT;
    if (cut == 1) return CLG_OK;
    for (int p = 0; p < CLG_PRECISIONS; p++) {
        slow_gemm(&kernels->gemm[p], cut);
        slow_gemm(&kernels->grouped[p], cut);
    }
    for (int i = 0; i < CLG_ATTENTION_KERNELS; i++) {
        clg_attention_curve *a = &kernels->attention[i];
        a->forward_efficiency = clg_slowed_share(a->forward_efficiency, cut);
        a->backward_efficiency = clg_slowed_share(a->backward_efficiency, cut);
    }
    return CLG_OK;
}

const clg_file *clg_kernels_file(clg_arena *arena, const clg_gpu *gpu, bool *borrowed) {
    const clg_file *file = clg_kernels_called(arena, gpu->name);
    *borrowed = file == NULL;
    return file ? file : clg_kernels_called(arena, lender(arena, gpu));
}

clg_status clg_kernels_lend(clg_arena *arena, const clg_gpu *gpu, clg_kernels *kernels,
                            clg_error *error) {
    if (limit_power(arena, gpu, kernels, error) != CLG_OK) return error->status;
    return slow_units(arena, gpu, kernels, error);
}
