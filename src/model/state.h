/* state.h -- internal to model/: layers that keep a state instead of keys and values. */
#ifndef CLG_MODEL_STATE_H
#define CLG_MODEL_STATE_H

#include "model/config.h"
#include "model/model.h"

/* What a layer is made of, as a pattern or a list of the file says. */
typedef enum clg_layer_part {
    CLG_LAYER_WHOLE,     /* attention and MLP */
    CLG_LAYER_STATE,     /* a state in the place of attention; MLP as elsewhere */
    CLG_LAYER_ATTENTION, /* the other three: layers of one part each */
    CLG_LAYER_MLP,
    CLG_LAYER_EXPERTS
} clg_layer_part;

/* Layer `layer` (from 0) of a config whose family has these traits. */
clg_layer_part clg_state_part(const clg_config *config, unsigned traits, int64_t layer);

/* Checks the list or pattern that clg_state_part reads: as long as the model, of known letters. */
clg_status clg_state_check_parts(const clg_config *config, unsigned traits, int64_t layers);

/* The state layers of a config, all alike: their `attention` and the parameters that no product
 * shows. Leaves kind NONE where the family has none. `heads` and `head_dim` are those of its
 * attention, which lightning attention shares. */
clg_status clg_state_read(const clg_config *config, unsigned traits, int64_t hidden, int64_t heads,
                          int64_t head_dim, clg_attention *attention, clg_layer_parameters *extra);

#endif
