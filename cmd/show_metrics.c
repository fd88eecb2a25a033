/* poula show metrics, poula show metric NAME. */
#include "show.h"

#include "train/train.h"

#include <stdio.h>
#include <string.h>

static const char *better(enum pl_direction direction)
{
    static const char *const words[] = {"-", "lower", "higher", "?"};
    return words[direction];
}

int pl_show_metrics(void)
{
    struct pl_metric_source sources[PL_METRIC_SOURCES];
    size_t count = pl_metric_sources(sources);
    for (size_t s = 0; s < count; s++) {
        printf("%s:\n", sources[s].owner);
        for (size_t i = 0; i < sources[s].count; i++) {
            const struct pl_metric *m = &sources[s].metrics[i];
            printf("  %-18s %-7s %-5s %s\n", m->name, better(m->direction), m->unit ? m->unit : "", m->help);
        }
        putchar('\n');
    }
    puts("The second column is what is better (-: neither). A metric of any other program is judged by its name, in "
         "whole\n"
         "words: poula show metric NAME says how. A spec may declare otherwise: metrics: {NAME: max}, min or none.");
    return 0;
}

int pl_show_metric(const char *name)
{
    static const char *const sets[] = {"", ", on training data", ", on validation data", ", on test data"};
    struct pl_metric m = pl_metric_judge(name);
    struct pl_text ask = {0};
    if (pl_direction_is_choice(m.direction))
        pl_cmd_line(stdout, "%s: %s is better%s", name, better(m.direction), sets[m.set]);
    else if (m.direction == PL_NEUTRAL)
        pl_cmd_line(stdout, "%s: neither higher nor lower is better; its last value counts", name);
    else
        pl_cmd_line(stdout, "%s: %s", name, pl_metric_ask(name, &ask));
    if (m.loss)
        puts("A run in which it stays NaN or infinite has diverged.");
    if (m.clock)
        puts("It is told by a clock: poula verify does not compare it.");
    if (m.help)
        printf("Recorded by poula's own tasks: %s.\n", m.help);
    pl_text_release(&ask);
    return 0;
}
