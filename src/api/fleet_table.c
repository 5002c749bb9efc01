/* fleet_table.c -- see the header. */
#include "api/fleet_table.h"

#include "api/request_parts.h"
#include "portfolio/table.h"
#include "serve/joint.h"

#include <string.h>

extern const clg_command clg_command_demand;

/* Columns that are no flag. */
enum { NAME = -1, MODEL = -2, NOT_READ = -3 };

/* What has no answer for several models. */
static bool of_none(clg_param param) {
    static const clg_param others[] = {CLG_PARAM_DEADLINE, CLG_PARAM_LEVERS, CLG_PARAM_COMPARE,
                                       CLG_PARAM_POWER, CLG_PARAM_PUE};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i] == param) return true;
    return false;
}

/* What one model cannot say for itself: all stand in the same nodes, which are ordered together. */
static bool of_all(clg_param param) {
    return of_none(param) || param == CLG_PARAM_LEAD ||
           clg_param_row_of(param).group == CLG_GROUP_MACHINE;
}

/* Names of all columns that mean something, and which flag each is. */
static int known_columns(const char **name, int *flag) {
    int count = 0;
    name[count] = "name", flag[count++] = NAME;
    name[count] = "model", flag[count++] = MODEL;
    for (int p = 0; p < CLG_PARAMS; p++)
        if (clg_command_asks(&clg_command_demand, (clg_param)p) && !of_all((clg_param)p))
            name[count] = clg_param_row_of((clg_param)p).flag, flag[count++] = p;
    return count;
}

static clg_status of_fleet(const clg_fleet_reader *r, int column, clg_param param) {
    clg_error_at(r->error, r->csv.name, 1, column + 1, NULL);
    bool machine = clg_param_row_of(param).group == CLG_GROUP_MACHINE;
    if (param == CLG_PARAM_LEAD)
        return clg_fail(r->error, CLG_BAD_INPUT, "give it as a flag: --lead-time 12weeks",
                        "nodes are ordered for all models: '%.64s' is no column",
                        r->csv.column[column]);
    return clg_fail(r->error, CLG_BAD_INPUT,
                    machine ? "give it as a flag: --gpu NAME,NAME places models on kinds"
                            : "see 'ceiling demand', a model at a time",
                    machine ? "all models stand in the same nodes: '%.64s' is no column"
                            : "'%.64s' is not answered for several models",
                    r->csv.column[column]);
}

static clg_status find_columns(clg_fleet_reader *r, const char **ignored) {
    const char *name[CLG_PARAMS + 2];
    int flag[CLG_PARAMS + 2], count = known_columns(name, flag);
    bool model = false;
    for (int c = 0; c < r->csv.columns; c++) {
        const char *word = r->csv.column[c], *same = clg_name_same(name, count, word);
        r->column[c] = NOT_READ;
        for (int i = 0; same && i < count; i++)
            if (strcmp(name[i], same) == 0) r->column[c] = flag[i];
        model = model || r->column[c] == MODEL;
        if (same) continue;
        int other = clg_param_find(word);
        if (other >= 0 && of_all((clg_param)other)) return of_fleet(r, c, (clg_param)other);
        const char *meant = clg_command_word(r->arena, name, count, word);
        if (meant) {
            clg_error_at(r->error, r->csv.name, 1, c + 1, NULL);
            return clg_fail(r->error, CLG_BAD_INPUT,
                            clg_arena_print(r->arena, "columns are flags: %s", meant),
                            "there is no column '%.40s'", word);
        }
        if (clg_name_nearest(name, count, word))
            return clg_table_unknown(&r->csv, c, name, count, r->error);
        *ignored = *ignored ? clg_arena_print(r->arena, "%s, %.40s", *ignored, word)
                            : clg_arena_print(r->arena, "%.40s", word);
    }
    if (model) return CLG_OK;
    clg_error_at(r->error, r->csv.name, 1, 1, NULL);
    return clg_fail(r->error, CLG_BAD_INPUT, "columns are name, model, and flags of demand",
                    "there is no column 'model'");
}

/* A switch takes yes and no, others what is written after the flag. */
static const char *value_of(clg_param param, const char *cell) {
    static const char *const no[] = {"no", "false", "0"};
    if (clg_param_row_of(param).kind != CLG_KIND_SWITCH) return cell;
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
        if (clg_name_same(&no[i], 1, cell)) return NULL;
    return cell;
}

/* The path of a table that a cell names is read where files can be. */
static clg_status attach(const clg_fleet_reader *r, clg_param param, const char *cell,
                         clg_request *own) {
    const clg_model_files *files = &r->question->models;
    if (param != CLG_PARAM_TRACE && param != CLG_PARAM_PROFILE) return CLG_OK;
    own->file[param] = (clg_attachment){0};
    if (!files->read) return CLG_OK;
    return files->read(files->context, cell, &own->file[param], r->error);
}

clg_status clg_fleet_at_line(const clg_fleet_reader *r, const clg_request *own) {
    clg_error *e = r->error;
    int line = r->csv.row[r->row].line, column = 0;
    const char *flag = strncmp(e->field, "--", 2) == 0 ? e->field + 2 : "";
    int param = clg_param_find(flag);
    for (int c = 0; c < r->csv.columns; c++)
        if (param >= 0 && r->column[c] == param && r->csv.row[r->row].field[c][0]) column = c + 1;
    if (param >= 0 && column == 0 && own->value[param]) return e->status;
    if (e->file[0] == '\0')
        clg_error_at(e, r->csv.name, line, column > 0 ? column : 1, column > 0 ? flag : NULL);
    return e->status;
}

static bool has_trace(const clg_fleet_reader *r) {
    for (int c = 0; c < r->csv.columns; c++)
        if (r->column[c] == CLG_PARAM_TRACE && r->csv.row[r->row].field[c][0]) return true;
    return false;
}

clg_status clg_fleet_read_row(const clg_fleet_reader *r, clg_request *own, const char **name) {
    const char *model = "";
    *own = *r->question->request;
    own->model = NULL;
    own->model_file = (clg_attachment){0};
    own->value[CLG_PARAM_GPUS] = NULL; /* those of all */
    if (r->gpu) own->value[CLG_PARAM_GPU] = r->gpu;
    *name = "";
    if (has_trace(r)) clg_request_drop_made_up(own); /* said of the others */
    for (int c = 0; c < r->csv.columns; c++) {
        const char *cell = r->csv.row[r->row].field[c];
        if (!*cell || r->column[c] == NOT_READ) continue;
        if (r->column[c] == NAME) *name = cell;
        if (r->column[c] == MODEL) model = cell;
        if (r->column[c] < 0) continue;
        clg_param param = (clg_param)r->column[c];
        own->value[param] = value_of(param, cell);
        if (attach(r, param, cell, own) != CLG_OK) return r->error->status;
    }
    for (int p = 0; p < CLG_PARAMS; p++) /* said of rows with what it is of */
        if (own->value[p] == r->question->request->value[p] &&
            clg_request_is_lone(own, (clg_param)p))
            own->value[p] = NULL;
    if (!**name) *name = model;
    if (*model)
        return clg_command_model(r->arena, &r->question->models, model, own, r->error) == CLG_OK
                   ? clg_request_lone(own, r->error)
                   : r->error->status;
    return clg_fail(r->error, CLG_BAD_INPUT, "name a preset or a config.json",
                    "a row without model");
}

bool clg_fleet_row_is_blank(const clg_fleet_reader *r) {
    for (int c = 0; c < r->csv.columns; c++)
        if (r->csv.row[r->row].field[c][0]) return false;
    return true;
}

clg_status clg_fleet_read_table(clg_fleet_reader *r) {
    const clg_attachment *file = &r->question->request->model_file;
    if (!file->text)
        return clg_fail(r->error, CLG_BAD_USAGE, "docs/economics.md has one",
                        "there is no table of models");
    if (clg_table_read(r->arena, file->name, file->text, file->size, &r->csv, r->error) != CLG_OK)
        return r->error->status;
    clg_error_at(r->error, file->name, 1, 1, NULL);
    if (r->csv.columns > CLG_FLEET_COLUMNS)
        return clg_fail(r->error, CLG_BAD_INPUT, "keep name, model and flags of demand",
                        "more than %d columns", CLG_FLEET_COLUMNS);
    if (find_columns(r, &r->ignored) != CLG_OK) return r->error->status;
    clg_error_at(r->error, file->name, 1, 1, NULL);
    if (r->csv.rows > CLG_JOINT_MODELS)
        return clg_fail(r->error, CLG_BAD_INPUT, "plan parts of it", "more than %d models",
                        CLG_JOINT_MODELS);
    *r->error = (clg_error){0};
    return CLG_OK;
}

clg_status clg_fleet_check_flags(const clg_request *request, clg_error *error) {
    for (int p = 0; p < CLG_PARAMS; p++)
        if (request->value[p] && of_none((clg_param)p))
            return clg_fail(error, CLG_BAD_USAGE, "see 'ceiling demand', a model at a time",
                            "--%s is not answered for several models",
                            clg_param_row_of((clg_param)p).flag);
    return CLG_OK;
}
