/* client.c -- see the header. */
#include "measured/client.h"

#include "dataset/open.h"
#include "dataset/value.h"

clg_status clg_client_find(clg_arena *arena, const char *name, clg_client *c, clg_error *error) {
    const clg_file *file;
    const clg_json *root;
    *c = (clg_client){0};
    if (clg_dataset_open(arena, "client", name, &file, &root, error) != CLG_OK)
        return error->status;
    const clg_value_field fields[] = {{"in_process", CLG_COUNT, &c->in_process},
                                      {"reckoned", CLG_COUNT, &c->reckoned},
                                      {"settled", CLG_COUNT, &c->settled},
                                      {"memory_share", CLG_FRACTION, &c->memory_share},
                                      {"wait_iterations", CLG_COUNT, &c->wait_iterations}};
    if (clg_value_optional(root, file->path, fields, sizeof fields / sizeof fields[0], error) !=
        CLG_OK)
        return error->status;
    if (clg_graph_sizes_read(clg_json_member(root, "graphs"), file->path, &c->graphs, error) !=
        CLG_OK)
        return error->status;
    return clg_value_done(root, file->path, error);
}
