/* demand_picture.c -- serving economics as a picture of four panels. */
#include "report_serving/demand_report.h"

#include "base/real.h"
#include "report/price_words.h"
#include "report/svg.h"

#include <math.h>

enum {
    WIDTH = 1080,
    HEIGHT = 860,
    LEFT = 90,
    RIGHT = 1040,
    MIDDLE_LEFT = 480,
    MIDDLE_RIGHT = 640,
    TOP = 84,
    BOTTOM = 800,
    MIDDLE_UP = 390,
    MIDDLE_DOWN = 510,
    STEPS = 160
};

/* A panel's pixels: left, right, top, bottom. */
typedef struct box {
    double left, right, top, bottom;
} box;

static void heading(clg_text *svg, const box *b, const char *words) {
    clg_text_print(svg, "<g font-weight=\"bold\">");
    clg_svg_label(svg, b->left - 40, b->top - 16, "start", words);
    clg_text_print(svg, "</g>\n");
}

static void under(clg_text *svg, const box *b, const char *words) {
    clg_svg_label(svg, (b->left + b->right) / 2, b->bottom + 40, "middle", words);
}

static void beside(clg_text *svg, const box *b, const char *words) {
    clg_svg_turned(svg, b->left - 56, (b->top + b->bottom) / 2, -90, "middle", CLG_SVG_FONT_PX,
                   words);
}

static void colored(clg_text *svg, const char *color, double x, double y, const char *anchor,
                    const char *words) {
    clg_text_print(svg,
                   "<g fill=\"%s\" stroke=\"white\" stroke-width=\"3\" "
                   "paint-order=\"stroke\">",
                   color);
    clg_svg_label(svg, x, y, anchor, words);
    clg_text_print(svg, "</g>\n");
}

static double base_of(double low, double high) {
    return high / low > 300 ? 10 : high / low > 30 ? 4 : 2;
}

static double kept(const clg_svg_axis *axis, double value) {
    return fmin(fmax(value, axis->low), axis->high);
}

/* Sequences that places and the cache hold at the mean context. */
static double most_sequences(const clg_replica *r, const clg_demand_means *m) {
    double room = (double)r->rules.blocks * r->rules.block_tokens;
    return fmax(1, fmin((double)r->rules.max_sequences, room / fmax(1, m->context_tokens)));
}

/* ---- throughput and cost against batch */

static void draw_batch(clg_text *svg, const clg_serve_question *q, const clg_serve_answer *a,
                       const box *b) {
    const clg_replica *r = q->replica;
    clg_demand_means m = clg_demand_means_of(q->demand);
    double most = most_sequences(r, &m);
    double low = clg_replica_steady_tokens_per_s(r, &m, 1);
    double high = clg_replica_steady_tokens_per_s(r, &m, most);
    clg_svg_axis x = {1, fmax(2, most), b->left, b->right, 0};
    clg_svg_axis y = {low / 2, fmax(high, low * 2) * 1.5, b->bottom, b->top, 0};
    heading(svg, b, "Throughput and cost against batch, one replica");
    clg_svg_frame(svg, &x, &y, base_of(x.low, x.high) > 2 ? 4 : 2, CLG_COUNT,
                  base_of(y.low, y.high), CLG_COUNT);
    clg_text_print(svg, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2.2\" d=\"",
                   clg_svg_color(CLG_BLUE));
    for (int i = 0; i <= STEPS; i++) {
        double batch = x.low * clg_exp2(clg_log2(x.high / x.low) * i / STEPS);
        double rate = clg_replica_steady_tokens_per_s(r, &m, batch);
        clg_text_print(svg, "%s%.1f %.1f", i == 0 ? "M" : "L", clg_svg_place(&x, batch),
                       clg_svg_place(&y, kept(&y, rate)));
    }
    clg_text_print(svg, "\"/>\n");
    for (double batch = 1; batch <= x.high * 1.001; batch *= 4) {
        double rate = clg_replica_steady_tokens_per_s(r, &m, batch);
        double px = clg_svg_place(&x, batch), py = clg_svg_place(&y, kept(&y, rate));
        bool last = batch * 4 > x.high * 1.001;
        clg_text_print(svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>\n", px, py,
                       clg_svg_color(CLG_BLUE));
        colored(svg, clg_svg_color(CLG_ORANGE), last ? px - 4 : px + 6, last ? py - 10 : py + 18,
                last ? "end" : "start",
                clg_arena_print(svg->arena, "$%.3g/M", 1e6 * a->usd_per_s / rate));
    }
    under(svg, b, "sequences in the batch (orange: dollars per million output tokens)");
    beside(svg, b, "output tokens/s");
}

/* ---- load through the span */

static double round_up(double value) {
    double unit = 1;
    while (unit * 10 < value) unit *= 10;
    static const double steps[] = {1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10};
    for (int i = 0; i < 10; i++)
        if (steps[i] * unit >= value) return steps[i] * unit;
    return value;
}

static void linear_grid(clg_text *svg, const box *b, double most) {
    for (int i = 0; i <= 4; i++) {
        double at = b->bottom + (b->top - b->bottom) * i / 4;
        clg_text_print(svg, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#ddd\"/>\n", b->left, at,
                       b->right);
        clg_svg_label(svg, b->left - 6, at + 4, "end",
                      clg_arena_print(svg->arena, "%g", most * i / 4));
    }
    clg_text_print(svg, "<path d=\"M%.1f %.1fV%.1fH%.1f\" fill=\"none\" stroke=\"#333\"/>\n",
                   b->left, b->top, b->bottom, b->right);
}

static void time_ticks(clg_text *svg, const box *b, double span_s) {
    static const double units[] = {60, 300, 600, 1800, 3600, 14400, 43200, 86400, 604800};
    double unit = units[8];
    for (int i = 8; i >= 0; i--)
        if (span_s / units[i] <= 8.01) unit = units[i];
    while (span_s / unit > 8.01) unit *= 2;
    for (double t = 0; t <= span_s * 1.001; t += unit) {
        const char *words = unit < 3600    ? clg_arena_print(svg->arena, "%g min", t / 60)
                            : unit < 86400 ? clg_arena_print(svg->arena, "%g h", t / 3600)
                                           : clg_arena_print(svg->arena, "%g d", t / 86400);
        clg_svg_label(svg, b->left + (b->right - b->left) * t / span_s, b->bottom + 18, "middle",
                      words);
    }
}

/* Demand as bars, what meets the target as a line over them; `wide` and `tall` are pixels a second
 * and a replica. */
static void draw_load(clg_text *svg, const clg_serve_answer *a, const box *b, double wide,
                      double tall) {
    for (int64_t i = 0; i < a->windows; i++) {
        const clg_serve_window *w = &a->window[i];
        clg_svg_rectangle(svg, b->left + w->begin_s * wide, b->bottom + w->steady * tall,
                          w->seconds * wide, -w->steady * tall, clg_svg_color(CLG_BLUE), 0.55,
                          NULL);
    }
    clg_text_print(svg, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" d=\"",
                   clg_svg_color(CLG_ORANGE));
    for (int64_t i = 0; i < a->windows; i++) {
        const clg_serve_window *w = &a->window[i];
        clg_text_print(svg, "%s%.2f %.1fH%.2f", i == 0 ? "M" : "L", b->left + w->begin_s * wide,
                       b->bottom + w->needed * tall, b->left + (w->begin_s + w->seconds) * wide);
    }
    clg_text_print(svg, "\"/>\n");
}

static void dashed(clg_text *svg, const box *b, double at, const char *color) {
    clg_text_print(svg,
                   "<path d=\"M%.1f %.1fH%.1f\" stroke=\"%s\" stroke-width=\"1.6\" "
                   "stroke-dasharray=\"6 4\"/>\n",
                   b->left, at, b->right, color);
}

static void draw_windows(clg_text *svg, const clg_serve_question *q, const clg_serve_answer *a,
                         const box *b) {
    double span = q->demand->span_s, fleet = (double)a->fleet.replicas, most = fleet;
    heading(svg, b, "Load through the span, in replicas");
    if (!a->window || span <= 0) {
        under(svg, b, "all at once or in a closed loop: no span to draw");
        return;
    }
    for (int64_t i = 0; i < a->windows; i++) most = fmax(most, a->window[i].needed);
    most = round_up(most * 1.05);
    linear_grid(svg, b, most);
    time_ticks(svg, b, span);
    double wide = (b->right - b->left) / span, tall = (b->top - b->bottom) / most;
    draw_load(svg, a, b, wide, tall);
    dashed(svg, b, b->bottom + fleet * tall, clg_svg_color(CLG_RED));
    colored(svg, clg_svg_color(CLG_RED), b->right, b->bottom + fleet * tall - 6, "end",
            clg_arena_print(svg->arena, "fixed fleet: %g", fleet));
    under(svg, b, "blue: demand at the target's rate; orange: replicas that meet the target");
    beside(svg, b, "replicas");
}

/* ---- the cost, factor by factor */

static void draw_factors(clg_text *svg, const clg_serve_answer *a, const box *b) {
    double usd = 1, low = INFINITY, high = 0;
    for (int i = 0; i < CLG_FACTORS; i++) {
        usd *= a->factor[i];
        low = fmin(low, usd);
        high = fmax(high, usd);
    }
    heading(svg, b, "Dollars per million output tokens, factor by factor");
    if (!(low > 0) || !isfinite(high)) {
        under(svg, b, "no price of the GPU is known");
        return;
    }
    clg_svg_axis x = {1, 2, b->left, b->right, 0}; /* only for the frame */
    clg_svg_axis y = {low / 2, high * 2, b->bottom, b->top, 0};
    clg_svg_axis none = {1.01, 1.02, x.start, x.end, 0};
    clg_svg_frame(svg, &none, &y, 10, CLG_COUNT, base_of(y.low, y.high), CLG_COUNT);
    double slot = (b->right - b->left) / CLG_FACTORS;
    usd = 1;
    for (int i = 0; i < CLG_FACTORS; i++) {
        double before = i == 0 ? y.low : usd;
        usd *= a->factor[i];
        double from = clg_svg_place(&y, before), to = clg_svg_place(&y, usd);
        double left = b->left + slot * i + slot * 0.15, top = fmin(from, to);
        const char *color = i == 0              ? clg_svg_color(CLG_BLUE)
                            : a->factor[i] >= 1 ? clg_svg_color(CLG_ORANGE)
                                                : clg_svg_color(CLG_GREEN);
        clg_svg_rectangle(svg, left, top, slot * 0.7, fmax(1.5, fabs(to - from)), color, 1, NULL);
        clg_svg_label(svg, left + slot * 0.35, top - 6, "middle",
                      i == 0 ? clg_arena_print(svg->arena, "$%.3g", usd)
                             : clg_arena_print(svg->arena, "x %.2f", a->factor[i]));
        clg_svg_turned(svg, left + slot * 0.5, b->bottom + 14, -24, "end", 11,
                       clg_name_of(clg_factor_names, i));
    }
    colored(svg, clg_svg_color(CLG_RED), b->right - 4, clg_svg_place(&y, usd) - 22, "end",
            clg_arena_print(svg->arena, "paid: $%.3g", usd));
    beside(svg, b, "dollars per million output tokens");
}

/* ---- cost against demand */

/* Dollars per million tokens of as many whole replicas as a steady rate needs. */
static double cost_at(const clg_serve_answer *a, double tokens_per_s) {
    double replicas = fmax(1, ceil(tokens_per_s / a->target_tokens_per_s - 1e-9));
    return 1e6 * a->usd_per_s * replicas / tokens_per_s;
}

static void draw_api(clg_text *svg, const clg_serve_question *q, const box *b, double at,
                     double usd_per_million) {
    const char *red = clg_svg_color(CLG_RED);
    dashed(svg, b, at, red);
    colored(svg, red, b->left + 8, at - 6, "start",
            clg_arena_print(svg->arena, "API, this mix: $%.3g", usd_per_million));
    if (q->api && q->api->title)
        colored(svg, red, b->left + 8, at + 14, "start",
                clg_arena_print(svg->arena, "%.60s", clg_report_api(svg->arena, q->api)));
}

static void draw_crossing(clg_text *svg, const box *b, double at, double requests_per_s) {
    const char *grey = clg_svg_color(CLG_GREY);
    clg_text_print(svg, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"%s\" stroke-dasharray=\"2 3\"/>\n",
                   at, b->top, b->bottom, grey);
    colored(svg, grey, at + 5, b->bottom - 8, "start",
            clg_arena_print(svg->arena, "break-even %.3g req/s", requests_per_s));
}

static void draw_break_even(clg_text *svg, const clg_serve_question *q, const clg_serve_answer *a,
                            const box *b) {
    clg_demand_means m = clg_demand_means_of(q->demand);
    double full = a->target_tokens_per_s / m.output_tokens, api = a->api_usd_per_million;
    heading(svg, b, "Break-even: whole replicas against the API");
    if (!(full > 0) || !(a->usd_per_s > 0)) {
        under(svg, b, "no price of the GPU is known, or no rate meets the target");
        return;
    }
    double end = 8 * fmax(full, a->rho > 0 ? a->rho * full * (double)a->fleet.replicas : 0);
    clg_svg_axis x = {full / 200, end, b->left, b->right, 0};
    double lowest = cost_at(a, full * m.output_tokens);
    clg_svg_axis y = {fmin(lowest, api > 0 ? api : lowest) / 2,
                      fmax(cost_at(a, x.low * m.output_tokens), api) * 1.5, b->bottom, b->top, 0};
    clg_svg_frame(svg, &x, &y, 10, CLG_COUNT, base_of(y.low, y.high), CLG_COUNT);
    clg_text_print(svg, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2.2\" d=\"",
                   clg_svg_color(CLG_BLUE));
    for (int i = 0; i <= 4 * STEPS; i++) {
        double rate = x.low * clg_exp2(clg_log2(x.high / x.low) * i / (4 * STEPS));
        clg_text_print(svg, "%s%.1f %.1f", i == 0 ? "M" : "L", clg_svg_place(&x, rate),
                       clg_svg_place(&y, kept(&y, cost_at(a, rate * m.output_tokens))));
    }
    clg_text_print(svg, "\"/>\n");
    colored(svg, clg_svg_color(CLG_BLUE), clg_svg_place(&x, x.low) + 60,
            clg_svg_place(&y, y.high) + 24, "start", "own replicas, filled in turn");
    if (api > 0) draw_api(svg, q, b, clg_svg_place(&y, api), api);
    if (a->break_even_per_s > x.low && a->break_even_per_s <= full)
        draw_crossing(svg, b, clg_svg_place(&x, a->break_even_per_s), a->break_even_per_s);
    under(svg, b, "requests per second, steady");
    beside(svg, b, "dollars per million output tokens");
}

void clg_picture_demand(clg_text *svg, const clg_serve_question *q, const clg_serve_answer *a) {
    const clg_replica *r = q->replica;
    clg_demand_means m = clg_demand_means_of(q->demand);
    box upper_left = {LEFT, MIDDLE_LEFT, TOP, MIDDLE_UP};
    box upper_right = {MIDDLE_RIGHT, RIGHT, TOP, MIDDLE_UP};
    box lower_left = {LEFT, MIDDLE_LEFT, MIDDLE_DOWN, BOTTOM};
    box lower_right = {MIDDLE_RIGHT, RIGHT, MIDDLE_DOWN, BOTTOM};
    const clg_model *model = &r->scenario->model;
    const char *title = clg_arena_print(
        svg->arena, "%.40s on %lld replica%s of %d x %.30s: %.0f tokens in, %.0f out",
        model->title ? model->title : model->name, (long long)a->fleet.replicas,
        a->fleet.replicas == 1 ? "" : "s", clg_replica_gpus(r), r->scenario->machine.gpu.name,
        m.prompt_tokens, m.output_tokens);
    clg_svg_open(svg, WIDTH, HEIGHT, title);
    const clg_price *price = &r->scenario->price;
    const char *paid = clg_price_known(price) ? clg_arena_print(svg->arena, "GPU at $%.2f/h: %.80s",
                                                                3600 * price->usd_per_s,
                                                                clg_words_price(svg->arena, price))
                                              : "the price of the GPU is not known";
    clg_svg_label(svg, 80, 42, "start",
                  clg_arena_print(svg->arena, "%s; %.80s", paid, r->engine.title));
    draw_batch(svg, q, a, &upper_left);
    draw_windows(svg, q, a, &upper_right);
    draw_factors(svg, a, &lower_left);
    draw_break_even(svg, q, a, &lower_right);
    clg_svg_close(svg);
}
