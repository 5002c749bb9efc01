/* adapter.h -- fine-tuning with the model frozen: small trained matrices beside its own.
 *
 * LoRA (Hu et al. 2021, arXiv:2106.09685): beside a frozen [in, out] stand A [in, rank] and B
 * [rank, out]. QLoRA (Dettmers et al. 2023, arXiv:2305.14314): the frozen ones are kept in 4 or 8
 * bit and widened before each use. */
#ifndef CLG_LAYOUT_ADAPTER_H
#define CLG_LAYOUT_ADAPTER_H

#include "base/name.h"

#include <stdbool.h>

typedef enum clg_adapter_kind {
    CLG_ADAPTER_NONE,
    CLG_ADAPTER_LORA,
    CLG_ADAPTER_QLORA,
    CLG_ADAPTER_DORA /* and a norm of every column (Liu et al. 2024, arXiv:2402.09353) */
} clg_adapter_kind;
extern const clg_name clg_adapter_names[];

/* How frozen weights of layers are stored; tables, head and norms stay in 16 bit. */
typedef enum clg_base_format {
    CLG_BASE_BF16,
    CLG_BASE_INT8,
    CLG_BASE_NF4,
    CLG_BASE_INT4 /* GPTQ, AWQ: groups of 128 */
} clg_base_format;
extern const clg_name clg_base_names[];

/* Matrices an adapter may stand beside; bits of a mask. */
typedef enum clg_adapter_target {
    CLG_TARGET_QUERY = 1,
    CLG_TARGET_KEY = 2,
    CLG_TARGET_VALUE = 4,
    CLG_TARGET_OUTPUT = 8,
    CLG_TARGET_GATE = 16,
    CLG_TARGET_UP = 32,
    CLG_TARGET_DOWN = 64,
    CLG_TARGET_ALL = 127
} clg_adapter_target;

/* kind NONE: everything is trained, and the rest means nothing. */
typedef struct clg_adapter {
    clg_adapter_kind kind;
    int rank;
    unsigned targets;
    clg_base_format base;
} clg_adapter;

/* Bytes of one stored frozen weight, scales included; of its scales alone. */
double clg_base_bytes(clg_base_format format);
double clg_base_scale_bytes(clg_base_format format);

/* How a stored weight becomes a 16-bit one before a product: bytes read and written for each, and
 * kernels. bf16 needs none, and int8 is multiplied as it is. */
typedef struct clg_widening {
    double bytes;
    int kernels;
} clg_widening;
clg_widening clg_base_widening(clg_base_format format);

/* Whether its trainers do layers again unless told otherwise: all that keep the base in 4 or 8 bits
 * do (PEFT other.py, prepare_model_for_kbit_training; QLoRA recipes of torchtune, Axolotl,
 * LLaMA-Factory, FSDP-QLoRA's train.py). Of a base in 16 bits they differ. */
bool clg_adapter_recomputes(const clg_adapter *adapter);

/* "all-linear", "q_proj v_proj", "c_attn,w1": names as models and trainers have them, apart by
 * blanks or commas. An unknown one is CLG_BAD_INPUT. */
clg_status clg_adapter_targets(const char *words, unsigned *targets, clg_error *error);

/* From words, NULL or "" where nothing is said: none, rank 16, all-linear, nf4 for qlora and else
 * bf16. Without a kind the rest is not looked at. */
clg_status clg_adapter_read(const char *kind, double rank, const char *targets, const char *base,
                            clg_adapter *adapter, clg_error *error);

#endif
