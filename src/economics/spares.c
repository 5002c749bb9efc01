/* spares.c -- Poisson's tail against the rent of a node. */
#include "economics/spares.h"

#include "base/real.h"

#include <math.h>

/* Beyond so many nodes out at a time nothing is said; e^-mean is still a number. */
static const double MOST_OUT = 500;
/* Without a price: so rarely may the job stand still. */
static const double RARELY = 0.01;

double clg_poisson_above(double mean, int most) {
    if (!(mean > 0)) return 0;
    double term = clg_exp(-mean), below = term;
    for (int n = 1; n <= most; n++) below += term *= mean / n;
    return fmax(0, 1 - below);
}

static double nodes_out(const clg_operations *o, double gpus) {
    return o->failures_per_gpu_s * gpus * o->node_share * o->repair_s;
}

/* The job stops when one more than the spares is out: as often as nodes fail while just all spares
 * are in use. Where it is as good as never at work, its first stop is without end; so it is, with
 * fewer spares than nodes are out on average, where those are too many to sum. */
clg_stops clg_stops_of(const clg_operations *o, double gpus, int spares, double often) {
    double out = nodes_out(o, gpus) * often;
    if (!(out > 0) || (out > MOST_OUT && spares >= out)) return (clg_stops){0};
    double share = out > MOST_OUT ? 1 : clg_poisson_above(out, spares);
    double fails_per_s = out / o->repair_s;
    if (share >= 1) return (clg_stops){.share = 1, .per_s = fails_per_s, .mean_length_s = INFINITY};
    double all_in_use = spares > 0 ? clg_poisson_above(out, spares - 1) - share : 1 - share;
    double stops_per_s = fails_per_s * all_in_use; /* of all time */
    if (!(share > 0 && stops_per_s > 0)) return (clg_stops){0};
    return (clg_stops){
        .share = share, .per_s = stops_per_s / (1 - share), .mean_length_s = share / stops_per_s};
}

/* Dollars that one more spare saves: the whole rent runs on while the job stands still. */
static double saved(double rent_usd, double still_before, double still_after) {
    return rent_usd * (1 / (1 - still_before) - 1 / (1 - still_after));
}

clg_spares clg_spares_of(const clg_operations *o, double gpus, double node_gpus, double seconds,
                         double usd_per_s) {
    clg_spares s = {.nodes_out = nodes_out(o, gpus), .node_usd = node_gpus * usd_per_s * seconds};
    double rent_usd = gpus * usd_per_s * seconds;
    if (!(s.nodes_out > 0) || s.nodes_out > MOST_OUT) return (clg_spares){0};
    s.still_without = s.still_with = clg_poisson_above(s.nodes_out, 0);
    for (;; s.nodes++) {
        double after = clg_poisson_above(s.nodes_out, s.nodes + 1);
        s.next_usd = saved(rent_usd, s.still_with, after);
        if (s.nodes == 0) s.first_usd = s.next_usd;
        bool worth = usd_per_s > 0 ? s.next_usd > s.node_usd : s.still_with > RARELY;
        if (!worth) return s;
        s.still_with = after;
    }
}
