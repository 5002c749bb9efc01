/* place.c -- where the experts of a token lie. */
#include "model/model.h"

/* Places that hold experts a token may choose: all, or those of as many groups as its router allows
 * (node-limited routing, DeepSeek-V3, arXiv:2412.19437, section 2.1.2). Rank order keeps a place's
 * share of the experts, and a group, together. */
static double open_places(const clg_mlp *mlp, double places) {
    double groups = mlp->groups, chosen = mlp->groups_per_token;
    if (groups < 2 || chosen < 1 || chosen >= groups) return places;
    if (places < groups) return places < chosen ? places : chosen;
    return places * chosen / groups;
}

double clg_mlp_places_met(const clg_mlp *mlp, double all_places) {
    double places = open_places(mlp, all_places), missed = 1;
    for (int i = 0; i < mlp->experts_per_token; i++) missed *= 1 - 1 / places;
    return places * (1 - missed);
}
