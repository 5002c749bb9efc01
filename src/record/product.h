/* product.h -- matrix products and attention by the shapes of the operators that launched them.
 *
 * FLOPs of what ran: recomputed work counts again, and so the rate is that of the hardware (HFU)
 * unless nothing was recomputed. Known are aten::mm, addmm, bmm, baddbmm, _scaled_mm and the fused
 * attention of torch (whole matrix, also where it is causal, as PaLM counts). Not known:
 * convolutions, attention and products of libraries of their own, and anything recorded without
 * shapes (record_shapes). */
#ifndef CLG_RECORD_PRODUCT_H
#define CLG_RECORD_PRODUCT_H

#include "op/op.h"
#include "record/intern.h"

/* One operator, and the kernel that did its work. */
typedef struct clg_product {
    uint64_t thread;
    int64_t start_ns, end_ns; /* of the operator */
    double flop;
    int64_t batch, m, n, k; /* [m,k] x [k,n]; 0: attention */
    int64_t kernel_ns;      /* duration of the kernel; 0: none was found */
    uint32_t event;         /* the kernel in the timeline */
    uint8_t precision;      /* clg_precision, before a look at the kernel */
} clg_product;

/* Whether an operator of this name is one of them. */
bool clg_product_named(clg_slice name);

/* From "Input Dims" and "Input type"; false when they do not tell. */
bool clg_product_of(clg_slice name, clg_slice dims, clg_slice types, clg_product *product);

/* With the kernel known: products of fp32 may run as tf32 (cuBLAS and CUTLASS name those kernels
 * tf32 or s1688). */
clg_precision clg_product_precision(const clg_product *product, const char *kernel);

#endif
