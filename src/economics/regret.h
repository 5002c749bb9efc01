/* regret.h -- what taking one cluster costs where another turns out better.
 *
 * Both were predicted by one program, so part of their errors is the same and takes nobody from one
 * to the other; the rest decides. Left out: the luck of failures, which is small beside the step,
 * and prices, which are signed before one starts. */
#ifndef CLG_ECONOMICS_REGRET_H
#define CLG_ECONOMICS_REGRET_H

#include "economics/cluster.h"

/* Something predicted: dollars or seconds, as predicted and its doubt (clg_factor_at). */
typedef struct clg_outlook {
    double predicted;
    clg_sides sides;
} clg_outlook;

typedef struct clg_regret {
    double chance;   /* that the other turns out lower, 0..1; a tie counts half */
    double expected; /* by how much on average, where it does not counted as 0; same unit */
} clg_regret;

/* Of having taken `taken`, lower being better. `common`: correlation of the errors, 0..1. */
clg_regret clg_regret_of(clg_outlook taken, clg_outlook other, double common);

/* The correlation of two plans' errors, 0..1: what a stack adds for experts, for its age and where
 * nobody named it is the same of both where the stack is; of the rest `common_share` on one kind of
 * GPU, on two kinds nothing, which makes regret too large rather than too small. */
double clg_regret_common(const clg_cluster *a, const clg_cluster *b, double common_share);

/* Against every other kind that meets the limits and is not past its knee, and other sizes of the
 * same: of each kind the cluster with the largest loss, largest first. In dollars where the limits
 * have a deadline and both a price, else in seconds. */
typedef struct clg_regret_row {
    const clg_cluster *other;
    clg_regret regret;
    bool in_dollars;
} clg_regret_row;

enum { CLG_REGRET_ROWS = 3 };

/* Of the best of `clusters`; returns how many rows it filled, 0 where nothing meets the limits. */
int clg_regret_rows(const clg_clusters *clusters, const clg_limits *limits, double common_share,
                    clg_regret_row rows[CLG_REGRET_ROWS]);

#endif
