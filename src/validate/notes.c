/* notes.c -- a row's words into its plan. */
#include "validate/notes.h"

#include "validate/row.h"
#include "validate/words.h"

#include <stdlib.h>
#include <string.h>

/* "unknown gradient_overlap": a number as another stack has it. */
static clg_status take_number(clg_arena *arena, const char *said, clg_stack *stack,
                              clg_error *error) {
    clg_stack other;
    size_t size = strcspn(said, " ");
    const char *term = said + size + (said[size] == ' ');
    double *into = clg_stack_number(stack, term);
    if (clg_stack_find(arena, clg_arena_copy(arena, said, size), &other, error) != CLG_OK)
        return error->status;
    if (!into)
        return clg_fail(error, CLG_BAD_INPUT, "write a stack and its term",
                        "'%.64s' is no number of a software stack", term);
    *into = *clg_stack_number(&other, term);
    return CLG_OK;
}

clg_status clg_notes_terms(clg_arena *arena, const char *notes, clg_stack *stack,
                           clg_error *error) {
    const char *said;
    for (int at = 0; (said = clg_words_say(arena, notes, "terms", &at)) != NULL;)
        if (clg_stack_set_all(stack, said, error) != CLG_OK) return error->status;
    for (int at = 0; (said = clg_words_say(arena, notes, "term_of", &at)) != NULL;)
        if (take_number(arena, said, stack, error) != CLG_OK) return error->status;
    int at = 0, kind;
    if ((said = clg_words_say(arena, notes, "gradient", &at)) == NULL) return CLG_OK;
    if (clg_name_value(clg_precision_names, "gradient", said, &kind, error) != CLG_OK)
        return error->status;
    stack->gradient = (clg_precision)kind;
    return CLG_OK;
}

int clg_notes_expert_tensor(clg_arena *arena, const char *notes, int tp) {
    int at = 0;
    const char *said = clg_words_say(arena, notes, "etp", &at);
    if (!said) return 0;
    if (strcmp(said, "tp") == 0) return tp;
    long degree = strtol(said, NULL, 10);
    return degree > 0 && degree < 1 << 16 ? (int)degree : 0;
}

/* Of notes, or of how values were derived. */
static const char *either(clg_arena *arena, const clg_csv *csv, int row, const char *column) {
    int at = 0, from = 0;
    const char *said = clg_words_say(arena, clg_row_word(csv, row, "notes"), column, &at);
    return said ? said : clg_words_say(arena, clg_row_word(csv, row, "derived"), column, &from);
}

const char *clg_notes_stack(clg_arena *arena, const clg_csv *csv, int row) {
    int at = 0;
    const char *said = clg_words_say(arena, clg_row_word(csv, row, "notes"), "stack", &at);
    return said ? said : clg_row_word(csv, row, "stack");
}

const char *clg_notes_sharder(clg_arena *arena, const clg_csv *csv, int row) {
    static const char *const columns[] = {"stack", "zero_written", "notes"};
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
        int at = 0;
        const char *text = clg_row_word(csv, row, columns[c]);
        const char *said = clg_words_say(arena, text, "sharder", &at);
        if (said) return said;
    }
    return "";
}

const char *clg_notes_fabric(clg_arena *arena, const clg_csv *csv, int row) {
    return either(arena, csv, row, "fabric");
}

/* A board that only its text tells from the one in its column. */
const char *clg_notes_gpu(clg_arena *arena, const clg_csv *csv, int row) {
    const char *said = either(arena, csv, row, "gpu");
    return said ? said : clg_row_word(csv, row, "gpu");
}

clg_context_kind clg_notes_context(clg_arena *arena, const clg_csv *csv, int row,
                                   const clg_model *model, int ranks) {
    int kind = CLG_CONTEXT_RING;
    clg_error error = {0};
    const char *said = clg_row_word(csv, row, "cp_kind");
    if (!*said) said = either(arena, csv, row, "cp_kind");
    if (!said || clg_name_value(clg_context_names, "cp_kind", said, &kind, &error) != CLG_OK)
        return CLG_CONTEXT_RING;
    bool dealt = ranks > 0 && model->kind[0].attention.heads % ranks == 0;
    return kind == CLG_CONTEXT_ULYSSES && !dealt ? CLG_CONTEXT_RING : (clg_context_kind)kind;
}

const char *clg_notes_recompute(clg_arena *arena, const clg_csv *csv, int row) {
    int at = 0;
    const char *said = clg_words_say(arena, clg_row_word(csv, row, "notes"), "recompute", &at);
    return said ? said : clg_row_word(csv, row, "recompute");
}

const char *clg_notes_attention(clg_arena *arena, const clg_csv *csv, int row) {
    const char *column = clg_row_word(csv, row, "attention");
    const char *said = *column ? NULL : either(arena, csv, row, "attention");
    return said ? said : column;
}

void clg_notes_layout(clg_arena *arena, const char *notes, int layers, clg_layout *layout) {
    int at = 0, from = 0, named_at = 0, kind;
    clg_error error = {0};
    layout->offload = clg_words_say(arena, notes, "offload", &from) != NULL;
    const char *named = clg_words_say(arena, notes, "optimizer", &named_at);
    if (named && clg_name_value(clg_optimizer_names, "optimizer", named, &kind, &error) == CLG_OK)
        layout->optimizer = (clg_optimizer)kind;
    const char *said = clg_words_say(arena, notes, "recompute_layers", &at);
    long count = said ? strtol(said, NULL, 10) : 0, chunks = (long)layout->pp * layout->vpp;
    if (count < 1 || count >= layers || chunks < 1) return;
    layout->recompute_layers = (int)((count + chunks - 1) / chunks);
}

/* Documents of one length. Texts that call them short print none: 1,024 tokens stand for it, more
 * than web pages mean (C4: 156 G tokens in 365 M pages, Dodge et al. 2021, arXiv:2104.08758); what
 * attention takes inside so few is little either way. Longer ones cost more than shorter ones save,
 * which is left out. */
static void limit_documents(clg_arena *arena, const char *notes, clg_model *model) {
    int at = 0;
    const char *said = clg_words_say(arena, notes, "document_tokens", &at);
    long tokens = said ? strtol(said, NULL, 10) : 0;
    for (int i = 0; tokens > 0 && i < model->kinds; i++) {
        clg_attention *a = &model->kind[i].attention;
        if (a->window > 0 && a->window <= tokens) continue;
        a->window = tokens;
        a->chunked = true;
    }
}

void clg_notes_model(clg_arena *arena, const char *notes, clg_model *model) {
    int at = 0;
    limit_documents(arena, notes, model);
    const char *modules = clg_words_say(arena, notes, "prediction_layers", &at);
    if (!modules) return;
    model->prediction_layers = (int)strtol(modules, NULL, 10);
    clg_model_count(model);
}
