/* kernels.c -- reading names of kernels, operations and types. */
#include "record/kernels.h"

#include "base/letters.h"
#include "dataset/kept.h"

#include <string.h>

const clg_name clg_operation_names[] = {{"unknown", CLG_OPERATION_UNKNOWN, NULL},
                                        {"all-reduce", CLG_OPERATION_ALL_REDUCE, NULL},
                                        {"all-gather", CLG_OPERATION_ALL_GATHER, NULL},
                                        {"reduce-scatter", CLG_OPERATION_REDUCE_SCATTER, NULL},
                                        {"all-to-all", CLG_OPERATION_ALL_TO_ALL, NULL},
                                        {"send-receive", CLG_OPERATION_SEND_RECEIVE, NULL},
                                        {"broadcast", CLG_OPERATION_BROADCAST, NULL},
                                        {"reduce", CLG_OPERATION_REDUCE, NULL},
                                        {"send", CLG_OPERATION_SEND, NULL},
                                        {"receive", CLG_OPERATION_RECEIVE, NULL},
                                        {"barrier", CLG_OPERATION_BARRIER, NULL},
                                        {"dispatch", CLG_OPERATION_DISPATCH, NULL},
                                        {"combine", CLG_OPERATION_COMBINE, NULL},
                                        {NULL, 0, NULL}};

clg_csv clg_trace_kernels(clg_arena *arena) { return clg_dataset_csv(arena, "trace/kernels.csv"); }

/* Demangled names of templates start with the return type. */
static const char *past_return_type(const char *kernel) {
    return strncmp(kernel, "void ", 5) == 0 ? kernel + 5 : kernel;
}

static bool matches(const clg_csv *table, int row, const char *name) {
    const char *pattern = clg_csv_field(table, row, "pattern");
    bool start = strcmp(clg_csv_field(table, row, "where"), "start") == 0;
    return start ? strncmp(name, pattern, strlen(pattern)) == 0 : strstr(name, pattern) != NULL;
}

clg_kernel_class clg_trace_classify(const clg_csv *table, const char *kernel) {
    const char *name = past_return_type(kernel);
    clg_kernel_class class = {0};
    int row = 0;
    while (row < table->rows && !matches(table, row, name)) row++;
    if (row == table->rows) return class;
    const char *work = clg_csv_field(table, row, "work");
    class.communicates = strcmp(work, "communication") == 0;
    class.product = strcmp(work, "product") == 0;
    class.copies = strcmp(work, "copy") == 0;
    const char *said = clg_csv_field(table, row, "operation");
    const char *from = *said ? said : name;
    if (class.communicates) class.operation = clg_trace_operation((clg_slice){from, strlen(from)});
    return class;
}

/* Small letters only: underscores and dashes differ between spellings. */
static void squeeze(clg_slice text, char *out, size_t capacity) {
    size_t size = 0;
    for (size_t i = 0; i < text.size && size + 1 < capacity; i++) {
        char c = text.text[i];
        c = clg_lower(c);
        if (c != '_' && c != '-') out[size++] = c;
    }
    out[size] = '\0';
}

/* In this order: "reduce" is also in "allreduce". */
static const struct {
    const char *word;
    clg_operation operation;
} spellings[] = {{"allreduce", CLG_OPERATION_ALL_REDUCE},
                 {"reducescatter", CLG_OPERATION_REDUCE_SCATTER},
                 {"allgather", CLG_OPERATION_ALL_GATHER},
                 {"alltoall", CLG_OPERATION_ALL_TO_ALL},
                 {"sendrec", CLG_OPERATION_SEND_RECEIVE},
                 {"broadcast", CLG_OPERATION_BROADCAST},
                 {"barrier", CLG_OPERATION_BARRIER},
                 {"dispatch", CLG_OPERATION_DISPATCH},
                 {"combine", CLG_OPERATION_COMBINE},
                 {"reduce", CLG_OPERATION_REDUCE},
                 {"send", CLG_OPERATION_SEND},
                 {"recv", CLG_OPERATION_RECEIVE}};
enum { SPELLINGS = sizeof spellings / sizeof spellings[0] };

clg_operation clg_trace_operation(clg_slice text) {
    char word[256];
    squeeze(text, word, sizeof word);
    for (int i = 0; i < SPELLINGS; i++)
        if (strstr(word, spellings[i].word)) return spellings[i].operation;
    return CLG_OPERATION_UNKNOWN;
}

bool clg_trace_suspicious(const char *kernel) {
    static const char *const words[] = {"allreduce",     "allgather", "alltoall",
                                        "reducescatter", "dispatch",  "combine"};
    const char *name = past_return_type(kernel);
    char word[256];
    squeeze((clg_slice){name, strcspn(name, "<(")}, word, sizeof word);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(word, words[i])) return true;
    return strstr(name, "::ep::") || strncmp(name, "ep::", 4) == 0;
}

double clg_trace_bus_factor(clg_operation operation, int64_t ranks) {
    double n = (double)ranks;
    if (ranks < 2) return 0;
    switch (operation) {
    case CLG_OPERATION_ALL_REDUCE:
        return 2 * (n - 1) / n;
    case CLG_OPERATION_ALL_GATHER:
    case CLG_OPERATION_REDUCE_SCATTER:
    case CLG_OPERATION_ALL_TO_ALL:
        return (n - 1) / n;
    case CLG_OPERATION_BROADCAST:
    case CLG_OPERATION_REDUCE:
    case CLG_OPERATION_SEND:
    case CLG_OPERATION_RECEIVE:
        return 1;
    default:
        return 0;
    }
}

/* c10::ScalarType names, and the C++ names that recorded inputs carry. */
static const struct {
    const char *name;
    int bytes;
} types[] = {{"float", 4},
             {"half", 2},
             {"c10half", 2},
             {"bfloat16", 2},
             {"c10bfloat16", 2},
             {"double", 8},
             {"long", 8},
             {"long int", 8},
             {"int", 4},
             {"short", 2},
             {"short int", 2},
             {"byte", 1},
             {"unsigned char", 1},
             {"char", 1},
             {"signed char", 1},
             {"bool", 1},
             {"float8e4m3fn", 1},
             {"float8e5m2", 1},
             {"c10float8e4m3fn", 1},
             {"c10float8e5m2", 1},
             {"complexfloat", 8},
             {"c10complex<float>", 8}};

int clg_trace_element_bytes(clg_slice type) {
    char word[64], bare[64];
    squeeze(type, word, sizeof word);
    size_t size = 0;
    for (const char *p = word; *p; p++)
        if (*p != ':') bare[size++] = *p;
    bare[size] = '\0';
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, bare) == 0) return types[i].bytes;
    return 0;
}

/* The next string of a list of strings. */
static bool next_text(clg_slice *list, clg_slice *text) {
    if (list->size == 0) return false;
    clg_scan s = {list->text, list->text + list->size};
    while (s.at < s.end && *s.at != '"') s.at++;
    if (s.at == s.end || clg_scan_value(&s, text) != CLG_SCAN_OK) return false;
    *list = (clg_slice){s.at, (size_t)(s.end - s.at)};
    return true;
}

/* Product of the numbers in one "[2048, 4, 4096]"; -1 when it holds lists or overflows. */
static int64_t elements(clg_slice list) {
    int64_t product = 1, number = -1;
    for (size_t i = 1; i < list.size; i++) {
        char c = list.text[i];
        if (c == '[') return -1;
        if (clg_is_digit(c))
            number = (number < 0 ? 0 : number) * 10 + (c - '0');
        else if (number >= 0) {
            if (number > 0 && product > INT64_MAX / 64 / number) return -1;
            product *= number;
            number = -1;
        }
        if (number > INT64_MAX / 64) return -1;
    }
    return product;
}

int64_t clg_trace_tensor_bytes(clg_slice dims, clg_slice type_list) {
    if (dims.size == 0 || *dims.text != '[') return -1;
    clg_scan s = {dims.text + 1, dims.text + dims.size};
    clg_slice type, shape;
    int64_t total = -1;
    while (next_text(&type_list, &type)) {
        clg_scan_separators(&s);
        if (clg_scan_value(&s, &shape) != CLG_SCAN_OK || shape.size == 0) break;
        int bytes = clg_trace_element_bytes(type);
        if (bytes == 0 || *shape.text != '[') continue;
        int64_t count = elements(shape);
        if (count < 0 || count > INT64_MAX / 64 - (total > 0 ? total / 8 : 0)) return -1;
        total = (total < 0 ? 0 : total) + count * bytes;
    }
    return total;
}
