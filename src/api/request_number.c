/* request_number.c -- knobs into numbers and names, their defaults and ranges from params.def. */
#include "api/request_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

clg_status clg_request_at_flag(clg_status status, clg_param param, clg_error *error) {
    if (status != CLG_OK && error->file[0] == '\0') {
        char flag[64];
        snprintf(flag, sizeof flag, "--%s", clg_param_row_of(param).flag);
        clg_error_at(error, NULL, 0, 0, flag);
    }
    return status;
}

static clg_status read_whole(const char *text, double *number, clg_error *error) {
    if (clg_quantity(text, CLG_COUNT, number, error) != CLG_OK)
        return clg_fail(error, CLG_BAD_INPUT, "give a whole number, like 8", "'%.32s' is no number",
                        text);
    if (*number == floor(*number)) return CLG_OK;
    return clg_fail(error, CLG_BAD_INPUT, "give a whole number, like 8",
                    "'%.32s' is no whole number", text);
}

clg_status clg_request_count(const char *text, double *number, clg_error *error) {
    if (read_whole(text, number, error) != CLG_OK) return error->status;
    if (*number >= 0 && *number <= 1e12) return CLG_OK;
    return clg_fail(error, CLG_BAD_INPUT, "give a whole number from 0 to 1e12",
                    "'%.32s' is out of range", text);
}

/* A number without a unit means the one its knob is in, where there is no other to be meant. */
static bool bare_quantity(const char *text, clg_param_row row, double *number) {
    char spelt[96];
    clg_error none = {0};
    bool money = strncmp(row.argument, "USD/", 4) == 0; /* "$2" and "2USD" are bare, too */
    text += money && *text == '$';
    size_t digits = strspn(text, "0123456789.,eE+-"), end = digits + strspn(text + digits, " ");
    if (text[end] && !(money && strcmp(text + end, "USD") == 0)) return false;
    snprintf(spelt, sizeof spelt, "%.*s%.*s", (int)(digits < 48 ? digits : 48), text,
             (int)strcspn(row.argument, "|"), row.argument);
    return clg_quantity(spelt, row.dimension, number, &none) == CLG_OK;
}

/* "2e12" tokens are no other number of anything; 15 may be meant in trillions. */
static bool many_tokens(const char *text, clg_param_row row, double *number) {
    clg_error none = {0};
    return row.dimension == CLG_TOKENS && !text[strspn(text, "0123456789.,eE+-")] &&
           clg_quantity(text, CLG_COUNT, number, &none) == CLG_OK && *number >= 1e6;
}

static clg_status read_quantity(const char *text, clg_param_row row, double *number,
                                clg_error *error) {
    *number = 0;
    if (strcmp(text, "0") == 0) return CLG_OK; /* in any unit */
    if (bare_quantity(text, row, number) || many_tokens(text, row, number)) return CLG_OK;
    return clg_quantity(text, row.dimension, number, error);
}

/* Tokens of a sequence. Context lengths are powers of two: their k is 1,024. */
static clg_status read_length(const char *text, double *number, clg_error *error) {
    static const struct {
        const char *unit;
        double factor;
    } units[] = {{"", 1},     {"tok", 1},     {"tokens", 1},  {" tokens", 1}, {"k", 1024},
                 {"K", 1024}, {"M", 1048576}, {"ktok", 1024}, {"Ktok", 1024}, {"Mtok", 1048576}};
    size_t digits = strspn(text, "0123456789.,");
    char plain[32];
    snprintf(plain, sizeof plain, "%.*s", (int)(digits < 31 ? digits : 31), text);
    for (size_t i = 0; i < sizeof units / sizeof units[0] && digits > 0; i++) {
        if (strcmp(text + digits, units[i].unit) != 0) continue;
        if (clg_quantity(plain, CLG_COUNT, number, error) != CLG_OK) return CLG_BAD_INPUT;
        *number *= units[i].factor;
        if (*number == floor(*number) && *number <= 1e12) return CLG_OK;
        break;
    }
    return clg_request_count(text, number, error) == CLG_OK
               ? CLG_OK
               : clg_fail(error, CLG_BAD_INPUT, "give tokens, like 8192 or 128k",
                          "'%.32s' is no length of a sequence", text);
}

static clg_status read_text(const char *text, clg_param_row row, double *number, clg_error *error) {
    if (row.kind == CLG_KIND_QUANTITY) return read_quantity(text, row, number, error);
    if (row.kind == CLG_KIND_LENGTH) return read_length(text, number, error);
    return read_whole(text, number, error);
}

/* "1..1024" in numbers, and in words of how to mend what is out of it. */
static void range_of(clg_param_row row, double *least, double *most, char *mend, size_t size) {
    char first[32];
    clg_error none = {0};
    const char *dots = strstr(row.range, "..");
    bool count = row.kind == CLG_KIND_COUNT;
    *least = 0;
    *most = count ? 1e12 : 1e30;
    snprintf(mend, size,
             count ? "give a whole number from 0 to 1e12"
                   : "give 0 or more, and no more than 1e30");
    if (!dots) return;
    snprintf(first, sizeof first, "%.*s", (int)(dots - row.range), row.range);
    read_text(first, row, least, &none);
    read_text(dots + 2, row, most, &none);
    snprintf(mend, size, "give %s to %s", first, dots + 2);
}

clg_status clg_request_parse(clg_param_row row, const char *text, double *number,
                             clg_error *error) {
    double least, most;
    char mend[96];
    range_of(row, &least, &most, mend, sizeof mend);
    if (read_text(text, row, number, error) != CLG_OK) {
        if (row.kind == CLG_KIND_COUNT && row.range[0])
            snprintf(error->mend, sizeof error->mend, "%s", mend);
        else if (row.kind == CLG_KIND_QUANTITY && row.typed && error->example)
            snprintf(error->mend, sizeof error->mend, "write it like %s", row.fallback);
        return CLG_BAD_INPUT;
    }
    if (*number >= least && *number <= most) return CLG_OK;
    double hundredth = *number / 100;
    bool fraction = row.dimension == CLG_FRACTION || row.dimension == CLG_GROWTH;
    bool share = fraction && !strchr(text, '%') && strchr(row.range, '%');
    size_t used = strlen(mend);
    if (share && hundredth >= least && hundredth <= most)
        snprintf(mend + used, sizeof mend - used, ": %.24s%%, or %.6g", text, hundredth);
    return clg_fail(error, CLG_BAD_INPUT, mend, "'%.32s' is out of range", text);
}

clg_status clg_request_gpus(const char *text, double *number, clg_error *error) {
    static const char digits[] = "0123456789";
    char product[32];
    clg_param_row row = clg_param_row_of(CLG_PARAM_GPUS);
    size_t first = strspn(text, digits), second;
    const char *comma = strchr(text, ',');
    if (comma && !strstr(text, ",0"))
        return clg_fail(error, CLG_BAD_INPUT,
                        "write it without commas; 'ceiling scale' takes lists",
                        "'%.32s' is a list, or one number", text);
    if (first > 0 && first < 8 && text[first] == 'x' &&
        (second = strspn(text + first + 1, digits)) > 0 && second < 8 &&
        !text[first + 1 + second]) {
        snprintf(product, sizeof product, "%lld",
                 strtoll(text, NULL, 10) * strtoll(text + first + 1, NULL, 10));
        text = product;
    }
    clg_status status = clg_request_parse(row, text, number, error);
    if (status != CLG_OK && first > 0 && strpbrk(text + first, "xX ")) /* 64xH100 */
        snprintf(error->mend, sizeof error->mend,
                 "give how many alone: 64, or 8x8; --gpu says which");
    return status;
}

const char *clg_request_word(const clg_request *request, clg_param param) {
    clg_param_row row = clg_param_row_of(param);
    if (request->value[param]) return request->value[param];
    return row.typed ? row.fallback : NULL;
}

clg_status clg_request_number(const clg_request *request, clg_param param, double *number,
                              clg_error *error) {
    const char *text = clg_request_word(request, param);
    *number = 0;
    if (!text) return CLG_OK;
    return clg_request_at_flag(
        param == CLG_PARAM_GPUS ? clg_request_gpus(text, number, error)
                                : clg_request_parse(clg_param_row_of(param), text, number, error),
        param, error);
}

clg_status clg_request_number_or(const clg_request *request, clg_param param, double otherwise,
                                 double *number, clg_error *error) {
    *number = otherwise;
    if (!request->value[param]) return CLG_OK;
    return clg_request_number(request, param, number, error);
}

clg_status clg_request_numbers(const clg_request *request, const clg_wanted_number *row,
                               size_t count, clg_error *error) {
    for (size_t i = 0; i < count; i++)
        if (clg_request_number(request, row[i].param, row[i].into, error) != CLG_OK)
            return error->status;
    return CLG_OK;
}

clg_status clg_request_name(const clg_request *request, clg_param param, const clg_name *names,
                            const char *what, int *value, clg_error *error) {
    const char *word = clg_request_word(request, param);
    if (!word) return CLG_OK;
    return clg_request_at_flag(clg_request_named(param, names, what, word, value, error), param,
                               error);
}

clg_status clg_request_precision(const clg_request *request, clg_param param,
                                 clg_precision *precision, clg_error *error) {
    int value = (int)*precision;
    if (clg_request_name(request, param, clg_precision_names, "precision", &value, error) != CLG_OK)
        return error->status;
    *precision = (clg_precision)value;
    return CLG_OK;
}
