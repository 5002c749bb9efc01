/* readings.c -- who took part in logs that do not say so. */
#include "cli/readings.h"

clg_status clg_readings_asked(const clg_session *session, clg_samples *samples, clg_error *error) {
    double ranks, nodes;
    if (clg_request_number(&session->request, CLG_PARAM_RANKS, &ranks, error) != CLG_OK ||
        clg_request_number(&session->request, CLG_PARAM_NODES, &nodes, error) != CLG_OK)
        return error->status;
    if (nodes > ranks)
        return clg_fail(error, CLG_BAD_USAGE, "give --ranks, and at most as many --nodes",
                        "no ranks for so many nodes");
    samples->ranks = (int)ranks;
    samples->nodes = (int)nodes;
    return CLG_OK;
}
