/* Runs a fuzz target over the files named on the command line, one case each. */
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int main(int count, char **path) {
    for (int i = 1; i < count; i++) {
        FILE *file = fopen(path[i], "rb");
        if (!file) return 1;
        unsigned char *data = malloc(1 << 20);
        size_t size = fread(data, 1, 1 << 20, file);
        fclose(file);
        LLVMFuzzerTestOneInput(data, size);
        free(data);
    }
    printf("%d passed, 0 failed\n", count - 1);
    return 0;
}
