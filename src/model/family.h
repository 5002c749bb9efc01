/* family.h -- internal to model/: what a model_type implies that its config.json does not say. */
#ifndef CLG_MODEL_FAMILY_H
#define CLG_MODEL_FAMILY_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>

/* Traits of the published code of a family. A config may switch some of them (attention_bias,
 * mlp_bias, tie_word_embeddings, use_qk_norm). */
enum {
    CLG_GATED = 1 << 0,           /* SwiGLU or GeGLU: three matrices */
    CLG_LAYER_NORM = 1 << 1,      /* LayerNorm instead of RMSNorm */
    CLG_NORM_BIAS = 1 << 2,       /* and it has a bias */
    CLG_NORM_PLAIN = 1 << 3,      /* norms without trained values */
    CLG_QKV_BIAS = 1 << 4,        /* always, whatever the config says */
    CLG_OUT_BIAS = 1 << 5,        /* output projection of attention */
    CLG_MLP_BIAS = 1 << 6,        /* both (all) matrices of the MLP, experts too */
    CLG_HEAD_BIAS = 1 << 7,       /* output head */
    CLG_ROUTER_BIAS = 1 << 8,     /* one value per expert */
    CLG_POSITIONS = 1 << 9,       /* learned position table */
    CLG_POSITIONS_TWO = 1 << 10,  /* with two extra rows */
    CLG_ALIBI = 1 << 11,          /* no rotation, no table */
    CLG_TIED = 1 << 12,           /* head shares the embedding unless the config says otherwise */
    CLG_EMBEDDING_NORM = 1 << 13, /* a norm on the embedding */
    CLG_PARALLEL = 1 << 14,       /* attention and MLP side by side */
    CLG_ONE_NORM = 1 << 15,       /* one norm per layer */
    CLG_FOUR_NORMS = 1 << 16,     /* norms before and after both parts */
    CLG_HEAD_NORMS = 1 << 17,     /* query and key norms, shared by heads */
    CLG_WIDE_NORMS = 1 << 18,     /* query and key norms over the whole width */
    CLG_SINKS = 1 << 19,          /* one trained sink per head */
    CLG_LATENT = 1 << 20,         /* multi-head latent attention */
    CLG_SHARED_GATE = 1 << 21,    /* a gate on the shared expert */
    CLG_OUT_WITH_QKV = 1 << 23,   /* attention_bias covers the output projection too */
    CLG_RELATIVE = 1 << 22,       /* a projection of relative positions (arXiv:1901.02860) */
    CLG_WINDOW_OFF = 1 << 24,     /* sliding_window only counts with use_sliding_window */
    CLG_OUTPUT_GATE = 1 << 25,    /* gates on the output of attention */
    CLG_DELTA = 1 << 26,          /* gated delta rule; every n-th layer attends */
    CLG_CHANNEL_DELTA = 1 << 27,  /* delta rule that forgets per channel, layers listed by number */
    CLG_SELECTIVE = 1 << 28,      /* layers of the state space rule */
    CLG_ONE_PART = 1 << 29,       /* a layer is attention, state or MLP, never two */
    CLG_NO_POSITIONS = 1 << 30    /* attention without rotation or table */
};

/* Engines compute the router in fp32. No enumerator: the last bit of an unsigned is none of int. */
#define CLG_WIDE_ROUTER (1u << 31)

typedef struct clg_family {
    const char *type; /* model_type in config.json */
    unsigned traits;
    int window_every; /* of so many layers one sees everything, where the file has a window and does
                         not say; 0: none does */
    bool together;    /* the width of the MLP counts gate and up */
} clg_family;

typedef struct clg_families {
    const clg_family *family; /* [count], in the arena */
    int count;
} clg_families;

/* All families, of data/model-families.csv. A trait without a meaning here is a bug. */
clg_families clg_families_read(clg_arena *arena);

/* The family of a model_type; NULL when it is not known. */
const clg_family *clg_family_find(const clg_families *families, const char *type);

#endif
