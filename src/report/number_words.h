/* number_words.h -- numbers as the words of a table or a sentence.
 *
 * What is returned lives in the arena of the text, or is a literal. */
#ifndef CLG_REPORT_NUMBER_WORDS_H
#define CLG_REPORT_NUMBER_WORDS_H

#include "base/text.h"
#include "evaluate/evaluate.h"
#include "units/units.h"

/* "3.35 TB/s": a value in SI units, to three digits. */
const char *clg_words_quantity(clg_text *text, double value, clg_dimension dimension);

/* The same, "?" where a value below 0 says that it is not known. */
const char *clg_words_known(clg_text *text, double value, clg_dimension dimension);

/* "-1.2 ms": seconds more or less. */
const char *clg_words_seconds(clg_text *text, double seconds);

/* The same in a column of 11 letters, at its right end. */
void clg_words_seconds_column(clg_text *text, double seconds);

/* The same of nanoseconds. */
const char *clg_words_ns(clg_text *text, int64_t ns);

/* "NVIDIA H100 SXM5 80 GB", and which name it was found by where that has several meanings. */
const char *clg_words_gpu(clg_text *text, const clg_gpu *gpu);

/* The title of a model, and which name it was taken for. */
const char *clg_words_model(clg_text *text, const clg_model *model);

/* "12,345,678": rounded to the nearest; counts below 2^53 exactly. */
const char *clg_words_grouped(clg_text *text, double number);
const char *clg_words_count(clg_text *text, int64_t count);

/* "0.214", "1,163": of requests or users, to three digits where they are few. */
const char *clg_words_few(clg_text *text, double number);

/* "4.5" for 0.045: per cent without the sign, "-" where there is no number. */
const char *clg_words_share(clg_text *text, double share);

void clg_words_share_column(clg_text *text, double share, int width);

/* "tp4 pp2 dp64 z1 mb2": short enough for a column; degrees and micro-batch only where above one,
 * neither schedule nor recomputation. */
const char *clg_words_layout(clg_text *text, const clg_layout *layout);

/* "96 %"; no chance is certain: "over 99 %", "under 1 %". */
const char *clg_words_chance(clg_text *text, double chance);

/* "3": per cent of chance that a plan runs out of memory; "<1" where that rounds to none. */
const char *clg_words_chance_out(clg_text *text, const clg_evaluation *evaluation);

/* "81.4 GB": bytes to a tenth of a GB. */
const char *clg_words_gb(clg_text *text, double bytes);

#endif
