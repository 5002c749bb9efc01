/* evidence.c -- lines of a log, and the measurement that tells most.
 *
 * A measurement is for the causes that share its command, and says yes or no to them together: it
 * tells most where their chance is nearest a half (Shannon's entropy of the answer). Left out: that
 * it also says how strong a cause is, and what it costs; of two that tell as much the free one is
 * first, which is how busy the GPUs are. */
#include "diagnose/evidence.h"

#include "diagnose/diagnose.h"

#include <math.h>
#include <string.h>

static bool blank(char c) { return c == ' ' || c == '\t'; }

/* Does `line` begin at `at`, blanks aside? */
static bool begins(const char *at, const char *end, const char *line) {
    for (;; at++, line++) {
        while (at < end && blank(*at)) at++;
        while (blank(*line)) line++;
        if (!*line) return true;
        if (at == end || *at != *line) return false;
    }
}

static bool contains(const clg_observed_log *log, const char *line) {
    const char *end = log->text + log->size, *at = log->text;
    while ((at = memchr(at, line[0], (size_t)(end - at)))) {
        if (begins(at, end, line)) return true;
        at++;
    }
    return false;
}

static bool is_planned(const clg_scenario *scenario, const clg_layout *layout, const char *cause) {
    const char *technology = scenario->machine.fabric.technology;
    if (strcmp(cause, "offload") == 0) return layout->offload;
    return strcmp(cause, "network_bandwidth") == 0 && technology && strcmp(technology, "tcp") == 0;
}

const char *clg_line_seen(const clg_scenario *scenario, const clg_layout *layout,
                          const clg_observed_log *log, const char *cause,
                          const clg_job_cause_facts *facts) {
    if (is_planned(scenario, layout, cause)) return NULL;
    for (int i = 0; log->text && i < facts->lines; i++)
        if (contains(log, facts->line[i])) return facts->line[i];
    return NULL;
}

double clg_memory_odds(const clg_diagnosis_rules *rules, const clg_observations *seen,
                       double capacity_bytes, const clg_job_cause_facts *facts) {
    const clg_observed_sign *memory = &seen->sign[CLG_SIGN_MEMORY];
    if (!memory->seen || facts->memory_from <= 0) return 1;
    return memory->value > rules->memory_full * capacity_bytes ? rules->memory_odds : 0;
}

/* Of a yes or no, in nats. */
static double entropy(double chance) {
    if (chance <= 0 || chance >= 1) return 0;
    return -chance * log(chance) - (1 - chance) * log(1 - chance);
}

/* Was what shows it measured already? */
static bool known(const clg_suspect *s, const clg_observations *seen) {
    if (strcmp(s->name, "data_loading") == 0) return seen->sign[CLG_SIGN_DATA].seen;
    for (int i = 0; s->tells_bus && i < seen->buses; i++)
        if ((seen->bus[i].nodes == 1) == s->bus_inside) return true;
    return false;
}

/* Chance of all causes that this one's command tells. */
static double told_with(const clg_diagnosis *d, const clg_suspect *s) {
    double all = 0;
    for (int i = 0; i < d->suspects; i++)
        if (!d->suspect[i].planned && strcmp(d->suspect[i].facts.command, s->facts.command) == 0)
            all += d->suspect[i].probability;
    return all;
}

/* Share of the step more than planned that GPUs are idle, from where nvidia-smi shows it plainly: a
 * guess. */
static const double PLAINLY_IDLE = 0.25;

/* Chance of all causes that leave them so. */
static double told_by_idling(const clg_diagnosis *d) {
    double all = 0, planned = d->planned.value[CLG_SIGN_BUSY];
    for (int i = 0; i < d->suspects; i++)
        if (!d->suspect[i].planned && d->suspect[i].busy >= 0 &&
            d->suspect[i].busy < planned - PLAINLY_IDLE)
            all += d->suspect[i].probability;
    return all;
}

void clg_choose_next(clg_diagnosis *d, const clg_observations *seen) {
    double most = 0;
    d->next = -1;
    d->next_busy = false;
    if (d->verdict == CLG_HEALTHY) return;
    for (int i = 0; i < d->suspects; i++) {
        const clg_suspect *s = &d->suspect[i];
        double gain = s->planned || known(s, seen) ? 0 : entropy(told_with(d, s));
        if (gain <= most) continue;
        most = gain;
        d->next = i;
    }
    d->next_busy =
        !seen->sign[CLG_SIGN_BUSY].seen && entropy(told_by_idling(d)) >= most && most > 0;
}
