/* Which limit decides: a deadline leaves it to money, anything else to time. */
#include "api/request.h"
#include "economics/cluster.h"
#include "test.h"

#include <math.h>

static clg_arena arena;

static clg_sizing sizing(const clg_offer *offers, int count, clg_limits limits) {
    clg_sizing ask = {.offer = offers,
                      .offers = count,
                      .limits = limits,
                      .tokens = 100e9,
                      .critical_tokens = INFINITY,
                      .knee_share = 0.5,
                      .most_gpus = 1024};
    clg_error e = {0};
    CHECK(clg_operations_default(&arena, &ask.operations, &e) == CLG_OK);
    return ask;
}

static clg_clusters *answer(const clg_sizing *ask) {
    clg_clusters *all = clg_take(&arena, 1, clg_clusters);
    clg_error e = {0};
    CHECK(clg_size(&arena, ask, (clg_progress){0}, all, &e) == CLG_OK);
    return all;
}

static clg_clusters *size(const clg_offer *offer, clg_limits limits) {
    clg_sizing ask = sizing(offer, 1, limits);
    return answer(&ask);
}

static bool cheapest(const clg_clusters *all) {
    for (int i = 0; i < all->count; i++)
        if (all->cluster[i].meets && all->cluster[i].usd < all->cluster[all->best].usd)
            return false;
    return true;
}

/* More than 8 nodes of 8 for less than a day. */
static bool brief(const clg_cluster *c) { return c->gpus > 64 && c->seconds < 86400; }

/* Of those that cost at most so much. */
static bool fastest(const clg_clusters *all, double most_usd) {
    for (int i = 0; i < all->count; i++)
        if (all->cluster[i].meets && !all->cluster[i].past_knee && !brief(&all->cluster[i]) &&
            all->cluster[i].usd <= most_usd &&
            all->cluster[i].seconds < all->cluster[all->best].seconds)
            return false;
    return all->cluster[all->best].usd <= most_usd;
}

/* A tenth more than the least that anything that meets the limits costs. */
static double not_dear(const clg_clusters *all) {
    double least = INFINITY;
    for (int i = 0; i < all->count; i++)
        if (all->cluster[i].meets && !all->cluster[i].past_knee)
            least = fmin(least, all->cluster[i].usd);
    return 1.1 * least;
}

static clg_offer offer_of(const char *gpu, const char *price) {
    clg_request request = {.model = "llama-2-7b"};
    clg_offer offer;
    clg_error e = {0};
    request.value[CLG_PARAM_GPUS] = "8";
    request.value[CLG_PARAM_GPU] = gpu;
    request.value[CLG_PARAM_PRICE] = price;
    CHECK(clg_request_read(&arena, &request, true, &offer.scenario, &offer.space, &e) == CLG_OK);
    return offer;
}

static void check_two_kinds(void) {
    clg_offer kinds[] = {offer_of("a100-sxm-80gb", "1USD/h"), offer_of("h100-sxm", "5USD/h")};
    clg_sizing ask = sizing(kinds, 2, (clg_limits){.deadline_s = 3 * 86400});
    ask.most_gpus = 512;
    CASE("two kinds: the cheaper one, and both at equal time, fewest GPUs first");
    clg_clusters *all = answer(&ask);
    CHECK(all->cluster[all->best].offer == &kinds[0] && cheapest(all));
    CHECK(all->equal_count == 2);
    const clg_cluster *few = &all->cluster[all->equal[0]], *many = &all->cluster[all->equal[1]];
    CHECK(few->offer == &kinds[1] && many->offer == &kinds[0] && few->gpus < many->gpus);
    CHECK(few->seconds * few->late <= ask.limits.deadline_s);
    CHECK(many->seconds * many->late <= ask.limits.deadline_s);
    CASE("a kind without a price is never the cheaper one");
    kinds[1].scenario.price.usd_per_s = 0;
    all = answer(&ask);
    CHECK(all->cluster[all->best].offer == &kinds[0]);
    kinds[0].scenario.price.usd_per_s = 0, kinds[1].scenario.price.usd_per_s = 5.0 / 3600;
    all = answer(&ask);
    CHECK(all->cluster[all->best].offer == &kinds[1]);
    CASE("no prices at all: energy decides");
    kinds[1].scenario.price.usd_per_s = 0;
    all = answer(&ask);
    for (int i = 0; i < all->count; i++)
        CHECK(!all->cluster[i].meets || all->cluster[i].joules >= all->cluster[all->best].joules);
}

/* What software leaves open differs from kind to kind. */
static void check_spaces(void) {
    clg_offer kinds[] = {offer_of("a100-sxm-80gb", "1USD/h"), offer_of("h100-sxm", "5USD/h")};
    kinds[1].space.tp = (clg_axis_values){.count = 1, .value = {8}};
    clg_sizing ask = sizing(kinds, 2, (clg_limits){.deadline_s = 3 * 86400});
    ask.most_gpus = 64;
    clg_clusters *all = answer(&ask);
    bool free = false;
    CASE("each kind is planned in the space of its own software");
    for (int i = 0; i < all->count; i++) {
        int tp = all->cluster[i].plan.layout.tp;
        CHECK(all->cluster[i].offer == &kinds[0] || tp == 8);
        free = free || (all->cluster[i].offer == &kinds[0] && tp != 8);
    }
    CHECK(free);
}

/* The same job at a batch, with the critical batch said. */
static clg_clusters *at_batch(const clg_offer *offer, int64_t batch, double critical) {
    clg_offer *own = clg_take(&arena, 1, clg_offer);
    *own = *offer;
    own->space.global_batch = batch;
    clg_sizing ask = sizing(own, 1, (clg_limits){.deadline_s = 20 * 86400});
    ask.critical_tokens = critical;
    return answer(&ask);
}

static bool rises(void *context, double share) {
    double *last = context;
    CHECK(share >= *last && share <= 1);
    *last = share;
    return true;
}

static void check_told(const clg_offer *offer) {
    CASE("what is said to be done never falls, in rounds whose number nobody knows before");
    clg_sizing ask = sizing(offer, 1, (clg_limits){.deadline_s = 30 * 86400});
    clg_clusters *all = clg_take(&arena, 1, clg_clusters);
    clg_error e = {0};
    double last = 0;
    CHECK(clg_size(&arena, &ask, (clg_progress){.tell = rises, .context = &last}, all, &e) ==
          CLG_OK);
    CHECK(last > 0.5);
}

static void check_progress(const clg_offer *offer) {
    CASE("progress: a batch past the critical one needs more tokens, and so more time and money");
    double critical = 512 * (double)offer->space.seq;
    clg_clusters *small = at_batch(offer, 512, critical);
    clg_clusters *large = at_batch(offer, 4096, critical);
    CHECK(small->tokens_needed == 100e9);
    CHECK_NEAR(large->tokens_needed, 100e9 * (1 + 8) / 2, 1e-12);
    const clg_cluster *s = &small->cluster[small->best], *l = &large->cluster[large->best];
    CHECK(l->usd > 3 * s->usd);
    CHECK(at_batch(offer, 4096, INFINITY)->tokens_needed == 100e9);
    CASE("the knee: a doubling past it wins less than half its GPUs, or costs twice the cheapest");
    for (int i = 0; i < small->count; i++) {
        const clg_cluster *c = &small->cluster[i];
        double least = INFINITY;
        for (int k = 0; k < small->count; k++) least = fmin(least, small->cluster[k].usd);
        if (!c->past_knee) CHECK(c->usd <= 2 * least);
    }
    CASE("a great budget buys no more than the knee; most GPUs are not passed");
    clg_clusters *rich = size(offer, (clg_limits){.budget_usd = 1e9});
    CHECK(!rich->cluster[rich->best].past_knee && fastest(rich, not_dear(rich)));
    CASE("nor hundreds of GPUs for hours: the fastest of those that last a day, or are few");
    bool faster = false;
    for (int i = 0; i < rich->count; i++)
        faster |= brief(&rich->cluster[i]) && !rich->cluster[i].past_knee &&
                  rich->cluster[i].seconds < rich->cluster[rich->best].seconds;
    CHECK(faster && !brief(&rich->cluster[rich->best]));
    clg_sizing ask = sizing(offer, 1, (clg_limits){.budget_usd = 1e9});
    ask.most_gpus = 64;
    clg_clusters *few = answer(&ask);
    for (int i = 0; i < few->count; i++) CHECK(few->cluster[i].gpus <= 64);
    CASE("a cluster is rented with the network it is planned on: its limits hold on that");
    clg_offer open = offer_of("a100-sxm-80gb", "2.79USD/h"), named = open;
    CHECK(open.scenario.machine.fabric.assumed);
    named.scenario.machine.fabric.assumed = false;
    clg_cluster of_open, of_named;
    ask = sizing(&open, 1, (clg_limits){.deadline_s = 30 * 86400.0});
    CHECK(clg_cluster_plan(&arena, &ask, answer(&ask), &open, 512, &of_open));
    CHECK(clg_cluster_plan(&arena, &ask, answer(&ask), &named, 512, &of_named));
    CHECK_NEAR(of_open.late, of_named.late, 1e-12);

    CASE("no failures: every second trains");
    ask.operations.failures_per_gpu_s = 0;
    few = answer(&ask);
    CHECK(few->cluster[few->best].goodput.share == 1);
}

static int64_t fewest_gpus(const clg_clusters *all) {
    int64_t fewest = INT64_MAX;
    for (int i = 0; i < all->count; i++)
        if (all->cluster[i].gpus < fewest) fewest = all->cluster[i].gpus;
    return fewest;
}

/* A pass forward of 7B on 100 B tokens, 1.3e21 operations, takes 17 A100 three days at 312 Tflop/s.
 */
static void check_hopeless(void) {
    clg_offer a100 = offer_of("a100-sxm-80gb", "1USD/h");
    clg_clusters *all = size(&a100, (clg_limits){.deadline_s = 3 * 86400});
    CASE("what could not be in time at the peak of its arithmetic is not planned");
    CHECK(all->best >= 0 && fewest_gpus(all) == 32);
    CASE("unless nothing is in time: then any may be the nearest");
    all = size(&a100, (clg_limits){.deadline_s = 60});
    CHECK(all->best < 0 && all->nearest >= 0 && fewest_gpus(all) == 8);
}

/* On several cores, in another order: the same clusters. */
static bool backwards(void *host, int count, void (*run)(void *work, int index), void *work,
                      clg_tell *tell, void *told) {
    (void)host, (void)tell, (void)told;
    for (int i = count - 1; i >= 0; i--) run(work, i);
    return true;
}

static void check_cores(const clg_offer *offer) {
    CASE("pieces done in another order make the same answer");
    const clg_cores cores = {backwards, NULL};
    clg_sizing ask = sizing(offer, 1, (clg_limits){.budget_usd = 20e3});
    clg_clusters *one = answer(&ask), *other = clg_take(&arena, 1, clg_clusters);
    clg_error e = {0};
    CHECK(clg_size(&arena, &ask, (clg_progress){.cores = &cores}, other, &e) == CLG_OK);
    CHECK(one->count == other->count && one->best == other->best);
    for (int i = 0; i < one->count; i++) {
        CHECK(one->cluster[i].gpus == other->cluster[i].gpus);
        CHECK(one->cluster[i].seconds == other->cluster[i].seconds);
    }
}

int main(void) {
    clg_request request = {.model = "llama-2-7b"};
    clg_offer offer;
    clg_error e = {0};
    request.value[CLG_PARAM_GPUS] = "8";
    request.value[CLG_PARAM_PRICE] = "3USD/h";
    CHECK(clg_request_read(&arena, &request, true, &offer.scenario, &offer.space, &e) == CLG_OK);
    CASE("a deadline: the cheapest that meets it, no larger than the doubling that does");
    clg_clusters *all = size(&offer, (clg_limits){.deadline_s = 2 * 86400});
    CHECK(all->best >= 0 &&
          all->cluster[all->best].seconds * all->cluster[all->best].late <= 2 * 86400 &&
          cheapest(all));
    CASE("only power: the fastest that stays below it, near it");
    all = size(&offer, (clg_limits){.power_w = 90e3});
    CHECK(all->best >= 0 && all->cluster[all->best].power_w <= 90e3 && fastest(all, INFINITY));
    CHECK(all->cluster[all->best].power_w > 67e3);
    CASE("only money: the fastest for a tenth more than the cheapest, which is told");
    all = size(&offer, (clg_limits){.budget_usd = 20e3});
    CHECK(all->best >= 0 && all->cluster[all->best].usd * all->cluster[all->best].late <= 20e3 &&
          fastest(all, not_dear(all)));
    CHECK_NEAR(all->cluster[all->cheapest].usd * 1.1, not_dear(all), 1e-12);
    CASE(
        "days are tokens over speed, longer by what failures and checkpoints take; rent is theirs");
    const clg_cluster *some = &all->cluster[all->best];
    CHECK(some->goodput.share < 1);
    CHECK_NEAR(some->seconds * some->goodput.share * some->plan.tokens_per_s, 100e9, 1e-12);
    CHECK_NEAR(some->usd, some->seconds * (double)some->gpus * 3 / 3600, 1e-12);
    CASE("energy is power over time; at equal time the fewest GPUs are listed");
    CHECK_NEAR(all->cluster[all->best].joules,
               all->cluster[all->best].power_w * all->cluster[all->best].seconds, 1e-9);
    CHECK(all->equal_count == 1 && all->equal_seconds == all->cluster[all->best].seconds);
    CHECK(all->cluster[all->equal[0]].gpus <= all->cluster[all->best].gpus);
    CASE("nothing meets an impossible limit: the nearest is named with its factor");
    all = size(&offer, (clg_limits){.deadline_s = 1});
    CHECK(all->best < 0 && all->nearest >= 0 && all->missed_factor > 1000);
    check_two_kinds();
    check_hopeless();
    check_spaces();
    check_told(&offer);
    check_progress(&offer);
    check_cores(&offer);
    clg_arena_clear(&arena);
    return DONE;
}
