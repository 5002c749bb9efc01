/* Which name is nearest. */
#include "base/name.h"
#include "test.h"

static const char *const flags[] = {"gpu", "gpus",        "global-batch",  "rate",
                                    "tp",  "micro-batch", "seq",           "timeline",
                                    "dp",  "precision",   "critical-batch"};
static const char *const gpus[] = {"a100-sxm-40gb", "a100-sxm-80gb", "b200-sxm",
                                   "gb200",         "h100-sxm",      "h100-hbm2e-500w"};
static const char *const models[] = {"gpt2",        "gpt3-175b",      "gpt3-13b",   "llama-3-8b",
                                     "llama-3-70b", "llama-3.1-405b", "mistral-7b", "mixtral-8x7b"};
#define NEAREST(of, word) clg_name_nearest(of, (int)(sizeof of / sizeof of[0]), word)

static bool is(const char *found, const char *wanted) {
    return wanted ? found && strcmp(found, wanted) == 0 : !found;
}

static void one(void) {
    CASE("a part of a name beats few edits");
    CHECK(is(NEAREST(flags, "batch"), "micro-batch"));
    CHECK(is(NEAREST(gpus, "h100"), "h100-sxm"));
    CHECK(is(NEAREST(gpus, "b200"), "b200-sxm"));
    CHECK(is(NEAREST(models, "mixtral"), "mixtral-8x7b"));
    CHECK(is(NEAREST(models, "405b"), "llama-3.1-405b"));
    CHECK(is(NEAREST(models, "gpt3"), "gpt3-13b"));
    CASE("case and marks do not count");
    CHECK(is(NEAREST(models, "Llama3_8B"), "llama-3-8b"));
    CASE("a swap, a letter too many, a letter off");
    CHECK(is(NEAREST(flags, "gpsu"), "gpus"));
    CHECK(is(NEAREST(flags, "precison"), "precision"));
    CHECK(is(NEAREST(gpus, "h100-sxn"), "h100-sxm"));
    CASE("initials, and the name inside what was written");
    CHECK(is(NEAREST(flags, "tensor-parallel"), "tp"));
    CHECK(is(NEAREST(flags, "mbs"), "micro-batch"));
    CHECK(is(NEAREST(flags, "num-gpus"), "gpus"));
    CHECK(is(NEAREST(flags, "seq-length"), "seq"));
    CASE("a part left out, another ending, a stem off by one");
    CHECK(is(NEAREST(gpus, "a100-80gb"), "a100-sxm-80gb"));
    CHECK(is(NEAREST(gpus, "h100-pcie"), "h100-sxm"));
    CHECK(is(NEAREST(gpus, "h1000"), "h100-sxm"));
    CHECK(is(NEAREST(models, "llama-405b"), "llama-3.1-405b"));
    CASE("nothing near");
    CHECK(is(NEAREST(gpus, "rtx4090"), NULL));
    CHECK(is(NEAREST(flags, "xyzzy"), NULL));
    CHECK(is(NEAREST(flags, ""), NULL));
    CHECK(is(clg_name_nearest(flags, 0, "tp"), NULL));
}

static void several(void) {
    const char *near[CLG_NAMES_NEAR];
    char words[80];
    CASE("several as near, nearest first");
    CHECK(clg_name_near(gpus, 6, "h100", near, 3) == 2 && is(near[1], "h100-hbm2e-500w"));
    clg_name_ask(near, 2, "--", words, sizeof words);
    CHECK(is(words, "did you mean --h100-sxm or --h100-hbm2e-500w?"));
    clg_name_ask(near, 0, "", words, sizeof words);
    CHECK(words[0] == '\0');
    CASE("never longer than its buffer");
    clg_name_ask(near, 2, "--", words, 20);
    CHECK(strlen(words) < 20);
}

#define SAME(of, word) clg_name_same(of, (int)(sizeof of / sizeof of[0]), word)
#define BEGUN(of, word) clg_name_begun(of, (int)(sizeof of / sizeof of[0]), word)

static void meant(void) {
    CASE("the same but for case and marks is the name; anything less is not");
    CHECK(is(SAME(models, "Llama-3.1_405B"), "llama-3.1-405b"));
    CHECK(is(SAME(models, "LLAMA 3 8B"), "llama-3-8b"));
    CHECK(is(SAME(models, "llama-3"), NULL) && is(SAME(models, ""), NULL));
    CASE("a beginning names what is the only one to begin so, by whole segments");
    CHECK(is(BEGUN(gpus, "B200"), "b200-sxm"));
    CHECK(is(BEGUN(gpus, "h100"), NULL) && is(BEGUN(gpus, "h10"), NULL));
    CHECK(is(BEGUN(gpus, "a100-sxm-8"), NULL) && is(BEGUN(gpus, ""), NULL));
}

static void titles(void) {
    CASE("a title is meant by words of it that have its number");
    const char *card = "NVIDIA GeForce RTX 3090 24 GB", *sxm = "NVIDIA A100 SXM4 80 GB";
    CHECK(clg_name_of_title("3090", card) && clg_name_of_title("rtx3090", card));
    CHECK(clg_name_of_title(card, card) && clg_name_of_title("RTX_3090-24GB", card));
    CHECK(clg_name_of_title("NVIDIA A100-SXM4-80GB", sxm) && clg_name_of_title("a100-80gb", sxm));
    CASE("not by a size, a form, half a number or nothing");
    CHECK(!clg_name_of_title("24gb", card) && !clg_name_of_title("rtx", card));
    CHECK(!clg_name_of_title("sxm4", sxm) && !clg_name_of_title("a10", sxm));
    CHECK(!clg_name_of_title("3090ti", card) && !clg_name_of_title("", card));
    CHECK(!clg_name_of_title("3090 rtx", card));
}

int main(void) {
    titles();
    one();
    meant();
    several();
    return DONE;
}
