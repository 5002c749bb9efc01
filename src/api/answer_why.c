/* answer_why.c -- why a layout is what it is, what would move it, how to start it. */
#include "api/answer.h"

#include "explain/sensitivity.h"
#include "explain/undone.h"
#include "job/launch.h"
#include "report/plan_json.h"

static void add_undone(clg_json_writer *w, const clg_scenario *s, const clg_undone *row,
                       int count) {
    clg_json_open(w, "undone", '[');
    for (int i = 0; i < count; i++) {
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "what", row[i].what);
        clg_json_add_string(w, "illegal", row[i].illegal);
        if (row[i].illegal)
            clg_json_add_null(w, "plan");
        else
            clg_json_explain(w, "plan", s, &row[i].plan);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}

static void add_moves(clg_json_writer *w, const clg_sensitivity *row) {
    clg_json_open(w, "moves", '[');
    for (int i = 0; i < CLG_RESOURCES; i++) {
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "resource", row[i].resource);
        clg_json_add_number(w, "elasticity", row[i].elasticity);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}

static void add_launch(clg_arena *arena, clg_json_writer *w, const clg_scenario *s,
                       const clg_layout *layout) {
    clg_json_open(w, "launch", '[');
    for (int i = 0; clg_trainer_names[i].name; i++) {
        clg_text flags = {.arena = arena};
        clg_launch launch = clg_launch_of(arena, clg_trainer_names[i].value, s, layout);
        clg_launch_print(&flags, clg_trainer_names[i].value, &launch);
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "trainer", clg_trainer_names[i].name);
        clg_json_add_string(w, "text", flags.data);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}

clg_status clg_answer_why_json(clg_arena *arena, const clg_answer *a, clg_text *text,
                               clg_error *error) {
    const clg_layout *layout = &a->evaluation.layout;
    clg_undone undone[CLG_UNDONE];
    clg_sensitivity moves[CLG_RESOURCES];
    if (clg_sensitivities(arena, &a->scenario, layout, moves, error) != CLG_OK)
        return error->status;
    int count = clg_undo(arena, &a->scenario, layout, undone);
    clg_json_writer writer = {.text = text, .pretty = true}, *w = &writer;
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "kind", "why");
    clg_json_layout(w, layout);
    add_undone(w, &a->scenario, undone, count);
    add_moves(w, moves);
    clg_json_add_string(w, "mend", clg_evaluate_mend(arena, &a->scenario, layout));
    add_launch(arena, w, &a->scenario, layout);
    clg_json_close(w, '}');
    clg_text_print(text, "\n");
    return CLG_OK;
}
