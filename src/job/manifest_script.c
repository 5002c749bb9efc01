/* manifest_script.c -- what the containers of a manifest run, as a script at the manifest's lines:
 * Kubernetes (every document of the file), docker compose, tasks of dstack.
 *
 * A manifest's own $(NAME) stands as the shell's ${NAME}. Left out: what starts an image that is
 * told no command, but for images of launchers.json; arguments behind a shell's text. */
#include "base/letters.h"
#include "base/text.h"
#include "job/reading.h"

#include <ctype.h>
#include <string.h>

typedef struct script {
    const clg_reading *r;
    clg_arena *arena;
    clg_text text;
    int line;     /* that the text has come to */
    bool shell;   /* the next words are for a shell that is handed a text */
    bool handed;  /* it has got it */
    bool compose; /* a command is what its image's program is given */
} script;

static void to_line(script *s, int line, const char *newline) {
    for (; s->line < line; s->line++) clg_text_print(&s->text, "%s", newline);
}

/* "$(NAME)": Kubernetes puts the variable there, no command. */
static size_t reference(const char *text) {
    size_t size = 0;
    if (strncmp(text, "$(", 2) != 0) return 0;
    while (isupper((unsigned char)text[2 + size]) || clg_is_digit(text[2 + size]) ||
           text[2 + size] == '_')
        size++;
    return size > 0 && text[2 + size] == ')' ? size : 0;
}

static void add_text(script *s, const char *text, bool quoted) {
    for (; *text; text++) {
        size_t name = reference(text);
        if (name > 0) {
            clg_text_print(&s->text, "${%.*s}", (int)name, text + 2);
            text += name + 2;
            continue;
        }
        if (quoted && strchr("\"\\`$", *text)) clg_text_add(&s->text, "\\", 1);
        clg_text_add(&s->text, text, 1);
        s->line += *text == '\n';
    }
}

/* A shell that is handed the command, not the command. */
static bool is_shell(const char *word) {
    static const char *const shells[] = {"bash", "sh"};
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++)
        if (strcmp(clg_job_base_name(word), shells[i]) == 0) return true;
    return false;
}

/* A text of commands, at its own lines: a block begins in the line below its key. */
static void add_commands(script *s, const clg_json *node, const char *newline) {
    const char *text = clg_job_word(node);
    to_line(s, node->line + (strchr(text, '\n') != NULL), newline);
    add_text(s, text, false);
}

static void add_word(script *s, const clg_json *node) {
    const char *word = clg_job_word(node);
    if (s->handed || !*word) return;
    if (is_shell(word) && !strchr(word, ' ')) {
        s->shell = true;
    } else if (s->shell && *word == '-' && !strchr(word, ' ')) {
        return;
    } else if (s->shell || strchr(word, '\n')) {
        add_commands(s, node, "\n");
        s->handed = s->shell;
    } else {
        bool plain = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "_./:=,+@%-") == strlen(word);
        to_line(s, node->line, "\\\n");
        if (!plain) clg_text_print(&s->text, "\"");
        add_text(s, word, !plain);
        clg_text_print(&s->text, plain ? " " : "\" ");
    }
}

/* A text goes on with what its program has begun. */
static void add_words(script *s, const clg_json *node) {
    if (!node) return;
    if (node->kind == CLG_JSON_STRING && !s->shell)
        add_commands(s, node, "\\\n");
    else if (node->kind == CLG_JSON_STRING)
        add_word(s, node);
    else
        for (const clg_json *one = node->first; one; one = one->next) add_word(s, one);
}

static void assign(script *s, const char *name, const char *value) {
    if (strpbrk(value, "'\n") || !*name || *value == CLG_TREE_UNKNOWN) return;
    clg_text_print(&s->text, "%s='%s'; ", name, value);
}

/* [{name: A, value: 1}], {A: 1}, ["A=1"] */
static void add_environment(script *s, const clg_json *all) {
    for (const clg_json *one = all ? all->first : NULL; one; one = one->next) {
        const clg_json *name = clg_json_member(one, "name"), *value = clg_json_member(one, "value");
        const char *text = clg_job_word(one), *equal = strchr(text, '=');
        if (name && value)
            assign(s, clg_job_word(name), clg_job_word(value));
        else if (all->kind == CLG_JSON_OBJECT)
            assign(s, one->key, text);
        else if (equal)
            assign(s, clg_arena_copy(s->arena, text, (size_t)(equal - text)), equal + 1);
    }
}

/* A container: its image's own command before arguments that come alone. */
static void add_container(script *s, const clg_json *node) {
    const clg_json *command = clg_json_member(node, "command"),
                   *args = clg_json_member(node, "args");
    if (!args) args = clg_json_member(node, "arguments");
    if (!command) command = clg_json_member(node, "start_command");
    const clg_json *image = clg_json_member(node, "image"),
                   *entry = clg_json_member(node, "entrypoint");
    const clg_json *environment = clg_json_member(node, "env");
    if (!command && !args && !entry) return;
    const clg_json *first = entry ? entry : command ? command : args;
    s->shell = s->handed = false;
    to_line(s, first->kind == CLG_JSON_ARRAY && first->first ? first->first->line : first->line,
            "\n");
    add_environment(s, environment ? environment : clg_json_member(node, "environment"));
    const char *own = image && !entry && (s->compose || !command)
                          ? clg_job_image_program(s->r, clg_job_word(image))
                          : NULL;
    if (own) clg_text_print(&s->text, "%s ", own);
    add_words(s, entry);
    add_words(s, command);
    add_words(s, args);
    clg_text_print(&s->text, "\n");
    s->line++;
}

/* "H100:8", "24GB": what dstack is asked for; {name: H100, count: 8}. */
typedef struct resources {
    const clg_json *gpu; /* NULL: none */
    const char *kind, *each, *nodes;
} resources;

static resources resources_of(const clg_json *root) {
    const clg_json *gpu = clg_tree_find(root, "resources.gpu");
    const clg_json *name = clg_json_member(gpu, "name"), *count = clg_json_member(gpu, "count");
    const clg_json *nodes = clg_json_member(root, "nodes");
    const char *word = gpu ? clg_job_word(gpu) : "", *colon = strrchr(word, ':');
    return (resources){gpu, name ? clg_job_word(name) : word,
                       count   ? clg_job_word(count)
                       : colon ? colon + 1
                               : "1",
                       nodes ? clg_job_word(nodes) : "1"};
}

static void add_header(script *s, const resources *asked) {
    to_line(s, asked->gpu ? asked->gpu->line : s->line, "\n");
    if (asked->gpu)
        clg_text_print(&s->text, "#SBATCH --gpus-per-node=%.*s:%s", (int)strcspn(asked->kind, ":"),
                       asked->kind, asked->each);
    clg_text_print(&s->text, "\n#SBATCH --nodes=%s\n", asked->nodes);
    s->line += 2;
}

/* The header where it stands, above what is run or below. */
static void add_task(script *s, const clg_json *root) {
    const clg_json *all = clg_json_member(root, "commands");
    resources asked = resources_of(root);
    bool above = asked.gpu && asked.gpu->line < all->line;
    if (above) add_header(s, &asked);
    if (asked.gpu) {
        assign(s, "DSTACK_GPUS_PER_NODE", asked.each);
        assign(s, "DSTACK_NODES_NUM", asked.nodes);
        clg_text_print(&s->text, "DSTACK_GPUS_NUM=$((%s * %s)); ", asked.each, asked.nodes);
    }
    add_environment(s, clg_json_member(root, "env"));
    for (const clg_json *one = all->first; one; one = one->next) {
        add_commands(s, one, "\n");
        clg_text_print(&s->text, "\n");
        s->line++;
    }
    if (!above) add_header(s, &asked);
}

/* An engine that members describe. */
static bool add_engine(script *s, const clg_json *node) {
    const clg_json *engine = clg_job_engine_of(s->r, node);
    if (!engine) return false;
    to_line(s, node->line, "\n");
    clg_text_print(&s->text, "%s\n", clg_job_engine_command(s->r, engine, node));
    s->line += 2;
    return true;
}

static bool is_label(const clg_reading *r, const char *key) {
    const clg_json *all = clg_json_member(r->launchers, "gpu_labels");
    for (const clg_json *one = all ? all->first : NULL; one && key; one = one->next)
        if (strcmp(one->text, key) == 0) return true;
    return false;
}

/* The node that pods ask for: {LABEL: value}, {key: LABEL, operator: In, values: [value]}. */
static void add_label(script *s, const clg_json *node) {
    const clg_json *key = clg_json_member(node, "key"), *values = clg_json_member(node, "values");
    const clg_json *value = is_label(s->r, node->key)                            ? node
                            : key && values && is_label(s->r, clg_job_word(key)) ? values->first
                                                                                 : NULL;
    const char *word = value ? clg_job_word(value) : "";
    if (!*word || strpbrk(word, " \n'")) return;
    to_line(s, value->line, "\n");
    clg_text_print(&s->text, "#SBATCH --node-label=%s\n", word);
    s->line++;
}

/* "H100:4" of a machine's resources. */
static void add_accelerator(script *s, const clg_json *node) {
    const clg_json *value = clg_json_member(node, "accelerator");
    const char *word = value ? clg_job_word(value) : "";
    if (!*word || strpbrk(word, " \n'")) return;
    to_line(s, value->line, "\n");
    clg_text_print(&s->text, "#SBATCH --gpus-per-node=%s%s\n", word, strchr(word, ':') ? "" : ":1");
    s->line++;
}

static void walk(script *s, const clg_json *node) {
    if (add_engine(s, node)) return;
    add_label(s, node);
    add_accelerator(s, node);
    const clg_json *size = clg_json_member(node, "leaderWorkerTemplate");
    if (size && clg_json_member(size, "size"))
        assign(s, "LWS_GROUP_SIZE", clg_job_word(clg_json_member(size, "size")));
    add_container(s, node);
    for (const clg_json *child = node->first; child; child = child->next) walk(s, child);
}

static bool is_dstack(const clg_json *root) {
    const clg_json *all = clg_json_member(root, "commands");
    return all && all->kind == CLG_JSON_ARRAY && clg_json_member(root, "type");
}

/* An image with the words that it is to run, or an engine, somewhere in the values of a chart. */
static bool starts_something(const clg_reading *r, const clg_json *node) {
    const clg_json *words = clg_json_member(node, "command");
    bool image = clg_json_member(node, "image") || clg_json_member(node, "repository");
    if (image && words && words->kind == CLG_JSON_ARRAY) return true;
    if (clg_job_engine_of(r, node)) return true;
    for (const clg_json *child = node->first; child; child = child->next)
        if (starts_something(r, child)) return true;
    return false;
}

bool clg_is_manifest(const clg_reading *r, const clg_json *root) {
    const clg_json *start = clg_tree_find(root, "docker_server.start_command");
    return (clg_json_member(root, "apiVersion") && clg_json_member(root, "kind")) || start ||
           is_dstack(root) ||
           (clg_json_member(root, "services") && !clg_json_member(root, "model")) ||
           starts_something(r, root);
}

clg_job_file clg_manifest_script(const clg_reading *r, const char *name,
                                 const clg_json *documents) {
    script s = {.r = r, .arena = r->arena, .text = {.arena = r->arena}, .line = 1};
    clg_text_print(&s.text, "#!task\n");
    s.line++;
    for (const clg_json *one = documents->first; one; one = one->next) {
        s.compose = clg_json_member(one, "services") != NULL;
        if (is_dstack(one))
            add_task(&s, one);
        else
            walk(&s, one);
    }
    return (clg_job_file){name, s.text.data, s.text.size};
}
