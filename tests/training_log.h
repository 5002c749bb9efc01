/* training_log.h -- a training log out of text, for tests of its readers. */
#ifndef CLG_TESTS_TRAINING_LOG_H
#define CLG_TESTS_TRAINING_LOG_H

#include "base/text.h"
#include "record/train_log.h"
#include "test.h"

static clg_arena arena;

static inline clg_train_log log_named(const char *file, const char *text) {
    clg_train_logs logs = {.arena = &arena};
    bool read = clg_train_log_read(&logs, file, (clg_slice){text, strlen(text)});
    CHECK(read && logs.count == 1);
    return read ? logs.log[0] : (clg_train_log){.trainer = "", .format = ""};
}

static inline clg_train_log log_of(const char *text) { return log_named("log", text); }

#endif
