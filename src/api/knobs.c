/* knobs.c -- params.def and the names of the data files, told to programs that draw forms. */
#include "api/knobs.h"

#include "api/command.h"
#include "base/json.h"
#include "dataset/dataset.h"
#include "dataset/kept.h"
#include "job/launch.h"
#include "model/preset.h"
#include "scaling/curve.h"
#include "validate/leave_out.h"

#include <string.h>

static const char *kind_name(clg_param_kind kind) {
    switch (kind) {
    case CLG_KIND_SWITCH:
        return "switch";
    case CLG_KIND_COUNT:
        return "count";
    case CLG_KIND_BATCH:
        return "batch";
    case CLG_KIND_LENGTH:
        return "length";
    case CLG_KIND_QUANTITY:
        return "quantity";
    case CLG_KIND_WORD:
        break;
    }
    return "word";
}

/* The name of a group in params.def, which stays when its title is reworded. */
static const char *const group_names[] = {
#define GROUP(id, title) #id,
#define PARAM(id, flag, kind, argument, fallback, range, help)
#include "api/params.def"
};

/* Where the words of a knob come from: a table of names, or the files of a folder. */
static const clg_name *table_of(clg_param param) {
    switch ((int)param) {
    case CLG_PARAM_MODE:
        return clg_scale_mode_names;
    case CLG_PARAM_PRECISION:
    case CLG_PARAM_WEIGHTS:
    case CLG_PARAM_CACHE:
        return clg_precision_names;
    case CLG_PARAM_OPTIMIZER:
        return clg_optimizer_names;
    case CLG_PARAM_REFERENCE:
        return clg_reference_names;
    case CLG_PARAM_SCHEDULE:
        return clg_schedule_names;
    case CLG_PARAM_CP_KIND:
        return clg_context_names;
    case CLG_PARAM_RECOMPUTE:
        return clg_recompute_names;
    case CLG_PARAM_ATTENTION:
        return clg_attention_kernel_names;
    case CLG_PARAM_ORDER:
        return clg_order_names;
    case CLG_PARAM_GRADIENT:
    case CLG_PARAM_MOMENTS:
        return clg_precision_names;
    case CLG_PARAM_MASTER:
        return clg_master_names;
    case CLG_PARAM_LOSS:
        return clg_loss_names;
    case CLG_PARAM_RENT:
        return clg_price_terms;
    case CLG_PARAM_LAUNCH:
        return clg_trainer_names;
    case CLG_PARAM_LEAVE_OUT:
        return clg_fold_names;
    default:
        return NULL;
    }
}

static const char *folder_of(clg_param param) {
    switch ((int)param) {
    case CLG_PARAM_GPU:
    case CLG_PARAM_AGAINST_GPU:
        return "gpu/";
    case CLG_PARAM_NODE:
    case CLG_PARAM_AGAINST_NODE:
        return "node/";
    case CLG_PARAM_FABRIC:
    case CLG_PARAM_AGAINST_FABRIC:
        return "fabric/";
    case CLG_PARAM_STACK:
        return "stack/";
    case CLG_PARAM_PRICE:
    case CLG_PARAM_AGAINST_PRICE:
        return "price/";
    case CLG_PARAM_ENGINE:
        return "engine/";
    case CLG_PARAM_API_PRICE:
        return "api-price/";
    default:
        return NULL;
    }
}

static const clg_choice *choices_of_table(clg_arena *arena, const clg_name *table, int *count) {
    while (table[*count].name) ++*count;
    clg_choice *choice = clg_take(arena, (size_t)*count, clg_choice);
    for (int i = 0; i < *count; i++) choice[i] = (clg_choice){table[i].name, table[i].help};
    return choice;
}

static const clg_choice *choices_of_folder(clg_arena *arena, const char *folder, int *count) {
    int files_in_all;
    const clg_file *files = clg_dataset_folder(folder, &files_in_all);
    clg_choice *choice = clg_take(arena, (size_t)files_in_all, clg_choice);
    for (int i = 0; i < files_in_all; i++) {
        const clg_json *root;
        clg_error none = {0};
        const char *start = files[i].path + strlen(folder);
        if (clg_dataset_parse(arena, files[i].path, files[i].text, files[i].size, &root, &none))
            continue;
        const clg_json *title = clg_json_member(root, "title");
        choice[(*count)++] =
            (clg_choice){clg_arena_copy(arena, start, strlen(start) - strlen(".json")),
                         title ? title->text : NULL};
    }
    return choice;
}

const clg_choice *clg_knob_choices(clg_arena *arena, clg_param param, int *count) {
    const clg_name *table = table_of(param);
    const char *folder = folder_of(param);
    *count = 0;
    if (table) return choices_of_table(arena, table, count);
    return folder ? choices_of_folder(arena, folder, count) : NULL;
}

static void add_choices(clg_json_writer *w, clg_param param) {
    int count;
    const clg_choice *choice = clg_knob_choices(w->text->arena, param, &count);
    clg_json_open(w, "choices", '[');
    for (int i = 0; i < count; i++) {
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "name", choice[i].name);
        clg_json_add_string(w, "title", choice[i].title);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}

static void add_param(clg_json_writer *w, clg_param param) {
    clg_param_row row = clg_param_row_of(param);
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "flag", row.flag);
    clg_json_add_string(w, "kind", kind_name(row.kind));
    clg_json_add_bool(w, "first", row.first);
    clg_json_add_string(w, "argument", row.argument);
    clg_json_add_string(w, "default", row.fallback);
    clg_json_add_string(w, "range", row.range);
    clg_json_add_string(w, "help", row.help);
    add_choices(w, param);
    clg_json_close(w, '}');
}

static void add_models(clg_json_writer *w) {
    int count;
    clg_arena *arena = w->text->arena;
    const char *const *names = clg_model_names(arena, &count);
    clg_json_open(w, "models", '[');
    for (int i = 0; i < count; i++) {
        clg_model model;
        clg_error none = {0};
        if (clg_model_find(arena, names[i], &model, &none) != CLG_OK) continue;
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "name", names[i]);
        clg_json_add_string(w, "title", model.title);
        clg_json_add_integer(w, "parameters", model.parameters);
        clg_json_add_integer(w, "active_parameters", model.active_parameters);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}

static void add_command(clg_json_writer *w, const char *name, const char *summary,
                        const clg_command *command) {
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "name", name);
    clg_json_add_string(w, "summary", summary);
    clg_json_add_bool(w, "drawn", command->form[CLG_FORM_SVG] != NULL);
    clg_json_open(w, "flags", '[');
    for (int p = 0; p < CLG_PARAMS; p++)
        if (clg_command_asks(command, (clg_param)p))
            clg_json_add_string(w, NULL, clg_param_row_of((clg_param)p).flag);
    clg_json_close(w, ']');
    clg_json_close(w, '}');
}

static void add_commands(clg_json_writer *w) {
    clg_json_open(w, "commands", '[');
    for (const clg_command *const *c = clg_commands_answered(); *c; c++)
        if (clg_command_has_model(*c) || clg_command_has_files(*c))
            add_command(w, (*c)->name, (*c)->summary, *c);
    for (const clg_view *view = clg_views(); view->name; view++)
        add_command(w, view->name, view->summary, view->command);
    clg_json_close(w, ']');
}

void clg_json_knobs(clg_json_writer *w) {
    clg_json_open_answer(w, NULL, "params");
    clg_json_open(w, "groups", '[');
    for (int g = 0; g < CLG_GROUPS; g++) {
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "name", group_names[g]);
        clg_json_add_string(w, "title", clg_param_group_title((clg_param_group)g));
        clg_json_open(w, "params", '[');
        for (int p = 0; p < CLG_PARAMS; p++)
            if ((int)clg_param_row_of((clg_param)p).group == g) add_param(w, (clg_param)p);
        clg_json_close(w, ']');
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
    add_models(w);
    add_commands(w);
    clg_json_close(w, '}');
}
