/* order.h -- items in order where they nearly are already, as events of recordings. */
#ifndef CLG_BASE_ORDER_H
#define CLG_BASE_ORDER_H

#include "base/arena.h"

/* Least first; equal ones stay as they were, with every C library. Takes time in proportion to the
 * count where all are in order, count log count at most. */
void clg_order(clg_arena *scratch, void *items, size_t count, size_t size,
               int (*compare)(const void *, const void *));

#endif
