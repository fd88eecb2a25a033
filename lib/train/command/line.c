/* Lines: from bytes to the positions and metrics that they state. */
#include "train/command/scan.h"
#include "train/command/section.h"
#include "train/metric.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Names of a position other than the epoch, the best first. */
static const char *const step_names[] = {"global_step", "step",        "iteration", "iter",
                                         "update",      "num_updates", "_step",     "step_num"};
enum { STEP_NAME_COUNT = sizeof step_names / sizeof *step_names };

/* ---- names ---- */

static bool is_word(const char *name, size_t length, const char *word)
{
    return length == strlen(word) && !strncasecmp(name, word, length);
}

static bool is_epoch(const char *name, size_t length)
{
    return is_word(name, length, "epoch") || is_word(name, length, "epoch_num");
}

/* Which of step_names; STEP_NAME_COUNT: none. */
static size_t step_rank(const char *name, size_t length)
{
    size_t rank = 0;
    while (rank < STEP_NAME_COUNT && !is_word(name, length, step_names[rank]))
        rank++;
    return rank;
}

bool pl_line_is_position(const char *name, size_t length)
{
    return is_epoch(name, length) || step_rank(name, length) < STEP_NAME_COUNT;
}

/* Another question than that of lib/train/metric_name.c, which judges a name that is a metric's: this one is asked of
 * every word that a number follows, prose too. The rule would answer alike for all lines of tests/lines (but for score,
 * energy and entropy, which tell no direction), but it takes "correct", "win" and "failures" for measures, and the
 * time: 10,000 lines of prose took 1.9 s with it, and 0.1 s with this list. */
bool pl_line_is_measure(const char *name, size_t length)
{
    static const char measures[] =
        "loss losses logloss acc accuracy ppl perplexity err error rmse mse mae nll nlll bleu auc auroc f1 map iou "
        "miou dice "
        "reward return score objective bpc bpd wer cer elbo kl precision recall top1 top5 xent entropy ce bce r2 psnr "
        "ssim fid kappa mrr ndcg cost energy merror rouge";
    size_t start = 0;
    for (size_t i = 0; i <= length; i++) {
        if (i < length && isalnum((unsigned char)name[i]))
            continue;
        char part[24];
        size_t n = i - start;
        if (n && n < sizeof part) {
            for (size_t k = 0; k < n; k++)
                part[k] = (char)tolower((unsigned char)name[start + k]);
            part[n] = '\0';
            if (pl_has_word(measures, part))
                return true;
            while (n && isdigit((unsigned char)part[n - 1])) /* acc1 */
                part[--n] = '\0';
            if (n && pl_has_word(measures, part))
                return true;
        }
        start = i + 1;
    }
    return false;
}

/* A name without blanks, and with nothing that a spec could not say; NULL: it cannot be one. */
static char *metric_name(const char *name, size_t length)
{
    char out[PL_METRIC_NAME_MOST + 1];
    size_t n = 0;
    while (length && isspace((unsigned char)*name))
        name++, length--;
    while (length && isspace((unsigned char)name[length - 1]))
        length--;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)name[i];
        bool blank = isspace(c);
        if (blank && n && out[n - 1] == '_' && isspace((unsigned char)name[i - 1]))
            continue;
        if (!blank && !isalnum(c) && c < 0x80 && !strchr("_" PL_METRIC_SIGNS, c))
            return NULL;
        if (n == PL_METRIC_NAME_MOST)
            return NULL;
        out[n++] = blank ? '_' : (char)c;
    }
    if (!n || !(isalpha((unsigned char)*out) || *out == '_' || (unsigned char)*out >= 0x80))
        return NULL;
    return pl_copy_bytes(out, n);
}

/* ---- one line ---- */

void pl_line_add(struct pl_line *line, const char *name, size_t length, double value)
{
    char *clean = metric_name(name, length);
    if (clean && pl_word_is_digest((struct pl_word){clean, strlen(clean)})) {
        free(clean);
        return;
    }
    if (!clean) {
        line->odd = true;
        return;
    }
    void *list = line->pairs;
    pl_grow(&list, &line->capacity, line->count + 1, sizeof *line->pairs);
    line->pairs = list;
    line->pairs[line->count++] = (struct pl_line_pair){.name = clean, .value = value};
}

void pl_line_remove(struct pl_line *line, size_t index)
{
    free(line->pairs[index].name);
    memmove(&line->pairs[index], &line->pairs[index + 1], (line->count - index - 1) * sizeof *line->pairs);
    line->count--;
}

static void clear_line(struct pl_line *line)
{
    while (line->count)
        free(line->pairs[--line->count].name);
}

static const char *last_part(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

/* The pair that states the epoch (step false) or best states the step, by its whole name or, in nested objects, by the
 * last part of it; count: none does. */
static size_t find_position(const struct pl_line *line, bool step)
{
    size_t found = line->count, best = 2 * STEP_NAME_COUNT + 2;
    for (size_t i = 0; i < line->count; i++) {
        const char *whole = line->pairs[i].name, *part = last_part(whole);
        size_t rank = step ? step_rank(part, strlen(part)) : is_epoch(part, strlen(part)) ? 0 : STEP_NAME_COUNT;
        if (rank == STEP_NAME_COUNT)
            continue;
        rank = 2 * rank + (part > whole);
        if (rank < best) {
            best = rank;
            found = i;
        }
    }
    return found;
}

static bool is_legal_position(double value)
{
    return value >= 0 && value <= 0x1p53;
}

void pl_line_settle(struct pl_line *line)
{
    line->epoch = line->step = NAN;
    for (int step = 0; step < 2; step++) {
        size_t at = find_position(line, step);
        if (at == line->count)
            continue;
        double value = line->pairs[at].value;
        if (!is_legal_position(value)) {
            line->lost = line->lost || !step || isnan(line->epoch);
            continue;
        }
        if (step)
            line->step = value;
        else
            line->epoch = value;
        if (!step || isnan(line->epoch))
            pl_line_remove(line, at);
        for (size_t i = line->count; !step && i > 0; i--) /* told again: epoch 1 loss=0.5 | epoch 1 val_loss=0.6 */
            if (is_epoch(line->pairs[i - 1].name, strlen(line->pairs[i - 1].name)) && line->pairs[i - 1].value == value)
                pl_line_remove(line, i - 1);
    }
    if (line->lost) {
        clear_line(line);
        line->epoch = line->step = NAN;
        line->odd = true;
    }
}

static int by_name(const void *a, const void *b)
{
    const struct pl_line_pair *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static bool differ(const struct pl_line_pair *a, const struct pl_line_pair *b)
{
    return a->value != b->value && !(isnan(a->value) && isnan(b->value));
}

static void remove_all(struct pl_line *line, const char *name)
{
    for (size_t k = line->count; k > 0; k--)
        if (!strcmp(line->pairs[k - 1].name, name))
            pl_line_remove(line, k - 1);
}

/* An object or a row that states a metric twice, with different values: nobody knows which it is. */
static void drop_twins(struct pl_line *line)
{
    size_t count = line->count, twin_count = 0;
    if (count < 2)
        return;
    struct pl_line_pair *sorted = pl_new(count * sizeof *sorted);
    char **twins = pl_new(count * sizeof *twins);
    memcpy(sorted, line->pairs, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_name);
    for (size_t i = 1; i < count; i++)
        if (!strcmp(sorted[i - 1].name, sorted[i].name) && differ(&sorted[i - 1], &sorted[i]) &&
            !(twin_count && !strcmp(twins[twin_count - 1], sorted[i].name)))
            twins[twin_count++] = pl_copy(sorted[i].name);
    free(sorted); /* its names are the line's, and go with what is removed */
    for (size_t i = 0; i < twin_count; i++) {
        line->odd = true;
        line->lost = line->lost || pl_line_is_position(twins[i], strlen(twins[i]));
        remove_all(line, twins[i]);
        free(twins[i]);
    }
    free(twins);
}

struct pl_line *pl_lines_add(struct pl_lines *lines)
{
    void *list = lines->list;
    size_t before = lines->capacity;
    pl_grow(&list, &lines->capacity, lines->count + 1, sizeof *lines->list);
    lines->list = list;
    memset(lines->list + before, 0, (lines->capacity - before) * sizeof *lines->list);
    struct pl_line *line = &lines->list[lines->count++];
    line->odd = line->lost = line->step_in_epoch = line->within = line->numbered = false;
    line->section = NULL;
    line->epoch = line->step = NAN;
    return line;
}

void pl_lines_clear(struct pl_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        clear_line(&lines->list[i]);
    lines->count = 0;
    lines->odd = false;
}

void pl_lines_release(struct pl_lines *lines)
{
    pl_lines_clear(lines);
    for (size_t i = 0; i < lines->capacity; i++)
        free(lines->list[i].pairs);
    free(lines->list);
    *lines = (struct pl_lines){0};
}

/* ---- what kind of line it is ---- */

/* "name": 3 somewhere: a broken object loses metrics. */
static bool has_quoted_pair(const char *text)
{
    for (const char *c = text; (c = strchr(c, ':')); c++) {
        const char *value = c + 1 + strspn(c + 1, " \t");
        if (c > text && (c[-1] == '"' || c[-1] == '\'') && (isdigit((unsigned char)*value) || strchr("-+.", *value)) &&
            *value)
            return true;
    }
    return false;
}

/* OrderedDict({...}), Counter({...}), as Python shows them. */
static bool is_wrapped(const char *text, const char *start)
{
    static const char *const types[] = {"Dict(", "dict(", "Counter("};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        size_t length = strlen(types[i]);
        if ((size_t)(start - text) >= length && !memcmp(start - length, types[i], length))
            return true;
    }
    return false;
}

/* An object that ends the line, behind whatever a logger or the program puts before it. */
static bool read_objects(const char *text, struct pl_lines *lines)
{
    const char *end = text + strlen(text);
    for (const char *start = text; (start = strpbrk(start, "{[")); start++) {
        const char *after, *inside = start + 1 + strspn(start + 1, " \t");
        if (start > text && !strchr(" \t:=>])|-,", start[-1]) && !is_wrapped(text, start))
            continue;
        if (*start == '[' && (*inside != '{' || start > text + strspn(text, " \t")))
            continue;
        if (pl_line_objects(start, end, lines, &after) && !after[strspn(after, " \t,;.)")]) {
            struct pl_word set = pl_line_set_before(text, start); /* valid: {'loss': 0.5} */
            for (size_t i = 0; lines->count == 1 && i < lines->list[0].count; i++)
                pl_line_prefix(&lines->list[0].pairs[i], set);
            if (lines->count == 1 && start > text) /* Epoch 3: {'loss': 0.5} */
                pl_line_words(text, start, NULL, &lines->list[0]);
            return true;
        }
        pl_lines_clear(lines);
        if (start == text + strspn(text, " \t"))
            return false;
    }
    return false;
}

/* Keeps the set that a line of one batch is of, until another line has metrics. */
static void note_batch(const struct pl_line *line, struct pl_line_table *table)
{
    size_t length = line->within && line->count ? pl_scan_set_length(line->pairs[0].name, strlen(line->pairs[0].name))
                                                : 0;
    if (!table || !line->count)
        return;
    free(table->batch_set);
    table->batch_set = length ? pl_copy_bytes(line->pairs[0].name, length) : NULL;
}

/* (train pid=123, ip=10.0.0.1) that Ray puts before what its workers print: its bytes, or 0. */
static size_t worker_length(const char *text)
{
    const char *close = *text == '(' ? strchr(text, ')') : NULL, *pid = close ? strstr(text, "pid=") : NULL;
    return pid && pid < close && close[1] == ' ' ? (size_t)(close - text) + 1 : 0;
}

static void settle(struct pl_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        pl_line_settle(&lines->list[i]);
        lines->odd = lines->odd || lines->list[i].odd;
    }
}

bool pl_line_read_object(const char *text, struct pl_lines *lines)
{
    pl_lines_clear(lines);
    bool object = read_objects(text + worker_length(text), lines);
    for (size_t i = 0; i < lines->count; i++)
        drop_twins(&lines->list[i]);
    settle(lines);
    return object;
}

/* Pairs, of the set that the lines before name. */
static void read_words(const char *text, struct pl_line_table *table, struct pl_line *line)
{
    const char *start = text + strspn(text, " \t"), *end = text + strlen(text);
    bool sums_up = !strncmp(start, "* ", 2) || !strncmp(start, "Averaged stats", 14);
    const char *name = !table                        ? NULL
                       : sums_up && table->batch_set ? table->batch_set
                       : table->set                  ? table->set
                                                     : table->section;
    struct pl_word set = {name ? name : "", name ? strlen(name) : 0};
    pl_line_words(text, end, &set, line);
    if (name && name == table->section && pl_section_ends(table, line)) {
        clear_line(line);
        pl_line_words(text, end, NULL, line);
    }
    note_batch(line, table);
}

static void read_plain(const char *text, struct pl_line_table *table, struct pl_lines *lines)
{
    if (pl_line_read_object(text, lines))
        return;
    text += worker_length(text);
    const char *start = text + strspn(text, " \t");
    if (*start == '{' || (*start == '[' && start[1] == '{')) {
        lines->odd = has_quoted_pair(start);
        return;
    }
    struct pl_line *line = pl_lines_add(lines);
    char *narrowed = pl_line_narrow(text);
    text = narrowed ? narrowed : text;
    if (!(table && pl_section_read(text, table)) && !pl_line_columns(text, table, line))
        read_words(text, table, line);
    else
        drop_twins(line);
    settle(lines);
    if (table)
        pl_section_note(line, table);
    free(narrowed);
}

void pl_line_read(const char *text, struct pl_line_table *table, struct pl_lines *lines)
{
    char *printed = pl_line_printed(text);
    read_plain(printed ? printed : text, table, lines);
    free(printed);
}
