/* Throws bytes at the spec parser and walks what it accepts. */
#include "fuzz.h"
#include "spec/spec.h"

#include <stdlib.h>
#include <string.h>

static void walk(const struct pl_study *study)
{
    struct pl_walk *w = pl_walk_new(study);
    const struct pl_settings *settings;
    const int64_t *seeds;
    size_t seed_count, visited = 0;
    uint64_t runs = 0;
    while (visited < 1000 && !pl_walk_next(w, &settings, &seeds, &seed_count)) {
        struct pl_settings again = {0};
        struct pl_text text = {0}, copy = {0};
        struct pl_error err;
        pl_settings_write(settings, &text);
        if (!seed_count || pl_settings_read(&again, pl_text(&text), &err))
            abort();
        pl_settings_write(&again, &copy);
        if (strcmp(pl_text(&text), pl_text(&copy)))
            abort(); /* canonical text must read back to itself */
        pl_settings_release(&again);
        pl_text_release(&text);
        pl_text_release(&copy);
        visited++;
        runs += seed_count;
    }
    if (visited < 1000 && (visited != study->configs || runs != study->runs))
        abort();
    pl_walk_free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int declarations = 0; declarations < 2; declarations++) {
        struct pl_spec *spec = NULL;
        struct pl_text problems = {0};
        struct pl_error err;
        int status = (declarations ? pl_spec_parse_declarations : pl_spec_parse)(&spec, (const char *)data, size, "f",
                                                                                 &problems, &err);
        if ((status != 0) != (problems.length != 0))
            abort(); /* a refusal says why, and only a refusal */
        for (size_t i = 0; !status && !declarations && i < pl_spec_study_count(spec); i++)
            walk(pl_spec_study(spec, i));
        pl_spec_free(spec);
        pl_text_release(&problems);
    }
    return 0;
}
