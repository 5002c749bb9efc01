/* shell_printed.c -- what $(...) prints, where reading tells: echo, also behind a condition, expr,
 * basename, counts of words, of the node's GPUs and of Slurm's nodes. Anything else is not known.
 */
#include "job/shell.h"

#include <stdio.h>
#include <string.h>

static clg_rich not_known(clg_shell *s, int32_t place) {
    clg_rich word = {0};
    clg_rich_add(s, &word, &(char){CLG_TREE_UNKNOWN}, 1, place);
    return word;
}

static clg_rich joined(clg_shell *s, const clg_rich_list *w, int from) {
    clg_rich out = {0};
    for (int i = from; i < w->count; i++) {
        if (i > from) clg_rich_add(s, &out, " ", 1, 0);
        clg_rich_join(s, &out, &w->word[i]);
    }
    clg_rich_text(s, &out);
    return out;
}

static clg_rich counted(clg_shell *s, int64_t value, int32_t place) {
    char text[32];
    clg_rich out = {0};
    snprintf(text, sizeof text, "%lld", (long long)value);
    clg_rich_add(s, &out, text, strlen(text), place);
    return out;
}

/* Arithmetic that expr and bc do. */
static clg_rich computed(clg_shell *s, clg_rich text, int32_t place) {
    int64_t value;
    const char *plain = clg_rich_text(s, &text);
    const char *scale = strstr(plain, "scale=");
    if (scale && strchr(scale, ';')) plain = strchr(scale, ';') + 1;
    return clg_shell_arithmetic(s, plain, strlen(plain), place, &value) ? counted(s, value, place)
                                                                        : not_known(s, place);
}

static clg_rich base_of(clg_shell *s, const clg_rich *path, const char *ending) {
    clg_rich out = {0};
    size_t from = 0, size = path->size, cut = strlen(ending);
    for (size_t i = 0; i < size; i++)
        if (path->text[i] == '/') from = i + 1;
    if (size - from > cut && cut > 0 && memcmp(path->text + size - cut, ending, cut) == 0)
        size -= cut;
    for (size_t i = from; i < size; i++) clg_rich_add(s, &out, path->text + i, 1, path->place[i]);
    clg_rich_text(s, &out);
    return out;
}

static bool is(const clg_shell_token *t, const char *word) {
    return t->size == strlen(word) && memcmp(t->text, word, t->size) == 0;
}

/* "a,b,c" | tr ',' '\n' | wc -l: how many there are. */
static int64_t parts_of(const clg_rich *text) {
    int64_t parts = text->size > 0;
    for (size_t i = 0; i < text->size; i++)
        if (strchr(", \n", text->text[i])) parts++;
    return parts;
}

/* "nvidia-smi -L | wc -l", "torch.cuda.device_count()", "scontrol show hostnames | wc -l": the
 * header of Slurm says as much, or the list of devices. */
static clg_rich asked(clg_shell *s, const char *name, const clg_rich *all, bool counts,
                      int32_t place) {
    static const char gpus[] = "SLURM_GPUS_ON_NODE", nodes[] = "SLURM_NNODES",
                      devices[] = "CUDA_VISIBLE_DEVICES";
    bool of_nodes = counts && strcmp(name, "scontrol") == 0;
    bool of_gpus = (counts && strcmp(name, "nvidia-smi") == 0) ||
                   (all->text && strstr(all->text, "cuda.device_count()"));
    const clg_shell_variable *said = of_nodes  ? clg_shell_variable_of(s, nodes, sizeof nodes - 1)
                                     : of_gpus ? clg_shell_variable_of(s, gpus, sizeof gpus - 1)
                                               : NULL;
    if (said && said->words > 0) return said->word[0];
    const clg_shell_variable *list =
        of_gpus ? clg_shell_variable_of(s, devices, sizeof devices - 1) : NULL;
    bool known = list && list->words > 0 && list->word[0].size > 0 &&
                 !memchr(list->word[0].text, CLG_TREE_UNKNOWN, list->word[0].size);
    return known ? counted(s, parts_of(&list->word[0]), place) : not_known(s, place);
}

/* "ID=$(sbatch train.sh)": it is handed in all the same. */
static bool hands_in(const char *name) { return strcmp(name, "sbatch") == 0; }

static clg_rich handed_in(clg_shell *s, const char *text, size_t size, int32_t place) {
    clg_rich *held = s->printed;
    s->printed = NULL;
    clg_shell_run_text(s, text, size, place);
    s->printed = held;
    return not_known(s, place);
}

/* "[ -z "$X" ] && echo 1 || echo $X", "cat <<EOF" */
static bool chooses(const clg_shell_script *script) {
    if (script->count > 1 && is(&script->token[0], "cat") && script->token[1].kind == 'h')
        return true;
    return script->count > 0 && (is(&script->token[0], "[") || is(&script->token[0], "[[") ||
                                 is(&script->token[0], "test"));
}

clg_rich clg_shell_printed(clg_shell *s, const char *text, size_t size, int32_t place) {
    clg_shell_script script = clg_shell_tokens(s->arena, text, size, 0, 1);
    clg_rich_list words = {0};
    int at = 0;
    if (chooses(&script)) return clg_shell_said(s, text, size, place);
    for (; at < script.count && script.token[at].kind == 'w'; at++)
        clg_shell_expand(s, script.token[at].text, script.token[at].size, place, true, &words);
    if (words.count == 0 || s->stopped) return not_known(s, place);
    const char *name = clg_rich_text(s, &words.word[0]);
    if (hands_in(name)) return handed_in(s, text, size, place);
    bool piped = at < script.count && script.token[at].kind == 'o' && *script.token[at].text == '|';
    bool bc = false, counts = false;
    for (int i = at; i < script.count; i++) {
        bc = bc || is(&script.token[i], "bc");
        counts = counts || is(&script.token[i], "wc");
    }
    clg_rich all = joined(s, &words,
                          words.count > 1 && strcmp(name, "echo") == 0 &&
                                  clg_rich_text(s, &words.word[1])[0] == '-'
                              ? 2
                              : 1);
    bool known = !memchr(all.text, CLG_TREE_UNKNOWN, all.size);
    if (strcmp(name, "echo") == 0 && known) {
        if (!piped) return all;
        if (bc) return computed(s, all, place);
        if (counts) return counted(s, parts_of(&all), place);
    }
    if (strcmp(name, "expr") == 0 && !piped && known) return computed(s, all, place);
    if (strcmp(name, "basename") == 0 && !piped && known && words.count > 1)
        return base_of(s, &words.word[1], words.count > 2 ? clg_rich_text(s, &words.word[2]) : "");
    return asked(s, name, &all, counts, place);
}
