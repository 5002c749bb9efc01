/* Bars of plans: as long as their seconds and bytes are to the longest and the largest. */
#include "report_plan/plans_picture.h"

#include "test.h"

#include <string.h>

static clg_arena arena;

static const char *drawn(const clg_drawn_plan *rows, int count) {
    clg_text svg = {.arena = &arena};
    clg_picture_plans(&svg, "A & B", rows, count);
    return svg.data;
}

static bool has(const char *svg, const char *words) { return strstr(svg, words) != NULL; }

int main(void) {
    clg_evaluation slow = {.step_s = 10, .time = {.compute_s = 8, .bubble_s = 2}}, fast = slow;
    slow.memory = (clg_memory_ledger){.weights_bytes = 40e9, .total_bytes = 40e9};
    fast.step_s = 4, fast.time.compute_s = 4, fast.time.bubble_s = 0;
    fast.memory = (clg_memory_ledger){.weights_bytes = 10e9, .total_bytes = 10e9};
    const clg_drawn_plan rows[] = {{"", &slow, 0}, {"two", &fast, 1}};
    const char *svg = drawn(rows, 2);
    CASE("10 s are 520 px: 8 s of compute 416, 2 s of bubble 104; 4 and 1 of 5 s 208 and 52");
    CHECK(has(svg, "width=\"416.00\"") && has(svg, "width=\"104.00\""));
    CHECK(has(svg, "width=\"208.00\"") && has(svg, "width=\"52.00\""));
    CASE("40 GB are 520 px, 10 GB 130");
    CHECK(has(svg, "width=\"520.00\"") && has(svg, "width=\"130.00\""));
    CASE("causes that are seen are in the legend, others not; what stands before a layout");
    CHECK(has(svg, ">bubble<") && has(svg, ">the other half<") && !has(svg, ">optimizer<"));
    CHECK(has(svg, ">two: tp") && has(svg, "A &amp; B"));
    CASE("nothing fits: said, not drawn");
    CHECK(has(drawn(rows, 0), "No layout fits."));
    return DONE;
}
