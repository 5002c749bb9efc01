/* storage_report.c -- two lines on storage, and its member of JSON. */
#include "report_plan/storage_report.h"

#include "economics/storage.h"
#include "report/number_words.h"

static bool find(clg_arena *arena, const clg_scenario *scenario, const clg_evaluation *e,
                 clg_storage *s) {
    clg_operations operations;
    clg_error none = {0};
    if (e->layout.adapter.kind != CLG_ADAPTER_NONE ||
        clg_operations_default(arena, &operations, &none) != CLG_OK)
        return false;
    *s = clg_storage_of(&operations, scenario, e);
    return true;
}

void clg_report_storage(clg_text *t, const clg_scenario *scenario, const clg_evaluation *e) {
    clg_storage s;
    if (!find(t->arena, scenario, e, &s)) return;
    clg_text_print(t, "\n");
    size_t from = t->size;
    clg_text_print(
        t,
        "storage  reads %.3g samples/s, %s of token ids; writes checkpoints of %s, %s a node, in ",
        s.samples_per_s, clg_words_quantity(t, s.read_bytes_per_s, CLG_BYTES_PER_S),
        clg_words_quantity(t, s.checkpoint_bytes, CLG_BYTES),
        clg_words_quantity(t, s.node_bytes, CLG_BYTES));
    clg_text_print(t, "%s at %s", clg_words_quantity(t, s.checkpoint_s, CLG_SECONDS),
                   clg_words_quantity(t, s.bytes_per_s, CLG_BYTES_PER_S));
    if (s.interval_s > 0)
        clg_text_print(t,
                       ", every %s: %.2g %% of the time; a wall (1 %% and more) below %s, or where "
                       "reading is slower than %s",
                       clg_words_quantity(t, s.interval_s, CLG_SECONDS), 100 * s.share,
                       clg_words_quantity(t, s.one_percent_bytes_per_s, CLG_BYTES_PER_S),
                       clg_words_quantity(t, s.read_bytes_per_s, CLG_BYTES_PER_S));
    clg_text_print(t, "\n");
    clg_text_fold(t, from, 9);
}

void clg_json_storage(clg_json_writer *w, const clg_scenario *scenario, const clg_evaluation *e) {
    clg_storage s;
    if (!find(w->text->arena, scenario, e, &s)) {
        clg_json_add_null(w, "storage");
        return;
    }
    clg_json_open(w, "storage", '{');
    clg_json_add_number(w, "samples_per_s", s.samples_per_s);
    clg_json_add_number(w, "read_bytes_per_s", s.read_bytes_per_s);
    clg_json_add_number(w, "bytes_per_s", s.bytes_per_s);
    clg_json_add_number(w, "checkpoint_bytes", s.checkpoint_bytes);
    clg_json_add_number(w, "checkpoint_node_bytes", s.node_bytes);
    clg_json_add_number(w, "checkpoint_s", s.checkpoint_s);
    clg_json_add_number(w, "checkpoint_interval_s", s.interval_s);
    clg_json_add_number(w, "checkpoint_share", s.share);
    clg_json_add_number(w, "one_percent_bytes_per_s", s.one_percent_bytes_per_s);
    clg_json_close(w, '}');
}
