/* Graphics cards by what their drivers show, in a folder that stands for the root of a machine. */
#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { ROOM = 8 };
static char root[64];

static void put(const char *name, const char *text)
{
    char path[512];
    struct pl_error err;
    snprintf(path, sizeof path, "%s/%s", root, name);
    if (pl_folder_make_parent(path, &err) || pl_file_write(path, text, strlen(text), &err))
        fail_msg("%s", err.text);
}

static void put_nvidia(const char *bus, const char *model, const char *id, int minor)
{
    char name[200], text[400];
    snprintf(name, sizeof name, "proc/driver/nvidia/gpus/%s/information", bus);
    snprintf(text, sizeof text, "Model: \t\t %s\nIRQ:   \t\t 77\nGPU UUID: \t %s\nDevice Minor: \t %d\n", model, id,
             minor);
    put(name, text);
    snprintf(name, sizeof name, "dev/nvidia%d", minor);
    put(name, "");
}

static int make_machine(void **state)
{
    (void)state;
    strcpy(root, "/tmp/poula-cards.XXXXXX");
    assert_non_null(mkdtemp(root));
    unsetenv("CUDA_VISIBLE_DEVICES");
    unsetenv("ROCR_VISIBLE_DEVICES");
    return 0;
}

static int remove_machine(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", root);
    return system(command);
}

static void expect(const char *places)
{
    struct pl_accelerator list[ROOM];
    struct pl_text got = {0};
    size_t count = pl_host_accelerators_in(root, list, ROOM);
    for (size_t i = 0; i < count; i++)
        pl_text_addf(&got, "%s%s", i ? " " : "", list[i].place);
    assert_string_equal(pl_text(&got), places);
    pl_text_release(&got);
}

static void a_machine_without_any(void **state)
{
    (void)state;
    expect("");
    put("sys/class/kfd/kfd/topology/nodes/0/properties", "cpu_cores_count 8\nsimd_count 0\n"); /* a processor */
    put("dev/kfd", "");
    put("proc/driver/nvidia/version", "NVRM version: 535\n"); /* a driver without cards */
    expect("");
}

static void cards_have_names_and_places(void **state)
{
    struct pl_accelerator list[ROOM];
    (void)state;
    put_nvidia("0000:82:00.0", "NVIDIA H200", "GPU-aa11", 1);
    put_nvidia("0000:01:00.0", "NVIDIA A100-SXM4-80GB", "GPU-bb22", 0);
    put("sys/class/kfd/kfd/topology/nodes/0/properties", "simd_count 0\n");
    put("sys/class/kfd/kfd/topology/nodes/1/properties", "cpu_cores_count 0\nsimd_count 440\ndrm_render_minor 129\n");
    put("sys/class/kfd/kfd/topology/nodes/1/name", "gfx90a\n");
    put("dev/kfd", "");
    put("dev/dri/renderD129", "");
    expect("/dev/nvidia0 /dev/nvidia1 /dev/dri/renderD129");
    assert_int_equal(pl_host_accelerators_in(root, list, 2), 3);
    assert_string_equal(list[0].name, "NVIDIA A100-SXM4-80GB");
    assert_string_equal(list[1].name, "NVIDIA H200");
    assert_int_equal(pl_host_accelerators_in(root, list, ROOM), 3);
    assert_string_equal(list[2].name, "AMD gfx90a");
    assert_int_equal(pl_host_accelerators_in(root, NULL, 0), 3);
}

/* A container sees all cards of the machine in /proc, and the files of its own only. */
static void what_cannot_be_opened_is_not_there(void **state)
{
    char path[128];
    (void)state;
    put_nvidia("0000:01:00.0", "NVIDIA H200", "GPU-aa11", 0);
    put_nvidia("0000:02:00.0", "NVIDIA H200", "GPU-bb22", 1);
    snprintf(path, sizeof path, "%s/dev/nvidia0", root);
    assert_int_equal(unlink(path), 0);
    expect("/dev/nvidia1");
}

static void what_is_hidden_is_not_there(void **state)
{
    static const struct {
        const char *visible, *places;
    } cases[] = {
        {"0,1,2", "/dev/nvidia0 /dev/nvidia1 /dev/nvidia2"},
        {"2,0", "/dev/nvidia2 /dev/nvidia0"},
        {"", ""},
        {"-1", ""},
        {"1,-1,0", "/dev/nvidia1"}, /* what follows an item that is none is not seen */
        {"0,7,1", "/dev/nvidia0"},
        {"GPU-cc33", "/dev/nvidia2"},
        {"GPU-b,0", "/dev/nvidia1 /dev/nvidia0"},
        {"1,", "/dev/nvidia1"},
        {"NoDevFiles", ""},
    };
    (void)state;
    put_nvidia("0000:01:00.0", "NVIDIA H200", "GPU-aa11", 0);
    put_nvidia("0000:02:00.0", "NVIDIA H200", "GPU-bb22", 1);
    put_nvidia("0000:03:00.0", "NVIDIA H200", "GPU-cc33", 2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("CUDA_VISIBLE_DEVICES", cases[i].visible, 1);
        expect(cases[i].places);
    }
    unsetenv("CUDA_VISIBLE_DEVICES");
    setenv("ROCR_VISIBLE_DEVICES", "", 1); /* of the other vendor */
    expect("/dev/nvidia0 /dev/nvidia1 /dev/nvidia2");
}

static void files_of_anything_do_no_harm(void **state)
{
    char long_line[4000];
    (void)state;
    memset(long_line, 'x', sizeof long_line - 1);
    long_line[sizeof long_line - 1] = '\0';
    memcpy(long_line, "Model:", 6);
    put("proc/driver/nvidia/gpus/a/information", long_line);
    put("proc/driver/nvidia/gpus/b/information", "Device Minor:\n");
    put("proc/driver/nvidia/gpus/c", "no folder");
    put("sys/class/kfd/kfd/topology/nodes/1/properties", "simd_count 1e9\ndrm_render_minor ../../../etc/passwd\n");
    put("dev/kfd", "");
    expect("");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_machine, remove_machine)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_machine_without_any),       TEST(cards_have_names_and_places),  TEST(what_cannot_be_opened_is_not_there),
        TEST(what_is_hidden_is_not_there), TEST(files_of_anything_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
