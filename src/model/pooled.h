/* pooled.h -- internal to model/: attention over pooled keys in a config.json. */
#ifndef CLG_MODEL_POOLED_H
#define CLG_MODEL_POOLED_H

#include "model/config.h"
#include "model/model.h"

/* What the file says for all layers. */
typedef struct clg_pooled {
    bool found;            /* some layer pools */
    int64_t chosen, heavy; /* tokens an entry, where an indexer chooses and where all are seen */
} clg_pooled;

clg_status clg_pooled_read(const clg_config *config, int64_t layers, clg_pooled *pooled);

/* Writes a layer's pooling, and takes the indexer away where it does not choose. */
void clg_pooled_layer(const clg_config *config, const clg_pooled *pooled, int64_t layer,
                      clg_attention *attention);

#endif
