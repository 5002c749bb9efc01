/* cause_facts.c -- reads data/cause/. */
#include "diagnose/cause.h"

#include "dataset/dataset.h"
#include "dataset/value.h"

clg_status clg_job_cause_facts_find(clg_arena *arena, const char *name, clg_job_cause_facts *f,
                                    clg_error *error) {
    const clg_file *file = clg_dataset_find(clg_arena_print(arena, "cause/%.64s.json", name));
    static const char *const keys[] = {"name",    "title", "form",    "prior",
                                       "mildest", "worst", "measure", "command"};
    clg_json *root;
    if (!file)
        return clg_fail(error, CLG_BAD_INPUT, NULL, "cause/%.64s.json is not built in", name);
    *f = (clg_job_cause_facts){0};
    const clg_value_field fields[] = {{"prior", CLG_COUNT, &f->prior},
                                      {"mildest", CLG_COUNT, &f->mildest},
                                      {"worst", CLG_COUNT, &f->worst}};
    if (clg_json_parse(arena, file->path, file->text, file->size, &root, error) != CLG_OK ||
        clg_value_keys(root, keys, sizeof keys / sizeof keys[0], file->path, error) != CLG_OK ||
        clg_value_fields(root, file->path, fields, 3, error) != CLG_OK ||
        clg_json_string(root, "title", "", &f->says, file->path, error) != CLG_OK ||
        clg_json_string(root, "form", "times", &f->form, file->path, error) != CLG_OK ||
        clg_json_string(root, "measure", "", &f->measure, file->path, error) != CLG_OK ||
        clg_json_string(root, "command", "", &f->command, file->path, error) != CLG_OK)
        return CLG_BAD_INPUT;
    return CLG_OK;
}
