/* iteration_writer.h -- internal to step/: how the operations of an iteration are written. */
#ifndef CLG_STEP_ITERATION_WRITER_H
#define CLG_STEP_ITERATION_WRITER_H

#include "step/iteration.h"

/* A part of a list under way. */
typedef struct clg_writer {
    const clg_serving *s;
    clg_iteration_ops *ops;
    clg_iteration_part part;
    double tokens, hidden;
} clg_writer;

clg_iteration_op *clg_write_op(const clg_writer *w, clg_op_kind kind, const char *name);

/* [m,k] x [k,n]: weights in the plan's format are multiplied in its arithmetic, others in 16 bit.
 */
clg_iteration_op *clg_write_product(const clg_writer *w, const char *name, clg_precision stored,
                                    double m, double n, double k);

/* Of all tokens, with weights of attention. */
clg_iteration_op *clg_write_projection(const clg_writer *w, const char *name, double n, double k);

/* A kernel that memory binds. */
void clg_write_stream(const clg_writer *w, const char *name, double bytes);

/* Sums over the tensor ranks, so many times; none where there is one rank. */
void clg_write_sums(const clg_writer *w, const char *name, double bytes, int times);

void clg_write_attention(const clg_writer *w, const clg_attention *attention);

#endif
