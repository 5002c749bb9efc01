/* quantile.h -- what a share of some values lies below. */
#ifndef CLG_BASE_QUANTILE_H
#define CLG_BASE_QUANTILE_H

/* Of `count` ascending values, linear between the two nearest; share 0..1; NAN of none. */
double clg_quantile(const double *sorted, int count, double share);

#endif
