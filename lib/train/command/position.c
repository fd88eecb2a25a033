/* Where the metrics of a line belong that says nothing of it. What a program has said does not always tell: metrics
 * before its first position may be those of the untrained network or of the first epoch, and metrics that come a
 * second time behind the first position may be of the next epoch or go on in that one. They wait until the next
 * position is stated, which decides it. */
#include "train/command/command_priv.h"
#include "train/metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COUNTED_MOST = 100,    /* lines that wait for a first position */
    WAITING_MOST = 100000, /* metrics that wait for a second one */
};

static void clear(struct pl_waiting *waiting)
{
    while (waiting->count)
        free(waiting->list[--waiting->count].pair.name);
    waiting->ahead = 0;
}

void pl_reading_source_release(struct pl_reading_source *source)
{
    clear(&source->waiting);
    free(source->waiting.list);
    source->waiting = (struct pl_waiting){0};
    pl_text_release(&source->before);
    pl_text_release(&source->repeated);
}

void pl_reading_continue(struct pl_reading *reading, double kept_epoch, double kept_step)
{
    reading->first_step = isnan(kept_step) ? 0 : kept_step;
    for (size_t i = 0; i < PL_ORIGIN_COUNT && !isnan(kept_epoch); i++) {
        reading->sources[i].axis = PL_BY_EPOCH;
        reading->sources[i].position = floor(kept_epoch) + 1;
        reading->sources[i].begun = true;
    }
}

/* ---- what a line repeats ---- */

static bool has_numbers(const struct pl_line *line)
{
    for (size_t i = 0; i < line->count; i++)
        if (!line->pairs[i].null)
            return true;
    return false;
}

/* Has the source's position one of the line's metrics already? Then the line belongs to the next one. A value that is
 * told again (a step's loss, and the same in a line of its own) is not another one, where positions are steps. Beside
 * numbers, null is not a value. */
static bool is_taken(struct pl_reading *reading, const struct pl_reading_source *source, const struct pl_line *line)
{
    bool numbers = has_numbers(line);
    for (size_t i = 0; i < line->count; i++)
        if (!(numbers && line->pairs[i].null) &&
            pl_reading_has(reading, &line->pairs[i], source->axis, source->position, source->axis == PL_BY_STEP))
            return true;
    return false;
}

/* The same of what waits for the newest position. */
static bool repeats(const struct pl_reading_source *source, const struct pl_line *line)
{
    const struct pl_waiting *waiting = &source->waiting;
    bool numbers = has_numbers(line), steps = source->begun && source->axis == PL_BY_STEP;
    for (size_t i = waiting->count; i > 0 && waiting->list[i - 1].ahead == waiting->ahead; i--)
        for (size_t k = 0; k < line->count; k++) {
            const struct pl_line_pair *old = &waiting->list[i - 1].pair, *new = &line->pairs[k];
            if (!strcmp(old->name, new->name) && !(numbers && (old->null || new->null)) &&
                !(steps && old->value == new->value))
                return true;
        }
    return false;
}

/* A metric waits for the newest position at most twice, as a number and as null, and more of them than are recorded
 * need not wait: that there are more is said when they find their place. */
static void add_waiting(struct pl_waiting *waiting, const struct pl_line_pair *pair, bool replace)
{
    size_t here = 0;
    waiting->taken++;
    for (; here < waiting->count && waiting->list[waiting->count - 1 - here].ahead == waiting->ahead; here++) {
        struct pl_line_pair *old = &waiting->list[waiting->count - 1 - here].pair;
        bool alike = old->null == pair->null &&
                     (old->null || old->value == pair->value || (isnan(old->value) && isnan(pair->value)));
        if (strcmp(old->name, pair->name) != 0 || !(alike || replace))
            continue;
        old->value = pair->value;
        old->null = pair->null;
        return;
    }
    if (here > 2 * PL_READING_SERIES_MOST)
        return;
    void *list = waiting->list;
    pl_grow(&list, &waiting->capacity, waiting->count + 1, sizeof *waiting->list);
    waiting->list = list;
    waiting->list[waiting->count++] = (struct pl_waiting_pair){{pl_copy(pair->name), pair->value, pair->null},
                                                               waiting->ahead};
}

/* ---- what waits finds its place ---- */

/* All of it belongs to one position. */
static bool release_at(struct pl_reading *reading, struct pl_reading_source *source, enum pl_series_axis axis,
                       double position)
{
    bool whole = true;
    for (size_t i = 0; i < source->waiting.count; i++)
        whole = pl_reading_record(reading, &source->waiting.list[i].pair, axis, position) && whole;
    clear(&source->waiting);
    return whole;
}

static bool is_among(const struct pl_text *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *c = names->length ? names->text : NULL; c && (c = strstr(c, name)); c++)
        if (c[-1] == '\n' && c[length] == '\n')
            return true;
    return false;
}

static void add_name(struct pl_text *names, const char *name)
{
    if (!is_among(names, name))
        pl_text_addf(names, "%s%s\n", names->length ? "" : "\n", name);
}

/* What came before the first position, and what of it again and again. */
static void note_names(struct pl_reading_source *source)
{
    for (size_t i = 0; i < source->waiting.count; i++) {
        const char *name = source->waiting.list[i].pair.name;
        add_name(is_among(&source->before, name) ? &source->repeated : &source->before, name);
    }
}

/* Nothing contradicts the counting of lines. */
static void forget_names(struct pl_reading_source *source)
{
    pl_text_clear(&source->before);
    pl_text_clear(&source->repeated);
}

static bool has_repeated(const struct pl_reading_source *source, const struct pl_line *line)
{
    for (size_t i = 0; i < line->count; i++)
        if (is_among(&source->repeated, line->pairs[i].name))
            return true;
    return false;
}

/* Nothing states where it belongs: the positions are counted. */
static bool release_counted(struct pl_reading *reading, struct pl_reading_source *source)
{
    bool whole = true;
    double first = source->begun ? source->position : 1;
    if (!source->begun) {
        note_names(source);
        source->axis = PL_BY_EPOCH;
    }
    for (size_t i = 0; i < source->waiting.count; i++)
        whole = pl_reading_record(reading, &source->waiting.list[i].pair, source->axis,
                                  first + (double)source->waiting.list[i].ahead) &&
                whole;
    source->position = first + (double)source->waiting.ahead;
    source->begun = source->counted = true;
    clear(&source->waiting);
    return whole;
}

/* What came before the first position: counted, if that is beyond; what stands once is of the beginning, and what comes
 * again and again of the position itself, which is stated behind it. */
static bool release_first(struct pl_reading *reading, struct pl_reading_source *source, enum pl_series_axis axis,
                          double position)
{
    struct pl_waiting *waiting = &source->waiting;
    bool whole = true;
    if (axis == PL_BY_EPOCH && (double)waiting->ahead + 1 < position) {
        whole = release_counted(reading, source);
        forget_names(source);
        return whole;
    }
    double first = fmin(axis == PL_BY_STEP ? reading->first_step : 1, position);
    note_names(source);
    for (size_t i = 0; i < waiting->count; i++) {
        const struct pl_line_pair *pair = &waiting->list[i].pair;
        bool repeated = is_among(&source->repeated, pair->name);
        whole = pl_reading_record(reading, pair, axis, repeated ? position : first) && whole;
    }
    clear(waiting);
    return whole;
}

static bool is_of_other_set(const char *name)
{
    enum pl_metric_set set = pl_metric_judge(name).set;
    return set == PL_SET_VALID || set == PL_SET_TEST;
}

/* Are positions stated behind what belongs to them? What waits came before the first one too: again and again, or it is
 * training's and that one told of an evaluation only. */
static bool comes_before(const struct pl_reading_source *source)
{
    for (size_t i = 0; i < source->waiting.count; i++) {
        const char *name = source->waiting.list[i].pair.name;
        if (is_among(&source->repeated, name) ||
            (source->evaluated && is_among(&source->before, name) && !is_of_other_set(name)))
            return true;
    }
    return false;
}

/* A position is stated. Returns false where lines that were counted before turn out to be none of epochs. */
static bool arrive(struct pl_reading *reading, struct pl_reading_source *source, enum pl_series_axis axis,
                   double position)
{
    const struct pl_waiting *waiting = &source->waiting;
    bool counted = source->begun && source->counted && !source->stated,
         good = !counted || source->position <= 1 || (axis == source->axis && position >= source->position);
    if (counted && good)
        forget_names(source);
    if (!waiting->count)
        return good;
    if (!source->begun)
        return release_first(reading, source, axis, position);
    bool beyond = axis == source->axis && position > source->position + (double)waiting->ahead;
    source->behind = source->behind || (axis == source->axis && comes_before(source));
    if (source->behind)
        return release_at(reading, source, axis, position);
    return beyond ? release_counted(reading, source) : release_at(reading, source, source->axis, source->position);
}

void pl_reading_settle(struct pl_reading *reading, struct pl_reading_source *source)
{
    struct pl_waiting *waiting = &source->waiting;
    const char *lost = NULL;
    if (!source->behind && !(source->begun && comes_before(source))) {
        if (waiting->count && !release_counted(reading, source))
            pl_reading_unread(reading, "metrics beyond those that are recorded");
        return;
    }
    for (size_t i = 0; i < waiting->count; i++)
        if (pl_reading_has(reading, &waiting->list[i].pair, source->axis, source->position, false))
            lost = lost ? lost : waiting->list[i].pair.name;
        else
            pl_reading_record(reading, &waiting->list[i].pair, source->axis, source->position);
    if (lost) {
        char text[200];
        snprintf(text, sizeof text, "%.100s behind the last position", lost);
        pl_reading_unread(reading, text);
    }
    clear(waiting);
}

/* ---- lines ---- */

static bool wait_for_position(struct pl_reading *reading, struct pl_reading_source *source, const struct pl_line *line)
{
    struct pl_waiting *waiting = &source->waiting;
    if (!source->behind && (waiting->count ? repeats(source, line) : source->begun))
        waiting->ahead++;
    for (size_t i = 0; i < line->count; i++)
        add_waiting(waiting, &line->pairs[i], source->behind);
    source->counted = true;
    if (!source->begun && waiting->ahead >= (reading->at_once ? 1 : COUNTED_MOST))
        return release_counted(reading, source);
    if (source->begun && waiting->count > WAITING_MOST) {
        source->stated = 2;
        return release_at(reading, source, source->axis, source->position);
    }
    return true;
}

/* Positions that begin again, as for every fold of a cross-validation, replace what was stated there. One of them may
 * only be told again (the best one, at the end); the second one is noted. */
static void note_again(struct pl_reading *reading, struct pl_reading_source *source, const struct pl_line_pair *pair)
{
    char text[300], position[PL_NUMBER_SIZE];
    if (reading->again || !pl_reading_replaces(reading, pair, source->axis, source->position))
        return;
    if (!source->replacing || source->replaced == source->position) {
        source->replacing = true;
        source->replaced = source->position;
        return;
    }
    reading->again = true;
    pl_number_write(source->position, position);
    snprintf(text, sizeof text, "poula: positions begin again: %.100s at %s %s takes the place of an earlier value",
             pair->name, source->axis == PL_BY_STEP ? "step" : "epoch", position);
    reading->sink->log(reading->sink->self, text);
    pl_reading_unread(reading, text + strlen("poula: "));
}

static bool record_here(struct pl_reading *reading, struct pl_reading_source *source, const struct pl_line *line)
{
    bool whole = true;
    for (size_t i = 0; i < line->count && source->back; i++)
        note_again(reading, source, &line->pairs[i]);
    for (size_t i = 0; i < line->count; i++)
        whole = pl_reading_record(reading, &line->pairs[i], source->axis, source->position) && whole;
    return whole;
}

/* Does the line tell of another set than the one that is trained on, and of nothing else? */
static bool evaluates(const struct pl_line *line)
{
    bool some = false;
    for (size_t i = 0; i < line->count; i++) {
        const char *name = line->pairs[i].name;
        bool other = is_of_other_set(name);
        if (!other && pl_direction_is_choice(pl_metric_judge(name).direction))
            return false;
        some = some || other;
    }
    return some;
}

static bool place_stated(struct pl_reading *reading, struct pl_reading_source *source, const struct pl_line *line)
{
    bool epoch = !isnan(line->epoch);
    enum pl_series_axis axis = epoch ? PL_BY_EPOCH : PL_BY_STEP;
    double position = epoch ? line->epoch : line->step;
    bool whole = arrive(reading, source, axis, position);
    source->back = source->back || (source->begun && axis == source->axis && position < source->position);
    source->axis = axis;
    source->position = position;
    source->heading = !line->count;
    source->counted = false;
    source->evaluated = !source->stated && evaluates(line);
    source->stated += !source->heading;
    source->begun = true;
    return record_here(reading, source, line) && whole;
}

bool pl_reading_place(struct pl_reading *reading, struct pl_reading_source *source, const struct pl_line *line)
{
    bool epoch = !isnan(line->epoch), step = !isnan(line->step);
    if (!epoch && step && line->step_in_epoch && line->count && source->begun && source->heading &&
        source->axis == PL_BY_EPOCH)
        return record_here(reading, source, line); /* below "Epoch 2/10", step 100/600 is one of that epoch's */
    if (epoch || step)
        return place_stated(reading, source, line);
    if (!line->count)
        return true;
    if (!source->begun)
        return wait_for_position(reading, source, line);
    if (source->heading || (line->within && source->stated))
        return record_here(reading, source, line);
    if (source->behind || source->waiting.count)
        return wait_for_position(reading, source, line);
    if (source->stated < 2 && (is_taken(reading, source, line) || (source->stated && has_repeated(source, line)))) {
        if (source->stated)
            return wait_for_position(reading, source, line);
        source->position += 1;
        source->counted = true;
    }
    return record_here(reading, source, line);
}
