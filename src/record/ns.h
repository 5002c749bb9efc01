/* ns.h -- internal to trace/ and report/: nanoseconds that end at the end of int64_t.
 *
 * Each time of a recording is checked where it is read, but clocks of ranks are subtracted from
 * each other and durations summed over a job: of hostile files such a sum has no bound. Sums that
 * would run over stay at the end, so that they are at least of the right sign; those of jobs that
 * can be (centuries) are exact. */
#ifndef CLG_RECORD_NS_H
#define CLG_RECORD_NS_H

#include <stdint.h>

/* Starts lie within 126 years of the epoch, and nothing takes longer than a day: ROCm once
 * multiplied durations by 1000 until they overflowed. */
#define CLG_TRACE_LATEST_NS INT64_C(4000000000000000000)
#define CLG_TRACE_LONGEST_NS INT64_C(86400000000000)

/* INT64_MIN is left to those who mean "not known" by it. */
static inline int64_t clg_ns_plus(int64_t a, int64_t b) {
    if (b > 0 && a > INT64_MAX - b) return INT64_MAX;
    if (b < 0 && a < -INT64_MAX - b) return -INT64_MAX;
    return a + b;
}

/* `b` is not INT64_MIN. */
static inline int64_t clg_ns_minus(int64_t a, int64_t b) { return clg_ns_plus(a, -b); }

#endif
