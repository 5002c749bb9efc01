/* Regret between two predictions, and what a node of spares saves, by hand. */
#include "base/normal.h"
#include "demand/random.h"
#include "economics/regret.h"
#include "economics/spares.h"
#include "evaluate/interval.h"
#include "test.h"

static void check_certain(void) {
    clg_regret r = clg_regret_of((clg_outlook){100, {0, 0}}, (clg_outlook){90, {0, 0}}, 0.5);
    CASE("without doubt the dearer of two loses the difference, surely; the cheaper nothing");
    CHECK_NEAR(r.chance, 1, 1e-12);
    CHECK_NEAR(r.expected, 10, 1e-12);
    r = clg_regret_of((clg_outlook){90, {0, 0}}, (clg_outlook){100, {0, 0}}, 0.5);
    CHECK(r.chance == 0 && r.expected == 0);
    CASE("errors that are all common change no order");
    r = clg_regret_of((clg_outlook){90, {0.2, 0.3}}, (clg_outlook){100, {0.2, 0.3}}, 1);
    CHECK(r.chance == 0 && r.expected == 0);
    const clg_outlook even = {100, {0.01, 0.01}};
    CASE("equal predictions, errors of 1 % that have nothing in common: even chances, and E max(0, "
         "X - Y) of two normals is sigma / sqrt(pi)");
    r = clg_regret_of(even, even, 0);
    CHECK_NEAR(r.chance, 0.5, 1e-12);
    CHECK_NEAR(r.expected, 1 / sqrt(3.14159265358979), 0.01);
    CASE("half in common: their difference has half the variance");
    r = clg_regret_of(even, even, 0.5);
    CHECK_NEAR(r.expected, sqrt(0.5 / 3.14159265358979), 0.01);
}

/* The same from 200,000 draws. */
static void check_drawn(void) {
    enum { DRAWS = 200000 };
    clg_random random = {7};
    clg_outlook a = {100, {0.15, 0.3}}, b = {110, {0.25, 0.2}};
    const double common = 0.4;
    double chance = 0, lost = 0;
    for (int i = 0; i < DRAWS; i++) {
        double z[3];
        for (int k = 0; k < 3; k++) z[k] = clg_normal_quantile(clg_random_unit(&random));
        double x = 100 * clg_factor_at(a.sides, sqrt(common) * z[0] + sqrt(1 - common) * z[1]);
        double y = 110 * clg_factor_at(b.sides, sqrt(common) * z[0] + sqrt(1 - common) * z[2]);
        chance += x > y;
        lost += fmax(0, x - y);
    }
    clg_regret r = clg_regret_of(a, b, common);
    CASE("as often and as much as in draws");
    CHECK(fabs(r.chance - chance / DRAWS) < 0.005);
    CHECK_NEAR(r.expected, lost / DRAWS, 0.02);
}

static double common_of(const clg_offer *x, const clg_offer *y, clg_doubt doubt) {
    clg_cluster a = {.offer = x, .plan = {.step_s = 1, .doubt = doubt}};
    clg_evaluation_widen(&a.plan, clg_doubt_sides(&doubt, &x->scenario.stack));
    clg_cluster b = a;
    b.offer = y;
    return clg_regret_common(&a, &b, 0.5);
}

/* One stack of sigma 0.4, with experts 0.5 late: 0.45 on the mean of both sides, so that they make
 * 1 - (0.4 / 0.45)^2 of the variance. */
static void check_common(void) {
    clg_stack stack = {.name = "one", .sigma = {.step = 0.4, .experts = 0.3}};
    clg_offer x = {.scenario = {.stack = stack, .machine = {.gpu = {.name = "x"}}}}, y = x;
    y.scenario.machine.gpu.name = "y";
    clg_doubt doubt = {.experts = true};
    const double shared = 1 - 0.16 / (0.45 * 0.45);
    CASE("two kinds of GPU share what experts add; one kind half of the rest too");
    CHECK_NEAR(common_of(&x, &y, doubt), shared, 1e-12);
    CHECK_NEAR(common_of(&x, &x, doubt), shared + 0.5 * (1 - shared), 1e-12);
    CASE("experts that make the late side three times as wide are not all there is");
    x.scenario.stack.sigma.experts = y.scenario.stack.sigma.experts = 1.2;
    CHECK(common_of(&x, &y, doubt) < 0.8);
    CASE("so they do the doubt of software that nobody named: 0.2 more in squares on both sides");
    x.scenario.stack.sigma.experts = y.scenario.stack.sigma.experts = 0;
    x.scenario.stack.sigma.unnamed = y.scenario.stack.sigma.unnamed = 0.2;
    doubt.unnamed = true;
    CHECK_NEAR(common_of(&x, &y, doubt), 0.2, 1e-12);
    y.scenario.stack.name = "other";
    CASE("another stack on another kind shares nothing");
    CHECK(common_of(&x, &y, doubt) == 0);
}

/* Nine clusters of two other kinds: of each the worst loss, and neither what misses nor ties. */
static void check_rows(void) {
    clg_offer kind[3] = {{.scenario.machine.gpu.name = "a"},
                         {.scenario.machine.gpu.name = "b"},
                         {.scenario.machine.gpu.name = "c"}};
    for (int k = 0; k < 3; k++)
        kind[k].scenario.stack = (clg_stack){.name = "one", .sigma.step = 0.1};
    static clg_clusters all;
    const struct {
        int kind;
        double usd;
        bool meets;
    } row[] = {{0, 100, true}, {1, 120, true}, {1, 105, true}, {2, 101, true}, {2, 90, false}};
    all.best = 0;
    for (int i = 0; i < 5; i++)
        all.cluster[all.count++] = (clg_cluster){.offer = &kind[row[i].kind],
                                                 .usd = row[i].usd,
                                                 .seconds = 1000,
                                                 .meets = row[i].meets,
                                                 .plan.step_s = 1};
    for (int i = 0; i < all.count; i++)
        clg_evaluation_widen(&all.cluster[i].plan, (clg_sides){0.1, 0.1});
    clg_regret_row rows[CLG_REGRET_ROWS];
    clg_limits limits = {.deadline_s = 2000};
    CASE("rows: one a kind, the largest loss first");
    CHECK(clg_regret_rows(&all, &limits, 0.5, rows) == 2);
    CHECK(rows[0].other == &all.cluster[3] && rows[1].other == &all.cluster[2]);
    CHECK(rows[0].in_dollars && rows[0].regret.expected > rows[1].regret.expected);
    all.best = -1;
    CHECK(clg_regret_rows(&all, &limits, 0.5, rows) == 0);
}

/* 1,000 GPUs in nodes of 8 that fail once in 1,000 days and are repaired in one: one node out on
 * average, so none is with e^-1, one with e^-1, two with e^-1 / 2. */
static void check_spares(void) {
    clg_operations o = {.failures_per_gpu_s = 1 / 86400e3, .repair_s = 86400, .node_share = 1};
    const double e = 2.718281828459045, day = 86400;
    CASE("Poisson's tail");
    CHECK_NEAR(clg_poisson_above(1, 0), 1 - 1 / e, 1e-12);
    CHECK_NEAR(clg_poisson_above(1, 2), 1 - 2.5 / e, 1e-12);
    clg_spares s = clg_spares_of(&o, 1000, 8, 100 * day, 1 / day);
    CASE(
        "a hundred days at 1 USD a day and GPU: a node costs 800; the first saves 100,000 x (e - e "
        "/ 2), and as many are kept as save more than they cost");
    CHECK_NEAR(s.node_usd, 800, 1e-9);
    CHECK_NEAR(s.first_usd, 1e5 * (e - e / 2), 1e-9);
    CHECK_NEAR(s.still_without, 1 - 1 / e, 1e-12);
    double before = 1 / e * (1 + 1 + 0.5 + 1 / 6.0), after = before + 1 / e / 24;
    CHECK(1e5 * (1 / before - 1 / after) > 800);
    double last = after + 1 / e / 120;
    CHECK(1e5 * (1 / after - 1 / last) < 800);
    CHECK(s.nodes == 4);
    CHECK_NEAR(s.next_usd, 1e5 * (1 / after - 1 / last), 1e-6);
    CASE("without a price, until the job stands still less than 1 % of the time");
    s = clg_spares_of(&o, 1000, 8, 100 * day, 0);
    CHECK(s.nodes == 4 && s.still_with < 0.01 && clg_poisson_above(1, 3) > 0.01);
    CASE("no failures, no repairs, or more than can be told: nothing is said");
    CASE("without spares each node's failure stops the job, for a busy period of M/G/infinity");
    double out = o.failures_per_gpu_s * 1000 * o.repair_s;
    clg_stops stops = clg_stops_of(&o, 1000, 0, 1);
    CHECK_NEAR(stops.per_s, o.failures_per_gpu_s * 1000, 1e-9);
    CHECK_NEAR(stops.mean_length_s, (exp(out) - 1) / (o.failures_per_gpu_s * 1000), 1e-9);
    CHECK_NEAR(clg_stops_of(&o, 1000, 2, 1).share, clg_poisson_above(out, 2), 1e-12);
    CHECK(clg_stops_of(&o, 1000, 400, 1).share == 0);
    CASE("where far more nodes are out than there are spares, it stops and never goes on");
    CHECK(isinf(clg_stops_of(&o, 1e5, 0, 1).mean_length_s));
    CHECK(isinf(clg_stops_of(&o, 1e8, 5, 1).mean_length_s));
    CHECK(clg_stops_of(&o, 1e6, 100000, 1).share == 0);
    o.repair_s = 0;
    CHECK(clg_spares_of(&o, 1000, 8, day, 1).nodes_out == 0);
    o.repair_s = 1e9;
    CHECK(clg_spares_of(&o, 1000, 8, day, 1).nodes_out == 0);
}

int main(void) {
    check_certain();
    check_drawn();
    check_common();
    check_rows();
    check_spares();
    return DONE;
}
