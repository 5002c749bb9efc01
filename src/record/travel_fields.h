/* travel_fields.h -- kinds of fields, each written into a parcel or read out of it. */
#ifndef CLG_RECORD_TRAVEL_FIELDS_H
#define CLG_RECORD_TRAVEL_FIELDS_H

#include "record/travel.h"

#include <string.h>

static inline void any(clg_parcel *p, int64_t *value) {
    *value = clg_parcel_integer(p, *value, INT64_MIN, INT64_MAX);
}

static inline void any32(clg_parcel *p, int32_t *value) {
    *value = (int32_t)clg_parcel_integer(p, *value, INT32_MIN, INT32_MAX);
}

static inline void number(clg_parcel *p, double *value) { *value = clg_parcel_number(p, *value); }

static inline void flag(clg_parcel *p, bool *value) { *value = clg_parcel_flag(p, *value); }

static inline void text(clg_parcel *p, const char **words) { *words = clg_parcel_text(p, *words); }

static inline void text_or_null(clg_parcel *p, const char **words) {
    *words = clg_parcel_text_or_null(p, *words);
}

/* One of `count` things; without any, nothing can be meant. */
static inline uint32_t one_of(clg_parcel *p, uint32_t value, size_t count) {
    if (count == 0) {
        clg_parcel_break(p, "an index into nothing");
        return 0;
    }
    return (uint32_t)clg_parcel_integer(p, value, 0, (int64_t)count - 1);
}

static inline void small(clg_parcel *p, uint8_t *value, size_t count) {
    *value = (uint8_t)one_of(p, *value, count);
}

static inline void operation(clg_parcel *p, clg_operation *value) {
    *value = (clg_operation)one_of(p, *value, CLG_OPERATION_COMBINE + 1);
}

static inline const char *file(clg_parcel *p, const char *path, const char *name) {
    bool same = clg_parcel_flag(p, p->out && (name == path || strcmp(name, path) == 0));
    return same ? path : clg_parcel_text(p, name);
}

#endif
