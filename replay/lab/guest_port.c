// SPDX-License-Identifier: GPL-2.0-or-later
/* Finding the port by its name in sysfs: see guest_port.h. */
#include "replay/lab/guest_port.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "replay/lab/channel.h"
#include "util/cleanup.h"
#include "util/progress.h"
#include "util/textfile.h"

#define PORTS   "/sys/class/virtio-ports"
#define STEP_NS 10000000

static int is_ours(const char *port)
{
	auto_free char *text = NULL;
	char path[512];

	snprintf(path, sizeof(path), PORTS "/%s/name", port);
	if (pt_text_read("", path, &text) < 0)
		return 0;
	text[strcspn(text, "\n")] = '\0';
	return strcmp(text, PT_CHANNEL_PORT) == 0;
}

/* The port's name in /dev. Returns 1, or 0 where it is not there (yet). */
static int find_port(char *buf, size_t size)
{
	DIR *d = opendir(PORTS);
	struct dirent *e;
	int found = 0;

	while (d && !found && (e = readdir(d)))
		if (e->d_name[0] != '.' && is_ours(e->d_name))
			found = snprintf(buf, size, "/dev/%s", e->d_name) < (int)size;
	if (d)
		closedir(d);
	return found;
}

/* Without a host at the other end the port reports a hang-up. */
static int is_attended(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) >= 0 && !(p.revents & POLLHUP);
}

int pt_guest_port_open(uint64_t deadline_ns, int *ret_fd, struct pt_diag *diag)
{
	const struct timespec step = { .tv_nsec = STEP_NS };
	auto_close int fd = -1;
	char path[280];

	while (fd < 0 || !is_attended(fd)) {
		if (pt_now_ns() >= deadline_ns)
			return pt_diag_set(diag, -ETIMEDOUT, PT_NO_OFFSET,
					   fd < 0 ? "there is no port " PT_CHANNEL_PORT
						    " (virtio_pci, virtio_console)"
						  : "nobody is at the host's end of the channel");
		if (fd < 0 && find_port(path, sizeof(path)))
			fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
		else
			(void)nanosleep(&step, NULL);
	}
	*ret_fd = steal_fd(&fd);
	return 0;
}
