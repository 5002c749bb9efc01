/* command_check.c -- refuses data files without units, sources or kinds. */
#include "base/letters.h"
#include "cli/tool.h"

#include "cost/collective.h"
#include "cost/kernel.h"
#include "dataset/dataset.h"
#include "machine/machine.h"
#include "model/preset.h"
#include "stack/stack.h"

#include <string.h>

/* Whether the file lies in a folder of this name: "gpu" of "my/gpu/mine.json". */
static bool lies_in(const char *path, const char *folder) {
    const char *slash = strrchr(path, '/');
    size_t size = strlen(folder);
    if (!slash || (size_t)(slash - path) < size) return false;
    const char *start = slash - size;
    return memcmp(start, folder, size) == 0 && (start == path || start[-1] == '/');
}

/* An overlay of ours has no folder: its members say what it is. */
static clg_status check_overlay(clg_arena *arena, const char *path, const char *text, size_t size,
                                bool *known, clg_error *error) {
    clg_file file = {path, text, size};
    clg_json *root;
    clg_kernels kernels = {0};
    clg_network network = {0};
    clg_gpu gpu;
    clg_stack stack;
    clg_machine machine = {.node = {.gpus = 1}, .fabric = {.efficiency = 1}};
    if (clg_json_parse(arena, path, text, size, &root, error) != CLG_OK) return CLG_BAD_INPUT;
    *known = true;
    if (clg_json_member(root, "fast") || clg_json_member(root, "slow"))
        return clg_network_overlay(arena, &file, &machine, &network, error);
    if (lies_in(path, "kernel") && clg_json_member(root, "serving"))
        return clg_kernels_check(arena, &file, error);
    if (clg_json_member(root, "gemm")) {
        if (clg_gpu_find(arena, "h100-sxm", &gpu, error) != CLG_OK ||
            clg_kernels_find(arena, &gpu, &kernels, error) != CLG_OK)
            return CLG_BAD_INPUT;
        return clg_kernels_overlay(arena, &file, NULL, &kernels, error);
    }
    if (clg_json_member(root, "base"))
        return clg_stack_read(arena, path, text, size, &stack, error);
    *known = false;
    return CLG_OK;
}

/* A node with the GPU and the fabric it names; a GPU that is not built in is taken as it says. */
static clg_status check_node(clg_arena *arena, const char *path, const char *text, size_t size,
                             clg_error *error) {
    clg_machine m = {0};
    clg_error none = {0};
    if (clg_node_read(arena, path, text, size, &m.node, error) != CLG_OK) return CLG_BAD_INPUT;
    if (clg_fabric_find(arena, m.node.fabric, &m.fabric, error) != CLG_OK) {
        const clg_json *at = clg_json_member(m.node.data, "fabric");
        clg_error_at(error, path, at->line, at->column, "fabric");
        return CLG_BAD_INPUT;
    }
    if (clg_gpu_find(arena, m.node.gpu, &m.gpu, &none) != CLG_OK) return CLG_OK;
    return clg_machine_check(arena, &m, error);
}

/* Which reader a file needs: by the folder it lies in. */
static clg_status check_text(clg_arena *arena, const char *path, const char *text, size_t size,
                             bool *known, clg_error *error) {
    union {
        clg_gpu gpu;
        clg_fabric fabric;
        clg_price price;
        clg_stack stack;
        clg_model model;
    } into;
    *known = true;
    if (lies_in(path, "gpu")) return clg_gpu_read(arena, path, text, size, &into.gpu, error);
    if (lies_in(path, "node")) return check_node(arena, path, text, size, error);
    if (lies_in(path, "fabric"))
        return clg_fabric_read(arena, path, text, size, &into.fabric, error);
    if (lies_in(path, "price")) return clg_price_read(arena, path, text, size, &into.price, error);
    if (lies_in(path, "stack")) return clg_stack_read(arena, path, text, size, &into.stack, error);
    if (lies_in(path, "model")) return clg_model_read(arena, path, text, size, &into.model, error);
    bool json = clg_ends(path, ".json");
    bool folder = strchr(path, '/') && path[0] != '.' && path[0] != '/';
    if (json && (lies_in(path, "kernel") || !folder))
        return check_overlay(arena, path, text, size, known, error);
    *known = false;
    return CLG_OK;
}

static clg_status check_built_in(clg_session *session, clg_error *error) {
    int count, checked = 0;
    const clg_file *files = clg_dataset_files(&count);
    for (int i = 0; i < count; i++) {
        bool known;
        if (check_text(session->arena, files[i].path, files[i].text, files[i].size, &known,
                       error) != CLG_OK)
            return error->status;
        checked += known;
    }
    clg_text_print(&session->out,
                   "%d of %d built-in data files checked: every value has unit, "
                   "source and kind\n",
                   checked, count);
    return CLG_OK;
}

static clg_status run(clg_session *session, clg_error *error) {
    if (session->operands == 0) return check_built_in(session, error);
    for (int i = 0; i < session->operands; i++) {
        const char *path = session->operand[i], *text;
        size_t size;
        bool known;
        if (clg_file_read(session->arena, path, CLG_CONFIG_BYTES, &text, &size, error) != CLG_OK ||
            check_text(session->arena, path, text, size, &known, error) != CLG_OK)
            return error->status;
        if (!known) {
            clg_error_at(error, path, 0, 0, NULL);
            return clg_fail(error, CLG_BAD_INPUT,
                            "put it in a folder named gpu, node, fabric, price, stack or model",
                            "its path does not say what it describes");
        }
        clg_text_print(&session->out, "%s: every value has unit, source and kind\n", path);
    }
    return CLG_OK;
}

const clg_tool clg_tool_check = {
    .about =
        &(const clg_command){
            .name = "check",
            .operands = "[FILE...]",
            .summary = "refuses data files without units and sources",
            .details =
                "Without a file it checks the built-in data. A file is read as what its folder "
                "says: gpu/, node/, fabric/, price/, stack/ or model/.",
            .example = "ceiling check my/gpu/h100-pcie.json",
            .most = CLG_FILE_OPERANDS},
    .run = run};
