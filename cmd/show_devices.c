/* poula show devices. */
#include "show.h"

#include "device/device.h"

#include <stdio.h>

enum { MOST_ACCELERATORS = 64 };

/* The instruction sets that a device has kernels for and that this machine has; below them the one in force. */
static void print_device(const struct pl_device_type *type, const char *help)
{
    struct pl_text sets = {0};
    for (int isa = 0; type->has_kernels && isa <= (int)pl_host_isa_own(); isa++)
        if (type->has_kernels((enum pl_isa)isa))
            pl_text_addf(&sets, "%s%s", sets.length ? " " : "", pl_isa_name((enum pl_isa)isa));
    printf("%-8s %-10s %-18s %-9s %s\n", type->name, type->element == PL_FLOAT32 ? "float" : "double",
           sets.length ? pl_text(&sets) : "-", type->has_kernels ? pl_isa_name(pl_host_isa()) : "-", help);
    pl_text_release(&sets);
}

int pl_show_devices(void)
{
    struct pl_accelerator accelerators[MOST_ACCELERATORS];
    char cpu[256];
    size_t count = pl_host_accelerators(accelerators, MOST_ACCELERATORS);
    printf("%-8s %-10s %-18s %-9s\n", "device", "precision", "instruction sets", "in force");
    for (size_t i = 0; i < pl_device_registry.count; i++)
        print_device(pl_device_type_at(i), pl_device_help(i));
    pl_host_cpu(cpu, sizeof cpu);
    puts("\nthis machine");
    pl_cmd_line(stdout, "  processor      %s", cpu);
    printf("  threads        %d\n", pl_host_cores());
    printf("  memory         %.1f GiB free\n", (double)pl_host_memory_free() / (1 << 30));
    if (!count)
        puts("  accelerators   none");
    for (size_t i = 0; i < count && i < MOST_ACCELERATORS; i++)
        pl_cmd_line(stdout, "  %-14s %s (%s)", i ? "" : "accelerators", accelerators[i].name, accelerators[i].place);
    if (count)
        puts("\nNo device of poula computes on accelerators; programs that a sweep starts may.");
    return 0;
}
