/* sparse.h -- internal to model/: the indexer of sparse attention in a config.json. */
#ifndef CLG_MODEL_SPARSE_H
#define CLG_MODEL_SPARSE_H

#include "model/config.h"
#include "model/model.h"

/* What the file says for all layers. */
typedef struct clg_sparse {
    clg_indexer indexer; /* heads 0: attention is dense */
    int64_t every,
        offset; /* of `every` layers one chooses and the others share; from `offset` on */
} clg_sparse;

clg_status clg_sparse_read(const clg_config *config, clg_sparse *sparse);

/* A layer's indexer, of heads 0 where the file says that this layer is dense. */
clg_indexer clg_sparse_layer(const clg_config *config, const clg_sparse *sparse, int64_t layer);

#endif
