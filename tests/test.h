/* test.h -- checks for tests: a test file has a main of CASE() blocks and ends with DONE.
 *
 * Each CASE counts once, passed or failed; a failed check prints file, line and values and the case
 * goes on. */
#ifndef CLG_TESTS_TEST_H
#define CLG_TESTS_TEST_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int test_passed, test_failed;
static bool test_case_ok;
static const char *test_case_name;

static inline void test_end_case(void) {
    if (!test_case_name) return;
    if (test_case_ok)
        test_passed++;
    else
        test_failed++;
    test_case_name = NULL;
}

static inline void test_begin_case(const char *name) {
    test_end_case();
    test_case_name = name;
    test_case_ok = true;
}

static inline void test_check(bool ok, const char *file, int line, const char *what) {
    if (ok) return;
    test_case_ok = false;
    printf("%s:%d: %s: %s\n", file, line, test_case_name, what);
}

static inline void test_near(double got, double want, double relative, const char *file, int line) {
    double scale = fabs(want) > 0 ? fabs(want) : 1;
    if (fabs(got - want) <= relative * scale) return;
    test_case_ok = false;
    printf("%s:%d: %s: got %.12g, want %.12g\n", file, line, test_case_name, got, want);
}

static inline void test_text(const char *got, const char *want, const char *file, int line) {
    if (got && want && strcmp(got, want) == 0) return;
    test_case_ok = false;
    printf("%s:%d: %s:\n  got  %s\n  want %s\n", file, line, test_case_name, got ? got : "(null)",
           want ? want : "(null)");
}

#define CASE(name) test_begin_case(name)
#define CHECK(condition) test_check((condition), __FILE__, __LINE__, #condition)
#define CHECK_NEAR(got, want, relative) test_near((got), (want), (relative), __FILE__, __LINE__)
#define CHECK_TEXT(got, want) test_text((got), (want), __FILE__, __LINE__)
#define DONE                                                                                       \
    (test_end_case(), printf("%d passed, %d failed\n", test_passed, test_failed), test_failed != 0)

#endif
