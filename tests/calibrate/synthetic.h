/* synthetic.h -- samples made from known terms, with noise that is the same on every machine. */
#ifndef CLG_TESTS_CALIBRATE_SYNTHETIC_H
#define CLG_TESTS_CALIBRATE_SYNTHETIC_H

#include "calibrate/calibrate.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* A factor near 1 (log-uniform within +-spread); every `wild`-th one is three times too slow. */
static inline double synthetic_noise(int index, double spread, int wild) {
    uint64_t x = (uint64_t)index * 0x9e3779b97f4a7c15u + 0x7f4a7c15u;
    x ^= x >> 31;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 29;
    double uniform = (double)(x >> 11) / 9007199254740992.0;
    double factor = exp(spread * (2 * uniform - 1));
    return wild > 0 && index % wild == wild - 1 ? 3 * factor : factor;
}

/* Collectives of 2 to 8 ranks in a node and 16 to 128 in several, from 8 B to 8 GB. */
static inline void synthetic_collectives(clg_arena *arena, const clg_network *truth, double spread,
                                         int wild, clg_samples *samples) {
    static const clg_collective kinds[] = {CLG_ALL_REDUCE, CLG_ALL_GATHER, CLG_ALL_TO_ALL,
                                           CLG_SEND_RECEIVE};
    for (int kind = 0; kind < 4; kind++)
        for (int ranks = 2; ranks <= 128; ranks *= 2)
            for (double bytes = 8; bytes < 1e10; bytes *= 4) {
                int per_domain = ranks < 8 ? ranks : 8;
                clg_sample s = {.kind = CLG_SAMPLE_COLLECTIVE,
                                .collective = kinds[kind],
                                .ranks = ranks,
                                .nodes = ranks / per_domain,
                                .bytes = bytes,
                                .gpu = ""};
                clg_collective_best(truth, s.collective, (clg_group){ranks, per_domain}, bytes,
                                    &s.seconds);
                s.seconds *= synthetic_noise(samples->count, spread, wild);
                clg_samples_add(arena, samples, &s);
            }
}

static inline void synthetic_products(clg_arena *arena, const clg_gpu *gpu,
                                      const clg_kernels *truth, double spread, int wild,
                                      clg_samples *samples) {
    for (double m = 64; m <= 16384; m *= 2)
        for (double n = 96; n <= 16384; n *= 2.5)
            for (double k = 128; k <= 16384; k *= 3) {
                clg_sample s = {.kind = CLG_SAMPLE_GEMM,
                                .ranks = 1,
                                .precision = CLG_BF16,
                                .m = m,
                                .n = floor(n),
                                .k = floor(k),
                                .gpu = ""};
                s.seconds = clg_gemm_s(gpu, truth, CLG_BF16, s.m, s.n, s.k, 1) *
                            synthetic_noise(samples->count, spread, wild);
                clg_samples_add(arena, samples, &s);
            }
}

static inline const clg_fit_term *synthetic_term(const clg_calibration *c, const char *name) {
    for (int i = 0; i < c->terms; i++)
        if (strcmp(c->term[i].name, name) == 0) return &c->term[i];
    return NULL;
}

#endif
