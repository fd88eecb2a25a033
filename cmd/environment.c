/* The variables of the environment that poula reads, checked before any command runs: one that is ignored because it
 * was misspelt would give other results than its user believes. */
#include "cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

static bool is_isa(const char *value)
{
    for (int i = 0; i <= (int)pl_host_isa_own(); i++)
        if (!strcmp(value, pl_isa_name((enum pl_isa)i)))
            return true;
    return false;
}

static void say_isa(struct pl_text *out)
{
    for (int i = 0; i <= (int)pl_host_isa_own(); i++)
        pl_text_addf(out, "%s%s", i ? ", " : "one of: ", pl_isa_name((enum pl_isa)i));
    pl_text_add(out, " (what this machine has)");
}

static bool is_patience(const char *value)
{
    double seconds;
    return pl_number_read(value, &seconds) && seconds >= 0;
}

static void say_patience(struct pl_text *out)
{
    pl_text_add(out, "a number of seconds, 0 or more");
}

static bool is_timeout(const char *value)
{
    double seconds;
    return pl_number_read(value, &seconds) && seconds > 0;
}

static void say_timeout(struct pl_text *out)
{
    pl_text_add(out, "a number of seconds above 0");
}

static bool is_memory(const char *value)
{
    int64_t bytes;
    return pl_count_read(value, &bytes) && bytes > 0;
}

static void say_memory(struct pl_text *out)
{
    pl_text_add(out, "a number of bytes, such as 4G");
}

static bool is_folder(const char *value)
{
    return pl_file_exists(value);
}

static void say_folder(struct pl_text *out)
{
    pl_text_add(out, "a folder that exists");
}

static const struct {
    const char *name;
    bool (*legal)(const char *value); /* NULL: any text */
    void (*say)(struct pl_text *out);
} variables[] = {
    {"POULA_DATA", NULL, NULL},
    {"POULA_DB", NULL, NULL},
    {"POULA_GUARD", NULL, NULL},
    {"POULA_ISA", is_isa, say_isa},
    {"POULA_MEMORY", is_memory, say_memory},
    {"POULA_PATIENCE", is_patience, say_patience},
    {"POULA_SHARE", is_folder, say_folder},
    {"POULA_SLURM_TIMEOUT", is_timeout, say_timeout},
    {"POULA_WORKER", NULL, NULL},
};
enum { VARIABLE_COUNT = sizeof variables / sizeof *variables };

/* A name that only looks like one of ours is a slip of the pen; any other is somebody else's business. */
static bool check_name(const char *entry, struct pl_text *problem)
{
    struct pl_candidates names = {0};
    struct pl_text hint = {0};
    char name[64];
    size_t length = strcspn(entry, "=");
    if (length >= sizeof name)
        return true;
    memcpy(name, entry, length);
    name[length] = '\0';
    bool known = false;
    for (size_t i = 0; i < VARIABLE_COUNT; i++) {
        pl_candidates_add(&names, variables[i].name);
        known = known || !strcmp(name, variables[i].name);
    }
    if (!known && pl_candidates_hint(&names, name, "$", &hint))
        pl_text_addf(problem, "there is no variable $%s%s", name, pl_text(&hint));
    known = known || !hint.length;
    pl_text_release(&hint);
    pl_candidates_release(&names);
    return known;
}

bool pl_environment_check(struct pl_text *problem)
{
    for (size_t i = 0; i < VARIABLE_COUNT; i++) {
        const char *value = getenv(variables[i].name);
        if (!value || !*value || !variables[i].legal || variables[i].legal(value))
            continue;
        pl_text_addf(problem, "$%s is '%s', but must be ", variables[i].name, value);
        variables[i].say(problem);
        return false;
    }
    for (char **entry = environ; *entry; entry++)
        if (!strncmp(*entry, "POULA_", 6) && !check_name(*entry, problem))
            return false;
    return true;
}
