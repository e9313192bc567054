// SPDX-License-Identifier: GPL-2.0-or-later
/* Process 1 of a guest: see guest.h. */
#include "replay/lab/guest.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "replay/lab/bootparam.h"
#include "replay/lab/guest_module.h"
#include "replay/lab/guest_mount.h"
#include "replay/lab/guest_port.h"
#include "replay/lab/guest_session.h"
#include "util/cleanup.h"
#include "util/parse.h"
#include "util/progress.h"
#include "util/textfile.h"

#define WAIT_S 60 /* for devices: a guest is emulated, and its host may be busy */

struct guest {
	char *cmdline;
	char disk[32]; /* "" where there is none */
	int sigchld;
	struct pt_channel *channel;
};

static const char *const environment[] = {
	"PATH=/bin:/sbin:/usr/bin:/usr/sbin:/usr/local/bin:/usr/local/sbin",
	"HOME=/",
	"TERM=linux",
	"TMPDIR=/tmp",
};

/* On the console, which the host reads, whatever this process has for descriptors. */
static void complain(int err, const struct pt_diag *diag)
{
	auto_close int fd = open("/dev/console", O_WRONLY | O_CLOEXEC | O_NOCTTY);
	char text[600];

	pt_diag_format(diag, err, text, sizeof(text));
	dprintf(fd >= 0 ? fd : STDERR_FILENO, "\n" PT_GUEST_FAILED "%s\n", text);
}

/* A kernel that finds no console starts its init without descriptors; pipes must not become them.
 */
static void fill_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

static int open_signals(struct guest *g, struct pt_diag *diag)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	g->sigchld = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return g->sigchld < 0 ? pt_diag_errno(diag, -errno, "cannot wait for signals") : 0;
}

static uint64_t wait_limit(const char *cmdline)
{
	char text[24];
	uint64_t s = WAIT_S;

	if (pt_bootparam_get(cmdline, "pagetape.wait", text, sizeof(text)))
		(void)pt_parse_u64(text, &s);
	return pt_now_ns() + (s < 86400 ? s : 86400) * 1000000000;
}

static int open_channel(struct guest *g, uint64_t deadline_ns, struct pt_diag *diag)
{
	int fd, err = pt_guest_port_open(deadline_ns, &fd, diag);

	return err ? err : pt_channel_new(fd, NULL, &g->channel);
}

static int prepare(struct guest *g, struct pt_diag *diag)
{
	uint64_t deadline;
	int err;

	for (size_t i = 0; i < PT_ARRAY_SIZE(environment); i++)
		(void)putenv((char *)environment[i]);
	err = pt_guest_mount_system(diag);
	fill_descriptors();
	if (!err)
		err = open_signals(g, diag);
	if (!err && pt_text_read("", "/proc/cmdline", &g->cmdline) < 0)
		err = pt_diag_set(diag, -EIO, PT_NO_OFFSET, "cannot read /proc/cmdline");
	if (!err)
		err = pt_guest_module_load_all(g->cmdline, diag);
	if (err)
		return err;
	deadline = wait_limit(g->cmdline);
	err = open_channel(g, deadline, diag);
	if (!err)
		err = pt_guest_mount_disk(g->cmdline, deadline, g->disk, sizeof(g->disk), diag);
	if (!err)
		err = pt_guest_mount_swap(g->cmdline, deadline, diag);
	return err;
}

/* Where there is no ACPI the kernel could only halt; a reset ends the machine as well. */
static void __attribute__((noreturn)) end_machine(void)
{
	sync();
	(void)kill(-1, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
	pt_guest_mount_end();
	(void)reboot(access("/sys/firmware/acpi", F_OK) == 0 ? RB_POWER_OFF : RB_AUTOBOOT);
	(void)reboot(RB_AUTOBOOT);
	_exit(1); /* panics, which the host notices */
}

void pt_guest_main(void)
{
	struct pt_diag diag = PT_DIAG_INIT;
	struct guest g = { .sigchld = -1 };
	int err = prepare(&g, &diag);

	if (!err) {
		struct pt_knob_place place = { .root = "", .disk = g.disk[0] ? g.disk : NULL };

		err = pt_guest_session(g.channel, &place, g.sigchld, &diag);
	}
	if (err)
		complain(err, &diag);
	end_machine();
}
