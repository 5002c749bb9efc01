/* contracts_report.c -- terms of price side by side. */
#include "report_plan/contracts_report.h"

#include "report/number_words.h"

#include <math.h>

static const char *dated(clg_text *t, const clg_price *price) {
    return price->date ? clg_arena_print(t->arena, "%s, %s", price->provider, price->date)
                       : price->provider;
}

void clg_report_contracts(clg_text *t, const clg_term_row *rows, int count) {
    clg_text_print(
        t, "\nterms of price for this run (storage and egress are beside them; how often spot is "
           "taken\nback: assumed)\n"
           "  term             USD/GPU-h    time      rent  trains signed for   pays  "
           "who, when\n"
           "                                                     %%              above\n");
    for (int i = 0; i < count; i++) {
        const clg_term_row *r = &rows[i];
        clg_text_print(t, "  ");
        clg_text_pad(t, r->price->term, 17, false);
        clg_text_print(t, "%9.2f", r->price->usd_per_s * 3600);
        clg_text_pad(t, clg_words_quantity(t, r->seconds, CLG_SECONDS), 8, true);
        clg_text_pad(t, clg_words_quantity(t, r->usd, CLG_USD), 10, true);
        clg_text_print(t, "%8.1f", 100 * r->share);
        clg_text_pad(t,
                     r->committed_usd > 0 ? clg_words_quantity(t, r->committed_usd, CLG_USD) : "-",
                     11, true);
        clg_text_pad(t,
                     r->pays_above > 1   ? "never"
                     : r->pays_above > 0 ? clg_arena_print(t->arena, "%.0f %%", 100 * r->pays_above)
                                         : "-",
                     7, true);
        clg_text_print(t, "  %.26s\n", dated(t, r->price));
    }
}

void clg_json_contracts(clg_json_writer *w, const clg_term_row *rows, int count) {
    clg_json_open(w, "terms", '[');
    for (int i = 0; i < count; i++) {
        const clg_term_row *r = &rows[i];
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "term", r->price->term);
        clg_json_add_string(w, "price", r->price->provider);
        clg_json_add_string(w, "price_date", r->price->date);
        clg_json_add_number(w, "usd_per_gpu_h", r->price->usd_per_s * 3600);
        clg_json_add_number(w, "seconds", r->seconds);
        clg_json_add_number(w, "usd", r->usd);
        clg_json_add_number(w, "goodput", r->share);
        clg_json_add_number(w, "committed_usd", r->committed_usd);
        clg_json_add_number(w, "pays_above_utilization",
                            r->pays_above > 0 ? r->pays_above : (double)NAN);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}
