/* main.c -- ceiling-probe: times collectives, products and copies of a machine, or the operations
 * of a step, and prints them as `ceiling fit` reads them (docs/measure.md). */
#include "machine.h"
#include "replay.h"

#include "../src/base/version.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const probe_backend *const backends[] = {&probe_cpu, &probe_cuda, &probe_hip};
enum { BACKENDS = sizeof backends / sizeof backends[0] };

typedef struct options {
    const probe_backend *backend;
    const char *replay, *machine; /* path, stem of paths; NULL: not asked for */
    double time_s, stall_s, room_bytes;
    bool quick;
} options;

static const char usage[] =
    "usage: ceiling-probe [--backend cpu|cuda|hip] [--quick] [--replay FILE] [--machine STEM]\n"
    "                     [--time SECONDS] [--stall SECONDS] [--room MIB]\n"
    "\n"
    "Prints timed collectives, matrix products and copies as JSON Lines, which `ceiling fit` "
    "reads.\n"
    "Start one rank a GPU (cpu: a core) with mpirun or srun; one process alone leaves out "
    "collectives.\n"
    "\n"
    "  --backend   what does the work (cpu)\n"
    "  --quick     fewer and smaller sizes: within a minute\n"
    "  --replay    times the operations that `ceiling explain --csv` lists instead; -: standard "
    "input\n"
    "  --machine   also writes STEM-gpu.json and STEM-node.json, what the machine showed as its "
    "peaks: for\n"
    "              --gpu and --node of ceiling, where no built-in file describes it\n"
    "  --time      all of it: what is not begun by then is left out (30 with --quick, else 600)\n"
    "  --stall     most for one operation; then the job is taken for dead and ends (20)\n"
    "  --room      operands of a rank; larger than its caches (64 with --quick, else 512)\n";

static const probe_backend *backend_of(const char *name) {
    for (int i = 0; i < BACKENDS; i++)
        if (strcmp(backends[i]->name, name) == 0) return backends[i];
    return NULL;
}

/* What is wrong with them, or NULL. */
static const char *read_options(int count, char **word, options *o) {
    *o = (options){.backend = &probe_cpu, .stall_s = 20};
    for (int i = 1; i < count; i++) {
        const char *key = word[i], *value = i + 1 < count ? word[i + 1] : "";
        char *end = "";
        double *number = strcmp(key, "--time") == 0    ? &o->time_s
                         : strcmp(key, "--stall") == 0 ? &o->stall_s
                         : strcmp(key, "--room") == 0  ? &o->room_bytes
                                                       : NULL;
        if (strcmp(key, "--quick") == 0) {
            o->quick = true;
            continue;
        }
        i++;
        if (strcmp(key, "--backend") == 0)
            o->backend = backend_of(value);
        else if (strcmp(key, "--replay") == 0)
            o->replay = value;
        else if (strcmp(key, "--machine") == 0)
            o->machine = value;
        else if (number)
            *number = strtod(value, &end);
        else
            return key;
        if (!o->backend || !*value || *end || (number && !(*number > 0 && *number <= 1e5)))
            return key;
    }
    if (o->time_s <= 0) o->time_s = o->quick ? 30 : 600;
    o->room_bytes = (o->room_bytes > 0 ? o->room_bytes : o->quick ? 64 : 512) * 1048576;
    return NULL;
}

/* As nccl-tests counts it: what crosses the slowest link per rank. */
static double bus_bytes(const probe_work *w) {
    double size = ranks_group_size(w->group), share = (size - 1) / size;
    if (w->collective == RANKS_SEND_RECEIVE) share = 1;
    return w->bytes * share * (w->collective == RANKS_ALL_REDUCE ? 2 : 1);
}

/* The best rate of its kind so far. */
static double *best_of(probe_most *m, const probe_work *w) {
    return w->kind == PROBE_COPY         ? &m->copy_bytes_per_s
           : w->kind == PROBE_COLLECTIVE ? &m->bus_bytes_per_s
                                         : &m->flop_per_s[w->product.dtype];
}

static double amount(const probe_work *w) {
    const probe_product *p = &w->product;
    return w->kind == PROBE_COPY         ? w->bytes
           : w->kind == PROBE_COLLECTIVE ? bus_bytes(w)
                                         : 2.0 * p->m * p->n * p->k;
}

/* Times one, prints it; false: time is over, which the first of a kind does not heed. What cannot
 * be done is said and left out. */
static bool try(probe_bench *b, const probe_work *work, probe_most *m) {
    probe_timing timing;
    double *best = best_of(m, work);
    if (probe_late(b) && *best > 0) return false;
    const char *wrong = probe_measure(b, work, &timing);
    if (wrong) {
        if (ranks_mine() == 0) fprintf(stderr, "ceiling-probe: left out: %s\n", wrong);
        return true;
    }
    probe_print(b, work, &timing);
    *best = fmax(*best, amount(work) / timing.median_s);
    return true;
}

static bool try_products(probe_bench *b, bool quick, probe_most *m) {
    static const int sizes[] = {128, 256, 512, 1024, 2048, 4096, 8192};
    int count = quick ? 3 : 7;
    bool all = true;
    for (int d = 0; d < PROBE_DTYPES; d++) {
        bool timely = b->backend->has[d];
        for (int i = 0; i < count * count * count && timely; i++) {
            probe_work w = {.kind = PROBE_PRODUCT,
                            .product = {sizes[i / count / count], sizes[i / count % count],
                                        sizes[i % count], (probe_dtype)d}};
            timely = try(b, &w, m);
        }
        all = all && (timely || !b->backend->has[d]);
    }
    return all;
}

static bool try_copies(probe_bench *b, probe_most *m) {
    bool timely = true;
    for (double bytes = 65536; bytes <= (double)b->room / 4 && timely; bytes *= 2) {
        probe_work w = {.kind = PROBE_COPY, .bytes = bytes};
        timely = try(b, &w, m);
    }
    return timely;
}

/* Sizes outside, so that where time ends early each kind has its small messages. */
static bool try_collectives(probe_bench *b, ranks_group *group, probe_most *m) {
    bool timely = true;
    for (double bytes = 1024; bytes <= (double)b->room / 16 && group; bytes *= 4)
        for (int what = 0; what < RANKS_COLLECTIVES && timely; what++) {
            probe_work w = {.kind = PROBE_COLLECTIVE,
                            .group = group,
                            .collective = (ranks_collective)what,
                            .bytes = bytes};
            timely = try(b, &w, m);
        }
    return timely;
}

/* Neighbours in groups of 2, 4, ... and all. */
static bool try_groups(probe_bench *b, bool quick, probe_most *m) {
    int all = ranks_all();
    bool timely = true;
    for (int size = 2; size < all && timely; size *= quick ? 4 : 2)
        timely = try_collectives(b, ranks_group_of(size, 1), m);
    if (all > 1 && timely) timely = try_collectives(b, ranks_group_of(all, 1), m);
    return timely;
}

/* The same product before and after: clocks that fell meanwhile. */
static double steady(probe_bench *b) {
    probe_work w = {.kind = PROBE_PRODUCT, .product = {512, 512, 512, PROBE_FP32}};
    probe_timing timing;
    for (int d = 0; d < PROBE_DTYPES; d++)
        if (b->backend->has[d]) w.product.dtype = (probe_dtype)d;
    return probe_measure(b, &w, &timing) ? 0 : timing.median_s;
}

/* Messages, copies and products share the time, so that each begins: messages have half of it,
 * and what one leaves is the next one's. */
static bool try_all(probe_bench *b, bool quick, probe_most *m) {
    double now_s = probe_now_s(), whole_s = b->end_s - now_s;
    b->end_s = now_s + whole_s / 2;
    bool timely = try_groups(b, quick, m);
    b->end_s = now_s + whole_s * 3 / 4;
    timely = try_copies(b, m) && timely;
    b->end_s = now_s + whole_s;
    return try_products(b, quick, m) && timely;
}

static void measure_all(probe_bench *b, const options *o, probe_most *m) {
    double before = steady(b);
    bool timely = try_all(b, o->quick, m);
    double after = steady(b);
    if (ranks_mine() != 0) return;
    if (!timely) fprintf(stderr, "ceiling-probe: out of time; the rest is left out\n");
    if (b->causes > 0)
        fprintf(stderr, "ceiling-probe: slowed down meanwhile by%s%s%s: see \"slowed\"\n",
                b->causes & PROBE_POWER_CAP ? " its power cap" : "",
                b->causes & PROBE_HEAT ? " heat" : "", b->causes & PROBE_BRAKE ? " a brake" : "");
    if (before > 0 && after > 1.1 * before)
        fprintf(stderr,
                "ceiling-probe: the first product took %.0f %% longer at the end: throttled, or "
                "others work here\n",
                100 * (after / before - 1));
}

static const char *work(const options *o) {
    probe_bench b = {.backend = o->backend, .stall_s = o->stall_s, .causes = -1, .words = ""};
    probe_most m = {0};
    const char *wrong = b.backend->open(ranks_on_my_node());
    if (wrong) return wrong;
    b.room = (size_t)o->room_bytes;
    b.from = b.backend->allocate(b.room);
    b.to = b.backend->allocate(b.room);
    if (!b.from || !b.to) return "no memory for the operands: give --room";
    b.end_s = probe_now_s() + o->time_s;
    b.each_s = o->time_s / 200;
    if (o->replay) return probe_replay(&b, o->replay);
    measure_all(&b, o, &m);
    if (!o->machine || ranks_mine() != 0) return NULL;
    return probe_write_machine(o->backend, &m, o->machine);
}

/* A rank that failed does not wait for the others: their watches end them. */
static int run(const options *o) {
    probe_watch(o->stall_s);
    const char *wrong = work(o);
    if (wrong) {
        fprintf(stderr, "ceiling-probe: rank %d: %s\n", ranks_mine(), wrong);
        exit(1);
    }
    probe_watch(o->stall_s);
    ranks_meet();
    ranks_end();
    probe_watch(0);
    return 0;
}

int main(int count, char **word) {
    options o;
    if (count > 1 && strcmp(word[1], "--help") == 0) return fputs(usage, stdout) < 0;
    if (count > 1 && strcmp(word[1], "--version") == 0)
        return printf("ceiling-probe %s\n", CLG_VERSION) < 0;
    const char *wrong = read_options(count, word, &o);
    if (wrong) {
        fprintf(stderr, "ceiling-probe: '%s' is no option, or its value is wrong\n%s", wrong,
                usage);
        return 2;
    }
    probe_watch(o.stall_s);
    ranks_start(&count, &word);
    return run(&o);
}
