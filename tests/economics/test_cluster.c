/* Which limit decides: a deadline leaves it to money, anything else to time. */
#include "api/request.h"
#include "economics/cluster.h"
#include "test.h"

static clg_arena arena;

static clg_clusters *size(const clg_offer *offer, const clg_space *space, clg_limits limits) {
    clg_clusters *all = clg_take(&arena, 1, clg_clusters);
    clg_operations o;
    clg_error e = {0};
    CHECK(clg_operations_default(&arena, &o, &e) == CLG_OK);
    CHECK(clg_size(&arena, offer, 1, space, &o, &limits, 100e9, 1024, (clg_progress){0}, all, &e) ==
          CLG_OK);
    return all;
}

static bool cheapest(const clg_clusters *all) {
    for (int i = 0; i < all->count; i++)
        if (all->cluster[i].meets && all->cluster[i].usd < all->cluster[all->best].usd)
            return false;
    return true;
}

static bool fastest(const clg_clusters *all) {
    for (int i = 0; i < all->count; i++)
        if (all->cluster[i].meets && all->cluster[i].seconds < all->cluster[all->best].seconds)
            return false;
    return true;
}

static clg_offer offer_of(const char *gpu, const char *price) {
    clg_request request = {.model = "llama-2-7b"};
    clg_offer offer;
    clg_space space;
    clg_error e = {0};
    request.value[CLG_PARAM_GPUS] = "8";
    request.value[CLG_PARAM_GPU] = gpu;
    request.value[CLG_PARAM_PRICE] = price;
    CHECK(clg_request_read(&arena, &request, true, &offer.scenario, &space, &e) == CLG_OK);
    return offer;
}

static void check_two_kinds(const clg_space *space) {
    clg_offer kinds[] = {offer_of("a100-sxm-80gb", "1USD/h"), offer_of("h100-sxm", "5USD/h")};
    clg_clusters *all = clg_take(&arena, 1, clg_clusters);
    clg_operations o;
    clg_limits limits = {.deadline_s = 3 * 86400};
    clg_error e = {0};
    CHECK(clg_operations_default(&arena, &o, &e) == CLG_OK);
    CASE("two kinds: the cheaper one, and both at equal time, fewest GPUs first");
    CHECK(clg_size(&arena, kinds, 2, space, &o, &limits, 100e9, 512, (clg_progress){0}, all, &e) ==
          CLG_OK);
    CHECK(all->cluster[all->best].offer == &kinds[0] && cheapest(all));
    CHECK(all->equal_count == 2);
    const clg_cluster *few = &all->cluster[all->equal[0]], *many = &all->cluster[all->equal[1]];
    CHECK(few->offer == &kinds[1] && many->offer == &kinds[0] && few->gpus < many->gpus);
    CHECK(few->seconds <= limits.deadline_s && many->seconds <= limits.deadline_s);
    CASE("a kind without a price is never the cheaper one");
    kinds[1].scenario.price.usd_per_s = 0;
    CHECK(clg_size(&arena, kinds, 2, space, &o, &limits, 100e9, 512, (clg_progress){0}, all, &e) ==
          CLG_OK);
    CHECK(all->cluster[all->best].offer == &kinds[0]);
    kinds[0].scenario.price.usd_per_s = 0, kinds[1].scenario.price.usd_per_s = 5.0 / 3600;
    CHECK(clg_size(&arena, kinds, 2, space, &o, &limits, 100e9, 512, (clg_progress){0}, all, &e) ==
          CLG_OK);
    CHECK(all->cluster[all->best].offer == &kinds[1]);
    CASE("no prices at all: energy decides");
    kinds[1].scenario.price.usd_per_s = 0;
    CHECK(clg_size(&arena, kinds, 2, space, &o, &limits, 100e9, 512, (clg_progress){0}, all, &e) ==
          CLG_OK);
    for (int i = 0; i < all->count; i++)
        CHECK(!all->cluster[i].meets || all->cluster[i].joules >= all->cluster[all->best].joules);
}

int main(void) {
    clg_request request = {.model = "llama-2-7b"};
    clg_offer offer;
    clg_space space;
    clg_error e = {0};
    request.value[CLG_PARAM_GPUS] = "8";
    request.value[CLG_PARAM_PRICE] = "3USD/h";
    CHECK(clg_request_read(&arena, &request, true, &offer.scenario, &space, &e) == CLG_OK);
    CASE("a deadline: the cheapest that meets it, no larger than the doubling that does");
    clg_clusters *all = size(&offer, &space, (clg_limits){.deadline_s = 2 * 86400});
    CHECK(all->best >= 0 && all->cluster[all->best].seconds <= 2 * 86400 && cheapest(all));
    CASE("only power: the fastest that stays below it, near it");
    all = size(&offer, &space, (clg_limits){.power_w = 200e3});
    CHECK(all->best >= 0 && all->cluster[all->best].power_w <= 200e3 && fastest(all));
    CHECK(all->cluster[all->best].power_w > 150e3);
    CASE("only money: the fastest for it");
    all = size(&offer, &space, (clg_limits){.budget_usd = 20e3});
    CHECK(all->best >= 0 && all->cluster[all->best].usd <= 20e3 && fastest(all));
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
    all = size(&offer, &space, (clg_limits){.deadline_s = 1});
    CHECK(all->best < 0 && all->nearest >= 0 && all->missed_factor > 1000);
    check_two_kinds(&space);
    clg_arena_clear(&arena);
    return DONE;
}
