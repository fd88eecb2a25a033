/* Graphics cards, as the drivers show them in files. Nothing of a vendor's is linked: a program is told how many there
 * are and where, and whoever computes on one opens it. */
#include "base/host.h"

#include "base/memory.h"
#include "base/text.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct card {
    struct pl_accelerator is;
    char id[96]; /* "GPU-8f3e...", "" where it has none */
};

struct cards {
    struct card *all;
    size_t count, capacity;
};

static void add(struct cards *cards, const struct card *card)
{
    void *list = cards->all;
    pl_grow(&list, &cards->capacity, cards->count + 1, sizeof *cards->all);
    cards->all = list;
    cards->all[cards->count++] = *card;
}

/* What stands behind a key ("Model:", "simd_count") at the beginning of a line of a file; "" where it does not. */
static void value_in(const char *path, const char *key, char *value, size_t size)
{
    char line[256];
    FILE *file = fopen(path, "re");
    value[0] = '\0';
    while (file && !value[0] && fgets(line, sizeof line, file))
        if (!strncmp(line, key, strlen(key))) {
            const char *text = line + strlen(key);
            text += strspn(text, " \t");
            snprintf(value, size, "%.*s", (int)strcspn(text, "\n"), text);
        }
    if (file)
        fclose(file);
}

static bool may_open(const char *root, const char *place)
{
    char path[256];
    snprintf(path, sizeof path, "%s%s", root, place);
    return !access(path, R_OK | W_OK);
}

/* Calls one for the path of a file in each folder of a folder, by the folders' names. */
static void each_folder(const char *root, const char *folder, const char *file, struct cards *cards,
                        void (*one)(const char *root, const char *path, struct cards *cards))
{
    char path[512];
    struct dirent **entries;
    snprintf(path, sizeof path, "%s%s", root, folder);
    int count = scandir(path, &entries, NULL, versionsort);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s%s/%.200s/%s", root, folder, entries[i]->d_name, file);
        if (entries[i]->d_name[0] != '.')
            one(root, path, cards);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

static void nvidia_card(const char *root, const char *path, struct cards *cards)
{
    struct card card = {0};
    char minor[16];
    value_in(path, "Model:", card.is.name, sizeof card.is.name);
    value_in(path, "GPU UUID:", card.id, sizeof card.id);
    value_in(path, "Device Minor:", minor, sizeof minor);
    snprintf(card.is.place, sizeof card.is.place, "/dev/nvidia%s", minor);
    if (minor[0] && may_open(root, card.is.place))
        add(cards, &card);
}

/* A node of the compute driver is a processor or a card; a card has vector units. */
static void amd_card(const char *root, const char *path, struct cards *cards)
{
    struct card card = {0};
    char units[16], minor[16], name[300], model[64];
    value_in(path, "simd_count ", units, sizeof units);
    value_in(path, "drm_render_minor ", minor, sizeof minor);
    snprintf(name, sizeof name, "%.*s/name", (int)(strrchr(path, '/') - path), path);
    value_in(name, "", model, sizeof model);
    snprintf(card.is.name, sizeof card.is.name, "AMD %s", model);
    snprintf(card.is.place, sizeof card.is.place, "/dev/dri/renderD%s", minor);
    if (strtol(units, NULL, 10) > 0 && minor[0] && may_open(root, "/dev/kfd") && may_open(root, card.is.place))
        add(cards, &card);
}

static const struct card *find(const struct cards *cards, const char *item, size_t length)
{
    char text[96], *end;
    snprintf(text, sizeof text, "%.*s", (int)length, item);
    long number = strtol(text, &end, 10);
    if (length && !*end)
        return number >= 0 && (size_t)number < cards->count ? &cards->all[number] : NULL;
    for (size_t i = 0; length && i < cards->count; i++)
        if (!strncmp(cards->all[i].id, text, strlen(text)))
            return &cards->all[i];
    return NULL;
}

/* Keeps the cards that the drivers' library would show: those that a variable lists, by number or identity, up to the
 * first item that is none; all where it is not set. */
static void keep_visible(struct cards *cards, const char *variable)
{
    const char *item = getenv(variable);
    const struct card *card;
    struct cards kept = {0};
    if (!item)
        return;
    for (size_t length; (card = find(cards, item, length = strcspn(item, ","))); item += length + 1) {
        add(&kept, card);
        if (!item[length])
            break;
    }
    free(cards->all);
    *cards = kept;
}

size_t pl_host_accelerators_in(const char *root, struct pl_accelerator *list, size_t room)
{
    struct cards nvidia = {0}, amd = {0};
    each_folder(root, "/proc/driver/nvidia/gpus", "information", &nvidia, nvidia_card);
    keep_visible(&nvidia, "CUDA_VISIBLE_DEVICES");
    each_folder(root, "/sys/class/kfd/kfd/topology/nodes", "properties", &amd, amd_card);
    keep_visible(&amd, "ROCR_VISIBLE_DEVICES");
    size_t count = nvidia.count + amd.count;
    for (size_t i = 0; i < room && i < count; i++)
        list[i] = i < nvidia.count ? nvidia.all[i].is : amd.all[i - nvidia.count].is;
    free(nvidia.all);
    free(amd.all);
    return count;
}

size_t pl_host_accelerators(struct pl_accelerator *list, size_t room)
{
    return pl_host_accelerators_in("", list, room);
}
