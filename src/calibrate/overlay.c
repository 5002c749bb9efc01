/* overlay.c -- writes what a fit moved as a data file. */
#include "calibrate/overlay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Four digits: no fit knows more. */
static double rounded(double value) {
    char text[32];
    snprintf(text, sizeof text, "%.4g", value);
    return strtod(text, NULL);
}

static void print_value(clg_json_writer *w, const char *name, double value, const char *unit,
                        const char *source) {
    clg_json_open(w, name, '{');
    clg_json_add_number(w, "value", rounded(value));
    clg_json_add_string(w, "unit", unit);
    clg_json_add_string(w, "source", source);
    clg_json_add_string(w, "kind", "fitted");
    clg_json_close(w, '}');
}

static const char *source_of(clg_arena *arena, const clg_calibration *c, const char *input) {
    const clg_residual *r = &c->fit.after, *h = &c->fit.held_out;
    const char *unseen = h->samples > 0 ? clg_arena_print(arena,
                                                          "; left out of the fit: median %.2g, "
                                                          "P90 %.2g",
                                                          h->median, h->p90)
                                        : "";
    return clg_arena_print(arena,
                           "ceiling fit on %d samples of %s (%s): |ln(predicted/measured)| median "
                           "%.2g, P90 %.2g%s",
                           r->samples, input, c->range, r->median, r->p90, unseen);
}

static void print_terms(clg_json_writer *w, const clg_calibration *c, const char *input) {
    clg_arena *arena = w->text->arena;
    const char *source = source_of(arena, c, input);
    for (int i = 0; i < c->terms; i++) {
        const clg_fit_term *t = &c->term[i];
        if (t->held) continue;
        const char *why =
            clg_arena_print(arena, "%s; was %.4g", source, rounded(t->from / t->unit_si));
        print_value(w, t->name, t->to / t->unit_si, t->unit, why);
    }
    if (c->sigma_to != c->sigma_from)
        print_value(w, "sigma", c->sigma_to, "",
                    clg_arena_print(arena, "%s; was %.4g", source, rounded(c->sigma_from)));
}

static void copy_node(clg_json_writer *w, const char *key, const clg_json *node) {
    switch (node->kind) {
    case CLG_JSON_OBJECT:
    case CLG_JSON_ARRAY:
        clg_json_open(w, key, node->kind == CLG_JSON_OBJECT ? '{' : '[');
        for (const clg_json *c = node->first; c; c = c->next) copy_node(w, c->key, c);
        clg_json_close(w, node->kind == CLG_JSON_OBJECT ? '}' : ']');
        break;
    case CLG_JSON_NUMBER:
        clg_json_add_number(w, key, node->number);
        break;
    case CLG_JSON_STRING:
        clg_json_add_string(w, key, node->text);
        break;
    case CLG_JSON_BOOL:
        clg_json_add_bool(w, key, node->truth);
        break;
    default:
        clg_json_add_null(w, key);
    }
}

static bool moved(const clg_calibration *c, const char *key) {
    if (strcmp(key, "sigma_late") == 0) return true;
    if (strcmp(key, "sigma") == 0) return c->sigma_to != c->sigma_from;
    for (int i = 0; i < c->terms; i++)
        if (strcmp(c->term[i].name, key) == 0) return !c->term[i].held;
    return false;
}

/* A stack of the user's own is carried along whole; a built-in one is named. */
static void print_base(clg_json_writer *w, const clg_calibration *c) {
    static const char *const said[] = {"name", "title", "notes"};
    if (!c->base_data) {
        clg_json_add_string(w, "base", c->base);
        return;
    }
    for (const clg_json *m = c->base_data->first; m; m = m->next) {
        bool skip = moved(c, m->key);
        for (int i = 0; i < 3; i++) skip = skip || strcmp(said[i], m->key) == 0;
        if (!skip) copy_node(w, m->key, m);
    }
}

static void print_head(clg_json_writer *w, const clg_calibration *c, const char *input) {
    clg_arena *arena = w->text->arena;
    bool stack = strcmp(c->knob, "stack") == 0, suffix = stack && !c->base_data;
    clg_json_add_string(w, "name", suffix ? clg_arena_print(arena, "%s-fitted", c->base) : c->base);
    clg_json_add_string(w, "title", clg_arena_print(arena, "%s, fitted to %s", c->base, input));
    if (c->notes) clg_json_add_string(w, "notes", c->notes);
    if (!stack) return;
    print_base(w, c);
    print_value(w, "sigma_late", 0, "", "how late this software is was measured");
}

/* Products of all precisions stand in one member, and first in the list. */
static void in_gemm(clg_json_writer *w, const clg_calibration *c, bool *inside) {
    bool wanted = c && strcmp(c->knob, "kernels") == 0 && strcmp(c->part, "memory") != 0;
    if (wanted && !*inside) clg_json_open(w, "gemm", '{');
    if (!wanted && *inside) clg_json_close(w, '}');
    *inside = wanted;
}

/* The machine that links were measured on: on another they are refused. */
static void print_machine(clg_json_writer *w, const clg_calibration *list, int count) {
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].knob, "network") == 0)
            clg_json_add_string(w, strcmp(list[i].part, "fast") == 0 ? "gpu" : "fabric",
                                list[i].base);
}

bool clg_overlay_print(clg_text *text, const clg_calibration *list, int count, const char *knob,
                       const char *input) {
    clg_json_writer w = {.text = text, .pretty = true};
    bool any = false, inside = false;
    clg_json_open(&w, NULL, '{');
    for (int i = 0; i < count; i++) {
        const clg_calibration *c = &list[i];
        if (strcmp(c->knob, knob) != 0) continue;
        if (!any) print_head(&w, c, input);
        if (!any && strcmp(knob, "network") == 0) print_machine(&w, list, count);
        any = true;
        in_gemm(&w, c, &inside);
        if (*c->part) clg_json_open(&w, c->part, '{');
        print_terms(&w, c, input);
        if (*c->part) clg_json_close(&w, '}');
    }
    in_gemm(&w, NULL, &inside);
    clg_json_close(&w, '}');
    clg_text_print(text, "\n");
    return any;
}
