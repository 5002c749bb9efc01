/* call.c -- what reading data/ costs a short question, as ratios inside one run: one that a page
 * asks while a slider moves (every axis held), its files read anew or kept.
 * Build and run: make bench */
#include "api/door.h"
#include "dataset/kept.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { CALLS = 200 };

static const char question[] =
    "{\"command\":\"explain\",\"model\":\"llama-3.1-70b\",\"gpus\":\"512\",\"seq\":\"8192\","
    "\"global-batch\":\"4Mtok\",\"fix\":[\"tp=8\",\"sp=1\",\"cp=1\",\"pp=2\",\"vpp=1\","
    "\"schedule=1f1b\",\"zero=1\",\"recompute=none\",\"micro-batch=1\"]}";

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Seconds of processor time a call. */
static double call_s(clg_kept *kept) {
    double start = now_s();
    for (int i = 0; i < CALLS; i++) {
        clg_arena arena = {.kept = kept};
        clg_text out = {.arena = &arena};
        if (clg_door_call(&arena, question, strlen(question), (clg_door_host){0}, &out) != CLG_OK)
            printf("%s", out.data);
        clg_arena_clear(&arena);
    }
    return (now_s() - start) / CALLS;
}

int main(void) {
    clg_kept *kept = clg_kept_open();
    double anew = call_s(NULL), later = call_s(kept);
    printf("a held layout priced: files read anew %.2f ms, kept %.2f ms: %.1f times\n", anew * 1e3,
           later * 1e3, anew / later);
    clg_kept_close(kept);
    return 0;
}
