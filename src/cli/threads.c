/* threads.c -- a few threads that take pieces of work until there are none. Where pieces take
 * milliseconds they are started anew each time; a crew stays for pieces of microseconds. */
#include "cli/threads.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

enum { MOST_THREADS = 64 };

typedef struct crew {
    pthread_mutex_t lock;
    int next, count;
    bool stopped;
    void (*run)(void *work, int index);
    void *work;
} crew;

/* The next piece, or -1. */
static int take_next(crew *c) {
    pthread_mutex_lock(&c->lock);
    int index = c->next < c->count && !c->stopped ? c->next++ : -1;
    pthread_mutex_unlock(&c->lock);
    return index;
}

static void stop(crew *c) {
    pthread_mutex_lock(&c->lock);
    c->stopped = true;
    pthread_mutex_unlock(&c->lock);
}

static void *help(void *context) {
    crew *c = context;
    for (int index; (index = take_next(c)) >= 0;) c->run(c->work, index);
    return NULL;
}

int clg_thread_count(long cores, int processes, int asked, int most) {
    long count = asked > 0 ? asked : processes > 1 ? cores / processes : cores;
    return count < 1 ? 1 : count > most ? most : (int)count;
}

static int most_threads(void) {
    return clg_thread_count(sysconf(_SC_NPROCESSORS_ONLN), 1, 0, MOST_THREADS);
}

/* This thread works too; where no helper can be started it does all. */
static bool each(void *host, int count, void (*run)(void *work, int index), void *work,
                 clg_tell *tell, void *told) {
    (void)host;
    crew c = {.count = count, .run = run, .work = work};
    pthread_t helper[MOST_THREADS];
    int started = 0, most = most_threads();
    if (most > count) most = count;
    pthread_mutex_init(&c.lock, NULL);
    while (started + 1 < most && pthread_create(&helper[started], NULL, help, &c) == 0) started++;
    for (int index; (index = take_next(&c)) >= 0;) {
        c.run(c.work, index);
        if (tell && !tell(told, (double)(index + 1) / count)) stop(&c);
    }
    for (int i = 0; i < started; i++) pthread_join(helper[i], NULL);
    pthread_mutex_destroy(&c.lock);
    return !c.stopped;
}

const clg_cores *clg_threads(void) {
    static const clg_cores all = {each, NULL};
    return most_threads() > 1 ? &all : NULL;
}

/* ---- those that stay ---- */

struct clg_crew {
    pthread_mutex_t lock;
    pthread_cond_t work_there, work_done;
    pthread_t helper[MOST_THREADS];
    int most, started;
    bool begun, over;
    /* Rounds since the crew was last judged, the time they took and what of it was spent waiting;
     * rounds still to do alone. */
    int judged, alone;
    int64_t took_ns, waited_ns;
    /* The round: pieces from `next` on are free, `taken` ones are with helpers. */
    int next, count, taken;
    void (*run)(void *work, int index);
    void *work;
};

/* Works, locked between pieces, until none is free. */
static void work_off(clg_crew *c, bool helps) {
    while (c->next < c->count) {
        int index = c->next++;
        c->taken += helps;
        pthread_mutex_unlock(&c->lock);
        c->run(c->work, index);
        pthread_mutex_lock(&c->lock);
        c->taken -= helps;
    }
}

static void *stay(void *context) {
    clg_crew *c = context;
    pthread_mutex_lock(&c->lock);
    while (!c->over) {
        work_off(c, true);
        if (c->taken == 0) pthread_cond_signal(&c->work_done);
        if (!c->over) pthread_cond_wait(&c->work_there, &c->lock);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

static void begin(clg_crew *c) {
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->work_there, NULL);
    pthread_cond_init(&c->work_done, NULL);
    c->begun = true;
    while (c->started + 1 < c->most && pthread_create(&c->helper[c->started], NULL, stay, c) == 0)
        c->started++;
}

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Where other programs want the cores too, a helper is stopped in the midst of a piece, and the
 * caller waits: after some rounds of which a third was that, a while is worked alone. */
static void judge(clg_crew *c, int64_t began_ns, int64_t waits_ns, int64_t ended_ns) {
    enum { JUDGED = 4, ALONE = 64, SHARE = 3 };
    c->took_ns += ended_ns - began_ns;
    c->waited_ns += ended_ns - waits_ns;
    if (++c->judged < JUDGED) return;
    if (c->waited_ns > c->took_ns / SHARE) c->alone = ALONE;
    c->judged = 0;
    c->took_ns = c->waited_ns = 0;
}

/* One round. The caller waits for pieces that others took, not for the others. */
static bool with_crew(void *host, int count, void (*run)(void *work, int index), void *work,
                      clg_tell *tell, void *told) {
    clg_crew *c = host;
    (void)tell;
    (void)told;
    if (!c->begun) begin(c);
    pthread_mutex_lock(&c->lock);
    c->run = run;
    c->work = work;
    c->next = 0;
    c->count = count;
    bool together = c->started > 0 && c->alone == 0;
    int64_t began_ns = now_ns();
    if (together)
        pthread_cond_broadcast(&c->work_there);
    else if (c->alone > 0)
        c->alone--;
    work_off(c, false);
    int64_t waits_ns = now_ns();
    while (c->taken > 0) pthread_cond_wait(&c->work_done, &c->lock);
    if (together) judge(c, began_ns, waits_ns, now_ns());
    pthread_mutex_unlock(&c->lock);
    return true;
}

clg_crew *clg_crew_of(clg_arena *arena, int most) {
    clg_crew *c = clg_take(arena, 1, clg_crew);
    c->most = most < MOST_THREADS ? most : MOST_THREADS;
    return c;
}

clg_cores clg_crew_cores(clg_crew *c) { return (clg_cores){with_crew, c}; }

void clg_crew_end(clg_crew *c) {
    if (!c->begun) return;
    pthread_mutex_lock(&c->lock);
    c->over = true;
    pthread_cond_broadcast(&c->work_there);
    pthread_mutex_unlock(&c->lock);
    for (int i = 0; i < c->started; i++) pthread_join(c->helper[i], NULL);
    pthread_cond_destroy(&c->work_there);
    pthread_cond_destroy(&c->work_done);
    pthread_mutex_destroy(&c->lock);
}
