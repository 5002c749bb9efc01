/* error.c -- filling and printing clg_error. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

clg_status clg_fail(clg_error *error, clg_status status, const char *mend, const char *format,
                    ...) {
    if (!error) return status;
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    snprintf(error->mend, sizeof error->mend, "%s", mend ? mend : "");
    error->example = false;
    return status;
}

void clg_error_at(clg_error *error, const char *file, int line, int column, const char *field) {
    if (!error) return;
    if (file) snprintf(error->file, sizeof error->file, "%s", file);
    error->line = line;
    error->column = column;
    if (field) snprintf(error->field, sizeof error->field, "%s", field);
}

void clg_error_sentence(const clg_error *error, char *out, size_t size) {
    char place[320] = "";
    if (error->line > 0 && error->column > 0)
        snprintf(place, sizeof place, "%s:%d:%d: ", error->file, error->line, error->column);
    else if (error->line > 0)
        snprintf(place, sizeof place, "%s:%d: ", error->file, error->line);
    else if (error->file[0])
        snprintf(place, sizeof place, "%s: ", error->file);
    snprintf(out, size, "%s%s%s%s%s%s", place, error->field, error->field[0] ? ": " : "",
             error->message, error->mend[0] ? "; " : "", error->mend);
}

const char *clg_error_words(clg_arena *arena, const clg_error *error) {
    char out[sizeof *error];
    clg_error_sentence(error, out, sizeof out);
    return clg_arena_copy(arena, out, strlen(out));
}
