/* find_machine.c -- built-in GPUs, nodes, fabrics and prices by the names people use. */
#include "dataset/dataset.h"
#include "machine/machine.h"

#include <ctype.h>
#include <string.h>

/* The built-in file of a name or of its only beginning ("H200"), or an error with the nearest. */
static const clg_file *find(clg_arena *arena, const char *what, const char *folder,
                            const char *name, clg_error *error) {
    const clg_file *file = clg_dataset_find(clg_arena_print(arena, "%s%s.json", folder, name));
    if (file) return file;
    int count;
    const clg_file *files = clg_dataset_folder(folder, &count);
    const char **names = clg_take(arena, (size_t)count + 1, const char *);
    size_t skip = strlen(folder);
    for (int i = 0; i < count; i++)
        names[i] = clg_arena_copy(arena, files[i].path + skip, strlen(files[i].path) - skip - 5);
    const char *meant = clg_name_same(names, count, name);
    if (!meant) meant = clg_name_begun(names, count, name);
    if (meant) return clg_dataset_find(clg_arena_print(arena, "%s%s.json", folder, meant));
    const char *near[3];
    char ask[160];
    int found = clg_name_near(names, count, name, near, 3);
    clg_name_ask(near, found, "", ask, sizeof ask);
    const char *mend = ask;
    size_t digits = strspn(name, "0123456789");
    if (name[digits] == '\0' || (digits > 0 && strchr("x ", name[digits]))) /* 64xH100 */
        mend = "how many there are is --gpus 64, or 8x8";
    else if (found == 0)
        mend = clg_arena_print(arena, "'ceiling show %.*ss' lists them%s", (int)skip - 1, folder,
                               strcmp(what, "fabric") == 0 ? "; or say how fast: 400Gbit/s" : "");
    clg_fail(error, CLG_BAD_INPUT, mend, "unknown %s '%.64s'", what, name);
    return NULL;
}

/* All built-in GPUs; files that cannot be read are left out. */
static const clg_gpu *gpus(clg_arena *arena, int *count) {
    int files;
    const clg_file *file = clg_dataset_folder("gpu/", &files);
    clg_gpu *all = clg_take(arena, (size_t)files + 1, clg_gpu);
    *count = 0;
    for (int i = 0; i < files; i++) {
        clg_error none = {0};
        *count += clg_gpu_read(arena, file[i].path, file[i].text, file[i].size, &all[*count],
                               &none) == CLG_OK;
    }
    return all;
}

enum { WORD = 32 };

/* The next word of a name in small letters, its memory's unit with its number ("80 GB" and "80G":
 * "80gb"); false: no more. */
static bool next_word(const char **at, char word[WORD]) {
    size_t used = 0;
    while (**at && !isalnum((unsigned char)**at)) (*at)++;
    for (; isalnum((unsigned char)**at) && used + 3 < WORD; (*at)++)
        word[used++] = (char)tolower((unsigned char)**at);
    word[used] = '\0';
    size_t digits = strspn(word, "0123456789");
    bool number = used > 0 && digits == used;
    if (digits > 0 && digits + 1 == used && word[digits] == 'g') memcpy(word + used++, "b", 2);
    if (number && strncmp(*at, " GB", 3) == 0) {
        memcpy(word + used, "gb", 3);
        *at += 3;
    }
    if (strncmp(word, "sxm", 3) == 0) word[3] = '\0'; /* sockets 2 to 6 */
    return used > 0;
}

static int words_of(const char *title) {
    char word[WORD];
    int count = 0;
    while (next_word(&title, word)) count++;
    return count;
}

/* "h100" is the one of several that says so; "3090", "Tesla T4", "NVIDIA GeForce RTX 4090" the only
 * one whose title has these words. */
static bool find_meant(clg_arena *arena, const char *name, clg_gpu *gpu) {
    int count, found = 0;
    const clg_gpu *all = gpus(arena, &count);
    for (int i = 0; i < count; i++) {
        if (!all[i].usual_for || !clg_name_same(&all[i].usual_for, 1, name)) continue;
        *gpu = all[i];
        gpu->asked = all[i].usual_for;
        return true;
    }
    for (int i = 0; i < count; i++) {
        if (!clg_name_of_title(name, all[i].title)) continue;
        *gpu = all[i];
        found++;
    }
    return found == 1;
}

/* Of several whose titles have these words, and none is the usual, the one with the fewest: the
 * 4090, not the 4090 D. */
static bool find_shortest(clg_arena *arena, const char *name, clg_gpu *gpu) {
    int count, found = 0, fewest = 0;
    const clg_gpu *all = gpus(arena, &count);
    for (int i = 0; i < count; i++) {
        int words = words_of(all[i].title);
        if (!clg_name_of_title(name, all[i].title) || (found > 0 && words > fewest)) continue;
        found = found > 0 && words == fewest ? found + 1 : 1;
        fewest = words;
        *gpu = all[i];
    }
    return found == 1;
}

/* Words with digits are the same, others begin alike: "gen" is "generation", "a10" is not "a100".
 */
static bool has_word(const char *title, const char *word) {
    char of_title[WORD];
    bool digits = strpbrk(word, "0123456789") != NULL;
    while (next_word(&title, of_title)) {
        size_t size = strlen(word);
        if (digits ? strcmp(of_title, word) == 0 : strncmp(of_title, word, size) == 0) return true;
    }
    return false;
}

/* Words around the name of a chip or a rented machine: "DGX H100", "RTX 6000 Ada Generation",
 * "Standard_ND96isr_H100_v5". */
static bool is_around(const char *word) {
    static const char *const words[] = {"dgx",         "hgx",        "superchip", "gpu",
                                        "gpus",        "generation", "edition",   "server",
                                        "workstation", "standard",   "oam"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0) return true;
    return false;
}

/* Whether all words of a name are in a title, in any order, its number among them. */
static bool has_words(const char *title, const char *name) {
    char word[WORD];
    bool numbered = false;
    while (next_word(&name, word)) {
        if (is_around(word)) continue;
        if (!has_word(title, word)) return false;
        size_t size = strlen(word);
        bool memory = size > 2 && strcmp(word + size - 2, "gb") == 0;
        numbered = numbered || (!memory && strpbrk(word, "0123456789"));
    }
    return numbered;
}

/* "NVIDIA H100 80GB HBM3" as drivers report it; "A100-80GB" has the words of two, of which one is
 * the usual. The shortest usual name goes first. */
static bool find_described(clg_arena *arena, const char *name, clg_gpu *gpu) {
    int count, found = 0;
    const clg_gpu *all = gpus(arena, &count), *usual = NULL;
    for (int i = 0; i < count; i++) {
        const char *reported = all[i].reported_as, *short_name = all[i].usual_for;
        if (reported && clg_name_same(&reported, 1, name)) {
            *gpu = all[i];
            return true;
        }
        if (!has_words(all[i].title, name) && !(reported && has_words(reported, name))) continue;
        *gpu = all[i];
        found++;
        if (short_name && (!usual || strlen(short_name) < strlen(usual->usual_for)))
            usual = &all[i];
    }
    if (found > 1 && usual) *gpu = *usual;
    gpu->asked = clg_arena_copy(arena, name, strlen(name));
    return found == 1 || usual;
}

/* The machine that clouds rent out under a name, "p5.48xlarge": the words of one title. */
static bool find_rented(clg_arena *arena, const char *name, clg_node *node) {
    int files, found = 0;
    const clg_file *file = clg_dataset_folder("node/", &files);
    for (int i = 0; i < files; i++) {
        clg_error none = {0};
        clg_node one;
        if (clg_node_read(arena, file[i].path, file[i].text, file[i].size, &one, &none) != CLG_OK ||
            !has_words(one.title, name))
            continue;
        *node = one;
        found++;
    }
    return found == 1;
}

clg_status clg_gpu_find(clg_arena *arena, const char *name, clg_gpu *gpu, clg_error *error) {
    clg_error unknown = {0};
    clg_node node;
    const clg_file *file = find(arena, "GPU", "gpu/", name, &unknown);
    if (file) return clg_gpu_read(arena, file->path, file->text, file->size, gpu, error);
    if (find_meant(arena, name, gpu) || find_described(arena, name, gpu) ||
        find_shortest(arena, name, gpu))
        return CLG_OK;
    *error = unknown;
    if (!find_rented(arena, name, &node)) return CLG_BAD_INPUT;
    *error = (clg_error){0};
    return clg_fail(error, CLG_BAD_INPUT,
                    clg_arena_print(arena, "name the machine: --node %s", node.name),
                    "'%.64s' is no GPU but a machine of %d", name, node.gpus);
}

const char *clg_gpu_name(clg_arena *arena, const char *printed) {
    clg_arena scratch = {0};
    clg_error none = {0};
    clg_gpu gpu;
    const char *name = NULL;
    const char *remark = strstr(printed, " (");
    size_t size = remark ? (size_t)(remark - printed) : strlen(printed);
    const char *said = clg_arena_copy(&scratch, printed, size);
    if (*said && clg_gpu_find(&scratch, said, &gpu, &none) == CLG_OK)
        name = clg_arena_copy(arena, gpu.name, strlen(gpu.name));
    clg_arena_clear(&scratch);
    return name;
}

clg_status clg_node_find(clg_arena *arena, const char *name, clg_node *node, clg_error *error) {
    clg_error unknown = {0};
    const clg_file *file = find(arena, "node", "node/", name, &unknown);
    if (file) return clg_node_read(arena, file->path, file->text, file->size, node, error);
    if (find_rented(arena, name, node)) return CLG_OK;
    *error = unknown;
    return CLG_BAD_INPUT;
}

clg_status clg_fabric_find(clg_arena *arena, const char *name, clg_fabric *fabric,
                           clg_error *error) {
    const clg_file *file = find(arena, "fabric", "fabric/", name, error);
    return file ? clg_fabric_read(arena, file->path, file->text, file->size, fabric, error)
                : CLG_BAD_INPUT;
}

clg_status clg_node_default(clg_arena *arena, const clg_gpu *gpu, clg_node *node,
                            clg_error *error) {
    return clg_node_find(arena, gpu->node, node, error);
}

clg_status clg_price_find(clg_arena *arena, const char *name, clg_price *price, clg_error *error) {
    const clg_file *file = find(arena, "price", "price/", name, error);
    return file ? clg_price_read(arena, file->path, file->text, file->size, price, error)
                : CLG_BAD_INPUT;
}
