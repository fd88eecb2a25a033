#include "data/data_priv.h"

#include <sys/stat.h>

int pl_source_stamp(struct pl_source *source, const char *path, const char *name)
{
    struct stat info;
    if (stat(path, &info) || !S_ISREG(info.st_mode))
        return PL_EMISSING;
    pl_text_addf(&source->stamp, "%s %lld %lld.%09ld\n", name, (long long)info.st_size, (long long)info.st_mtim.tv_sec,
                 info.st_mtim.tv_nsec);
    return 0;
}

void pl_source_release(struct pl_source *source)
{
    pl_text_release(&source->path);
    pl_text_release(&source->stamp);
}
