/* The server: who may ask, and what is never answered. */
#include "page_priv.h"

#include <microhttpd.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>

enum { PLACES = 4, FOR_PAGES = 2, TOKEN_BYTES = 16, TOKEN_SIZE = 2 * TOKEN_BYTES + 1, MOST_FIELDS = 64 };

struct pl_serve {
    struct MHD_Daemon *daemon;
    char *db;
    struct pl_store *stores[PLACES]; /* each used by one request at a time; NULL: it could not be opened */
    bool taken[PLACES];
    struct pl_store *watch; /* whose data version tells that somebody wrote */
    int64_t seen, version;  /* version counts how often it was another one */
    pthread_mutex_t lock;
    pthread_cond_t freed;
    char token[TOKEN_SIZE], host[256];
    bool local;
    int port;
    struct pl_text address;
};

/* ---- who may ask ---- */

/* Takes as long whatever of it is right. */
static bool is_token(const struct pl_serve *serve, const char *given, size_t length)
{
    volatile unsigned char differs = length != TOKEN_SIZE - 1;
    for (size_t i = 0; i < TOKEN_SIZE - 1; i++)
        differs |= (unsigned char)(serve->token[i] ^ given[length ? i % length : 0]);
    return !differs;
}

/* A page of a foreign name that resolves to this machine (rebinding) may not ask: only numbers, localhost and the
 * machine's own name, with any port (of a tunnel). */
static bool is_own_host(const struct pl_serve *serve, const char *given)
{
    char name[256];
    unsigned char address[sizeof(struct in6_addr)];
    if (!given || strlen(given) >= sizeof name)
        return false;
    bool six = *given == '[';
    size_t length = six ? strcspn(given + 1, "]") : strcspn(given, ":");
    memcpy(name, given + six, length);
    name[length] = '\0';
    const char *rest = given + six + length + (six && given[1 + length] == ']');
    if (*rest && (*rest != ':' || rest[1 + strspn(rest + 1, "0123456789")]))
        return false;
    if (inet_pton(six ? AF_INET6 : AF_INET, name, address) == 1 || !strcasecmp(name, "localhost"))
        return true;
    size_t own = strlen(serve->host);
    return !serve->local && own && !strncasecmp(name, serve->host, own) && (!name[own] || name[own] == '.');
}

/* ---- stores ---- */

/* What stands under the database's name now: it may have been replaced, deleted or made again. NULL: err says why. */
static struct pl_store *renew(const struct pl_serve *serve, struct pl_store **store, struct pl_error *err)
{
    if (*store && !pl_store_is_stale(*store))
        return *store;
    pl_store_close(*store);
    *store = NULL;
    pl_store_open(store, serve->db, PL_STORE_READ, err);
    return *store;
}

/* Queries of users, which may take seconds, leave some places to pages. */
static size_t take_place(struct pl_serve *serve, bool query)
{
    size_t i = 0;
    pthread_mutex_lock(&serve->lock);
    for (;;) {
        for (i = query ? FOR_PAGES : 0; i < PLACES && serve->taken[i]; i++)
            ;
        if (i < PLACES)
            break;
        pthread_cond_wait(&serve->freed, &serve->lock);
    }
    serve->taken[i] = true;
    pthread_mutex_unlock(&serve->lock);
    return i;
}

static void give_place(struct pl_serve *serve, size_t place)
{
    pthread_mutex_lock(&serve->lock);
    serve->taken[place] = false;
    pthread_cond_broadcast(&serve->freed);
    pthread_mutex_unlock(&serve->lock);
}

static int64_t look_at_version(struct pl_serve *serve)
{
    struct pl_error err;
    int64_t now = 0;
    pthread_mutex_lock(&serve->lock);
    bool was = serve->watch != NULL, stale = !was || pl_store_is_stale(serve->watch);
    bool there = renew(serve, &serve->watch, &err) && !pl_store_data_version(serve->watch, &now, &err);
    if (stale ? was || there : there && now != serve->seen)
        serve->version++;
    if (there)
        serve->seen = now;
    now = serve->version;
    pthread_mutex_unlock(&serve->lock);
    return now;
}

/* ---- answers ---- */

static enum MHD_Result send_text(struct MHD_Connection *connection, unsigned code, const char *type,
                                 struct pl_text *body)
{
    static const char *const headers[][2] = {
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
         "img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"},
        {"Referrer-Policy", "no-referrer"}, /* the address holds the token */
        {"X-Content-Type-Options", "nosniff"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"X-Frame-Options", "DENY"},
        {"Cache-Control", "no-store"}};
    size_t length = body->length;
    struct MHD_Response *response = MHD_create_response_from_buffer(length, pl_text_take(body), MHD_RESPMEM_MUST_FREE);
    if (!response)
        return MHD_NO;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
    MHD_add_response_header(response, "Content-Type", type);
    if (code == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, "Allow", "GET, HEAD");
    enum MHD_Result result = MHD_queue_response(connection, code, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned code, const char *why)
{
    struct pl_text body = {0};
    pl_text_addf(&body, "%s\n", why);
    return send_text(connection, code, "text/plain; charset=utf-8", &body);
}

/* Without its last character the address has its token, but addresses in pages would not begin behind it. */
static enum MHD_Result send_to_address(const struct pl_serve *serve, struct MHD_Connection *connection)
{
    char path[TOKEN_SIZE + 2];
    struct MHD_Response *response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    if (!response)
        return MHD_NO;
    snprintf(path, sizeof path, "/%s/", serve->token);
    MHD_add_response_header(response, "Location", path);
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "Cache-Control", "no-store");
    enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_FOUND, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result take_field(void *self, enum MHD_ValueKind kind, const char *name, const char *value)
{
    struct pl_visit *visit = self;
    (void)kind;
    if (visit->count == MOST_FIELDS)
        return MHD_NO;
    visit->names[visit->count] = pl_copy(name);
    visit->values[visit->count++] = pl_copy(value ? value : "");
    return MHD_YES;
}

static enum MHD_Result answer_visit(struct pl_serve *serve, struct MHD_Connection *connection, const char *path)
{
    char *names[MOST_FIELDS], *values[MOST_FIELDS];
    struct pl_visit visit = {.db = serve->db, .path = path, .names = names, .values = values};
    struct pl_text body = {0};
    struct pl_error err = {0};
    MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, take_field, &visit);
    visit.part = pl_visit_get(&visit, "part") != NULL;
    visit.version = look_at_version(serve);
    size_t place = take_place(serve, !strcmp(path, "sql"));
    visit.store = renew(serve, &serve->stores[place], &err);
    visit.trouble = visit.store ? NULL : err.text;
    pl_visit_answer(&visit, &body);
    bool idle = !visit.store || pl_store_is_idle(visit.store);
    give_place(serve, place);
    for (size_t i = 0; i < visit.count; i++) {
        free(names[i]);
        free(values[i]);
    }
    if (!idle) { /* a mistake of this program, and not to be lived with: it would keep the file from shrinking */
        pl_text_release(&body);
        return refuse(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "The answer left a statement open.");
    }
    return send_text(connection, visit.found ? MHD_HTTP_OK : MHD_HTTP_NOT_FOUND, visit.type, &body);
}

static enum MHD_Result answer(void *self, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **state)
{
    static int begun;
    struct pl_serve *serve = self;
    (void)version, (void)upload;
    if (!is_own_host(serve, MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host")))
        return refuse(connection, MHD_HTTP_FORBIDDEN, "This name is not one of this machine.");
    if (strcmp(method, "GET") && strcmp(method, "HEAD"))
        return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET and HEAD are answered.");
    if (!*state) { /* the headers; the body, if there is one, is not read */
        *state = &begun;
        return MHD_YES;
    }
    *upload_size = 0;
    size_t length = *url == '/' ? strcspn(url + 1, "/") : 0;
    if (length && is_token(serve, url + 1, length) && !url[1 + length])
        return send_to_address(serve, connection);
    if (!length || !is_token(serve, url + 1, length) || url[1 + length] != '/')
        return refuse(connection, MHD_HTTP_FORBIDDEN,
                      "The address needs its token: take the whole address that poula serve has printed.");
    return answer_visit(serve, connection, url + length + 2);
}

/* ---- to begin and to end ---- */

static int make_token(struct pl_serve *serve, struct pl_error *err)
{
    unsigned char random[TOKEN_BYTES];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return pl_fail(err, PL_EIO, "there are no random bytes for a token: %s", strerror(errno));
    pl_digest_hex(random, sizeof random, serve->token);
    return 0;
}

static int open_stores(struct pl_serve *serve, const char *db, struct pl_error *err)
{
    serve->db = pl_copy(db);
    int status = pl_store_open(&serve->watch, db, PL_STORE_READ, err);
    for (size_t i = 0; i < PLACES && !status; i++)
        status = pl_store_open(&serve->stores[i], db, PL_STORE_READ, err);
    if (!status)
        status = pl_store_data_version(serve->watch, &serve->seen, err);
    return status;
}

static void be_silent(void *self, const char *format, va_list args)
{
    (void)self, (void)format, (void)args;
}

/* Connections that say nothing keep their places for so long, and others out when all are taken. */
enum { CONNECTIONS = 400, SILENCE = 15 /* seconds */ };

/* Listens at a port; MHD leaves the reason of a failure in errno. */
static bool begin(struct pl_serve *serve, struct addrinfo *where, int port)
{
    if (where->ai_family == AF_INET6)
        ((struct sockaddr_in6 *)(void *)where->ai_addr)->sin6_port = htons((uint16_t)port);
    else
        ((struct sockaddr_in *)(void *)where->ai_addr)->sin_port = htons((uint16_t)port);
    unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL |
                     MHD_USE_ERROR_LOG | MHD_USE_ITC | (where->ai_family == AF_INET6 ? MHD_USE_IPv6 : 0U);
    errno = 0;
    serve->daemon = MHD_start_daemon(flags, 0, NULL, NULL, answer, serve, MHD_OPTION_EXTERNAL_LOGGER, be_silent, NULL,
                                     MHD_OPTION_SOCK_ADDR, where->ai_addr, MHD_OPTION_CONNECTION_LIMIT,
                                     (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENCE,
                                     MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)256 * 1024, MHD_OPTION_END);
    return serve->daemon != NULL;
}

static void find_port(struct pl_serve *serve)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(serve->daemon, MHD_DAEMON_INFO_BIND_PORT);
    serve->port = info ? info->port : 0;
}

static bool is_loopback(const struct addrinfo *where)
{
    if (where->ai_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)where->ai_addr)->sin6_addr);
    return ntohl(((const struct sockaddr_in *)(const void *)where->ai_addr)->sin_addr.s_addr) >> 24 == 127;
}

static bool is_any(const struct addrinfo *where)
{
    if (where->ai_family == AF_INET6)
        return IN6_IS_ADDR_UNSPECIFIED(&((const struct sockaddr_in6 *)(const void *)where->ai_addr)->sin6_addr);
    return ((const struct sockaddr_in *)(const void *)where->ai_addr)->sin_addr.s_addr == htonl(INADDR_ANY);
}

static int listen_at(struct pl_serve *serve, const struct pl_serve_options *options, struct pl_error *err)
{
    const char *given = options->listen ? options->listen : "127.0.0.1";
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_PASSIVE}, *where = NULL;
    if (getaddrinfo(given, "0", &hints, &where))
        return pl_fail(err, PL_EINPUT, "\"%s\" is no address: it must be numbers, like 127.0.0.1 or ::1", given);
    bool begun = begin(serve, where, options->port ? options->port : PL_SERVE_PORT);
    if (!begun && !options->port)
        begun = begin(serve, where, 0);
    int problem = errno, status = 0;
    if (begun) {
        find_port(serve);
        serve->local = is_loopback(where);
        const char *name = is_any(where) ? serve->host : given;
        pl_text_addf(&serve->address, strchr(name, ':') ? "http://[%s]:%d/%s/" : "http://%s:%d/%s/", name, serve->port,
                     serve->token);
    } else {
        status = pl_fail(err, PL_EIO, "cannot listen at %s, port %d: %s", given, options->port,
                         problem ? strerror(problem) : "the server did not start");
    }
    freeaddrinfo(where);
    return status;
}

int pl_serve_start(struct pl_serve **serve, const struct pl_serve_options *options, struct pl_error *err)
{
    struct pl_serve *made = pl_new(sizeof *made);
    *serve = NULL;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->freed, NULL);
    pl_host_name(made->host, sizeof made->host);
    int status = make_token(made, err);
    if (!status)
        status = open_stores(made, options->db, err);
    if (!status)
        status = listen_at(made, options, err);
    if (status)
        pl_serve_stop(made);
    else
        *serve = made;
    return status;
}

const char *pl_serve_address(const struct pl_serve *serve)
{
    return pl_text(&serve->address);
}

bool pl_serve_is_local(const struct pl_serve *serve)
{
    return serve->local;
}

int pl_serve_port(const struct pl_serve *serve)
{
    return serve->port;
}

void pl_serve_stop(struct pl_serve *serve)
{
    if (!serve)
        return;
    if (serve->daemon)
        MHD_stop_daemon(serve->daemon);
    for (size_t i = 0; i < PLACES; i++)
        pl_store_close(serve->stores[i]);
    pl_store_close(serve->watch);
    pthread_mutex_destroy(&serve->lock);
    pthread_cond_destroy(&serve->freed);
    pl_text_release(&serve->address);
    free(serve->db);
    free(serve);
}
