/* What a run will need, before it is started. */
#include "train/network/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAM_BYTES = 24 << 20 }; /* of a worker without a network */

/* No number of an optimizer changes what it keeps; of other settings their descriptors say whether they matter here. */
static bool is_aside(enum pl_section section, const struct pl_setting *setting)
{
    return section == PL_SECTION_OPTIMIZER ? setting->type == PL_REAL : setting->role & PL_ASIDE;
}

void pl_train_survey_key(const struct pl_settings *settings, struct pl_text *key)
{
    struct pl_schema schema;
    struct pl_settings kept = {0};
    pl_text_clear(key);
    if (pl_task_kind_of(settings) != &pl_task_dataset || pl_train_schema(settings, &schema, NULL))
        return;
    for (size_t i = 0; i < schema.count; i++) {
        const struct pl_schema_part *part = &schema.parts[i];
        for (size_t k = 0; k < part->count && part->section != PL_SECTION_SCHEDULE; k++) {
            const struct pl_value *value = pl_settings_find(settings, part->settings[k].key);
            if (value && !is_aside(part->section, &part->settings[k]))
                pl_settings_set(&kept, part->settings[k].key, *value);
        }
    }
    pl_settings_write(&kept, key);
    pl_settings_release(&kept);
}

/* Bytes of the optimizer's arenas: of one for a single small tensor, scaled. */
static int count_state(const struct pl_settings *settings, size_t length, size_t element, uint64_t *bytes,
                       struct pl_error *err)
{
    struct pl_optim_array arrays[32];
    struct pl_layout layout = {0};
    struct pl_optim *optim;
    size_t one = 1, arenas = 0;
    pl_layout_add(&layout, &one, 1);
    int status = pl_optim_new(&optim, settings, &layout, PL_FLOAT32, (struct pl_random){{0, 0}}, 1, err);
    if (!status) {
        size_t count = pl_optim_state(optim, arrays, 32);
        for (size_t i = 0; i < count && i < 32; i++)
            arenas += arrays[i].kind == 'f';
        pl_optim_free(optim);
    }
    pl_layout_release(&layout);
    *bytes = arenas * length * element;
    return status;
}

int pl_survey_network(const struct pl_settings *settings, const struct pl_graph *graph, const struct pl_device *device,
                      uint64_t *bytes, struct pl_error *err)
{
    size_t count;
    const struct pl_parameter *table = pl_graph_parameters(graph, &count);
    size_t length = count ? table[count - 1].offset + table[count - 1].count : 0;
    int status = pl_graph_fits(graph, device, err);
    if (!status)
        status = count_state(settings, length, pl_element_size(device->type->element), bytes, err);
    *bytes += PROGRAM_BYTES;
    return status;
}

void pl_survey_data(const struct pl_settings *settings, const char *checksum, bool official, const char *warning,
                    struct pl_train_needs *needs)
{
    snprintf(needs->data, sizeof needs->data, "%.60s %.64s %s", pl_settings_string(settings, "dataset", ""), checksum,
             official ? "official" : "unofficial");
    if (warning)
        snprintf(needs->warning, sizeof needs->warning, "%s", warning);
}

int pl_train_survey(const struct pl_settings *settings, const char *data, int threads, struct pl_train_needs *needs,
                    struct pl_error *err)
{
    *needs = (struct pl_train_needs){0};
    if (pl_task_kind_of(settings) != &pl_task_dataset)
        return 0;
    const struct pl_network_type *type = pl_network_type_of(settings);
    if (!type)
        return pl_fail(err, PL_EINPUT, "there is no dataset \"%.100s\"", pl_settings_string(settings, "dataset", ""));
    return type->survey(settings, data, threads, needs, err);
}
