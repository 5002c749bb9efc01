/* quotas.c -- teams by name, and what an export shows that they held. */
#include "portfolio/quotas.h"

#include <stdlib.h>
#include <string.h>

static int by_team(const void *a, const void *b) {
    return strcmp(((const clg_quota *)a)->team, ((const clg_quota *)b)->team);
}

clg_quota *clg_quotas_take(clg_quotas *q, const char *team) {
    clg_job_list *list = q->list;
    for (int i = 0; i < list->quotas; i++)
        if (strcmp(list->quota[i].team, team) == 0) return &list->quota[i];
    if (list->quotas == CLG_QUOTAS) return NULL;
    if (list->quotas == q->room) {
        q->room = q->room > 0 ? 2 * q->room : 16;
        clg_quota *wider = clg_take(q->arena, (size_t)q->room, clg_quota);
        if (list->quotas > 0)
            memcpy(wider, list->quota, (size_t)list->quotas * sizeof *list->quota);
        list->quota = wider;
    }
    list->quota[list->quotas] = (clg_quota){.team = team};
    return &list->quota[list->quotas++];
}

void clg_quotas_join(clg_job_list *list) {
    if (list->quotas == 0) return;
    qsort(list->quota, (size_t)list->quotas, sizeof *list->quota, by_team);
    for (int i = 0; i < list->count; i++) {
        clg_quota wanted = {.team = list->job[i].team};
        const clg_quota *found =
            bsearch(&wanted, list->quota, (size_t)list->quotas, sizeof *list->quota, by_team);
        list->job[i].quota = found ? (int)(found - list->quota) : -1;
    }
}

/* GPUs that a team takes, or gives back where they are below 0. */
typedef struct change {
    const char *team;
    double at_s;
    int64_t gpus;
} change;

/* By team, then time; what is given back first. */
static int by_time(const void *a, const void *b) {
    const change *x = a, *y = b;
    int team = strcmp(x->team, y->team);
    if (team != 0) return team;
    if (x->at_s != y->at_s) return x->at_s < y->at_s ? -1 : 1;
    return (x->gpus > y->gpus) - (x->gpus < y->gpus);
}

static int find_changes(const clg_job_list *list, change *changes) {
    int count = 0;
    for (int i = 0; i < list->count; i++) {
        const clg_listed_job *job = &list->job[i];
        if (!*job->team || job->recorded_wait_s < 0) continue;
        double start_s = job->arrival_s + job->recorded_wait_s;
        double seconds = job->gpu_s / (double)job->most_gpus;
        changes[count++] = (change){job->team, start_s, job->most_gpus};
        changes[count++] = (change){job->team, start_s + seconds, -job->most_gpus};
    }
    qsort(changes, (size_t)count, sizeof *changes, by_time);
    return count;
}

void clg_quotas_of_export(clg_arena *arena, clg_job_list *list) {
    change *changes = clg_take(arena, 2 * (size_t)list->count + 1, change);
    int count = find_changes(list, changes);
    int64_t held = 0;
    list->quota = clg_take(arena, (size_t)list->count + 1, clg_quota);
    for (int i = 0; i < count; i++) {
        bool another = i == 0 || strcmp(changes[i].team, changes[i - 1].team) != 0;
        if (another) list->quota[list->quotas++] = (clg_quota){.team = changes[i].team};
        clg_quota *quota = &list->quota[list->quotas - 1];
        held = another ? changes[i].gpus : held + changes[i].gpus;
        if (held > quota->gpus) quota->gpus = held;
    }
    clg_quotas_join(list);
}
