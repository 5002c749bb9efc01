/* The door: a JSON request in, an answer or an error out. */
#include "api/door.h"

#include "base/json.h"
#include "test.h"

static clg_arena arena;

static bool stop_at_once(void *context, double share) {
    (void)context;
    (void)share;
    return false;
}

static bool go_on(void *context, double share) {
    (void)context;
    return share >= 0;
}

/* The answer to a request as a tree; NULL when it is no JSON. */
static const clg_json *call(const char *request, bool (*tell)(void *, double)) {
    clg_text out = {.arena = &arena};
    clg_error error = {0};
    clg_json *root = NULL;
    clg_door_call(&arena, request, strlen(request), (clg_progress){tell, NULL}, &out);
    clg_json_parse(&arena, "answer", out.data, out.size, &root, &error);
    return root;
}

static const char *text_of(const clg_json *node, const char *key) {
    const clg_json *value = clg_json_member(node, key);
    return value ? value->text : NULL;
}

static const char *sentence(const char *request) {
    return text_of(clg_json_member(call(request, go_on), "error"), "sentence");
}

static void answers(void) {
    CASE("a plan");
    const clg_json *plan = call("{\"command\":\"plan\",\"model\":\"llama-2-7b\",\"gpus\":\"8\","
                                "\"tp\":\"1,2\",\"fix\":[\"pp=2\",\"vpp=1\"],\"offload\":false}",
                                go_on);
    CHECK_TEXT(text_of(plan, "kind"), "plan");
    const clg_json *layout = clg_json_member(clg_json_member(plan, "best"), "layout");
    CHECK_TEXT(text_of(layout, "pp"), "2");
    CHECK_TEXT(text_of(clg_json_member(plan, "search"), "seconds"), "0");

    CASE("numbers may be numbers, a config may come along");
    const clg_json *one = call("{\"command\":\"explain\",\"model\":\"mine\",\"gpus\":4,\"config\":"
                               "\"{\\\"model_type\\\":\\\"llama\\\",\\\"hidden_size\\\":1024,"
                               "\\\"num_hidden_layers\\\":8,\\\"num_attention_heads\\\":16,"
                               "\\\"intermediate_size\\\":4096,\\\"vocab_size\\\":32000}\"}",
                               go_on);
    CHECK_TEXT(text_of(one, "kind"), "explain");
    CHECK_TEXT(text_of(clg_json_member(one, "model"), "layers"), "8");

    CASE("every knob is told");
    const clg_json *knobs = call("{\"command\":\"params\"}", go_on);
    CHECK_TEXT(text_of(clg_json_member(knobs, "groups")->first, "name"), "MACHINE");
    CHECK(clg_json_member(knobs, "models")->count > 40);

    CASE("a stopped search says so");
    const clg_json *stopped =
        call("{\"command\":\"plan\",\"model\":\"gpt3-175b\",\"gpus\":1024}", stop_at_once);
    const clg_json *complete = clg_json_member(clg_json_member(stopped, "search"), "complete");
    CHECK(complete && !complete->truth);
}

static void faults(void) {
    CASE("what is wrong is said");
    CHECK(strstr(sentence("{"), "request:1:"));
    CHECK(strstr(sentence("[]"), "no command"));
    CHECK(strstr(sentence("{\"command\":\"plam\"}"), "plan"));
    CHECK(strstr(sentence("{\"command\":\"plan\"}"), "no model"));
    CHECK(strstr(sentence("{\"command\":\"plan\",\"model\":7}"), "model"));
    CHECK(strstr(sentence("{\"command\":\"plan\",\"model\":\"dbrx\",\"gpsu\":\"8\"}"),
                 "no flag --gpsu"));
    CHECK(strstr(sentence("{\"command\":\"plan\",\"model\":\"dbrx\",\"mode\":\"weak\"}"),
                 "no --mode"));
    CHECK(strstr(sentence("{\"command\":\"plan\",\"model\":\"dbrx\",\"gpus\":[8]}"),
                 "cannot be read"));
    CHECK(strstr(sentence("{\"command\":\"plan\",\"model\":\"dbrx\",\"gpus\":\"x\"}"),
                 "--gpus: 'x'"));
    CHECK(strstr(sentence("{\"command\":\"plan\",\"model\":\"dbrx\",\"fix\":[1]}"),
                 "cannot be read"));
}

int main(void) {
    answers();
    faults();
    clg_arena_clear(&arena);
    return DONE;
}
