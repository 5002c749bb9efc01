/* main.c -- placeholder until the commands land: prints the version. */
#include <stdio.h>

int main(void) {
    puts("ceiling 0.1.0");
    return 0;
}
