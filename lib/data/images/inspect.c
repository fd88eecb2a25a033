/* What there is of each set, and reading all of it again. */
#include "data/images/images_priv.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* SHA-256 of glyphs with its default settings: the same on every machine, or something is wrong with this one. */
static const char glyphs_checksum[] = "5f93a97527cb3bcb020a393e1f14835419a0812ac7e154dfd8de13320bd7242d";

static uint64_t file_bytes(const char *path)
{
    struct stat info;
    return stat(path, &info) ? 0 : (uint64_t)info.st_size;
}

/* ---- list */

struct listing {
    const char *folder;
    void *self;
    void (*item)(void *self, const struct pl_data_item *item);
};

static void tell(const struct listing *listing, const struct pl_dataset *set, struct pl_data_item item)
{
    item.shape = set->shape;
    item.classes = set->classes;
    item.train = set->stored[0].count - set->held;
    item.valid = set->held;
    item.test = set->stored[1].count;
    item.checksum = set->checksum;
    item.official = set->official;
    if (!*item.note)
        item.note = set->warning;
    listing->item(listing->self, &item);
}

static void list_built_in(const struct listing *listing, const struct pl_dataset_type *type)
{
    struct pl_settings settings = {0};
    struct pl_dataset set = {.type = type, .official = true};
    size_t counts[2];
    pl_settings_fill(&settings, type->info.settings, type->info.setting_count);
    type->expect(&settings, &set.shape, &set.classes, counts);
    set.stored[0].count = counts[0];
    set.stored[1].count = counts[1];
    tell(listing, &set,
         (struct pl_data_item){
             .name = type->info.name, .dataset = type->info.name, .path = "", .note = "", .state = PL_DATA_BUILT_IN});
    pl_settings_release(&settings);
}

static void list_published(const struct listing *listing, const struct pl_dataset_type *type)
{
    struct pl_dataset set = {.type = type};
    struct pl_source source = {0};
    struct pl_text path = {0};
    struct pl_data_item item = {.name = type->info.name, .dataset = type->info.name, .path = "", .note = ""};
    bool found = !type->find_source(type, listing->folder, &source);
    pl_cache_path(&path, listing->folder, type->info.name);
    if (pl_source_open_cache(&set, pl_text(&path), &source, false)) {
        item.state = PL_DATA_READY;
        item.path = pl_text(&path);
    } else {
        item.state = found ? PL_DATA_UNCHECKED : PL_DATA_MISSING;
        item.path = found ? pl_text(&source.path) : "";
    }
    item.bytes = item.state == PL_DATA_UNCHECKED && !source.archive ? 0 : file_bytes(item.path);
    tell(listing, &set, item);
    pl_dataset_forget(&set);
    pl_source_release(&source);
    pl_text_release(&path);
}

/* A cache file in the folder that is no published set's. */
static void list_imported(const struct listing *listing, const char *name)
{
    struct pl_dataset set = {.type = &pl_dataset_folder};
    struct pl_settings header = {0};
    struct pl_text path = {0};
    struct pl_error err;
    struct pl_data_item item = {.name = name, .dataset = "folder", .state = PL_DATA_READY, .note = ""};
    pl_cache_path(&path, listing->folder, name);
    item.path = pl_text(&path);
    item.bytes = file_bytes(item.path);
    if (pl_cache_open(&set, item.path, &header, &err)) {
        item.state = PL_DATA_BROKEN;
        item.note = err.text;
        pl_dataset_forget(&set);
    }
    tell(listing, &set, item);
    pl_dataset_forget(&set);
    pl_settings_release(&header);
    pl_text_release(&path);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of all sets, known and imported, in order. */
static char **find_names(const char *folder, size_t *count)
{
    static const char ending[] = ".images";
    char **names = NULL;
    size_t capacity = 0;
    DIR *handle = opendir(folder);
    struct dirent *entry;
    *count = 0;
    for (size_t i = 0; i < pl_data_count(); i++)
        if (strcmp(pl_data_at(i)->name, "folder")) {
            pl_grow((void **)&names, &capacity, *count + 1, sizeof *names);
            names[(*count)++] = pl_copy(pl_data_at(i)->name);
        }
    while (handle && (entry = readdir(handle))) {
        size_t length = strlen(entry->d_name), own = sizeof ending - 1;
        if (length <= own || strcmp(entry->d_name + length - own, ending))
            continue;
        char *name = pl_copy_bytes(entry->d_name, length - own);
        if (pl_data_find(name)) {
            free(name);
            continue;
        }
        pl_grow((void **)&names, &capacity, *count + 1, sizeof *names);
        names[(*count)++] = name;
    }
    if (handle)
        closedir(handle);
    qsort(names, *count, sizeof *names, compare_names);
    return names;
}

void pl_data_list(const char *folder, void *self, void (*item)(void *self, const struct pl_data_item *item))
{
    struct listing listing = {folder, self, item};
    size_t count;
    char **names = find_names(folder, &count);
    for (size_t i = 0; i < count; i++) {
        const struct pl_dataset_type *type = pl_dataset_type_find(names[i]);
        if (!type)
            list_imported(&listing, names[i]);
        else if (type->origin)
            list_published(&listing, type);
        else
            list_built_in(&listing, type);
        free(names[i]);
    }
    free(names);
}

/* ---- verify */

static void say(struct pl_text *verdict, const char *name, const struct pl_dataset *set, const char *more)
{
    pl_text_clear(verdict);
    pl_text_addf(verdict, "%s: %zu training", name, set->stored[0].count - set->held);
    if (set->held)
        pl_text_addf(verdict, ", %zu validation", set->held);
    pl_text_addf(verdict, " and %zu test images of %d classes, SHA-256 %s, %s", set->stored[1].count, set->classes,
                 set->checksum, more);
}

static int verify_built_in(const char *name, struct pl_text *verdict, struct pl_error *err)
{
    struct pl_settings settings = {0};
    struct pl_dataset *set;
    pl_settings_set_string(&settings, "dataset", name);
    int status = pl_data_open(&set, &settings, "", err);
    pl_settings_release(&settings);
    if (status)
        return status;
    if (strcmp(pl_data_checksum(set), glyphs_checksum))
        status = pl_fail(err, PL_ECORRUPT, "%s has the SHA-256 %s, but every machine must make the one with %s", name,
                         set->checksum, glyphs_checksum);
    else
        say(verdict, name, set, "as on every machine");
    pl_data_close(set);
    return status;
}

/* A mapped file against the checksum in its header. */
static int verify_file(const struct pl_dataset *set, const char *path, struct pl_error *err)
{
    char hex[2 * PL_DIGEST_SIZE + 1];
    pl_dataset_checksum(set, hex);
    if (strcmp(hex, set->checksum))
        return pl_fail(err, PL_ECORRUPT, "%s was altered: its images have the SHA-256 %s, but must have %s", path, hex,
                       set->checksum);
    return 0;
}

static int verify_published(const struct pl_dataset_type *type, const char *folder, struct pl_text *verdict,
                            struct pl_error *err)
{
    struct pl_dataset set = {.type = type}, cached = {.type = type};
    struct pl_source source = {0};
    struct pl_text path = {0};
    bool found = !type->find_source(type, folder, &source);
    pl_cache_path(&path, folder, type->info.name);
    bool had = pl_source_open_cache(&cached, pl_text(&path), &source, false);
    int status = 0;
    if (!found && !had) {
        status = pl_source_missing(type, folder, err);
    } else if (!found) {
        status = verify_file(&cached, pl_text(&path), err);
        if (!status)
            say(verdict, type->info.name, &cached, cached.official ? "official" : "not the official set");
    } else {
        bool whole = had && !verify_file(&cached, pl_text(&path), NULL);
        status = pl_source_decode(&set, pl_text(&path), &source, err);
        if (!status && *set.checksum && had && (!whole || strcmp(set.checksum, cached.checksum)))
            say(verdict, type->info.name, &set,
                set.official ? "official; a cache that differed was replaced"
                             : "not the official set; a cache that differed was replaced");
        else if (!status)
            say(verdict, type->info.name, &set, set.official ? "official" : "not the official set");
    }
    pl_dataset_forget(&set);
    pl_dataset_forget(&cached);
    pl_source_release(&source);
    pl_text_release(&path);
    return status;
}

static int verify_imported(const char *name, const char *folder, struct pl_text *verdict, struct pl_error *err)
{
    struct pl_dataset set = {.type = &pl_dataset_folder};
    struct pl_settings header = {0};
    struct pl_text path = {0};
    pl_cache_path(&path, folder, name);
    int status = pl_cache_open(&set, pl_text(&path), &header, err);
    if (status == PL_EMISSING)
        pl_fail(err, status, "there is no set %s: neither %s nor a text of that name", name, pl_text(&path));
    if (!status)
        status = verify_file(&set, pl_text(&path), err);
    if (!status)
        say(verdict, name, &set, "as it was imported");
    pl_dataset_forget(&set);
    pl_settings_release(&header);
    pl_text_release(&path);
    return status;
}

int pl_data_verify(const char *name, const char *folder, struct pl_text *verdict, struct pl_error *err)
{
    const struct pl_dataset_type *type = pl_dataset_type_find(name);
    if (type && type->origin)
        return verify_published(type, folder, verdict, err);
    if (type && type->expect)
        return verify_built_in(name, verdict, err);
    return verify_imported(name, folder, verdict, err);
}
