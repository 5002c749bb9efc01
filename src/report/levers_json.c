/* levers_json.c -- tables of replicas: one change each, one GPU kind each, or weighed in a search.
 */
#include "report/demand.h"

static void add_lever(clg_json_writer *w, const clg_lever *l) {
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "name", l->name);
    clg_json_add_bool(w, "fits", l->fits);
    if (l->fits) {
        clg_json_add_integer(w, "gpus", l->gpus);
        clg_json_add_string(w, "price", l->price ? l->price : "");
        clg_json_add_number(w, "output_tokens_per_s_per_gpu", l->offline_tokens_per_s);
        clg_json_add_number(w, "usd_per_million_tokens_full", l->usd_per_million);
        clg_json_add_number(w, "break_even_utilization", l->break_even_share);
        clg_json_add_number(w, "break_even_requests_per_s", l->break_even_per_s);
        clg_json_add_number(w, "half_full_requests_per_s", l->half_price_per_s);
        clg_json_add_number(w, "usd_per_h", l->usd_per_h);
    }
    clg_json_close(w, '}');
}

void clg_json_levers(clg_json_writer *w, const char *key, const clg_lever *row, int count) {
    clg_json_open(w, key, '[');
    for (int i = 0; i < count; i++) add_lever(w, &row[i]);
    clg_json_close(w, ']');
}
