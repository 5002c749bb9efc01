/* Traces, profiles and tables of serving: any bytes are requests, counts of what was left out or a
 * sentence; and whatever could be read is served without loss. */
#include "batching/batching.h"
#include "demand/demand.h"
#include "measured/measured.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void serve(clg_arena *arena, const clg_demand *d) {
    double dense[65];
    clg_serve_totals t;
    for (int i = 0; i <= 64; i++) dense[i] = 1e-3 * (1 + i);
    clg_iteration_cost cost = {.dense_s = dense, .max_tokens = 64, .context_s = 1e-9};
    clg_serve_rules rules = {
        .max_sequences = 4, .max_tokens = 64, .block_tokens = 16, .blocks = 64};
    clg_served *served = clg_take(arena, (size_t)d->count + 1, clg_served);
    clg_serve_simulate(arena, &cost, &rules, d, 0, 1, served, &t);
    if (t.finished + t.refused != d->count || t.made_tokens != t.output_tokens) abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    clg_arena arena = {0};
    clg_error error = {0};
    clg_demand d;
    clg_rate_profile profile;
    clg_csv table;
    const char *text = (const char *)data;
    if (size > 4096) return 0;
    if (clg_demand_read(&arena, "fuzz", text, size, &d, &error) == CLG_OK) {
        for (int64_t i = 0; i < d.count; i++) {
            const clg_arrival *q = &d.request[i];
            if (q->prompt_tokens < 1 || q->output_tokens < 1) abort();
            if (i > 0 && q->arrival_s < d.request[i - 1].arrival_s) abort();
        }
        serve(&arena, &d);
    }
    clg_rate_profile_read(&arena, "fuzz", text, size, NULL, &profile, &error);
    if (clg_csv_parse(&arena, "fuzz", text, size, &table, &error) == CLG_OK)
        for (int row = 0; row < table.rows; row++) {
            clg_measured into;
            clg_measured_read(&arena, &table, row, &into);
        }
    clg_arena_clear(&arena);
    return 0;
}
