/* Published traces with agreed answers, where they lie beside the project; nothing otherwise. */
#include "base/csv.h"
#include "cli/trace_files.h"
#include "recording.h"
#include "test.h"
#include "trace/recorded_job.h"

#include <stdlib.h>

static clg_arena arena;
static clg_csv table;
static const char *root;

static const char *find_root(void) {
    static const char *const roots[] = {"../shared/traces", "../../shared/traces"};
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
        FILE *file = fopen(clg_arena_print(&arena, "%s/answers.csv", roots[i]), "rb");
        if (!file) continue;
        fclose(file);
        return roots[i];
    }
    return NULL;
}

static bool read_file(const char *path, clg_trace *trace) {
    clg_arena scratch = {0};
    clg_trace_file *file;
    clg_slice head;
    clg_error error = {0};
    if (clg_trace_open(&scratch, path, &file, &head, &error) != CLG_OK) return false;
    bool read =
        trace_read(&arena, path, clg_trace_file_source(file), &table, trace, &error) == CLG_OK;
    clg_trace_close(file);
    clg_arena_clear(&scratch);
    return read;
}

static clg_csv read_table(const char *path) {
    const char *text;
    size_t size;
    clg_csv csv = {0};
    clg_error error = {0};
    CHECK(clg_file_read(&arena, path, 1 << 20, &text, &size, &error) == CLG_OK &&
          clg_csv_parse(&arena, path, text, size, &csv, &error) == CLG_OK);
    return csv;
}

static int64_t cell(const clg_csv *csv, int row, const char *column) {
    return strtoll(clg_csv_field(csv, row, column), NULL, 10);
}

static void compare(const clg_csv *csv, int row, const clg_trace *t) {
    const clg_ledger *l = &t->ledger;
    CHECK((int64_t)t->timeline.count == cell(csv, row, "nker"));
    CHECK((int64_t)t->call_count == cell(csv, row, "ncomm"));
    CHECK(l->span_ns == cell(csv, row, "span") && l->idle_ns == cell(csv, row, "idle"));
    CHECK(l->compute_ns == cell(csv, row, "compute"));
    CHECK(l->communication_ns == cell(csv, row, "comm"));
    CHECK(l->overlapped_communication_ns == cell(csv, row, "overlap"));
    CHECK(l->exposed_communication_ns == cell(csv, row, "exposed"));
    CHECK(l->exposed_communication_ns + l->exposed_copy_ns == cell(csv, row, "noncompute"));
}

static const char *path_of(const char *label, int64_t rank) {
    if (strcmp(label, "megatron_tp8") == 0)
        return clg_arena_print(&arena, "%s/megatron-tp8/rank%lld.json.gz", root, (long long)rank);
    if (strcmp(label, "dlrm8") == 0)
        return clg_arena_print(&arena, "%s/dlrm-8/worker%lld.pt.trace.json.gz", root,
                               (long long)rank);
    return clg_arena_print(&arena, "%s/kineto/control__control.json.gz", root);
}

static void ledgers(void) {
    clg_csv csv = read_table(clg_arena_print(&arena, "%s/answers.csv", root));
    for (int row = 0; row < csv.rows; row++) {
        const char *label = clg_csv_field(&csv, row, "label");
        clg_trace t;
        CASE(clg_arena_print(&arena, "ledger %s %s", label, clg_csv_field(&csv, row, "rank")));
        bool read = read_file(path_of(label, cell(&csv, row, "rank")), &t);
        CHECK(read);
        if (read) compare(&csv, row, &t);
    }
}

static void collectives(const char *label, const char *folder) {
    clg_trace traces[8];
    clg_recorded_job job;
    CASE(label);
    for (int i = 0; i < 8; i++) CHECK(read_file(path_of(label, i), &traces[i]));
    clg_job_match(&arena, traces, 8, &job);
    clg_csv csv = read_table(clg_arena_print(&arena, "%s/%s/collectives.csv", root, folder));
    CHECK(job.collective_count == csv.rows);
    for (int i = 0; i < csv.rows && i < job.collective_count; i++) {
        const clg_trace_collective *c = &job.collectives[i];
        CHECK(c->bytes == cell(&csv, i, "bytes") && c->ranks == cell(&csv, i, "nranks"));
        CHECK(c->skew_ns == 1000 * cell(&csv, i, "skew_us"));
        CHECK(c->transfer_ns == 1000 * cell(&csv, i, "min_dur_us"));
        CHECK(c->last >= 0 && job.traces[c->last].rank == cell(&csv, i, "last_rank"));
        double rate = strtod(clg_csv_field(&csv, i, "busbw_GBps_from_min_dur"), NULL);
        CHECK(fabs((double)c->bus_bytes_per_s / 1e9 - rate) < 0.0051);
    }
}

int main(void) {
    table = clg_trace_kernels(&arena);
    root = find_root();
    if (root) {
        ledgers();
        collectives("megatron_tp8", "megatron-tp8");
        collectives("dlrm8", "dlrm-8");
    }
    clg_arena_clear(&arena);
    return DONE;
}
