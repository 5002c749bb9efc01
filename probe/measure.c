/* measure.c -- timing and its lines of JSON. */
#include "measure.h"

#include "../src/base/version.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

const char *const probe_dtype_names[PROBE_DTYPES] = {"fp32", "fp16", "bf16"};
static const char *const collectives[] = {"allreduce", "allgather", "reducescatter", "alltoall",
                                          "sendrecv"};

double probe_now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Only what a signal handler may call. Every rank has its own watch, so all end, with a launcher
 * that sees one go and without. */
static void too_long(int signal) {
    static const char said[] =
        "ceiling-probe: an operation did not end in time: a rank may be dead; "
        "this one ends\n";
    (void)signal;
    if (write(STDERR_FILENO, said, sizeof said - 1) < 0) _exit(4);
    _exit(3);
}

void probe_watch(double seconds) {
    struct itimerval timer = {.it_value = {(time_t)seconds, (suseconds_t)(1e6 * fmod(seconds, 1))}};
    signal(SIGALRM, too_long);
    setitimer(ITIMER_REAL, &timer, NULL);
}

bool probe_late(const probe_bench *bench) {
    int late = probe_now_s() > bench->end_s;
    ranks_tell(&late, sizeof late);
    return late;
}

static size_t pages(size_t bytes) { return (bytes + 4095) / 4096 * 4096; }

/* The next piece of the room, at the start of a page. */
static size_t place(probe_bench *b, size_t bytes) {
    size_t at = b->next;
    if (at + bytes > b->room) at = 0;
    b->next = at + pages(bytes);
    return at;
}

static size_t width(probe_dtype dtype) { return dtype == PROBE_FP32 ? 4 : 2; }

/* Bytes of the two operands; the result is no larger than both where it counts. */
static size_t operands(const probe_product *p) {
    size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k, w = width(p->dtype);
    size_t both = pages(w * m * k) + w * k * n;
    return both > w * m * n ? both : w * m * n;
}

static const char *multiply(probe_bench *b, const probe_product *p) {
    size_t at = place(b, operands(p)), w = width(p->dtype);
    const char *left = b->from + at;
    return b->backend->product(p, left, left + pages(w * (size_t)p->m * (size_t)p->k), b->to + at);
}

/* Collectives that deal a buffer out move an element for each rank at least. */
static size_t bytes_of(const probe_work *work) {
    if (work->kind == PROBE_PRODUCT) return operands(&work->product);
    double least = work->kind == PROBE_COLLECTIVE ? 4.0 * ranks_group_size(work->group) : 0;
    return (size_t)fmax(work->bytes, least);
}

/* Before its bytes become a size_t: lists of operations come from outside. */
static bool has_room(const probe_bench *b, const probe_work *work) {
    double most = work->kind == PROBE_COLLECTIVE ? RANKS_MOST_BYTES : 1e15;
    if (work->kind != PROBE_PRODUCT && !(work->bytes >= 0 && work->bytes <= most)) return false;
    return bytes_of(work) <= b->room;
}

static const char *once(probe_bench *b, const probe_work *work) {
    if (work->kind == PROBE_PRODUCT) return multiply(b, &work->product);
    size_t bytes = (size_t)work->bytes, half = bytes / 2;
    if (work->kind == PROBE_COPY) {
        size_t at = place(b, half);
        return b->backend->copy(b->from + at, b->to + at, half);
    }
    size_t at = place(b, bytes_of(work));
    return b->backend->collective(work->group, work->collective, b->from + at, b->to + at, bytes);
}

/* Seconds of one of `times`, with all ranks at the start together. */
static const char *read_clock(probe_bench *b, const probe_work *work, int times, double *seconds) {
    const char *wrong = b->backend->wait();
    ranks_meet();
    double start = probe_now_s();
    for (int i = 0; i < times && !wrong; i++) wrong = once(b, work);
    if (!wrong) wrong = b->backend->wait();
    *seconds = (probe_now_s() - start) / times;
    return wrong;
}

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double quantile(const probe_timing *t, double share) {
    double sorted[PROBE_READINGS];
    memcpy(sorted, t->seconds, (size_t)t->readings * sizeof *sorted);
    qsort(sorted, (size_t)t->readings, sizeof *sorted, by_size);
    double at = share * (t->readings - 1);
    int below = (int)at, above = below + (below + 1 < t->readings);
    return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}

/* Where others may work on the same cores they only ever add: the quickest quarter is kept. */
static void keep_quickest(probe_timing *t) {
    qsort(t->seconds, (size_t)t->readings, sizeof *t->seconds, by_size);
    t->readings = (t->readings + 3) / 4;
}

/* Readings of 200 us and more; as many as fit the time, three at least. All ranks agree, for all
 * take the same number of turns. */
static const char *take(probe_bench *b, const probe_work *work, probe_timing *t) {
    double first, again;
    const char *wrong = read_clock(b, work, 1, &first);
    if (!wrong) wrong = read_clock(b, work, 1, &again);
    double seen[2] = {wrong ? 0 : fmin(first, again), wrong != NULL};
    ranks_most(seen, 2);
    if (seen[1] > 0) return wrong ? wrong : "another rank failed";
    int times = seen[0] < 2e-4 ? (int)fmin(1000, ceil(2e-4 / fmax(seen[0], 1e-7))) : 1;
    double fit = b->each_s / fmax(seen[0] * times, 1e-9);
    t->readings = (int)fmax(3, fmin(PROBE_READINGS, fit));
    for (int i = 0; i < t->readings && !wrong; i++) {
        probe_watch(b->stall_s);
        wrong = read_clock(b, work, times, &t->seconds[i]);
    }
    ranks_most(t->seconds, t->readings);
    if (b->backend->shared) keep_quickest(t);
    return wrong;
}

/* Once more, unmeasured: a manager takes its time to answer. The worst of all ranks counts. */
static const char *look(probe_bench *b, const probe_work *work, probe_health *health) {
    const char *wrong = once(b, work);
    probe_health mine = wrong ? probe_health_unknown : b->backend->health();
    if (!wrong) wrong = b->backend->wait();
    double worst[4 + PROBE_CAUSES] = {mine.clock_hz > 0 ? -mine.clock_hz : -1e30, mine.watts,
                                      mine.celsius};
    worst[3 + PROBE_CAUSES] = wrong != NULL;
    for (int i = 0; i < PROBE_CAUSES; i++)
        worst[3 + i] = mine.causes < 0 ? -1 : (mine.causes >> i) & 1;
    ranks_most(worst, 4 + PROBE_CAUSES);
    *health = (probe_health){worst[0] > -1e30 ? -worst[0] : -1, worst[1], worst[2],
                             worst[3] < 0 ? -1 : 0};
    for (int i = 0; i < PROBE_CAUSES; i++)
        if (worst[3 + i] > 0) health->causes |= 1 << i;
    if (health->causes >= 0) b->causes = (b->causes < 0 ? 0 : b->causes) | health->causes;
    return !wrong && worst[3 + PROBE_CAUSES] > 0 ? "another rank failed" : wrong;
}

const char *probe_measure(probe_bench *b, const probe_work *work, probe_timing *t) {
    *t = (probe_timing){0};
    if (!has_room(b, work)) return "larger than the probe's buffers: give --room";
    probe_watch(b->stall_s);
    const char *wrong = take(b, work, t);
    probe_watch(b->stall_s);
    if (!wrong) wrong = look(b, work, &t->health);
    if (!wrong) t->median_s = quantile(t, 0.5);
    return wrong;
}

void probe_write_string(FILE *file, const char *key, const char *value) {
    fprintf(file, "\"%s\":\"", key);
    for (; *value; value++)
        if ((unsigned char)*value >= 32 && *value != '"' && *value != '\\') fputc(*value, file);
    fputc('"', file);
}

/* null: not known. */
static void print_known(const char *key, double number) {
    if (number >= 0)
        printf(",\"%s\":%.6g", key, number);
    else
        printf(",\"%s\":null", key);
}

static void print_health(const probe_health *h) {
    static const char *const causes[PROBE_CAUSES] = {"power cap", "heat", "power brake"};
    print_known("clock_hz", h->clock_hz);
    print_known("watts", h->watts);
    print_known("celsius", h->celsius);
    if (h->causes < 0) {
        printf(",\"slowed\":null");
        return;
    }
    printf(",\"slowed\":[");
    for (int i = 0, any = 0; i < PROBE_CAUSES; i++)
        if (h->causes & 1 << i) printf("%s\"%s\"", any++ ? "," : "", causes[i]);
    printf("]");
}

static void print_end(const probe_bench *b, const probe_timing *t) {
    char host[128] = "", date[32] = "", program[400];
    time_t now = time(NULL);
    gethostname(host, sizeof host - 1);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    snprintf(program, sizeof program, "ceiling-probe %s %s, %s", CLG_VERSION, b->backend->name,
             b->backend->versions());
    printf(",\"seconds\":[");
    for (int i = 0; i < t->readings; i++) printf("%s%.9g", i > 0 ? "," : "", t->seconds[i]);
    printf("],\"spread\":%.3g", quantile(t, 0.9) / quantile(t, 0.1) - 1);
    print_health(&t->health);
    printf("%s,\"where\":{", b->words);
    probe_write_string(stdout, "gpu", b->backend->device());
    putchar(',');
    probe_write_string(stdout, "host", host);
    printf(",\"fabric\":null},");
    probe_write_string(stdout, "program", program);
    putchar(',');
    probe_write_string(stdout, "date", date);
    printf("}\n");
    fflush(stdout);
}

void probe_print(const probe_bench *b, const probe_work *work, const probe_timing *t) {
    const probe_product *p = &work->product;
    if (ranks_mine() != 0) return;
    if (work->kind == PROBE_PRODUCT)
        printf("{\"what\":\"gemm\",\"m\":%d,\"n\":%d,\"k\":%d,\"dtype\":\"%s\"", p->m, p->n, p->k,
               probe_dtype_names[p->dtype]);
    else if (work->kind == PROBE_COPY)
        printf("{\"what\":\"copy\",\"bytes\":%.0f", work->bytes);
    else
        printf("{\"what\":\"%s\",\"ranks\":%d,\"nodes\":%d,\"bytes\":%.0f,\"dtype\":\"fp32\"",
               collectives[work->collective], ranks_group_size(work->group),
               ranks_group_nodes(work->group), work->bytes);
    print_end(b, t);
}

void probe_print_step(const probe_bench *b, const probe_timing *t) {
    if (ranks_mine() != 0) return;
    printf("{\"what\":\"step\",\"ranks\":%d,\"nodes\":%d", ranks_all(), ranks_nodes());
    print_end(b, t);
}
