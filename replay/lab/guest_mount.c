// SPDX-License-Identifier: GPL-2.0-or-later
/* Mounts of a guest: see guest_mount.h. */
#include "replay/lab/guest_mount.h"

#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/swap.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "replay/lab/blockdev.h"
#include "replay/lab/bootparam.h"
#include "replay/lab/guest.h"
#include "util/cleanup.h"
#include "util/parse.h"
#include "util/progress.h"
#include "util/textfile.h"

#define CGROUPS     "/sys/fs/cgroup"
#define STEP_NS     10000000
#define DEVICE_NAME 32

/* In an order in which each has its folder. */
static const struct {
	const char *type, *dir, *options;
	int needed;
} mounts[] = {
	{ "proc", "/proc", NULL, 1 },
	{ "sysfs", "/sys", NULL, 1 },
	{ "devtmpfs", "/dev", NULL, 1 },
	{ "devpts", "/dev/pts", "mode=620,ptmxmode=666", 0 },
	{ "tmpfs", "/dev/shm", NULL, 0 },
	{ "tmpfs", "/tmp", NULL, 0 },
	{ "tmpfs", "/run", NULL, 0 },
	{ "cgroup2", CGROUPS, NULL, 0 },
	{ "debugfs", "/sys/kernel/debug", NULL, 0 },
	{ "tracefs", "/sys/kernel/tracing", NULL, 0 },
};

/* "+memory +io ...": all that the root has, one at a time, since one refusal refuses all. */
static void hand_down_controllers(void)
{
	auto_free char *text = NULL;
	char *rest, *word;

	if (pt_text_read("", CGROUPS "/cgroup.controllers", &text) < 0)
		return;
	rest = text;
	while ((word = pt_text_word(&rest))) {
		char enable[64];

		snprintf(enable, sizeof(enable), "+%s", word);
		(void)pt_text_write(CGROUPS "/cgroup.subtree_control", enable);
	}
}

int pt_guest_mount_system(struct pt_diag *diag)
{
	for (size_t i = 0; i < PT_ARRAY_SIZE(mounts); i++) {
		(void)mkdir(mounts[i].dir, 0755);
		if (mount(mounts[i].type, mounts[i].dir, mounts[i].type, 0, mounts[i].options) <
			    0 &&
		    mounts[i].needed && errno != EBUSY)
			return pt_diag_errno(diag, -errno, "cannot mount %s", mounts[i].dir);
	}
	hand_down_controllers();
	return 0;
}

static int has_serial(const char *device, const char *serial)
{
	auto_free char *text = NULL;
	char path[300];

	snprintf(path, sizeof(path), "/sys/block/%.255s/serial", device);
	if (pt_text_read("", path, &text) < 0)
		return 0;
	text[strcspn(text, "\n")] = '\0';
	return strcmp(text, serial) == 0;
}

/* The device in /sys/block that bears @serial, in @buf of DEVICE_NAME. 1, or 0: not there (yet). */
static int find_disk(const char *serial, char *buf)
{
	DIR *d = opendir("/sys/block");
	struct dirent *e;
	int found = 0;

	while (d && !found && (e = readdir(d)))
		if (e->d_name[0] != '.' && has_serial(e->d_name, serial))
			found = snprintf(buf, DEVICE_NAME, "%s", e->d_name) < DEVICE_NAME;
	if (d)
		closedir(d);
	return found;
}

/*
 * A file of the host's does not rotate, though virtio_blk says so. Kernels conclude from that how
 * to read ahead (newer ones 64 times as far), lay out files and cluster swap: said before any of
 * that.
 */
static void say_solid_state(const char *disk)
{
	char path[DEVICE_NAME + 40];

	snprintf(path, sizeof(path), "/sys/block/%s/queue/rotational", disk);
	(void)pt_text_write(path, "0");
}

static int wait_for_disk(const char *serial, uint64_t deadline_ns, char *buf, struct pt_diag *diag)
{
	const struct timespec step = { .tv_nsec = STEP_NS };
	char node[DEVICE_NAME + 8];

	do {
		if (find_disk(serial, buf)) {
			snprintf(node, sizeof(node), "/dev/%s", buf);
			if (access(node, F_OK) == 0) {
				say_solid_state(buf);
				return 0;
			}
		}
		(void)nanosleep(&step, NULL);
	} while (pt_now_ns() < deadline_ns);
	return pt_diag_set(
		diag, -ETIMEDOUT, PT_NO_OFFSET,
		"the kernel shows no disk: it has no block driver (virtio_blk, virtio_pci)");
}

/* Copy the disk to /dev/ram0 and say that it is the one to use. */
static int move_to_ram(char *disk, struct pt_diag *diag)
{
	char from[DEVICE_NAME + 8];
	int err;

	if (access("/dev/ram0", F_OK) < 0)
		return pt_diag_set(diag, -ENODEV, PT_NO_OFFSET, "the kernel has no ramdisk (brd)");
	snprintf(from, sizeof(from), "/dev/%s", disk);
	err = pt_blockdev_copy(from, "/dev/ram0", diag);
	if (!err)
		snprintf(disk, DEVICE_NAME, "ram0");
	return err;
}

static int mount_disk(const char *disk, const char *fs, struct pt_diag *diag)
{
	char node[DEVICE_NAME + 8];

	snprintf(node, sizeof(node), "/dev/%s", disk);
	(void)mkdir(PT_GUEST_MOUNT, 0755);
	if (mount(node, PT_GUEST_MOUNT, fs, 0, NULL) == 0)
		return 0;
	if (errno == ENODEV)
		return pt_diag_set(diag, -ENODEV, PT_NO_OFFSET, "the kernel has no file system %s",
				   fs);
	return pt_diag_errno(diag, -errno, "cannot mount %s as %s", node, fs);
}

int pt_guest_mount_disk(const char *cmdline, uint64_t deadline_ns, char *disk, size_t size,
			struct pt_diag *diag)
{
	char fs[32], on[8], name[DEVICE_NAME] = "";
	int err = 0;

	if (pt_bootparam_get(cmdline, "pagetape.fs", fs, sizeof(fs))) {
		err = wait_for_disk(PT_GUEST_DISK, deadline_ns, name, diag);
		if (!err && pt_bootparam_get(cmdline, "pagetape.ramdisk", on, sizeof(on)))
			err = move_to_ram(name, diag);
		if (!err)
			err = mount_disk(name, fs, diag);
	}
	if (!err)
		snprintf(disk, size, "%s", name);
	return err;
}

static int swap_on_zram(const char *size, struct pt_diag *diag)
{
	uint64_t bytes;
	int err;

	if (pt_parse_u64(size, &bytes) < 0)
		return pt_diag_set(diag, -EINVAL, PT_NO_OFFSET, "pagetape.swap=zram:%s is no size",
				   size);
	if (access("/dev/zram0", F_OK) < 0)
		return pt_diag_set(diag, -ENODEV, PT_NO_OFFSET, "the kernel has no zram");
	err = pt_text_write("/sys/block/zram0/disksize", size);
	if (err)
		return pt_diag_errno(diag, err, "cannot give zram %s bytes", size);
	err = pt_blockdev_make_swap("/dev/zram0", diag);
	if (!err && swapon("/dev/zram0", 0) < 0)
		return pt_diag_errno(diag, -errno, "cannot swap on zram");
	return err;
}

static int swap_on_disk(uint64_t deadline_ns, struct pt_diag *diag)
{
	char name[DEVICE_NAME], node[DEVICE_NAME + 8];
	int err = wait_for_disk(PT_GUEST_SWAP, deadline_ns, name, diag);

	if (err)
		return err;
	snprintf(node, sizeof(node), "/dev/%s", name);
	return swapon(node, 0) < 0 ? pt_diag_errno(diag, -errno, "cannot swap on %s", node) : 0;
}

int pt_guest_mount_swap(const char *cmdline, uint64_t deadline_ns, struct pt_diag *diag)
{
	char swap[64];

	if (!pt_bootparam_get(cmdline, "pagetape.swap", swap, sizeof(swap)))
		return 0;
	if (strcmp(swap, "disk") == 0)
		return swap_on_disk(deadline_ns, diag);
	if (strncmp(swap, "zram:", 5) == 0)
		return swap_on_zram(swap + 5, diag);
	return pt_diag_set(diag, -EINVAL, PT_NO_OFFSET, "pagetape.swap=%s is not known", swap);
}

/* Swap is left on: nothing in it is of use after us, and reading it back may take memory. */
void pt_guest_mount_end(void)
{
	sync();
	(void)umount2(PT_GUEST_MOUNT, 0);
}

uint64_t pt_guest_mount_room(const char *path)
{
	auto_free char *dir = strdup(path);
	char *slash = dir ? strrchr(dir, '/') : NULL;
	struct statfs fs;
	struct sysinfo si;

	if (!slash)
		return 0;
	slash[slash == dir] = '\0';
	if (statfs(dir, &fs) < 0 || sysinfo(&si) < 0)
		return 0;
	if (fs.f_type != RAMFS_MAGIC && fs.f_type != TMPFS_MAGIC)
		return UINT64_MAX; /* the file system itself knows its end */
	return (uint64_t)si.totalram * si.mem_unit / 2;
}
