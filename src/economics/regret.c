/* regret.c -- sums over equal shares of what is doubted. */
#include "economics/regret.h"

#include "base/real.h"
#include "evaluate/interval.h"

#include <math.h>
#include <string.h>

enum { COMMON = 16, OWN = 256 };

/* What one turns out at, in each of OWN equal shares of its own error, at a common one of `z`. */
static void outcomes(clg_outlook o, double common, double z, double value[OWN]) {
    for (int i = 0; i < OWN; i++)
        value[i] =
            o.predicted *
            clg_factor_at(o.sides, sqrt(common) * z + sqrt(1 - common) * clg_normal_middle(i, OWN));
}

/* Adds every pair of outcomes, both in rising order. */
static void add_pairs(const double mine[OWN], const double theirs[OWN], clg_regret *sum) {
    double below = 0;
    for (int i = 0, lower = 0; i < OWN; i++) {
        for (; lower < OWN && theirs[lower] < mine[i]; lower++) below += theirs[lower];
        int tied = lower;
        while (tied < OWN && theirs[tied] <= mine[i]) tied++;
        sum->chance += lower + 0.5 * (tied - lower);
        sum->expected += lower * mine[i] - below;
    }
}

clg_regret clg_regret_of(clg_outlook taken, clg_outlook other, double common) {
    clg_regret sum = {0};
    double mine[OWN], theirs[OWN];
    for (int k = 0; k < COMMON; k++) {
        double z = clg_normal_middle(k, COMMON);
        outcomes(taken, common, z, mine);
        outcomes(other, common, z, theirs);
        add_pairs(mine, theirs, &sum);
    }
    const double cases = (double)COMMON * OWN * OWN;
    return (clg_regret){sum.chance / cases, sum.expected / cases};
}

/* Variance that any two plans of one model on one stack share. */
static double shared_variance(const clg_cluster *c) {
    clg_doubt own = c->plan.doubt;
    own.experts = own.aged = own.unnamed = false;
    clg_sides sides = clg_doubt_sides(&own, &c->offer->scenario.stack);
    double sigma = (sides.early + sides.late) / 2;
    return fmax(0, clg_square(c->plan.log_sigma) - clg_square(sigma));
}

double clg_regret_common(const clg_cluster *a, const clg_cluster *b, double common_share) {
    const clg_scenario *at = &a->offer->scenario, *bt = &b->offer->scenario;
    double all = a->plan.log_sigma * b->plan.log_sigma, shared = 0;
    bool one_stack = strcmp(at->stack.name, bt->stack.name) == 0;
    if (!(all > 0)) return 0;
    if (one_stack) shared = fmin(shared_variance(a), shared_variance(b));
    if (strcmp(at->machine.gpu.name, bt->machine.gpu.name) == 0)
        shared += common_share * (all - shared);
    return fmax(0, fmin(1, shared / all));
}

static clg_regret_row row_of(const clg_cluster *best, const clg_cluster *other, bool by_money,
                             double common_share) {
    bool dollars = by_money && best->usd > 0 && other->usd > 0;
    clg_outlook mine = {dollars ? best->usd : best->seconds, clg_evaluation_sides(&best->plan)};
    clg_outlook theirs = {dollars ? other->usd : other->seconds,
                          clg_evaluation_sides(&other->plan)};
    double common = clg_regret_common(best, other, common_share);
    return (clg_regret_row){
        .other = other, .regret = clg_regret_of(mine, theirs, common), .in_dollars = dollars};
}

/* Keeps one row of a kind, the largest loss first. */
static int keep(clg_regret_row rows[CLG_REGRET_ROWS], int count, const clg_regret_row *row) {
    int at = 0, from = count;
    while (at < count && rows[at].regret.expected >= row->regret.expected) at++;
    for (int i = 0; i < count; i++)
        if (rows[i].other->offer == row->other->offer) from = i;
    if (from < at) return count;
    bool grows = from == count && count < CLG_REGRET_ROWS;
    if (from == count && !grows) from--;
    for (int i = from; i > at; i--) rows[i] = rows[i - 1];
    if (at < CLG_REGRET_ROWS) rows[at] = *row;
    return count + grows;
}

int clg_regret_rows(const clg_clusters *all, const clg_limits *limits, double common_share,
                    clg_regret_row rows[CLG_REGRET_ROWS]) {
    int count = 0;
    if (all->best < 0) return 0;
    const clg_cluster *best = &all->cluster[all->best];
    for (int i = 0; i < all->count; i++) {
        const clg_cluster *c = &all->cluster[i];
        if (i == all->best || !c->meets || c->past_knee) continue;
        clg_regret_row row = row_of(best, c, limits->deadline_s > 0, common_share);
        if (row.regret.chance > 0) count = keep(rows, count, &row);
    }
    return count;
}
