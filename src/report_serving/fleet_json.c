/* fleet_json.c -- for programs; names as in docs/formats.md. */
#include "report_serving/fleet_growth_report.h"
#include "report_serving/fleet_parts.h"
#include "report_serving/fleet_report.h"

#include <math.h>

static void add_model(clg_json_writer *w, const clg_joint *j, const clg_joint_model *m) {
    const clg_replica *r = m->question->replica;
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "name", m->name);
    clg_json_add_string(w, "model", r->scenario->model.name);
    clg_json_add_integer(w, "replicas", m->replicas);
    clg_json_add_integer(w, "alone_replicas", m->answer->fleet.replicas);
    clg_json_add_integer(w, "gpus_per_replica", clg_replica_gpus(r));
    clg_json_add_string(w, "weights", clg_name_of(clg_precision_names, (int)r->layout.weights));
    clg_json_add_integer(w, "alone_nodes", m->alone_nodes);
    clg_json_add_number(w, "load_gpus", m->load_gpus);
    clg_json_add_number(w, "held_gpus", m->held_gpus);
    if (clg_fleet_shares(j, m))
        clg_json_add_integer(w, "shared", m->pool);
    else
        clg_json_add_null(w, "shared");
    clg_json_add_number(w, "output_tokens_per_s", clg_fleet_output_per_s(m));
    clg_json_add_number(w, "alone_usd_per_million_tokens",
                        clg_fleet_usd_per_million(m, m->alone_usd_per_s));
    clg_json_add_number(w, "usd_per_million_tokens", clg_fleet_usd_per_million(m, m->usd_per_s));
    clg_json_open(w, "lost_node", '{');
    clg_json_add_integer(w, "replicas", m->lost_replicas);
    clg_json_add_number(w, "in_time", m->lost_share);
    clg_json_add_bool(w, "holds", clg_fleet_holds(m));
    clg_json_close(w, '}');
    clg_json_close(w, '}');
}

static void add_stages(clg_json_writer *w, const clg_joint *j) {
    static const char *const key[] = {"apart", "same_nodes", "same_gpus"};
    clg_json_open(w, "packing", '{');
    for (int s = 0; s < CLG_JOINT_STAGES; s++) {
        clg_json_open(w, key[s], '{');
        clg_json_add_integer(w, "nodes", j->stage[s].nodes);
        clg_json_add_integer(w, "held_gpus", j->stage[s].gpus);
        clg_json_add_integer(w, "least_nodes", j->stage[s].bound);
        clg_json_close(w, '}');
    }
    clg_json_add_string(w, "taken", key[j->taken]);
    clg_json_close(w, '}');
}

static void add_placed(clg_json_writer *w, const clg_joint *j) {
    clg_json_open(w, "nodes_hold", '[');
    for (int64_t n = 0; n < j->packing.nodes; n++) {
        clg_json_open(w, NULL, '[');
        for (int owner = 0; owner < j->models + j->pools; owner++) {
            int64_t count = clg_joint_on_node(j, n, owner);
            if (count == 0) continue;
            clg_json_open(w, NULL, '{');
            if (owner < j->models)
                clg_json_add_string(w, "name", j->model[owner].name);
            else
                clg_json_add_integer(w, "shared", owner - j->models);
            clg_json_add_integer(w, "count", count);
            clg_json_close(w, '}');
        }
        clg_json_close(w, ']');
    }
    clg_json_close(w, ']');
}

static void add_pools(clg_json_writer *w, const clg_joint *j) {
    clg_json_open(w, "shared_gpus", '[');
    for (int p = 0; p < j->pools && j->taken == CLG_JOINT_GPUS; p++) {
        clg_json_open(w, NULL, '{');
        clg_json_add_integer(w, "gpus", j->pool[p].gpus);
        clg_json_open(w, "names", '[');
        for (int i = 0; i < j->pool[p].members; i++)
            clg_json_add_string(w, NULL, j->model[j->pool[p].member[i]].name);
        clg_json_close(w, ']');
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}

static void add_moved(clg_json_writer *w, const clg_joint_moved *m) {
    if (!m->known) {
        clg_json_add_null(w, "moved");
        return;
    }
    clg_json_open(w, "moved", '{');
    clg_json_add_number(w, "window_s", m->window_s);
    clg_json_add_integer(w, "nodes", m->most_nodes);
    clg_json_add_number(w, "mean_nodes", m->mean_nodes);
    clg_json_add_integer(w, "starts", m->starts);
    clg_json_close(w, '}');
}

void clg_json_fleet(clg_json_writer *w, const clg_fleet_shown *s) {
    const clg_joint *j = s->joint;
    int64_t count = j->stage[j->taken].nodes;
    clg_json_add_string(w, "gpu", j->model[0].question->replica->scenario->machine.gpu.name);
    clg_json_add_integer(w, "nodes", count);
    clg_json_add_integer(w, "gpus", count * j->node_gpus);
    clg_json_add_integer(w, "nodes_p10", j->low_nodes);
    if (j->high_nodes > 0)
        clg_json_add_integer(w, "nodes_p90", j->high_nodes);
    else
        clg_json_add_null(w, "nodes_p90");
    if (j->hot_nodes > 0)
        clg_json_add_integer(w, "nodes_to_bear_a_loss", j->hot_nodes);
    else
        clg_json_add_null(w, "nodes_to_bear_a_loss");
    clg_json_add_integer(w, "gpus_per_node", j->node_gpus);
    clg_json_add_number(w, "usd_per_h", j->usd_per_s > 0 ? 3600 * j->usd_per_s : (double)NAN);
    clg_json_add_integer(w, "saved_nodes", j->stage[CLG_JOINT_APART].nodes - count);
    clg_json_open(w, "models", '[');
    for (int i = 0; i < j->models; i++) add_model(w, j, &j->model[i]);
    clg_json_close(w, ']');
    add_stages(w, j);
    add_pools(w, j);
    add_placed(w, j);
    add_moved(w, &j->moved);
    clg_json_fleet_growth(w, j, s->growth);
}
