/* operations_report.c -- which operations make a number, and all of them as CSV. */
#include "report_plan/operations_report.h"

#include "report/number_words.h"

#include <stdlib.h>
#include <string.h>

static const char *const pass_names[CLG_PASSES] = {"forward", "recompute", "backward",
                                                   "weight grad"};

static bool in_passes(const clg_priced_operation *row) { return strcmp(row->block, "update") != 0; }

/* Which rows a number of the ledger sums. */
static bool belongs(const clg_priced_operation *row, const char *number) {
    const clg_op *op = row->op;
    if (strcmp(number, "matrix") == 0) return in_passes(row) && clg_op_is_product(op);
    if (strcmp(number, "attention") == 0) return op->kind == CLG_OP_ATTENTION;
    if (strcmp(number, "memory-bound") == 0) return in_passes(row) && op->kind == CLG_OP_MEMORY;
    if (strcmp(number, "optimizer") == 0)
        return !in_passes(row) &&
               (!clg_op_is_traffic(op) || op->axis != CLG_AXIS_DP || op->overlap == 0);
    return clg_op_is_traffic(op) && strcmp(number, clg_name_of(clg_axis_names, (int)op->axis)) == 0;
}

/* "8,192 x 4,096 x 14,336", "64 MiB over 8 ranks", "33.6 MB". */
static const char *shape(clg_text *t, const clg_op *op) {
    if (clg_op_is_traffic(op))
        return clg_arena_print(t->arena, "%s, %s, %d ranks",
                               clg_name_of(clg_collective_names, (int)op->collective),
                               clg_words_quantity(t, op->bytes, CLG_BYTES), op->group.ranks);
    if (op->kind == CLG_OP_GEMM && op->batch <= 1)
        return clg_arena_print(t->arena, "%.0f x %.0f x %.0f", op->m, op->n, op->k);
    if (clg_op_is_product(op))
        return clg_arena_print(t->arena, "%.0f of %.0f x %.0f x %.0f", op->batch, op->m, op->n,
                               op->k);
    if (op->kind == CLG_OP_ATTENTION)
        return clg_arena_print(t->arena, "%.0f heads, %.0f x %.0f", op->attention.heads,
                               op->attention.query_tokens, op->attention.key_tokens);
    return clg_words_quantity(t, op->hbm_bytes > 0 ? op->hbm_bytes : op->bytes, CLG_BYTES);
}

static double total_s(const clg_priced_operation *row) { return row->seconds * row->times; }

static int by_time(const void *left, const void *right) {
    const clg_priced_operation *a = left, *b = right;
    if (total_s(a) != total_s(b)) return total_s(a) > total_s(b) ? -1 : 1;
    return a->op < b->op ? -1 : a->op > b->op;
}

static int chosen(clg_arena *arena, const clg_operations_table *table, const char *number,
                  clg_priced_operation **rows) {
    int count = 0;
    *rows = clg_take(arena, (size_t)table->count + 1, clg_priced_operation);
    for (int i = 0; i < table->count; i++)
        if (belongs(&table->row[i], number)) (*rows)[count++] = table->row[i];
    qsort(*rows, (size_t)count, sizeof **rows, by_time);
    return count;
}

static void line(clg_text *t, const clg_priced_operation *row) {
    bool passes = in_passes(row);
    clg_text_print(t, "  %-28.28s %-11s %-34.34s %6.0f %9s\n", row->op->name,
                   passes ? pass_names[row->op->pass] : "update", shape(t, row->op), row->times,
                   clg_words_quantity(t, total_s(row), CLG_SECONDS));
}

/* Each algorithm once. */
static void algorithms(clg_text *t, const clg_priced_operation *row, int count) {
    for (int i = 0; i < count; i++) {
        bool seen = row[i].algorithm == NULL;
        for (int k = 0; k < i && !seen; k++) seen = row[k].algorithm == row[i].algorithm;
        if (seen) continue;
        const clg_algorithm *a = row[i].algorithm;
        clg_text_print(t, "  %s by %s: %s (%s)\n",
                       clg_name_of(clg_collective_names, (int)a->collective), a->name, a->formula,
                       a->source);
    }
}

void clg_report_terms(clg_text *t, const clg_scenario *s, const clg_evaluation *e,
                      const char *number) {
    enum { SHOWN = 16 };
    clg_priced_operation *row;
    clg_operations_table table = clg_explain_operations(t->arena, s, e);
    int count = chosen(t->arena, &table, number, &row);
    double all = 0, rest = 0;
    for (int i = 0; i < count; i++) all += total_s(&row[i]);
    for (int i = SHOWN; i < count; i++) rest += total_s(&row[i]);
    bool axis = false;
    for (const clg_name *name = clg_axis_names; name->name; name++)
        axis |= strcmp(name->name, number) == 0 && name->value != CLG_AXIS_PP;
    if (count == 0 && axis)
        clg_text_print(t, "operations\n  none: this plan has no such traffic\n");
    if (count == 0) return;
    clg_text_print(t, "operations of stage %d, a step, each alone on the machine: %s\n",
                   table.stage, clg_words_quantity(t, all, CLG_SECONDS));
    clg_text_print(t, "  %-28s %-11s %-34s %6s %9s\n", "", "pass", "", "times", "all");
    for (int i = 0; i < count && i < SHOWN; i++) line(t, &row[i]);
    if (count > SHOWN)
        clg_text_print(t, "  %d more %77s\n", count - SHOWN,
                       clg_words_quantity(t, rest, CLG_SECONDS));
    size_t from = t->size;
    algorithms(t, row, count);
    clg_text_fold(t, from, 4);
}

void clg_report_operation_rows(clg_text *t, const clg_operations_table *table) {
    clg_text_print(t, "stage,block,pass,operation,kind,precision,count,times,m,n,k,batch,flop,"
                      "hbm_bytes,collective,axis,ranks,per_domain,bytes,algorithm,protocol,"
                      "overlap,seconds,step_s\n");
    static const char *const kinds[] = {[CLG_OP_GEMM] = "gemm",
                                        [CLG_OP_GROUPED] = "grouped",
                                        [CLG_OP_ATTENTION] = "attention",
                                        [CLG_OP_MEMORY] = "memory",
                                        [CLG_OP_COLLECTIVE] = "collective",
                                        [CLG_OP_SEND] = "send",
                                        [CLG_OP_OPTIMIZER] = "optimizer",
                                        [CLG_OP_COPY] = "copy",
                                        [CLG_OP_HOST] = "host"};
    for (int i = 0; i < table->count; i++) {
        const clg_priced_operation *row = &table->row[i];
        const clg_op *op = row->op;
        bool traffic = clg_op_is_traffic(op);
        clg_text_print(t, "%d,%s,%s,%s,%s,%s,%d,%.9g,", table->stage, row->block,
                       in_passes(row) ? pass_names[op->pass] : "", op->name, kinds[op->kind],
                       clg_name_of(clg_precision_names, (int)op->precision), op->count, row->times);
        clg_text_print(t, "%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,", op->m, op->n, op->k, op->batch,
                       op->flop, op->hbm_bytes);
        if (traffic)
            clg_text_print(t, "%s,%s,%d,%d,%.9g,%s,%s,%.6g,",
                           clg_name_of(clg_collective_names, (int)op->collective),
                           clg_name_of(clg_axis_names, (int)op->axis), op->group.ranks,
                           op->group.per_domain, op->bytes,
                           row->algorithm ? row->algorithm->name : "",
                           row->protocol ? row->protocol : "", op->overlap);
        else
            clg_text_print(t, ",,,,,,,,");
        clg_text_print(t, "%.9g,%.9g\n", row->seconds, total_s(row));
    }
}

void clg_report_term_rows(clg_text *t, const clg_scenario *s, const clg_evaluation *e) {
    clg_operations_table table = clg_explain_operations(t->arena, s, e);
    clg_report_operation_rows(t, &table);
}
