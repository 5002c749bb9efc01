/* pack.c -- writes data files into one blob and a C table that points into it.
 *
 *   pack ROOT BLOB TABLE.c FILE...     FILEs are below ROOT
 *
 * The blob goes into the program by the assembler's .incbin: a generated array of the same size
 * costs the compiler minutes. */
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

/* Appends a file and a NUL to the blob; returns its size. */
static long append(FILE *blob, const char *path) {
    char buffer[65536];
    size_t got;
    long size = 0;
    FILE *in = fopen(path, "rb");
    if (!in) die("cannot read", path);
    while ((got = fread(buffer, 1, sizeof buffer, in)) > 0) {
        fwrite(buffer, 1, got, blob);
        size += (long)got;
    }
    fclose(in);
    fputc(0, blob);
    return size;
}

int main(int argc, char **argv) {
    if (argc < 4) die("usage: pack ROOT BLOB TABLE.c FILE...", "");
    const char *root = argv[1], *blob_path = argv[2];
    char **files = argv + 4;
    int count = argc - 4;
    qsort(files, (size_t)count, sizeof *files, by_name);
    FILE *blob = fopen(blob_path, "wb"), *table = fopen(argv[3], "wb");
    if (!blob || !table) die("cannot write", blob ? argv[3] : blob_path);
    fprintf(table,
            "/* written by tools/pack.c */\n#include \"dataset/dataset.h\"\n"
            "#ifdef __wasm__\n"
            "__asm__(\".section .rodata.clg_dataset_blob,\\\"\\\",@\\n\"\n"
            "        \".globl clg_dataset_blob\\n.type clg_dataset_blob,@object\\n.p2align 4\\n\"\n"
            "        \"clg_dataset_blob:\\n.incbin \\\"%s\\\"\\n\"\n"
            "        \".size clg_dataset_blob, .-clg_dataset_blob\\n\");\n"
            "#else\n"
            "__asm__(\".section .rodata\\n.global clg_dataset_blob\\n.balign 16\\n\"\n"
            "        \"clg_dataset_blob: .incbin \\\"%s\\\"\\n.previous\\n\");\n"
            "#endif\n"
            "extern const char clg_dataset_blob[];\n"
            "extern const clg_file clg_dataset_table[];\nextern const int clg_dataset_count;\n"
            "const int clg_dataset_count = %d;\nconst clg_file clg_dataset_table[] = {\n",
            blob_path, blob_path, count);
    long at = 0;
    for (int i = 0; i < count; i++) {
        long size = append(blob, files[i]);
        fprintf(table, "    {\"%s\", clg_dataset_blob + %ld, %ld},\n", files[i] + strlen(root) + 1,
                at, size);
        at += size + 1;
    }
    fprintf(table, "    {0, 0, 0}};\n");
    if (fclose(blob) != 0 || fclose(table) != 0) die("cannot write", blob_path);
    return 0;
}
