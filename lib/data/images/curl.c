#include "data/images/curl.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

int pl_curl_load(struct pl_curl *curl, struct pl_error *err)
{
    static const struct {
        const char *name;
        size_t place;
    } functions[] = {
        {"curl_easy_init", offsetof(struct pl_curl, init)},
        {"curl_easy_setopt", offsetof(struct pl_curl, set)},
        {"curl_easy_perform", offsetof(struct pl_curl, perform)},
        {"curl_easy_getinfo", offsetof(struct pl_curl, get)},
        {"curl_easy_cleanup", offsetof(struct pl_curl, cleanup)},
        {"curl_easy_strerror", offsetof(struct pl_curl, describe)},
    };
    void *library = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return pl_fail(err, PL_EIO, "fetching needs libcurl, which cannot be loaded: %s", dlerror());
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(library, functions[i].name);
        if (!function)
            return pl_fail(err, PL_EIO, "fetching needs libcurl, and the one that is installed has no %s",
                           functions[i].name);
        memcpy((char *)curl + functions[i].place, &function, sizeof function);
    }
    return 0;
}
