/* The files of a .tar.gz or a .zip. Of the first libarchive reads the tar and zlib the compression, because libarchive
 * does not compare the checksum at its end. Of a .zip it compares that of each file, once all of the file was read; the
 * list of files stands at its end, so that one that is cut is none. */
#include "data/data_priv.h"

#include <archive.h>
#include <archive_entry.h>
#include <zlib.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 17 };

struct pl_archive {
    char *path;
    gzFile file; /* NULL: a .zip */
    struct archive *reader;
    char name[256];    /* of the file being read */
    bool begun;        /* were bytes of it read? */
    char trouble[200]; /* with the compressed bytes; "": none */
    char block[BLOCK];
};

static la_ssize_t read_block(struct archive *reader, void *self, const void **block)
{
    struct pl_archive *archive = self;
    int code, count = gzread(archive->file, archive->block, BLOCK);
    const char *text = gzerror(archive->file, &code);
    *block = archive->block;
    if (count >= 0 && code != Z_BUF_ERROR) /* gzread calls the bytes before a cut good, and warns */
        return count;
    if (code == Z_ERRNO)
        text = strerror(errno);
    else if (code == Z_BUF_ERROR)
        text = "it ends too early";
    snprintf(archive->trouble, sizeof archive->trouble, "%s", text);
    archive_set_error(reader, EIO, "%s", text);
    return -1;
}

static int fail_archive(struct pl_archive *archive, struct pl_error *err)
{
    const char *text = *archive->trouble ? archive->trouble : archive_error_string(archive->reader);
    return pl_fail(err, PL_ECORRUPT, "%s is cut or damaged%s%s: %s", archive->path,
                   *archive->name ? " in or after " : "", archive->name, text ? text : "it is no archive");
}

/* A gzFile that reads a .zip would give its bytes as they are. */
static bool is_zip(gzFile file)
{
    char start[4];
    bool zip = gzdirect(file) && gzread(file, start, 4) == 4 && !memcmp(start, "PK", 2) && start[2] < 8;
    gzrewind(file);
    return zip;
}

static int open_zip(struct pl_archive *archive, struct pl_error *err)
{
    gzclose(archive->file);
    archive->file = NULL;
    archive_read_support_format_zip_seekable(archive->reader);
    if (archive_read_open_filename(archive->reader, archive->path, BLOCK) != ARCHIVE_OK)
        return fail_archive(archive, err);
    return 0;
}

int pl_archive_open(struct pl_archive **out, const char *path, struct pl_error *err)
{
    struct pl_archive *archive = pl_new(sizeof *archive);
    archive->path = pl_copy(path);
    archive->reader = archive_read_new();
    int handle = pl_file_open(path, err), status = handle < 0 ? handle : 0;
    if (!status && !(archive->file = gzdopen(handle, "rb"))) {
        close(handle);
        status = pl_fail(err, PL_EMEMORY, "there is not enough memory to read %s", path);
    }
    if (archive->file)
        gzbuffer(archive->file, BLOCK); /* before anything is read */
    if (!status && !archive->reader) {
        status = pl_fail(err, PL_EMEMORY, "there is not enough memory to read %s", path);
    } else if (!status && is_zip(archive->file)) {
        status = open_zip(archive, err);
    } else if (!status) {
        archive_read_support_format_tar(archive->reader);
        archive_read_support_format_empty(archive->reader);
        if (archive_read_open(archive->reader, archive, NULL, read_block, NULL) != ARCHIVE_OK)
            status = fail_archive(archive, err);
    }
    if (status) {
        pl_archive_close(archive);
        archive = NULL;
    }
    *out = archive;
    return status;
}

void pl_archive_close(struct pl_archive *archive)
{
    if (!archive)
        return;
    if (archive->reader)
        archive_read_free(archive->reader);
    if (archive->file)
        gzclose(archive->file);
    free(archive->path);
    free(archive);
}

/* What follows the last file must be read, or the checksum at the very end is not. */
static int read_to_the_end(struct pl_archive *archive, struct pl_error *err)
{
    const void *block;
    la_ssize_t count;
    if (!archive->file)
        return 1;
    while ((count = read_block(archive->reader, archive, &block)) > 0)
        continue;
    return count < 0 ? fail_archive(archive, err) : 1;
}

/* Whatever is left of a file that was read, and with it the comparison of its checksum. */
static int finish_file(struct pl_archive *archive, struct pl_error *err)
{
    char rest[4096];
    la_ssize_t count = 0;
    if (archive->begun)
        while ((count = archive_read_data(archive->reader, rest, sizeof rest)) > 0)
            continue;
    archive->begun = false;
    return count < 0 ? fail_archive(archive, err) : 0;
}

int pl_archive_next(struct pl_archive *archive, const char **name, uint64_t *size, struct pl_error *err)
{
    struct archive_entry *entry;
    int status = finish_file(archive, err);
    if (status)
        return status;
    for (;;) {
        int code = archive_read_next_header(archive->reader, &entry);
        if (code == ARCHIVE_EOF)
            return read_to_the_end(archive, err);
        if (code != ARCHIVE_OK && code != ARCHIVE_WARN)
            return fail_archive(archive, err);
        const char *path = archive_entry_pathname(entry);
        snprintf(archive->name, sizeof archive->name, "%s", path ? path : "");
        if (archive_entry_filetype(entry) == AE_IFREG)
            break;
    }
    *name = archive->name;
    while (!strncmp(*name, "./", 2))
        *name += 2;
    *size = (uint64_t)archive_entry_size(entry);
    return 0;
}

int pl_archive_read(struct pl_archive *archive, void *bytes, size_t size, struct pl_error *err)
{
    size_t done = 0;
    archive->begun = true;
    while (done < size) {
        la_ssize_t count = archive_read_data(archive->reader, (char *)bytes + done, size - done);
        if (count <= 0)
            return fail_archive(archive, err);
        done += (size_t)count;
    }
    return 0;
}
