/* known.c -- a table by the op's sizes, one place for each. */
#include "cost/known.h"

#include <stdint.h>
#include <string.h>

/* Bits of `what`, above the kind's, which is counted from 1. */
enum { DETAIL = 1 << 8, OTHER = 1 << 16 };

enum { SIZES = sizeof((clg_known_op *)0)->size / sizeof(double) };

static bool describe(const clg_op *op, double imbalance, clg_known_op *key) {
    unsigned kind = (unsigned)op->kind + 1;
    if (clg_op_is_product(op)) {
        unsigned weight = op->pass == CLG_PASS_BACKWARD_WEIGHT;
        double uneven = op->kind == CLG_OP_GROUPED ? imbalance : 1;
        *key = (clg_known_op){kind + DETAIL * (unsigned)op->precision + OTHER * weight,
                              {op->m, op->n, op->k, op->batch, uneven},
                              0};
        return true;
    }
    if (op->kind != CLG_OP_COLLECTIVE) return false;
    unsigned experts = op->axis == CLG_AXIS_EP;
    *key = (clg_known_op){
        kind + DETAIL * (unsigned)op->collective + OTHER * experts,
        {op->bytes, op->group.ranks, op->group.per_domain, op->slow_share, experts ? imbalance : 1},
        0};
    return true;
}

static unsigned place_of(const clg_known_op *key) {
    uint64_t mixed = key->what;
    for (int i = 0; i < SIZES; i++) {
        uint64_t bits;
        memcpy(&bits, &key->size[i], sizeof bits);
        mixed = (mixed ^ bits) * 0x9E3779B97F4A7C15; /* 2^64 over the golden ratio: spreads bits */
        mixed ^= mixed >> 32;
    }
    return (unsigned)(mixed % CLG_KNOWN_OPS);
}

static bool is_same(const clg_known_op *a, const clg_known_op *b) {
    for (int i = 0; i < SIZES; i++)
        if (a->size[i] != b->size[i]) return false;
    return a->what == b->what;
}

clg_known_op *clg_known_place(clg_known_ops *known, const clg_op *op, double imbalance,
                              bool *found) {
    clg_known_op key;
    *found = false;
    if (!known || !describe(op, imbalance, &key)) return NULL;
    clg_known_op *place = &known->op[place_of(&key)];
    *found = is_same(place, &key);
    if (!*found) *place = key;
    return place;
}
