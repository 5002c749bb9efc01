/* request_lone.c -- knobs that say more of another, which is not there: refused, not passed over.
 */
#include "api/request.h"

#include <stdio.h>

static const struct {
    clg_param param, of;
    const char *value; /* a sound one of `of` */
} rows[] = {
    {CLG_PARAM_ADAPTER_RANK, CLG_PARAM_ADAPTER, " lora to train, or --adapters 40 to serve"},
    {CLG_PARAM_ADAPTER_TARGETS, CLG_PARAM_ADAPTER, " lora to train, or --adapters 40 to serve"},
    {CLG_PARAM_BASE, CLG_PARAM_ADAPTER, " qlora"},
    {CLG_PARAM_GROW, CLG_PARAM_MODE, " grow"},
    {CLG_PARAM_BETWEEN, CLG_PARAM_SITES, " 2"},
    {CLG_PARAM_EXCHANGE_BITS, CLG_PARAM_SITES, " 2"},
    {CLG_PARAM_STREAM, CLG_PARAM_SITES, " 2"},
    {CLG_PARAM_LIFE, CLG_PARAM_CAPEX, " 40kUSD"},
    {CLG_PARAM_RESIDUAL, CLG_PARAM_CAPEX, " 40kUSD"},
    {CLG_PARAM_INTEREST, CLG_PARAM_CAPEX, " 40kUSD"},
    {CLG_PARAM_SERVICE, CLG_PARAM_PROFILE, " FILE"},
    {CLG_PARAM_PEAK_AT, CLG_PARAM_PEAK, " 1.8"},
    {CLG_PARAM_LEAD, CLG_PARAM_GROWTH, " 10%"},
    {CLG_PARAM_TURN_GAP, CLG_PARAM_TURNS, " 4, or --clients 500 who each ask so often"},
    {CLG_PARAM_HOST_BANDWIDTH, CLG_PARAM_HOST_CACHE, " 100GB"}};

enum { ROWS = sizeof rows / sizeof rows[0] };

bool clg_request_is_lone(const clg_request *request, clg_param param) {
    for (int i = 0; i < ROWS; i++) {
        if (rows[i].param != param) continue;
        /* Two kinds of GPU meet as two sites do. */
        bool met = (param == CLG_PARAM_TURN_GAP && request->value[CLG_PARAM_CLIENTS]) ||
                   (rows[i].of == CLG_PARAM_SITES && request->value[CLG_PARAM_WITH]) ||
                   (rows[i].of == CLG_PARAM_ADAPTER && request->value[CLG_PARAM_ADAPTERS]);
        return request->value[param] && !request->value[rows[i].of] && !met;
    }
    return false;
}

clg_status clg_request_lone(const clg_request *request, clg_error *error) {
    for (int i = 0; i < ROWS; i++) {
        const char *of = clg_param_row_of(rows[i].of).flag;
        char mend[96];
        if (!clg_request_is_lone(request, rows[i].param)) continue;
        snprintf(mend, sizeof mend, "add --%s%s", of, rows[i].value);
        return clg_fail(error, CLG_BAD_USAGE, mend, "--%s says more of --%s, which is not given",
                        clg_param_row_of(rows[i].param).flag, of);
    }
    return CLG_OK;
}
