/* pack.c -- writes data files into a C table: their paths, their texts, their sizes.
 *
 *   pack ROOT TABLE.c FILE...     FILEs are below ROOT
 *
 * A text is one string literal: an array of numbers of the same size costs compilers minutes, an
 * assembler's .incbin is another one for every system. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void die(const char *what, const char *path) {
    fprintf(stderr, "pack: %s %s\n", what, path);
    exit(1);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Everything but plain ASCII as three octal digits, which take in no digit that follows. */
static void write_byte(FILE *table, int byte) {
    if (byte == '\n')
        fputs("\\n\"\n    \"", table);
    else if (byte == '"' || byte == '\\' || byte == '?')
        fprintf(table, "\\%c", byte);
    else if (byte >= ' ' && byte <= '~')
        fputc(byte, table);
    else
        fprintf(table, "\\%03o", (unsigned)byte);
}

static void write_file(FILE *table, const char *path, const char *name) {
    long size = 0;
    int byte;
    FILE *in = fopen(path, "rb");
    if (!in) die("cannot read", path);
    fprintf(table, "    {\"%s\",\n    \"", name);
    for (; (byte = fgetc(in)) != EOF; size++) write_byte(table, byte);
    if (ferror(in)) die("cannot read", path);
    fprintf(table, "\", %ld},\n", size);
    fclose(in);
}

int main(int argc, char **argv) {
    if (argc < 3) die("usage: pack ROOT TABLE.c FILE...", "");
    const char *root = argv[1];
    char **files = argv + 3;
    int count = argc - 3;
    qsort(files, (size_t)count, sizeof *files, by_name);
    FILE *table = fopen(argv[2], "wb");
    if (!table) die("cannot write", argv[2]);
    fprintf(table,
            "/* written by tools/pack.c */\n#include \"dataset/dataset.h\"\n"
            "extern const clg_file clg_dataset_table[];\nextern const int clg_dataset_count;\n"
            "const int clg_dataset_count = %d;\nconst clg_file clg_dataset_table[] = {\n",
            count);
    for (int i = 0; i < count; i++) write_file(table, files[i], files[i] + strlen(root) + 1);
    fprintf(table, "    {0, 0, 0}};\n");
    if (ferror(table) || fclose(table) != 0) die("cannot write", argv[2]);
    return 0;
}
