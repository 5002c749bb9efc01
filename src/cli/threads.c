/* threads.c -- a few threads that take pieces of work until there are none. Left out: sharing them
 * between calls, as starting one takes microseconds and a piece milliseconds. */
#include "cli/threads.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
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

static int most_threads(void) {
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : online > MOST_THREADS ? MOST_THREADS : (int)online;
}

/* This thread works too; where no helper can be started it does all. */
static bool each(void *host, int count, void (*run)(void *work, int index), void *work,
                 clg_tell *tell, void *told) {
    const int *lent = host;
    crew c = {.count = count, .run = run, .work = work};
    pthread_t helper[MOST_THREADS];
    int started = 0, most = lent ? *lent : most_threads();
    if (most > count) most = count;
    if (most > MOST_THREADS) most = MOST_THREADS;
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

clg_cores clg_threads_of(const int *most) { return (clg_cores){each, (void *)(uintptr_t)most}; }
