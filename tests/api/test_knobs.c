/* Every flag: the default in its help is the one used, and what is out of its range is refused in a
 * sentence that says the range. */
#include "api/command.h"
#include "api/door.h"
#include "api/request_parts.h"
#include "test.h"

#include <stdlib.h>

static bool is_number(clg_param_row row) {
    return row.kind == CLG_KIND_COUNT || row.kind == CLG_KIND_LENGTH ||
           row.kind == CLG_KIND_QUANTITY;
}

/* The ends of "1..1024" as texts. */
static void ends_of(clg_param_row row, char *least, char *most, size_t size) {
    const char *dots = strstr(row.range, "..");
    snprintf(least, size, "%.*s", (int)(dots - row.range), row.range);
    snprintf(most, size, "%s", dots + 2);
}

/* The answer to a request; the caller frees it. */
static char *ask(const char *request) {
    clg_arena arena = {0};
    clg_text out = {.arena = &arena};
    clg_door_call(&arena, request, strlen(request), (clg_door_host){.progress = {NULL}}, &out);
    char *text = malloc(out.size + 1);
    if (text && out.size > 0) memcpy(text, out.data, out.size);
    if (text) text[out.size] = '\0';
    clg_arena_clear(&arena);
    return text;
}

static void check_range(clg_param_row row) {
    char least[32], most[32], mend[96];
    double from = 1, to = 0, number;
    clg_error error = {0};
    if (!row.range[0]) return;
    ends_of(row, least, most, sizeof least);
    CHECK(clg_request_parse(row, least, &from, &error) == CLG_OK);
    CHECK(clg_request_parse(row, most, &to, &error) == CLG_OK);
    CHECK(from < to);
    snprintf(mend, sizeof mend, "give %s to %s", least, most);
    const char *unit = most + strspn(most, "0123456789.e+");
    char beyond[32];
    snprintf(beyond, sizeof beyond, "%s%s", row.kind == CLG_KIND_QUANTITY ? "1e25" : "999999999999",
             unit);
    CHECK(clg_request_parse(row, beyond, &number, &error) == CLG_BAD_INPUT);
    CHECK_TEXT(error.mend, mend);
}

static void ranges(void) {
    CASE("ranges are read, and said where a value is out of them");
    for (int p = 0; p < CLG_PARAMS; p++) {
        clg_param_row row = clg_param_row_of((clg_param)p);
        double number;
        clg_error error = {0};
        CHECK(!row.range[0] || is_number(row));
        check_range(row);
        if (!is_number(row)) continue;
        CHECK(clg_request_parse(row, "-3", &number, &error) != CLG_OK);
        if (row.typed) CHECK(clg_request_parse(row, row.fallback, &number, &error) == CLG_OK);
        if (error.status != CLG_OK && row.typed && strstr(error.message, row.fallback))
            printf("--%s: the default '%s' is no value\n", row.flag, row.fallback);
    }

    CASE("what most people set first is marked so, and told to whoever draws a form");
    CHECK(clg_param_row_of(CLG_PARAM_GPU).first && !clg_param_row_of(CLG_PARAM_NICS).first);
    char *knobs = ask("{\"command\":\"params\"}");
    CHECK(knobs && strstr(knobs, "\"flag\": \"gpus\",\n          \"kind\": \"count\",\n          "
                                 "\"first\": true"));
    free(knobs);

    CASE("a flag is named in what refuses it");
    clg_request request = {.value = {[CLG_PARAM_SITES] = "2000"}};
    clg_error error = {0};
    double number;
    CHECK(clg_request_number(&request, CLG_PARAM_SITES, &number, &error) == CLG_BAD_INPUT);
    CHECK_TEXT(error.field, "--sites");
    CHECK_TEXT(error.message, "'2000' is out of range");
    CHECK_TEXT(error.mend, "give 1 to 1024");
}

static const char jobs[] = "name,model,tokens,min_gpus,max_gpus\\na,llama-2-7b,1G,8,16\\n";

/* Small questions, one or more for each command; improve and diagnose read what explain does. */
static const struct {
    const char *command, *rest;
} questions[] = {
    {"plan", "\"model\":\"llama-2-7b\",\"gpus\":\"8\""},
    {"explain", "\"model\":\"llama-2-7b\",\"gpus\":\"8\",\"adapter\":\"lora\""},
    {"explain", "\"model\":\"mixtral-8x7b\",\"gpus\":\"16\",\"cp\":\"2\""},
    {"scale", "\"model\":\"llama-2-7b\",\"gpus\":\"8,16\""},
    {"scale", "\"model\":\"llama-2-7b\",\"gpus\":\"8,16\",\"mode\":\"grow\""},
    {"scale", "\"model\":\"llama-2-7b\",\"gpus\":\"16\",\"sites\":\"2\",\"between\":\"10Gbit/s\","
              "\"diloco\":\"50\""},
    {"size",
     "\"model\":\"llama-2-7b\",\"gpu\":\"h100-sxm\",\"tokens\":\"2T\",\"deadline\":\"600d\","
     "\"capex\":\"40kUSD\",\"tp\":\"1\",\"pp\":\"1\",\"zero\":\"1\",\"micro-batch\":\"1\","
     "\"recompute\":\"none\""},
    {"mixed", "\"model\":\"llama-2-7b\",\"gpus\":\"8\",\"with\":\"a100-sxm-80gb:8\","
              "\"global-batch\":\"64\""},
    {"demand",
     "\"model\":\"llama-2-7b\",\"rate\":\"0.01req/s\",\"prompt\":\"100\",\"output\":\"20\","
     "\"speculate\":\"2\""},
    {"demand", "\"model\":\"llama-2-7b\",\"rate\":\"1req/"
               "s\",\"span\":\"5s\",\"turns\":\"3\",\"speculate\":\"3\""},
    {"measure",
     "\"model\":\"llama-2-7b\",\"gpus\":\"8\",\"tp\":\"2\",\"pp\":\"1\",\"micro-batch\":\"1\""},
    {"collective", "\"model\":\"all-reduce\",\"gpus\":\"16\""},
    {"portfolio", NULL},
};

static void compare(const char *command, const char *rest, clg_param_row row, const char *plain) {
    char request[1024];
    snprintf(request, sizeof request, "{\"command\":\"%s\",%s,\"%s\":\"%s\"}", command, rest,
             row.flag, row.fallback);
    char *said = ask(request);
    bool lone = said && strstr(said, "says more of"); /* of a knob that is not given */
    CHECK(said && (lone || strcmp(said, plain) == 0));
    if (said && !lone && strcmp(said, plain) != 0)
        printf("%s: --%s '%s' in help is not what is taken without it\n", command, row.flag,
               row.fallback);
    free(said);
}

static void defaults(void) {
    static char portfolio[512];
    snprintf(portfolio, sizeof portfolio,
             "\"model\":\"jobs.csv\",\"config\":\"%s\",\"gpus\":\"8,16\",\"draws\":\"10\","
             "\"capex\":\"40kUSD\"",
             jobs);
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        const char *command = questions[i].command;
        const char *rest = questions[i].rest ? questions[i].rest : portfolio;
        char request[1024], key[48];
        CASE(command);
        snprintf(request, sizeof request, "{\"command\":\"%s\",%s}", command, rest);
        char *plain = ask(request);
        CHECK(plain && strstr(plain, "\"error\": {") == NULL);
        const clg_command *const *c = clg_commands_answered();
        while (strcmp((*c)->name, command) != 0) c++;
        for (int p = 0; plain && p < CLG_PARAMS; p++) {
            clg_param_row row = clg_command_row(*c, (clg_param)p);
            snprintf(key, sizeof key, "\"%s\":", row.flag);
            bool idle = !questions[i].rest && row.group == CLG_GROUP_SERVING; /* no --serve */
            if (row.typed && !idle && !strstr(rest, key) && clg_command_asks(*c, (clg_param)p))
                compare(command, rest, row, plain);
        }
        free(plain);
    }
}

int main(void) {
    ranges();
    defaults();
    return DONE;
}
