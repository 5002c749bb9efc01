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
    CASE("energy is power over time; at equal time the fewest GPUs are listed");
    CHECK_NEAR(all->cluster[all->best].joules,
               all->cluster[all->best].power_w * all->cluster[all->best].seconds, 1e-9);
    CHECK(all->equal_count == 1 && all->equal_seconds == all->cluster[all->best].seconds);
    CHECK(all->cluster[all->equal[0]].gpus <= all->cluster[all->best].gpus);
    CASE("nothing meets an impossible limit: the nearest is named with its factor");
    all = size(&offer, &space, (clg_limits){.deadline_s = 1});
    CHECK(all->best < 0 && all->nearest >= 0 && all->missed_factor > 1000);
    clg_arena_clear(&arena);
    return DONE;
}
