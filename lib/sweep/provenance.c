/* What runs are made with: this program and the machine it is on. */
#include "sweep/hosts.h"

#include <gnu/libc-version.h>
#include <jansson.h>

void pl_provenance_told(bool insist, struct pl_text *libraries)
{
    struct pl_text told = {0};
    if (!insist)
        pl_threads_given(&told);
    if (told.length)
        pl_text_addf(libraries, "; commands with %s", pl_text(&told));
    pl_text_release(&told);
}

void pl_sweep_provenance(struct pl_provenance *provenance, int jobs, int threads, bool insist, struct pl_pool *pool)
{
    struct pl_text libraries = {0};
    char text[300];
    *provenance = (struct pl_provenance){
        .version = pl_version(), .jobs = jobs, .threads = threads, .isa = pl_isa_name(pl_host_isa())};
    pl_host_name(text, sizeof text);
    provenance->host = pl_pool_copy(pool, text);
    pl_host_cpu(text, sizeof text);
    provenance->cpu = pl_pool_copy(pool, text);
#if defined(__clang__)
    provenance->compiler = "clang " __clang_version__;
#else
    provenance->compiler = "gcc " __VERSION__;
#endif
    pl_text_addf(&libraries, "glibc %s, jansson %s", gnu_get_libc_version(), jansson_version_str());
    pl_provenance_told(insist, &libraries);
    provenance->libraries = pl_pool_copy(pool, pl_text(&libraries));
    pl_text_release(&libraries);
}
