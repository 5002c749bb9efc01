/* balance_report.c -- see the header. Left out: mixtures and adapters, which the law is not of. */
#include "report_plan/balance_report.h"

#include "report/number_words.h"
#include "scaling/laws.h"

void clg_report_balance(clg_text *t, const clg_sizing *ask, const clg_cluster *c) {
    const clg_model *m = &c->offer->scenario.model;
    if (ask->limits.budget_usd <= 0 || !(c->usd > 0) || clg_model_experts(m) ||
        c->plan.layout.adapter.kind != CLG_ADAPTER_NONE)
        return;
    double times = ask->limits.budget_usd / c->usd;
    double best = clg_balanced_parameters((double)m->parameters, ask->tokens * times);
    clg_text_print(t, "largest  %s would train %s parameters on %s tokens, %.0f each, as cheaply\n",
                   clg_words_quantity(t, ask->limits.budget_usd, CLG_USD),
                   clg_words_quantity(t, best, CLG_COUNT),
                   clg_words_quantity(t, best * CLG_BALANCED_TOKENS, CLG_COUNT),
                   CLG_BALANCED_TOKENS);
}
