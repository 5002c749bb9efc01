/* Published measurements, where they lie beside the repository: the fit lessens the error, and
 * a fifth of the samples that it has not seen is met as well as the others. */
#include "synthetic.h"
#include "test.h"

#include <stdlib.h>

static clg_arena arena;

/* NULL when there is no such file. */
static const char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    enum { MOST = 4 << 20 };
    if (!file) return NULL;
    char *text = clg_take(&arena, MOST, char);
    *size = fread(text, 1, MOST - 1, file);
    fclose(file);
    return text;
}

/* The samples of one source and GPU. */
static clg_samples read_samples(const char *path, const char *source, const char *gpu) {
    clg_samples all = {0}, some = {0};
    clg_samples_form form;
    clg_csv runs;
    clg_error e = {0};
    size_t size;
    const char *text = read_file(path, &size);
    if (!text) return some;
    CHECK(clg_samples_read(&arena, path, text, size, &all, &form, &runs, &e) == CLG_OK);
    for (int i = 0; i < all.count; i++)
        if (strcmp(all.sample[i].source, source) == 0 && strstr(all.sample[i].gpu, gpu))
            clg_samples_add(&arena, &some, &all.sample[i]);
    return some;
}

static void check(const clg_calibration *c, const char *title) {
    printf("%s %s: %d samples, median %.3f -> %.3f, P90 %.3f -> %.3f, left out %.3f and %.3f\n",
           title, c->part, c->fit.after.samples, c->fit.before.median, c->fit.after.median,
           c->fit.before.p90, c->fit.after.p90, c->fit.held_out.median, c->fit.held_out.p90);
    CHECK(c->fit.after.median < c->fit.before.median);
    /* the median of a dozen samples is noise itself */
    if (c->fit.held_out.samples >= 50) CHECK(c->fit.held_out.median <= 1.5 * c->fit.after.median);
    CHECK(c->fit.held_out.p90 <= 1.5 * c->fit.after.p90);
}

static void fit_links(const char *source, const char *gpu, const char *name, const char *node) {
    clg_samples samples = read_samples("../shared/data/collectives.csv", source, gpu);
    clg_machine m = {.gpus = 1024};
    clg_network network;
    clg_calibration list[2];
    clg_error e = {0};
    int count = 0;
    if (samples.count == 0) return;
    CHECK(clg_gpu_find(&arena, name, &m.gpu, &e) == CLG_OK);
    CHECK(clg_node_find(&arena, node, &m.node, &e) == CLG_OK);
    CHECK(clg_fabric_find(&arena, m.node.fabric, &m.fabric, &e) == CLG_OK);
    CHECK(clg_network_find(&arena, &m, &network, &e) == CLG_OK);
    clg_calibrate_network(&arena, &m, &network, &samples, list, &count);
    for (int i = 0; i < count; i++) check(&list[i], source);
}

static void fit_products(const char *source, const char *gpu, const char *name) {
    clg_samples samples = read_samples("../shared/data/gemm.csv", source, gpu);
    clg_gpu g;
    clg_kernels kernels;
    clg_calibration list[CLG_PRECISIONS];
    clg_error e = {0};
    int count = 0;
    if (samples.count == 0) return;
    CHECK(clg_gpu_find(&arena, name, &g, &e) == CLG_OK);
    CHECK(clg_kernels_find(&arena, &g, &kernels, &e) == CLG_OK);
    clg_calibrate_gemm(&arena, &g, &kernels, &samples, list, &count);
    for (int i = 0; i < count; i++)
        if (list[i].fit.after.samples >= 100) check(&list[i], source);
}

int main(void) {
    CASE("collectives on H100 nodes over EFA");
    fit_links("hf-smol-playbook", "H100", "h100-sxm", "aws-p5");
    CASE("collectives on A100 nodes over EFA");
    fit_links("aws-awsome-dt", "A100", "a100-sxm-80gb", "aws-p4de");
    CASE("collectives on 2 to 8 A100 over NVLink");
    fit_links("vtrain-lut", "A100", "a100-sxm-80gb", "dgx-a100");
    CASE("matrix products on B200");
    fit_products("simumax-opeff", "B200-SXM", "b200-sxm");
    clg_arena_clear(&arena);
    return DONE;
}
