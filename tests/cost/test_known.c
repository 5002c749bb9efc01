/* Seconds kept of an op are that op's alone. */
#include "cost/known.h"
#include "test.h"

static clg_op product(double m) {
    return (clg_op){.kind = CLG_OP_GEMM, .precision = CLG_BF16, .m = m, .n = 4096, .k = 4096};
}

static bool keeps_at(clg_known_ops *known, clg_op op, double imbalance) {
    bool found;
    clg_known_place(known, &op, imbalance, &found);
    return found;
}

static bool keeps(clg_known_ops *known, clg_op op) { return keeps_at(known, op, 1); }

static void finds_the_same(void) {
    CASE("an op is found again, one that differs in what decides its seconds is not");
    static clg_known_ops known;
    CHECK(!keeps(&known, product(1024)));
    CHECK(keeps(&known, product(1024)));
    clg_op other[] = {product(1025), product(1024), product(1024), product(1024)};
    other[1].precision = CLG_FP8;
    other[2].kind = CLG_OP_GROUPED;
    other[3].batch = 2;
    for (int i = 0; i < 4; i++) CHECK(!keeps(&known, other[i]));
    clg_op sum = {.kind = CLG_OP_COLLECTIVE, .group = {64, 8}, .bytes = 1e9};
    CHECK(!keeps(&known, sum));
    CHECK(keeps(&known, sum));
    sum.group.per_domain = 4;
    CHECK(!keeps(&known, sum));
    sum.axis = CLG_AXIS_EP;
    CHECK(!keeps(&known, sum));
}

/* A router that learns fills the fullest rank the more, the more ranks and the fewer tokens. */
static void tells_imbalance(void) {
    CASE("rows and exchanges of experts that are dealt less evenly are others; products are not");
    static clg_known_ops known;
    clg_op rows = product(1024), sum = {.kind = CLG_OP_COLLECTIVE, .group = {8, 8}, .bytes = 1e9};
    rows.kind = CLG_OP_GROUPED, sum.axis = CLG_AXIS_EP;
    CHECK(!keeps_at(&known, rows, 1.2) && keeps_at(&known, rows, 1.2));
    CHECK(!keeps_at(&known, rows, 1.3));
    CHECK(!keeps_at(&known, sum, 1.2) && !keeps_at(&known, sum, 1.3));
    CHECK(!keeps_at(&known, product(8), 1.2) && keeps_at(&known, product(8), 1.3));
}

static void keeps_nothing(void) {
    CASE("ops of other kinds, and a search without a table, keep nothing");
    static clg_known_ops known;
    clg_op op = {.kind = CLG_OP_MEMORY, .hbm_bytes = 1e6};
    bool found = true;
    CHECK(clg_known_place(&known, &op, 1, &found) == NULL);
    CHECK(!found);
    op = product(8);
    CHECK(clg_known_place(NULL, &op, 1, &found) == NULL);
}

int main(void) {
    finds_the_same();
    tells_imbalance();
    keeps_nothing();
    return DONE;
}
