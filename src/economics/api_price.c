/* api_price.c -- see the header. */
#include "economics/api_price.h"

#include "dataset/open.h"
#include "dataset/value.h"

#include <string.h>

#define READ(object, file, fields, error)                                                          \
    clg_value_fields(object, file, fields, sizeof fields / sizeof fields[0], error)

clg_status clg_api_price_find(clg_arena *arena, const char *name, clg_api_price *p,
                              clg_error *error) {
    const clg_file *file;
    const clg_json *root;
    if (clg_dataset_open(arena, "api-price", name, &file, &root, error) != CLG_OK)
        return error->status;
    *p = (clg_api_price){.name = clg_json_text(root, "name", ""),
                         .title = clg_json_text(root, "title", ""),
                         .model = clg_json_text(root, "model", ""),
                         .date = clg_json_text(root, "date", "")};
    const clg_value_field fields[] = {{"input", CLG_USD_PER_TOKEN, &p->usd_per_input_token},
                                      {"output", CLG_USD_PER_TOKEN, &p->usd_per_output_token}};
    p->usd_per_cached_token = -1;
    if (READ(root, file->path, fields, error) != CLG_OK) return error->status;
    if (clg_value_read(root, "input_cached", CLG_USD_PER_TOKEN, false, file->path,
                       &p->usd_per_cached_token, error) != CLG_OK)
        return error->status;
    return clg_value_done(root, file->path, error);
}

/* Whether a list of names, with spaces between them, has this one. */
static bool lists(const char *names, const char *name) {
    size_t size = strlen(name);
    for (const char *at = names; (at = strstr(at, name)) != NULL; at += size)
        if ((at == names || at[-1] == ' ') && (at[size] == '\0' || at[size] == ' ')) return true;
    return false;
}

/* Dates are compared as far as both say them, "2026" and "2026-06" are alike: then the cheaper. */
static bool is_preferred(const clg_api_price *a, const clg_api_price *b) {
    size_t said = strlen(a->date) < strlen(b->date) ? strlen(a->date) : strlen(b->date);
    int later = strncmp(a->date, b->date, said);
    return later != 0 ? later > 0
                      : a->usd_per_input_token + a->usd_per_output_token <
                            b->usd_per_input_token + b->usd_per_output_token;
}

clg_status clg_api_price_default(clg_arena *arena, const char *model, clg_api_price *price,
                                 clg_error *error) {
    int count;
    const clg_file *files = clg_dataset_folder("api-price/", &count);
    *price = (clg_api_price){0};
    for (int i = 0; i < count; i++) {
        clg_api_price read;
        size_t skip = strlen("api-price/");
        const char *name =
            clg_arena_copy(arena, files[i].path + skip, strlen(files[i].path) - skip - 5);
        if (clg_api_price_find(arena, name, &read, error) != CLG_OK) return error->status;
        if (strcmp(read.date, "undated") == 0 || !lists(read.model, model)) continue;
        if (!price->name || is_preferred(&read, price)) *price = read;
    }
    return CLG_OK;
}
