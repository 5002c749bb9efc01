/* quotas.h -- internal to portfolio/: the teams of a list and what each may hold. */
#ifndef CLG_PORTFOLIO_QUOTAS_H
#define CLG_PORTFOLIO_QUOTAS_H

#include "portfolio/joblist.h"

enum { CLG_QUOTAS = 1024 };

/* The quotas of a list, as they are met. */
typedef struct clg_quotas {
    clg_arena *arena;
    clg_job_list *list;
    int room;
} clg_quotas;

/* That of a team, made with 0 GPUs where it is met first. It may move when another is taken;
 * NULL: there are CLG_QUOTAS already. */
clg_quota *clg_quotas_take(clg_quotas *quotas, const char *team);

/* Gives every job the quota of its team, by name. */
void clg_quotas_join(clg_job_list *list);

/* Every team of an export gets one: the most GPUs it held at once, jobs starting when they came and
 * had waited as long as the file says. None where no job names a team, or says what it waited. */
void clg_quotas_of_export(clg_arena *arena, clg_job_list *list);

#endif
