/* joint_growth.c -- see the header. */
#include "serve/joint_growth.h"

#include "base/real.h"
#include "serve/headroom.h"
#include "serve/joint_share.h"
#include "serve/sizing.h"
#include "units/units.h"

#include <math.h>

/* One that was sized for its demand; `ratio` times as much is asked of it. */
typedef struct grown_model {
    clg_serve_question question;
    clg_serve_answer answer;
    clg_demand demand;
} grown_model;

static int64_t replicas_for(clg_arena *arena, const clg_serve_question *q, int64_t now,
                            double ratio) {
    clg_arena_mark mark = clg_arena_here(arena);
    clg_replica slow = clg_replica_slowed(arena, q->replica, 1 + q->margin);
    int64_t needed = clg_fleet_needed(arena, &slow, q->demand, &q->target, (double)now * ratio, 0);
    clg_arena_back_to(arena, mark);
    /* Sized on a part of the demand: that must not make a growing fleet smaller. */
    return ratio >= 1 ? (needed > now ? needed : now) : (needed < now ? needed : now);
}

static void grow_model(clg_arena *arena, clg_joint_model *m, double months, grown_model *g) {
    const clg_serve_question *q = m->question;
    int64_t now = m->answer->fleet.replicas;
    double ratio = clg_pow(1 + q->growth, months);
    if (q->growth == 0.0 || q->replicas > 0 || !m->answer->attainable) return;
    clg_demand part = clg_demand_for_sizing(q->demand, CLG_HEADROOM_REQUESTS, (double)now * ratio);
    *g = (grown_model){*q, *m->answer, clg_demand_grown(arena, &part, ratio)};
    g->question.demand = &g->demand;
    int64_t then = replicas_for(arena, &g->question, now, ratio);
    double times = (double)then / (double)now;
    g->answer.fleet.replicas = then;
    g->answer.slow.replicas = (int64_t)ceil((double)g->answer.slow.replicas * times);
    g->answer.rho *= ratio / times;
    m->question = &g->question;
    m->answer = &g->answer;
}

static void fleet_then(clg_arena *arena, const clg_joint *now, double months,
                       clg_joint_then *then) {
    grown_model *grown = clg_take(arena, CLG_JOINT_MODELS, grown_model);
    clg_joint_model *model = clg_take(arena, CLG_JOINT_MODELS, clg_joint_model);
    clg_joint *j = clg_take(arena, 1, clg_joint);
    for (int i = 0; i < now->models; i++) {
        model[i] = now->model[i];
        grow_model(arena, &model[i], months, &grown[i]);
    }
    clg_joint_begin(arena, model, now->models, j);
    clg_joint_share(arena, j);
    clg_joint_stages(arena, j);
    int64_t nodes = j->stage[j->taken].nodes;
    then->nodes = nodes <= CLG_PACK_NODES ? nodes : 0;
    for (int i = 0; i < now->models; i++) {
        bool shared = j->taken == CLG_JOINT_GPUS && model[i].pool >= 0;
        then->replicas[i] = shared ? j->pool[model[i].pool].gpus : model[i].answer->fleet.replicas;
    }
}

typedef struct future {
    const clg_joint *now;
    clg_joint_growth *growth;
} future;

static void look_ahead(void *context, int index, clg_arena *arena) {
    const future *f = context;
    clg_joint_growth *g = f->growth;
    bool lead = index == CLG_JOINT_MONTHS;
    double months = lead ? g->lead_s / CLG_MEAN_MONTH_S : index + 1;
    fleet_then(arena, f->now, months, lead ? &g->lead : &g->month[index]);
    clg_arena_clear(arena);
}

void clg_joint_grow(clg_arena *arena, const clg_joint *j, const clg_cores *cores,
                    clg_joint_growth *g) {
    future f = {j, g};
    *g = (clg_joint_growth){0};
    for (int i = 0; i < j->models; i++) {
        const clg_serve_question *q = j->model[i].question;
        if (q->growth == 0.0) continue;
        g->known = true;
        g->lead_s = fmax(g->lead_s, q->lead_s);
    }
    if (!g->known) return;
    clg_cores_each((clg_progress){.cores = cores}, arena, CLG_JOINT_MONTHS + (g->lead_s > 0),
                   look_ahead, &f);
}
