/* The words of Slurm. */
#include "sweep/batch/slurm.h"

#include <string.h>

/* Every state of Slurm 20.02 to 24.11 (job states and what is shown in their place). */
static const struct {
    const char *word;
    enum pl_task_state state;
} states[] = {
    {"PENDING", PL_TASK_PENDING},        {"RUNNING", PL_TASK_RUNNING},        {"SUSPENDED", PL_TASK_RUNNING},
    {"COMPLETED", PL_TASK_ENDED},        {"CANCELLED", PL_TASK_CANCELLED},    {"FAILED", PL_TASK_FAILED},
    {"TIMEOUT", PL_TASK_TIME},           {"NODE_FAIL", PL_TASK_LOST},         {"PREEMPTED", PL_TASK_LOST},
    {"BOOT_FAIL", PL_TASK_LOST},         {"DEADLINE", PL_TASK_TIME},          {"OUT_OF_MEMORY", PL_TASK_MEMORY},
    {"COMPLETING", PL_TASK_RUNNING},     {"CONFIGURING", PL_TASK_PENDING},    {"POWER_UP_NODE", PL_TASK_PENDING},
    {"RESIZING", PL_TASK_RUNNING},       {"REQUEUED", PL_TASK_RETURNING},     {"REQUEUE_FED", PL_TASK_RETURNING},
    {"REQUEUE_HOLD", PL_TASK_RETURNING}, {"SPECIAL_EXIT", PL_TASK_RETURNING}, {"RESV_DEL_HOLD", PL_TASK_PENDING},
    {"EXPEDITING", PL_TASK_PENDING},     {"STAGE_OUT", PL_TASK_RUNNING},      {"STOPPED", PL_TASK_RUNNING},
    {"SIGNALING", PL_TASK_RUNNING},      {"UPDATE_DB", PL_TASK_RUNNING},      {"REVOKED", PL_TASK_LOST},
    {"LAUNCH_FAILED", PL_TASK_LOST},     {"RECONFIG_FAIL", PL_TASK_LOST},
};

enum pl_task_state pl_slurm_state(const char *word, enum pl_slurm_source source)
{
    size_t length = strcspn(word, " +");
    bool cut = word[length] == '+';
    for (size_t i = 0; length && i < sizeof states / sizeof *states; i++) {
        if (strncmp(states[i].word, word, length) || (!cut && states[i].word[length]))
            continue;
        /* What is listed among the living with such a word is about to be started again. */
        return source == PL_SLURM_ALIVE && states[i].state == PL_TASK_LOST ? PL_TASK_RETURNING : states[i].state;
    }
    return source == PL_SLURM_ALIVE ? PL_TASK_RUNNING : PL_TASK_UNKNOWN;
}

static bool has_any(const char *said, const char *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcasestr(said, parts[i]))
            return true;
    return false;
}
#define HAS_ANY(said, parts) has_any(said, parts, sizeof(parts) / sizeof *(parts))

bool pl_slurm_says_gone(const char *said)
{
    static const char *const parts[] = {"Invalid job id", "not found", "already completing or completed",
                                        "Job/step already"};
    return HAS_ANY(said, parts);
}

bool pl_slurm_says_no_accounts(const char *said)
{
    static const char *const parts[] = {"accounting storage is disabled", "supported accounting_storage plugin",
                                        "accounting_storage/slurmdbd' is supported"};
    return HAS_ANY(said, parts);
}

int pl_slurm_refusal(const char *said)
{
    /* An answer that did not come, or came broken: the question may have been heard. */
    static const char *const unsure[] = {"timed out",
                                         "Zero Bytes were transmitted",
                                         "Transport endpoint is not connected",
                                         "Unexpected message received",
                                         "Message receive failure",
                                         "Broken pipe",
                                         "Connection reset",
                                         "receive failure",
                                         "send failure",
                                         "Insane message length",
                                         "Header lengths are longer"};
    static const char *const unreached[] = {"Unable to contact slurm controller",
                                            "Connection refused",
                                            "Unable to establish controller machine",
                                            "Communication connection failure",
                                            "Munge encode failed",
                                            "Protocol authentication error",
                                            "No route to host",
                                            "Unable to establish configuration source",
                                            "Authentication",
                                            "backup controller",
                                            "Could not resolve",
                                            "Unable to process configuration file",
                                            "cannot stat file",
                                            "Slurm backup"};
    /* Limits on how many there may be at a time; those on how large one may be are for ever. */
    static const char *const limits[] = {"MaxSubmit",
                                         "GrpSubmit",
                                         "MaxJobs",
                                         "GrpJobs",
                                         "Resource temporarily unavailable",
                                         "temporarily unable to accept",
                                         "job limit",
                                         "job count",
                                         "too many jobs",
                                         "currently in limit",
                                         "job queue is full"};
    if (HAS_ANY(said, limits))
        return PL_ELIMIT;
    if (HAS_ANY(said, unsure))
        return PL_ETIMEOUT;
    if (HAS_ANY(said, unreached))
        return PL_EIO;
    /* The sentence for all policies. Where a line before it names one, that was none of the limits above. */
    if (strcasestr(said, "violates accounting/QOS policy")) {
        static const char *const policies[] = {"QOSM",   "QOSG",   "QOSU",    "AssocM",  "AssocG", "MaxWall",
                                               "MaxCpu", "MaxMem", "MaxNode", "MaxTRES", "PerJob"};
        return HAS_ANY(said, policies) ? PL_EINPUT : PL_ELIMIT;
    }
    return *said ? PL_EINPUT : PL_ETIMEOUT;
}
