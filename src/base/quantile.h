/* quantile.h -- what a share of some values lies below. */
#ifndef CLG_BASE_QUANTILE_H
#define CLG_BASE_QUANTILE_H

#include <stddef.h>
#include <stdint.h>

/* Least first; none NAN. Values that are equal are the same, so every C library sorts them alike.
 */
void clg_sort(double *values, size_t count);
void clg_sort_integers(int64_t *values, size_t count);

/* Of `count` ascending values, linear between the two nearest; share 0..1; NAN of none. */
double clg_quantile(const double *sorted, int count, double share);

/* The value at `place` (0 the least) of `count` values in any order, none NAN, as sorting would put
 * it there; 0 <= place < count. Moves values so that none before it is larger and none after it
 * smaller. Takes time in proportion to count, where sorting takes count log count. */
double clg_select(double *values, int64_t count, int64_t place);

#endif
