/* Published measurements, where they lie beside the repository: the fit lessens the error, and
 * a fifth of the samples that it has not seen is met as well as the others. */
#include "synthetic.h"
#include "test.h"
#include "validate/validate.h"

#include <stdlib.h>

static clg_arena arena;

/* NULL when there is no such file. */
static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    enum { MOST = 4 << 20 };
    if (!file) return NULL;
    char *text = clg_take(&arena, MOST, char);
    *size = fread(text, 1, MOST - 1, file);
    fclose(file);
    return text;
}

/* Leaves the head of a table, and the rows whose first column is the source. */
static size_t keep_source(char *text, const char *source) {
    char *to = strchr(text, '\n') + 1;
    for (char *line = to, *end; (end = strchr(line, '\n')); line = end + 1) {
        size_t size = (size_t)(end + 1 - line), length = strlen(source);
        if (strncmp(line, source, length) != 0 || line[length] != ',') continue;
        memmove(to, line, size);
        to += size;
    }
    return (size_t)(to - text);
}

/* The samples of one source and GPU. */
static clg_samples read_samples(const char *path, const char *source, const char *gpu) {
    clg_samples all = {0}, some = {0};
    clg_samples_form form;
    clg_csv runs;
    clg_error e = {0};
    size_t size;
    char *text = read_file(path, &size);
    if (!text) return some;
    size = keep_source(text, source);
    CHECK(clg_samples_read(&arena, path, text, size, &all, &form, &runs, &e) == CLG_OK);
    for (int i = 0; i < all.count; i++)
        if (strcmp(all.sample[i].gpu, gpu) == 0) clg_samples_add(&arena, &some, &all.sample[i]);
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

static void fit_links(const char *source, const char *name, const char *node) {
    clg_samples samples = read_samples("../shared/data/collectives.csv", source, name);
    clg_machine m = {.gpus = 1024};
    clg_network network;
    clg_calibration list[2];
    clg_error e = {0};
    int count = 0;
    CHECK(samples.count > 0);
    CHECK(clg_gpu_find(&arena, name, &m.gpu, &e) == CLG_OK);
    CHECK(clg_node_find(&arena, node, &m.node, &e) == CLG_OK);
    CHECK(clg_fabric_find(&arena, m.node.fabric, &m.fabric, &e) == CLG_OK);
    CHECK(clg_network_find(&arena, &m, &network, &e) == CLG_OK);
    clg_calibrate_network(&arena, &m, &network, &samples, list, &count);
    for (int i = 0; i < count; i++) check(&list[i], source);
}

static void fit_products(const char *source, const char *name) {
    clg_samples samples = read_samples("../shared/data/gemm.csv", source, name);
    clg_gpu g;
    clg_kernels kernels;
    clg_calibration list[CLG_PRECISIONS];
    clg_error e = {0};
    int count = 0;
    CHECK(samples.count > 0);
    CHECK(clg_gpu_find(&arena, name, &g, &e) == CLG_OK);
    CHECK(clg_kernels_find(&arena, &g, &kernels, &e) == CLG_OK);
    clg_calibrate_gemm(&arena, &g, &kernels, &samples, list, &count);
    for (int i = 0; i < count; i++)
        if (list[i].fit.after.samples >= 100) check(&list[i], source);
}

enum { STEPS = 40 };

/* Measured runs of one stack, with their models. */
typedef struct runs {
    clg_measured_step step[STEPS];
    int64_t model[STEPS]; /* by its parameters: tables leave names out */
    int count;
} runs;

static void read_runs(const char *path, runs *r) {
    clg_csv csv;
    clg_error e = {0};
    size_t size;
    const char *text = read_file(path, &size);
    r->count = 0;
    if (!text || clg_csv_parse(&arena, path, text, size, &csv, &e) != CLG_OK) return;
    for (int row = 0; row < csv.rows && r->count < STEPS; row++) {
        clg_scenario *s = clg_take(&arena, 1, clg_scenario);
        clg_evaluation v;
        double seconds = atof(clg_csv_field(&csv, row, "step_s"));
        if (seconds <= 0 || clg_validate_row(&arena, &csv, row, s, &v)) continue;
        if (r->count > 0 && strcmp(s->stack.name, r->step[0].scenario->stack.name) != 0) continue;
        r->model[r->count] = s->model.parameters;
        r->step[r->count++] = (clg_measured_step){s, v.layout, seconds};
    }
}

/* |ln(predicted/measured)| with the terms as they are or as fitted. */
static double error_of(const clg_measured_step *step, const clg_calibration *c) {
    clg_evaluation v = {0};
    clg_error e = {0};
    if (c) return fabs(log(clg_calibrate_step_s(c, step) / step->step_s));
    CHECK(clg_evaluate(&arena, step->scenario, &step->layout, false, NULL, &v, &e) == CLG_OK);
    return fabs(log(v.step_s / step->step_s));
}

/* Runs `first`, a third and two thirds further of a model's n, against all its others. */
static int fit_three(const clg_measured_step **of, int n, int first, double *before,
                     double *after) {
    clg_measured_step three[3];
    clg_calibration c;
    int others = 0;
    for (int i = 0; i < 3; i++) three[i] = *of[first + i * n / 3];
    clg_calibrate_steps(&arena, three, 3, &c);
    for (int i = 0; i < n; i++) {
        if (i == first || i == first + n / 3 || i == first + 2 * n / 3) continue;
        *before += error_of(of[i], NULL);
        *after += error_of(of[i], &c);
        others++;
    }
    return others;
}

static int fit_model(const runs *r, int64_t model, double *before, double *after) {
    const clg_measured_step *of[STEPS];
    int n = 0, others = 0;
    for (int i = 0; i < r->count; i++)
        if (r->model[i] == model) of[n++] = &r->step[i];
    for (int first = 0; n >= 5 && first < n / 3 && first < 2; first++)
        others += fit_three(of, n, first, before, after);
    return others;
}

static void fit_steps(const char *const *names) {
    runs *r = clg_take(&arena, 1, runs);
    double all_before = 0, all_after = 0;
    int sources = 0;
    for (; *names; names++) {
        double before = 0, after = 0;
        int others = 0;
        read_runs(clg_arena_print(&arena, "../shared/data/runs/%s.csv", *names), r);
        for (int i = 0; i < r->count; i++) {
            bool seen = false;
            for (int j = 0; j < i && !seen; j++) seen = r->model[i] == r->model[j];
            if (!seen) others += fit_model(r, r->model[i], &before, &after);
        }
        if (others == 0) continue;
        printf("%s: three steps of a model, %d others: mean error %.3f -> %.3f\n", *names, others,
               before / others, after / others);
        CHECK(after / others < before / others + 0.02);
        all_before += before / others;
        all_after += after / others;
        sources++;
    }
    CHECK(sources > 0 && all_after < 0.95 * all_before);
}

int main(void) {
    size_t size;
    if (!read_file("../shared/data/collectives.csv", &size)) {
        printf("skipped: published measurements, which are not beside this folder\n");
        return DONE;
    }
    CASE("collectives on H100 nodes over EFA");
    fit_links("hf-smol-playbook", "h100-sxm", "aws-p5");
    CASE("collectives on A100 nodes over EFA");
    fit_links("aws-awsome-dt", "a100-sxm-80gb", "aws-p4de");
    CASE("collectives on 2 to 8 A100 over NVLink");
    fit_links("vtrain-lut", "a100-sxm-80gb", "dgx-a100");
    CASE("matrix products on B200");
    fit_products("simumax-opeff", "b200-sxm");
    CASE("three steps of a model lessen the error on its other layouts");
    static const char *const names[] = {
        "llm-foundry",  "nemo-docs-24.07", "internevo",       "bloom-prequel",
        "hagemann2023", "vtrain",          "megatron-bridge", NULL};
    fit_steps(names);
    clg_arena_clear(&arena);
    return DONE;
}
