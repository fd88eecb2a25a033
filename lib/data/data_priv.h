/* Inside data: files as images and texts both read and keep them. */
#ifndef PL_DATA_PRIV_H
#define PL_DATA_PRIV_H

#include "data/data.h"

/* ---- source.c: what something is read from */

/* The files that a set is read from, and what they look like from outside: names, sizes and times of change. */
struct pl_source {
    struct pl_text path, stamp; /* of the archive or the folder */
    bool archive;
};
/* Adds a file to the stamp; nonzero when there is no such file. */
int pl_source_stamp(struct pl_source *source, const char *path, const char *name);
void pl_source_release(struct pl_source *source);

/* ---- block.c: files that every process maps

 * A file begins with 16 bytes that name the format, the lengths of header and file (8 bytes each), the SHA-256 of the
 * header (32) and the header: canonical JSON. The body follows at the next multiple of 64 bytes. Numbers are
 * little-endian. */

struct pl_block_format {
    char magic[16];   /* "poula-images 1\n": 13 characters that every version has, then the version */
    const char *what; /* what errors call such a file: "set of images" */
};
struct pl_block {
    void *bytes;
    size_t size, body; /* where the body begins */
};
/* Maps a file and reads its header. Fails with PL_EMISSING, PL_ECORRUPT (cut, foreign, altered header) or PL_EVERSION.
 */
int pl_block_open(const struct pl_block_format *format, struct pl_block *block, const char *path,
                  struct pl_settings *header, struct pl_error *err);
void pl_block_close(struct pl_block *block);
size_t pl_block_body(size_t header); /* where the body begins behind a header of that length */
/* Writes header and the pieces of the body (up to 16) under a temporary name, syncs and renames. */
int pl_block_write(const struct pl_block_format *format, const char *path, const struct pl_text *header,
                   const struct pl_piece *pieces, size_t count, struct pl_error *err);
/* PL_ECORRUPT: "PATH is no whole WHAT: WHY". */
int pl_block_fail(const struct pl_block_format *format, const char *path, const char *why, struct pl_error *err);

/* ---- trust.c: which of them were compared with their checksums */

/* Was the file, as it is now, compared with its checksum in this process? */
bool pl_file_trusted(const char *path);
void pl_file_trust(const char *path);

/* ---- archive.c: the files of a .tar.gz or a .zip, one after the other */

struct pl_archive;
int pl_archive_open(struct pl_archive **archive, const char *path, struct pl_error *err);
void pl_archive_close(struct pl_archive *archive);
/* The next regular file: 0, or 1 at the end, where the checksum of the whole compressed file (of a .zip: of each file
 * that was read) has been verified. */
int pl_archive_next(struct pl_archive *archive, const char **name, uint64_t *size, struct pl_error *err);
/* Reads exactly size bytes of the file that pl_archive_next found. */
int pl_archive_read(struct pl_archive *archive, void *bytes, size_t size, struct pl_error *err);

#endif
