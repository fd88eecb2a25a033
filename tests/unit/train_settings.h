/* Settings for tests of lib/train. */
#ifndef PL_TEST_TRAIN_SETTINGS_H
#define PL_TEST_TRAIN_SETTINGS_H

#include "train/train.h"

#include <stdlib.h>
#include <string.h>

/* Settings from words "key=value", read as the schema of the choices among them says, with defaults. */
static inline void settings_of(struct pl_settings *s, const char *words)
{
    struct pl_settings chosen = {0};
    struct pl_schema schema;
    struct pl_error err;
    size_t length;
    for (int pass = 0; pass < 2; pass++) {
        for (const char *word = words; (word = pl_next_word(word, &length)); word += length) {
            const char *equals = memchr(word, '=', length);
            char *key = pl_copy_bytes(word, (size_t)(equals - word));
            char *spelling = pl_copy_bytes(equals + 1, (size_t)(word + length - equals - 1));
            if (!pass && pl_train_is_choice(key))
                pl_settings_set_string(&chosen, key, spelling);
            for (size_t i = 0; pass && i < schema.count; i++) {
                const struct pl_setting *setting = pl_setting_find(schema.parts[i].settings, schema.parts[i].count,
                                                                   key);
                struct pl_value value;
                if (!setting)
                    continue;
                if (pl_setting_read(setting, spelling, &value, &err))
                    fail_msg("%s", err.text);
                pl_settings_set(s, setting->key, value);
            }
            if (pass && !pl_settings_find(s, key))
                fail_msg("no schema has %s", key);
            free(key);
            free(spelling);
        }
        if (!pass && pl_train_schema(&chosen, &schema, &err))
            fail_msg("%s", err.text);
    }
    for (size_t i = 0; i < schema.count; i++)
        pl_settings_fill(s, schema.parts[i].settings, schema.parts[i].count);
    pl_settings_release(&chosen);
}

#endif
