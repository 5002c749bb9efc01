/* The library as a program of others sees it: nothing but include/ceiling.h. */
#include "ceiling.h"

#include "test.h"

#include <sys/resource.h>

/* There under the address sanitizer, which takes its memory apart from any limit. */
int __asan_address_is_poisoned(const volatile void *address) __attribute__((weak));

static bool stop_at_once(void *context, double share) {
    int *calls = context;
    *calls += share >= 0 && share <= 1;
    return false;
}

static ceiling_answer ask(const char *request) {
    return ceiling_ask(request, strlen(request), NULL, NULL);
}

/* Whether an error has all that ceiling.h says, in that order. */
static bool is_whole(const char *text) {
    static const char *const members[] = {"error", "status",  "file", "line",    "column",
                                          "field", "message", "mend", "sentence"};
    for (size_t i = 0; text && i < sizeof members / sizeof members[0]; i++) {
        char quoted[16];
        snprintf(quoted, sizeof quoted, "\"%s\":", members[i]);
        text = strstr(text, quoted);
    }
    return text != NULL;
}

/* One that finds no memory beyond what the process holds. */
static ceiling_answer ask_without_memory(const char *request) {
    struct rlimit all, none;
    getrlimit(RLIMIT_AS, &all);
    none = (struct rlimit){1 << 20, all.rlim_max};
    setrlimit(RLIMIT_AS, &none);
    ceiling_answer answer = ask(request);
    setrlimit(RLIMIT_AS, &all);
    return answer;
}

int main(void) {
    CASE("an answer, twice the same");
    ceiling_answer one = ask("{\"command\":\"plan\",\"model\":\"llama-2-7b\",\"gpus\":8}");
    ceiling_answer two = ask("{\"command\":\"plan\",\"model\":\"llama-2-7b\",\"gpus\":8}");
    CHECK(one.answered && strstr(one.text, "\"kind\""));
    CHECK(one.bytes == strlen(one.text) && one.text[one.bytes - 1] == '\n');
    CHECK_TEXT(one.text, two.text);
    ceiling_release(&two);
    CHECK(!two.text && !two.memory);
    ceiling_release(&two); /* released twice is released */
    ceiling_release(&one);

    CASE("an error is an answer too");
    ceiling_answer wrong = ask("{\"command\":\"plan\",\"model\":\"llama-2-7c\"}");
    CHECK(!wrong.answered && strstr(wrong.text, "llama-2-7b"));
    CHECK(is_whole(wrong.text));
    ceiling_release(&wrong);

    CASE("and so is the end of memory, with the same members");
    if (!__asan_address_is_poisoned) {
        wrong = ask_without_memory("{\"command\":\"plan\",\"model\":\"gpt3-175b\",\"gpus\":1024}");
        CHECK(!wrong.answered && strstr(wrong.text, "memory is at its end"));
        CHECK(is_whole(wrong.text) && wrong.bytes == strlen(wrong.text));
        ceiling_release(&wrong);
    }

    CASE("a search can be stopped");
    int calls = 0;
    const char *large = "{\"command\":\"plan\",\"model\":\"gpt3-175b\",\"gpus\":1024}";
    ceiling_answer stopped = ceiling_ask(large, strlen(large), stop_at_once, &calls);
    CHECK(calls == 1);
    CHECK(strstr(stopped.text, "\"complete\": false") ||
          strstr(stopped.text, "\"complete\":false"));
    ceiling_release(&stopped);

    CASE("what a session keeps changes no answer");
    ceiling_session *session = ceiling_open();
    const char *small = "{\"command\":\"explain\",\"model\":\"llama-2-7b\",\"gpus\":8}";
    for (int i = 0; i < 2; i++) {
        ceiling_answer alone = ask(small);
        ceiling_answer in = ceiling_ask_in(session, small, strlen(small), NULL, NULL);
        CHECK(in.answered);
        CHECK_TEXT(in.text, alone.text);
        ceiling_release(&alone);
        ceiling_release(&in);
    }
    ceiling_close(session);
    ceiling_close(NULL);

    CASE("the version");
    CHECK(strchr(ceiling_version(), '.'));
    return DONE;
}
