/* clocks.c -- one clock for all hosts, from the ends of what they did together.
 *
 * From the first host outwards, over whatever groups connect them: a host is fitted once one of its
 * ranks meets a rank whose clock is known. Traces that do not name their host have one each. */
#include "trace/matching.h"

#include "base/quantile.h"
#include "record/ns.h"

#include <string.h>

/* On one host, ends of a collective lie tens of microseconds apart; clocks nearer than this are
 * taken to be one where hosts are not named. */
static const int64_t one_clock_ns = 200000;

typedef struct hosts {
    clg_matching *m;
    int count;
    int *of;     /* [traces] their host */
    int *first;  /* [hosts + 1] where their traces begin */
    int *traces; /* by host, in order */
    int *queue;  /* [hosts] reached, in order */
    int reached, fitted;
    bool *queued;          /* [hosts] */
    int64_t *reference_ns; /* [collectives] when it ended, by a known clock; INT64_MIN: no such */
    int64_t *found;        /* room for all differences */
} hosts;

static void number_hosts(hosts *h) {
    const clg_recorded_job *job = h->m->job;
    clg_arena *scratch = &h->m->scratch;
    clg_intern names = {.arena = scratch};
    h->of = clg_take(scratch, (size_t)job->count, int);
    int *of_name = clg_take(scratch, (size_t)job->count, int);
    for (int i = 0; i < job->count; i++) {
        const char *host = job->traces[i].host;
        size_t known = names.count;
        uint32_t name = host ? clg_intern_keep(&names, (clg_slice){host, strlen(host)}) : 0;
        bool new = !host || names.count > known;
        if (host && new) of_name[name] = h->count;
        h->of[i] = new ? h->count++ : of_name[name];
    }
    h->first = clg_take(scratch, (size_t)h->count + 2, int);
    h->traces = clg_take(scratch, (size_t)job->count, int);
    for (int i = 0; i < job->count; i++) h->first[h->of[i] + 2]++;
    for (int i = 1; i <= h->count; i++) h->first[i + 1] += h->first[i];
    for (int i = 0; i < job->count; i++) h->traces[h->first[h->of[i] + 1]++] = i;
}

static int64_t end_ns(const clg_trace_call *call) { return call->start_ns + call->duration_ns; }

/* Differences between the ends on a host's traces and on those whose clock is known. */
static size_t differences(const hosts *h, int host) {
    size_t count = 0;
    for (int i = h->first[host]; i < h->first[host + 1]; i++) {
        const clg_trace *t = &h->m->job->traces[h->traces[i]];
        for (size_t c = 0; c < t->call_count; c++) {
            int64_t reference_ns = h->reference_ns[t->calls[c].instance];
            if (reference_ns != INT64_MIN)
                h->found[count++] = clg_ns_minus(end_ns(&t->calls[c]), reference_ns);
        }
    }
    return count;
}

static int64_t offset_of(const hosts *h, int host) {
    const clg_recorded_job *job = h->m->job;
    size_t count = differences(h, host);
    if (count == 0) return 0;
    clg_sort_integers(h->found, count);
    int64_t middle_ns = h->found[count / 2];
    bool named = job->traces[0].host && job->traces[h->traces[h->first[host]]].host;
    bool apart = named || middle_ns > one_clock_ns || middle_ns < -one_clock_ns;
    return apart ? middle_ns : 0;
}

/* Its ranks are references from now on, and their hosts can be fitted. */
static void learn(hosts *h, int host, int64_t offset_ns) {
    const clg_matching *m = h->m;
    for (int i = h->first[host]; i < h->first[host + 1]; i++) {
        int trace = h->traces[i];
        const clg_trace *t = &m->job->traces[trace];
        m->job->offset_ns[trace] = offset_ns;
        for (size_t c = 0; c < t->call_count; c++) {
            int32_t at = t->calls[c].instance;
            if (h->reference_ns[at] != INT64_MIN) continue;
            h->reference_ns[at] = clg_ns_minus(end_ns(&t->calls[c]), offset_ns);
            for (size_t k = m->first[at]; k < m->first[at + 1]; k++) {
                int other = h->of[m->members[k].trace];
                if (!h->queued[other]) h->queue[h->reached++] = other;
                h->queued[other] = true;
            }
        }
    }
}

void clg_align_clocks(clg_matching *m) {
    size_t collectives = (size_t)m->job->collective_count;
    hosts h = {.m = m};
    number_hosts(&h);
    h.queue = clg_take(&m->scratch, (size_t)h.count + 1, int);
    h.queued = clg_take(&m->scratch, (size_t)h.count + 1, bool);
    h.reference_ns = clg_take(&m->scratch, collectives + 1, int64_t);
    h.found = clg_take(&m->scratch, m->count + 1, int64_t);
    for (size_t i = 0; i < collectives; i++) h.reference_ns[i] = INT64_MIN;
    h.queue[h.reached++] = h.of[0];
    h.queued[h.of[0]] = true;
    while (h.fitted < h.reached) {
        int host = h.queue[h.fitted++];
        learn(&h, host, h.fitted == 1 ? 0 : offset_of(&h, host));
    }
}
