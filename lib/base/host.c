#include "base/host.h"

#include "base/cgroup.h"
#include "base/number.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double pl_clock(void)
{
    return seconds(CLOCK_REALTIME);
}

double pl_clock_steady(void)
{
    return seconds(CLOCK_MONOTONIC);
}

const char *pl_time_text(double seconds_since_1970, char text[PL_TIME_TEXT_SIZE])
{
    static const double least = -62167219200, most = 253402300800; /* the years 0 and 10000 */
    struct tm parts;
    text[0] = '\0';
    if (!(seconds_since_1970 >= least && seconds_since_1970 < most))
        return text;
    time_t time = (time_t)floor(seconds_since_1970);
    if (!gmtime_r(&time, &parts) || !strftime(text, PL_TIME_TEXT_SIZE, "%Y-%m-%d %H:%M:%S UTC", &parts))
        text[0] = '\0';
    return text;
}

/* First line of a small kernel file, without its newline; "" if it cannot be read. */
static void first_line(const char *path, char *line, size_t size)
{
    line[0] = '\0';
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    if (!fgets(line, (int)size, file))
        line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    fclose(file);
}

int pl_host_cores(void)
{
    cpu_set_t allowed;
    int cores = 1;
    if (!sched_getaffinity(0, sizeof allowed, &allowed))
        cores = CPU_COUNT(&allowed);
    struct pl_cgroup_limits limits;
    pl_cgroup_limits("", &limits);
    if (limits.cores < cores)
        cores = (int)limits.cores;
    return cores > 0 ? cores : 1;
}

/* The number behind a key of a file of lines "key number" or "key: number"; 0 where there is none. */
static uint64_t number_in(const char *path, const char *key)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    char line[128];
    unsigned long long number = 0;
    size_t n = strlen(key);
    while (fgets(line, sizeof line, file))
        if (!strncmp(line, key, n) && sscanf(line + n + (line[n] == ':'), " %llu", &number) == 1)
            break;
    fclose(file);
    return number;
}

uint64_t pl_host_memory_free(void)
{
    uint64_t bytes = 1024 * number_in("/proc/meminfo", "MemAvailable");
    struct pl_cgroup_limits limits;
    pl_cgroup_limits("", &limits);
    if (limits.memory < bytes)
        bytes = limits.memory;
    int64_t wish;
    const char *own = getenv("POULA_MEMORY");
    if (own && pl_count_read(own, &wish) && wish > 0 && (uint64_t)wish < bytes)
        bytes = (uint64_t)wish;
    return bytes;
}

static pthread_once_t events_once = PTHREAD_ONCE_INIT;
static char events[sizeof((struct pl_cgroup_limits *)NULL)->events];

/* A process stays in its group, and looking for its files takes as long as a short run. */
static void find_events(void)
{
    struct pl_cgroup_limits limits;
    pl_cgroup_limits("", &limits);
    memcpy(events, limits.events, sizeof events);
}

uint64_t pl_host_memory_kills(void)
{
    pthread_once(&events_once, find_events);
    return *events ? number_in(events, "oom_kill") : 0;
}

void pl_host_name(char *name, size_t size)
{
    if (gethostname(name, size))
        snprintf(name, size, "unknown");
    name[size - 1] = '\0';
}

void pl_host_cpu(char *name, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[256];
    name[0] = '\0';
    while (file && !name[0] && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (!strncmp(line, "model name", 10) && colon) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(name, size, "%s", colon + 2);
        }
    }
    if (file)
        fclose(file);
    struct utsname system;
    if (!name[0] && !uname(&system))
        snprintf(name, size, "%s", system.machine);
}

const char *pl_isa_name(enum pl_isa isa)
{
    static const char *const names[PL_ISA_COUNT] = {"base", "avx2", "avx512"};
    return names[isa];
}

enum pl_isa pl_host_isa_own(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("fma"))
        return PL_ISA_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return PL_ISA_AVX2;
#endif
    return PL_ISA_BASE;
}

static atomic_int isa_limit = PL_ISA_COUNT;

void pl_host_isa_limit(enum pl_isa most)
{
    isa_limit = (int)most;
}

enum pl_isa pl_host_isa(void)
{
    enum pl_isa isa = pl_host_isa_own();
    int most = isa_limit;
    if ((int)isa > most)
        isa = (enum pl_isa)most;
    const char *wish = getenv("POULA_ISA");
    for (int i = 0; wish && i < PL_ISA_COUNT; i++)
        if (!strcmp(wish, pl_isa_name((enum pl_isa)i)) && (enum pl_isa)i < isa)
            isa = (enum pl_isa)i;
    return isa;
}

/* Does /proc show the space of process numbers that this process lives in? */
static bool proc_is_ours(void)
{
    char number[32];
    ssize_t length = readlink("/proc/self", number, sizeof number - 1);
    number[length > 0 ? length : 0] = '\0';
    return strtol(number, NULL, 10) == (long)getpid();
}

static void read_boot(char *boot, size_t size)
{
    first_line("/proc/sys/kernel/random/boot_id", boot, size);
}

/* Reads the state and the start of a process; false where they are not shown. */
static bool read_process(long pid, char *state, unsigned long long *start)
{
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    first_line(path, line, sizeof line);
    const char *rest = strrchr(line, ')'); /* the command name may hold spaces and brackets */
    return rest && sscanf(rest + 1, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
                          state, start) == 2;
}

void pl_process_identity(long pid, char *identity, size_t size)
{
    char boot[64], state;
    unsigned long long start;
    identity[0] = '\0';
    if (!proc_is_ours() || !read_process(pid, &state, &start) || state == 'Z' || state == 'X')
        return;
    read_boot(boot, sizeof boot);
    snprintf(identity, size, "%s:%ld:%llu", boot, pid, start);
}

void pl_process_space(char *space, size_t size)
{
    char boot[64], numbers[64];
    ssize_t length = readlink("/proc/self/ns/pid", numbers, sizeof numbers - 1);
    numbers[length > 0 ? length : 0] = '\0';
    read_boot(boot, sizeof boot);
    space[0] = '\0';
    if (*boot && *numbers)
        snprintf(space, size, "%s %s", boot, numbers);
}

enum pl_life pl_process_life(long pid, const char *identity)
{
    char state, now[256], boot[64];
    unsigned long long start;
    if (pid <= 0)
        return PL_LIFE_UNKNOWN;
    if (kill((pid_t)pid, 0) && errno == ESRCH)
        return PL_DEAD;
    if (!*identity || !proc_is_ours() || !read_process(pid, &state, &start))
        return PL_LIFE_UNKNOWN; /* somebody is there, and /proc may hide who (hidepid) */
    read_boot(boot, sizeof boot);
    snprintf(now, sizeof now, "%s:%ld:%llu", boot, pid, start);
    return state == 'Z' || state == 'X' || strcmp(now, identity) ? PL_DEAD : PL_ALIVE;
}
