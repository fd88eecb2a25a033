/* The few functions of libcurl that fetching needs, loaded when something is fetched: linking it would make every start
 * of the program load thirty libraries, which takes longer than `poula --help` may. */
#ifndef PL_DATA_CURL_H
#define PL_DATA_CURL_H

#include "base/base.h"

#include <curl/curl.h>

struct pl_curl {
    CURL *(*init)(void);
    CURLcode (*set)(CURL *, CURLoption, ...);
    CURLcode (*perform)(CURL *);
    CURLcode (*get)(CURL *, CURLINFO, ...);
    void (*cleanup)(CURL *);
    const char *(*describe)(CURLcode);
};

/* The names are those of curl_easy_NAME: set is setopt, get is getinfo, describe is strerror. PL_EIO when the library
 * is not there. It stays loaded until the program ends. */
int pl_curl_load(struct pl_curl *curl, struct pl_error *err);

#endif
