/* machine.c -- a GPU and a node as files of data/gpu and data/node have them. */
#include "machine.h"

static const char unwritten[] = "a file of --machine cannot be written";

static const char *close_file(FILE *file) {
    return fputs("}\n", file) >= 0 && fclose(file) == 0 ? NULL : unwritten;
}

/* A member of a file as those of data/. */
static void value(FILE *file, const char *key, double number, const char *unit, const char *kind) {
    fprintf(file,
            ",\n  \"%s\": {\"value\": %.4g, \"unit\": \"%s\", \"source\": \"ceiling-probe\", "
            "\"kind\": \"%s\"}",
            key, number, unit, kind);
}

static FILE *begin(const char *stem, const char *which, const char *name, const char *title) {
    char path[1024];
    int size = snprintf(path, sizeof path, "%s-%s.json", stem, which);
    FILE *file = size < (int)sizeof path ? fopen(path, "w") : NULL;
    if (!file) return NULL;
    fprintf(file, "{\n  \"name\": \"%s\",\n  ", name);
    probe_write_string(file, "title", title);
    return file;
}

static void peaks(FILE *file, const probe_most *m) {
    fprintf(file, ",\n  \"peak\": {");
    for (int d = 0, any = 0; d < PROBE_DTYPES; d++)
        if (m->flop_per_s[d] > 0)
            fprintf(file,
                    "%s\n    \"%s\": {\"value\": %.4g, \"unit\": \"Tflop/s\", "
                    "\"source\": \"ceiling-probe\", \"kind\": \"measured\"}",
                    any++ ? "," : "", probe_dtype_names[d], m->flop_per_s[d] / 1e12);
    fprintf(file, "}");
}

/* One multiprocessor: how tiles fill a machine that nobody described is left to the fit. Watts and
 * clocks are assumed; no time depends on them. */
static const char *write_gpu(const probe_backend *backend, const probe_most *m, const char *stem) {
    double memory = backend->memory_bytes() / ranks_all() * ranks_nodes();
    FILE *file = begin(stem, "gpu", "probed-gpu", backend->device());
    if (!file) return unwritten;
    fprintf(file,
            ",\n  \"vendor\": \"%s\",\n  \"generation\": \"probed\",\n  \"lender\": "
            "\"a100-sxm-80gb\",\n  \"node\": \"probed-node\"",
            backend->name);
    value(file, "memory", memory / 1e9, "GB", "measured");
    value(file, "memory_usable", memory / 1e9, "GB", "measured");
    value(file, "hbm", m->copy_bytes_per_s / 1e9, "GB/s", "measured");
    peaks(file, m);
    value(file, "multiprocessors", 1, "", "assumed");
    value(file, "clock", 1000, "MHz", "assumed");
    value(file, "l2", 1, "MB", "assumed");
    value(file, "fast_link", m->bus_bytes_per_s / 1e9, "GB/s", "measured");
    value(file, "pcie", 10, "GB/s", "assumed");
    value(file, "tdp", 100, "W", "assumed");
    value(file, "idle", 10, "W", "assumed");
    return close_file(file);
}

static const char *write_node(const probe_most *m, const char *stem) {
    FILE *file = begin(stem, "node", "probed-node", "a node as ceiling-probe saw it");
    int ranks = ranks_all() / ranks_nodes();
    if (!file) return unwritten;
    fprintf(file, ",\n  \"gpu\": \"probed-gpu\",\n  \"fabric\": \"ethernet-25\"");
    value(file, "gpus", ranks, "", "measured");
    value(file, "domain", ranks, "", "measured");
    value(file, "link", m->bus_bytes_per_s / 1e9, "GB/s", "measured");
    fprintf(file, ",\n  \"link_switched\": {\"value\": true, \"source\": \"shared memory\", "
                  "\"kind\": \"assumed\"}");
    fprintf(file, ",\n  \"link_reduces\": {\"value\": false, \"source\": \"shared memory\", "
                  "\"kind\": \"assumed\"}");
    value(file, "nics", ranks, "", "assumed");
    value(file, "nic", 25, "Gbit/s", "assumed");
    value(file, "host", 100, "W", "assumed");
    value(file, "rated", 100 + 200 * ranks, "W", "assumed");
    return close_file(file);
}

const char *probe_write_machine(const probe_backend *backend, const probe_most *m,
                                const char *stem) {
    double products = 0;
    for (int d = 0; d < PROBE_DTYPES; d++) products += m->flop_per_s[d];
    if (!(m->copy_bytes_per_s > 0 && products > 0) ||
        (ranks_all() > 1 && !(m->bus_bytes_per_s > 0)))
        return "no time for each of products, copies and messages: give --machine more --time";
    const char *wrong = write_gpu(backend, m, stem);
    return wrong ? wrong : write_node(m, stem);
}
