/* The library in a program whose numbers have a comma: it has set a locale, as desktops do. */
#include "ceiling.h"

#include "test.h"

#include <locale.h>
#include <stdlib.h>

/* Makes such a locale in a folder of its own; none may be installed. */
static const char make[] = "printf 'LC_NUMERIC\\ndecimal_point \",\"\\nthousands_sep \".\"\\n"
                           "grouping 3\\nEND LC_NUMERIC\\n' >\"$LOCPATH/comma.source\" && "
                           "localedef -c -i \"$LOCPATH/comma.source\" \"$LOCPATH/comma\" "
                           ">/dev/null 2>&1; [ -d \"$LOCPATH/comma\" ]";

static bool set_comma(const char *folder) {
    setenv("LOCPATH", folder, 1);
    return system(make) == 0 && setlocale(LC_NUMERIC, "comma");
}

static bool has_comma(void) {
    char number[8];
    snprintf(number, sizeof number, "%.1f", 1.5);
    return strcmp(number, "1,5") == 0;
}

static ceiling_answer ask(const char *model) {
    char request[128];
    snprintf(request, sizeof request,
             "{\"command\":\"explain\",\"model\":\"%s\",\"gpus\":8,\"risk\":\"0.2\"}", model);
    return ceiling_ask(request, strlen(request), NULL, NULL);
}

int main(void) {
    const char *base = getenv("TMPDIR");
    char folder[512], clean[sizeof folder + 16];
    snprintf(folder, sizeof folder, "%s/ceiling-locale-XXXXXX", base && *base ? base : "/tmp");
    ceiling_answer point = ask("llama-2-7b");
    if (!mkdtemp(folder)) return 1;
    bool set = set_comma(folder);
    if (!set) printf("skipped: a locale with a comma (no localedef)\n");
    CASE("an answer is the same in every locale, which stays as it was");
    ceiling_answer comma = ask("llama-2-7b"), wrong = ask("llama-2-7c");
    CHECK(point.answered && strstr(point.text, "\"step_s\""));
    CHECK_TEXT(comma.text, point.text);
    CHECK(!wrong.answered);
    CHECK(has_comma() == set);
    ceiling_release(&comma);
    ceiling_release(&wrong);
    ceiling_release(&point);
    snprintf(clean, sizeof clean, "rm -r '%s'", folder);
    if (system(clean) != 0) return 1;
    return DONE;
}
