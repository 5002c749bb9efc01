/* page.c -- puts the parts of a page into one HTML file.
 *
 *   page TEMPLATE.html OUT.html [NAME=FILE...]
 *
 * In the template a line "@include FILE" becomes the text of FILE (beside the template), "@module
 * FILE" the same for a JavaScript module without its imports and the word export: modules then
 * share one scope, in the order of the template, up to the next "</script>": two of one name there
 * are refused. "@base64 NAME" becomes the bytes of a FILE given by NAME. Nothing else is touched.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 65536, PATH = 4096, NAME = 64, NAMES = 4096 };

/* What the modules of a scope declare at its top. */
static struct { char name[NAME], path[PATH]; } declared[NAMES];
static int declarations;

static void die(const char *what, const char *path) {
    fprintf(stderr, "page: %s %s\n", what, path);
    exit(1);
}

static FILE *open_or_die(const char *path, const char *mode) {
    FILE *file = fopen(path, mode);
    if (!file) die("cannot open", path);
    return file;
}

static int starts(const char *line, const char *word) {
    return strncmp(line, word, strlen(word)) == 0;
}

static void declare(const char *name, const char *path) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$";
    char word[NAME];
    snprintf(word, sizeof word, "%.*s", (int)strspn(name, letters), name);
    for (int i = 0; i < declarations; i++) {
        if (strcmp(declared[i].name, word) != 0) continue;
        fprintf(stderr, "page: '%s' is declared in %s and in %s, which share one scope\n", word,
                declared[i].path, path);
        exit(1);
    }
    if (declarations == NAMES) die("too many names in", path);
    snprintf(declared[declarations].name, NAME, "%s", word);
    snprintf(declared[declarations++].path, PATH, "%s", path);
}

/* One name a line, as the modules are written: not the second of "const a = 1, b = 2". */
static void note_declaration(const char *line, const char *path) {
    static const char *const words[] = {"const ",    "let ",       "var ",  "async function ",
                                        "function ", "function* ", "class "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (starts(line, words[i])) declare(line + strlen(words[i]), path);
}

static void include(FILE *out, const char *path, int module) {
    char line[LINE];
    FILE *in = open_or_die(path, "rb");
    while (fgets(line, sizeof line, in)) {
        if (module && starts(line, "import ")) continue;
        const char *code = module && starts(line, "export ") ? line + strlen("export ") : line;
        if (module) note_declaration(code, path);
        fputs(code, out);
    }
    fclose(in);
}

static void base64(FILE *out, const char *path) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char three[3];
    size_t got;
    FILE *in = open_or_die(path, "rb");
    while ((got = fread(three, 1, 3, in)) > 0) {
        unsigned bits = (unsigned)three[0] << 16 | (got > 1 ? (unsigned)three[1] << 8 : 0) |
                        (got > 2 ? (unsigned)three[2] : 0);
        for (size_t i = 0; i < 4; i++)
            fputc(i <= got ? digits[bits >> (18 - 6 * i) & 63] : '=', out);
    }
    fputc('\n', out);
    fclose(in);
}

/* The FILE of NAME=FILE among the arguments. */
static const char *named(char **given, int count, const char *name) {
    size_t size = strlen(name);
    for (int i = 0; i < count; i++)
        if (strncmp(given[i], name, size) == 0 && given[i][size] == '=') return given[i] + size + 1;
    die("nothing was given for", name);
    return NULL;
}

static void beside(const char *template, const char *name, char *path) {
    const char *slash = strrchr(template, '/');
    int folder = slash ? (int)(slash - template) + 1 : 0;
    if (snprintf(path, PATH, "%.*s%s", folder, template, name) >= PATH) die("too long:", name);
}

static void splice(FILE *out, const char *template, char *line, char **given, int count) {
    char path[PATH], *name = strchr(line, ' ');
    line[strcspn(line, "\r\n")] = '\0';
    if (!name) die("names no file:", line);
    name++;
    if (starts(line, "@base64 ")) {
        base64(out, named(given, count, name));
        return;
    }
    beside(template, name, path);
    include(out, path, starts(line, "@module "));
}

int main(int argc, char **argv) {
    char line[LINE];
    if (argc < 3) die("usage: page TEMPLATE OUT [NAME=FILE...]", "");
    FILE *in = open_or_die(argv[1], "rb"), *out = open_or_die(argv[2], "wb");
    while (fgets(line, sizeof line, in)) {
        if (starts(line, "@include ") || starts(line, "@module ") || starts(line, "@base64 "))
            splice(out, argv[1], line, argv + 3, argc - 3);
        else
            fputs(line, out);
        if (strstr(line, "</script>")) declarations = 0;
    }
    fclose(in);
    if (fclose(out) != 0) die("cannot write", argv[2]);
    return 0;
}
