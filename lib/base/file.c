#include "base/file.h"

#include "base/leftover.h"
#include "base/memory.h"
#include "base/output.h"

#include <openssl/evp.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *pl_file_kind(mode_t mode)
{
    return S_ISREG(mode)    ? "a file"
           : S_ISDIR(mode)  ? "a folder"
           : S_ISFIFO(mode) ? "a FIFO"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

int pl_file_open(const char *path, struct pl_error *err)
{
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a FIFO would wait for a writer */
    if (file < 0 && errno != ENXIO)
        return pl_fail(err, errno == ENOENT ? PL_EMISSING : PL_EIO, "cannot open %s: %s", path, strerror(errno));
    if (file < 0 || fstat(file, &info))
        info.st_mode = S_IFSOCK;
    if (S_ISREG(info.st_mode))
        return file;
    if (file >= 0)
        close(file);
    return pl_fail(err, PL_EIO, "cannot read %s: it is %s, not a file", path, pl_file_kind(info.st_mode));
}

FILE *pl_file_stream(const char *path, struct pl_error *err)
{
    int file = pl_file_open(path, err);
    FILE *stream = file < 0 ? NULL : fdopen(file, "rb");
    if (file >= 0 && !stream) {
        pl_fail(err, PL_EIO, "cannot open %s: %s", path, strerror(errno));
        close(file);
    }
    return stream;
}

/* Reads from file, and closes it. */
static int read_all(int file, const char *path, size_t limit, struct pl_text *out, struct pl_error *err)
{
    int status = 0;
    pl_text_clear(out);
    for (;;) {
        char block[65536];
        ssize_t n = read(file, block, sizeof block);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            status = pl_fail(err, PL_EIO, "cannot read %s: %s", path, strerror(errno));
        if (n <= 0)
            break;
        if (out->length + (size_t)n > limit) {
            status = pl_fail(err, PL_EINPUT, "%s is larger than %zu bytes", path, limit);
            break;
        }
        pl_text_add_bytes(out, block, (size_t)n);
    }
    close(file);
    return status;
}

int pl_file_read(const char *path, size_t limit, struct pl_text *out, struct pl_error *err)
{
    int file = pl_file_open(path, err);
    return file < 0 ? file : read_all(file, path, limit, out, err);
}

/* The descriptors of this program have somebody at the other end. */
static bool is_descriptor(const char *path)
{
    return !strcmp(path, "/dev/stdin") || !strncmp(path, "/dev/fd/", 8) || !strncmp(path, "/proc/self/fd/", 14);
}

int pl_file_read_any(const char *path, size_t limit, struct pl_text *out, struct pl_error *err)
{
    bool input = !strcmp(path, "-");
    if (!input && !is_descriptor(path))
        return pl_file_read(path, limit, out, err);
    int file = input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return pl_fail(err, PL_EIO, "cannot open %s: %s", input ? "standard input" : path, strerror(errno));
    return read_all(file, input ? "standard input" : path, limit, out, err);
}

int pl_file_write_pieces(const char *path, const struct pl_piece *pieces, size_t piece_count, struct pl_error *err)
{
    struct pl_output output;
    int status = pl_output_open(&output, path, PL_OUTPUT_FILE, err), problem = 0;
    if (status)
        return status;
    for (size_t i = 0; i < piece_count && !problem; i++)
        problem = pl_output_write(&output, pieces[i].bytes, pieces[i].count);
    return pl_output_close(&output, true, problem, err);
}

int pl_file_write(const char *path, const void *bytes, size_t count, struct pl_error *err)
{
    return pl_file_write_pieces(path, &(struct pl_piece){bytes, count}, 1, err);
}

bool pl_file_exists(const char *path)
{
    struct stat info;
    return !stat(path, &info);
}

int pl_folder_make(const char *path, struct pl_error *err)
{
    char *copy = pl_copy(path);
    int status = 0;
    for (char *c = copy + 1; !status && *copy; c++) {
        if (*c && *c != '/')
            continue;
        char kept = *c;
        *c = '\0';
        struct stat info;
        if (mkdir(copy, 0777) && (errno != EEXIST || stat(copy, &info) || !S_ISDIR(info.st_mode)))
            status = pl_fail(err, PL_EIO, "cannot create the folder %s: %s", copy,
                             strerror(errno == EEXIST ? ENOTDIR : errno));
        *c = kept;
        if (!kept)
            break;
    }
    free(copy);
    return status;
}

int pl_folder_make_parent(const char *path, struct pl_error *err)
{
    char *copy = pl_copy(path), *slash = strrchr(copy, '/');
    int status = 0;
    if (slash && slash != copy) {
        *slash = '\0';
        status = pl_folder_make(copy, err);
    }
    free(copy);
    return status;
}

bool pl_folder_is_empty(const char *path, const char *but)
{
    DIR *folder = opendir(path);
    bool empty = folder || errno == ENOENT;
    for (const struct dirent *entry; folder && empty && (entry = readdir(folder));)
        empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") || (but && !strcmp(entry->d_name, but));
    if (folder)
        closedir(folder);
    return empty;
}

int pl_folder_make_temporary(struct pl_text *path, struct pl_error *err)
{
    const char *parent = getenv("TMPDIR");
    pl_text_clear(path);
    pl_text_addf(path, "%s/poula-", parent && *parent ? parent : "/tmp");
    if (pl_leftover_folder(path))
        return 0;
    int status = pl_fail(err, PL_EIO, "cannot create a temporary folder %s: %s", pl_text(path), strerror(errno));
    pl_text_clear(path);
    return status;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *at)
{
    (void)info;
    (void)type;
    (void)at;
    remove(path);
    return 0;
}

void pl_folder_remove(const char *path)
{
    enum { OPEN_FOLDERS = 16 };
    nftw(path, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
    pl_leftover_drop(path);
}

void pl_digest(const void *bytes, size_t count, unsigned char digest[PL_DIGEST_SIZE])
{
    EVP_Digest(bytes, count, digest, NULL, EVP_sha256(), NULL);
}

int pl_digest_file(const char *path, unsigned char digest[PL_DIGEST_SIZE], struct pl_error *err)
{
    int status = 0;
    FILE *file = pl_file_stream(path, err);
    if (!file)
        return pl_file_exists(path) ? PL_EIO : PL_EMISSING;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    char block[65536];
    size_t n;
    if (!context || !EVP_DigestInit_ex(context, EVP_sha256(), NULL)) {
        status = pl_fail(err, PL_EMEMORY, "cannot start a SHA-256 of %s", path);
        goto done;
    }
    while ((n = fread(block, 1, sizeof block, file)) > 0)
        EVP_DigestUpdate(context, block, n);
    if (ferror(file))
        status = pl_fail(err, PL_EIO, "cannot read %s: %s", path, strerror(errno));
    EVP_DigestFinal_ex(context, digest, NULL);
done:
    EVP_MD_CTX_free(context);
    fclose(file);
    return status;
}

void pl_digest_hex(const unsigned char *digest, size_t count, char *hex)
{
    for (size_t i = 0; i < count; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}
