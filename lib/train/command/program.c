/* Which program a command is: the folder it starts in, its file, and the files that its words name. What they are is
 * found once for each file, and looked at again when its size or times say so. */
#include "train/command/command_priv.h"

#include <jansson.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { WHOLE_MOST = 16 << 20, PART = 1 << 20 }; /* of longer files only the ends are read */
static const double git_patience = 3;           /* seconds */

struct file {
    char *path;
    struct stat info;
    char digest[2 * PL_DIGEST_SIZE + 1]; /* "": it cannot be read */
};

/* What git says of a folder, asked once. */
struct repository {
    char *folder, *commit; /* commit may be NULL */
    int dirty;
};

struct pl_programs {
    struct file *files;
    size_t file_count, file_capacity;
    struct repository *repositories;
    size_t repository_count;
    struct pl_program **programs;
    size_t count, capacity;
};

/* ---- files ---- */

static bool same_state(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Of a long file (data, weights): its size and its ends. */
static bool digest_ends(const char *path, off_t size, unsigned char *digest)
{
    int handle = open(path, O_RDONLY | O_CLOEXEC);
    struct pl_text text = {0};
    char *block = pl_new(PART);
    pl_text_addf(&text, "%lld bytes\n", (long long)size);
    ssize_t first = handle < 0 ? -1 : pread(handle, block, PART, 0);
    if (first > 0)
        pl_text_add_bytes(&text, block, (size_t)first);
    ssize_t last = handle < 0 ? -1 : pread(handle, block, PART, size - PART);
    if (last > 0)
        pl_text_add_bytes(&text, block, (size_t)last);
    pl_digest(pl_text(&text), text.length, digest);
    pl_text_release(&text);
    free(block);
    if (handle >= 0)
        close(handle);
    return first > 0 && last > 0;
}

static void read_file(struct file *file)
{
    unsigned char digest[PL_DIGEST_SIZE];
    bool read = file->info.st_size > WHOLE_MOST ? digest_ends(file->path, file->info.st_size, digest)
                                                : !pl_digest_file(file->path, digest, NULL);
    file->digest[0] = '\0';
    if (read)
        pl_digest_hex(digest, sizeof digest, file->digest);
}

/* The checksum of a file as it is now; NULL: it is not a file that can be read. */
static const char *digest_of(struct pl_programs *p, const char *path)
{
    struct stat info;
    if (stat(path, &info) || !S_ISREG(info.st_mode))
        return NULL;
    struct file *file = NULL;
    for (size_t i = 0; i < p->file_count && !file; i++)
        if (!strcmp(p->files[i].path, path))
            file = &p->files[i];
    bool known = file && same_state(&file->info, &info);
    if (!file) {
        void *list = p->files;
        pl_grow(&list, &p->file_capacity, p->file_count + 1, sizeof *p->files);
        p->files = list;
        file = &p->files[p->file_count++];
        *file = (struct file){.path = pl_copy(path)};
    }
    file->info = info;
    if (!known)
        read_file(file);
    return file->digest[0] ? file->digest : NULL;
}

/* ---- git ---- */

/* What a git command prints; false when it fails, or takes too long. Nothing of the repository is changed or run. */
static bool ask_git(const char *folder, const char *const *words, struct pl_text *answer)
{
    const char *argv[16] = {"git", "--no-optional-locks", "-c", "core.fsmonitor=false", "-C", folder};
    int ends[2], status = -1;
    pid_t pid;
    posix_spawn_file_actions_t actions;
    for (size_t i = 0; words[i]; i++)
        argv[6 + i] = words[i];
    if (pipe2(ends, O_CLOEXEC))
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    bool started = !posix_spawnp(&pid, "git", &actions, NULL, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    double until = pl_clock_steady() + git_patience, left;
    bool ended = false;
    while (started && !ended && (left = until - pl_clock_steady()) > 0) {
        char block[4096];
        struct pollfd waiting = {ends[0], POLLIN, 0};
        if (poll(&waiting, 1, (int)(1000 * left) + 1) <= 0)
            continue;
        ssize_t n = read(ends[0], block, sizeof block);
        ended = n == 0 || (n < 0 && errno != EINTR);
        if (n > 0)
            pl_text_add_bytes(answer, block, (size_t)n);
    }
    close(ends[0]);
    if (started && !ended)
        kill(pid, SIGKILL);
    if (started)
        waitpid(pid, &status, 0);
    return started && ended && WIFEXITED(status) && !WEXITSTATUS(status);
}

static const struct repository *repository_of(struct pl_programs *p, const char *folder)
{
    static const char *const commit[] = {"rev-parse", "HEAD", NULL};
    static const char *const changes[] = {"status", "--porcelain", "--untracked-files=no", NULL};
    for (size_t i = 0; i < p->repository_count; i++)
        if (!strcmp(p->repositories[i].folder, folder))
            return &p->repositories[i];
    p->repositories = pl_resize(p->repositories, p->repository_count + 1, sizeof *p->repositories);
    struct repository *r = &p->repositories[p->repository_count++];
    struct pl_text answer = {0};
    *r = (struct repository){.folder = pl_copy(folder), .dirty = -1};
    if (ask_git(folder, commit, &answer) && answer.length > 1) {
        pl_text_cut(&answer, answer.length - 1);
        r->commit = pl_text_take(&answer);
        if (ask_git(folder, changes, &answer))
            r->dirty = answer.length > 0;
    }
    pl_text_release(&answer);
    return r;
}

/* ---- programs ---- */

/* A file that the program writes is not part of it, however often it changes: option is what stands before the path. */
static bool is_output(const char *option, const char *path)
{
    static const char *const words[] = {"out", "log", "save", "ckpt", "checkpoint", "result", "resume"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (*option == '-' && strstr(option, words[i]))
            return true;
    return length > 4 && !strcmp(path + length - 4, ".log");
}

static void join(const char *folder, const char *path, struct pl_text *out)
{
    pl_text_clear(out);
    if (*path != '/')
        pl_text_addf(out, "%s/", folder);
    pl_text_add(out, path);
}

/* Where the system finds a program: beside its folder, or in PATH. Empty: nowhere. */
static void find_program(const char *folder, const char *word, struct pl_text *path)
{
    const char *list = getenv("PATH");
    pl_text_clear(path);
    if (strchr(word, '/')) {
        join(folder, word, path);
        return;
    }
    for (const char *entry = list ? list : "/bin:/usr/bin"; *entry;) {
        size_t length = strcspn(entry, ":");
        pl_text_clear(path);
        pl_text_add_bytes(path, length ? entry : ".", length ? length : 1);
        pl_text_addf(path, "/%s", word);
        if (!access(pl_text(path), X_OK))
            return;
        entry += length + (entry[length] == ':');
    }
    pl_text_clear(path);
}

static void add_file(struct pl_programs *p, json_t *files, const char *folder, const char *word, struct pl_text *path)
{
    const char *digest = NULL;
    if (*word && strlen(word) < 4096) {
        join(folder, word, path);
        digest = digest_of(p, pl_text(path));
    }
    if (digest)
        json_object_set_new(files, word, json_string(digest));
}

/* python3 -m package.train: the file of the module, where it is one of the folder's. */
static void add_module(struct pl_programs *p, json_t *files, const char *folder, const char *name, struct pl_text *path)
{
    struct pl_text file = {0};
    char *module = pl_copy(name);
    for (char *dot = module; (dot = strchr(dot, '.'));)
        *dot = '/';
    pl_text_addf(&file, "%s.py", module);
    add_file(p, files, folder, pl_text(&file), path);
    pl_text_clear(&file);
    pl_text_addf(&file, "%s/__main__.py", module);
    add_file(p, files, folder, pl_text(&file), path);
    pl_text_release(&file);
    free(module);
}

/* Is a file, by its name or mode, one that is run? Others that a text names may be what the program writes. */
static bool is_source(const char *folder, const char *word, struct pl_text *path)
{
    static const char endings[] = ".py .sh .bash .R .r .jl .lua .pl .rb .js .m .ipynb";
    const char *dot = strrchr(word, '.');
    join(folder, word, path);
    return (dot && pl_has_word(endings, dot)) || !access(pl_text(path), X_OK);
}

/* sh -c "python3 train.py": the programs that a text of several words names. */
static void add_text(struct pl_programs *p, json_t *files, const char *folder, const char *text, struct pl_text *path)
{
    static const char between[] = " \t\n;&|()<>'\"`$={}";
    for (const char *at = text + strspn(text, between); *at; at += strspn(at, between)) {
        size_t length = strcspn(at, between);
        char *word = pl_copy_bytes(at, length);
        const char *before = at;
        while (before > text && before[-1] == ' ')
            before--;
        bool written = before > text && before[-1] == '>'; /* > log.sh */
        if (!written && length < 4096 && is_source(folder, word, path))
            add_file(p, files, folder, word, path);
        free(word);
        at += length;
    }
}

/* The files that words name, themselves, behind an equals sign or -m, or in a text for a shell. */
static void add_files(struct pl_programs *p, json_t *files, const char *folder, const struct pl_words *words)
{
    struct pl_text path = {0};
    for (size_t i = 1; i < words->count; i++) {
        const char *word = words->words[i], *equals = strchr(word, '=');
        if (strstr(word, PL_NO_FOLDER))
            continue;
        if (!is_output(i > 1 ? words->words[i - 1] : "", word))
            add_file(p, files, folder, word, &path);
        char *option = equals ? pl_copy_bytes(word, (size_t)(equals - word)) : NULL;
        if (equals && !is_output(option, equals + 1))
            add_file(p, files, folder, equals + 1, &path);
        free(option);
        if (!strcmp(words->words[i - 1], "-m"))
            add_module(p, files, folder, word, &path);
        if (strpbrk(word, " \t\n;"))
            add_text(p, files, folder, word, &path);
    }
    pl_text_release(&path);
}

static void free_program(struct pl_program *program)
{
    free(program->folder);
    free(program->file);
    free(program->files);
    free(program->commit);
    free(program);
}

static void digest_program(struct pl_program *program)
{
    struct pl_text text = {0};
    pl_text_addf(&text, "%s\n%s\n%s\n%s\n%d\n", program->folder, program->file ? program->file : "", program->files,
                 program->commit ? program->commit : "", program->dirty);
    pl_digest(pl_text(&text), text.length, program->digest);
    pl_text_release(&text);
}

/* The same one that was seen before, if it was. */
static const struct pl_program *keep(struct pl_programs *p, struct pl_program *program)
{
    for (size_t i = p->count; i-- > 0;)
        if (!memcmp(p->programs[i]->digest, program->digest, sizeof program->digest)) {
            free_program(program);
            return p->programs[i];
        }
    void *list = p->programs;
    pl_grow(&list, &p->capacity, p->count + 1, sizeof *p->programs);
    p->programs = list;
    return p->programs[p->count++] = program;
}

const struct pl_program *pl_programs_of(struct pl_programs *p, const struct pl_settings *settings, const char *home,
                                        int64_t seed)
{
    struct pl_run_request request = {.settings = settings, .home = home, .seed = seed, .threads = 1};
    struct pl_words words;
    struct pl_text path = {0};
    if (!pl_settings_find(settings, "command"))
        return NULL;
    pl_command_directory(&request, &path);
    char *folder = realpath(pl_text(&path), NULL);
    pl_text_clear(&path);
    if (!folder || pl_words_expand(&words, &request, NULL)) {
        pl_text_release(&path);
        free(folder);
        return NULL;
    }
    struct pl_program *program = pl_new(sizeof *program);
    const struct repository *repository = repository_of(p, folder);
    json_t *files = json_object();
    find_program(folder, words.words[0], &path);
    const char *digest = path.length ? digest_of(p, pl_text(&path)) : NULL;
    if (digest)
        json_object_set_new(files, pl_text(&path), json_string(digest));
    add_files(p, files, folder, &words);
    *program = (struct pl_program){.folder = folder,
                                   .file = path.length ? pl_copy(pl_text(&path)) : NULL,
                                   .files = json_dumps(files, JSON_COMPACT | JSON_SORT_KEYS),
                                   .commit = pl_copy(repository->commit),
                                   .dirty = repository->dirty};
    digest_program(program);
    json_decref(files);
    pl_words_release(&words);
    pl_text_release(&path);
    return keep(p, program);
}

struct pl_programs *pl_programs_new(void)
{
    return pl_new(sizeof(struct pl_programs));
}

void pl_programs_free(struct pl_programs *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->file_count; i++)
        free(p->files[i].path);
    for (size_t i = 0; i < p->repository_count; i++) {
        free(p->repositories[i].folder);
        free(p->repositories[i].commit);
    }
    for (size_t i = 0; i < p->count; i++)
        free_program(p->programs[i]);
    free(p->files);
    free(p->repositories);
    free(p->programs);
    free(p);
}

/* ---- what is another program ---- */

/* An interpreter of the system changes with every update of the system, and is no work of the user's. */
static bool is_of_system(const char *path)
{
    return (!strncmp(path, "/usr/", 5) && strncmp(path, "/usr/local/", 11) != 0) || !strncmp(path, "/bin/", 5);
}

static void add_change(const struct pl_program *now, const char *path, struct pl_text *how)
{
    struct pl_text full = {0};
    struct stat info;
    char time[PL_TIME_TEXT_SIZE];
    join(now->folder, path, &full);
    pl_text_addf(how, "%s%s has changed", how->length ? "; " : "", path);
    if (!stat(pl_text(&full), &info) && *pl_time_text((double)info.st_mtim.tv_sec, time))
        pl_text_addf(how, " (at %s)", time);
    pl_text_release(&full);
}

bool pl_program_differs(const struct pl_program *before, const struct pl_program *now, struct pl_text *how)
{
    json_t *old = json_loads(before->files, 0, NULL), *new = json_loads(now->files, 0, NULL);
    const char *path;
    json_t *digest;
    pl_text_clear(how);
    if (strcmp(before->folder, now->folder) != 0)
        pl_text_addf(how, "they were made in %s, and this is %s", before->folder, now->folder);
    else if (before->file && now->file && strcmp(before->file, now->file) != 0)
        pl_text_addf(how, "the program was %s, and is %s", before->file, now->file);
    json_object_foreach(old, path, digest)
    {
        const char *was = json_string_value(digest), *is = json_string_value(json_object_get(new, path));
        bool system = before->file && !strcmp(path, before->file) && is_of_system(path);
        if (was && is && !system && strcmp(was, is) != 0)
            add_change(now, path, how);
    }
    json_decref(old);
    json_decref(new);
    return how->length > 0;
}

/* ---- for people ---- */

void pl_train_show_command(const struct pl_settings *settings, int64_t seed, struct pl_text *out)
{
    struct pl_run_request request = {.settings = settings, .seed = seed, .threads = 1};
    struct pl_words words;
    if (!pl_words_expand(&words, &request, NULL))
        for (size_t i = 0; i < words.count; i++) {
            const char *word = words.words[i], *found;
            struct pl_text shown = {0};
            for (; (found = strstr(word, PL_NO_FOLDER)); word = found + strlen(PL_NO_FOLDER)) {
                pl_text_add_bytes(&shown, word, (size_t)(found - word));
                pl_text_add(&shown, &PL_NO_FOLDER[1]);
            }
            pl_text_add(&shown, word);
            pl_text_add(out, i ? " " : "");
            pl_text_add_word(out, pl_text(&shown));
            pl_text_release(&shown);
        }
    pl_words_release(&words);
}
