/* cause_facts.c -- reads data/cause/. */
#include "diagnose/cause.h"

#include "dataset/kept.h"
#include "dataset/open.h"
#include "dataset/value.h"

#include <stdio.h>

static clg_status read_factors(const clg_json *root, const char *file, clg_job_cause_facts *f,
                               clg_error *error) {
    const clg_json *list = clg_json_member(root, "factors");
    for (const clg_json *one = list ? list->first : NULL; one; one = one->next) {
        if (one->kind == CLG_JSON_NUMBER && one->number > 0 && f->factors < CLG_CAUSE_FACTORS) {
            f->factor[f->factors++] = one->number;
            continue;
        }
        clg_error_at(error, file, one->line, one->column, "factors");
        return clg_fail(error, CLG_BAD_INPUT, "give up to 32 numbers above 0", "no factor");
    }
    return CLG_OK;
}

static clg_status read_texts(const clg_json *root, const char *file, const char *key,
                             const char **text, int most, int *count, clg_error *error) {
    const clg_json *list = clg_json_member(root, key);
    for (const clg_json *one = list ? list->first : NULL; one; one = one->next) {
        if (one->kind == CLG_JSON_STRING && *count < most) {
            text[(*count)++] = one->text;
            continue;
        }
        char mend[32];
        snprintf(mend, sizeof mend, "give up to %d texts", most);
        clg_error_at(error, file, one->line, one->column, key);
        return clg_fail(error, CLG_BAD_INPUT, mend, "no text");
    }
    return CLG_OK;
}

clg_status clg_job_cause_facts_find(clg_arena *arena, const char *name, clg_job_cause_facts *f,
                                    clg_error *error) {
    const clg_file *file = clg_dataset_find(clg_arena_print(arena, "cause/%.64s.json", name));
    static const char *const keys[] = {
        "name",    "title",          "form",        "prior",        "mildest",    "worst",
        "factors", "factors_source", "memory_from", "measure",      "command",    "possible",
        "counted", "comes",          "lines",       "lines_source", "worst_said", "levels"};
    const clg_json *root;
    if (!file)
        return clg_fail(error, CLG_BAD_INPUT, NULL, "cause/%.64s.json is not built in", name);
    *f = (clg_job_cause_facts){0};
    const clg_value_field fields[] = {{"prior", CLG_COUNT, &f->prior},
                                      {"mildest", CLG_COUNT, &f->mildest},
                                      {"worst", CLG_COUNT, &f->worst}};
    const clg_value_field some[] = {{"memory_from", CLG_FRACTION, &f->memory_from},
                                    {"counted", CLG_COUNT, &f->counted},
                                    {"possible", CLG_FRACTION, &f->possible},
                                    {"worst_said", CLG_COUNT, &f->worst_said}};
    if (clg_dataset_parse(arena, file->path, file->text, file->size, &root, error) != CLG_OK ||
        clg_value_keys(root, keys, sizeof keys / sizeof keys[0], file->path, error) != CLG_OK ||
        clg_value_fields(root, file->path, fields, 3, error) != CLG_OK ||
        clg_value_optional(root, file->path, some, 4, error) != CLG_OK ||
        read_factors(root, file->path, f, error) != CLG_OK ||
        read_texts(root, file->path, "lines", f->line, CLG_CAUSE_LINES, &f->lines, error) !=
            CLG_OK ||
        read_texts(root, file->path, "levels", f->level, CLG_CAUSE_LEVELS, &f->levels, error) !=
            CLG_OK ||
        clg_value_flag(root, "comes", false, file->path, &f->comes, error) != CLG_OK ||
        clg_json_string(root, "title", "", &f->says, file->path, error) != CLG_OK ||
        clg_json_string(root, "form", "times", &f->form, file->path, error) != CLG_OK ||
        clg_json_string(root, "measure", "", &f->measure, file->path, error) != CLG_OK ||
        clg_json_string(root, "command", "", &f->command, file->path, error) != CLG_OK)
        return CLG_BAD_INPUT;
    if (f->possible <= 0) f->possible = 1;
    if (f->counted <= 0) f->counted = 1;
    return CLG_OK;
}

clg_status clg_diagnosis_rules_find(clg_arena *arena, clg_diagnosis_rules *r, clg_error *error) {
    double strengths = 0;
    const clg_value_field fields[] = {{"measured_sigma", CLG_COUNT, &r->measured_sigma},
                                      {"counts_sigma", CLG_COUNT, &r->counts_sigma},
                                      {"signs_sigma", CLG_COUNT, &r->signs_sigma},
                                      {"pair_sigma", CLG_COUNT, &r->pair_sigma},
                                      {"felt", CLG_FRACTION, &r->felt},
                                      {"told", CLG_FRACTION, &r->told},
                                      {"before_sigma", CLG_COUNT, &r->before_sigma},
                                      {"line_odds", CLG_COUNT, &r->line_odds},
                                      {"memory_full", CLG_FRACTION, &r->memory_full},
                                      {"memory_odds", CLG_COUNT, &r->memory_odds},
                                      {"large_bytes", CLG_BYTES, &r->large_bytes},
                                      {"beyond", CLG_COUNT, &r->beyond},
                                      {"strengths", CLG_COUNT, &strengths}};
    if (CLG_DATASET_NUMBERS(arena, "operations", "diagnosis", fields, error) != CLG_OK)
        return error->status;
    r->strengths = strengths < 2 ? 2 : strengths > 64 ? 64 : (int)strengths;
    return CLG_OK;
}
