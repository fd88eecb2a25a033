#include "base/share.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_there(const char *folder, size_t length, const char *between, const char *name, struct pl_text *path)
{
    pl_text_clear(path);
    pl_text_add_bytes(path, folder, length);
    pl_text_addf(path, "%s/%s", between, name);
    return pl_file_exists(pl_text(path));
}

int pl_share_find(const char *name, struct pl_text *path, struct pl_error *err)
{
    const char *given = getenv("POULA_SHARE");
    char program[4096];
    if (given && *given && is_there(given, strlen(given), "", name, path))
        return 0;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program);
    while (length > 0 && program[length - 1] != '/')
        length--;
    if (length > 0 && is_there(program, (size_t)length, "../share/poula", name, path))
        return 0;
    if (is_there(PL_SHARE, strlen(PL_SHARE), "", name, path) || is_there(".", 1, "", name, path))
        return 0;
    pl_text_clear(path);
    return pl_fail(err, PL_EMISSING, "%s is neither in $POULA_SHARE, nor beside the program in ../share/poula, nor in %s, "
                                     "nor here", name, PL_SHARE);
}
