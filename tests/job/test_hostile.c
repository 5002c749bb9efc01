/* Files that mean harm, or none: every one ends in a sentence, none runs away. */
#include "base/text.h"
#include "job/fixture.h"
#include "job/tree.h"

static void yaml(void) {
    CASE("YAML: expansions that double at every level");
    REFUSED("more than 20,000 values", "a.yaml",
            "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
            "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
            "e: [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n");
    CASE("YAML: an alias inside its own anchor");
    REFUSED("inside its own anchor", "a.yaml", "a: &a\n  b: *a\n");
    CASE("YAML: broken, with its place");
    REFUSED("a.yaml:3:", "a.yaml", "a: 1\nb: [1, 2\nc: }\n");
    CASE("YAML: deep nesting");
    char deep[400] = "a: ";
    memset(deep + 3, '[', 300);
    deep[303] = '\0';
    REFUSED("deeper than 64 levels", "a.yaml", deep);
    CASE("YAML: references that go round are not known, not followed for ever");
    JOB("tp= layers=2", "a.yaml",
        "trainer:\n  num_nodes: 1\n  devices: 8\nexp_manager: {}\nmodel:\n  num_layers: 2\n"
        "  tensor_model_parallel_size: ${model.x}\n  x: ${model.tensor_model_parallel_size}\n");
}

static void toml(void) {
    CASE("TOML: an open string, a list without an end, deep nesting");
    REFUSED("a.toml:1:", "a.toml", "a = \"open\nb = 1\n");
    REFUSED("does not end", "a.toml", "a = [1, 2 b]\n");
    char deep[200] = "a = ";
    memset(deep + 4, '[', 100);
    deep[104] = '\0';
    REFUSED("deeper than 32 levels", "a.toml", deep);
    CASE("TOML: what configurations use");
    clg_arena arena = {0};
    clg_error error = {0};
    clg_json *root;
    const char text[] = "a.b = 1 # one\n[t.u]\nx = '''two\nlines'''\ny = [1, # in\n 2]\n"
                        "z = {p = true, q = \"\\\"r\\\"\"}\n[[m]]\nk = 1\n[[m]]\nk = 2_000\n";
    CHECK(clg_toml_parse(&arena, "t", text, sizeof text - 1, &root, &error) == CLG_OK);
    CHECK(clg_tree_find(root, "a.b")->number == 1);
    CHECK(strcmp(clg_tree_find(root, "t.u.x")->text, "two\nlines") == 0);
    CHECK(clg_tree_find(root, "t.u.y.1")->number == 2);
    CHECK(strcmp(clg_tree_find(root, "t.u.z.q")->text, "\"r\"") == 0);
    CHECK(clg_tree_find(root, "m.1.k")->number == 2000 && clg_tree_find(root, "m.1.k")->line == 11);
    clg_arena_clear(&arena);
}

static void shell(void) {
    CASE("shell: open quotes, brackets, here-documents and words of the grammar");
    static const char *const scripts[] = {"a=\"open\n",
                                          "a=$((\n",
                                          "a=${b\n",
                                          "cat <<EOF\nx\n",
                                          "if then fi\n",
                                          "case x in\n",
                                          "for\ndone done\n",
                                          "f() { f; }\nf\n",
                                          ") } fi esac ;;\n",
                                          "$(`\n",
                                          "a=(\n",
                                          "<<\n"};
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++)
        REFUSED(i == 0 ? "never closed" : "no trainer's keys", "a.sh", scripts[i]);
    CASE("shell: sourcing itself ends");
    JOB("layers=2", "a.sh",
        "source a.sh\npython pretrain_gpt.py --num-layers 2 --hidden-size 8 "
        "--num-attention-heads 1 --micro-batch-size 1\n");
}

/* Functions of a file that call each other, and quotes that never close. */
static void python(void) {
    CASE("Python: functions that call each other, ten times each");
    clg_arena arena = {0};
    clg_text text = {.arena = &arena};
    for (int i = 0; i < 30; i++) {
        clg_text_print(&text, "def llama3_8b_%d() -> Trainer.Config:\n", i);
        for (int k = 0; k < 30; k++) clg_text_print(&text, "    llama3_8b_%d()\n", k);
        clg_text_print(&text, "    training.local_batch_size = 2\n    training.seq_len = %d\n",
                       i + 1);
    }
    JOB("rank-batch=2", "a.py", text.data);
    CASE("Python: quotes that never close");
    text = (clg_text){.arena = &arena};
    clg_text_print(&text, "training.local_batch_size = 2\ntraining.seq_len = 64\n");
    for (int i = 0; i < 60000; i++) clg_text_print(&text, "f(\"\"\"\n");
    JOB("rank-batch=2 seq=64", "a.py", text.data);
    clg_arena_clear(&arena);
}

static void manifests(void) {
    CASE("a manifest of 100,000 documents, and lists where texts are expected");
    clg_arena arena = {0};
    clg_text text = {.arena = &arena};
    for (int i = 0; i < 100000; i++) clg_text_print(&text, "---\n");
    clg_text_print(&text, "apiVersion: v1\nkind: Pod\n");
    REFUSED("no trainer's keys", "a.yaml", text.data);
    clg_arena_clear(&arena);
    REFUSED("no trainer's keys", "a.yaml",
            "type: x\ncommands: [1, null, {a: b}, [c]]\nnodes: [1]\nresources: {gpu: [1, 2]}\n");
    REFUSED("no trainer's keys", "a.yaml",
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - command: [sh, -c, {a: [b]}]\n"
            "    args: {x: y}\n    env: [1, {name: A}, {value: 2}, [x]]\n    image: [a]\n");
}

static void said_where(void) {
    CASE("a quote that nothing closes, and a log that tells no step");
    REFUSED("run.sh:2: a quote is opened and never closed", "run.sh",
            "GPUS=8\nARGS=\"--num-layers 4\ntorchrun --nproc_per_node 8 pretrain_gpt.py $ARGS\n");
    REFUSED("nothing in it tells how long a step took", "x.csv", "a,b\n1,2\n");
}

int main(void) {
    yaml();
    manifests();
    python();
    toml();
    shell();
    said_where();
    return DONE;
}
