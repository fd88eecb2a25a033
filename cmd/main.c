/* poula: the program. Only finds the command; everything else is in the command's own file. */
#include "cmd.h"

#include "base/leftover.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void out_of_memory(size_t bytes)
{
    fprintf(stderr, "poula: out of memory (%zu bytes more were needed)\n", bytes);
    exit(1);
}

/* Ends the program as the signal would have, without what is only half written. */
static void end(int number)
{
    pl_leftover_remove_all();
    signal(number, SIG_DFL);
    raise(number);
}

/* Commands that end in their own way set these anew. */
static void catch_ends(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (signal(ends[i], end) == SIG_IGN) /* nohup */
            signal(ends[i], SIG_IGN);
}

static int unknown_command(const char *name)
{
    struct pl_text hint = {0};
    if (!pl_command_hint(name, &hint))
        pl_text_add(&hint, "; see 'poula --help'");
    pl_cmd_line(stderr, "poula: '%s' is not a command%s", name, pl_text(&hint));
    pl_text_release(&hint);
    return 2;
}

int main(int argc, char **argv)
{
    pl_set_memory_handler(out_of_memory);
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write error with a message */
    signal(SIGXFSZ, SIG_IGN); /* a file size limit is a full disk, not a crash */
    catch_ends();
    struct pl_text text = {0};
    if (argc < 2) {
        pl_help_overview(&text);
        fputs(pl_text(&text), stderr);
        pl_text_release(&text);
        return 2;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--help") || !strcmp(name, "-h"))
        name = "help";
    else if (!strcmp(name, "--version") || !strcmp(name, "-V"))
        name = "version";
    const struct pl_command *command = pl_command_find(name);
    if (!command)
        return unknown_command(name);
    struct pl_args args = {.program = argv[0]};
    int code = pl_args_parse(&args, command, argc - 2, argv + 2);
    if (!code && !pl_environment_check(&text))
        code = pl_cmd_usage_error(&args, "%s", pl_text(&text));
    if (code < 0) {
        pl_help_command(command, &text);
        fputs(pl_text(&text), stdout);
        code = pl_cmd_finish(&args, 0);
    } else if (!code) {
        code = pl_cmd_finish(&args, command->run(&args));
    }
    pl_text_release(&text);
    free(args.arguments);
    free(args.options);
    return code;
}
