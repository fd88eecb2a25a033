/* What a run will need, before it is started. */
#include "train/network/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAM_BYTES = 24 << 20 }; /* of a worker without a network */

/* Of a number of an optimizer it matters at most whether it is 0, which can make a state needless; of other settings
 * their descriptors say whether they matter here. */
static bool is_aside(enum pl_section section, const struct pl_setting *setting, const struct pl_value *value)
{
    const struct pl_value zero = {PL_REAL, {.real = 0}};
    return section == PL_SECTION_OPTIMIZER ? setting->type == PL_REAL && !pl_value_equal(value, &zero)
                                           : setting->role & PL_ASIDE;
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
            if (value && !is_aside(part->section, &part->settings[k], value))
                pl_settings_set(&kept, part->settings[k].key, *value);
        }
    }
    pl_settings_write(&kept, key);
    pl_settings_release(&kept);
}

/* Bytes of the optimizer's state for the parameters of a graph. */
static int count_state(const struct pl_settings *settings, const struct pl_graph *graph, enum pl_element element,
                       uint64_t *bytes, struct pl_error *err)
{
    size_t count;
    const struct pl_parameter *table = pl_graph_parameters(graph, &count);
    struct pl_layout layout = {0};
    for (size_t i = 0; i < count; i++)
        pl_layout_add(&layout, table[i].shape, table[i].dims);
    int status = pl_optim_bytes(settings, &layout, element, bytes, err);
    pl_layout_release(&layout);
    return status;
}

int pl_survey_network(const struct pl_settings *settings, const struct pl_graph *graph, const struct pl_device *device,
                      uint64_t *bytes, struct pl_error *err)
{
    *bytes = 0;
    int status = pl_graph_fits(graph, device, err);
    if (!status)
        status = count_state(settings, graph, device->type->element, bytes, err);
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
