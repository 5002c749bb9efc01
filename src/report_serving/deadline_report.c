/* deadline_report.c -- see the header. */
#include "report_serving/deadline_report.h"

#include "report/number_words.h"
#include "report_serving/demand_parts.h"

static const char *hours(clg_text *t, double seconds) {
    return clg_arena_print(t->arena, "%.3g h", seconds / 3600);
}

/* Of nights, days pass between. */
static const char *at_work(const clg_batch_job *j) {
    return j->limits.night_s > 0 ? " at work" : "";
}

static void print_job(clg_text *t, const clg_batch_job *j) {
    clg_text_print(
        t, "job      %s requests, %s in and %s out, by %s from now%s\n",
        clg_words_grouped(t, j->requests), clg_words_quantity(t, j->prompt_tokens, CLG_TOKENS),
        clg_words_quantity(t, j->output_tokens, CLG_TOKENS), hours(t, j->limits.deadline_s),
        j->limits.night_s > 0
            ? clg_arena_print(t->arena, ", %s of each day", hours(t, j->limits.night_s))
            : "");
}

static void print_fleet(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a,
                        const clg_batch_job *j) {
    int gpus = clg_replica_gpus(s->replica);
    clg_text_print(t, "%-8s %s replica%s = %s GPU%s: done in %s (P10 %s – P90 %s)%s\n",
                   s->replicas > 0 ? "given" : "needs", clg_words_grouped(t, (double)j->replicas),
                   j->replicas == 1 ? "" : "s", clg_words_grouped(t, (double)j->replicas * gpus),
                   (double)j->replicas * gpus > 1 ? "s" : "", hours(t, j->run_s),
                   hours(t, j->early_run_s), hours(t, j->late_run_s),
                   j->done_s > j->limits.deadline_s ? ": LATE" : "");
    if (j->limits.night_s > 0)
        clg_text_print(t, "         at work; the last answer comes %s from now (P90 %s)\n",
                       hours(t, j->done_s), hours(t, j->late_done_s));
    if (j->sure_replicas != j->replicas)
        clg_text_print(
            t, "buy      %s GPUs: they are in time with 90 %% chance, as predicted in %s%s\n",
            clg_words_grouped(t, (double)j->sure_replicas * gpus), hours(t, j->sure_run_s),
            at_work(j));
    clg_text_print(t,
                   "         a replica makes %s output tokens/s with %.0f sequences;\n"
                   "         %s to start, %s for the last answers\n",
                   clg_words_grouped(t, j->tokens_per_s), a->steady_batch,
                   clg_words_quantity(t, j->start_s, CLG_SECONDS),
                   clg_words_quantity(t, j->drain_s, CLG_SECONDS));
}

static const char *held_words(const clg_batch_job *j) {
    return j->limits.night_s > 0 ? "held day and night until it is done"
                                 : "held all day for one such job";
}

static void print_row(clg_text *t, const clg_batch_job *j, const clg_batch_row *r) {
    clg_text_print(t, "         %-17s %8s %7s/Mtok out  %s/h: %s%s%.10s\n", r->price.term,
                   clg_words_bill(t, r->usd), clg_words_usd(t, 1e6 * r->usd / j->output_tokens),
                   clg_words_usd(t, 3600 * r->price.usd_per_s), r->price.provider,
                   r->price.date ? ", " : "", r->price.date ? r->price.date : "");
    if (r->pays_above_s > CLG_DAY_S)
        clg_text_print(t, "         %-17s %s; never pays\n", "", held_words(j));
    else if (r->pays_above_s > 0)
        clg_text_print(t, "         %-17s %s; pays above %s of use a day\n", "", held_words(j),
                       hours(t, r->pays_above_s));
    if (clg_price_on_demand(&j->row->price) && r->price.usd_per_s > j->row->price.usd_per_s)
        clg_text_print(t, "         %-17s dearer an hour than %s, which is another seller's\n", "",
                       j->row->price.term);
    if (r->interruptions > 0)
        clg_text_print(t,
                       "         %-17s %.2g interruptions expected (assumed rate), done in %s%s\n",
                       "", r->interruptions, hours(t, r->run_s), at_work(j));
}

void clg_report_deadline(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a,
                         const clg_batch_job *j) {
    print_job(t, j);
    clg_report_replica(t, s->replica);
    print_fleet(t, s, a, j);
    clg_report_front_ends(t, s, a);
    clg_text_print(t, "bill     %s\n",
                   j->rows ? "of that fleet, by term of price"
                           : "no price known for this GPU: give --price 2.5USD/h");
    for (int i = 0; i < j->rows; i++) print_row(t, j, &j->row[i]);
    size_t from = t->size;
    if (s->api && s->api->name)
        clg_text_print(t, "         %-17s %8s %7s/Mtok out  %.50s\n", "by the API",
                       clg_words_bill(t, a->api_usd_per_million * j->output_tokens / 1e6),
                       clg_words_usd(t, a->api_usd_per_million), s->api->title);
    clg_text_fold(t, from, 53);
}

static void add_row(clg_json_writer *w, const clg_batch_row *r) {
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "term", r->price.term);
    clg_json_add_number(w, "usd_per_gpu_h", 3600 * r->price.usd_per_s);
    clg_json_add_number(w, "usd", r->usd);
    clg_json_add_number(w, "run_s", r->run_s);
    clg_json_add_number(w, "pays_above_s_a_day", r->pays_above_s);
    clg_json_add_number(w, "interruptions", r->interruptions);
    clg_json_close(w, '}');
}

void clg_json_deadline(clg_json_writer *w, const clg_serve_question *s, const clg_batch_job *j) {
    int gpus = clg_replica_gpus(s->replica);
    clg_json_open(w, "job", '{');
    clg_json_add_number(w, "requests", j->requests);
    clg_json_add_number(w, "output_tokens", j->output_tokens);
    clg_json_add_number(w, "deadline_s", j->limits.deadline_s);
    clg_json_add_number(w, "night_s", j->limits.night_s);
    clg_json_add_number(w, "done_s", j->done_s);
    clg_json_add_number(w, "done_p90_s", j->late_done_s);
    clg_json_add_integer(w, "gpus", j->replicas * gpus);
    clg_json_add_number(w, "run_s", j->run_s);
    clg_json_add_number(w, "run_p90_s", j->late_run_s);
    clg_json_add_integer(w, "buy_gpus", j->sure_replicas * gpus);
    clg_json_open(w, "bills", '[');
    for (int i = 0; i < j->rows; i++) add_row(w, &j->row[i]);
    clg_json_close(w, ']');
    clg_json_close(w, '}');
}
