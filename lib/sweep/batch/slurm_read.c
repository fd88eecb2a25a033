/* What the commands of Slurm print. */
#include "sweep/batch/slurm.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_INDICES = 5000000, MOST_FIELDS = 16 }; /* MaxArraySize is at most 4,000,001 */

/* ---- lines and fields ---- */

/* Calls for each line, which it may write to. The last one must have its newline: a command that was ended prints half
 * a line, whose half a number would be another one. */
static int each_line(struct pl_text *text, const char *program, bool (*line)(void *self, char *text), void *self,
                     struct pl_error *err)
{
    char *at = text->text, *end = at + text->length;
    while (text->length && at < end) {
        char *newline = memchr(at, '\n', (size_t)(end - at)), shown[81];
        snprintf(shown, sizeof shown, "%.80s", at);
        shown[strcspn(shown, "\n")] = '\0';
        if (!newline)
            return pl_fail(err, PL_EIO, "%s printed a line without an end: %s", program, shown);
        *newline = '\0';
        if (strlen(at) != (size_t)(newline - at) || !line(self, at))
            return pl_fail(err, PL_EIO, "%s printed a line that is not understood: %s", program, shown);
        at = newline + 1;
    }
    return 0;
}

/* Cuts a line at its bars; what is behind the last one wanted stays with it. Returns how many fields there are. */
static size_t split(char *line, char *fields[], size_t wanted)
{
    size_t count = 0;
    for (;;) {
        fields[count++] = line;
        char *bar = count < wanted ? strchr(line, '|') : NULL;
        if (!bar)
            return count;
        *bar = '\0';
        line = bar + 1;
    }
}

/* Digits, a whole number; goes past it. */
static bool take_whole(const char **text, int64_t *value)
{
    size_t digits = strspn(*text, "0123456789");
    if (!digits || digits > 18)
        return false;
    *value = strtoll(*text, NULL, 10);
    *text += digits;
    return true;
}

/* Seconds since 1970 (as SLURM_TIME_FORMAT=%s asks for), or a local time as Slurm writes it by itself. */
static double read_time(const char *text)
{
    int64_t seconds;
    const char *rest = text;
    struct tm tm = {.tm_isdst = -1};
    if (take_whole(&rest, &seconds) && !*rest)
        return (double)seconds;
    const char *after = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
    return after && !*after ? (double)mktime(&tm) : 0;
}

/* ---- tasks ---- */

/* A task, or several of one array that wait, as one line has them. */
struct seen {
    const struct pl_slurm_hearer *hearer;
    enum pl_slurm_source source;
};

static bool tell_range(const struct pl_slurm_hearer *hearer, struct pl_task_report *report, int64_t first, int64_t last,
                       int64_t step)
{
    if (step < 1 || last < first || (last - first) / step >= MOST_INDICES)
        return false;
    for (report->index = first; report->index <= last; report->index += step)
        hearer->task(hearer->self, report);
    return true;
}

/* "7", "4-5,7%4", "0-20:2", "[4-5]"; "..." stands for indices that were left out. */
static bool tell_indices(const struct pl_slurm_hearer *hearer, struct pl_task_report *report, const char *text)
{
    bool bracket = *text == '[';
    for (text += bracket;; text++) {
        int64_t first, last, step = 1;
        if (!strncmp(text, "...", 3)) {
            text += 3;
            break;
        }
        if (!take_whole(&text, &first))
            return false;
        last = first;
        if (*text == '-' && (text++, !take_whole(&text, &last)))
            return false;
        if (*text == ':' && (text++, !take_whole(&text, &step)))
            return false;
        if (!tell_range(hearer, report, first, last, step))
            return false;
        if (*text != ',')
            break;
    }
    if (*text == '%')
        text += 1 + strspn(text + 1, "0123456789");
    text += bracket && *text == ']';
    return !*text;
}

/* Of a job "12_3", "12_[4-5%2]"; true and nothing told of one that is no array: "12", "12+0", "12.batch". */
static bool tell_job(const struct pl_slurm_hearer *hearer, struct pl_task_report *report, char *job)
{
    int64_t number;
    const char *rest = job;
    if (!take_whole(&rest, &number))
        return false;
    if (*rest != '_')
        return !*rest || *rest == '+' || *rest == '.';
    char *indices = job + (rest - job);
    *indices++ = '\0';
    if (strlen(job) >= PL_ARRAY_ID_SIZE)
        return false;
    report->id = job;
    return strpbrk(indices, "+.") && strncmp(indices, "[", 1) ? true : tell_indices(hearer, report, indices);
}

static const char *node_of(const char *text)
{
    return !strcmp(text, "None assigned") || !strcmp(text, "(null)") || !strcmp(text, "n/a") ? "" : text;
}

/* What a task that was cancelled had waited for is no reason. */
static const char *reason_of(const char *text, enum pl_task_state state)
{
    bool none = !strcmp(text, "None") || !strcmp(text, "(null)");
    return none || state == PL_TASK_CANCELLED || state == PL_TASK_ENDED ? "" : text;
}

/* What a report is about in time: when it ended, else when it began, else when it was submitted. */
static double since(enum pl_task_state state, const char *submitted, const char *started, const char *ended)
{
    if (pl_task_is_over(state) && state != PL_TASK_UNKNOWN)
        return read_time(ended);
    return state == PL_TASK_RUNNING ? read_time(started) : read_time(submitted);
}

static bool take_squeue(void *self, char *line)
{
    const struct seen *seen = self;
    char *fields[7];
    if (split(line, fields, 7) < 7 || !*fields[1])
        return false;
    enum pl_task_state state = pl_slurm_state(fields[1], seen->source);
    struct pl_task_report report = {.state = state,
                                    .word = fields[1],
                                    .reason = reason_of(fields[6], state),
                                    .node = node_of(fields[2]),
                                    .since = since(state, fields[5], fields[3], fields[4])};
    return tell_job(seen->hearer, &report, fields[0]);
}

int pl_slurm_read_squeue(struct pl_text *text, enum pl_slurm_source source, const struct pl_slurm_hearer *hearer,
                         struct pl_error *err)
{
    struct seen seen = {hearer, source};
    return each_line(text, "squeue", take_squeue, &seen, err);
}

/* "3:0" is exit code 3, "0:9" signal 9. */
static void describe_exit(const char *code, char *out, size_t size)
{
    int64_t exit_code = 0, signal = 0;
    *out = '\0';
    if (!take_whole(&code, &exit_code) || *code++ != ':' || !take_whole(&code, &signal))
        return;
    if (exit_code)
        snprintf(out, size, "exit code %lld", (long long)exit_code);
    else if (signal && signal <= 64) /* 125 is how Slurm says that memory was over */
        snprintf(out, size, "signal %lld", (long long)signal);
}

static bool take_sacct(void *self, char *line)
{
    const struct seen *seen = self;
    char *fields[7], how[40];
    if (split(line, fields, 7) < 7 || !*fields[1])
        return false;
    enum pl_task_state state = pl_slurm_state(fields[1], seen->source);
    describe_exit(fields[6], how, sizeof how);
    struct pl_task_report report = {.state = state,
                                    .word = fields[1],
                                    .reason = how,
                                    .node = node_of(fields[2]),
                                    .since = since(state, fields[3], fields[4], fields[5])};
    return tell_job(seen->hearer, &report, fields[0]);
}

int pl_slurm_read_sacct(struct pl_text *text, const struct pl_slurm_hearer *hearer, struct pl_error *err)
{
    struct seen seen = {hearer, PL_SLURM_PAST};
    return each_line(text, "sacct", take_sacct, &seen, err);
}

/* ---- scontrol ---- */

/* Where a value of " KEY=value" begins; NULL where there is none. */
static const char *find_word(const char *line, const char *key)
{
    size_t length = strlen(key);
    for (const char *found = line; (found = strstr(found, key)); found++)
        if (found[length] == '=' && (found == line || isspace((unsigned char)found[-1])))
            return found + length + 1;
    return NULL;
}

static void copy_part(const char *from, size_t length, char *to, size_t size)
{
    snprintf(to, size, "%.*s", (int)(length < size ? length : size - 1), from);
}

bool pl_slurm_value(const char *printed, const char *key, char *value, size_t size)
{
    size_t length = strlen(key);
    const char *word = find_word(printed, key);
    if (word) {
        copy_part(word, strcspn(word, " \t\n"), value, size);
        return true;
    }
    for (const char *line = printed; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        const char *equals = line + length + strspn(line + (strncmp(line, key, length) ? 0 : length), " \t");
        if (strncmp(line, key, length) || *equals != '=')
            continue;
        equals += 1 + strspn(equals + 1, " \t");
        copy_part(equals, strcspn(equals, "\n"), value, size);
        return true;
    }
    return false;
}

static bool take_job(void *self, char *line)
{
    const struct seen *seen = self;
    char id[PL_ARRAY_ID_SIZE], indices[4096], word[64], reason[200], node[200], times[3][40], how[40], code[40];
    static const char *const keys[] = {"SubmitTime", "StartTime", "EndTime"};
    if (!*line || !strncmp(line, "No jobs in the system", 21))
        return true;
    if (!find_word(line, "JobId"))
        return false;
    /* The name is the user's; everything is looked up behind it. */
    const char *rest = strstr(line, " UserId=");
    if (!pl_slurm_value(line, "ArrayJobId", id, sizeof id) ||
        !pl_slurm_value(line, "ArrayTaskId", indices, sizeof indices))
        return true;
    if (!rest || !pl_slurm_value(rest, "JobState", word, sizeof word) || !*word)
        return false;
    for (size_t i = 0; i < 3; i++)
        if (!pl_slurm_value(rest, keys[i], times[i], sizeof times[i]))
            times[i][0] = '\0';
    enum pl_task_state state = pl_slurm_state(word, seen->source);
    if (!pl_slurm_value(rest, "Reason", reason, sizeof reason) || !*reason_of(reason, state) ||
        !strcmp(reason, "NonZeroExitCode")) {
        reason[0] = '\0';
        if (pl_slurm_value(rest, "ExitCode", code, sizeof code)) {
            describe_exit(code, how, sizeof how);
            snprintf(reason, sizeof reason, "%s", how);
        }
    }
    if (!pl_slurm_value(rest, "NodeList", node, sizeof node))
        node[0] = '\0';
    struct pl_task_report report = {.id = id,
                                    .state = state,
                                    .word = word,
                                    .reason = reason,
                                    .node = node_of(node),
                                    .since = since(state, times[0], times[1], times[2])};
    return !strcmp(indices, "N/A") || tell_indices(seen->hearer, &report, indices);
}

int pl_slurm_read_jobs(struct pl_text *text, const struct pl_slurm_hearer *hearer, struct pl_error *err)
{
    struct seen seen = {hearer, PL_SLURM_JOB};
    return each_line(text, "scontrol", take_job, &seen, err);
}

/* ---- ids and names ---- */

static bool take_id(const char *text, size_t length, char id[PL_ARRAY_ID_SIZE])
{
    size_t digits = strspn(text, "0123456789");
    if (!digits || digits != length || digits >= PL_ARRAY_ID_SIZE)
        return false;
    memcpy(id, text, digits);
    id[digits] = '\0';
    return true;
}

bool pl_slurm_read_submitted(const char *printed, char id[PL_ARRAY_ID_SIZE])
{
    bool found = false;
    for (const char *line = printed; *line; line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n')) {
        size_t length = strcspn(line, "\n"), number = strcspn(line, ";\n");
        bool whole = line[length] == '\n' && (line[number] != ';' || length > number + 1);
        found = (whole && take_id(line, number, id)) || found;
    }
    return found;
}

/* Keeps the id if it is older than the one there is. */
static void keep_older(const char *id, size_t length, char best[PL_ARRAY_ID_SIZE], bool *any)
{
    char taken[PL_ARRAY_ID_SIZE];
    if (!take_id(id, length, taken) || (*any && strtoull(best, NULL, 10) <= strtoull(taken, NULL, 10)))
        return;
    memcpy(best, taken, sizeof taken);
    *any = true;
}

bool pl_slurm_read_name(const char *lines, const char *name, char id[PL_ARRAY_ID_SIZE])
{
    bool any = false;
    size_t length = strlen(name);
    for (const char *line = lines; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        size_t job = strcspn(line, "_+.|\n");
        const char *bar = line + strcspn(line, "|\n");
        if (*bar == '|' && !strncmp(bar + 1, name, length) && bar[1 + length] == '\n')
            keep_older(line, job, id, &any);
    }
    return any;
}

bool pl_slurm_read_job_name(const char *lines, const char *name, char id[PL_ARRAY_ID_SIZE])
{
    bool any = false;
    size_t length = strlen(name);
    for (const char *line = lines; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        const char *end = line + strcspn(line, "\n"), *found = strstr(line, " JobName=");
        const char *array = strstr(line, " ArrayJobId=");
        if (!found || !array || found > end || array > found)
            continue;
        found += strlen(" JobName=");
        array += strlen(" ArrayJobId=");
        if (!strncmp(found, name, length) && !strncmp(found + length, " UserId=", 8))
            keep_older(array, strcspn(array, " "), id, &any);
    }
    return any;
}

/* ---- limits ---- */

double pl_slurm_read_time(const char *text)
{
    double seconds;
    return pl_duration_read(text, &seconds) ? seconds : 0;
}

int64_t pl_slurm_smallest(const char *lines)
{
    int64_t smallest = 0;
    for (const char *at = lines; *at;) {
        int64_t value;
        const char *rest = at;
        if (take_whole(&rest, &value) && (*rest == '|' || *rest == '\n' || !*rest) && value > 0 &&
            (!smallest || value < smallest))
            smallest = value;
        at += strcspn(at, "|\n");
        at += *at != '\0';
    }
    return smallest;
}
