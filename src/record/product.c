/* product.c -- shapes of operators. */
#include "record/product.h"

#include "base/letters.h"

#include <string.h>

typedef enum form {
    FORM_PRODUCT,
    FORM_ATTENTION,
    FORM_ATTENTION_BACKWARD,
    FORM_CONVOLUTION,         /* input, weights; then, from `first`, padding, stride, dilation */
    FORM_CONVOLUTION_BACKWARD /* the output's gradient as argument `first` of input, weights */
} form;

#define OPERATOR(name, form, first)                                                                \
    { {name, sizeof name - 1}, form, first }

/* `first` is the argument that is the left matrix, or the query. Convolutions are taken where they
 * reach their library: the operators around those nest. */
static const struct {
    clg_slice name;
    form form;
    int first;
} operators[] = {
    OPERATOR("mm", FORM_PRODUCT, 0),
    OPERATOR("bmm", FORM_PRODUCT, 0),
    OPERATOR("addmm", FORM_PRODUCT, 1),
    OPERATOR("_addmm_activation", FORM_PRODUCT, 1),
    OPERATOR("baddbmm", FORM_PRODUCT, 1),
    OPERATOR("_scaled_mm", FORM_PRODUCT, 0),
    OPERATOR("_scaled_dot_product_flash_attention", FORM_ATTENTION, 0),
    OPERATOR("_scaled_dot_product_efficient_attention", FORM_ATTENTION, 0),
    OPERATOR("_scaled_dot_product_cudnn_attention", FORM_ATTENTION, 0),
    OPERATOR("_scaled_dot_product_flash_attention_backward", FORM_ATTENTION_BACKWARD, 1),
    OPERATOR("_scaled_dot_product_efficient_attention_backward", FORM_ATTENTION_BACKWARD, 1),
    OPERATOR("_scaled_dot_product_cudnn_attention_backward", FORM_ATTENTION_BACKWARD, 1),
    OPERATOR("cudnn_convolution", FORM_CONVOLUTION, 2),
    OPERATOR("cudnn_convolution_relu", FORM_CONVOLUTION, 0),
    OPERATOR("cudnn_convolution_add_relu", FORM_CONVOLUTION, 0),
    OPERATOR("miopen_convolution", FORM_CONVOLUTION, 3),
    OPERATOR("convolution_backward", FORM_CONVOLUTION_BACKWARD, 0),
    OPERATOR("cudnn_convolution_backward", FORM_CONVOLUTION_BACKWARD, 1)};
#undef OPERATOR
enum { OPERATORS = sizeof operators / sizeof operators[0] };

static int operator_of(clg_slice name) {
    enum { PREFIX = 6 };
    if (!clg_slice_starts(name, "aten::")) return -1;
    clg_slice rest = {name.text + PREFIX, name.size - PREFIX};
    char first = rest.size ? *rest.text : 0; /* most operators end here */
    if (first != '_' && first != 'm' && (first < 'a' || first > 'c')) return -1;
    for (int i = 0; i < OPERATORS; i++)
        if (operators[i].name.size == rest.size &&
            memcmp(operators[i].name.text, rest.text, rest.size) == 0)
            return i;
    return -1;
}

bool clg_product_named(clg_slice name) { return operator_of(name) >= 0; }

enum { MOST_DIMS = 6 };

/* Up to six numbers of "[8, 512, 64]"; how many, or -1. */
static int numbers(clg_slice shape, int64_t *out) {
    int count = 0;
    int64_t number = -1;
    for (size_t i = 0; i < shape.size; i++) {
        char c = shape.text[i];
        if (clg_is_digit(c)) {
            number = (number < 0 ? 0 : number) * 10 + (c - '0');
            if (number > INT32_MAX) return -1;
        } else if (number >= 0) {
            if (count == MOST_DIMS) return -1;
            out[count++] = number;
            number = -1;
        }
    }
    return count;
}

/* The n-th value of a list. */
static bool element(clg_slice list, int n, clg_slice *out) {
    if (list.size < 2 || *list.text != '[') return false;
    clg_scan s = {list.text + 1, list.text + list.size};
    for (int i = 0; i <= n; i++) {
        clg_scan_separators(&s);
        if (clg_scan_value(&s, out) != CLG_SCAN_OK) return false;
    }
    return true;
}

static int shape_of(clg_slice dims, int argument, int64_t *out) {
    clg_slice shape;
    if (!element(dims, argument, &shape) || shape.size == 0 || *shape.text != '[') return -1;
    return numbers(shape, out);
}

/* c10::ScalarType and C++ names of element types. */
static bool precision_of(clg_slice types, int argument, uint8_t *precision) {
    static const struct {
        const char *name;
        clg_precision precision;
    } names[] = {{"float", CLG_FP32},
                 {"c10::Half", CLG_FP16},
                 {"c10::BFloat16", CLG_BF16},
                 {"c10::Float8_e4m3fn", CLG_FP8},
                 {"c10::Float8_e5m2", CLG_FP8},
                 {"c10::Float8_e4m3fnuz", CLG_FP8},
                 {"c10::Float8_e5m2fnuz", CLG_FP8}};
    clg_slice type;
    if (!element(types, argument, &type)) return false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (clg_slice_is(type, names[i].name)) {
            *precision = (uint8_t)names[i].precision;
            return true;
        }
    return false;
}

/* [m, k] x [k, n], or both with a batch before. */
static bool take_product(clg_slice dims, int first, clg_product *p) {
    int64_t a[MOST_DIMS], b[MOST_DIMS];
    int rank = shape_of(dims, first, a);
    if ((rank != 2 && rank != 3) || shape_of(dims, first + 1, b) != rank) return false;
    p->batch = rank == 3 ? a[0] : 1;
    p->m = a[rank - 2];
    p->k = a[rank - 1];
    p->n = b[rank - 1];
    p->flop = 2 * (double)p->batch * (double)p->m * (double)p->n * (double)p->k;
    return b[rank - 2] == p->k && p->flop > 0;
}

/* Query [b, h, s, d], key [b, h or fewer, t, d]: two products forward, four backward. */
static bool take_attention(clg_slice dims, int first, bool backward, clg_product *p) {
    int64_t q[MOST_DIMS], k[MOST_DIMS];
    if (shape_of(dims, first, q) != 4 || shape_of(dims, first + 1, k) != 4) return false;
    p->flop = (backward ? 8.0 : 4.0) * (double)q[0] * (double)q[1] * (double)q[2] * (double)k[2] *
              (double)q[3];
    return q[3] == k[3] && p->flop > 0;
}

/* ---- convolutions ---- */

/* The n-th of a list of numbers that was given as one number or as one per dimension. */
static int64_t setting(const int64_t *list, int count, int n, int64_t fallback) {
    return count > n ? list[n] : count == 1 ? list[0] : fallback;
}

/* Pixels of the output from padding, stride and dilation, which follow each other; 0: not told. */
static double output_pixels(clg_slice inputs, int first, const int64_t *in, const int64_t *weight,
                            int rank) {
    int64_t said[3][MOST_DIMS];
    int counts[3];
    double pixels = (double)in[0];
    for (int i = 0; i < 3; i++) {
        clg_slice list;
        if (first == 0 || !element(inputs, first + i, &list)) return 0;
        counts[i] = numbers(list, said[i]);
        if (counts[i] < 1) return 0;
    }
    for (int d = 2; d < rank; d++) {
        int64_t padding = setting(said[0], counts[0], d - 2, 0);
        int64_t stride = setting(said[1], counts[1], d - 2, 1);
        int64_t dilation = setting(said[2], counts[2], d - 2, 1);
        double room =
            (double)in[d] + 2 * (double)padding - (double)dilation * ((double)weight[d] - 1) - 1;
        if (stride < 1 || room < 0) return 0;
        pixels *= (double)((int64_t)(room / (double)stride) + 1);
    }
    return pixels;
}

/* Of input and weights; grown with everything that names one. */
static uint64_t convolution_of(const int64_t *in, const int64_t *weight, int rank) {
    uint64_t seed = clg_trace_hash((clg_slice){(const char *)in, (size_t)rank * sizeof *in}, 0);
    clg_slice rest = {(const char *)weight, (size_t)rank * sizeof *weight};
    return clg_trace_hash(rest, seed) | 1;
}

static bool take_tensors(clg_slice dims, int input, int weights, clg_product *p, int64_t *in,
                         int64_t *weight, int *rank) {
    *rank = shape_of(dims, input, in);
    if (*rank < 3 || shape_of(dims, weights, weight) != *rank) return false;
    p->weights = 1;
    for (int i = 0; i < *rank; i++) p->weights *= (double)weight[i];
    p->convolution = convolution_of(in, weight, *rank);
    return true;
}

static bool take_convolution(clg_slice dims, clg_slice inputs, int first, clg_product *p) {
    int64_t in[MOST_DIMS], weight[MOST_DIMS];
    int rank;
    if (!take_tensors(dims, 0, 1, p, in, weight, &rank)) return false;
    p->pixels = output_pixels(inputs, first, in, weight, rank);
    p->flop = 2 * p->weights * p->pixels;
    return p->weights > 0;
}

/* How many of the gradients of input and weights "[True, False, True]" asks for; both, where it is
 * not said. */
static int gradients(clg_slice inputs, int argument) {
    clg_slice mask, each;
    int count = 0;
    if (!element(inputs, argument, &mask) || mask.size < 2) return 2;
    for (int i = 0; i < 2; i++) count += element(mask, i, &each) && clg_slice_is(each, "True");
    return count;
}

/* Arguments: the output's gradient at `first`, input and weights around it in this order. */
static bool take_backward(clg_slice dims, clg_slice inputs, int first, clg_product *p) {
    int64_t in[MOST_DIMS], weight[MOST_DIMS], out[MOST_DIMS] = {0};
    int rank;
    if (!take_tensors(dims, first == 0, 2, p, in, weight, &rank)) return false;
    if (shape_of(dims, first, out) != rank) return false;
    p->pixels = (double)out[0];
    for (int d = 2; d < rank; d++) p->pixels *= (double)out[d];
    p->flop = 2 * p->weights * p->pixels * gradients(inputs, 10);
    return p->flop > 0;
}

bool clg_product_of(clg_slice name, clg_slice dims, clg_slice types, clg_slice inputs,
                    clg_product *product) {
    int at = operator_of(name);
    if (at < 0) return false;
    form f = operators[at].form;
    int first = operators[at].first;
    bool convolves = f == FORM_CONVOLUTION || f == FORM_CONVOLUTION_BACKWARD;
    *product = (clg_product){.kernel_ns = 0};
    if (!precision_of(types, convolves ? 0 : first, &product->precision)) return false;
    if (f == FORM_PRODUCT) return take_product(dims, first, product);
    if (f == FORM_CONVOLUTION) return take_convolution(dims, inputs, first, product);
    if (f == FORM_CONVOLUTION_BACKWARD) return take_backward(dims, inputs, first, product);
    return take_attention(dims, first, f == FORM_ATTENTION_BACKWARD, product);
}

clg_precision clg_product_precision(const clg_product *p, const char *kernel) {
    bool tensor = strstr(kernel, "tf32") || strstr(kernel, "s1688");
    return p->precision == CLG_FP32 && tensor ? CLG_TF32 : (clg_precision)p->precision;
}
