/* Running gnuplot: no shell, no start-up files, a scratch folder of its own. */
#include "plot/plot_priv.h"

#include "base/leftover.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { LARGEST_PICTURE = 256 << 20 };

static char *join(const char *folder, const char *base, const char *suffix)
{
    struct pl_text path = {0};
    pl_text_addf(&path, "%s/%s%s", folder, base, suffix);
    return pl_text_take(&path);
}

/* Each file that will be in the folder. */
static void each_scratch(const char *folder, const char *base, const char *picture, const char *second,
                         void (*each)(const char *path))
{
    const char *const suffixes[] = {".gp", ".dat", ".err", picture, second};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && suffixes[i]; i++) {
        char *path = join(folder, base, suffixes[i]);
        each(path);
        free(path);
    }
}

/* Starts `gnuplot -d BASE.gp` in the folder; its messages go to BASE.err. */
static int start(const char *folder, const char *base, pid_t *pid, struct pl_error *err)
{
    struct pl_text script = {0};
    pl_text_addf(&script, "./%s.gp", base);
    char *messages = join(folder, base, ".err");
    char program[] = "gnuplot", no_defaults[] = "-d";
    char *const argv[] = {program, no_defaults, script.text, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, messages, O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    int problem = posix_spawnp(pid, program, &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    free(messages);
    pl_text_release(&script);
    if (problem == ENOENT)
        return pl_fail(err, PL_EIO,
                       "figures are drawn by gnuplot, which is not installed or not in PATH (Debian: "
                       "apt-get install gnuplot-nox)");
    if (problem)
        return pl_fail(err, PL_EIO, "cannot start gnuplot: %s", strerror(problem));
    return 0;
}

/* The first line of what gnuplot said that is a complaint; its echo of the script is skipped. */
static void first_complaint(const char *folder, const char *base, char *line, size_t size)
{
    struct pl_text messages = {0};
    char *path = join(folder, base, ".err");
    const char *found = "it said nothing";
    if (!pl_file_read(path, 1 << 20, &messages, NULL)) {
        const char *colon = strstr(pl_text(&messages), "line ");
        found = colon ? colon : messages.length ? pl_text(&messages) + strspn(pl_text(&messages), " \n^") : found;
    }
    snprintf(line, size, "%.*s", (int)strcspn(found, "\n"), found);
    free(path);
    pl_text_release(&messages);
}

static int wait_for(pid_t pid, const char *folder, const char *base, struct pl_error *err)
{
    int status;
    char said[300];
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return pl_fail(err, PL_EIO, "cannot wait for gnuplot: %s", strerror(errno));
    if (WIFEXITED(status) && !WEXITSTATUS(status))
        return 0;
    if (WIFSIGNALED(status))
        return pl_fail(err, PL_EIO, "gnuplot was ended by signal %d while drawing %s", WTERMSIG(status), base);
    first_complaint(folder, base, said, sizeof said);
    return pl_fail(err, PL_EIO, "gnuplot could not draw %s: %s", base, said);
}

int pl_gnuplot_run(const char *base, const struct pl_text *script, const struct pl_text *data, const char *picture,
                   const char *second, struct pl_text *drawn, struct pl_text *more, struct pl_error *err)
{
    struct pl_text scratch = {0};
    pid_t pid;
    int status = pl_folder_make_temporary(&scratch, err);
    if (status) {
        pl_text_release(&scratch);
        return status;
    }
    const char *folder = pl_text(&scratch);
    each_scratch(folder, base, picture, second, pl_leftover_add);
    char *script_path = join(folder, base, ".gp"), *data_path = join(folder, base, ".dat");
    char *picture_path = join(folder, base, picture), *second_path = second ? join(folder, base, second) : NULL;
    char said[300];
    struct pl_error problem;
    if ((status = pl_file_write(script_path, pl_text(script), script->length, err)) ||
        (status = pl_file_write(data_path, pl_text(data), data->length, err)) ||
        (status = start(folder, base, &pid, err)) || (status = wait_for(pid, folder, base, err)))
        goto done;
    if (pl_file_read(picture_path, LARGEST_PICTURE, drawn, &problem) || !drawn->length ||
        (second && pl_file_read(second_path, LARGEST_PICTURE, more, &problem))) {
        first_complaint(folder, base, said, sizeof said);
        status = pl_fail(err, PL_EIO, "gnuplot drew nothing for %s: %s", base, said);
    }
done:
    free(script_path);
    free(data_path);
    free(picture_path);
    free(second_path);
    pl_folder_remove(folder);
    each_scratch(folder, base, picture, second, pl_leftover_drop);
    pl_text_release(&scratch);
    return status;
}
