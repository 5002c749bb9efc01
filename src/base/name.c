/* name.c -- looking words up, and the nearest one when they are not there. */
#include "base/name.h"
#include "base/letters.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 64 };

/* Edits that make b of a, a swap of neighbours counting as one; cut at LONGEST characters. */
static int distance(const char *a, const char *b) {
    int rows[3][LONGEST + 1];
    int m = (int)strlen(a), n = (int)strlen(b);
    if (m > LONGEST || n > LONGEST) return LONGEST;
    for (int j = 0; j <= n; j++) rows[0][j] = j;
    for (int i = 1; i <= m; i++) {
        int *now = rows[i % 3], *before = rows[(i + 2) % 3], *twice = rows[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= n; j++) {
            int least = before[j - 1] + (a[i - 1] != b[j - 1]);
            if (now[j - 1] + 1 < least) least = now[j - 1] + 1;
            if (before[j] + 1 < least) least = before[j] + 1;
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && twice[j - 2] + 1 < least) least = twice[j - 2] + 1;
            now[j] = least;
        }
    }
    return rows[m % 3][n];
}

static bool is_mark(char c) { return c == '-' || c == '_' || c == '.' || c == '/' || c == ' '; }

/* Lower case, every mark a '-'; at most LONGEST characters. */
static void plain(const char *word, char out[LONGEST + 2]) {
    int n = 0;
    for (; *word && n < LONGEST; word++) out[n++] = is_mark(*word) ? '-' : clg_lower(*word);
    out[n] = '\0';
}

static void without_marks(const char *word, char out[LONGEST + 2]) {
    int n = 0;
    for (; *word; word++)
        if (*word != '-') out[n++] = *word;
    out[n] = '\0';
}

/* Points between figures alone, as "1.3b" has one and "13b" none. */
static int points_of(const char *word) {
    int points = 0;
    for (const char *at = strchr(word, '.'); at; at = strchr(at + 1, '.'))
        points += at > word && clg_is_digit(at[-1]) && clg_is_digit(at[1]);
    return points;
}

/* Whether whole segments of `word` are `part`: "batch" in "global-batch", not "atc". */
static bool has_segments(const char *word, const char *part) {
    size_t size = strlen(part);
    for (const char *at = strstr(word, part); at && size > 0; at = strstr(at + 1, part))
        if ((at == word || at[-1] == '-') && (at[size] == '-' || at[size] == '\0')) return true;
    return false;
}

/* "tensor-parallel" is "tp". */
static bool is_initials(const char *letters, const char *word) {
    for (; *letters; letters++) {
        if (*letters != *word) return false;
        word += strcspn(word, "-");
        word += *word == '-';
    }
    return *word == '\0';
}

/* "a100-80gb" is "a100-sxm-80gb": every segment of the one is in the other, in this order; what has
 * three characters may be a beginning, "80g". */
static bool leaves_out(const char *part, const char *word) {
    while (*part) {
        size_t size = strcspn(part, "-");
        while (*word &&
               !(strncmp(word, part, size) == 0 && (size >= 3 || strcspn(word, "-") == size))) {
            word += strcspn(word, "-");
            word += *word == '-';
        }
        if (!*word) return false;
        word += strcspn(word, "-");
        part += size;
        part += *part == '-';
    }
    return true;
}

/* Edits between the first segments: none for "h100-pcie" and "h100-sxm", one for "h1000". */
static int stem_edits(const char *a, const char *b) {
    char x[LONGEST + 2], y[LONGEST + 2];
    snprintf(x, sizeof x, "%.*s", (int)strcspn(a, "-"), a);
    snprintf(y, sizeof y, "%.*s", (int)strcspn(b, "-"), b);
    return strlen(x) < 4 || strlen(y) < 4 ? LONGEST : distance(x, y);
}

/* Characters that both begin with. */
static int shared_beginning(const char *a, const char *b) {
    int n = 0;
    while (a[n] && a[n] == b[n]) n++;
    return n;
}

enum { FAR = 1 << 20 };

/* How far a candidate is from a word, in thousandths of an edit or so. What one of them contains
 * whole beats what takes few edits: "batch" is nearer to "global-batch" than to "rate". */
static int farness(const char *candidate, const char *word) {
    char c[LONGEST + 2], w[LONGEST + 2], bare_c[LONGEST + 2], bare_w[LONGEST + 2];
    plain(candidate, c);
    plain(word, w);
    without_marks(c, bare_c);
    without_marks(w, bare_w);
    int size_c = (int)strlen(bare_c), size_w = (int)strlen(bare_w);
    int longer = size_c > size_w ? size_c - size_w : size_w - size_c;
    if (size_w == 0) return FAR;
    if (strcmp(bare_c, bare_w) == 0) return 1;
    int edits = distance(bare_c, bare_w);
    bool prefix = size_w > 1 && strncmp(bare_c, bare_w, (size_t)size_w) == 0;
    if (edits == 1 && size_w > 2 && !prefix) return 100 + longer;
    if (is_initials(c, w) || (size_w > 1 && is_initials(w, c))) return 150;
    if (size_w > 2 && w[size_w - 1] == 's') { /* "mbs" */
        w[strlen(w) - 1] = '\0';
        if (is_initials(w, c)) return 160;
        w[strlen(w)] = 's';
    }
    if (prefix) return 40 + longer;
    if (has_segments(c, w)) return 400 + longer;
    if (size_c > 1 && (has_segments(w, c) || strncmp(bare_w, bare_c, (size_t)size_c) == 0))
        return 600 + longer;
    if (leaves_out(w, c)) return 800 + longer;
    if (edits <= 1 + size_w / 5) return 1000 * edits + longer;
    int stem = stem_edits(c, w);
    if (stem > 1) return FAR;
    /* "llama-3.2-1b" is nearer to "llama-3.2-11b-vision" than "llama-2-13b", whatever the edits. */
    return 20000 + 10000 * stem + 10 * edits + 200 * (LONGEST - shared_beginning(bare_c, bare_w));
}

const char *clg_name_same(const char *const *candidates, int count, const char *word) {
    char c[LONGEST + 2], w[LONGEST + 2], bare_c[LONGEST + 2], bare_w[LONGEST + 2];
    const char *same = NULL;
    if (strlen(word) > LONGEST) return NULL;
    plain(word, w);
    without_marks(w, bare_w);
    for (int i = 0; i < count && bare_w[0]; i++) {
        plain(candidates[i], c);
        without_marks(c, bare_c);
        if (strcmp(bare_c, bare_w) != 0) continue;
        if (points_of(candidates[i]) == points_of(word)) return candidates[i];
        if (!same) same = candidates[i];
    }
    return same;
}

/* Whether a plain name goes on with a '-' after all letters and digits of a bare word. */
static bool goes_on(const char *name, const char *bare) {
    for (; *bare && *name; name++)
        if (*name == *bare)
            bare++;
        else if (*name != '-')
            return false;
    return !*bare && *name == '-';
}

const char *clg_name_begun(const char *const *candidates, int count, const char *word) {
    char c[LONGEST + 2], w[LONGEST + 2], bare[LONGEST + 2];
    const char *only = NULL;
    plain(word, w);
    without_marks(w, bare);
    for (int i = 0; i < count && bare[0]; i++) {
        plain(candidates[i], c);
        if (!goes_on(c, bare)) continue;
        if (only) return NULL;
        only = candidates[i];
    }
    return only;
}

/* Whether bare `word` is the segments of `title` from here on, some left out. */
static bool made_of(const char *word, const char *title, bool numbered) {
    for (; *title; title += *title == '-') {
        size_t size = strcspn(title, "-");
        bool digit = strcspn(title, "0123456789") < size;
        if (size > 0 && strncmp(word, title, size) == 0 &&
            made_of(word + size, title + size, numbered || digit))
            return true;
        if (digit && !numbered) return false; /* the number may not be left out */
        title += size;
    }
    return *word == '\0' && numbered;
}

bool clg_name_of_title(const char *word, const char *title) {
    char w[LONGEST + 2], t[LONGEST + 2], bare[LONGEST + 2];
    if (strlen(word) > LONGEST) return false;
    plain(word, w);
    plain(title, t);
    without_marks(w, bare);
    return made_of(bare, t, false);
}

int clg_name_near(const char *const *candidates, int count, const char *word, const char **near,
                  int most) {
    int found = 0, far[CLG_NAMES_NEAR];
    if (most > CLG_NAMES_NEAR) most = CLG_NAMES_NEAR;
    for (int i = 0; i < count; i++) {
        int f = farness(candidates[i], word), at = found;
        if (f == FAR) continue;
        while (at > 0 && f < far[at - 1]) at--;
        if (at == most) continue;
        if (found < most) found++;
        for (int k = found - 1; k > at; k--) far[k] = far[k - 1], near[k] = near[k - 1];
        far[at] = f;
        near[at] = candidates[i];
    }
    /* Others beside the nearest only when they are as near in kind. */
    int limit = found == 0 ? 0 : far[0] < 40 ? far[0] : far[0] < 100 ? 100 : far[0] + 1000;
    while (found > 1 && far[found - 1] >= limit) found--;
    return found;
}

const char *clg_name_nearest(const char *const *candidates, int count, const char *word) {
    const char *near[1];
    return clg_name_near(candidates, count, word, near, 1) > 0 ? near[0] : NULL;
}

void clg_name_ask(const char *const *near, int count, const char *before, char *out, size_t size) {
    size_t used = (size_t)snprintf(out, size, "%s", count > 0 ? "did you mean " : "");
    for (int i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s%s",
                                 i == 0           ? ""
                                 : i == count - 1 ? " or "
                                                  : ", ",
                                 before, near[i]);
    if (count > 0 && used + 1 < size) memcpy(out + used, "?", 2);
}

clg_status clg_name_value(const clg_name *table, const char *what, const char *word, int *value,
                          clg_error *error) {
    const char *names[64];
    int count = 0;
    for (const clg_name *row = table; row->name; row++) {
        if (strcmp(row->name, word) == 0) {
            *value = row->value;
            return CLG_OK;
        }
        if (count < 64) names[count++] = row->name;
    }
    char all[400] = "";
    for (int i = 0; i < count; i++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", names[i]);
    }
    const char *nearest = clg_name_nearest(names, count, word);
    char mend[480];
    snprintf(mend, sizeof mend, "%s%s%sit may be %s", nearest ? "did you mean " : "",
             nearest ? nearest : "", nearest ? "? " : "", all);
    return clg_fail(error, CLG_BAD_INPUT, mend, "unknown %s '%.64s'", what, word);
}

const char *clg_name_of(const clg_name *table, int value) {
    for (const clg_name *row = table; row->name; row++)
        if (row->value == value) return row->name;
    return "?";
}
