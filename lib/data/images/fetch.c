/* Downloading a published archive (libcurl). */
#include "data/images/curl.h"
#include "data/images/images_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    TRIES_MOST = 10,    /* connections */
    FRUITLESS_MOST = 5, /* of them in a row that came no further than one before */
};
static const uint64_t size_most = (uint64_t)16 << 30; /* of a file whose length no server says */
static const double patience = 120; /* seconds that another process may fetch the file without coming further */

struct download {
    const struct pl_fetch *fetch;
    struct pl_curl curl;
    const char *url, *sha256, *part;
    int file;
    bool locked;
    bool whole, came;     /* this server does not continue files; something came from it */
    uint64_t furthest;    /* bytes that a connection ever came to */
    uint64_t start, size; /* bytes of the part before and during this connection */
    int disk_error;       /* errno of writing; 0: none */
    char text[CURL_ERROR_SIZE];
};

static size_t take_bytes(char *bytes, size_t one, size_t count, void *self)
{
    struct download *d = self;
    if (d->size + count > size_most) {
        d->disk_error = EFBIG;
        return 0;
    }
    for (size_t done = 0; done < count;) {
        ssize_t n = write(d->file, bytes + done, count - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            d->disk_error = errno;
            return 0;
        }
        done += (size_t)n;
        d->size += (uint64_t)n;
    }
    return one * count;
}

static int show_progress(void *self, curl_off_t total, curl_off_t now, curl_off_t up_total, curl_off_t up)
{
    struct download *d = self;
    (void)now, (void)up_total, (void)up;
    if (d->fetch->progress)
        d->fetch->progress(d->fetch->self, d->size, total > 0 ? d->start + (uint64_t)total : 0);
    return 0;
}

static int rewind_part(struct download *d, uint64_t size, struct pl_error *err)
{
    if (ftruncate(d->file, (off_t)size) || lseek(d->file, (off_t)size, SEEK_SET) < 0)
        return pl_fail(err, PL_EIO, "cannot write %s: %s", d->part, strerror(errno));
    d->start = d->size = size;
    return 0;
}

/* One connection, from the end of the part on. */
static CURLcode connect_once(struct download *d, long *answer)
{
    const struct pl_curl *c = &d->curl;
    CURL *curl = c->init();
    *answer = 0;
    if (!curl)
        return CURLE_OUT_OF_MEMORY;
    d->start = d->size;
    d->text[0] = '\0';
    c->set(curl, CURLOPT_URL, d->url);
    c->set(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    c->set(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    c->set(curl, CURLOPT_FOLLOWLOCATION, 1L);
    c->set(curl, CURLOPT_MAXREDIRS, 10L);
    c->set(curl, CURLOPT_FAILONERROR, 1L);
    c->set(curl, CURLOPT_NOSIGNAL, 1L);
    c->set(curl, CURLOPT_CONNECTTIMEOUT, 30L);
    c->set(curl, CURLOPT_LOW_SPEED_LIMIT, 200L);
    c->set(curl, CURLOPT_LOW_SPEED_TIME, 30L);
    c->set(curl, CURLOPT_USERAGENT, "poula/" PL_VERSION);
    c->set(curl, CURLOPT_RESUME_FROM_LARGE, (curl_off_t)d->size);
    c->set(curl, CURLOPT_WRITEFUNCTION, take_bytes);
    c->set(curl, CURLOPT_WRITEDATA, d);
    c->set(curl, CURLOPT_NOPROGRESS, 0L);
    c->set(curl, CURLOPT_XFERINFOFUNCTION, show_progress);
    c->set(curl, CURLOPT_XFERINFODATA, d);
    c->set(curl, CURLOPT_ERRORBUFFER, d->text);
    CURLcode code = c->perform(curl);
    c->get(curl, CURLINFO_RESPONSE_CODE, answer);
    c->cleanup(curl);
    return code;
}

/* May the next connection bring more? Once something has come, a server that is restarting may come back. */
static bool is_passing(const struct download *d, CURLcode code, long answer)
{
    bool refused = code == CURLE_COULDNT_CONNECT || (code == CURLE_HTTP_RETURNED_ERROR && answer >= 500);
    return code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR || code == CURLE_OPERATION_TIMEDOUT ||
           code == CURLE_GOT_NOTHING || code == CURLE_SEND_ERROR || (refused && d->came);
}

static int fail_download(const struct download *d, CURLcode code, long answer, struct pl_error *err)
{
    const char *text = *d->text ? d->text : d->curl.describe(code);
    if (d->disk_error)
        return pl_fail(err, PL_EIO, "cannot write %s: %s", d->part, strerror(d->disk_error));
    if (code == CURLE_HTTP_RETURNED_ERROR)
        return pl_fail(err, PL_EIO, "cannot fetch %s: the server answers %ld", d->url, answer);
    if (d->size)
        return pl_fail(err, PL_EIO,
                       "cannot fetch %s: %s; %s keeps the %llu bytes that came, and the same command goes on "
                       "from there",
                       d->url, text, d->part, (unsigned long long)d->size);
    return pl_fail(err, PL_EIO, "cannot fetch %s: %s", d->url, text);
}

/* Short after a connection that brought something, and twice as long after every one that did not. */
static void pause_after(int fruitless)
{
    double seconds = fruitless ? 0.25 * (1 << fruitless) : 0.1;
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&time, &time) && errno == EINTR)
        ;
}

/* Connects until the file is complete, but not for ever. A server that will not continue a file is asked for all of it.
 */
static int download(struct download *d, struct pl_error *err)
{
    int fruitless = 0;
    d->furthest = d->size;
    for (int tries = 1;; tries++) {
        long answer;
        int status = d->whole && d->size ? rewind_part(d, 0, err) : 0;
        if (status)
            return status;
        CURLcode code = connect_once(d, &answer);
        if (code == CURLE_OK)
            return 0;
        if (code == CURLE_HTTP_RETURNED_ERROR && answer == 416 && d->start)
            return 0; /* nothing lies behind what is there: the checksum will say whether it is all */
        bool refused = code == CURLE_RANGE_ERROR && d->start;
        fruitless = d->size > d->furthest || (refused && !d->whole) ? 0 : fruitless + 1;
        d->furthest = d->size > d->furthest ? d->size : d->furthest;
        d->came |= d->size > d->start;
        d->whole |= refused;
        if (d->disk_error || !(refused || is_passing(d, code, answer)) || tries == TRIES_MOST ||
            fruitless == FRUITLESS_MOST || (!d->came && !refused))
            return fail_download(d, code, answer, err);
        pause_after(fruitless);
    }
}

/* ---- the file */

static int check_digest(const char *path, const char *sha256, char hex[2 * PL_DIGEST_SIZE + 1], bool *right,
                        struct pl_error *err)
{
    unsigned char digest[PL_DIGEST_SIZE];
    int status = pl_digest_file(path, digest, err);
    if (status)
        return status;
    pl_digest_hex(digest, sizeof digest, hex);
    *right = !strcasecmp(hex, sha256);
    return 0;
}

/* A part may be the beginning of some other file: when the whole is wrong, it is fetched once more from its start. */
static int download_checked(struct download *d, struct pl_error *err)
{
    char hex[2 * PL_DIGEST_SIZE + 1];
    bool right = false, continued = d->size > 0;
    int status = download(d, err);
    if (!status)
        status = check_digest(d->part, d->sha256, hex, &right, err);
    if (!status && !right && continued) {
        status = rewind_part(d, 0, err);
        if (!status)
            status = download(d, err);
        if (!status)
            status = check_digest(d->part, d->sha256, hex, &right, err);
    }
    if (!status && !right) {
        unlink(d->part);
        status = pl_fail(err, PL_ECORRUPT,
                         "%s is not the expected file: its %llu bytes have the SHA-256 %s, but it must be "
                         "%s; nothing was kept",
                         d->url, (unsigned long long)d->size, hex, d->sha256);
    }
    return status;
}

/* Is the file there already? 1: the right one. */
static int look(const char *path, const char *sha256, struct pl_error *err)
{
    char hex[2 * PL_DIGEST_SIZE + 1];
    bool right;
    if (!pl_file_exists(path))
        return 0;
    int status = check_digest(path, sha256, hex, &right, err);
    if (status || right)
        return status ? status : 1;
    return pl_fail(err, PL_EINPUT,
                   "%s is there already, but is another file: its SHA-256 is %s, and that of the one to fetch "
                   "%s; move it away to fetch",
                   path, hex, sha256);
}

/* Waits while another process that fetches the same file comes further. */
static int wait_for_lock(struct download *d, struct pl_error *err)
{
    double limit = patience, since = pl_clock_steady(), given;
    const char *wish = getenv("POULA_PATIENCE");
    off_t size = -1;
    if (wish && pl_number_read(wish, &given) && given >= 0)
        limit = given;
    while (flock(d->file, LOCK_EX | LOCK_NB)) {
        struct stat info;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return pl_fail(err, PL_EIO, "cannot lock %s: %s", d->part, strerror(errno));
        if (!fstat(d->file, &info) && info.st_size != size) {
            size = info.st_size;
            since = pl_clock_steady();
        }
        if (pl_clock_steady() - since > limit)
            return pl_fail(err, PL_EIO, "another process is fetching %s, and has come no further for %g s", d->part,
                           limit);
        if (d->fetch->progress)
            d->fetch->progress(d->fetch->self, (uint64_t)(size > 0 ? size : 0), 0);
        nanosleep(&(struct timespec){0, 100000000}, NULL);
    }
    d->locked = true;
    return 0;
}

static void close_part(struct download *d)
{
    if (d->file >= 0)
        close(d->file);
    d->file = -1;
    d->locked = false;
}

/* Opens the part and locks it. Returns 1 when another process has fetched the file meanwhile. */
static int open_part(struct download *d, const char *path, struct pl_error *err)
{
    for (;;) {
        struct stat info, named;
        d->file = open(d->part, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
        if (d->file < 0)
            return pl_fail(err, PL_EIO, "cannot write %s: %s", d->part, strerror(errno));
        int status = wait_for_lock(d, err);
        if (!status)
            status = look(path, d->sha256, err);
        if (status) {
            /* Our own empty part, made after the other one had been renamed. */
            if (d->locked && !fstat(d->file, &info) && !info.st_size && !stat(d->part, &named) &&
                info.st_ino == named.st_ino)
                unlink(d->part);
            return status;
        }
        if (!fstat(d->file, &info) && !stat(d->part, &named) && info.st_ino == named.st_ino)
            return rewind_part(d, (uint64_t)info.st_size, err);
        close_part(d); /* the lock was of a file that has another name by now, or none */
    }
}

static int finish_part(const struct download *d, const char *path, struct pl_error *err)
{
    if (fsync(d->file) || rename(d->part, path))
        return pl_fail(err, PL_EIO, "cannot write %s: %s", path, strerror(errno));
    return 0;
}

int pl_data_fetch(const char *name, const char *folder, const struct pl_fetch *fetch, struct pl_error *err)
{
    const struct pl_dataset_type *type = pl_dataset_type_find(name);
    struct pl_text path = {0}, part = {0};
    if (!type)
        return pl_fail(err, PL_EINPUT, "there is no dataset %.100s to fetch", name);
    if (!type->origin)
        return pl_fail(err, PL_EINPUT, "%s is not published anywhere: there is nothing to fetch", name);
    pl_text_addf(&path, "%s/%s", folder, type->origin->file);
    pl_text_addf(&part, "%s.part", pl_text(&path));
    struct download d = {.fetch = fetch,
                         .url = fetch->url ? fetch->url : type->origin->url,
                         .part = pl_text(&part),
                         .sha256 = fetch->sha256 ? fetch->sha256 : type->origin->sha256,
                         .file = -1};
    int status = look(pl_text(&path), d.sha256, err);
    if (status)
        goto done;
    status = pl_curl_load(&d.curl, err);
    if (!status)
        status = pl_folder_make(folder, err);
    if (!status)
        status = open_part(&d, pl_text(&path), err);
    if (!status)
        status = download_checked(&d, err);
    if (!status)
        status = finish_part(&d, pl_text(&path), err);
    if (status < 0 && d.locked && !d.size)
        unlink(d.part); /* under the lock: it is nobody else's */
done:
    close_part(&d);
    pl_text_release(&path);
    pl_text_release(&part);
    return status;
}
