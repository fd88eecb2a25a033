#include "study/resources.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- amounts ---- */

/* A number in plain digits, which may have a fraction; goes past it. */
static bool take_amount(const char **text, double *value)
{
    size_t length = strspn(*text, "0123456789.");
    const char *point = memchr(*text, '.', length);
    bool good = length && length < 40 && isdigit((unsigned char)**text) &&
                (!point || !memchr(point + 1, '.', (size_t)(*text + length - point - 1)));
    *value = good ? strtod(*text, NULL) : 0; /* "08" is a number here, unlike in pl_number_read */
    *text += length;
    return good;
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

static const char memory_units[] = "KMGTP"; /* the n-th is 1024^n bytes */

bool pl_memory_read(const char *text, double *bytes)
{
    double value, unit = 1024. * 1024;
    text = skip_blanks(text);
    if (!take_amount(&text, &value))
        return false;
    text = skip_blanks(text);
    const char *found = *text ? strchr(memory_units, toupper((unsigned char)*text)) : NULL;
    if (found) {
        unit = pow(1024, (double)(found - memory_units + 1));
        text++;
        text += *text == 'i' && toupper((unsigned char)text[1]) == 'B';
        text += toupper((unsigned char)*text) == 'B';
    }
    if (text[strspn(text, " \t")] || !(value * unit >= 1) || value * unit > 0x1p60)
        return false;
    *bytes = value * unit;
    return true;
}

void pl_memory_write(double bytes, struct pl_text *out)
{
    int unit = 1; /* kilobytes: nobody asks for less */
    while (unit < (int)strlen(memory_units) && bytes >= pow(1024, unit + 1))
        unit++;
    double value = bytes / pow(1024, unit);
    if (value * 100 != floor(value * 100)) { /* never less than is meant */
        double step = value < 10 ? 0.01 : value < 100 ? 0.1 : 1;
        value = ceil(value / step) * step;
        value = round(value * 100) / 100;
    }
    pl_text_add_number(out, value);
    pl_text_add_char(out, memory_units[unit - 1]);
}

static bool within_times(double seconds)
{
    return seconds > 0 && seconds <= 1e9;
}

/* "12:00", "1-12", "1-12:00:00": what stands between the signs, as Slurm takes it. */
static bool read_clock(const char *text, double *seconds)
{
    static const double before_days[] = {3600, 60, 1}; /* after the days: hours, minutes, seconds */
    double parts[3], days = 0;
    size_t count = 0;
    const char *dash = strchr(text, '-');
    if (dash) {
        if (!take_amount(&text, &days) || text != dash || days != floor(days))
            return false;
        text++;
    }
    do {
        const char *start = text;
        if (count == 3 || !take_amount(&text, &parts[count]) || memchr(start, '.', (size_t)(text - start)))
            return false;
        count++;
    } while (*text++ == ':');
    if (text[-1])
        return false;
    /* Without days two parts are minutes and seconds. */
    size_t skip = dash || count == 3 ? 0 : 3 - count;
    double sum = days * 86400;
    for (size_t i = 0; i < count; i++)
        sum += parts[i] * before_days[i + skip];
    *seconds = sum;
    return within_times(sum);
}

/* "1d 12h", "1h30m": each unit once, from large to small. */
static bool read_units(const char *text, double *seconds)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"d", 86400}, {"h", 3600}, {"min", 60}, {"m", 60}, {"s", 1}};
    double sum = 0, last = INFINITY;
    for (text = skip_blanks(text); *text; text = skip_blanks(text)) {
        double value;
        size_t u = 0;
        if (!take_amount(&text, &value))
            return false;
        text = skip_blanks(text);
        while (u < sizeof units / sizeof *units && strncmp(text, units[u].name, strlen(units[u].name)))
            u++;
        if (u == sizeof units / sizeof *units || units[u].seconds >= last)
            return false;
        text += strlen(units[u].name);
        last = units[u].seconds;
        sum += value * last;
    }
    *seconds = sum;
    return within_times(sum);
}

bool pl_duration_read(const char *text, double *seconds)
{
    double value;
    const char *rest = text = skip_blanks(text);
    if (take_amount(&rest, &value) && !rest[strspn(rest, " \t")]) {
        if (!within_times(60 * value))
            return false;
        *seconds = 60 * value;
        return true;
    }
    return strpbrk(text, ":-") ? read_clock(text, &value) && (*seconds = value, true)
                               : read_units(text, &value) && (*seconds = value, true);
}

void pl_duration_write(double seconds, struct pl_text *out)
{
    int64_t left = seconds < 1 ? 1 : seconds < 1e12 ? (int64_t)ceil(seconds) : (int64_t)1e12;
    static const struct {
        char name;
        int64_t seconds;
    } units[] = {{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}};
    size_t first = left < 120 && left != 60 ? 3 : left < 7200 && left % 60 == 0 && left % 3600 ? 2 : 0;
    const char *blank = "";
    for (size_t i = first; i < 4; i++) {
        int64_t whole = left / units[i].seconds;
        left -= whole * units[i].seconds;
        if (!whole)
            continue;
        pl_text_addf(out, "%s%lld%c", blank, (long long)whole, units[i].name);
        blank = " ";
    }
}

/* ---- options of sbatch ---- */

static const char by_itself[] = "poula sets it itself";
static const char one_node[] = "a task of poula runs on one node; say cpus: N in resources";

/* What poula says to sbatch, so that nobody else may. */
static const struct refused {
    const char *name;
    char letter; /* 0: it has none */
    const char *instead;
} refused[] = {
    {"account", 'A', "say account: NAME in resources"},
    {"array", 'a', by_itself},
    {"chdir", 'D', by_itself},
    {"clusters", 'M', "set SLURM_CLUSTERS in the environment, which squeue and scancel obey as well"},
    {"cpus-per-task", 'c', "say cpus: N in resources"},
    {"error", 'e', by_itself},
    {"gpus", 'G', "say gpus: N in resources (a kind of GPU is --gres=gpu:KIND:N or --constraint)"},
    {"help", 'h', "it only prints"},
    {"input", 'i', by_itself},
    {"job-name", 'J', "poula finds its tasks by their names"},
    {"mem", 0, "say memory: 8G in resources"},
    {"mem-per-cpu", 0, "say memory: 8G, of the whole task, in resources"},
    {"mem-per-gpu", 0, "say memory: 8G, of the whole task, in resources"},
    {"no-requeue", 0, "tasks go on after their node has failed; --requeues 0 forbids it"},
    {"nodes", 'N', one_node},
    {"ntasks", 'n', one_node},
    {"ntasks-per-core", 0, one_node},
    {"ntasks-per-gpu", 0, one_node},
    {"ntasks-per-node", 0, one_node},
    {"ntasks-per-socket", 0, one_node},
    {"open-mode", 0, by_itself},
    {"output", 'o', by_itself},
    {"parsable", 0, by_itself},
    {"partition", 'p', "say partition: NAME in resources"},
    {"requeue", 0, by_itself},
    {"signal", 0, "poula warns its tasks itself before their time is over"},
    {"tasks-per-node", 0, one_node},
    {"test-only", 0, "poula sweep --dry-run shows what would be submitted"},
    {"time", 't', "say time: 4h in resources"},
    {"usage", 0, "it only prints"},
    {"version", 'V', "it only prints"},
    {"wait", 'W', "poula sweep waits, unless it is given --detach"},
    {"wrap", 0, by_itself},
};
enum { REFUSED_COUNT = sizeof refused / sizeof *refused };

static const struct refused *find_letter(char letter)
{
    for (size_t i = 0; i < REFUSED_COUNT; i++)
        if (refused[i].letter == letter)
            return &refused[i];
    return NULL;
}

/* sbatch takes the beginning of a name for the name. */
static const struct refused *find_name(const char *name, size_t length)
{
    const struct refused *found = NULL;
    for (size_t i = 0; i < REFUSED_COUNT && length; i++) {
        if (strncmp(refused[i].name, name, length))
            continue;
        if (strlen(refused[i].name) == length)
            return &refused[i];
        found = found ? found : &refused[i];
    }
    return found;
}

/* The one among letters that stand together, as in -Qn4, that is refused. */
static const struct refused *find_letters(const char *letters)
{
    static const char alone[] = "hHIkOQsvVW"; /* those without a value */
    for (; isalpha((unsigned char)*letters); letters++) {
        const struct refused *found = find_letter(*letters);
        if (found || !strchr(alone, *letters))
            return found;
    }
    return NULL;
}

int pl_resources_check_sbatch(const char *option, struct pl_error *err)
{
    for (const unsigned char *c = (const unsigned char *)option; *c; c++)
        if (*c < ' ' || *c == 0x7f)
            return pl_fail(err, PL_EINPUT, "an option of sbatch must be one line, without control characters");
    bool is_long = option[0] == '-' && option[1] == '-';
    if (option[0] != '-' || !isalpha((unsigned char)option[1 + is_long]))
        return pl_fail(err, PL_EINPUT, "\"%.100s\" is no option of sbatch; write it as in --constraint=avx512", option);
    const struct refused *found = is_long ? find_name(option + 2, strcspn(option + 2, "= ")) : find_letters(option + 1);
    if (!found)
        return 0;
    return pl_fail(err, PL_EINPUT, "sbatch's --%s cannot be given here: %s", found->name, found->instead);
}

/* ---- copies ---- */

static void release_lines(struct pl_texts *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        free(lines->items[i]);
    free(lines->items);
    *lines = (struct pl_texts){0};
}

static void copy_lines(struct pl_texts *to, const struct pl_texts *from)
{
    *to = (struct pl_texts){.items = from->count ? pl_new(from->count * sizeof *to->items) : NULL,
                            .count = from->count};
    for (size_t i = 0; i < from->count; i++)
        to->items[i] = pl_copy(from->items[i]);
}

static void override_lines(struct pl_texts *lines, const struct pl_texts *over)
{
    if (!over->count)
        return;
    release_lines(lines);
    copy_lines(lines, over);
}

static void override_text(char **text, const char *over)
{
    if (!over)
        return;
    free(*text);
    *text = pl_copy(over);
}

void pl_resources_copy(struct pl_resources *to, const struct pl_resources *from)
{
    *to = *from;
    to->partition = pl_copy(from->partition);
    to->account = pl_copy(from->account);
    copy_lines(&to->sbatch, &from->sbatch);
    copy_lines(&to->setup, &from->setup);
}

void pl_resources_override(struct pl_resources *resources, const struct pl_resources *over)
{
    resources->cpus = over->cpus ? over->cpus : resources->cpus;
    resources->memory = over->memory > 0 ? over->memory : resources->memory;
    resources->time = over->time > 0 ? over->time : resources->time;
    resources->gpus = over->gpus ? over->gpus : resources->gpus;
    override_text(&resources->partition, over->partition);
    override_text(&resources->account, over->account);
    override_lines(&resources->sbatch, &over->sbatch);
    override_lines(&resources->setup, &over->setup);
}

void pl_resources_release(struct pl_resources *resources)
{
    free(resources->partition);
    free(resources->account);
    release_lines(&resources->sbatch);
    release_lines(&resources->setup);
    *resources = (struct pl_resources){0};
}
