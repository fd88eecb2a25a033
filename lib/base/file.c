#include "base/file.h"

#include "base/memory.h"

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

int pl_file_read(const char *path, size_t limit, struct pl_text *out, struct pl_error *err)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return pl_fail(err, errno == ENOENT ? PL_EMISSING : PL_EIO, "cannot open %s: %s", path, strerror(errno));
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

static int write_all(int file, const char *bytes, size_t count)
{
    while (count) {
        ssize_t n = write(file, bytes, count);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        bytes += n;
        count -= (size_t)n;
    }
    return 0;
}

/* After a rename the folder itself must reach the disk, or a power cut forgets the new name. */
static void sync_parent(const char *path)
{
    char *folder = pl_copy(path), *slash = strrchr(folder, '/');
    if (slash)
        *(slash == folder ? slash + 1 : slash) = '\0';
    int handle = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle >= 0) {
        fsync(handle);
        close(handle);
    }
    free(folder);
}

int pl_file_write_pieces(const char *path, const struct pl_piece *pieces, size_t piece_count, struct pl_error *err)
{
    struct pl_text name = {0};
    int status = 0;
    pl_text_addf(&name, "%s.XXXXXX", path);
    int file = mkostemp(name.text, O_CLOEXEC);
    if (file < 0) {
        status = pl_fail(err, PL_EIO, "cannot write %s: %s", path, strerror(errno));
        goto done;
    }
    fchmod(file, 0644);
    int wrote = 0;
    for (size_t i = 0; i < piece_count && !wrote; i++)
        wrote = write_all(file, pieces[i].bytes, pieces[i].count);
    if (!wrote)
        wrote = fsync(file);
    int problem = errno;
    if (close(file) && !wrote) {
        wrote = -1;
        problem = errno;
    }
    if (!wrote && rename(name.text, path)) {
        wrote = -1;
        problem = errno;
    }
    if (wrote) {
        unlink(name.text);
        status = pl_fail(err, PL_EIO, "cannot write %s: %s", path, strerror(problem));
    } else {
        sync_parent(path);
    }
done:
    pl_text_release(&name);
    return status;
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
    pl_text_addf(path, "%s/poula-XXXXXX", parent && *parent ? parent : "/tmp");
    return mkdtemp(path->text) ? 0 : pl_fail(err, PL_EIO, "cannot create a temporary folder %s: %s", path->text,
                                             strerror(errno));
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
}

void pl_digest(const void *bytes, size_t count, unsigned char digest[PL_DIGEST_SIZE])
{
    EVP_Digest(bytes, count, digest, NULL, EVP_sha256(), NULL);
}

int pl_digest_file(const char *path, unsigned char digest[PL_DIGEST_SIZE], struct pl_error *err)
{
    int status = 0;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return pl_fail(err, errno == ENOENT ? PL_EMISSING : PL_EIO, "cannot open %s: %s", path, strerror(errno));
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
