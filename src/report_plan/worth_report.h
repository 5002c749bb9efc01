/* worth_report.h -- what a choice is worth: the fabric, spares, knowing better; as text and JSON.
 */
#ifndef CLG_REPORT_PLAN_WORTH_REPORT_H
#define CLG_REPORT_PLAN_WORTH_REPORT_H

#include "base/text.h"
#include "economics/regret.h"
#include "economics/spares.h"
#include "economics/storage.h"

/* The odds with so many spare nodes. */
typedef struct clg_with_spares {
    int nodes;
    clg_odds odds;
} clg_with_spares;

enum { CLG_WITH_SPARES = 5 };

typedef struct clg_worth {
    const clg_cluster *taken;
    double repair_s;
    clg_spares spares;
    clg_with_spares with[CLG_WITH_SPARES]; /* from none to one more than pay */
    int withs;
    clg_regret_row regret[CLG_REGRET_ROWS];
    int regrets;
    clg_storage_bill storage;
    bool compared, over_runs; /* with another fabric; whether the job runs over it at that size */
    clg_cluster over;         /* as many of the same GPUs over it */
} clg_worth;

/* Lines that begin with a word of up to eight letters; nothing where nothing was taken. */
void clg_report_worth(clg_text *text, const clg_worth *worth);
/* "spares", "over_fabric", "regret", inside an object. */
void clg_json_worth(clg_json_writer *writer, const clg_worth *worth);
/* Parts of it and of other answers: "odds", and what a storage bill may come to. */
void clg_json_odds(clg_json_writer *writer, const clg_odds *odds);
void clg_json_storage_usd(clg_json_writer *writer, const clg_storage_bill *bill);

#endif
