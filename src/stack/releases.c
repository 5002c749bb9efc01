/* releases.c -- finds a stack: its base, its releases up to a month, its recipes. */
#include "stack/names.h"
#include "stack/terms.h"

#include "dataset/dataset.h"
#include "dataset/kept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const LATEST = "9999-12"; /* every release there is */
static const char *const DEFAULT_FILE = "stack/unknown.json";

/* Whether a list has the name, or what comes before a hyphen in it: "a" has "a-b". */
static bool lists(const clg_json *list, const char *name) {
    for (const clg_json *word = list->first; word; word = word->next) {
        size_t size = word->kind == CLG_JSON_STRING ? strlen(word->text) : 0;
        if (size > 0 && strncmp(word->text, name, size) == 0 && (!name[size] || name[size] == '-'))
            return true;
    }
    return false;
}

/* A recipe's terms over the stack; it keeps its own name, date and file. */
static clg_status read_recipe(const clg_json *recipe, const char *file, clg_stack *stack,
                              clg_error *error) {
    const clg_stack before = *stack;
    if (clg_stack_read_onto(recipe, file, false, stack, error) != CLG_OK) return CLG_BAD_INPUT;
    stack->name = before.name;
    stack->title = before.title;
    stack->date = before.date;
    stack->data = before.data;
    stack->file = before.file;
    if (clg_json_member(recipe, "attention")) stack->attention_final = true;
    return CLG_OK;
}

static bool has_words(const clg_json *recipe, const char *member) {
    const clg_json *list = clg_json_member(recipe, member);
    return list && list->kind == CLG_JSON_ARRAY && list->first;
}

/* Recipes are laid over later, when model and GPU are known; faults in them show at once. */
static clg_status read_recipes(const clg_json *root, const char *file, clg_stack *stack,
                               clg_error *error) {
    const clg_json *list = clg_json_member(root, "recipes");
    if (!list) return CLG_OK;
    for (const clg_json *recipe = list->first; recipe; recipe = recipe->next) {
        clg_stack scratch = *stack;
        if (!has_words(recipe, "models") && !has_words(recipe, "gpus")) {
            clg_error_at(error, file, recipe->line, recipe->column, "recipes");
            return clg_fail(error, CLG_BAD_INPUT, "add \"models\": [\"NAME\"]",
                            "a recipe without its models or GPUs");
        }
        if (read_recipe(recipe, file, &scratch, error) != CLG_OK) return CLG_BAD_INPUT;
    }
    stack->recipes = list;
    stack->recipes_file = file;
    stack->recipes_month = stack->date;
    return CLG_OK;
}

/* From its first month to its last, where it names them; without a month: all. */
static bool is_of_month(const clg_json *recipe, const char *month) {
    const clg_json *from = clg_json_member(recipe, "from"),
                   *until = clg_json_member(recipe, "until");
    if (!month) return true;
    if (from && from->text && strncmp(from->text, month, 7) > 0) return false;
    return !until || !until->text || strncmp(until->text, month, 7) >= 0;
}

clg_status clg_stack_recipe(clg_arena *arena, clg_stack *stack, const char *model, const char *gpu,
                            clg_error *error) {
    const clg_json *list = model && gpu ? stack->recipes : NULL;
    for (const clg_json *recipe = list ? list->first : NULL; recipe; recipe = recipe->next) {
        const char *as = NULL;
        const clg_json *models = clg_json_member(recipe, "models"),
                       *gpus = clg_json_member(recipe, "gpus");
        if (!is_of_month(recipe, stack->recipes_month) || (models && !lists(models, model)) ||
            (gpus && !lists(gpus, gpu)))
            continue;
        if (read_recipe(recipe, stack->recipes_file, stack, error) != CLG_OK ||
            clg_json_string(recipe, "as", NULL, &as, stack->recipes_file, error) != CLG_OK)
            return CLG_BAD_INPUT;
        if (as) return clg_stack_find(arena, as, stack, error);
    }
    return CLG_OK;
}

static double months_of(const char *month) {
    return 12 * strtod(month, NULL) + strtod(month + 5, NULL);
}

static double years_between(const char *a, const char *b) {
    double months = months_of(a) - months_of(b);
    return (months < 0 ? -months : months) / 12;
}

/* What changed in the releases up to `month` ("2026-04"; NULL: the file's own date), oldest first.
 * Months compare as words. */
static clg_status read_releases(const clg_json *root, const char *file, const char *month,
                                clg_stack *stack, clg_error *error) {
    const clg_json *list = clg_json_member(root, "releases");
    const char *name = stack->name, *date = stack->date, *until = month ? month : stack->date;
    bool follows = clg_json_member(root, "follows_base") != NULL;
    double off = month && date ? years_between(month, date) : 0;
    if (follows && month) off = fmin(off, stack->years_off);
    for (const clg_json *release = list ? list->first : NULL; release; release = release->next) {
        const char *from = NULL;
        if (clg_json_string(release, "from", NULL, &from, file, error) != CLG_OK)
            return CLG_BAD_INPUT;
        if (!from) {
            clg_error_at(error, file, release->line, release->column, "releases");
            return clg_fail(error, CLG_BAD_INPUT, "add \"from\": \"YYYY-MM\"",
                            "a release without its month");
        }
        if (strncmp(from, until ? until : "", 7) > 0) { /* read too, so that faults in it show */
            clg_stack later = *stack;
            if (clg_stack_read_onto(release, file, false, &later, error) != CLG_OK)
                return CLG_BAD_INPUT;
            continue;
        }
        if (month && strlen(from) >= 7 && years_between(month, from) < off)
            off = years_between(month, from);
        if (clg_stack_read_onto(release, file, false, stack, error) != CLG_OK) return CLG_BAD_INPUT;
    }
    stack->name = name;
    stack->date = month ? month : date;
    stack->years_off = off;
    stack->data = root;
    return read_recipes(root, file, stack, error);
}

static clg_status read_default(clg_arena *arena, const char *month, clg_stack *stack,
                               clg_error *error) {
    const clg_file *file = clg_dataset_find(DEFAULT_FILE);
    clg_stack read = {
        .gradient = CLG_FP32, .moments = CLG_PRECISIONS, .prints = CLG_MEMORY_RESERVED};
    const clg_json *root;
    if (!file) return clg_fail(error, CLG_BAD_INPUT, NULL, "%s is not built in", DEFAULT_FILE);
    if (clg_dataset_parse(arena, file->path, file->text, file->size, &root, error) != CLG_OK ||
        clg_stack_read_onto(root, file->path, true, &read, error) != CLG_OK ||
        read_releases(root, file->path, month, &read, error) != CLG_OK)
        return CLG_BAD_INPUT;
    *stack = read;
    return CLG_OK;
}

/* What a file leaves out is as in its "base", a built-in stack, or as in the default, both as of
 * their own dates: their later releases are not this stack's, unless it follows them. */
static clg_status read_base(clg_arena *arena, const clg_json *root, const char *file,
                            const char *month, clg_stack *stack, clg_error *error) {
    const char *base = NULL;
    bool follows = false;
    if (clg_json_string(root, "base", NULL, &base, file, error) != CLG_OK ||
        clg_json_bool(root, "follows_base", &follows, file, error) != CLG_OK)
        return CLG_BAD_INPUT;
    if (!base) {
        clg_status read = read_default(arena, NULL, stack, error);
        stack->recipes = NULL; /* whose runs those are that name no software */
        return read;
    }
    const clg_json *node = clg_json_member(root, "base");
    if (follows && month) base = clg_arena_print(arena, "%s@%s", base, month);
    clg_status status = clg_stack_find(arena, base, stack, error);
    if (status != CLG_OK) clg_error_at(error, file, node->line, node->column, "base");
    return status;
}

static clg_status read_file(clg_arena *arena, const char *file, const char *text, size_t size,
                            const char *month, clg_stack *stack, clg_error *error) {
    clg_stack read;
    const clg_json *root;
    if (clg_dataset_parse(arena, file, text, size, &root, error) != CLG_OK) return CLG_BAD_INPUT;
    if (root->kind != CLG_JSON_OBJECT) {
        clg_error_at(error, file, root->line, root->column, NULL);
        return clg_fail(error, CLG_BAD_INPUT, "write {...}", "a stack is an object");
    }
    if (!clg_json_member(root, "name")) {
        clg_error_at(error, file, root->line, root->column, "name");
        return clg_fail(error, CLG_BAD_INPUT, "add \"name\": \"my-trainer\"",
                        "a stack without a name");
    }
    if (read_base(arena, root, file, month, &read, error) != CLG_OK) return CLG_BAD_INPUT;
    const char *inherited = read.title;
    if (clg_stack_read_onto(root, file, false, &read, error) != CLG_OK ||
        read_releases(root, file, month, &read, error) != CLG_OK)
        return CLG_BAD_INPUT;
    if (read.title == inherited) read.title = read.name;
    read.known = true;
    *stack = read;
    return CLG_OK;
}

clg_status clg_stack_read(clg_arena *arena, const char *file, const char *text, size_t size,
                          clg_stack *stack, clg_error *error) {
    return read_file(arena, file, text, size, NULL, stack, error);
}

/* "2026-04" */
bool clg_stack_is_month(const char *word) {
    for (int i = 0; i < 7; i++)
        if (i == 4 ? word[i] != '-' : word[i] < '0' || word[i] > '9') return false;
    return word[7] == 0;
}

/* The last month in which anything of a file changed. */
static const char *newest(const clg_json *root) {
    static const char *const lists[] = {"releases", "recipes"};
    const clg_json *date = clg_json_member(root, "date");
    const char *last = date && date->text ? date->text : "";
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const clg_json *list = clg_json_member(root, lists[i]);
        for (const clg_json *one = list ? list->first : NULL; one; one = one->next) {
            const clg_json *from = clg_json_member(one, "from");
            if (from && from->text && strcmp(from->text, last) > 0) last = from->text;
        }
    }
    return last;
}

static bool is_current(const clg_json *root, const char *vendor, bool narrow_base) {
    const clg_json *beside = clg_json_member(root, "current_beside_narrow_base");
    const clg_json *list = clg_json_member(root, "current_on");
    if (narrow_base) return beside && beside->truth;
    for (const clg_json *word = list ? list->first : NULL; word; word = word->next)
        if (vendor && word->text && strcmp(word->text, vendor) == 0) return true;
    return false;
}

/* *file is NULL where none says so. */
static clg_status find_current(clg_arena *arena, const char *vendor, bool narrow_base,
                               const clg_file **file, const clg_json **root, clg_error *error) {
    int count;
    const clg_file *files = clg_dataset_folder("stack/", &count);
    *file = NULL;
    for (int i = 0; i < count && !*file; i++) {
        const clg_file *one = &files[i];
        if (!strstr(one->text, "\"current_")) continue; /* spares reading all of them */
        if (clg_dataset_parse(arena, one->path, one->text, one->size, root, error) != CLG_OK)
            return error->status;
        if (is_current(*root, vendor, narrow_base)) *file = one;
    }
    return CLG_OK;
}

clg_status clg_stack_current(clg_arena *arena, const char *vendor, bool narrow_base,
                             clg_stack *stack, clg_error *error) {
    const char *name = narrow_base ? "stack beside a narrow base"
                                   : clg_arena_print(arena, "stack of %s", vendor ? vendor : "");
    const clg_stack *kept = clg_kept_made(arena, name);
    if (kept) {
        *stack = *kept;
        return CLG_OK;
    }
    const clg_file *file;
    const clg_json *root;
    clg_status status = find_current(arena, vendor, narrow_base, &file, &root, error);
    if (status != CLG_OK) return status;
    if (!file) {
        status = read_default(arena, LATEST, stack, error);
        stack->chosen = "none was named, none is known for these GPUs";
        return status;
    }
    status = read_file(arena, file->path, file->text, file->size, newest(root), stack, error);
    stack->chosen = narrow_base ? "none was named, the usual one beside 4 or 8 bits"
                                : "none was named, the current one here";
    if (status == CLG_OK) clg_kept_put(arena, name, stack, sizeof *stack);
    return status;
}

/* The names nearest to what was written: files, and what people call them. */
static clg_status nobody(clg_arena *arena, const char *name, clg_error *error) {
    int files, called;
    const clg_file *file = clg_dataset_folder("stack/", &files);
    const char **alias, *near[CLG_NAMES_NEAR];
    called = clg_stack_names(arena, &alias);
    const char **names = clg_take(arena, (size_t)(files + called), const char *);
    for (int i = 0; i < files; i++)
        names[i] = clg_arena_copy(arena, file[i].path + 6, strlen(file[i].path) - 11);
    for (int i = 0; i < called; i++)
        if (i == 0 || strcmp(alias[i], alias[i - 1]) != 0) names[files++] = alias[i];
    char ask[240];
    int found = clg_name_near(names, files, name, near, CLG_NAMES_NEAR);
    clg_name_ask(near, found, "", ask, sizeof ask);
    return clg_fail(error, CLG_BAD_INPUT,
                    found > 0 ? clg_arena_print(arena, "%s 'unknown' takes the default", ask)
                              : "'unknown' takes the default; 'ceiling show stacks' lists them",
                    "unknown stack '%.64s'", name);
}

clg_status clg_stack_find(clg_arena *arena, const char *name, clg_stack *stack, clg_error *error) {
    const char *month = strchr(name, '@');
    if (month) {
        name = clg_arena_copy(arena, name, (size_t)(month - name));
        if (!clg_stack_is_month(++month))
            return clg_fail(error, CLG_BAD_INPUT, "write the month as NAME@2026-04",
                            "'%.16s' is no month", month);
        month = clg_arena_copy(arena, month, 7);
    }
    const char *path = clg_arena_print(arena, "stack/%s.json", name);
    const clg_file *file = clg_dataset_find(path);
    if (file && strcmp(path, DEFAULT_FILE) != 0)
        return read_file(arena, file->path, file->text, file->size, month, stack, error);
    if (strcmp(path, DEFAULT_FILE) == 0) return read_default(arena, month, stack, error);
    const char *other = clg_stack_named(arena, name, month);
    if (!other) other = clg_stack_named_like(arena, name, month, false);
    return other ? clg_stack_find(arena, other, stack, error) : nobody(arena, name, error);
}

clg_status clg_stack_trainer(clg_arena *arena, const char *model, const char *gpu, clg_stack *stack,
                             clg_error *error) {
    clg_status status = read_default(arena, LATEST, stack, error);
    stack->recipes_month = NULL; /* whenever it was trained */
    if (status == CLG_OK) status = clg_stack_recipe(arena, stack, model, gpu, error);
    stack->chosen = "none was named, its trainer has what is asked";
    return status;
}
