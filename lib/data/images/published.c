/* Sets that are read from published files once, and from a cache file ever after. */
#include "data/images/images_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void pl_cache_path(struct pl_text *path, const char *folder, const char *name)
{
    pl_text_clear(path);
    pl_text_addf(path, "%s/%s.images", folder, name);
}

/* A cache is good when it is whole, of this set, and made from the files as they are now (or those are gone). */
bool pl_source_open_cache(struct pl_dataset *set, const char *path, const struct pl_source *source, bool check)
{
    struct pl_settings header = {0};
    bool good = !(check ? pl_cache_open_checked : pl_cache_open)(set, path, &header, NULL) &&
                !strcmp(pl_settings_string(&header, "kind", ""), set->type->info.name) &&
                (!source->stamp.length || !strcmp(pl_settings_string(&header, "stamp", ""), pl_text(&source->stamp)));
    pl_settings_release(&header);
    if (!good)
        pl_dataset_forget(set);
    return good;
}

static int decode(struct pl_dataset *set, const struct pl_source *source, struct pl_error *err)
{
    int status = set->type->decode(set, source, err);
    if (!status)
        pl_dataset_checksum(set, set->checksum);
    return status;
}

static int write_cache(struct pl_dataset *set, const char *path, const struct pl_source *source, struct pl_error *err)
{
    struct pl_settings header = {0};
    pl_settings_set_string(&header, "kind", set->type->info.name);
    pl_settings_set_string(&header, "source", pl_text(&source->path));
    pl_settings_set_string(&header, "stamp", pl_text(&source->stamp));
    int status = pl_cache_write(set, path, &header, err);
    pl_settings_release(&header);
    return status;
}

/* Where a cache goes that cannot be written beside the data: in $TMPDIR, as batch systems give it to their tasks, in a
 * folder that nobody else can write. False where there is none. */
static bool scratch_path(const char *name, struct pl_text *path)
{
    const char *scratch = getenv("TMPDIR");
    struct stat info;
    if (!scratch || *scratch != '/')
        return false;
    pl_text_addf(path, "%s/poula-%lld", scratch, (long long)geteuid());
    if ((mkdir(pl_text(path), 0700) && errno != EEXIST) || lstat(pl_text(path), &info) || !S_ISDIR(info.st_mode) ||
        info.st_uid != geteuid() || info.st_mode & 022)
        return false;
    pl_text_addf(path, "/%s.images", name);
    return true;
}

static bool open_scratch(struct pl_dataset *set, const struct pl_source *source)
{
    struct pl_text path = {0};
    bool good = scratch_path(set->type->info.name, &path) && pl_source_open_cache(set, pl_text(&path), source, true);
    pl_text_release(&path);
    return good;
}

/* Keeps what was decoded there. What was decoded stays where that fails. */
static bool move_to_scratch(struct pl_dataset *set, const struct pl_source *source)
{
    struct pl_text path = {0};
    struct pl_dataset cached = {.type = set->type};
    bool good = scratch_path(set->type->info.name, &path) && !write_cache(set, pl_text(&path), source, NULL) &&
                pl_source_open_cache(&cached, pl_text(&path), source, true);
    if (good) {
        pl_dataset_forget(set);
        *set = cached;
    }
    pl_text_release(&path);
    return good;
}

int pl_source_decode(struct pl_dataset *set, const char *path, const struct pl_source *source, struct pl_error *err)
{
    struct pl_error trouble;
    int status = decode(set, source, err);
    if (status)
        return status;
    if (write_cache(set, path, source, &trouble)) {
        if (move_to_scratch(set, source))
            return 0;
        size_t length = strlen(set->warning);
        snprintf(set->warning + length, sizeof set->warning - length,
                 "%severy process keeps its own copy of %s, because it %.200s", length ? "; " : "",
                 set->type->info.name, trouble.text);
        return 0;
    }
    pl_dataset_forget(set);
    if (pl_source_open_cache(set, path, source, true))
        return 0;
    return decode(set, source, err); /* somebody has just removed or replaced it */
}

/* A file under the name of the set that is none, or the set in a form that is not read; or nothing. */
static void add_found(const struct pl_dataset_type *type, const char *folder, struct pl_text *found)
{
    struct pl_text path = {0};
    struct stat info;
    size_t length;
    pl_text_addf(&path, "%s/%s", folder, type->origin->file);
    if (!stat(pl_text(&path), &info) && !S_ISREG(info.st_mode))
        pl_text_addf(found, "%s is %s, not a file", pl_text(&path), pl_file_kind(info.st_mode));
    for (const char *word = type->origin->others; !found->length && (word = pl_next_word(word, &length));
         word += length) {
        pl_text_clear(&path);
        pl_text_addf(&path, "%s/%.*s", folder, (int)length, word);
        if (pl_file_exists(pl_text(&path)))
            pl_text_addf(
                found,
                "%s is there, but that is the version for Python or Matlab, and only the binary one, %s, can be "
                "read",
                pl_text(&path), type->origin->file);
    }
    pl_text_release(&path);
}

int pl_source_missing(const struct pl_dataset_type *type, const char *folder, struct pl_error *err)
{
    struct pl_dataset set = {.type = type};
    struct pl_settings header = {0};
    struct pl_text path = {0}, found = {0};
    struct pl_error trouble;
    add_found(type, folder, &found);
    pl_cache_path(&path, folder, type->info.name);
    int status = pl_cache_open_checked(&set, pl_text(&path), &header, &trouble);
    if (status != PL_EMISSING && status)
        status = pl_fail(err, status,
                         "%s; it was made from %s, which is not there: `poula data fetch %s --data %s` downloads "
                         "it",
                         trouble.text, type->origin->file, type->info.name, folder);
    else if (found.length)
        status = pl_fail(err, PL_EMISSING, "there is no %s in %s: %s; `poula data fetch %s --data %s` downloads it",
                         type->info.name, folder, pl_text(&found), type->info.name, folder);
    else
        status = pl_fail(err, PL_EMISSING,
                         "there is no %s in %s: neither %s, nor its folder, nor a cache made from them; "
                         "`poula data fetch %s --data %s` downloads it",
                         type->info.name, folder, type->origin->file, type->info.name, folder);
    pl_dataset_forget(&set);
    pl_settings_release(&header);
    pl_text_release(&path);
    pl_text_release(&found);
    return status;
}

int pl_source_open(struct pl_dataset *set, const struct pl_settings *settings, const char *folder, struct pl_error *err)
{
    struct pl_source source = {0};
    struct pl_text path = {0};
    int status = 0;
    bool found = !set->type->find_source(set->type, folder, &source);
    pl_cache_path(&path, folder, set->type->info.name);
    if (!pl_source_open_cache(set, pl_text(&path), &source, true) && !(found && open_scratch(set, &source)))
        status = found ? pl_source_decode(set, pl_text(&path), &source, err)
                       : pl_source_missing(set->type, folder, err);
    set->flip = pl_settings_boolean(settings, "flip", true);
    pl_source_release(&source);
    pl_text_release(&path);
    return status;
}
