/* serving_rows.c -- see the header. */
#include "report_serving/serving_rows.h"

#include "base/csv.h"

#include <math.h>

/* A number, blank where there is none, and what follows it. */
static void number(clg_text *t, double value, char next) {
    if (isfinite(value)) clg_text_print(t, "%.9g", value);
    clg_text_print(t, "%c", next);
}

static void word(clg_text *t, const char *text) {
    clg_csv_add(t, text ? text : "");
    clg_text_print(t, ",");
}

static void numbers(clg_text *t, const double *value, int count) {
    for (int i = 0; i < count; i++) number(t, value[i], i + 1 < count ? ',' : '\n');
}

#define NUMBERS(text, value) numbers(text, value, (int)(sizeof value / sizeof value[0]))

static void replica_words(clg_text *t, const clg_replica *r) {
    word(t, r->scenario->machine.gpu.name);
    word(t, clg_name_of(clg_precision_names, (int)r->layout.weights));
}

static double bound_gpus(const clg_serve_question *s, const clg_serve_bound *b) {
    return b->attainable ? (double)b->replicas * clg_replica_gpus(s->replica) : (double)NAN;
}

void clg_report_demand_row(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a,
                           const clg_serve_headroom *h) {
    const double none = (double)NAN, each = clg_replica_gpus(s->replica);
    double gpus = (double)a->fleet.replicas * each, clients = s->demand->clients;
    bool sized = s->replicas == 0 && h->known,
         known = clg_price_known(&s->replica->scenario->price);
    clg_bill bill = clg_bill_of(s, a);
    clg_text_print(t, "model,gpu,weights,gpus_per_replica,replicas,gpus,gpus_p10,gpus_p90,buy_gpus,"
                      "chance,buy_chance,requests_per_s,clients,ttft_p50_s,ttft_p99_s,tpot_p50_s,"
                      "tpot_p99_s,well_served_share,output_tokens_per_s,capacity_tokens_per_s,"
                      "usd_per_million_tokens,usd_per_h,usd_per_30_days,api_usd_per_h,"
                      "api_usd_per_30_days\n");
    word(t, s->replica->scenario->model.name);
    replica_words(t, s->replica);
    const double value[] = {each,
                            (double)a->fleet.replicas,
                            gpus,
                            bound_gpus(s, &a->fast),
                            bound_gpus(s, &a->slow),
                            sized && h->buy_replicas > 0 ? (double)h->buy_replicas * each : none,
                            h->known ? h->chance : none,
                            sized ? h->buy_chance : none,
                            clients > 0 ? none : clg_demand_rate_per_s(s->demand),
                            clients > 0 ? clients : none,
                            a->fleet.ttft_s.p50,
                            a->fleet.ttft_s.p99,
                            a->fleet.tpot_s.p50,
                            a->fleet.tpot_s.p99,
                            a->fleet.well_served,
                            a->fleet.output_tokens_per_s,
                            a->offline_tokens_per_s * (double)a->fleet.replicas,
                            known ? a->usd_per_million : none,
                            bill.usd_per_h,
                            bill.usd_per_month,
                            bill.api_usd_per_h,
                            bill.api_usd_per_month};
    NUMBERS(t, value);
}

void clg_report_lever_head(clg_text *t) {
    clg_text_print(t, "table,name,term,fits,chosen,borrowed,gpus_per_replica,"
                      "output_tokens_per_s_per_gpu,usd_per_million_tokens_full,"
                      "break_even_utilization,half_full_requests_per_s,gpus_needed,gpus_fleet,"
                      "usd_per_h,quality_loss,mfu_full,usd_per_useful_eflop_full\n");
}

void clg_report_lever_rows(clg_text *t, const char *table, const clg_lever *row, int count) {
    const double none = (double)NAN;
    for (int i = 0; i < count; i++) {
        const clg_lever *l = &row[i];
        word(t, table);
        word(t, l->name);
        word(t, clg_name_of(clg_price_terms, l->term));
        clg_text_print(t, "%d,%d,%d,", l->fits, l->chosen, l->borrowed);
        const double value[] = {l->fits ? l->gpus : none,
                                l->fits ? l->offline_tokens_per_s : none,
                                l->fits ? l->usd_per_million : none,
                                l->fits ? l->break_even_share : none,
                                l->fits ? l->half_price_per_s : none,
                                l->fits ? l->gpus_all : none,
                                l->fits && l->gpus_fleet > 0 ? l->gpus_fleet : none,
                                l->fits ? l->usd_per_h : none,
                                l->fits ? l->loss : none,
                                l->fits ? l->mfu : none,
                                l->fits ? l->usd_per_useful_eflop : none};
        NUMBERS(t, value);
    }
}

void clg_report_job_rows(clg_text *t, const clg_serve_question *s, const clg_batch_job *j) {
    double each = clg_replica_gpus(s->replica);
    clg_text_print(t,
                   "model,gpu,weights,term,provider,date,gpus,buy_gpus,run_s,run_p90_s,deadline_s,"
                   "usd_per_gpu_h,usd,usd_per_million_tokens\n");
    for (int i = 0; i < j->rows; i++) {
        const clg_batch_row *r = &j->row[i];
        word(t, s->replica->scenario->model.name);
        replica_words(t, s->replica);
        word(t, r->price.term);
        word(t, r->price.provider);
        word(t, r->price.date);
        const double value[] = {(double)j->replicas * each,
                                (double)j->sure_replicas * each,
                                r->run_s,
                                j->late_run_s,
                                j->limits.deadline_s,
                                3600 * r->price.usd_per_s,
                                r->usd,
                                1e6 * r->usd / j->output_tokens};
        NUMBERS(t, value);
    }
}

void clg_report_fleet_head(clg_text *t) {
    clg_text_print(t,
                   "name,model,gpu,weights,gpus_per_replica,replicas,gpus_held,load_gpus,"
                   "nodes_alone,requests_per_s,ttft_p99_s,tpot_p99_s,usd_per_million_tokens_alone,"
                   "usd_per_million_tokens,usd_per_h,replicas_lost_with_node,"
                   "share_without_node,fleet_nodes\n");
}

void clg_report_fleet_rows(clg_text *t, const clg_fleet_shown *shown) {
    const clg_joint *j = shown->joint;
    for (int i = 0; i < j->models; i++) {
        const clg_joint_model *m = &j->model[i];
        const clg_demand *d = m->question->demand;
        double per_usd = 1e6 * d->span_s / (double)d->output_tokens, none = (double)NAN;
        bool priced = m->usd_per_s > 0;
        word(t, m->name);
        word(t, m->question->replica->scenario->model.name);
        replica_words(t, m->question->replica);
        const double value[] = {clg_replica_gpus(m->question->replica),
                                (double)m->replicas,
                                m->held_gpus,
                                m->load_gpus,
                                (double)m->alone_nodes,
                                clg_demand_rate_per_s(d),
                                m->answer->fleet.ttft_s.p99,
                                m->answer->fleet.tpot_s.p99,
                                priced ? m->alone_usd_per_s * per_usd : none,
                                priced ? m->usd_per_s * per_usd : none,
                                priced ? 3600 * m->usd_per_s : none,
                                (double)m->lost_replicas,
                                m->lost_share,
                                (double)j->stage[j->taken].nodes};
        NUMBERS(t, value);
    }
}
