/* What a command does not get to know: settings, axes and seeds that no word of it uses. Such runs are legal (a setting
 * may be there for people who read tables), but mostly it is a slip, and the rows of the table would be alike. */
#include "spec/grid/grid.h"
#include "spec/grid/part.h"
#include "spec/read/value.h"
#include "spec/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The settings of a part in which the command is known, or NULL. */
static const struct pl_settings *settings_of(const struct part *part, size_t variant)
{
    const struct pl_settings *settings = &part->variants[variant].settings;
    return part->variants[variant].good && pl_settings_find(settings, "command") ? settings : NULL;
}

/* Is there a variant with the setting whose words do not use it? */
static bool is_unused(const struct part *part, const char *key)
{
    for (size_t v = 0; v < part->variant_count; v++) {
        const struct pl_settings *settings = settings_of(part, v);
        if (settings && (!strcmp(key, "seed") || pl_settings_find(settings, key)) && !pl_train_uses(settings, key))
            return true;
    }
    return false;
}

static bool varies(const struct field *field)
{
    return field->axis && field->count > 1;
}

/* Does the field have an empty text as a value that is a word of its own? */
static bool gives_empty_word(const struct part *part, size_t f)
{
    const struct field *field = &part->fields[f];
    char word[100];
    if (snprintf(word, sizeof word, "\"{%s}\"", field->key) >= (int)sizeof word)
        return false;
    for (size_t v = 0; v < part->variant_count; v++) {
        const struct slot *slot = &part->variants[v].slots[f];
        const struct pl_settings *settings = settings_of(part, v);
        size_t count = slot->cells ? slot->single ? 1 : field->count : 0;
        if (!settings || !strstr(pl_settings_string(settings, "command", ""), word))
            continue;
        for (size_t c = 0; c < count; c++)
            if (pl_cell_is_constant(&slot->cells[c]) && slot->cells[c].value.type == PL_STRING &&
                !*slot->cells[c].value.string)
                return true;
    }
    return false;
}

static void add_names(struct pl_text *notes, const struct pl_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        pl_text_addf(notes, "%s%s", i == 0 ? "" : i + 1 < names->count ? ", " : " and ", names->names[i]);
}

void pl_spec_notes(const struct pl_study *study, bool words, struct pl_text *notes)
{
    const struct pl_study_grid *grid = study->grid;
    struct pl_names axes = {0}, settings = {0}, empty = {0};
    size_t capacity = 0;
    bool seeds = false;
    for (size_t p = 0; p < grid->part_count; p++)
        capacity += grid->parts[p].field_count;
    axes.names = pl_new((capacity + 1) * sizeof *axes.names);
    settings.names = pl_new((capacity + 1) * sizeof *settings.names);
    empty.names = pl_new((capacity + 1) * sizeof *empty.names);
    for (size_t p = 0; p < grid->part_count; p++) {
        const struct part *part = &grid->parts[p];
        seeds = seeds || (study->seed_count > 1 && is_unused(part, "seed"));
        for (size_t f = 0; f < part->field_count; f++) {
            char *key = (char *)part->fields[f].key;
            bool unused = is_unused(part, key);
            if (unused && varies(&part->fields[f]) && !pl_names_have(&axes, key))
                axes.names[axes.count++] = key;
            else if (unused && grid->part_count == 1 && !pl_names_have(&settings, key)) /* of cases it is the label */
                settings.names[settings.count++] = key;
            if (words && gives_empty_word(part, f) && !pl_names_have(&empty, key))
                empty.names[empty.count++] = key;
        }
    }
    const char *name = study->name ? study->name : "";
    if (axes.count) {
        pl_text_addf(notes, "%s: no word of the command uses ", name);
        add_names(notes, &axes);
        pl_text_addf(notes, ", so runs that differ only in %s are the same program with the same words\n",
                     axes.count > 1 ? "these" : "it");
    }
    if (seeds)
        pl_text_addf(notes, "%s: no word of the command has {seed}, so its %zu seeds run the same words\n", name,
                     study->seed_count);
    if (settings.count) {
        pl_text_addf(notes, "%s: no word of the command uses ", name);
        add_names(notes, &settings);
        pl_text_addf(notes, ", so the program does not get to know %s\n", settings.count > 1 ? "them" : "it");
    }
    for (size_t i = 0; i < empty.count; i++)
        pl_text_addf(
            notes,
            "%s: the word {%s} of the command is empty in some runs, and is passed so; {%s?} leaves it out then\n",
            name, empty.names[i], empty.names[i]);
    free(axes.names);
    free(settings.names);
    free(empty.names);
}
