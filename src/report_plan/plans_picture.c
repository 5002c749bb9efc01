/* plans_picture.c -- plans beside one another: a bar of the step by cause, and one of memory. */
#include "report_plan/plans_picture.h"

#include "report/number_words.h"
#include "report/svg.h"
#include "report_plan/plan_text.h"

#include <math.h>

enum { WIDTH = 960, LEFT = 24, BAR = 520, LEGEND = 760, TOP = 62, ROW = 66 };
enum { WAITS = CLG_LEDGER_TERMS, CAUSES };

static double cause_s(const clg_drawn_plan *row, int cause) {
    return cause == WAITS ? row->waits_s : row->plan->time.term_s[cause];
}

static double step_s(const clg_drawn_plan *row) { return row->plan->step_s + row->waits_s; }

static const char *cause_words(int cause) {
    return cause == WAITS ? "the other half" : clg_ledger_terms[cause].words;
}

/* Parts of memory are shades of one colour: the others are of causes. */
static const char memory_color[] = "#455a64";
static double shade(int part) { return 1 - 0.15 * part; }

/* A piece of a bar, from what is before it; what it is under the pointer. */
static double draw_piece(clg_text *svg, double x, double y, double width, double height,
                         const char *color, double opacity, const char *words) {
    if (width > 0) clg_svg_rectangle(svg, x, y, width, height, color, opacity, words);
    return x + fmax(0, width);
}

static void draw_row(clg_text *svg, const clg_drawn_plan *row, double y, double px_per_s,
                     double px_per_byte) {
    const clg_evaluation *e = row->plan;
    char layout[160];
    double x = LEFT;
    clg_layout_print(&e->layout, layout, sizeof layout);
    clg_svg_label(
        svg, LEFT, y, "start",
        clg_arena_print(svg->arena, "%s%s%s", row->words, *row->words ? ": " : "", layout));
    for (int i = 0; i < CAUSES; i++) {
        double seconds = cause_s(row, i);
        x = draw_piece(svg, x, y + 6, seconds * px_per_s, 16, clg_svg_color(i), 1,
                       clg_arena_print(svg->arena, "%s: %s, %.1f %%", cause_words(i),
                                       clg_words_quantity(svg, seconds, CLG_SECONDS),
                                       100 * seconds / step_s(row)));
    }
    clg_svg_label(svg, x + 6, y + 18, "start", clg_words_quantity(svg, step_s(row), CLG_SECONDS));
    x = LEFT;
    for (int i = 0; i < CLG_MEMORY_PARTS; i++) {
        double bytes = e->memory.part_bytes[i];
        x = draw_piece(
            svg, x, y + 26, bytes * px_per_byte, 10, memory_color, shade(i),
            clg_arena_print(svg->arena, "%s: %.1f GB", clg_memory_parts[i].words, bytes / 1e9));
    }
    clg_svg_label(svg, x + 6, y + 36, "start",
                  clg_arena_print(svg->arena, "%.1f of %.1f GB", e->memory.total_bytes / 1e9,
                                  e->capacity_bytes / 1e9));
}

static double draw_key(clg_text *svg, double y, const char *color, double opacity,
                       const char *words) {
    clg_svg_rectangle(svg, LEGEND, y - 9, 10, 10, color, opacity, NULL);
    clg_svg_label(svg, LEGEND + 16, y, "start", words);
    return y + 18;
}

/* Causes of half a per cent and more of some step. */
static double draw_legend(clg_text *svg, const clg_drawn_plan *rows, int count) {
    double y = TOP + 18;
    clg_svg_label(svg, LEGEND, TOP, "start", "step, by cause");
    for (int i = 0; i < CAUSES; i++) {
        bool seen = false;
        for (int k = 0; k < count; k++) seen |= cause_s(&rows[k], i) >= 0.005 * step_s(&rows[k]);
        if (seen) y = draw_key(svg, y, clg_svg_color(i), 1, cause_words(i));
    }
    clg_svg_label(svg, LEGEND, y + 8, "start", "memory of the fullest rank");
    y += 26;
    for (int i = 0; i < CLG_MEMORY_PARTS; i++)
        y = draw_key(svg, y, memory_color, shade(i), clg_memory_parts[i].words);
    return y;
}

void clg_picture_plans(clg_text *svg, const char *title, const clg_drawn_plan *rows, int count) {
    clg_text legend = {.arena = svg->arena};
    double longest_s = 0, most_bytes = 0, low = draw_legend(&legend, rows, count);
    for (int i = 0; i < count; i++) {
        longest_s = fmax(longest_s, step_s(&rows[i]));
        most_bytes = fmax(most_bytes, rows[i].plan->memory.total_bytes);
    }
    clg_svg_open(svg, WIDTH, (int)fmax(low, TOP + ROW * count), title);
    if (count == 0) clg_svg_label(svg, LEFT, TOP, "start", "No layout fits.");
    for (int i = 0; i < count; i++)
        draw_row(svg, &rows[i], TOP + ROW * i, BAR / longest_s, BAR / most_bytes);
    clg_text_add(svg, legend.data, legend.size);
    clg_svg_close(svg);
}
