/* Every member of the files of data/, misspelt in turn: the reader of its room refuses the file and
 * says what was meant.
 *
 * The test brings a table of files of its own, so that one of them can be changed. Left out:
 * models, which are configs of others, and rooms of tables. */
#include "cost/collective.h"
#include "cost/exchange.h"
#include "cost/host_copy.h"
#include "cost/indexer.h"
#include "cost/kernel.h"
#include "cost/skinny.h"
#include "economics/api_price.h"
#include "economics/goodput.h"
#include "evaluate/difference.h"
#include "job/reading.h"
#include "measured/client.h"
#include "measured/workload.h"
#include "power/power.h"
#include "scaling/laws.h"
#include "scaling/local.h"
#include "serve/format.h"
#include "stack/engine.h"
#include "stack/stack.h"
#include "step/routing.h"

#include "test.h"

#include <dirent.h>
#include <stdlib.h>

enum { MOST = 1024 };
extern clg_file clg_dataset_table[MOST];
extern int clg_dataset_count;
clg_file clg_dataset_table[MOST];
int clg_dataset_count;

static clg_arena arena;

static char *text_of(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    char *text = clg_take(&arena, 1 << 20, char);
    *size = file ? fread(text, 1, (1 << 20) - 1, file) : 0;
    if (file) fclose(file);
    return text;
}

static int by_path(const void *a, const void *b) {
    return strcmp(((const clg_file *)a)->path, ((const clg_file *)b)->path);
}

static void add_file(const char *path) {
    clg_file *file = &clg_dataset_table[clg_dataset_count++];
    file->path = path;
    file->text = text_of(clg_arena_print(&arena, "data/%s", path), &file->size);
}

static void add_folder(const char *folder) {
    DIR *all = opendir(clg_arena_print(&arena, "data/%s", folder));
    for (struct dirent *one; all && (one = readdir(all));) {
        if (!strstr(one->d_name, ".json")) continue;
        add_file(clg_arena_print(&arena, "%s/%s", folder, one->d_name));
    }
    if (all) closedir(all);
}

static clg_error error;

static bool node(const char *n) {
    clg_node into;
    return clg_node_find(&arena, n, &into, &error) == CLG_OK;
}
static bool gpu(const char *n) {
    clg_gpu into;
    return clg_gpu_find(&arena, n, &into, &error) == CLG_OK;
}
static bool fabric(const char *n) {
    clg_fabric into;
    return clg_fabric_find(&arena, n, &into, &error) == CLG_OK;
}
static bool price(const char *n) {
    clg_price into;
    return clg_price_find(&arena, n, &into, &error) == CLG_OK;
}
static bool stack(const char *n) {
    clg_stack into;
    return clg_stack_find(&arena, n, &into, &error) == CLG_OK;
}
static bool engine(const char *n) {
    clg_engine into;
    return clg_engine_find(&arena, n, &into, &error) == CLG_OK;
}
static bool workload(const char *n) {
    clg_workload into;
    return clg_workload_find(&arena, n, &into, &error) == CLG_OK;
}
static bool api_price(const char *n) {
    clg_api_price into;
    return clg_api_price_find(&arena, n, &into, &error) == CLG_OK;
}
static bool kernel(const char *n) {
    clg_gpu g;
    clg_kernels kernels;
    clg_serve_curves curves;
    return clg_gpu_find(&arena, n, &g, &error) == CLG_OK &&
           clg_kernels_find(&arena, &g, &kernels, &error) == CLG_OK &&
           clg_serve_curves_find(&arena, &g, &curves, &error) == CLG_OK;
}
static bool states(const char *n) {
    (void)n;
    return kernel("a100-sxm-80gb");
}
static bool collective(const char *n) {
    clg_machine m = {.gpus = 16};
    clg_network into;
    bool between =
        strcmp(n, "infiniband") == 0; /* of the others only links inside are read whole */
    if (clg_node_find(&arena, "dgx-h100", &m.node, &error) != CLG_OK ||
        clg_gpu_find(&arena, "h100-sxm", &m.gpu, &error) != CLG_OK ||
        clg_fabric_find(&arena, "ib-ndr", &m.fabric, &error) != CLG_OK)
        return false;
    if (!between && strcmp(n, "protocols") != 0) m.node.link_curve = n;
    return clg_network_find(&arena, &m, &into, &error) == CLG_OK;
}
static bool format(const char *name) {
    clg_format list[CLG_FORMATS];
    clg_model model = {.stored = CLG_BF16};
    clg_gpu gpu = {.generation = "ampere"};
    int count;
    (void)name;
    return clg_formats_of(&arena, &model, &gpu, list, &count, &error) == CLG_OK;
}

static bool client(const char *n) {
    clg_client into;
    return clg_client_find(&arena, n, &into, &error) == CLG_OK;
}
static bool local_sgd(const char *n) {
    clg_sites sites = {.sites = 2, .inner_steps = 30};
    clg_loss_penalty into;
    (void)n;
    return clg_sites_penalty(&arena, &sites, 1e9, &into, &error) == CLG_OK;
}
static bool difference(const char *n) {
    clg_difference into;
    (void)n;
    return clg_difference_find(&arena, &into, &error) == CLG_OK;
}

static bool others(const char *n) {
    clg_exchange_curve exchange;
    clg_sparse_kernels sparse;
    clg_operations operations;
    clg_power power;
    double number;
    (void)n;
    const clg_gpu linked = {.pcie_bytes_per_s = 64e9};
    return clg_exchange_find(&arena, &exchange, &error) == CLG_OK &&
           clg_host_copy_rate(&arena, &linked, &number, &error) == CLG_OK &&
           clg_sparse_kernels_find(&arena, &sparse, &error) == CLG_OK &&
           clg_operations_default(&arena, &operations, &error) == CLG_OK &&
           clg_power_find(&arena, &power, &error) == CLG_OK &&
           clg_routing_spread(&arena, &number, &error) == CLG_OK &&
           clg_expected_loss(&arena, 1e9, 1e12, &number, &error) == CLG_OK;
}

/* Of a room with several files of one form the first few stand for all. */
static const struct room {
    const char *folder;
    bool (*reads)(const char *name);
    const char *only; /* files whose names begin so; NULL: all */
} rooms[] = {{"gpu", gpu, NULL},
             {"node", node, "dgx"},
             {"fabric", fabric, NULL},
             {"price", price, "aws"},
             {"stack", stack, NULL},
             {"engine", engine, NULL},
             {"kernel", kernel, "h"},
             {"workload", workload, NULL},
             {"api-price", api_price, "de"},
             {"collective", collective, "nvlink"},
             {"collective", collective, "protocols"},
             {"format", format, NULL},
             {"client", client, NULL},
             {"local-sgd", local_sgd, NULL},
             {"accuracy", difference, "differences"},
             {"exchange", others, NULL},
             {"power", others, NULL},
             {"loss", others, NULL},
             {"operations", others, "sparse"},
             {"operations", states, "states"},
             {"operations", others, "routing"},
             {"operations", others, "defaults"}};

/* Ends of members' names, or of names that are for people. */
static bool is_key(const char *text, const char *quote) {
    static const char *const people[] = {"name",     "title", "date", "source", "notes",
                                         "released", "unit",  "kind", "cite",   "about"};
    const char *start = quote - 1;
    if (quote[1] != ':') return false;
    while (start > text && *start != '"') start--;
    for (size_t i = 0; i < sizeof people / sizeof people[0]; i++)
        if ((size_t)(quote - start - 1) == strlen(people[i]) &&
            memcmp(start + 1, people[i], strlen(people[i])) == 0)
            return false;
    return true;
}

/* Whether the sentence leads to the member: it names it, or says that it is missing. */
static bool is_led_to(const char *quote) {
    char name[64];
    const char *start = quote - 1;
    while (*start != '"') start--;
    snprintf(name, sizeof name, "%.*s", (int)(quote - start - 1), start + 1);
    return strcmp(error.field, name) == 0 || strstr(error.mend, name);
}

static const char *name_at(int file) {
    const char *slash = strchr(clg_dataset_table[file].path, '/') + 1;
    return clg_arena_copy(&arena, slash, strlen(slash) - strlen(".json"));
}

static int misspell(const struct room *room, clg_file *file, int *led) {
    const char *whole = file->text, *name = name_at((int)(file - clg_dataset_table));
    char *text = clg_arena_copy(&arena, whole, file->size);
    int tried = 0;
    CHECK(room->reads(name));
    file->text = text;
    for (char *at = strchr(text, '"'); at; at = strchr(at + 1, '"')) {
        if (at == text || !is_key(text, at)) continue;
        clg_arena_mark mark = clg_arena_here(&arena);
        char kept = at[-1];
        at[-1] = kept == 'Q' ? 'X' : 'Q';
        error = (clg_error){0};
        bool read = room->reads(name);
        if (read) printf("  %s: %.24s is read\n", file->path, at > text + 20 ? at - 20 : text);
        CHECK(!read && error.message[0]);
        at[-1] = kept;
        tried++;
        *led += is_led_to(at);
        clg_arena_back_to(&arena, mark);
    }
    file->text = whole;
    return tried;
}

static bool network(const char *links, const char *technology) {
    clg_machine m = {.gpus = 16};
    clg_network into;
    if (!clg_gpu_find(&arena, "h100-sxm", &m.gpu, &error) &&
        !clg_node_find(&arena, "dgx-h100", &m.node, &error))
        clg_fabric_find(&arena, "ib-ndr", &m.fabric, &error);
    if (links) m.node.link_curve = links;
    if (technology) m.fabric.technology = technology;
    return clg_network_find(&arena, &m, &into, &error) == CLG_OK;
}

/* A file that is kept for several readers is not held against what they look up (dataset/kept.c),
 * so each is read here, alone. */
static void whole_files(void) {
    CASE("every GPU's kernels and every link's curve are read to the last member");
    for (int k = 0; k < clg_dataset_count; k++) {
        const char *path = clg_dataset_table[k].path;
        bool links = strncmp(path, "collective/", strlen("collective/")) == 0;
        if (strncmp(path, "kernel/", strlen("kernel/")) == 0) CHECK(kernel(name_at(k)));
        if (links && strcmp(name_at(k), "protocols") != 0)
            CHECK(network(name_at(k), NULL) || network(NULL, name_at(k)));
    }
}

/* Of a trainer's file much is free: keys of others' files, and the words in them. */
static void trainers(void) {
    static const struct {
        const char *text, *meant;
    } files[] = {
        {"{\"name\": \"x\", \"feilds\": {}}", "fields"},
        {"{\"name\": \"x\", \"fields\": {\"optimiser\": []}}", "optimizer"},
        {"{\"fields\": {\"tp\": [{\"key\": \"a\", \"word\": {\"b\": \"c\"}}]}}", "words"},
        {"{\"refuses\": [{\"key\": \"a=b\", \"whi\": \"c\"}]}", "why"},
        {"{\"ignored\": {\"lr\": \"free\"}, \"fields\": {\"tp\": [{\"key\": \"a\"}]}}", NULL}};
    CASE("trainer");
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        clg_json *root;
        error = (clg_error){0};
        clg_json_parse(&arena, "mine.json", files[i].text, strlen(files[i].text), &root, &error);
        bool read = clg_job_check_rules(root, "mine.json", &error) == CLG_OK;
        CHECK(read == !files[i].meant);
        CHECK(read || strstr(error.mend, files[i].meant));
        CHECK(read || (strcmp(error.file, "mine.json") == 0 && error.line == 1));
    }
}

int main(void) {
    trainers();
    static const char *const folders[] = {
        "gpu",      "node",      "fabric",     "price",     "stack",   "engine", "kernel",
        "workload", "api-price", "collective", "exchange",  "power",   "loss",   "operations",
        "model",    "format",    "client",     "local-sgd", "accuracy"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) add_folder(folders[i]);
    add_file("kernel-lenders.csv");
    qsort(clg_dataset_table, (size_t)clg_dataset_count, sizeof *clg_dataset_table, by_path);
    whole_files();
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
        CASE(rooms[i].folder);
        int tried = 0, led = 0;
        size_t folder = strlen(rooms[i].folder);
        for (int k = 0; k < clg_dataset_count; k++) {
            clg_file *file = &clg_dataset_table[k];
            const char *only = rooms[i].only;
            if (strncmp(file->path, rooms[i].folder, folder) == 0 && file->path[folder] == '/' &&
                (!only || strncmp(file->path + folder + 1, only, strlen(only)) == 0))
                tried += misspell(&rooms[i], file, &led);
        }
        CHECK(tried > 0);
        CHECK(led * 5 >= tried * 4); /* names used once, in that very file, cannot be proposed */
    }
    clg_arena_clear(&arena);
    return DONE;
}
