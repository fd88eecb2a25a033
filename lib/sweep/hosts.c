#include "sweep/hosts.h"

#include <string.h>

static bool same_host(const struct pl_provenance *a, const struct pl_provenance *b)
{
    return !strcmp(a->host, b->host) && !strcmp(a->cpu, b->cpu) && !strcmp(a->isa, b->isa) &&
           !strcmp(a->version, b->version) && !strcmp(a->compiler, b->compiler) && !strcmp(a->libraries, b->libraries);
}

static struct pl_worker_host *find(struct pl_hosts *hosts, const struct pl_provenance *worker)
{
    struct pl_worker_host *host = hosts->first;
    if (same_host(worker, &hosts->self))
        return NULL;
    while (host && !same_host(worker, &host->what))
        host = host->next;
    if (host)
        return host;
    struct pl_pool *texts = &hosts->texts;
    host = pl_pool_take(texts, sizeof *host);
    *host = (struct pl_worker_host){.next = hosts->first,
                                    .what = {.host = pl_pool_copy(texts, worker->host),
                                             .cpu = pl_pool_copy(texts, worker->cpu),
                                             .isa = pl_pool_copy(texts, worker->isa),
                                             .version = pl_pool_copy(texts, worker->version),
                                             .compiler = pl_pool_copy(texts, worker->compiler),
                                             .libraries = pl_pool_copy(texts, worker->libraries)}};
    hosts->first = host;
    return host;
}

struct pl_worker_host *pl_hosts_find(struct pl_hosts *hosts, const struct pl_provenance *worker, bool insist)
{
    struct pl_provenance its = *worker;
    struct pl_text libraries = {0};
    pl_text_add(&libraries, worker->libraries);
    pl_provenance_told(insist, &libraries);
    its.libraries = pl_text(&libraries);
    struct pl_worker_host *host = find(hosts, &its);
    pl_text_release(&libraries);
    return host;
}

void pl_hosts_release(struct pl_hosts *hosts)
{
    pl_pool_release(&hosts->texts);
}
