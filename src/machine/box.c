/* box.c -- boxes of another size than the maker's reference. */
#include "machine/machine.h"

#include "dataset/dataset.h"

#include <math.h>
#include <string.h>

static double nic_bytes_per_s(const clg_node *n) { return n->nics * n->nic_bytes_per_s / n->gpus; }

/* The nearer in size from above, of as many GPUs the one with more network. */
static bool better(const clg_node *a, const clg_node *than) {
    if (a->gpus != than->gpus) return a->gpus < than->gpus;
    return nic_bytes_per_s(a) > nic_bytes_per_s(than);
}

clg_status clg_node_of_size(clg_arena *arena, const clg_gpu *gpu, int gpus, clg_node *node,
                            clg_error *error) {
    int count;
    const clg_file *files = clg_dataset_folder("node/", &count);
    clg_node best = *node;
    for (int i = 0; i < count; i++) {
        clg_node one;
        if (clg_node_read(arena, files[i].path, files[i].text, files[i].size, &one, error) !=
            CLG_OK)
            return error->status;
        if (strcmp(one.gpu, gpu->name) != 0 || one.gpus < gpus || one.gpus >= node->gpus) continue;
        if (best.gpus == node->gpus || better(&one, &best)) best = one;
    }
    *node = best;
    return CLG_OK;
}

/* Boards of four GPUs join each to each, without a switch (NVIDIA HGX A100 4-GPU, "fully connected
 * by NVLink"; GH200 quad nodes, Fusco et al. 2024, arXiv:2408.11556). */
enum { UNSWITCHED = 4 };

/* A number of GPUs larger than the box that NVLink reaches all the same is that of the domain: the
 * 72 of an NVL72 have the network cards of 18 boxes, not of one. Where a mesh loses GPUs, the links
 * to those that are left are shared out anew. */
void clg_node_resize(clg_node *node, int gpus) {
    if (gpus <= 0 || gpus == node->gpus) return;
    bool domain = gpus > node->gpus && gpus <= node->domain;
    if (domain || node->domain == node->gpus) node->domain = gpus;
    if (!domain) node->gpus = gpus;
    if (domain || gpus < 2 || node->link_bytes_per_s <= 0) return;
    if (node->link_pair_bytes_per_s <= 0 && gpus > UNSWITCHED) return;
    node->link_switched = node->link_reduces = false;
    node->link_pair_bytes_per_s =
        fmax(node->link_pair_bytes_per_s, node->link_bytes_per_s / (gpus - 1));
}
