/* What a run will need, before it is started. */
#include "train/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAM_BYTES = 24 << 20 }; /* of a worker without a network */

/* Settings that change neither the size of anything nor the data. */
static bool is_aside(enum pl_section section, const struct pl_setting *setting)
{
    if (section == PL_SECTION_OPTIMIZER)
        return setting->type == PL_REAL;
    return pl_has_word("epochs clip label_smoothing dropout augment shuffle record_batches checkpoint_every "
                       "checkpoint_minutes keep_weights", setting->key);
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
static int count_state(const struct pl_settings *settings, size_t length, size_t element, size_t *bytes,
                       struct pl_error *err)
{
    struct pl_optim_array arrays[32];
    struct pl_layout layout = {0};
    struct pl_optim *optim;
    size_t one = 1, arenas = 0;
    pl_layout_add(&layout, &one, 1);
    int status = pl_optim_new(&optim, settings, &layout, PL_FLOAT, (struct pl_random){{0, 0}}, 1, err);
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

static int count_memory(const struct pl_settings *settings, const struct pl_dataset *set, int threads,
                        uint64_t *memory, struct pl_error *err)
{
    struct pl_image_shape shape = pl_data_shape(set);
    size_t images = pl_data_size(set, PL_SPLIT_TRAIN), batch = pl_network_batch(settings, images), count, state;
    struct pl_graph *graph = NULL;
    struct pl_device *device = NULL;
    int status = pl_network_graph(&graph, settings, shape, pl_data_classes(set), err);
    if (!status)
        status = pl_network_device(&device, settings, threads, err);
    if (status)
        goto done;
    size_t training = pl_plan_estimate(graph, device, (int)batch, PL_TRAINING);
    size_t evaluation = pl_plan_estimate(graph, device, (int)batch, PL_EVALUATION);
    const struct pl_parameter *table = pl_graph_parameters(graph, &count);
    size_t length = count ? table[count - 1].offset + table[count - 1].count : 0;
    status = count_state(settings, length, pl_element_size(device->type->element), &state, err);
    size_t pixels = (size_t)shape.channels * (size_t)shape.height * (size_t)shape.width;
    *memory = PROGRAM_BYTES + pl_data_memory(set) + (training > evaluation ? training : evaluation) + state +
              images * sizeof(uint32_t) + batch * pixels * sizeof(float);
done:
    if (device)
        pl_device_close(device);
    pl_graph_free(graph);
    return status;
}

int pl_train_survey(const struct pl_settings *settings, int threads, struct pl_train_needs *needs,
                    struct pl_error *err)
{
    *needs = (struct pl_train_needs){0};
    if (pl_task_kind_of(settings) != &pl_task_dataset)
        return 0;
    struct pl_dataset *set;
    int status = pl_data_open(&set, settings, pl_train_data_folder(), err);
    if (status)
        return status;
    snprintf(needs->data, sizeof needs->data, "%.60s %.64s %s", pl_settings_string(settings, "dataset", ""),
             pl_data_checksum(set), pl_data_official(set) ? "official" : "unofficial");
    if (pl_data_warning(set))
        snprintf(needs->warning, sizeof needs->warning, "%s", pl_data_warning(set));
    status = count_memory(settings, set, threads, &needs->memory, err);
    pl_data_close(set);
    return status;
}
