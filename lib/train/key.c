#include "train/train_priv.h"

void pl_run_key(const char *canonical_settings, int64_t seed, unsigned char key[PL_DIGEST_SIZE])
{
    struct pl_text text = {0};
    pl_text_addf(&text, "%s\nseed=%lld\n", canonical_settings, (long long)seed);
    pl_digest(text.text, text.length, key);
    pl_text_release(&text);
}

const char *pl_request_key(const struct pl_run_request *request, char hex[2 * PL_DIGEST_SIZE + 1])
{
    if (request->key)
        return request->key;
    struct pl_text text = {0};
    unsigned char key[PL_DIGEST_SIZE];
    pl_settings_write(request->given ? request->given : request->settings, &text);
    pl_run_key(pl_text(&text), request->seed, key);
    pl_digest_hex(key, sizeof key, hex);
    pl_text_release(&text);
    return hex;
}
