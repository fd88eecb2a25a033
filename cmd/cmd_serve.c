#include "answer.h"
#include "page/page.h"

#include <signal.h>
#include <stdio.h>

/* Until somebody ends it. The signals are blocked before the server's threads begin, which inherit that. */
static int wait_for_end(const struct pl_args *args)
{
    struct pl_serve *serve;
    struct pl_error err;
    sigset_t ends;
    int64_t port;
    int which;
    if (!pl_args_integer(args, "port", 1, 65535, 0, &port))
        return 2;
    struct pl_serve_options options = {
        .db = pl_args_db(args), .listen = pl_args_get(args, "listen", NULL), .port = (int)port};
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    if (pl_serve_start(&serve, &options, &err))
        return pl_cmd_fail(args, &err);
    pl_cmd_line(stdout, "%s", pl_serve_address(serve));
    fflush(stdout);
    if (!pl_serve_is_local(serve))
        pl_cmd_note("poula serve: other machines reach this page, and its address with the token goes over the network "
                    "as it is");
    pl_cmd_note("poula serve: from another machine: ssh -L %d:127.0.0.1:%d HOST, then the same address there; Ctrl-C "
                "ends it",
                pl_serve_port(serve), pl_serve_port(serve));
    sigwait(&ends, &which);
    pl_serve_stop(serve);
    return 0;
}

static const struct pl_option options[] = {
    {.name = "port", .argument = "N", .help = "port to listen at (default 7468, or a free one)"},
    {.name = "listen", .argument = "ADDRESS", .help = "listen at this address of this machine instead of 127.0.0.1"},
};

const struct pl_command pl_cmd_serve = {
    .name = "serve",
    .summary = "show results in a browser while they come",
    .arguments = "",
    .description =
        "Prints an address for a browser: what sweeps on this machine are doing, curves that grow while runs train, "
        "runs "
        "as a table to filter and sort, two of them side by side, a run's log, and SQL over the views. It only reads, "
        "answers only this machine unless --listen says otherwise, and only who has the address with its token. Ctrl-C "
        "ends it. docs/pages.md says more.",
    .example = "poula serve --port 8080",
    PL_OPTIONS(options),
    .run = wait_for_end,
};
