/* lengths.c -- see the header. */
#include "measured/lengths.h"

#include "base/real.h"
#include "dataset/open.h"
#include "dataset/value.h"

/* Whether a pair continues those before it: counts rise with lengths, from none. */
static bool continues(const clg_length_ends *e, const clg_json *tokens, const clg_json *count) {
    bool numbers = count && tokens->kind == CLG_JSON_NUMBER && count->kind == CLG_JSON_NUMBER;
    if (!numbers || e->ends == CLG_LENGTH_ENDS) return false;
    if (e->ends == 0) return tokens->number >= 1 && count->number == 0;
    int last = e->ends - 1;
    return tokens->number > e->tokens[last] && tokens->number <= 1e6 &&
           count->number > e->count[last] && count->number <= 1e9;
}

static clg_status read_ends(const clg_json *root, const char *key, const char *file,
                            clg_length_ends *e, clg_error *error) {
    const clg_json *object = clg_json_member(root, key);
    const clg_json *list = object ? clg_json_member(object, "value") : NULL;
    const clg_json *pair = list ? list->first : NULL;
    for (; pair && continues(e, pair->first, pair->first ? pair->first->next : NULL);
         pair = pair->next) {
        e->tokens[e->ends] = pair->first->number;
        e->count[e->ends++] = pair->first->next->number;
    }
    if (!pair && e->ends > 1) return CLG_OK;
    clg_error_at(error, file, pair ? pair->line : root->line, pair ? pair->column : root->column,
                 key);
    return clg_fail(error, CLG_BAD_INPUT, "give pairs [tokens, texts so long or shorter] that rise",
                    "lengths that cannot be read");
}

clg_status clg_lengths_find(clg_arena *arena, const char *name, clg_lengths *lengths,
                            clg_error *error) {
    const clg_file *file;
    const clg_json *root;
    *lengths = (clg_lengths){0};
    if (clg_dataset_open(arena, "lengths", name, &file, &root, error) != CLG_OK ||
        read_ends(root, "prompt", file->path, &lengths->prompt, error) != CLG_OK ||
        read_ends(root, "output", file->path, &lengths->output, error) != CLG_OK)
        return error->status;
    return clg_value_done(root, file->path, error);
}

double clg_length_at(const clg_length_ends *e, double share) {
    double count = share * e->count[e->ends - 1];
    int above = 1;
    while (above < e->ends - 1 && e->count[above] < count) above++;
    double from = e->tokens[above - 1], before = e->count[above - 1];
    double within = (count - before) / (e->count[above] - before);
    return from * clg_pow(e->tokens[above] / from, within);
}
