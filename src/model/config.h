/* config.h -- internal to model/: the fields of a config.json under their many names. */
#ifndef CLG_MODEL_CONFIG_H
#define CLG_MODEL_CONFIG_H

#include "base/json.h"
#include "op/op.h"

/* Members of the object that a reader asked for. */
enum { CLG_CONFIG_ASKED = 200 };
typedef struct clg_config_asked {
    const clg_json *member[CLG_CONFIG_ASKED];
    int count;
} clg_config_asked;

/* A config being read: the object that describes the text model, and where faults are put. */
typedef struct clg_config {
    const char *file;
    const clg_json *root; /* the object with the fields (text_config of a multimodal model) */
    clg_error *error;
    const clg_json *defaults; /* looked at after root; NULL: none */
    clg_config_asked *asked;  /* NULL: nobody wants to know */
} clg_config;

/* The first of the '|'-separated names that is present and not null, or NULL. A name may be a path
 * ("attn_config.kv_n_heads"). */
const clg_json *clg_config_field(const clg_config *config, const char *names);

/* A whole number of 1 or more ("of 0 or more" when `least` is 0), `otherwise` when absent. */
clg_status clg_config_whole(const clg_config *config, const char *names, int64_t least,
                            int64_t most, int64_t otherwise, int64_t *value);

/* Of a field that is a number for all layers or a list of one each: that of a layer. */
clg_status clg_config_of_layer(const clg_config *config, const char *names, int64_t layer,
                               int64_t most, int64_t otherwise, int64_t *value);

/* The same for a field that must be there; the error says what it means. */
clg_status clg_config_needed(const clg_config *config, const char *names, const char *meaning,
                             int64_t most, int64_t *value);

clg_status clg_config_switch(const clg_config *config, const char *names, bool otherwise,
                             bool *value);

/* An item of a list; NULL: there is none so far on, or this is no list. */
const clg_json *clg_config_item(const clg_json *list, int64_t index);

/* The format weights are stored in, bf16 where no quantization is named; false: in one that is none
 * of ours, and `method` is what the file calls it. */
bool clg_config_stored(const clg_config *config, clg_precision *stored, const char **method);

/* Whether each block of them has a scale: weight_block_size, or the strategy of compressed-tensors.
 */
bool clg_config_blocks(const clg_config *config);

/* Up to four members that say sizes or parts of layers and that no reader asked for, as words; in
 * `out`, which is empty where there are none. */
void clg_config_unread(const clg_config *config, char *out, size_t size);

/* Fails at a field (or at the object when it is absent). Returns CLG_BAD_INPUT. */
clg_status clg_config_fault(const clg_config *config, const char *names, const char *mend,
                            const char *message);

#endif
