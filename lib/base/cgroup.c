#include "base/cgroup.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A mounted hierarchy. */
struct mount {
    bool second;       /* version 2 */
    char *controllers; /* of version 1, between commas */
    char *top;         /* the group that is seen at point */
    char *point;
};

struct mounts {
    struct mount *list;
    size_t count, capacity;
};

/* The files of the two versions. */
static const struct files {
    const char *cpu, *period, *memory, *used, *cached, *events;
} files[2] = {
    {"cpu.cfs_quota_us", "cpu.cfs_period_us", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file ",
     "memory.oom_control"},
    {"cpu.max", NULL, "memory.max", "memory.current", "inactive_file ", "memory.events"},
};

/* Small files of the kernel; false where there is none. */
static bool read_text(const char *folder, const char *name, struct pl_text *out)
{
    enum { LIMIT = 1 << 20 };
    struct pl_text path = {0};
    pl_text_addf(&path, "%s/%s", folder, name);
    bool read = !pl_file_read(pl_text(&path), LIMIT, out, NULL);
    pl_text_release(&path);
    return read;
}

/* Is word one of those between commas? */
static bool lists(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

/* mountinfo spells a space as \040. */
static void decode(char *text)
{
    char *out = text;
    for (const char *c = text; *c; c++) {
        unsigned code;
        if (*c == '\\' && sscanf(c, "\\%3o", &code) == 1) {
            *out++ = (char)code;
            c += 3;
        } else {
            *out++ = *c;
        }
    }
    *out = '\0';
}

/* "36 35 0:30 /top /point rw - cgroup2 cgroup2 rw": see proc(5). */
static void take_mount(struct mounts *m, char *line, const char *root)
{
    char *words[64], *rest = NULL;
    size_t count = 0, dash = 0;
    for (char *word = strtok_r(line, " ", &rest); word && count < 64; word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    while (dash < count && strcmp(words[dash], "-"))
        dash++;
    if (dash < 5 || dash + 3 >= count || strncmp(words[dash + 1], "cgroup", 6))
        return;
    decode(words[3]);
    decode(words[4]);
    struct pl_text point = {0};
    pl_text_addf(&point, "%s%s", root, words[4]);
    void *list = m->list;
    pl_grow(&list, &m->capacity, m->count + 1, sizeof *m->list);
    m->list = list;
    m->list[m->count++] = (struct mount){.second = !strcmp(words[dash + 1], "cgroup2"),
                                         .controllers = pl_copy(words[dash + 3]),
                                         .top = pl_copy(words[3]),
                                         .point = pl_text_take(&point)};
}

static void read_mounts(struct mounts *m, const char *root)
{
    struct pl_text text = {0};
    char *rest = NULL;
    if (read_text(root, "proc/self/mountinfo", &text) && text.length)
        for (char *line = strtok_r(text.text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
            take_mount(m, line, root);
    pl_text_release(&text);
}

static void limit_cores(const char *folder, const struct files *f, struct pl_text *text,
                        struct pl_cgroup_limits *limits)
{
    double quota, period;
    if (!read_text(folder, f->cpu, text))
        return;
    if (f->period) {
        quota = strtod(pl_text(text), NULL); /* -1: none */
        period = read_text(folder, f->period, text) ? strtod(pl_text(text), NULL) : 0;
    } else if (sscanf(pl_text(text), "%lf %lf", &quota, &period) != 2) {
        return; /* max */
    }
    if (quota > 0 && period > 0 && quota / period < limits->cores)
        limits->cores = quota / period;
}

static void limit_memory(const char *folder, const struct files *f, struct pl_text *text,
                         struct pl_cgroup_limits *limits)
{
    unsigned long long most, used = 0, cached = 0;
    if (!read_text(folder, f->memory, text) || sscanf(pl_text(text), "%llu", &most) != 1)
        return;
    if (read_text(folder, f->used, text))
        used = strtoull(pl_text(text), NULL, 10);
    const char *line = read_text(folder, "memory.stat", text) ? strstr(pl_text(text), f->cached) : NULL;
    if (line)
        cached = strtoull(line + strlen(f->cached), NULL, 10); /* counted, but free for others */
    used = used > cached ? used - cached : 0;
    uint64_t left = most > used ? most - used : 0;
    if (left < limits->memory)
        limits->memory = left;
}

static void find_events(const char *folder, const struct files *f, struct pl_text *text,
                        struct pl_cgroup_limits *limits)
{
    static const char key[] = "\noom_kill "; /* in neither version the first line */
    bool counts = read_text(folder, f->events, text) && strstr(pl_text(text), key);
    int length = counts ? snprintf(limits->events, sizeof limits->events, "%s/%s", folder, f->events) : 0;
    if (length < 0 || (size_t)length >= sizeof limits->events)
        limits->events[0] = '\0';
}

/* From the group at path up to the one that is mounted: every one of them limits what is below it. */
static void climb(const struct mount *mount, const char *path, bool cores, bool memory, struct pl_cgroup_limits *limits)
{
    size_t top = strcmp(mount->top, "/") ? strlen(mount->top) : 0;
    struct pl_text folder = {0}, text = {0};
    /* A path that is not below what is mounted (a container sees its group as the top) is that of the mount. */
    bool below = !strncmp(path, mount->top, top) && (!path[top] || path[top] == '/') && !strstr(path, "/..");
    pl_text_addf(&folder, "%s%s", mount->point, below ? path + top : "");
    if (memory)
        find_events(pl_text(&folder), &files[mount->second], &text, limits);
    for (size_t least = strlen(mount->point);;) {
        if (cores)
            limit_cores(pl_text(&folder), &files[mount->second], &text, limits);
        if (memory)
            limit_memory(pl_text(&folder), &files[mount->second], &text, limits);
        if (folder.length <= least)
            break;
        const char *slash = strrchr(folder.text + least, '/');
        pl_text_cut(&folder, slash ? (size_t)(slash - folder.text) : least);
    }
    pl_text_release(&folder);
    pl_text_release(&text);
}

/* A line of /proc/self/cgroup: "4:cpu,cpuacct:/path", or "0::/path" of version 2. */
static void take_group(const struct mounts *m, char *line, struct pl_cgroup_limits *limits)
{
    char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path)
        return;
    *controllers++ = *path++ = '\0';
    bool second = !*controllers;
    bool cores = second || lists(controllers, "cpu"), memory = second || lists(controllers, "memory");
    for (size_t i = 0; i < m->count; i++) {
        const struct mount *mount = &m->list[i];
        bool same = second ? mount->second
                           : !mount->second && ((cores && lists(mount->controllers, "cpu")) ||
                                                (memory && lists(mount->controllers, "memory")));
        if (same)
            climb(mount, path, cores, memory, limits);
    }
}

void pl_cgroup_limits(const char *root, struct pl_cgroup_limits *limits)
{
    struct mounts mounts = {0};
    struct pl_text text = {0};
    char *rest = NULL;
    *limits = (struct pl_cgroup_limits){.cores = INFINITY, .memory = UINT64_MAX};
    read_mounts(&mounts, root);
    if (read_text(root, "proc/self/cgroup", &text) && text.length)
        for (char *line = strtok_r(text.text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
            take_group(&mounts, line, limits);
    for (size_t i = 0; i < mounts.count; i++) {
        free(mounts.list[i].controllers);
        free(mounts.list[i].top);
        free(mounts.list[i].point);
    }
    free(mounts.list);
    pl_text_release(&text);
}
