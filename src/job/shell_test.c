/* shell_test.c -- conditions on stated values: [ ], [[ ]], test; patterns of case. */
#include "job/shell.h"

#include <stdlib.h>
#include <string.h>

/* [abc], [a-z], [!a]; returns the byte behind it. */
static const char *set_of(const char *pattern, char c, bool *like) {
    const char *at = pattern + 1;
    bool no = *at == '!' || *at == '^', found = false;
    if (no) at++;
    for (const char *first = at; *at && (*at != ']' || at == first); at++) {
        if (at[1] == '-' && at[2] && at[2] != ']') {
            found = found || (c >= at[0] && c <= at[2]);
            at += 2;
        } else
            found = found || *at == c;
    }
    *like = found != no;
    return *at ? at + 1 : at;
}

bool clg_shell_like(const char *pattern, const char *text) {
    const char *star = NULL, *retry = NULL;
    while (*text) {
        bool like = false;
        const char *next = pattern + 1;
        if (*pattern == '*') {
            star = pattern++, retry = text;
            continue;
        }
        if (*pattern == '[')
            next = set_of(pattern, *text, &like);
        else if (*pattern == '\\' && pattern[1])
            like = pattern[1] == *text, next = pattern + 2;
        else
            like = *pattern && (*pattern == '?' || *pattern == *text);
        if (like)
            pattern = next, text++;
        else if (star)
            pattern = star + 1, text = ++retry;
        else
            return false;
    }
    while (*pattern == '*') pattern++;
    return *pattern == '\0';
}

static bool unknown(const char *word) { return strchr(word, CLG_TREE_UNKNOWN) != NULL; }

static bool whole(const char *word, long long *value) {
    char *end;
    *value = strtoll(word, &end, 10);
    return end > word && *end == '\0';
}

static int compare(const char *a, const char *mark, const char *b) {
    static const char *const marks[] = {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"};
    if (unknown(a) || unknown(b)) return -1;
    if (strcmp(mark, "=") == 0 || strcmp(mark, "==") == 0) return clg_shell_like(b, a);
    if (strcmp(mark, "!=") == 0) return !clg_shell_like(b, a);
    long long x, y;
    if (!whole(a, &x) || !whole(b, &y)) return *mark == '-' && (!*a || !*b) ? 0 : -1;
    for (int i = 0; i < 6; i++) {
        if (strcmp(mark, marks[i]) != 0) continue;
        const int truth[] = {x == y, x != y, x<y, x <= y, x> y, x >= y};
        return truth[i];
    }
    return -1;
}

/* What a program's files and results are is not known. */
static int single(const char *mark, const char *word) {
    if (strcmp(mark, "-z") == 0) return unknown(word) ? -1 : !*word;
    if (strcmp(mark, "-n") == 0) return unknown(word) ? -1 : *word != '\0';
    return -1;
}

static int negated(int truth) { return truth < 0 ? -1 : !truth; }

static int both(int a, int b) { return a == 0 || b == 0 ? 0 : a < 0 || b < 0 ? -1 : 1; }
static int either(int a, int b) { return a > 0 || b > 0 ? 1 : a < 0 || b < 0 ? -1 : 0; }

static int simple(const char *const *word, int words) {
    if (words > 0 && strcmp(word[0], "!") == 0) return negated(simple(word + 1, words - 1));
    if (words > 2 && strcmp(word[0], "(") == 0 && strcmp(word[words - 1], ")") == 0)
        return clg_shell_test(NULL, word + 1, words - 2);
    if (words == 1) return unknown(word[0]) ? -1 : *word[0] != '\0';
    if (words == 2) return single(word[0], word[1]);
    if (words == 3) return compare(word[0], word[1], word[2]);
    return words == 0 ? 0 : -1;
}

int clg_shell_test(clg_shell *shell, const char *const *word, int words) {
    (void)shell;
    for (int i = words; i-- > 1;)
        if (strcmp(word[i], "||") == 0 || strcmp(word[i], "-o") == 0)
            return either(clg_shell_test(shell, word, i), simple(word + i + 1, words - i - 1));
    for (int i = words; i-- > 1;)
        if (strcmp(word[i], "&&") == 0 || strcmp(word[i], "-a") == 0)
            return both(clg_shell_test(shell, word, i), simple(word + i + 1, words - i - 1));
    return simple(word, words);
}
