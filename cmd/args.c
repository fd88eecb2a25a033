/* Command lines against the descriptors. */
#include "cmd.h"
#include "experiments.h"

#include "base/share.h"
#include "sweep/sweep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const struct pl_option pl_common_options[] = {
    {.name = "db", .argument = "FILE", .help = "results database (default $POULA_DB or results/poula.db)"},
    {.name = "data", .argument = "DIR", .help = "folder of data sets (default $POULA_DATA or data)"},
    {.name = "help", .letter = 'h', .help = "show this help"},
};
const size_t pl_common_option_count = sizeof pl_common_options / sizeof *pl_common_options;

const struct pl_option *pl_command_option(const struct pl_command *command, size_t i)
{
    if (i < command->option_count)
        return &command->options[i];
    i -= command->option_count;
    return i < pl_common_option_count ? &pl_common_options[i] : NULL;
}

static const struct pl_option *find_option(const struct pl_command *command, const char *name, size_t length)
{
    const struct pl_option *option;
    for (size_t i = 0; (option = pl_command_option(command, i)); i++)
        if (strlen(option->name) == length && !memcmp(option->name, name, length))
            return option;
    return NULL;
}

static const struct pl_option *find_letter(const struct pl_command *command, char letter)
{
    const struct pl_option *option;
    for (size_t i = 0; (option = pl_command_option(command, i)); i++)
        if (option->letter == letter)
            return option;
    return NULL;
}

static int unknown_option(const struct pl_args *args, const char *given)
{
    struct pl_candidates names = {0};
    struct pl_text hint = {0};
    const struct pl_option *option;
    for (size_t i = 0; (option = pl_command_option(args->command, i)); i++)
        pl_candidates_add(&names, option->name);
    if (given[0] == '-' && given[1] == '-')
        pl_candidates_hint(&names, given + 2, "--", &hint);
    int code = pl_cmd_usage_error(args, "there is no option %s%s", given, pl_text(&hint));
    pl_text_release(&hint);
    pl_candidates_release(&names);
    return code;
}

static int take_option(struct pl_args *args, const struct pl_option *option, const char *value)
{
    const char *meant = option->word_of ? option->word_of(value) : NULL;
    value = meant ? meant : value;
    if (option->argument && option->words && !pl_has_word(option->words, value))
        return pl_cmd_usage_error(args, "--%s is '%s', but must be one of: %s", option->name, value, option->words);
    if (!*value && option->argument && pl_has_word("DIR FILE", option->argument))
        return pl_cmd_usage_error(args, "--%s is empty, but must name a %s", option->name,
                                  strcmp(option->argument, "DIR") ? "file" : "folder"); /* never / or a nameless file */
    args->options[2 * args->option_count] = option->name;
    args->options[2 * args->option_count + 1] = value;
    args->option_count++;
    return 0;
}

/* Reads one word of the command line (and its argument). Returns the words used, or a negative exit code. */
static int parse_word(struct pl_args *args, int argc, char **argv)
{
    const char *word = argv[0], *equals = NULL;
    const struct pl_option *option;
    if (word[1] == '-') {
        equals = strchr(word, '=');
        option = find_option(args->command, word + 2, equals ? (size_t)(equals - word - 2) : strlen(word + 2));
    } else {
        option = find_letter(args->command, word[1]);
        if (option && word[2])
            equals = option->argument ? word + 1 : NULL; /* -j4 */
        if (option && word[2] && !equals)
            return -pl_cmd_usage_error(args, "write switches one by one, not '%s'", word);
    }
    if (!option)
        return -unknown_option(args, word);
    if (!option->argument && equals)
        return -pl_cmd_usage_error(args, "--%s takes no argument", option->name);
    if (!option->argument)
        return take_option(args, option, "") ? -2 : 1;
    if (equals)
        return take_option(args, option, equals + 1) ? -2 : 1;
    if (argc < 2)
        return -pl_cmd_usage_error(args, "--%s needs an argument: %s", option->name, option->argument);
    return take_option(args, option, argv[1]) ? -2 : 2;
}

/* Whoever gives an option twice that counts once is told which word counts: another one that went before it, perhaps
 * in an alias or a script, is dropped. */
static void note_dropped(const struct pl_args *args)
{
    const struct pl_option *option;
    for (size_t i = 0; (option = pl_command_option(args->command, i)); i++) {
        const char *last = pl_args_get(args, option->name, NULL), *given;
        bool differ = false;
        for (size_t k = 0; !option->repeats && (given = pl_args_nth(args, option->name, k)); k++)
            differ = differ || strcmp(given, last);
        if (differ)
            pl_cmd_note("poula %s: --%s is given more than once; the last one counts: %s", args->command->name,
                        option->name, last);
    }
}

int pl_args_parse(struct pl_args *args, const struct pl_command *command, int argc, char **argv)
{
    args->command = command;
    args->arguments = pl_new(((size_t)argc + 1) * sizeof *args->arguments);
    args->options = pl_new((2 * (size_t)argc + 2) * sizeof *args->options);
    bool only_arguments = false;
    for (int i = 0; i < argc;) {
        if (!only_arguments && !strcmp(argv[i], "--")) {
            only_arguments = true;
            i++;
        } else if (only_arguments || argv[i][0] != '-' || !argv[i][1]) {
            args->arguments[args->count++] = argv[i++];
        } else {
            int used = parse_word(args, argc - i, argv + i);
            if (used < 0)
                return -used;
            i += used;
        }
    }
    if (pl_args_has(args, "help"))
        return -1;
    for (size_t i = 0; i < args->count; i++)
        if (!*args->arguments[i])
            return pl_cmd_usage_error(args, "argument %zu is empty", i + 1);
    if (args->count < command->least)
        return pl_cmd_usage_error(args, "%s is missing", command->arguments ? command->arguments : "an argument");
    if (args->count > command->most)
        return pl_cmd_usage_error(args, "'%s' is one argument too many", args->arguments[command->most]);
    note_dropped(args);
    return 0;
}

bool pl_args_has(const struct pl_args *args, const char *option)
{
    return pl_args_nth(args, option, 0) != NULL;
}

const char *pl_args_nth(const struct pl_args *args, const char *option, size_t index)
{
    for (size_t i = 0; i < args->option_count; i++)
        if (!strcmp(args->options[2 * i], option) && !index--)
            return args->options[2 * i + 1];
    return NULL;
}

const char *pl_args_get(const struct pl_args *args, const char *option, const char *fallback)
{
    const char *found = fallback, *value;
    for (size_t i = 0; (value = pl_args_nth(args, option, i)); i++)
        found = value;
    return found;
}

bool pl_args_integer(const struct pl_args *args, const char *option, int64_t low, int64_t high, int64_t fallback,
                     int64_t *value)
{
    const char *given = pl_args_get(args, option, NULL);
    *value = fallback;
    if (!given)
        return true;
    if (pl_count_read(given, value) && *value >= low && *value <= high)
        return true;
    pl_cmd_usage_error(args, "--%s is '%s', but must be a whole number from %lld to %lld", option, given,
                       (long long)low, (long long)high);
    return false;
}

bool pl_args_real(const struct pl_args *args, const char *option, double low, double high, double fallback,
                  double *value)
{
    const char *given = pl_args_get(args, option, NULL);
    *value = fallback;
    if (!given)
        return true;
    if (pl_number_read(given, value) && *value >= low && *value <= high)
        return true;
    pl_cmd_usage_error(args, "--%s is '%s', but must be a number from %g to %g", option, given, low, high);
    return false;
}

static const char *from_environment(const char *name, const char *fallback)
{
    const char *value = getenv(name);
    return value && *value ? value : fallback;
}

const char *pl_args_db(const struct pl_args *args)
{
    return pl_args_get(args, "db", from_environment("POULA_DB", "results/poula.db"));
}

/* What comes with poula under nearly that name, where nothing of it is here. */
static void hint_experiment(const struct pl_args *args, const char *given)
{
    struct pl_text names = {0}, word = {0};
    struct pl_candidates list = {0};
    struct pl_error err;
    size_t length = strlen(given), folder = strlen(PL_SHARE_SPECS "/");
    size_t skip = strncmp(given, PL_SHARE_SPECS "/", folder) ? 0 : folder;
    if (length > 5 && !strcmp(given + length - 5, ".yaml"))
        length -= 5;
    if (length > skip && !pl_cmd_experiments(&names, &list, &err)) {
        pl_text_add_bytes(&word, given + skip, length - skip);
        const char *near = pl_candidates_nearest(&list, pl_text(&word));
        if (near)
            pl_cmd_note("poula %s: there is no %s here; an experiment that comes with poula is %s", args->command->name,
                        given, near);
    }
    pl_candidates_release(&list);
    pl_text_release(&names);
    pl_text_release(&word);
}

void pl_args_spec(const struct pl_args *args, size_t index, struct pl_text *path)
{
    const char *given = args->arguments[index];
    if (pl_share_instead(given, path)) {
        pl_cmd_note("poula %s: there is no %s here; it is %s", args->command->name, given, pl_text(path));
        return;
    }
    struct stat info;
    if (strcmp(given, "-") && lstat(given, &info))
        hint_experiment(args, given);
    pl_text_clear(path);
    pl_text_add(path, given);
}

void pl_args_folders(const struct pl_args *args, struct pl_text *folders)
{
    pl_run_folders(pl_args_db(args), folders);
}

const char *pl_args_data(const struct pl_args *args)
{
    return pl_args_get(args, "data", from_environment("POULA_DATA", "data"));
}

static void put(FILE *to, void (*escape)(struct pl_text *, const char *), const char *format, va_list list)
{
    struct pl_text line = {0}, shown = {0};
    pl_text_addv(&line, format, list);
    escape(&shown, pl_text(&line));
    fprintf(to, "%s\n", pl_text(&shown));
    pl_text_release(&line);
    pl_text_release(&shown);
}

void pl_cmd_line(FILE *to, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    put(to, pl_escape_terminal, format, list);
    va_end(list);
}

void pl_cmd_lines(FILE *to, const char *text)
{
    struct pl_text shown = {0};
    pl_escape_lines(&shown, text);
    fputs(pl_text(&shown), to);
    pl_text_release(&shown);
}

int pl_cmd_fail(const struct pl_args *args, const struct pl_error *err)
{
    if (*err->text)
        pl_cmd_note("poula %s: %s", args->command->name, err->text);
    else
        pl_cmd_note("poula %s: it failed (code %d) and does not know why; please report this", args->command->name,
                    err->code);
    return err->code == PL_EINPUT ? 2 : 1;
}

int pl_cmd_usage_error(const struct pl_args *args, const char *format, ...)
{
    struct pl_text sentence = {0};
    va_list list;
    va_start(list, format);
    pl_text_addv(&sentence, format, list);
    va_end(list);
    pl_cmd_line(stderr, "poula %s: %s", args->command->name, pl_text(&sentence));
    pl_cmd_line(stderr, "See 'poula %s --help'.", args->command->name);
    pl_text_release(&sentence);
    return 2;
}

int pl_cmd_unknown(const struct pl_args *args, const char *kind, const char *name, const struct pl_candidates *among)
{
    struct pl_error err;
    pl_candidates_fail(among, kind, name, &err);
    return pl_cmd_usage_error(args, "%s", err.text);
}

int pl_cmd_unknown_in(const struct pl_args *args, const struct pl_registry *registry, const char *name)
{
    struct pl_error err;
    pl_registry_fail(registry, name, &err);
    return pl_cmd_usage_error(args, "%s", err.text);
}

void pl_cmd_notes(const char *command, const struct pl_text *notes)
{
    for (const char *line = pl_text(notes); *line;) {
        size_t length = strcspn(line, "\n");
        pl_cmd_line(stderr, "%s: %.*s", command, (int)length, line);
        line += length + (line[length] == '\n');
    }
}

void pl_cmd_note(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    put(stderr, pl_escape_lines, format, list);
    va_end(list);
}

int pl_cmd_flush(FILE *file)
{
    bool failed = ferror(file);
    if (failed) { /* at some time before, and errno has changed since: one more byte meets the same trouble */
        clearerr(file);
        fputc('\n', file);
    }
    if (fflush(file))
        return errno ? errno : EIO;
    return failed ? EIO : 0;
}

int pl_cmd_finish(const struct pl_args *args, int exit_code)
{
    int problem = pl_cmd_flush(stdout);
    if (!problem)
        return exit_code;
    if (problem != EPIPE) /* the reader of a pipe may leave early: `poula runs | head` */
        fprintf(stderr, "poula %s: cannot write the output: %s\n", args->command->name, strerror(problem));
    return exit_code ? exit_code : 1;
}
