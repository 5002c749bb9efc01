/* product.h -- matrix products and attention by the shapes of the operators that launched them.
 *
 * FLOPs of what ran: recomputed work counts again, and so the rate is that of the hardware (HFU)
 * unless nothing was recomputed. Known are aten::mm, addmm, bmm, baddbmm, _scaled_mm, the fused
 * attention of torch (whole matrix, also where it is causal, as PaLM counts) and convolutions: 2 x
 * weights x pixels of the output, the same for the gradients of inputs and of weights. Not known:
 * attention and products of libraries of their own, what a CUDA graph launches, and anything
 * recorded without shapes (record_shapes). */
#ifndef CLG_RECORD_PRODUCT_H
#define CLG_RECORD_PRODUCT_H

#include "op/op.h"
#include "record/intern.h"

/* One operator, and the kernels that did its work. */
typedef struct clg_product {
    uint64_t thread;
    int64_t start_ns, end_ns; /* of the operator */
    double flop;
    int64_t batch, m, n, k; /* [m,k] x [k,n]; 0: attention, convolutions */
    int64_t kernel_ns;      /* of the kernels inside it that are products by name; where none is,
                               of the longest; 0: no kernel was found */
    uint32_t event;         /* the longest of them in the timeline */
    uint64_t convolution;   /* by input and weights; 0: is none */
    double weights, pixels; /* of it; pixels 0: the output is not known */
    bool named;             /* kernel_ns is of kernels that are products by name */
    uint8_t precision;      /* clg_precision, before a look at the kernel */
} clg_product;

/* Whether an operator of this name is one of them. */
bool clg_product_named(clg_slice name);

/* From "Input Dims", "Input type" and "Concrete Inputs"; false when they do not tell. A convolution
 * whose stride and padding are not told has no FLOPs yet: its backward pass tells its output. */
bool clg_product_of(clg_slice name, clg_slice dims, clg_slice types, clg_slice inputs,
                    clg_product *product);

/* With the kernel known: products of fp32 may run as tf32 (cuBLAS and CUTLASS name those kernels
 * tf32 or s1688). */
clg_precision clg_product_precision(const clg_product *product, const char *kernel);

#endif
