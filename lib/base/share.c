#include "base/share.h"

#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folders that installed files may be in, by index; false: no more. */
static bool root_at(size_t index, struct pl_text *root)
{
    const char *given = getenv("POULA_SHARE");
    char program[PATH_MAX];
    pl_text_clear(root);
    if (index == 0) {
        pl_text_add(root, given ? given : "");
    } else if (index == 1) {
        ssize_t length = readlink("/proc/self/exe", program, sizeof program);
        while (length > 0 && program[length - 1] != '/')
            length--;
        if (length > 0) {
            pl_text_add_bytes(root, program, (size_t)length);
            pl_text_add(root, "../share/poula");
        }
    } else if (index == 2) {
        pl_text_add(root, PL_SHARE);
    }
    return index < 3;
}

/* The absolute path of a file that is there, without dots and links in it; else false. */
static bool real_path(const char *name, struct pl_text *path)
{
    char *found = realpath(name, NULL);
    pl_text_clear(path);
    if (found)
        pl_text_add(path, found);
    free(found);
    return path->length > 0;
}

static bool find_installed(const char *name, struct pl_text *path)
{
    struct pl_text root = {0}, tried = {0};
    bool found = false;
    for (size_t i = 0; !found && root_at(i, &root); i++) {
        pl_text_clear(&tried);
        pl_text_addf(&tried, "%s/%s", pl_text(&root), name);
        found = root.length && real_path(pl_text(&tried), path);
    }
    pl_text_release(&root);
    pl_text_release(&tried);
    return found;
}

int pl_share_find(const char *name, struct pl_text *path, struct pl_error *err)
{
    if (find_installed(name, path) || real_path(name, path))
        return 0;
    return pl_fail(err, PL_EMISSING,
                   "%s is neither in $POULA_SHARE, nor beside the program in ../share/poula, nor in %s, "
                   "nor here",
                   name, PL_SHARE);
}

static const char ending[] = ".yaml";
enum { ENDING = sizeof ending - 1 };

/* Is it more than .yaml, and ends so? */
static bool has_ending(const char *name)
{
    size_t length = strlen(name);
    return length > ENDING && !strcmp(name + length - ENDING, ending);
}

bool pl_share_instead(const char *name, struct pl_text *path)
{
    static const char folder[] = PL_SHARE_SPECS "/";
    struct stat info;
    bool full = !strncmp(name, folder, sizeof folder - 1), found;
    if (!*name || name[0] == '/' || strstr(name, "..") || (!full && has_ending(name)) || !lstat(name, &info))
        return false;
    if (errno != ENOENT && errno != ENOTDIR)
        return false;
    if (full && has_ending(name))
        return find_installed(name, path);
    struct pl_text whole = {0};
    pl_text_addf(&whole, "%s%s%s", full ? "" : folder, name, ending);
    found = find_installed(pl_text(&whole), path) || real_path(pl_text(&whole), path);
    pl_text_release(&whole);
    return found;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Adds the specs of a folder and, before depth is 0, of its folders; prefix is what their names begin with. */
static void list_specs(const char *folder, const char *prefix, int depth, struct pl_text *names)
{
    struct dirent **entries = NULL;
    struct pl_text path = {0}, below = {0};
    struct stat info;
    int count = scandir(folder, &entries, NULL, by_name);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < count; i++) {
            const char *name = entries[i]->d_name;
            pl_text_clear(&path);
            pl_text_addf(&path, "%s/%s", folder, name);
            if (name[0] == '.' || strchr(name, '\n') || stat(pl_text(&path), &info))
                continue;
            if (!pass && S_ISREG(info.st_mode) && has_ending(name))
                pl_text_addf(names, "%s%.*s\n", prefix, (int)(strlen(name) - ENDING), name);
            if (!pass || !depth || !S_ISDIR(info.st_mode))
                continue;
            pl_text_clear(&below);
            pl_text_addf(&below, "%s%s/", prefix, name);
            list_specs(pl_text(&path), pl_text(&below), depth - 1, names);
        }
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    pl_text_release(&path);
    pl_text_release(&below);
}

int pl_share_specs(struct pl_text *names, struct pl_error *err)
{
    struct pl_text folder = {0};
    int status = pl_share_find(PL_SHARE_SPECS, &folder, err);
    if (!status)
        list_specs(pl_text(&folder), "", 2, names);
    pl_text_release(&folder);
    return status;
}

char *pl_share_home(const char *path)
{
    struct pl_text root = {0}, real = {0}, own = {0};
    char *home = NULL;
    if (real_path(path, &own))
        for (size_t i = 0; !home && root_at(i, &root); i++) {
            if (!root.length || !real_path(pl_text(&root), &real))
                continue;
            size_t length = real.length;
            pl_text_add(&real, "/" PL_SHARE_SPECS "/");
            if (!strncmp(pl_text(&own), pl_text(&real), real.length))
                home = pl_copy_bytes(pl_text(&real), length);
        }
    pl_text_release(&root);
    pl_text_release(&real);
    pl_text_release(&own);
    return home;
}
