/* params.c -- rows of params.def: found by flag, with their group. */
#include "api/request.h"

#include "base/letters.h"

#include <string.h>

enum { SWITCH = -1, COUNT = -2, BATCH = -3, WORD = -4, LENGTH = -5 };

/* The group of a row is that of the last GROUP line above it: rows and groups are counted in one
 * enumeration, in file order. */
typedef struct mixed_row {
    const char *title; /* of a group; NULL: a knob */
    clg_param_row row;
} mixed_row;

#define GROUP(id, title) {title, {.flag = NULL}},
#define ROW(first_, flag_, kind_, argument_, fallback_, range_, help_)                             \
    {NULL,                                                                                         \
     {.first = first_,                                                                             \
      .flag = flag_,                                                                               \
      .argument = argument_,                                                                       \
      .fallback = fallback_,                                                                       \
      .range = range_,                                                                             \
      .help = help_,                                                                               \
      .kind = (int)(kind_) == SWITCH   ? CLG_KIND_SWITCH                                           \
              : (int)(kind_) == COUNT  ? CLG_KIND_COUNT                                            \
              : (int)(kind_) == BATCH  ? CLG_KIND_BATCH                                            \
              : (int)(kind_) == WORD   ? CLG_KIND_WORD                                             \
              : (int)(kind_) == LENGTH ? CLG_KIND_LENGTH                                           \
                                       : CLG_KIND_QUANTITY,                                        \
      .dimension = (int)(kind_) < 0 ? CLG_COUNT : (clg_dimension)(kind_)}},
#define PARAM(id, flag, kind, argument, fallback, range, help)                                     \
    ROW(false, flag, kind, argument, fallback, range, help)
#define FIRST(id, flag, kind, argument, fallback, range, help)                                     \
    ROW(true, flag, kind, argument, fallback, range, help)
static const mixed_row mixed[] = {
#include "api/params.def"
};

clg_param_row clg_param_row_of(clg_param param) {
    int knob = 0, group = -1;
    for (size_t i = 0; i < sizeof mixed / sizeof mixed[0]; i++) {
        if (mixed[i].title) {
            group++;
            continue;
        }
        if (knob++ != (int)param) continue;
        clg_param_row row = mixed[i].row;
        row.group = (clg_param_group)group;
        row.typed = row.fallback[0] == '=';
        row.fallback += row.typed;
        return row;
    }
    return (clg_param_row){0};
}

const char *clg_param_group_title(clg_param_group group) {
    int at = 0;
    for (size_t i = 0; i < sizeof mixed / sizeof mixed[0]; i++)
        if (mixed[i].title && at++ == (int)group) return mixed[i].title;
    return NULL;
}

bool clg_param_is_file(clg_param param, const char *value) {
    size_t size = strlen(value);
    if (strcmp(clg_param_row_of(param).argument, "LOG") == 0) return true;
    if (!strstr(clg_param_row_of(param).argument, "|FILE")) return false;
    /* "400Gb/s" is a rate with a wrong unit, not a path. */
    bool number = clg_is_digit(value[0]) || value[0] == '-';
    bool rate = number && size > 2 && strcmp(value + size - 2, "/s") == 0;
    return strchr(value, '/') ? !rate : size > 5 && strcmp(value + size - 5, ".json") == 0;
}

int clg_param_find(const char *flag) {
    int param = 0;
    for (size_t i = 0; i < sizeof mixed / sizeof mixed[0]; i++) {
        if (mixed[i].title) continue;
        if (strcmp(mixed[i].row.flag, flag) == 0) return param;
        param++;
    }
    return -1;
}
