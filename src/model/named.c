/* named.c -- the preset that a name means, as people and repositories write it.
 *
 * What a name has beside the architecture is a line of data/model-name-parts.csv: owners, kinds of
 * tuning, the format that weights are stored in. */
#include "model/preset.h"

#include "base/name.h"
#include "dataset/kept.h"

#include <ctype.h>
#include <string.h>

/* Characters of a month and year or day in four figures: "-2507", "-0528". */
enum { DATE = 5 };

/* Whether one ends where so many characters do. */
static bool dated(const char *name, size_t size) {
    if (size <= DATE || name[size - DATE] != '-') return false;
    return strspn(name + size - DATE + 1, "0123456789") >= DATE - 1;
}

typedef struct bare_name {
    char *name;
    const char *weights, *part; /* the format that the name says, and how; NULL: it says none */
    bool blocks;                /* with a scale for each block */
} bare_name;

/* Takes one part off either end. */
static bool take_part(clg_arena *arena, const clg_csv_row *row, bare_name *bare) {
    const char *part = row->field[0], *weights = row->field[2];
    size_t size = strlen(bare->name), length = strlen(part);
    if (size <= length) return false;
    bool begins = strcmp(row->field[1], "begin") == 0;
    char *at = begins ? bare->name : bare->name + size - length;
    const char *found = clg_arena_copy(arena, at, length);
    if (at[begins ? length - 1 : 0] != '-' || !clg_name_same(&part, 1, found)) return false;
    if (begins)
        bare->name += length;
    else
        *at = '\0';
    if (*weights && !bare->weights) {
        bare->weights = weights, bare->part = found + 1;
        bare->blocks = strcmp(row->field[3], "1") == 0;
    }
    return true;
}

/* Of a name as on Hugging Face or Ollama ("gpt-oss:120b") what the architecture has. */
static bare_name bare_of(clg_arena *arena, const char *word) {
    const char *slash = strrchr(word, '/'), *last = slash ? slash + 1 : word;
    bare_name bare = {.name = clg_arena_copy(arena, last, strlen(last))};
    clg_csv csv = clg_dataset_csv(arena, "model-name-parts.csv");
    for (char *c = bare.name; *c; c++)
        if (*c == ':') *c = '-';
    for (int i = -1; i < csv.rows; i++) { /* "-chat-hf": what is left may end in another */
        size_t size = strlen(bare.name);
        if (dated(bare.name, size)) bare.name[size - DATE] = '\0';
        if (i >= 0 && take_part(arena, &csv.row[i], &bare)) i = -2;
    }
    return bare;
}

/* A name without the date in it: "olmo-2-1124-7b". NULL: it has none. */
static const char *undated(clg_arena *arena, const char *name) {
    for (size_t end = DATE + 1; name[0] && end < strlen(name); end++)
        if (name[end] == '-' && dated(name, end))
            return clg_arena_print(arena, "%.*s%s", (int)(end - DATE), name, name + end);
    return NULL;
}

/* The preset that has the shape of a model of another name: data/model-names.csv; NULL: none. */
static const char *of_other_name(clg_arena *arena, const char *word) {
    clg_csv csv = clg_dataset_csv(arena, "model-names.csv");
    for (int i = 0; i < csv.rows; i++)
        if (clg_name_same(&csv.row[i].field[0], 1, word)) return csv.row[i].field[1];
    return NULL;
}

/* Whether a preset says a version where a name it begins with ends: "step-3" is not
 * "step-3.5-flash", "devstral" not "devstral-2-123b". */
static bool next_version(const char *preset, const char *name) {
    while (*preset && *name) {
        bool mark = !isalnum((unsigned char)*preset);
        if (!isalnum((unsigned char)*name))
            name++;
        else
            preset++, name += !mark;
    }
    size_t mark = strspn(preset, "-."), digits = strspn(preset + mark, "0123456789");
    char after = preset[mark + digits];
    return digits > 0 && (after == '-' || after == '.' || !after);
}

/* The only preset of which a name is the beginning: "llama3.3" came in one size. */
static const char *begun(const char *const *names, int count, const char *name) {
    const char *only = clg_name_begun(names, count, name);
    return only && !next_version(only, name) ? only : NULL;
}

/* `bare`: what was left of the name, and the format it says. */
static const char *preset_of(clg_arena *arena, const char *word, bare_name *bare) {
    int count;
    const char *const *names = clg_model_names(arena, &count);
    const char *same = clg_name_same(names, count, word);
    *bare = (bare_name){0};
    if (!same) same = clg_model_of_place(arena, word);
    if (same) return same;
    *bare = bare_of(arena, word);
    same = clg_name_same(names, count, bare->name);
    if (!same) same = of_other_name(arena, bare->name);
    const char *other = same ? NULL : undated(arena, bare->name);
    if (other) same = clg_name_same(names, count, other);
    /* A path may be anything. */
    return same || strchr(word, '/') ? same : begun(names, count, bare->name);
}

const char *clg_model_named(clg_arena *arena, const char *word) {
    bare_name bare;
    return preset_of(arena, word, &bare);
}

/* What stands beside experts of 4 bits is wide, as in the files that say such a format. */
static void store(const bare_name *bare, clg_model *model) {
    model->stored_beside = CLG_BF16;
    model->stored_blocks = bare->blocks;
    for (const clg_name *row = clg_precision_names; row->name; row++)
        if (strcmp(row->name, bare->weights) == 0) {
            model->stored = (clg_precision)row->value;
            return;
        }
    model->stored_unknown = bare->part;
}

clg_status clg_model_asked(clg_arena *arena, const char *word, clg_model *model, clg_error *error) {
    bare_name bare;
    const char *preset = preset_of(arena, word, &bare);
    if (clg_model_find(arena, preset ? preset : word, model, error) != CLG_OK) return CLG_BAD_INPUT;
    if (bare.weights) store(&bare, model);
    if (bare.name && !clg_name_same(&model->name, 1, bare.name)) model->asked = bare.name;
    return CLG_OK;
}
