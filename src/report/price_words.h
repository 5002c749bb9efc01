/* price_words.h -- whose price, and what others ask. */
#ifndef CLG_REPORT_PRICE_WORDS_H
#define CLG_REPORT_PRICE_WORDS_H

#include "base/text.h"
#include "machine/machine.h"

/* "nebius, on-demand, 2026-09-25"; "given by you". Words in the arena. */
const char *clg_words_price(clg_arena *arena, const clg_price *price);

/* The same and, for a price of the data, how many are known on demand and their band, and
 * what is lacking to a cluster: a plan's money is no surer than this. */
const char *clg_words_price_band(clg_arena *arena, const clg_price *price);

#endif
