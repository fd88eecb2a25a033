#include "data_fixture.h"
#include <zlib.h>

/* A set in CIFAR's layout, but of few images: a coarse and a fine label a record. */
enum { FIRST = 12, SECOND = 8, TRAIN = FIRST + SECOND, TEST = 10, MEMBERS = 3 };
enum { CLASSES = 5, LABELS = 2, IMAGE = 3 * 32 * 32, RECORD = LABELS + IMAGE };

static char digests[MEMBERS][2 * PL_DIGEST_SIZE + 1];
static struct pl_cifar layout = {
    .origin = {.url = "http://localhost/tiny.tar.gz", .file = "tiny.tar.gz", .sha256 = ""},
    .folder = "tiny-bin",
    .members = {{"train.bin", 0, FIRST, digests[0]},
                {"more.bin", 0, SECOND, digests[1]},
                {"test.bin", 1, TEST, digests[2]}},
    .member_count = MEMBERS,
    .names = "names.txt",
    .label_bytes = LABELS,
    .classes = CLASSES,
};
static const struct pl_dataset_type tiny = {
    .info = {.name = "tiny"},
    .open = pl_source_open,
    .origin = &layout.origin,
    .layout = &layout,
    .find_source = pl_cifar_find_source,
    .decode = pl_cifar_decode,
};

/* What the files hold; a test may change it before it writes them. */
static unsigned char records[2][TRAIN * RECORD]; /* training, test */
static unsigned char *const starts[MEMBERS] = {records[0], records[0] + FIRST *RECORD, records[1]};
static size_t sizes[MEMBERS];
static const char *names;

static void digest_records(void)
{
    for (int i = 0; i < MEMBERS; i++) {
        unsigned char digest[PL_DIGEST_SIZE];
        pl_digest(starts[i], sizes[i], digest);
        pl_digest_hex(digest, sizeof digest, digests[i]);
    }
}

static int label_of(int which, int i)
{
    return (3 * i + which) % CLASSES;
}

static int pixel_of(int which, int i, int k)
{
    return (k * 7 + i * 13 + which * 101 + k / 1024 * 5) % 251;
}

static int make_records(void **state)
{
    for (int i = 0; i < MEMBERS; i++)
        sizes[i] = layout.members[i].records * RECORD;
    names = "apple\nball\ncat\n\ndog\negg\n\n";
    for (int which = 0; which < 2; which++)
        for (int i = 0; i < (which ? TEST : TRAIN); i++) {
            unsigned char *record = records[which] + i * RECORD;
            record[0] = 200; /* the coarse label is not looked at */
            record[1] = (unsigned char)label_of(which, i);
            for (int k = 0; k < IMAGE; k++)
                record[LABELS + k] = (unsigned char)pixel_of(which, i, k);
        }
    digest_records();
    return make_folder(state);
}

static void add_entry(struct archive *archive, const char *name, const void *bytes, size_t count)
{
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_size(entry, (la_int64_t)count);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
    assert_int_equal(archive_write_data(archive, bytes, count), count);
    archive_entry_free(entry);
}

static void write_archive(bool with_test)
{
    struct archive *archive = archive_write_new();
    archive_write_add_filter_gzip(archive);
    archive_write_set_format_ustar(archive);
    assert_int_equal(archive_write_open_filename(archive, in_folder("tiny.tar.gz")), ARCHIVE_OK);
    add_entry(archive, "./tiny-bin/readme.html", "<html>", 6);
    add_entry(archive, "other/train.bin", "of another folder", 17);
    add_entry(archive, "tiny-bin/more.bin", starts[1], sizes[1]);
    add_entry(archive, "./tiny-bin/train.bin", starts[0], sizes[0]);
    if (with_test)
        add_entry(archive, "tiny-bin/test.bin", starts[2], sizes[2]);
    add_entry(archive, "tiny-bin/names.txt", names, strlen(names));
    assert_int_equal(archive_write_free(archive), ARCHIVE_OK);
}

static void write_unpacked(void)
{
    mkdir(in_folder("tiny-bin"), 0777);
    for (int i = 0; i < MEMBERS; i++)
        write_file(in_folder("tiny-bin/%s", layout.members[i].name), starts[i], sizes[i]);
    write_file(in_folder("tiny-bin/names.txt"), names, strlen(names));
}

static int open_tiny(struct pl_dataset *set, struct pl_error *err)
{
    struct pl_settings settings = {0};
    *set = (struct pl_dataset){.type = &tiny};
    *err = (struct pl_error){0};
    return pl_source_open(set, &settings, folder, err);
}

/* Opens the set, compares every byte and closes it. */
static void expect_whole(bool official)
{
    struct pl_dataset set;
    struct pl_error err;
    if (open_tiny(&set, &err))
        fail_msg("%s", err.text);
    assert_int_equal(set.classes, CLASSES);
    assert_string_equal(set.class_names[0], "apple");
    assert_string_equal(set.class_names[4], "egg");
    assert_true(set.mapped);
    assert_true(set.flip);
    assert_int_equal(set.official, official);
    assert_int_equal(*set.warning != 0, !official);
    for (int which = 0; which < 2; which++) {
        assert_int_equal(set.stored[which].count, which ? TEST : TRAIN);
        for (int i = 0; i < (which ? TEST : TRAIN); i++) {
            assert_int_equal(set.stored[which].labels[i], label_of(which, i));
            assert_memory_equal(set.stored[which].images + i * IMAGE, records[which] + i * RECORD + LABELS, IMAGE);
        }
    }
    pl_dataset_forget(&set);
}

static void expect_failure(int code, const char *what, const char *more)
{
    struct pl_dataset set;
    struct pl_error err;
    assert_int_equal(open_tiny(&set, &err), code);
    if (!strstr(err.text, what) || !strstr(err.text, more))
        fail_msg("no '%s' and '%s' in: %s", what, more, err.text);
    pl_dataset_forget(&set);
    assert_int_not_equal(access(in_folder("tiny.images"), F_OK), 0);
}

/* ---- archives and folders */

static void archives_are_read_in_place(void **state)
{
    (void)state;
    write_archive(true);
    expect_whole(true);
    assert_int_equal(count_entries(folder), 2); /* archive and cache */
}

static void unpacked_folders_give_the_same_set(void **state)
{
    (void)state;
    struct pl_dataset set;
    struct pl_error err;
    char checksum[65];
    write_archive(true);
    assert_int_equal(open_tiny(&set, &err), 0);
    memcpy(checksum, set.checksum, sizeof checksum);
    pl_dataset_forget(&set);
    unlink(in_folder("tiny.tar.gz"));
    unlink(in_folder("tiny.images"));
    write_unpacked();
    expect_whole(true);
    assert_int_equal(open_tiny(&set, &err), 0);
    assert_string_equal(set.checksum, checksum);
    pl_dataset_forget(&set);
}

static void other_checksums_are_official_unofficial_or_damage(void **state)
{
    (void)state;
    write_archive(true);
    digests[0][0] ^= 1;
    expect_failure(PL_ECORRUPT, "altered train.bin", digests[0]);
    digests[1][0] ^= 1;
    expect_failure(PL_ECORRUPT, "altered more.bin", digests[1]);
    digests[2][0] ^= 1;
    expect_whole(false);
    expect_whole(false); /* from the cache too */
    unlink(in_folder("tiny.images"));
    digest_records();
    expect_whole(true);
}

static void what_is_missing_or_wrong_is_named(void **state)
{
    (void)state;
    expect_failure(PL_EMISSING, "no tiny in", "poula data fetch tiny");
    write_archive(false);
    expect_failure(PL_ECORRUPT, "tiny.tar.gz does not hold", "tiny-bin/test.bin");
    sizes[2] -= 1;
    write_archive(true);
    expect_failure(PL_ECORRUPT, "test.bin has 30739 bytes", "must have 30740");
    sizes[2] += 1;
    records[0][3 * RECORD + 1] = CLASSES;
    write_archive(true);
    expect_failure(PL_ECORRUPT, "image 3 of train.bin has the label 5", "from 0 to 4");
    records[0][3 * RECORD + 1] = CLASSES - 1;
    names = "apple\nball\n";
    write_archive(true);
    expect_failure(PL_ECORRUPT, "names.txt", "5 names");
    unlink(in_folder("tiny.tar.gz"));
    write_unpacked();
    expect_failure(PL_ECORRUPT, "names.txt", "5 names");
    unlink(in_folder("tiny-bin/test.bin"));
    expect_failure(PL_ECORRUPT, "tiny-bin/test.bin", "No such file");
    write_file(in_folder("tiny-bin/test.bin"), starts[2], 100);
    expect_failure(PL_ECORRUPT, "test.bin has 100 bytes", "must have 30740");
    for (int i = 0; i < MEMBERS; i++)
        unlink(in_folder("tiny-bin/%s", layout.members[i].name));
    expect_failure(PL_EMISSING, "no tiny in", "tiny.tar.gz");
}

/* Cut anywhere, an archive is refused; with any bit turned, it is refused or nothing of it was changed. */
static void damaged_archives_are_refused(void **state)
{
    (void)state;
    struct pl_text whole = {0};
    write_archive(true);
    read_file(in_folder("tiny.tar.gz"), &whole);
    digests[0][0] = digests[1][0] = digests[2][0] = 'x'; /* so that only the archive's own checksum can tell */
    for (size_t length = 0; length < whole.length; length += length < 20 || length > whole.length - 12 ? 1 : 97) {
        write_file(in_folder("tiny.tar.gz"), whole.text, length);
        expect_failure(PL_ECORRUPT, "tiny.tar.gz", "");
    }
    int survived = 0, tried = 0;
    for (size_t at = 0; at < whole.length; at += 3, tried++) {
        struct pl_dataset set;
        struct pl_error err;
        whole.text[at] ^= 0x10;
        write_file(in_folder("tiny.tar.gz"), whole.text, whole.length);
        whole.text[at] ^= 0x10;
        if (open_tiny(&set, &err)) {
            assert_non_null(strstr(err.text, "tiny.tar.gz"));
        } else {
            survived++;
            assert_memory_equal(set.stored[0].images, records[0] + LABELS, IMAGE);
            unlink(in_folder("tiny.images"));
        }
        pl_dataset_forget(&set);
    }
    assert_true(tried > 300 && survived <= 6); /* time and system in the header are nobody's business */
    pl_text_release(&whole);
}

/* The checksum of the compressed bytes comes behind all padding, far from the last file. */
static void the_checksum_at_the_end_is_compared(void **state)
{
    (void)state;
    static char bytes[1 << 20]; /* zeros behind the archive */
    struct pl_text whole = {0};
    write_archive(true);
    gzFile in = gzopen(in_folder("tiny.tar.gz"), "rb");
    assert_true(gzread(in, bytes, sizeof bytes / 2) > 0);
    gzclose(in);
    gzFile out = gzopen(in_folder("tiny.tar.gz"), "wb");
    assert_int_equal(gzwrite(out, bytes, sizeof bytes), sizeof bytes);
    gzclose(out);
    expect_whole(true);
    unlink(in_folder("tiny.images"));
    read_file(in_folder("tiny.tar.gz"), &whole);
    whole.text[whole.length - 8] ^= 1;
    write_file(in_folder("tiny.tar.gz"), whole.text, whole.length);
    expect_failure(PL_ECORRUPT, "tiny.tar.gz is cut or damaged", "incorrect data check");
    pl_text_release(&whole);
}

/* ---- the cache file */

static void caches_outlive_their_source(void **state)
{
    (void)state;
    write_archive(true);
    expect_whole(true);
    unlink(in_folder("tiny.tar.gz"));
    expect_whole(true);
    assert_int_equal(truncate(in_folder("tiny.images"), 20000), 0);
    struct pl_dataset set;
    struct pl_error err;
    assert_int_equal(open_tiny(&set, &err), PL_ECORRUPT);
    assert_non_null(strstr(err.text, "tiny.images is no whole set of images: it has 20000 bytes"));
    assert_non_null(strstr(err.text, "poula data fetch tiny"));
    pl_dataset_forget(&set);
}

static void caches_follow_their_source(void **state)
{
    (void)state;
    write_archive(true);
    expect_whole(true);
    for (int k = 0; k < IMAGE; k++)
        records[0][LABELS + k] = 77;
    digest_records();
    write_archive(true);
    expect_whole(true);
    unlink(in_folder("tiny.tar.gz"));
    write_unpacked(); /* another source of the same bytes */
    expect_whole(true);
}

static void torn_and_foreign_caches_are_made_anew(void **state)
{
    (void)state;
    struct pl_text whole = {0};
    static const size_t altered[] = {0, 10, 14, 17, 25, 40, 64, 100, 300};
    write_archive(true);
    expect_whole(true);
    read_file(in_folder("tiny.images"), &whole);
    for (size_t length = 0; length < whole.length; length += 1 + whole.length / 20) {
        write_file(in_folder("tiny.images"), whole.text, length);
        expect_whole(true);
    }
    for (size_t i = 0; i < sizeof altered / sizeof *altered; i++) {
        whole.text[altered[i]] ^= 1;
        write_file(in_folder("tiny.images"), whole.text, whole.length);
        whole.text[altered[i]] ^= 1;
        expect_whole(true);
    }
    memset(whole.text, 0, whole.length);
    write_file(in_folder("tiny.images"), whole.text, whole.length);
    expect_whole(true);
    pl_text_release(&whole);
    assert_int_equal(count_entries(folder), 2);
}

/* A label that no class has would be an index out of bounds in the loss. */
static void labels_of_a_cache_are_checked(void **state)
{
    (void)state;
    struct pl_text whole = {0};
    struct pl_dataset set;
    struct pl_error err;
    write_archive(true);
    assert_int_equal(open_tiny(&set, &err), 0);
    size_t at = (size_t)((const char *)set.stored[1].labels - (const char *)set.block);
    pl_dataset_forget(&set);
    read_file(in_folder("tiny.images"), &whole);
    whole.text[at + 1] = 1;
    write_file(in_folder("tiny.images"), whole.text, whole.length);
    expect_whole(true);
    pl_text_release(&whole);
}

static void without_a_cache_file_there_is_memory(void **state)
{
    (void)state;
    struct pl_dataset set;
    struct pl_error err;
    write_archive(true);
    mkdir(in_folder("tiny.images"), 0777);
    assert_int_equal(open_tiny(&set, &err), 0);
    assert_false(set.mapped);
    assert_non_null(strstr(set.warning, "keeps its own copy of tiny"));
    assert_int_equal(set.stored[0].labels[1], label_of(0, 1));
    assert_true(pl_data_memory(&set) >= (TRAIN + TEST) * IMAGE);
    pl_dataset_forget(&set);
    assert_int_equal(count_entries(folder), 2); /* nothing half-written is left */
}

/* Where batch systems give a task a folder of the node: one cache for all its processes, which nobody else can write.
 */
static void without_a_cache_file_there_is_the_scratch_folder(void **state)
{
    (void)state;
    struct pl_dataset set;
    struct pl_error err;
    char scratch[300], own[340], cache[400];
    snprintf(scratch, sizeof scratch, "%s-scratch", folder);
    snprintf(own, sizeof own, "%s/poula-%lld", scratch, (long long)geteuid());
    snprintf(cache, sizeof cache, "%s/tiny.images", own);
    mkdir(scratch, 0755);
    setenv("TMPDIR", scratch, 1);
    write_archive(true);
    mkdir(in_folder("tiny.images"), 0777);
    for (int i = 0; i < 2; i++) { /* made, and found */
        assert_int_equal(open_tiny(&set, &err), 0);
        assert_true(set.mapped);
        assert_string_equal(set.warning, "");
        assert_int_equal(set.stored[0].labels[1], label_of(0, 1));
        pl_dataset_forget(&set);
        assert_true(pl_file_exists(cache));
    }
    chmod(own, 0777);
    assert_int_equal(open_tiny(&set, &err), 0);
    assert_false(set.mapped);
    pl_dataset_forget(&set);
    unsetenv("TMPDIR");
    pl_folder_remove(scratch);
}

static void processes_may_open_at_once(void **state)
{
    (void)state;
    enum { PROCESSES = 6 };
    pid_t children[PROCESSES];
    write_archive(true);
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i])
            continue;
        int bad = 0;
        for (int k = 0; k < 20; k++) {
            struct pl_dataset set;
            struct pl_error err;
            bad |= open_tiny(&set, &err) || memcmp(set.stored[1].images, records[1] + LABELS, IMAGE);
            if (i == 0)
                unlink(in_folder("tiny.images"));
            pl_dataset_forget(&set);
        }
        _exit(bad);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    assert_true(count_entries(folder) <= 2);
    expect_whole(true);
}

/* ---- the photographs themselves, where there are any */

static void check_photographs(const char *name, int classes)
{
    struct pl_settings settings = {0};
    struct pl_dataset *set;
    struct pl_error err = {0};
    const char *place = getenv("POULA_DATA");
    pl_settings_set_string(&settings, "dataset", name);
    int status = pl_data_open(&set, &settings, place && *place ? place : "data", &err);
    pl_settings_release(&settings);
    if (status == PL_EMISSING) {
        print_message("skipped: %s; POULA_DATA names the folder\n", err.text);
        skip();
    }
    if (status)
        fail_msg("%s", err.text);
    int counts[2][100] = {{0}};
    double sums[3] = {0};
    for (int which = 0; which < 2; which++)
        for (size_t i = 0; i < set->stored[which].count; i++)
            counts[which][set->stored[which].labels[i]]++;
    for (int i = 0; i < classes; i++) {
        assert_int_equal(counts[0][i], 50000 / classes);
        assert_int_equal(counts[1][i], 10000 / classes);
    }
    for (size_t i = 0; i < 50000 * (size_t)IMAGE; i++)
        sums[i / 1024 % 3] += set->stored[0].images[i];
    for (int c = 0; c < 3; c++) { /* CIFAR-100 is normalised by the means of CIFAR-10 */
        double off = sums[c] / 50000 / 1024 / 255 - (double)set->colours.mean[c];
        assert_true(off > -0.02 && off < 0.02);
    }
    pl_data_close(set);
}

static void photographs_of_cifar10_are_balanced(void **state)
{
    (void)state;
    check_photographs("cifar10", 10);
}

static void photographs_of_cifar100_are_balanced(void **state)
{
    (void)state;
    check_photographs("cifar100", 100);
}

int main(void)
{
#define TEST_IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_records, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(archives_are_read_in_place),
        TEST_IN_FOLDER(unpacked_folders_give_the_same_set),
        TEST_IN_FOLDER(other_checksums_are_official_unofficial_or_damage),
        TEST_IN_FOLDER(what_is_missing_or_wrong_is_named),
        TEST_IN_FOLDER(damaged_archives_are_refused),
        TEST_IN_FOLDER(the_checksum_at_the_end_is_compared),
        TEST_IN_FOLDER(caches_outlive_their_source),
        TEST_IN_FOLDER(caches_follow_their_source),
        TEST_IN_FOLDER(torn_and_foreign_caches_are_made_anew),
        TEST_IN_FOLDER(labels_of_a_cache_are_checked),
        TEST_IN_FOLDER(without_a_cache_file_there_is_memory),
        TEST_IN_FOLDER(without_a_cache_file_there_is_the_scratch_folder),
        TEST_IN_FOLDER(processes_may_open_at_once),
        cmocka_unit_test(photographs_of_cifar10_are_balanced),
        cmocka_unit_test(photographs_of_cifar100_are_balanced),
    };
    return cmocka_run_group_tests_name("data files", tests, NULL, NULL);
}
