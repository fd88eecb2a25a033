/* Cache files of images and of texts: HEADER, a zero byte, and the body. Lengths and digest are made right first, for
 * without them nothing of it is looked at. */
#include "fuzz.h"
#include "data/images/images_priv.h"
#include "data/text/corpus_priv.h"

#include <stdlib.h>
#include <string.h>

static const char magics[2][16] = {"poula-images 1\n", "poula-tokens 1\n"};

static void write_block(const char *path, const char *magic, const uint8_t *data, size_t size)
{
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    size_t header = zero ? (size_t)(zero - data) : size, body = zero ? size - header - 1 : 0;
    struct pl_text text = {0};
    unsigned char digest[PL_DIGEST_SIZE];
    uint64_t lengths[2] = {header, pl_block_body(header) + body};
    pl_digest(data, header, digest);
    pl_text_add_bytes(&text, magic, 16);
    pl_text_add_bytes(&text, (char *)lengths, sizeof lengths);
    pl_text_add_bytes(&text, (char *)digest, sizeof digest);
    pl_text_add_bytes(&text, (const char *)data, header);
    while (text.length < pl_block_body(header))
        pl_text_add_char(&text, '\0');
    if (body)
        pl_text_add_bytes(&text, (const char *)zero + 1, body);
    fuzz_file(path, text.text, text.length);
    pl_text_release(&text);
}

static void open_images(const char *path)
{
    struct pl_dataset set = {.type = &pl_dataset_folder};
    struct pl_settings header = {0};
    struct pl_error err = {0};
    int status = pl_cache_open(&set, path, &header, &err);
    fuzz_must_say(status, &err);
    if (!status) {
        uint64_t sum = 0;
        for (int which = 0; which < 2; which++)
            for (size_t i = 0; i < set.stored[which].count; i++) {
                MUST(set.stored[which].labels[i] < set.classes);
                sum += set.stored[which].images[i * pl_image_bytes(set.shape)];
                sum += set.stored[which].images[(i + 1) * pl_image_bytes(set.shape) - 1];
            }
        for (int i = 0; i < set.classes; i++)
            sum += strlen(set.class_names[i]);
        pl_dataset_checksum(&set, set.checksum);
        MUST(sum != 1 || sum);
    }
    pl_dataset_forget(&set);
    pl_settings_release(&header);
}

static void open_text(const char *path)
{
    struct pl_corpus corpus = {0};
    struct pl_settings header = {0};
    struct pl_error err = {0};
    int status = pl_corpus_cache_open(&corpus, path, &header, &err);
    fuzz_must_say(status, &err);
    if (!status) {
        for (int i = 0; i < PL_SPLIT_COUNT; i++)
            for (size_t k = 0; k < corpus.sizes[i]; k++)
                MUST(corpus.tokens[i][k] >= 0 && (size_t)corpus.tokens[i][k] < corpus.vocabulary);
        pl_corpus_forget(&corpus);
    }
    pl_settings_release(&header);
}

/* The whole way: an imported set of that name, split, and a batch of it. */
static void open_set(void)
{
    struct pl_dataset *set = NULL;
    struct pl_settings settings = {0};
    struct pl_error err = {0};
    pl_settings_set_string(&settings, "dataset", "folder");
    pl_settings_set_string(&settings, "images", "set");
    pl_settings_set_integer(&settings, "valid", 1);
    int status = pl_data_open(&set, &settings, fuzz_folder(), &err);
    fuzz_must_say(status, &err);
    if (!status && pl_data_size(set, PL_SPLIT_TRAIN) && pl_data_size(set, PL_SPLIT_TRAIN) < 100) {
        struct pl_image_shape shape = pl_data_shape(set);
        struct pl_random augment = pl_random_stream(1, PL_STREAM_AUGMENT);
        float *images = malloc(pl_image_bytes(shape) * sizeof *images);
        int32_t label;
        uint32_t first = 0;
        pl_data_batch(set, PL_SPLIT_TRAIN, &first, 1, &augment, 1, images, &label);
        free(images);
    }
    pl_data_close(set);
    pl_settings_release(&settings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, size};
    bool text = fuzz_take(&bytes, 1) & 1;
    if (text) {
        write_block("c.tokens", magics[1], bytes.at, bytes.left);
        open_text(fuzz_path("c.tokens"));
    } else {
        write_block("set.images", magics[0], bytes.at, bytes.left);
        open_images(fuzz_path("set.images"));
        open_set();
    }
    /* As it is: nearly always refused. */
    const char *path = fuzz_file("raw", data, size);
    if (text)
        open_text(path);
    else
        open_images(path);
    return 0;
}
