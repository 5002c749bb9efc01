/* beliefs.c -- normal beliefs: sums, conditioning, and what a choice between two is worth. */
#include "calibrate/beliefs.h"

#include "base/normal.h"

#include <math.h>

/* Covariances of every term with a sum. */
static void with_terms(const clg_beliefs *b, const clg_belief_reading *sum, double *into) {
    for (int i = 0; i < CLG_BELIEF_TERMS; i++) {
        into[i] = 0;
        for (int j = 0; j < CLG_BELIEF_TERMS; j++) into[i] += b->covariance[i][j] * sum->weight[j];
    }
}

static double dot(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < CLG_BELIEF_TERMS; i++) sum += a[i] * b[i];
    return sum;
}

double clg_beliefs_covariance(const clg_beliefs *beliefs, const clg_belief_reading *a,
                              const clg_belief_reading *b) {
    double of[CLG_BELIEF_TERMS];
    with_terms(beliefs, b, of);
    return dot(a->weight, of);
}

void clg_beliefs_observe(clg_beliefs *beliefs, const clg_belief_reading *reading) {
    double of[CLG_BELIEF_TERMS];
    with_terms(beliefs, reading, of);
    double variance = dot(reading->weight, of) + reading->noise;
    if (!(variance > 0)) return;
    for (int i = 0; i < CLG_BELIEF_TERMS; i++)
        for (int j = 0; j < CLG_BELIEF_TERMS; j++)
            beliefs->covariance[i][j] -= of[i] * of[j] / variance;
}

double clg_beliefs_expected(const clg_beliefs *before, const clg_belief_reading *reading,
                            double surprise, const clg_belief_reading *sum) {
    double variance = clg_beliefs_covariance(before, reading, reading) + reading->noise;
    if (!(variance > 0)) return 0;
    return clg_beliefs_covariance(before, reading, sum) / variance * surprise;
}

double clg_beliefs_excess(double mean, double sigma) {
    if (!(sigma > 0)) return fmax(mean, 0);
    double z = mean / sigma;
    return sigma * (clg_normal_density(z) + z * clg_normal_below(z));
}

/* The mean of the belief afterwards is normal around `mean` with what the reading takes of the
 * variance; the middle of each of 64 equal shares of it. */
double clg_beliefs_right(double mean, double before, double after) {
    enum { SHARES = 64 };
    double moves = sqrt(fmax(0, before * before - after * after)), sum = 0;
    if (!(before > 0)) return 1;
    for (int i = 0; i < SHARES; i++) {
        double then = fabs(mean + moves * clg_normal_quantile((i + 0.5) / SHARES));
        sum += after > 0 ? clg_normal_below(then / after) : 1;
    }
    return sum / SHARES;
}
