/* fleet_report.c -- for people. */
#include "report_serving/fleet_report.h"

#include "report/number_words.h"
#include "report/price_words.h"
#include "report_serving/demand_parts.h"
#include "report_serving/fleet_growth_report.h"
#include "report_serving/fleet_parts.h"
#include "serve/degree.h"
#include "serve/headroom.h"

#include <math.h>

static const clg_replica *replica_of(const clg_joint_model *m) { return m->question->replica; }

static const char *nodes(clg_text *t, int64_t count) {
    return clg_arena_print(t->arena, "%s node%s", clg_words_count(t, count), count == 1 ? "" : "s");
}

/* "4 x tp4 fp8": replicas of so many GPUs. */
static const char *replicas_words(clg_text *t, const clg_joint_model *m) {
    const clg_replica *r = replica_of(m);
    return clg_arena_print(t->arena, "%s x %d %s", clg_words_count(t, m->replicas),
                           clg_replica_gpus(r),
                           clg_name_of(clg_precision_names, (int)r->layout.weights));
}

static void print_model(clg_text *t, const clg_joint *j, const clg_joint_model *m) {
    clg_text_print(t, "         ");
    clg_text_pad(t, clg_arena_print(t->arena, "%.20s", m->name), 21, false);
    clg_text_pad(t, replicas_words(t, m), 13, false);
    clg_text_print(t, "%6.2f %5lld %7.2f%s", m->load_gpus, (long long)m->alone_nodes, m->held_gpus,
                   clg_fleet_shares(j, m) ? "*" : " ");
    clg_text_pad(t, clg_words_usd(t, clg_fleet_usd_per_million(m, m->alone_usd_per_s)), 9, true);
    clg_text_pad(t, clg_words_usd(t, clg_fleet_usd_per_million(m, m->usd_per_s)), 9, true);
    clg_text_pad(t,
                 clg_arena_print(t->arena, "%lld of %lld", (long long)m->lost_replicas,
                                 (long long)m->replicas),
                 9, true);
    clg_text_pad(t, clg_arena_print(t->arena, "%.1f %%", 100 * m->lost_share), 9, true);
    clg_text_print(t, "\n");
}

static void print_models(clg_text *t, const clg_joint *j) {
    clg_text_print(
        t, "models                        replicas       load nodes    GPUs    $/Mtok out      "
           "a node lost\n"
           "                              x GPUs         GPUs alone    held    alone     here "
           "replicas  in time\n");
    for (int i = 0; i < j->models; i++) print_model(t, j, &j->model[i]);
}

static void print_fleet(clg_text *t, const clg_fleet_shown *s) {
    const clg_joint *j = s->joint;
    const clg_scenario *first = replica_of(&j->model[0])->scenario;
    size_t from = t->size;
    clg_text_print(t, "fleet    %d model%s on nodes of %d x %s", j->models,
                   j->models == 1 ? "" : "s", j->node_gpus, clg_words_gpu(t, &first->machine.gpu));
    if (clg_price_known(&first->price))
        clg_text_print(t, ", %.2f USD/GPU-h (%s)", first->price.usd_per_s * 3600,
                       clg_words_price_band(t->arena, &first->price));
    if (s->ignored) clg_text_print(t, "; columns not read: %.200s", s->ignored);
    clg_text_print(t, "\n");
    clg_text_fold(t, from, 9);
}

static void print_stages(clg_text *t, const clg_joint *j) {
    static const char *const words[] = {"each model on its own", "packed on the same nodes",
                                        "some on the same GPUs"};
    for (int s = 0; s < CLG_JOINT_STAGES; s++) {
        const clg_joint_count *c = &j->stage[s];
        if (s == CLG_JOINT_GPUS && j->pools == 0) continue;
        clg_text_print(t, "%s", s == 0 ? "packing  " : "         ");
        clg_text_pad(t, words[s], 26, false);
        clg_text_pad(t, nodes(t, c->nodes), 12, true);
        clg_text_print(t, ", %s of %s GPUs held%s%s\n", clg_words_count(t, c->gpus),
                       clg_words_count(t, c->nodes * j->node_gpus),
                       c->nodes > c->bound
                           ? clg_arena_print(t->arena, " (perhaps %s do)", nodes(t, c->bound))
                           : "",
                       s == (int)j->taken ? " <" : "");
    }
}

/* Where single GPUs are rented, nodes are not filled up. */
static void print_by_gpu(clg_text *t, const clg_joint *j) {
    int64_t own = j->stage[CLG_JOINT_NODES].gpus, shared = j->stage[CLG_JOINT_GPUS].gpus;
    if (j->node_gpus == 1) return;
    clg_text_print(t, "         rented by the GPU: %s", clg_words_count(t, own));
    if (shared < own) clg_text_print(t, ", or %s with some shared", clg_words_count(t, shared));
    clg_text_print(t, "\n");
}

static void print_taken(clg_text *t, const clg_joint *j) {
    int64_t count = j->stage[j->taken].nodes, saved = j->stage[CLG_JOINT_APART].nodes - count;
    size_t from = t->size;
    clg_text_print(t, "takes    %s = %s GPUs (P10 %lld – P90 %s)", nodes(t, count),
                   clg_words_count(t, count * j->node_gpus), (long long)j->low_nodes,
                   j->high_nodes > 0 ? nodes(t, j->high_nodes) : clg_words_no_fleet);
    if (j->usd_per_s > 0) clg_text_print(t, ", %s an hour", clg_words_bill(t, 3600 * j->usd_per_s));
    if (saved > 0) {
        clg_text_print(t, "; saves %s against a fleet each", nodes(t, saved));
        if (j->usd_per_s > 0)
            clg_text_print(
                t, ", %s in 30 days",
                clg_words_bill(t, CLG_MONTH_S * j->usd_per_s * (double)saved / (double)count));
    } else {
        clg_text_print(t, "; packing saves no node");
    }
    clg_text_print(t, "\n");
    clg_text_fold(t, from, 9);
    print_by_gpu(t, j);
}

/* Of models with GPUs of their own, replicas that hold when as slow as one time in ten. */
static void print_replicas(clg_text *t, const clg_joint *j) {
    int seen = 0;
    for (int i = 0; i < j->models; i++) {
        const clg_joint_model *m = &j->model[i];
        if (j->taken == CLG_JOINT_GPUS && m->pool >= 0) continue;
        clg_text_print(t, "%s%lld %.40s",
                       seen++ ? ", " : "; replicas: ", (long long)m->answer->slow.replicas,
                       m->name);
    }
}

/* Of a model that nobody should buy for: none, or many times the replicas. */
static bool at_cliff(const clg_joint_model *m) {
    const clg_serve_answer *a = m->answer;
    double slow = a->slow.attainable ? (double)a->slow.replicas : 0;
    return clg_is_past_cliff((double)a->fleet.replicas, slow);
}

/* The fleet to buy: what is predicted may be as far off as one time in ten. */
static void print_bought(clg_text *t, const clg_joint *j) {
    size_t from = t->size;
    int seen = 0;
    for (int i = 0; i < j->models; i++)
        if (at_cliff(&j->model[i]))
            clg_text_print(t, "%s%.40s", seen++ ? ", " : "buy      loosen first the target of ",
                           j->model[i].name);
    if (seen > 0) {
        clg_text_print(t, ", or measure one replica: at P90 not %d times as many hold it",
                       CLG_HEADROOM_WORTH);
    } else if (j->high_nodes > 0) {
        double usd_per_s = j->usd_per_s * (double)j->high_nodes / (double)j->stage[j->taken].nodes;
        clg_text_print(t, "buy      %s = %s GPUs", nodes(t, j->high_nodes),
                       clg_words_count(t, j->high_nodes * j->node_gpus));
        if (usd_per_s > 0) clg_text_print(t, ", %s an hour", clg_words_bill(t, 3600 * usd_per_s));
        clg_text_print(t, ": each model holds its target with 90 %% chance");
        print_replicas(t, j);
    }
    if (t->size > from) clg_text_print(t, "\n");
    clg_text_fold(t, from, 9);
}

static void print_shared(clg_text *t, const clg_joint *j) {
    for (int p = 0; p < j->pools && j->taken == CLG_JOINT_GPUS; p++) {
        const clg_joint_pool *pool = &j->pool[p];
        size_t from = t->size;
        clg_text_print(t, "%s%s GPU%s for", p == 0 ? "shared*  " : "         ",
                       clg_words_count(t, pool->gpus), pool->gpus == 1 ? "" : "s, each");
        for (int i = 0; i < pool->members; i++)
            clg_text_print(t, "%s %.40s",
                           i == 0                   ? ""
                           : i + 1 == pool->members ? " and"
                                                    : ",",
                           j->model[pool->member[i]].name);
        clg_text_print(t, ": iterations take %d times as long, as if the others always worked\n",
                       pool->members);
        clg_text_fold(t, from, 9);
    }
}

static double slowest_start_s(const clg_joint *j) {
    double slowest = 0;
    for (int i = 0; i < j->models; i++) slowest = fmax(slowest, j->model[i].question->cold_start_s);
    return slowest;
}

static void print_loss(clg_text *t, const clg_joint *j) {
    int seen = 0;
    size_t from = t->size;
    clg_text_print(t, "lost     the node that holds most of each: ");
    for (int i = 0; i < j->models; i++)
        if (!clg_fleet_holds(&j->model[i]))
            clg_text_print(t, "%s%.40s", seen++ ? ", " : "", j->model[i].name);
    if (seen == 0)
        clg_text_print(t, "every model still meets its target\n");
    else
        clg_text_print(t,
                       " %s the target until a spare has started (%s): with one for all %s, "
                       "with one for each fleet of its own %lld",
                       seen == 1 ? "misses" : "miss",
                       clg_words_quantity(t, slowest_start_s(j), CLG_SECONDS),
                       nodes(t, j->stage[j->taken].nodes + 1),
                       (long long)j->stage[CLG_JOINT_APART].nodes + j->models);
    if (seen > 0 && j->hot_nodes > 0)
        clg_text_print(t, ". Replicas on %s bear it without a wait", nodes(t, j->hot_nodes));
    if (seen > 0) clg_text_print(t, "\n");
    clg_text_fold(t, from, 9);
}

/* Whether two nodes hold the same. */
static bool alike(const clg_joint *j, int64_t one, int64_t other) {
    for (int owner = 0; owner < j->models + j->pools; owner++)
        if (clg_joint_on_node(j, one, owner) != clg_joint_on_node(j, other, owner)) return false;
    return true;
}

static void print_node(clg_text *t, const clg_joint *j, int64_t node, int64_t like) {
    int seen = 0;
    clg_text_print(t, "%s%s x ", node == 0 ? "nodes    " : "         ", clg_words_count(t, like));
    for (int owner = 0; owner < j->models + j->pools; owner++) {
        int64_t count = clg_joint_on_node(j, node, owner);
        if (count == 0) continue;
        clg_text_print(t, "%s%s %.40s", seen++ ? ", " : "", clg_words_count(t, count),
                       owner >= j->models ? "shared*" : j->model[owner].name);
    }
    clg_text_print(t, "\n");
}

/* What stands where; of many kinds of nodes the first. */
static void print_nodes(clg_text *t, const clg_joint *j) {
    enum { SHOWN = 6 };
    size_t from = t->size;
    int shown = 0;
    for (int64_t n = 0, like; n < j->packing.nodes; n += like, shown++) {
        for (like = 1; n + like < j->packing.nodes && alike(j, n, n + like);) like++;
        if (shown == SHOWN) {
            clg_text_print(t, "         and %s more (--json)\n", nodes(t, j->packing.nodes - n));
            break;
        }
        print_node(t, j, n, like);
    }
    clg_text_fold(t, from, 13);
}

static void print_moved(clg_text *t, const clg_joint *j) {
    const clg_joint_moved *m = &j->moved;
    size_t from = t->size;
    if (!m->known || m->starts == 0) return;
    clg_text_print(t,
                   "moved    replicas every %s, loaded one ahead: %s in the fullest, %.2f on "
                   "average, %s start%s\n",
                   clg_words_quantity(t, m->window_s, CLG_SECONDS), nodes(t, m->most_nodes),
                   m->mean_nodes, clg_words_count(t, m->starts), m->starts == 1 ? "" : "s");
    clg_text_fold(t, from, 9);
}

void clg_report_fleet(clg_text *t, const clg_fleet_shown *s) {
    const clg_joint *j = s->joint;
    int64_t needed = j->stage[j->taken].nodes, there = s->owned_gpus / j->node_gpus;
    print_fleet(t, s);
    print_models(t, j);
    print_stages(t, j);
    print_taken(t, j);
    print_bought(t, j);
    print_nodes(t, j);
    print_shared(t, j);
    print_moved(t, j);
    clg_report_fleet_growth(t, j, s->growth);
    print_loss(t, j);
    if (s->owned_gpus > 0)
        clg_text_print(t, "there    %s of whole GPUs: %s\n", nodes(t, there),
                       there >= needed
                           ? clg_arena_print(t->arena, "%s left", nodes(t, there - needed))
                           : clg_arena_print(t->arena, "%s TOO FEW", nodes(t, needed - there)));
}
