/* Any text as YAML: a tree within its bounds, or a sentence with the line it stands on. */
#include "job/yaml.h"

#include <assert.h>

/* Lists say how many they hold, members of maps have keys; what the tree holds. */
static int nodes_of(const clg_json *node) {
    int nodes = 1, children = 0;
    for (const clg_json *child = node->first; child; child = child->next) {
        assert((node->kind == CLG_JSON_OBJECT) == (child->key != NULL));
        nodes += nodes_of(child);
        children++;
    }
    assert(children == 0 || node->kind == CLG_JSON_OBJECT || node->count == (size_t)children);
    return nodes;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    clg_arena arena = {0};
    clg_error error = {0};
    clg_json *root = NULL;
    const char *text = clg_arena_copy(&arena, (const char *)data, size);
    if (clg_yaml_parse(&arena, "a.yaml", text, size, &root, &error) == CLG_OK)
        assert(nodes_of(root) <= 40001); /* values, and a null under each key */
    else
        assert(error.message[0] && error.line >= 1);
    clg_arena_clear(&arena);
    return 0;
}
