/* value.h -- a number from a data file, with its unit, source and kind.
 *
 * In data files every number is {"value": 3.35, "unit": "TB/s", "source": "document, place, date",
 * "kind": "measured|vendor|fitted|assumed"}. Readers take numbers only through here, so that a
 * file without them is refused with file, line and column. */
#ifndef CLG_DATASET_VALUE_H
#define CLG_DATASET_VALUE_H

#include "base/json.h"
#include "base/name.h"
#include "units/units.h"

/* How a number is known. */
typedef enum clg_provenance { CLG_MEASURED, CLG_VENDOR, CLG_FITTED, CLG_ASSUMED } clg_provenance;

/* Reads object[key] as a value of the dimension into *si (>= 0 and finite). A missing member keeps
 * *si when `required` is false, else is an error. */
clg_status clg_value_read(const clg_json *object, const char *key, clg_dimension dimension,
                          bool required, const char *file, double *si, clg_error *error);

/* Several of one object, all required, in order: where each goes. */
typedef struct clg_value_field {
    const char *key;
    clg_dimension dimension;
    double *into;
} clg_value_field;
clg_status clg_value_fields(const clg_json *object, const char *file, const clg_value_field *fields,
                            size_t count, clg_error *error);
/* Those that are there; of the others what `into` holds stays. */
clg_status clg_value_optional(const clg_json *object, const char *file,
                              const clg_value_field *fields, size_t count, clg_error *error);

/* A flag member that needs no unit: {"value": true, "source": ..., "kind": ...}. */
clg_status clg_value_flag(const clg_json *object, const char *key, bool required, const char *file,
                          bool *flag, clg_error *error);

/* One of a table of names: {"value": "once", "source": ..., "kind": ...}. */
clg_status clg_value_word(const clg_json *object, const char *key, const clg_name *names,
                          bool required, const char *file, int *word, clg_error *error);

/* Refuses members of an object that are not among `keys`, with the nearest of them. */
clg_status clg_value_keys(const clg_json *object, const char *const *keys, int count,
                          const char *file, clg_error *error);

/* Refuses members that no reader looked up, for what is misspelt would mean its
 * default. A reader of a file of data/ ends with it. */
clg_status clg_value_done(const clg_json *root, const char *file, clg_error *error);

/* "value unit, kind, source" of object[key] for people; "not stated" when absent. In `arena`. */
const char *clg_value_why(clg_arena *arena, const clg_json *object, const char *key);

#endif
