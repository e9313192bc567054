// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames to deeds: see guest_session.h. */
#include "replay/lab/guest_session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replay/lab/guest_command.h"
#include "replay/lab/guest_identity.h"
#include "replay/lab/guest_mount.h"
#include "replay/lab/request.h"
#include "replay/lab/transfer.h"
#include "util/cleanup.h"

#define SILENCE_NS 600000000000 /* within a file: the host is dead, though its end is open */

struct session {
	struct pt_channel *c;
	const struct pt_knob_place *place;
	int sigchld;
};

static int send_json(struct pt_channel *c, enum pt_frame_type type, json_t *stolen,
		     struct pt_diag *diag)
{
	auto_free char *text = stolen ? json_dumps(stolen, JSON_COMPACT) : NULL;

	json_decref(stolen);
	if (!text)
		return pt_diag_errno(diag, -ENOMEM, "cannot send %s", pt_frame_name(type));
	return pt_channel_send(c, type, text, strlen(text), PT_NO_DEADLINE, diag);
}

/* DONE with @text, or FAIL. */
static int answer(struct session *s, int err, const char *text, const struct pt_diag *d)
{
	if (err)
		return pt_channel_send_fail(s->c, err, d, PT_NO_DEADLINE);
	return pt_channel_send(s->c, PT_FRAME_DONE, text, strlen(text), PT_NO_DEADLINE, NULL);
}

/* Make the folders on the way to @path. What fails here shows when the file is opened. */
static void make_parents(const char *path)
{
	auto_free char *copy = strdup(path);

	for (char *p = copy ? copy + 1 : NULL; p && (p = strchr(p, '/')); p++) {
		*p = '\0';
		(void)mkdir(copy, 0755);
		*p = '/';
	}
}

/* The file is taken in whole, wherever it goes: the channel must stay of use. */
static int put(struct session *s, const struct pt_frame *f)
{
	struct pt_diag diag = PT_DIAG_INIT;
	auto_free char *path = NULL;
	auto_close int fd = -1;
	const char *name;
	uint32_t mode = 0;
	int err = pt_put_request_parse(f, &mode, &name, &diag), failed;

	if (!err) {
		path = strdup(name);
		err = path ? 0 : -ENOMEM;
	}
	if (!err) {
		make_parents(path);
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, mode);
		if (fd < 0 || fchmod(fd, mode) < 0)
			err = pt_diag_errno(&diag, -errno, "cannot be created");
	}
	failed = pt_transfer_receive(s->c, fd, err ? 0 : pt_guest_mount_room(path), SILENCE_NS,
				     NULL, err ? NULL : &diag);
	if (!err)
		err = failed;
	if (!err && close(steal_fd(&fd)) < 0)
		err = pt_diag_errno(&diag, -errno, "cannot be written");
	return answer(s, err, "", &diag);
}

static int get(struct session *s, const struct pt_frame *f)
{
	struct pt_diag diag = PT_DIAG_INIT;
	auto_close int fd = -1;
	struct stat st;
	const char *path = "";
	int err = pt_path_parse(f, &path, &diag);

	if (!err) {
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		if (fd < 0 || fstat(fd, &st) < 0)
			err = pt_diag_errno(&diag, -errno, "cannot be opened");
		else if (!S_ISREG(st.st_mode))
			err = pt_diag_set(&diag, -EINVAL, PT_NO_OFFSET, "is no regular file");
	}
	if (!err)
		err = pt_transfer_send(s->c, fd, SILENCE_NS, &diag);
	return err ? pt_channel_send_fail(s->c, err, &diag, PT_NO_DEADLINE) : 0;
}

static int knob(struct session *s, const struct pt_frame *f)
{
	struct pt_diag diag = PT_DIAG_INIT;
	auto_free char *before = NULL;
	int err = pt_knob_set(s->place, (const char *)f->data, &before, &diag);

	return answer(s, err, before ? before : "", &diag);
}

/* One request. Returns 1 after OFF, 0, or -errno that ends the session. */
static int obey(struct session *s, const struct pt_frame *f, struct pt_diag *diag)
{
	int err;

	switch (f->type) {
	case PT_FRAME_PUT:
		return put(s, f);
	case PT_FRAME_GET:
		return get(s, f);
	case PT_FRAME_RUN:
		return pt_guest_command_run(s->c, f, s->sigchld);
	case PT_FRAME_KNOB:
		return knob(s, f);
	case PT_FRAME_STAT:
		return send_json(s->c, PT_FRAME_STATE, pt_guest_state(s->place), diag);
	case PT_FRAME_OFF:
		err = answer(s, 0, "", NULL);
		return err ? err : 1;
	case PT_FRAME_SIGNAL:
	case PT_FRAME_IN:
	case PT_FRAME_WINDOW:
		return 0; /* for a command that has just ended */
	default:
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "the host sent %s",
				   pt_frame_name(f->type));
	}
}

/* The next frame, reaping orphans meanwhile. As pt_channel_receive(). */
static int next_request(struct session *s, struct pt_frame *ret_f, struct pt_diag *diag)
{
	int ignored;

	while (!pt_channel_pending(s->c)) {
		struct pollfd p[] = { { pt_channel_fd(s->c), POLLIN, 0 },
				      { s->sigchld, POLLIN, 0 } };

		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return pt_diag_errno(diag, -errno, "cannot wait");
		if (p[1].revents)
			(void)pt_guest_command_reap(s->sigchld, 0, &ignored);
		if (p[0].revents)
			break;
	}
	return pt_channel_receive(s->c, PT_NO_DEADLINE, ret_f, diag);
}

int pt_guest_session(struct pt_channel *c, const struct pt_knob_place *place, int sigchld,
		     struct pt_diag *diag)
{
	struct session s = { .c = c, .place = place, .sigchld = sigchld };
	int err = send_json(c, PT_FRAME_HELLO, pt_guest_identity(place), diag);

	while (!err) {
		struct pt_frame f;

		err = next_request(&s, &f, diag);
		if (err <= 0)
			return err;
		err = obey(&s, &f, diag);
	}
	return err > 0 ? 0 : err;
}
