/* check_rules.c -- members of a trainer's file that no reader knows: a rule misspelt would say
 * nothing.
 */
#include "dataset/value.h"
#include "job/reading.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof(list)[0]))

static clg_status check_list(const clg_json *list, const char *const *keys, int count,
                             const char *file, clg_error *error) {
    for (const clg_json *one = list ? list->first : NULL; one; one = one->next)
        if (clg_value_keys(one, keys, count, file, error) != CLG_OK) return error->status;
    return CLG_OK;
}

/* Names of fields, and the members of their rules (see rules.c). */
static clg_status check_fields(const clg_json *fields, const char *file, clg_error *error) {
    static const char *const members[] = {"key",  "is",    "has",   "to",      "words",
                                          "with", "times", "guess", "default", "why"};
    const char *names[CLG_JOB_FIELDS];
    for (int i = 0; i < CLG_JOB_FIELDS; i++) names[i] = clg_job_row_of((clg_job_field)i).name;
    if (clg_value_keys(fields, names, CLG_JOB_FIELDS, file, error) != CLG_OK) return error->status;
    for (const clg_json *field = fields->first; field; field = field->next)
        if (check_list(field, members, COUNT(members), file, error) != CLG_OK) return error->status;
    return CLG_OK;
}

clg_status clg_job_check_rules(const clg_json *format, const char *file, clg_error *error) {
    static const char *const members[] = {
        "name", "title",     "source",    "known_by", "programs", "fields", "ignored", "refuses",
        "base", "companion", "no_python", "within",   "format",   "odd",    "starter", "names"};
    static const char *const refusal[] = {"key", "why", "mend"};
    const clg_json *fields = clg_json_member(format, "fields");
    if (clg_value_keys(format, members, COUNT(members), file, error) != CLG_OK ||
        check_list(clg_json_member(format, "refuses"), refusal, COUNT(refusal), file, error) !=
            CLG_OK)
        return error->status;
    return fields ? check_fields(fields, file, error) : CLG_OK;
}
