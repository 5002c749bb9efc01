/* value.c -- reads numbers with their provenance. */
#include "dataset/value.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const clg_name provenance_names[] = {
    {"measured", CLG_MEASURED, "somebody measured it and published"},
    {"vendor", CLG_VENDOR, "the maker's document says so"},
    {"fitted", CLG_FITTED, "fitted by us; the file says on what"},
    {"assumed", CLG_ASSUMED, "no measurement behind it"},
    {NULL, 0, NULL}};

static clg_status fault(const clg_json *node, const char *key, const char *file, const char *mend,
                        const char *message, clg_error *error) {
    clg_error_at(error, file, node ? node->line : 0, node ? node->column : 0, key);
    return clg_fail(error, CLG_BAD_INPUT, mend, "%s", message);
}

/* Source and kind, which every value must carry. */
static clg_status check_provenance(const clg_json *value, const char *key, const char *file,
                                   clg_error *error) {
    const clg_json *source = clg_json_member(value, "source");
    if (!source || source->kind != CLG_JSON_STRING || source->text_size == 0)
        return fault(value, key, file, "add \"source\": \"document, place, date\"",
                     "a value without a source", error);
    const clg_json *kind = clg_json_member(value, "kind");
    if (!kind || kind->kind != CLG_JSON_STRING)
        return fault(value, key, file, "add \"kind\": measured, vendor, fitted or assumed",
                     "a value without a kind", error);
    int ignored;
    clg_status status = clg_name_value(provenance_names, "kind", kind->text, &ignored, error);
    if (status != CLG_OK) clg_error_at(error, file, kind->line, kind->column, key);
    return status;
}

clg_status clg_value_read(const clg_json *object, const char *key, clg_dimension dimension,
                          bool required, const char *file, double *si, clg_error *error) {
    const clg_json *value = clg_json_member(object, key);
    if (!value && !required) return CLG_OK;
    if (!value)
        return fault(object, key, file, "add it with value, unit, source and kind",
                     "this value is missing", error);
    const clg_json *number = clg_json_member(value, "value");
    if (!number || number->kind != CLG_JSON_NUMBER)
        return fault(value, key, file,
                     "write {\"value\": 80, \"unit\": \"GB\", \"source\": ..., \"kind\": ...}",
                     "a bare number or a value that is no number", error);
    const clg_json *unit = clg_json_member(value, "unit");
    const char *unit_name = unit && unit->kind == CLG_JSON_STRING ? unit->text : "";
    double read_si;
    if (clg_quantity_of(number->number, unit_name, dimension, &read_si, error) != CLG_OK) {
        clg_error_at(error, file, number->line, number->column, key);
        return CLG_BAD_INPUT;
    }
    if (!(read_si >= 0) || !isfinite(read_si))
        return fault(number, key, file, "give a finite number of 0 or more", "out of range", error);
    if (check_provenance(value, key, file, error) != CLG_OK) return CLG_BAD_INPUT;
    *si = read_si;
    return CLG_OK;
}

static clg_status read_fields(const clg_json *object, bool required, const char *file,
                              const clg_value_field *fields, size_t count, clg_error *error) {
    for (size_t i = 0; i < count; i++)
        if (clg_value_read(object, fields[i].key, fields[i].dimension, required, file,
                           fields[i].into, error) != CLG_OK)
            return error->status;
    return CLG_OK;
}

clg_status clg_value_fields(const clg_json *object, const char *file, const clg_value_field *fields,
                            size_t count, clg_error *error) {
    return read_fields(object, true, file, fields, count, error);
}

clg_status clg_value_optional(const clg_json *object, const char *file,
                              const clg_value_field *fields, size_t count, clg_error *error) {
    return read_fields(object, false, file, fields, count, error);
}

clg_status clg_value_flag(const clg_json *object, const char *key, bool required, const char *file,
                          bool *flag, clg_error *error) {
    const clg_json *value = clg_json_member(object, key);
    if (!value && !required) return CLG_OK;
    const clg_json *truth = clg_json_member(value, "value");
    if (!truth || truth->kind != CLG_JSON_BOOL)
        return fault(value ? value : object, key, file,
                     "write {\"value\": true, \"source\": ..., \"kind\": ...}",
                     "this needs a true or false value", error);
    if (check_provenance(value, key, file, error) != CLG_OK) return CLG_BAD_INPUT;
    *flag = truth->truth;
    return CLG_OK;
}

clg_status clg_value_word(const clg_json *object, const char *key, const clg_name *names,
                          bool required, const char *file, int *word, clg_error *error) {
    const clg_json *value = clg_json_member(object, key);
    if (!value && !required) return CLG_OK;
    const clg_json *name = clg_json_member(value, "value");
    if (!name || name->kind != CLG_JSON_STRING)
        return fault(value ? value : object, key, file,
                     "write {\"value\": \"NAME\", \"source\": ..., \"kind\": ...}",
                     "this needs a name", error);
    if (check_provenance(value, key, file, error) != CLG_OK) return CLG_BAD_INPUT;
    clg_status status = clg_name_value(names, key, name->text, word, error);
    if (status != CLG_OK) clg_error_at(error, file, name->line, name->column, key);
    return status;
}

const char *clg_value_why(clg_arena *arena, const clg_json *object, const char *key) {
    const clg_json *value = clg_json_member(object, key);
    const clg_json *number = clg_json_member(value, "value");
    if (!number) return "not stated";
    const char *text =
        number->kind == CLG_JSON_BOOL ? (number->truth ? "yes" : "no") : number->text;
    const char *unit = clg_json_text(value, "unit", "");
    if (strcmp(unit, "1") == 0) unit = ""; /* a share */
    return clg_arena_print(arena, "%s%s%s, %s, %s", text, *unit ? " " : "", unit,
                           clg_json_text(value, "kind", "kind missing"),
                           clg_json_text(value, "source", "source missing"));
}
