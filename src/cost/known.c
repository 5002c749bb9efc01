/* known.c -- a table by the op's sizes, one place for each. */
#include "cost/known.h"

#include <string.h>

/* Bits of `what`, above the kind's, which is counted from 1. */
enum { DETAIL = 1 << 8, OTHER = 1 << 16 };

static bool describe(const clg_op *op, clg_known_op *key) {
    unsigned kind = (unsigned)op->kind + 1;
    if (op->kind == CLG_OP_GEMM || op->kind == CLG_OP_GROUPED) {
        unsigned weight = op->pass == CLG_PASS_BACKWARD_WEIGHT;
        *key = (clg_known_op){kind + DETAIL * (unsigned)op->precision + OTHER * weight,
                              {op->m, op->n, op->k, op->batch},
                              0};
        return true;
    }
    if (op->kind != CLG_OP_COLLECTIVE) return false;
    unsigned experts = op->axis == CLG_AXIS_EP;
    *key = (clg_known_op){kind + DETAIL * (unsigned)op->collective + OTHER * experts,
                          {op->bytes, op->group.ranks, op->group.per_domain, op->slow_share},
                          0};
    return true;
}

static unsigned place_of(const clg_known_op *key) {
    uint64_t mixed = key->what;
    for (int i = 0; i < 4; i++) {
        uint64_t bits;
        memcpy(&bits, &key->size[i], sizeof bits);
        mixed = (mixed ^ bits) * 0x9E3779B97F4A7C15; /* 2^64 over the golden ratio: spreads bits */
        mixed ^= mixed >> 32;
    }
    return (unsigned)(mixed % CLG_KNOWN_OPS);
}

static bool is_same(const clg_known_op *a, const clg_known_op *b) {
    return a->what == b->what && a->size[0] == b->size[0] && a->size[1] == b->size[1] &&
           a->size[2] == b->size[2] && a->size[3] == b->size[3];
}

clg_known_op *clg_known_place(clg_known_ops *known, const clg_op *op, bool *found) {
    clg_known_op key;
    *found = false;
    if (!known || !describe(op, &key)) return NULL;
    clg_known_op *place = &known->op[place_of(&key)];
    *found = is_same(place, &key);
    if (!*found) *place = key;
    return place;
}
