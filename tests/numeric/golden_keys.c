/* Run keys decide what is missing: those of every spec in experiments/ are what they always were, so that nobody's
 * finished runs run anew. A study that takes settings from tables has no keys of its own before; it is counted.
 *
 *   golden-keys EXPERIMENTS KEYS            compares
 *   golden-keys EXPERIMENTS KEYS --write    writes KEYS: only for specs that are new */
#include "spec/spec.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void hash_study(const struct pl_study *study, char hex[2 * PL_DIGEST_SIZE + 1], uint64_t *runs)
{
    struct pl_walk *walk = pl_walk_new(study);
    struct pl_text canonical = {0}, keys = {0};
    const struct pl_settings *settings;
    const int64_t *seeds;
    size_t count;
    unsigned char key[PL_DIGEST_SIZE];
    *runs = 0;
    while (!pl_walk_next(walk, &settings, &seeds, &count)) {
        pl_text_clear(&canonical);
        pl_settings_write(settings, &canonical);
        for (size_t i = 0; i < count; i++, ++*runs) {
            pl_run_key(pl_text(&canonical), seeds[i], key);
            pl_text_add_bytes(&keys, (const char *)key, sizeof key);
        }
    }
    pl_digest(keys.length ? pl_text(&keys) : "", keys.length, key);
    pl_digest_hex(key, sizeof key, hex);
    pl_walk_free(walk);
    pl_text_release(&canonical);
    pl_text_release(&keys);
}

/* One line a study: name, runs, SHA-256 of their keys one after another. */
static void add_spec(const char *folder, const char *name, const char *scale, struct pl_text *out)
{
    struct pl_text path = {0}, problems = {0};
    struct pl_spec *spec = NULL;
    struct pl_error err = {0};
    pl_text_addf(&path, "%s/%s", folder, name);
    if (!pl_spec_load(&spec, pl_text(&path), scale, &problems, &err))
        for (size_t i = 0; i < pl_spec_study_count(spec); i++) {
            const struct pl_study *study = pl_spec_study(spec, i);
            char hex[2 * PL_DIGEST_SIZE + 1] = "waiting";
            uint64_t runs = study->runs;
            if (!study->waiting)
                hash_study(study, hex, &runs);
            pl_text_addf(out, "%s %s %llu %s\n", name, study->name, (unsigned long long)runs, hex);
        }
    else if (!scale) {
        fprintf(stderr, "%s: %s\n%s", name, err.text, pl_text(&problems));
        failures++;
    }
    pl_spec_free(spec);
    pl_text_release(&path);
    pl_text_release(&problems);
}

static int is_spec(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 5 && !strcmp(entry->d_name + length - 5, ".yaml") && strcmp(entry->d_name, "published.yaml");
}

static void add_folder(const char *root, const char *inner, struct pl_text *out)
{
    struct pl_text folder = {0}, name = {0};
    struct dirent **entries = NULL;
    pl_text_addf(&folder, "%s/%s", root, inner);
    int count = scandir(pl_text(&folder), &entries, is_spec, alphasort);
    for (int i = 0; i < count; i++) {
        pl_text_clear(&name);
        pl_text_addf(&name, "%s%s%s", inner, *inner ? "/" : "", entries[i]->d_name);
        add_spec(root, pl_text(&name), NULL, out);
        add_spec(root, pl_text(&name), "quick", out);
        free(entries[i]);
    }
    free(entries);
    pl_text_release(&folder);
    pl_text_release(&name);
}

/* Every line of one must be in the other: a study that is not is told by name. */
static void compare(const char *lines, const char *others, const char *what)
{
    for (size_t length; *lines; lines += length + (lines[length] == '\n')) {
        length = strcspn(lines, "\n");
        char *line = pl_copy_bytes(lines, length);
        const char *at = strstr(others, line);
        if (!at || (at > others && at[-1] != '\n')) {
            fprintf(stderr, "%s: %s\n", what, line);
            failures++;
        }
        free(line);
    }
}

int main(int argc, char **argv)
{
    struct pl_text found = {0}, known = {0};
    struct pl_error err = {0};
    if (argc < 3)
        return 2;
    add_folder(argv[1], "", &found);
    add_folder(argv[1], "paper", &found);
    add_folder(argv[1], "replication", &found);
    if (argc > 3) {
        FILE *file = fopen(argv[2], "w");
        if (!file || fputs(pl_text(&found), file) < 0 || fclose(file))
            failures++;
    } else if (pl_file_read(argv[2], 1 << 20, &known, &err)) {
        fprintf(stderr, "%s\n", err.text);
        failures++;
    } else {
        compare(pl_text(&known), pl_text(&found), "the keys of these runs have changed");
        compare(pl_text(&found), pl_text(&known), "the keys of these runs are not held (--write adds them)");
        if (known.length < 100)
            failures++;
    }
    printf("%d studies with other keys\n", failures);
    pl_text_release(&found);
    pl_text_release(&known);
    return failures ? 1 : 0;
}
