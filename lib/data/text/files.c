/* The three files of a text: train, valid and test, in a folder or in an archive. */
#include "data/text/corpus_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* How the files may be called around "train", "valid" and "test". */
static const struct {
    const char *before, *after;
} patterns[] = {{"", ".txt"}, {"ptb.", ".txt"}, {"wiki.", ".tokens"}};
enum { PATTERN_COUNT = sizeof patterns / sizeof *patterns };

static const size_t size_most = (size_t)4 << 30;

static void file_name(struct pl_text *name, size_t pattern, enum pl_split split)
{
    pl_text_clear(name);
    pl_text_addf(name, "%s%s%s", patterns[pattern].before, pl_split_name(split), patterns[pattern].after);
}

static void file_path(struct pl_text *path, const char *folder, size_t pattern, enum pl_split split)
{
    struct pl_text name = {0};
    file_name(&name, pattern, split);
    pl_text_clear(path);
    pl_text_addf(path, "%s/%s", folder, pl_text(&name));
    pl_text_release(&name);
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- finding */

/* The first pattern of which the folder has a file; PATTERN_COUNT: it has none of any. */
static size_t find_pattern(const char *folder)
{
    struct pl_text path = {0};
    struct stat info;
    size_t pattern = 0;
    for (; pattern < PATTERN_COUNT; pattern++) {
        bool any = false;
        for (enum pl_split split = 0; split < PL_SPLIT_COUNT; split++) {
            file_path(&path, folder, pattern, split);
            any |= !stat(pl_text(&path), &info) && S_ISREG(info.st_mode);
        }
        if (any)
            break;
    }
    pl_text_release(&path);
    return pattern;
}

static void stamp_folder(struct pl_source *source, const char *folder, size_t pattern)
{
    struct pl_text path = {0}, name = {0};
    for (enum pl_split split = 0; split < PL_SPLIT_COUNT; split++) {
        file_path(&path, folder, pattern, split);
        file_name(&name, pattern, split);
        pl_source_stamp(source, pl_text(&path), pl_text(&name)); /* one that is missing is named on reading */
    }
    pl_text_release(&path);
    pl_text_release(&name);
}

bool pl_text_find(struct pl_source *source, const char *path)
{
    struct stat info;
    if (stat(path, &info))
        return false;
    bool archive = S_ISREG(info.st_mode);
    size_t pattern = archive ? 0 : find_pattern(path);
    if (pattern == PATTERN_COUNT)
        return false;
    pl_text_add(&source->path, path);
    source->archive = archive;
    if (archive)
        pl_source_stamp(source, path, last_name(path));
    else
        stamp_folder(source, path, pattern);
    return true;
}

/* ---- reading */

static int read_folder(struct pl_text_files *files, const char *folder, struct pl_error *err)
{
    size_t pattern = find_pattern(folder);
    struct pl_text path = {0}, content = {0};
    int status = 0;
    for (enum pl_split split = 0; split < PL_SPLIT_COUNT && !status; split++) {
        struct pl_text_file *file = &files->of[split];
        struct pl_error trouble;
        file_path(&path, folder, pattern < PATTERN_COUNT ? pattern : 0, split);
        status = pl_file_read(pl_text(&path), size_most, &content, &trouble);
        if (status == PL_EMISSING)
            pl_fail(err, status, "%s; a text has three files, train, valid and test", trouble.text);
        else if (status)
            pl_fail(err, status, "%s", trouble.text);
        file->size = content.length;
        file->bytes = content.length ? pl_text_take(&content) : pl_copy("");
        file->name = pl_copy(pl_text(&path));
    }
    pl_text_release(&path);
    pl_text_release(&content);
    return status;
}

/* Is name, without its folders, one of a training, validation or test text? */
static bool matches(const char *name, enum pl_split *split)
{
    struct pl_text wanted = {0};
    bool found = false;
    for (size_t i = 0; i < (size_t)PATTERN_COUNT * PL_SPLIT_COUNT && !found; i++) {
        *split = (enum pl_split)(i % PL_SPLIT_COUNT);
        file_name(&wanted, i / PL_SPLIT_COUNT, *split);
        found = !strcmp(last_name(name), pl_text(&wanted));
    }
    pl_text_release(&wanted);
    return found;
}

bool pl_text_in_archive(const char *path)
{
    enum { MOST_ENTRIES = 20 };
    struct pl_archive *archive;
    enum pl_split split;
    const char *name;
    uint64_t size;
    bool found = false;
    int status = pl_archive_open(&archive, path, NULL);
    for (int i = 0; i < MOST_ENTRIES && !status && !found; i++) {
        status = pl_archive_next(archive, &name, &size, NULL);
        found = !status && matches(name, &split);
    }
    pl_archive_close(archive);
    return found;
}

/* Reads size bytes as they come: what an archive only says takes no memory. */
static int read_growing(struct pl_text_file *file, struct pl_archive *archive, size_t size, struct pl_error *err)
{
    enum { FIRST = 1 << 20 };
    size_t capacity = 0;
    int status = 0;
    do {
        size_t wanted = capacity ? 2 * capacity : FIRST, from = capacity;
        if (wanted > size)
            wanted = size;
        char *more = realloc(file->bytes, wanted + 1);
        if (!more)
            return pl_fail(err, PL_EMEMORY, "there is not enough memory to read %s", file->name);
        file->bytes = more;
        capacity = wanted;
        more[wanted] = '\0';
        if (wanted > from)
            status = pl_archive_read(archive, more + from, wanted - from, err);
    } while (!status && capacity < size);
    return status;
}

static int read_entry(struct pl_text_files *files, struct pl_archive *archive, const char *path, const char *name,
                      uint64_t size, struct pl_error *err)
{
    enum pl_split split;
    if (!matches(name, &split))
        return 0;
    struct pl_text_file *file = &files->of[split];
    if (file->name)
        return pl_fail(err, PL_ECORRUPT, "%s holds two files for the %s split, %s and %s", path, pl_split_name(split),
                       file->name + strlen(path) + 2, name);
    if (size > size_most)
        return pl_fail(err, PL_EINPUT, "%s: %s is larger than %zu bytes", path, name, size_most);
    struct pl_text label = {0};
    pl_text_addf(&label, "%s: %s", path, name);
    file->name = pl_text_take(&label);
    file->size = (size_t)size;
    return read_growing(file, archive, (size_t)size, err);
}

static int read_archive(struct pl_text_files *files, const char *path, struct pl_error *err)
{
    struct pl_archive *archive;
    const char *name;
    uint64_t size;
    struct pl_error trouble;
    int status = pl_archive_open(&archive, path, &trouble);
    if (!status)
        status = pl_archive_next(archive, &name, &size, &trouble);
    if (status < 0)
        pl_fail(err, status, "%s; a text is a folder or an archive (.zip, .tgz) of train.txt, valid.txt and test.txt",
                trouble.text);
    while (!status && !(status = read_entry(files, archive, path, name, size, err)))
        status = pl_archive_next(archive, &name, &size, err);
    pl_archive_close(archive);
    for (enum pl_split split = 0; split < PL_SPLIT_COUNT && status > 0; split++)
        if (!files->of[split].name)
            status = pl_fail(err, PL_ECORRUPT, "%s holds no %s.txt (nor ptb.%s.txt, nor wiki.%s.tokens)", path,
                             pl_split_name(split), pl_split_name(split), pl_split_name(split));
    return status > 0 ? 0 : status;
}

int pl_text_read(struct pl_text_files *files, const struct pl_source *source, struct pl_error *err)
{
    const char *path = pl_text(&source->path);
    *files = (struct pl_text_files){0};
    int status = source->archive ? read_archive(files, path, err) : read_folder(files, path, err);
    if (status)
        pl_text_files_release(files);
    return status;
}

void pl_text_files_release(struct pl_text_files *files)
{
    for (int i = 0; i < PL_SPLIT_COUNT; i++) {
        free(files->of[i].bytes);
        free(files->of[i].name);
    }
    *files = (struct pl_text_files){0};
}
