/* processes.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "processes.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel-stages.h"

static bool
is_named(const char *path, const char *name)
{
    char line[PROCESS_NAME_BYTES + 1] = "";
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    if (fgets(line, sizeof(line), file))
        line[strcspn(line, "\n")] = '\0';
    fclose(file);
    return !strcmp(line, name);
}

static bool
has_pid(unsigned int pid)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%u", pid);
    return !access(path, F_OK) || access("/proc/self", F_OK);
}

static bool
has_name(const char *name)
{
    glob_t found;
    bool has = false;
    if (glob("/proc/[0-9]*/task/[0-9]*/comm", GLOB_NOSORT, NULL, &found))
        return true;
    for (size_t i = 0; i < found.gl_pathc && !has; i++)
        has = is_named(found.gl_pathv[i], name);
    globfree(&found);
    return has;
}

bool
processes_have(unsigned int pid, const char *name)
{
    return pid ? has_pid(pid) : has_name(name);
}

bool
processes_are_renumbered(uint64_t *device, uint64_t *inode)
{
    enum { FIRST = 0xeffffffc }; /* PROC_PID_INIT_INO in the kernel's include/linux/proc_ns.h */
    struct stat status;
    if (stat("/proc/self/ns/pid", &status) || status.st_ino == FIRST)
        return false;
    *device = status.st_dev;
    *inode = status.st_ino;
    return true;
}
