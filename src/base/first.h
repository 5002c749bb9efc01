/* first.h -- where something begins in a list that is in order. */
#ifndef CLG_BASE_FIRST_H
#define CLG_BASE_FIRST_H

#include <stddef.h>

/* Sets `at`, a size_t, to the first of low .. high - 1 for which `holds`, an expression of `at`, as
 * it does for all behind it; to high where it holds for none. */
#define CLG_FIRST(at, low, high, holds)                                                            \
    do {                                                                                           \
        size_t least_ = (low), most_ = (high);                                                     \
        while ((at) = least_ + (most_ - least_) / 2, least_ < most_) {                             \
            if (holds)                                                                             \
                most_ = (at);                                                                      \
            else                                                                                   \
                least_ = (at) + 1;                                                                 \
        }                                                                                          \
    } while (0)

#endif
