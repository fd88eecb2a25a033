/* What a cluster allows, as Slurm's commands say it. */
#include "slurm_stub.h"

static void limits_are_read(void **state)
{
    struct pl_batch_limits limits;
    struct pl_error err = {0};
    static char partition[] = "long,short";
    const struct pl_resources resources = {.partition = partition};
    (void)state;
    stub("scontrol", "case $* in\n*config) echo 'MaxArraySize            = 101' ;;\n"
                     "*) echo 'PartitionName=main Default=YES DefaultTime=01:00:00 MaxTime=UNLIMITED';\n"
                     "   echo 'PartitionName=long Default=NO DefaultTime=NONE MaxTime=2-00:00:00' ;;\nesac");
    stub("squeue", "echo 1_0; echo 1_1; echo 2");
    assert_int_equal(pl_batch_slurm.limits(NULL, &limits, &err), 0);
    assert_int_equal(limits.array, 101);
    assert_int_equal(limits.waiting, 3);
    assert_int_equal(limits.submitted, 0);
    assert_true(limits.time == 0);
    assert_true(limits.time_default == 3600);
    stub("sacctmgr", "echo 5000; echo; echo 200");
    assert_int_equal(pl_batch_slurm.limits(&resources, &limits, &err), 0);
    assert_int_equal(limits.submitted, 200);
    assert_true(limits.time == 172800);
    assert_true(limits.time_default == 0);
    stub("scontrol", "echo 'Unable to contact slurm controller' >&2; exit 1");
    assert_int_equal(pl_batch_slurm.limits(NULL, &limits, &err), PL_EIO);
}

/* Of all QOS only those count that the tasks get: that of the partition, and the one that is named or else the user's.
 */
static void limits_of_a_qos_are_read(void **state)
{
    struct pl_batch_limits limits;
    struct pl_error err = {0};
    char option[] = "--qos=short", *options[] = {option};
    const struct pl_resources resources = {.sbatch = {.items = options, .count = 1}};
    (void)state;
    stub("scontrol", "case $* in\n*config) echo 'MaxArraySize            = 101' ;;\n"
                     "*) echo 'PartitionName=main Default=YES QoS=part MaxTime=UNLIMITED' ;;\nesac");
    stub("squeue", ":");
    stub("sacctmgr", "case $* in\n*MaxSubmitJobs) echo 5000 ;;\n*DefaultQOS) echo normal ;;\n"
                     "*name=part,normal*) echo '400|'; echo '|300' ;;\n*name=part,short*) echo '70|'; echo '|' ;;\n"
                     "*) echo 1 ;;\nesac");
    assert_int_equal(pl_batch_slurm.limits(NULL, &limits, &err), 0);
    assert_int_equal(limits.submitted, 300);
    assert_int_equal(pl_batch_slurm.limits(&resources, &limits, &err), 0);
    assert_int_equal(limits.submitted, 70);
    stub("sacctmgr", "case $* in\n*MaxSubmitJobs) echo 50 ;;\n*DefaultQOS) echo ;;\n*) echo '|' ;;\nesac");
    assert_int_equal(pl_batch_slurm.limits(NULL, &limits, &err), 0);
    assert_int_equal(limits.submitted, 50);
    stub("sacctmgr", "echo 'You are not running a supported accounting_storage plugin' >&2; exit 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(limits_are_read, each),
        cmocka_unit_test_setup(limits_of_a_qos_are_read, each),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
