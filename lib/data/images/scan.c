/* The image files of a folder of classes. */
#include "data/images/images_priv.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* Names in a folder, hidden ones left out, in byte order. */
struct listing {
    const char **names;
    size_t count, capacity;
    struct pl_pool pool;
};

void pl_scan_note(struct pl_folder_scan *scan, const char *format, ...)
{
    struct pl_text text = {0};
    va_list args;
    va_start(args, format);
    pl_text_addv(&text, format, args);
    va_end(args);
    pl_grow((void **)&scan->notes, &scan->note_capacity, scan->note_count + 1, sizeof *scan->notes);
    scan->notes[scan->note_count++] = pl_pool_copy(&scan->pool, pl_text(&text));
    pl_text_release(&text);
}

/* Counts a file that is not read among those of its kind. */
static void leave(struct pl_folder_scan *scan, const char *what, const char *path)
{
    for (size_t i = 0; i < scan->left_count; i++)
        if (!strcasecmp(scan->left[i].what, what)) {
            scan->left[i].count++;
            return;
        }
    pl_grow((void **)&scan->left, &scan->left_capacity, scan->left_count + 1, sizeof *scan->left);
    scan->left[scan->left_count++] = (struct pl_scan_left){pl_pool_copy(&scan->pool, what),
                                                           pl_pool_copy(&scan->pool, path), 1};
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *join(struct pl_pool *pool, const char *folder, const char *name)
{
    struct pl_text path = {0};
    pl_text_addf(&path, "%s/%s", folder, name);
    const char *kept = pl_pool_copy(pool, pl_text(&path));
    pl_text_release(&path);
    return kept;
}

static int list_folder(struct pl_folder_scan *scan, struct listing *listing, const char *path, struct pl_error *err)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    *listing = (struct listing){0};
    if (!folder)
        return pl_fail(err, errno == ENOENT ? PL_EMISSING : PL_EIO, "cannot open the folder %s: %s", path,
                       strerror(errno));
    while ((entry = readdir(folder))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        if (entry->d_name[0] == '.') {
            leave(scan, "hidden", join(&scan->pool, path, entry->d_name));
            continue;
        }
        pl_grow((void **)&listing->names, &listing->capacity, listing->count + 1, sizeof *listing->names);
        listing->names[listing->count++] = pl_pool_copy(&listing->pool, entry->d_name);
    }
    closedir(folder);
    if (listing->count)
        qsort(listing->names, listing->count, sizeof *listing->names, compare_names);
    return 0;
}

static void release_listing(struct listing *listing)
{
    free(listing->names);
    pl_pool_release(&listing->pool);
}

static bool is_folder(const char *path)
{
    struct stat info;
    return !stat(path, &info) && S_ISDIR(info.st_mode);
}

static bool has_folders(const char *path)
{
    struct pl_pool pool = {0};
    struct dirent *entry;
    DIR *folder = opendir(path);
    bool found = false;
    while (folder && !found && (entry = readdir(folder)))
        found = entry->d_name[0] != '.' && is_folder(join(&pool, path, entry->d_name));
    if (folder)
        closedir(folder);
    pl_pool_release(&pool);
    return found;
}

/* ".png", or "" */
static const char *ending(const char *path)
{
    const char *name = strrchr(path, '/'), *dot = strrchr(name ? name : path, '.');
    return dot ? dot : "";
}

static bool is_image_name(const char *path)
{
    static const char *const endings[] = {".png", ".jpg", ".jpeg", ".jpe", ".jfif"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (!strcasecmp(ending(path), endings[i]))
            return true;
    return false;
}

static void leave_by_ending(struct pl_folder_scan *scan, const char *path)
{
    leave(scan, *ending(path) ? ending(path) : "without an ending", path);
}

enum { DEPTH_MOST = 8 }; /* of folders in a class; a link to a folder above ends there */

/* Adds the images of a class, those of folders in it too. */
static int add_files(struct pl_folder_scan *scan, const char *folder, uint16_t label, enum pl_split split, int depth,
                     struct pl_error *err)
{
    struct listing listing;
    int status = list_folder(scan, &listing, folder, err);
    for (size_t i = 0; i < listing.count && !status; i++) {
        const char *path = join(&scan->pool, folder, listing.names[i]);
        if (is_folder(path)) {
            status = depth < DEPTH_MOST ? add_files(scan, path, label, split, depth + 1, err)
                                        : pl_fail(err, PL_EINPUT, "%s lies too deep for a folder of one class", path);
        } else if (is_image_name(path)) {
            pl_grow((void **)&scan->files, &scan->capacity, scan->count + 1, sizeof *scan->files);
            scan->files[scan->count++] = (struct pl_scan_file){path, label, (uint8_t)split};
        } else {
            leave_by_ending(scan, path);
        }
    }
    release_listing(&listing);
    return status;
}

/* CLASS/train beside CLASS/test: read as one class, test images would be trained on. */
static int check_inside(struct pl_folder_scan *scan, const char *folder, struct pl_error *err)
{
    struct listing listing;
    const char *train = NULL, *other = NULL;
    int status = list_folder(scan, &listing, folder, err);
    scan->left_count = 0; /* of this listing; the files are counted when they are added */
    for (size_t i = 0; i < listing.count && !status; i++) {
        bool sure;
        enum pl_hint role = pl_hint_of(listing.names[i], &sure);
        if (role && sure && is_folder(join(&scan->pool, folder, listing.names[i])))
            *(role == PL_HINT_TRAIN ? &train : &other) = listing.names[i];
    }
    if (train && other)
        status = pl_fail(err, PL_EINPUT, "%s holds %s and %s: splits must stand above the classes, as in %s/CLASS",
                         folder, train, other, train);
    release_listing(&listing);
    return status;
}

/* Classes are in byte order, because their folders were listed so. */
static int find_class(const struct pl_folder_scan *scan, const char *name)
{
    const char **found = scan->class_count
                             ? bsearch(&name, scan->classes, scan->class_count, sizeof name, compare_names)
                             : NULL;
    return found ? (int)(found - scan->classes) : -1;
}

/* How many bytes of text begin a name: a character that can be shown, or 0. */
static size_t character(const char *name, size_t left)
{
    unsigned char first = (unsigned char)*name;
    size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4, bad;
    return first >= 0x20 && first != 0x7f && length <= left && pl_utf8_valid(name, length, &bad) ? length : 0;
}

/* A name as it can be shown, bytes that are no text as \xe9. *plain: there are none. */
static const char *escape(struct pl_pool *pool, const char *name, bool *plain)
{
    struct pl_text text = {0};
    *plain = true;
    for (size_t left = strlen(name), length; left; name += length, left -= length) {
        length = character(name, left);
        if (length) {
            pl_text_add_bytes(&text, name, length);
        } else {
            pl_text_addf(&text, "\\x%02x", (unsigned char)*name);
            *plain = false;
            length = 1;
        }
    }
    const char *kept = pl_pool_copy(pool, pl_text(&text));
    pl_text_release(&text);
    return kept;
}

static int compare_capitals(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    int order = strcasecmp(x, y);
    return order ? order : strcmp(x, y);
}

/* Names that only capitals tell apart: meant, as the letters a and A are, or one class in two spellings. */
static void note_capitals(struct pl_folder_scan *scan)
{
    enum { SHOWN = 3 };
    const char **names = pl_new((scan->class_count + 1) * sizeof *names);
    memcpy(names, scan->classes, scan->class_count * sizeof *names);
    qsort(names, scan->class_count, sizeof *names, compare_capitals);
    for (size_t i = 1, found = 0; i < scan->class_count && found < SHOWN; i++)
        if (!strcasecmp(names[i - 1], names[i])) {
            pl_scan_note(scan, "classes %s and %s differ only in capitals", names[i - 1], names[i]);
            found++;
        }
    free(names);
}

static void add_class(struct pl_folder_scan *scan, const char *name)
{
    pl_grow((void **)&scan->classes, &scan->class_capacity, scan->class_count + 1, sizeof *scan->classes);
    scan->classes[scan->class_count++] = pl_pool_copy(&scan->pool, name);
}

/* Training makes the classes; another split must not bring one that they lack. */
static int add_classes(struct pl_folder_scan *scan, const char *folder, enum pl_split split, struct pl_error *err)
{
    struct listing listing;
    int status = list_folder(scan, &listing, folder, err);
    for (size_t i = 0; i < listing.count && !status; i++) {
        const char *name = listing.names[i], *path = join(&scan->pool, folder, name);
        if (!is_folder(path)) {
            if (is_image_name(path))
                leave(scan, "beside the folders of classes", path);
            else
                leave_by_ending(scan, path);
            continue;
        }
        if (!split && scan->class_count == PL_CLASSES_MOST) {
            status = pl_fail(err, PL_EINPUT, "%s holds more than %d classes", folder, PL_CLASSES_MOST);
            break;
        }
        bool plain;
        const char *shown = escape(&scan->pool, name, &plain);
        if (!plain) {
            status = pl_fail(err, PL_EINPUT, "%s in %s cannot name a class: it is no line of text in UTF-8", shown,
                             folder);
            break;
        }
        if (!split)
            add_class(scan, name);
        int label = find_class(scan, name);
        status = label < 0 ? pl_fail(err, PL_EINPUT, "%s is a class that the training images lack", path)
                           : add_files(scan, path, (uint16_t)label, split, 0, err);
    }
    release_listing(&listing);
    return status;
}

/* Moves the same share of each class to test: those with the smallest draws, so that it is the same choice every
 * time, and nothing that the names of the files could decide. */
struct draw {
    uint64_t value;
    size_t file;
};

static int compare_draws(const void *a, const void *b)
{
    const struct draw *x = a, *y = b;
    return x->value != y->value ? (x->value > y->value) - (x->value < y->value)
                                : (x->file > y->file) - (x->file < y->file);
}

static void split_class(struct pl_folder_scan *scan, size_t first, size_t count, double test)
{
    struct pl_random r = pl_random_stream(1, PL_STREAM_DATA);
    struct draw *draws = pl_new(count * sizeof *draws);
    for (size_t i = 0; i < count; i++)
        draws[i] = (struct draw){pl_random_below(&r, scan->files[first].label, i, UINT64_MAX), first + i};
    qsort(draws, count, sizeof *draws, compare_draws);
    size_t taken = (size_t)((double)count * test + 0.5);
    for (size_t i = 0; i < taken && i + 1 < count; i++) /* one stays to train on */
        scan->files[draws[i].file].split = PL_SPLIT_TEST;
    free(draws);
}

/* Of the first count files. */
static void split_classes(struct pl_folder_scan *scan, size_t count, double test)
{
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && scan->files[end].label == scan->files[first].label;)
            end++;
        split_class(scan, first, end - first, test);
    }
}

static void count_classes(const struct pl_folder_scan *scan, enum pl_split split, size_t *counts)
{
    memset(counts, 0, scan->class_count * sizeof *counts);
    for (size_t i = 0; i < scan->count; i++)
        counts[scan->files[i].label] += scan->files[i].split == split;
}

/* "3 .bmp (as own/a/1.bmp), 1 hidden (own/.x)"; "" when all was read. */
static const char *describe_left(struct pl_folder_scan *scan)
{
    struct pl_text text = {0};
    for (size_t i = 0; i < scan->left_count; i++)
        pl_text_addf(&text, "%s%zu %s (%s%s)", i ? ", " : "", scan->left[i].count, scan->left[i].what,
                     scan->left[i].count > 1 ? "as " : "", scan->left[i].example);
    const char *kept = pl_pool_copy(&scan->pool, pl_text(&text));
    pl_text_release(&text);
    return kept;
}

static int check_classes(struct pl_folder_scan *scan, const char *folder, struct pl_error *err)
{
    size_t *counts = pl_new((scan->class_count + 1) * sizeof *counts);
    const char *left = describe_left(scan);
    int status = 0;
    count_classes(scan, PL_SPLIT_TRAIN, counts);
    if (scan->class_count == 1 && has_folders(join(&scan->pool, folder, scan->classes[0])))
        status = pl_fail(err, PL_EINPUT,
                         "%s holds nothing but the folder %s; if that has the classes, or the splits, import %s/%s",
                         folder, scan->classes[0], folder, scan->classes[0]);
    else if (scan->class_count < 2)
        status = pl_fail(err, PL_EINPUT,
                         "%s holds %zu folders of classes, but must hold at least 2, each with the PNG or "
                         "JPEG files of one class%s%s",
                         folder, scan->class_count, *left ? "; not read: " : "", left);
    for (size_t i = 0; i < scan->class_count && !status; i++)
        if (!counts[i])
            status = pl_fail(err, PL_EINPUT, "class %s has no PNG or JPEG files to train on%s%s", scan->classes[i],
                             *left ? "; not read: " : "", left);
    if (!status)
        note_capitals(scan);
    if (!status && *left)
        pl_scan_note(scan, "not read, as they are no PNG or JPEG files of a class: %s", left);
    free(counts);
    return status;
}

/* A split of its own that lacks classes, or everything. */
static void note_missing(struct pl_folder_scan *scan, const char *folder, enum pl_split split)
{
    size_t *counts = pl_new((scan->class_count + 1) * sizeof *counts), missing = 0, last = 0;
    count_classes(scan, split, counts);
    for (size_t i = 0; i < scan->class_count; i++)
        if (!counts[i]) {
            missing++;
            last = i;
        }
    if (missing && missing < scan->class_count)
        pl_scan_note(scan, "%s has no images of %zu of %zu classes%s%s", folder, missing, scan->class_count,
                     missing > 1 ? ", one of them " : ": ", scan->classes[last]);
    free(counts);
}

/* Adds a split besides training. *given: it has classes; a folder of images without them says nothing of what they
 * show. */
static int add_split(struct pl_folder_scan *scan, const char *folder, const char *name, enum pl_split split,
                     bool *given, struct pl_error *err)
{
    size_t before = scan->count;
    *given = false;
    if (!name)
        return 0;
    const char *path = join(&scan->pool, folder, name);
    if (!has_folders(path)) {
        struct listing listing;
        int status = list_folder(scan, &listing, path, err);
        pl_scan_note(scan,
                     "%s is not used: it holds %zu files but no folders of classes, so nothing says what they show",
                     path, listing.count);
        release_listing(&listing);
        return status;
    }
    int status = add_classes(scan, path, split, err);
    if (status)
        return status;
    *given = scan->count > before;
    if (*given)
        note_missing(scan, path, split);
    else
        pl_scan_note(scan, "%s holds no PNG or JPEG files in its folders of classes", path);
    return 0;
}

static int add_splits(struct pl_folder_scan *scan, const char *folder, const struct pl_folders *layout, double test,
                      struct pl_error *err)
{
    const char *train = layout->names[PL_HINT_TRAIN];
    bool valid, tested;
    int status = add_classes(scan, join(&scan->pool, folder, train), PL_SPLIT_TRAIN, err);
    size_t training = scan->count;
    if (!status)
        status = add_split(scan, folder, layout->names[PL_HINT_VALID], PL_SPLIT_VALID, &valid, err);
    if (!status)
        status = add_split(scan, folder, layout->names[PL_HINT_TEST], PL_SPLIT_TEST, &tested, err);
    if (status)
        return status;
    if (!tested)
        split_classes(scan, training, test);
    pl_scan_note(
        scan, "splits of %s: training %s%s%s%s%s%s", folder, train, valid ? ", validation " : "",
        valid ? layout->names[PL_HINT_VALID] : "", tested ? ", test " : "", tested ? layout->names[PL_HINT_TEST] : "",
        tested || test == 0 ? "" : "; test images are taken out of the training images (--test SHARE, 0: none)");
    return 0;
}

static bool holds_folders(void *self, const char *name)
{
    struct pl_pool pool = {0};
    bool holds = has_folders(join(&pool, self, name));
    pl_pool_release(&pool);
    return holds;
}

/* The folders at the top: splits or classes. Beside splits the others are said and left. */
static int find_layout(struct pl_folder_scan *scan, const char *folder, struct pl_folders *layout, struct pl_error *err)
{
    struct listing listing;
    size_t count = 0;
    int status = list_folder(scan, &listing, folder, err);
    for (size_t i = 0; i < listing.count; i++) {
        const char *path = join(&scan->pool, folder, listing.names[i]);
        if (is_folder(path))
            listing.names[count++] = pl_pool_copy(&scan->pool, listing.names[i]);
        else
            leave_by_ending(scan, path);
    }
    if (!status)
        status = pl_folders_find(layout, folder, listing.names, count, holds_folders, (void *)(uintptr_t)folder, err);
    if (!layout->split)
        scan->left_count = 0; /* adding classes counts them */
    for (size_t i = 0; i < count && !status; i++) {
        bool sure;
        if (!layout->split && count > 1)
            status = check_inside(scan, join(&scan->pool, folder, listing.names[i]), err);
        else if (layout->split && (!pl_hint_of(listing.names[i], &sure) || !sure))
            pl_scan_note(scan, "%s/%s is not used: it is no split", folder, listing.names[i]);
    }
    release_listing(&listing);
    return status;
}

int pl_scan_folder(struct pl_folder_scan *scan, const char *folder, double test, struct pl_error *err)
{
    *scan = (struct pl_folder_scan){0};
    struct pl_folders layout;
    if (!is_folder(folder))
        return pl_fail(err, PL_EINPUT, "there is no folder %s", folder);
    int status = find_layout(scan, folder, &layout, err);
    if (!status && layout.split) {
        status = add_splits(scan, folder, &layout, test, err);
    } else if (!status) {
        status = add_classes(scan, folder, PL_SPLIT_TRAIN, err);
        split_classes(scan, scan->count, test);
    }
    if (!status)
        status = check_classes(scan, layout.split ? join(&scan->pool, folder, layout.names[PL_HINT_TRAIN]) : folder,
                               err);
    return status;
}

void pl_scan_release(struct pl_folder_scan *scan)
{
    free(scan->files);
    free(scan->classes);
    free(scan->left);
    free(scan->notes);
    pl_pool_release(&scan->pool);
}
