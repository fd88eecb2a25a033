/* Command lines as nobody means them: every command with every option, each with values that are empty, huge, negative,
 * no number, no text, paths and quotes, and every argument replaced by them. A command line may be refused, with a
 * sentence and exit code 1 or 2; no process crashes, hangs, or fails without a word. */
#include "fuzz.h"
#include "cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int poula_main(int argc, char **argv);

enum { LONGEST = 70000, PATIENCE = 120 };
static char endless[LONGEST + 1];

static const char *const values[] = {"",
                                     " ",
                                     "0",
                                     "-1",
                                     "1",
                                     "1e999",
                                     "-1e308",
                                     "nan",
                                     "99999999999999999999",
                                     "0x10",
                                     ".",
                                     "..",
                                     "/",
                                     "/nonexistent/x/y",
                                     "-",
                                     "'",
                                     "\"; DROP TABLE run; --",
                                     "%s%n%d",
                                     "\n",
                                     "\x1b[31m\a",
                                     "\xff\xfe\x80",
                                     "\xe2\x88\x9e",
                                     "a=b=c",
                                     "=",
                                     ",",
                                     ":",
                                     "1:0",
                                     "*",
                                     "$(id)",
                                     "--help",
                                     "lambda",
                                     "optimizer=adam",
                                     endless};
enum { VALUES = sizeof values / sizeof *values };

/* Arguments with which a command does something; what is not listed gets none. Nothing is fetched, and bench measures
 * for long. */
static const struct {
    const char *command, *arguments[4];
} usual[] = {
    {"sweep", {"spec.yaml"}}, {"run", {"spec.yaml"}}, {"query", {"SELECT * FROM runs"}},
    {"show", {"1"}},          {"export", {"runs"}},   {"generate", {"1"}},
    {"backup", {"copy.db"}},  {"verify", {"1"}},      {"data", {"list"}},
    {"theory", {"theta30"}},  {"bench", {"nothing"}}, {"completion", {"bash"}},
    {"help", {"sweep"}},
};

static const char spec[] = "study: toy\ntask: {problem: theta30, iterations: 100, record: 5}\n"
                           "optimizer: {name: [theopoula, sgd], lambda: [0.1, 0.01]}\nseeds: [1, 2]\n";

static const char *const *usual_arguments(const char *command)
{
    static const char *const none[1];
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (!strcmp(usual[i].command, command))
            return usual[i].arguments;
    return none;
}

/* ---- one command line */

struct words {
    char *list[16];
    int count;
};

static void add(struct words *words, const char *word)
{
    words->list[words->count++] = (char *)(uintptr_t)word;
    words->list[words->count] = NULL;
}

static void show(const struct words *words)
{
    for (int i = 0; i < words->count; i++)
        fprintf(stderr, " '%.60s'", words->list[i]);
    fputc('\n', stderr);
}

static int run(const struct words *words, int results, int messages)
{
    int status;
    pid_t child = fork();
    MUST(child >= 0);
    if (!child) {
        int nothing = open("/dev/null", O_RDONLY);
        dup2(nothing, STDIN_FILENO);
        dup2(results, STDOUT_FILENO);
        dup2(messages, STDERR_FILENO);
        alarm(PATIENCE);
        exit(poula_main(words->count, (char **)(uintptr_t)words->list));
    }
    MUST(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* Why the answer is not one; NULL: it is. */
static const char *judge(int code, int results, int messages)
{
    static char text[200000];
    ssize_t length = pread(messages, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    if (code == -SIGALRM)
        return "it hung";
    if (code < 0 || code > 2)
        return "it crashed";
    if (code == 2 && !*text)
        return "it failed without a word";
    if (code == 1 && !*text && !lseek(results, 0, SEEK_END))
        return "it failed without a word";
    if (strstr(text, "(null)"))
        return "it says (null)";
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t name = strncmp(line, "poula", 5) ? 0 : strcspn(line, ":\n");
        if (name && line[name] == ':' && line[name + 1 + strspn(line + name + 1, " ")] == '\n')
            return "its message is empty";
    }
    return NULL;
}

static int lines, failures;

static void check(const struct words *words)
{
    int results = memfd_create("results", MFD_CLOEXEC), messages = memfd_create("messages", MFD_CLOEXEC);
    int code = run(words, results, messages);
    const char *trouble = judge(code, results, messages);
    lines++;
    if (trouble) {
        char part[2000];
        ssize_t length = pread(messages, part, sizeof part, 0);
        fprintf(stderr, "%s (%d):", trouble, code);
        show(words);
        fprintf(stderr, "%.*s\n", (int)(length > 0 ? length : 0), part);
        failures++;
    }
    close(results);
    close(messages);
}

/* ---- every command line */

static struct words begin(const struct pl_command *command)
{
    struct words words = {0};
    add(&words, "poula");
    add(&words, command->name);
    return words;
}

static void add_usual(struct words *words, const char *command)
{
    for (const char *const *argument = usual_arguments(command); *argument; argument++)
        add(words, *argument);
}

/* Every step-th value from one on that depends on what was tried before. */
static void try_values(const struct words *before, const char *option, const char *command, size_t step)
{
    for (size_t i = (size_t)lines % step; i < VALUES; i += step) {
        struct words words = *before;
        if (option) {
            add_usual(&words, command);
            add(&words, option);
        }
        add(&words, values[i]);
        check(&words);
    }
}

static void try_option(const struct pl_command *command, const char *name, size_t step)
{
    char option[60];
    struct words words = begin(command);
    snprintf(option, sizeof option, "--%s", name);
    try_values(&words, option, command->name, step);
    add_usual(&words, command->name);
    add(&words, option); /* and nothing behind it */
    check(&words);
}

static void try_command(const struct pl_command *command, size_t step)
{
    struct words words = begin(command);
    try_values(&words, NULL, command->name, 1);
    for (size_t i = 0; i < command->option_count; i++)
        try_option(command, command->options[i].name, step);
    try_option(command, "db", step);
    try_option(command, "data", step);
    try_option(command, "no-such-option", step);
    for (int i = 0; i < 8; i++)
        add(&words, i % 2 ? endless : "x"); /* too many */
    check(&words);
}

int main(int argc, char **argv)
{
    const char *wish = getenv("NONSENSE_STEP");
    if (argc > 1) /* a worker of a sweep */
        return poula_main(argc, argv);
    size_t step = wish && atoi(wish) > 0 ? (size_t)atoi(wish) : 1;
    memset(endless, 'A', LONGEST);
    MUST(!chdir(fuzz_folder()));
    unsetenv("POULA_DB");
    unsetenv("POULA_DATA");
    setenv("POULA_PATIENCE", "1", 1);
    setenv("PATH", "/nonexistent", 1); /* figures are planned but not drawn, and nothing of the machine is started */
    fuzz_file("spec.yaml", spec, sizeof spec - 1);
    struct words first = {0};
    add(&first, argv[0]);
    add(&first, "sweep");
    add(&first, "spec.yaml");
    check(&first);
    for (size_t i = 0; i < pl_command_registry.count; i++)
        if (!pl_has_word("worker serve", pl_command_at(i)->name)) /* serve ends when somebody ends it */
            try_command(pl_command_at(i), step);
    struct words words = {0};
    add(&words, "poula");
    try_values(&words, NULL, "", 1);
    printf("%d command lines, %d failures\n", lines, failures);
    return failures ? 1 : 0;
}
