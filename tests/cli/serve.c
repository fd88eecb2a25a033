/* A web server for the tests of `poula data fetch`: one file, on the loopback interface, one connection at a time.
 *
 *   serve FILE PORTFILE LOG [cut=N] [cuts=N] [norange] [lie] [slow=MS] [status=N]
 *
 * Writes its port to PORTFILE once it listens, and to LOG a line per request: the first byte asked for, or "all".
 *   cut=N      closes each connection behind N bytes of the body, cuts=N: only the first N connections
 *   norange    ignores Range
 *   slow=MS    waits so long before each tenth of the file
 *   lie        begins ten bytes behind the one that was asked for, and says so
 *   status=N   answers N and a page that says so
 * /moved is answered with the place of the file */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct options {
    long cut, cuts, status, slow;
    bool norange, lie;
};

static char *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        exit(1);
    *size = (size_t)ftell(file);
    char *bytes = malloc(*size + 1);
    rewind(file);
    if (!bytes || fread(bytes, 1, *size, file) != *size)
        exit(1);
    fclose(file);
    return bytes;
}

static void send_all(int client, const char *bytes, size_t count)
{
    while (count) {
        ssize_t n = send(client, bytes, count, MSG_NOSIGNAL);
        if (n <= 0)
            return;
        bytes += n;
        count -= (size_t)n;
    }
}

/* Reads the head of a request, to its empty line. */
static bool read_request(int client, char *request, size_t size)
{
    size_t length = 0;
    while (length < size - 1) {
        ssize_t n = recv(client, request + length, size - 1 - length, 0);
        if (n <= 0)
            return false;
        length += (size_t)n;
        request[length] = '\0';
        if (strstr(request, "\r\n\r\n"))
            return true;
    }
    return false;
}

static void answer_status(int client, long status)
{
    char head[200];
    snprintf(head, sizeof head, "HTTP/1.1 %ld Because\r\nContent-Length: 12\r\nConnection: close\r\n\r\nsorry, %4ld\n",
             status, status);
    send_all(client, head, strlen(head));
}

static void answer(int client, const char *request, const char *bytes, size_t size, struct options *o, FILE *log)
{
    const char *range = strstr(request, "Range: bytes=");
    size_t from = range ? strtoul(range + 13, NULL, 10) : 0;
    char head[300];
    if (range)
        fprintf(log, "%zu\n", from);
    else
        fprintf(log, "all\n");
    fflush(log);
    if (o->status) {
        answer_status(client, o->status);
        return;
    }
    if (!strncmp(request, "GET /moved", 10)) {
        const char *moved = "HTTP/1.1 302 Found\r\nLocation: /file\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        send_all(client, moved, strlen(moved));
        return;
    }
    if (range && !o->norange && from >= size) {
        answer_status(client, 416);
        return;
    }
    if (o->norange || !range) {
        from = 0;
        snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n", size);
    } else {
        from += o->lie ? 10 : 0;
        snprintf(head, sizeof head,
                 "HTTP/1.1 206 Partial Content\r\nContent-Length: %zu\r\nContent-Range: bytes %zu-%zu/%zu\r\n"
                 "Connection: close\r\n\r\n",
                 size - from, from, size - 1, size);
    }
    size_t count = size - from;
    if (o->cut >= 0 && o->cuts && count > (size_t)o->cut) {
        count = (size_t)o->cut;
        o->cuts--;
    }
    send_all(client, head, strlen(head));
    for (size_t part = o->slow ? size / 10 + 1 : count, sent = 0; sent < count; sent += part) {
        usleep((useconds_t)o->slow * 1000);
        part = part < count - sent ? part : count - sent;
        send_all(client, bytes + from + sent, part);
    }
}

static int listen_anywhere(const char *port_file)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int server = socket(AF_INET, SOCK_STREAM, 0);
    if (server < 0 || bind(server, (struct sockaddr *)&address, sizeof address) || listen(server, 8) ||
        getsockname(server, (struct sockaddr *)&address, &length))
        exit(1);
    FILE *file = fopen(port_file, "w");
    if (!file)
        exit(1);
    fprintf(file, "%d\n", ntohs(address.sin_port));
    fclose(file);
    return server;
}

int main(int argc, char **argv)
{
    struct options options = {.cut = -1, .cuts = 1000};
    size_t size;
    if (argc < 4)
        return 2;
    for (int i = 4; i < argc; i++) {
        if (!strncmp(argv[i], "cut=", 4))
            options.cut = atol(argv[i] + 4);
        else if (!strncmp(argv[i], "cuts=", 5))
            options.cuts = atol(argv[i] + 5);
        else if (!strncmp(argv[i], "status=", 7))
            options.status = atol(argv[i] + 7);
        else if (!strncmp(argv[i], "slow=", 5))
            options.slow = atol(argv[i] + 5);
        else if (!strcmp(argv[i], "lie"))
            options.lie = true;
        else if (!strcmp(argv[i], "norange"))
            options.norange = true;
        else
            return 2;
    }
    alarm(200); /* never outlives a test that forgot it */
    char *bytes = read_all(argv[1], &size), request[8192];
    FILE *log = fopen(argv[3], "w");
    int server = listen_anywhere(argv[2]);
    for (;;) {
        int client = accept(server, NULL, NULL);
        if (client < 0 || !log)
            return 1;
        if (read_request(client, request, sizeof request))
            answer(client, request, bytes, size, &options, log);
        shutdown(client, SHUT_WR);
        close(client);
    }
}
