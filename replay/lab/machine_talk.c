// SPDX-License-Identifier: GPL-2.0-or-later
/* Asking a machine's guest to do things: see machine.h. */
#include "replay/lab/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "replay/lab/machine_state.h"
#include "replay/lab/request.h"
#include "replay/lab/transfer.h"
#include "util/bytes.h"
#include "util/cleanup.h"
#include "util/outfile.h"
#include "util/progress.h"

#define INPUT_CHUNK 4096

/* What the guest's failure is to our caller: errnos that mean the machine's end are not its to use.
 */
static int of_guest(int err)
{
	return err == -ETIMEDOUT || err == -ENOTRECOVERABLE || err == -EBADMSG || err == -EINTR
		       ? -EIO
		       : err;
}

static int check_alive(const struct pt_machine *m, struct pt_diag *diag)
{
	return m->dead ? pt_diag_set(diag, -ENOTRECOVERABLE, PT_NO_OFFSET,
				     "the machine is not running any more")
		       : 0;
}

static int send_frame(struct pt_machine *m, enum pt_frame_type type, const void *data, size_t len,
		      struct pt_diag *diag)
{
	uint64_t deadline_ns = pt_machine_deadline(m, PT_MACHINE_SILENCE_S);
	int r = pt_channel_send(m->channel, type, data, len, deadline_ns, NULL);

	if (r == -E2BIG)
		return pt_diag_set(diag, r, PT_NO_OFFSET,
				   "what was asked of the guest is too long");
	return r < 0 ? pt_machine_lost(m, r, diag) : 0;
}

static int unexpected(struct pt_machine *m, const struct pt_frame *f, struct pt_diag *diag)
{
	m->dead = true;
	return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "the guest answers with %s",
			   pt_frame_name(f->type));
}

/* Wait for an answer of @type. 0 and *ret_f, or a failure. */
static int await(struct pt_machine *m, enum pt_frame_type type, struct pt_frame *ret_f,
		 struct pt_diag *diag)
{
	uint64_t deadline_ns = pt_machine_deadline(m, PT_MACHINE_SILENCE_S);
	int r = pt_machine_wait(m, deadline_ns, -1, ret_f, diag);

	if (r == -ETIMEDOUT)
		return pt_machine_lost(m, r, diag);
	if (r < 0)
		return r;
	if (ret_f->type == (uint32_t)type)
		return 0;
	if (ret_f->type == PT_FRAME_FAIL)
		return of_guest(pt_frame_failure(ret_f, diag));
	return unexpected(m, ret_f, diag);
}

static int is_end(int err)
{
	return err == -EPIPE || err == -ENODATA || err == -ECONNRESET || err == -ETIMEDOUT ||
	       err == -EINTR || err == -EBADMSG;
}

/* The verdict on a transfer's failure @err: the file's own, the guest's, or the end. */
static int judge_transfer(struct pt_machine *m, int err, const struct pt_diag *why,
			  struct pt_diag *diag)
{
	if (is_end(err))
		return pt_machine_lost(m, err, diag);
	if (diag && !diag->text[0])
		*diag = *why;
	return err;
}

/* ---- Files */

static unsigned int transfer_limit_s(const struct pt_machine *m)
{
	return m->opt.transfer_limit_s ? m->opt.transfer_limit_s : PT_MACHINE_TRANSFER_S;
}

/* When the next frame is due of a transfer that ends at @end_ns: silence is shorter. */
static uint64_t frame_deadline(const struct pt_machine *m, uint64_t end_ns)
{
	uint64_t deadline_ns = pt_machine_deadline(m, PT_MACHINE_SILENCE_S);

	return deadline_ns < end_ns ? deadline_ns : end_ns;
}

/* A guest that goes on and on is as lost as a silent one. */
static int transfer_too_long(struct pt_machine *m, struct pt_diag *diag)
{
	m->dead = true;
	return pt_diag_set(diag, -ETIMEDOUT, PT_NO_OFFSET, "its transfer is not done after %u s",
			   transfer_limit_s(m));
}

/* All of @fd. *ret_judged: the failure has its verdict already, else *@why is for it. */
static int send_parts(struct pt_machine *m, int fd, struct pt_diag *why, bool *ret_judged,
		      struct pt_diag *diag)
{
	uint64_t end_ns = pt_now_ns() + transfer_limit_s(m) * PT_SECOND_NS;
	int r;

	*ret_judged = true;
	do {
		if (pt_now_ns() >= end_ns)
			return transfer_too_long(m, diag);
		r = pt_machine_mind_console(m, diag);
		if (r < 0)
			return r;
		r = pt_transfer_send_part(m->channel, fd, frame_deadline(m, end_ns), why);
	} while (r > 0);
	if (r == -ETIMEDOUT && pt_now_ns() >= end_ns)
		return transfer_too_long(m, diag);
	*ret_judged = false;
	return r;
}

static int send_file(struct pt_machine *m, int fd, struct pt_diag *diag)
{
	struct pt_diag why = PT_DIAG_INIT;
	struct pt_frame f;
	bool judged;
	int r = send_parts(m, fd, &why, &judged, diag);

	if (judged)
		return r;
	if (r == 0)
		return await(m, PT_FRAME_DONE, &f, diag);
	/* Our file cannot be read: the guest drops what it has, and answers. */
	if (!is_end(r) &&
	    pt_channel_send_fail(m->channel, r, &why,
				 pt_machine_deadline(m, PT_MACHINE_SILENCE_S)) == 0 &&
	    await(m, PT_FRAME_DONE, &f, NULL) == 0)
		return unexpected(m, &f, diag);
	return judge_transfer(m, r, &why, diag);
}

int pt_machine_put(struct pt_machine *m, const char *host_path, const char *guest_path,
		   struct pt_diag *diag)
{
	auto_close int fd = open(host_path, O_RDONLY | O_CLOEXEC);
	struct pt_buf b = { 0 };
	struct stat st;
	int r = check_alive(m, diag);

	if (r < 0)
		return r;
	if (fd < 0 || fstat(fd, &st) < 0)
		return pt_diag_file(diag, pt_diag_errno(diag, -errno, "cannot be read"), host_path);
	r = pt_put_request_format(st.st_mode & 0777, guest_path, &b);
	if (r == 0)
		r = send_frame(m, PT_FRAME_PUT, b.data, b.len, diag);
	pt_buf_done(&b);
	if (r == 0)
		r = send_file(m, fd, diag);
	return r < 0 ? pt_diag_file(diag, r, guest_path) : 0;
}

static int receive_file(struct pt_machine *m, int fd, uint64_t max_bytes, struct pt_diag *diag)
{
	uint64_t end_ns = pt_now_ns() + transfer_limit_s(m) * PT_SECOND_NS;
	struct pt_transfer t = { .fd = fd, .max_bytes = max_bytes };
	struct pt_diag why = PT_DIAG_INIT;
	struct pt_frame f;
	int r;

	do {
		r = pt_machine_wait(m, frame_deadline(m, end_ns), -1, &f, diag);
		if (pt_now_ns() >= end_ns && (r == -ETIMEDOUT || r > 0))
			return transfer_too_long(m, diag);
		if (r == -ETIMEDOUT)
			return pt_machine_lost(m, r, diag);
		if (r < 0)
			return r;
		r = pt_transfer_take(&t, &f, &why);
	} while (r == 0);
	return r < 0 ? judge_transfer(m, r, &why, diag) : 0;
}

int pt_machine_get(struct pt_machine *m, const char *guest_path, const char *host_path,
		   uint64_t max_bytes, struct pt_diag *diag)
{
	struct pt_outfile out = PT_OUTFILE_INIT;
	int r = check_alive(m, diag);

	if (r == 0)
		r = pt_outfile_open(&out, host_path, 0644, diag);
	if (r < 0)
		return r;
	r = send_frame(m, PT_FRAME_GET, guest_path, strlen(guest_path), diag);
	if (r == 0)
		r = receive_file(m, out.fd, max_bytes, diag);
	if (r < 0)
		pt_diag_file(diag, r, guest_path);
	else
		r = pt_outfile_commit(&out, diag);
	pt_outfile_done(&out, 0);
	return r;
}

/* ---- Knobs and state */

int pt_machine_knob(struct pt_machine *m, const char *setting, struct pt_diag *diag)
{
	struct pt_frame f;
	int r = check_alive(m, diag);

	if (r == 0)
		r = send_frame(m, PT_FRAME_KNOB, setting, strlen(setting), diag);
	return r < 0 ? r : await(m, PT_FRAME_DONE, &f, diag);
}

int pt_machine_state(struct pt_machine *m, json_t **ret_doc, struct pt_diag *diag)
{
	struct pt_frame f;
	json_t *doc;
	int r = check_alive(m, diag);

	if (r == 0)
		r = send_frame(m, PT_FRAME_STAT, NULL, 0, diag);
	if (r == 0)
		r = await(m, PT_FRAME_STATE, &f, diag);
	if (r < 0)
		return r;
	doc = json_loadb((const char *)f.data, f.len, JSON_REJECT_DUPLICATES, NULL);
	if (!json_is_object(doc)) {
		json_decref(doc);
		m->dead = true;
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "the guest's state is no JSON");
	}
	*ret_doc = doc;
	return 0;
}

/* ---- Commands */

struct run {
	struct pt_machine *m;
	const struct pt_machine_command *c;
	int in_fd; /* -1 once it ended */
	struct winsize shown;
	uint64_t deadline_ns;
	uint64_t out_bytes, err_bytes; /* said so far */
	bool killed, refused;          /* by us; by the guest, which is of use all the same */
};

static int start_command(struct run *r, struct pt_diag *diag)
{
	const struct pt_machine_command *c = r->c;
	const struct pt_run_request q = {
		.flags = (c->in_fd >= 0 ? PT_RUN_INPUT : 0) | (c->terminal ? PT_RUN_TTY : 0),
		.cwd = c->cwd ? c->cwd : "",
		.argv = c->argv,
		.env = c->env,
	};
	struct pt_buf b = { 0 };
	int err = pt_run_request_format(&q, &b);

	if (err < 0)
		pt_diag_set(diag, err, PT_NO_OFFSET, "the command is too long for a guest");
	else
		err = send_frame(r->m, PT_FRAME_RUN, b.data, b.len, diag);
	pt_buf_done(&b);
	return err;
}

/* Tell the size of our terminal where it is not the one told last. */
static int send_window(struct run *r, struct pt_diag *diag)
{
	struct winsize now;
	uint8_t data[8];

	if (!r->c->terminal || r->in_fd < 0 || ioctl(r->in_fd, TIOCGWINSZ, &now) < 0 ||
	    (now.ws_row == r->shown.ws_row && now.ws_col == r->shown.ws_col))
		return 0;
	r->shown = now;
	le32_put(data, now.ws_row);
	le32_put(data + 4, now.ws_col);
	return send_frame(r->m, PT_FRAME_WINDOW, data, sizeof(data), diag);
}

static int send_input(struct run *r, struct pt_diag *diag)
{
	uint8_t data[INPUT_CHUNK];
	ssize_t n = read(r->in_fd, data, sizeof(data));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (n <= 0) {
		n = 0;
		r->in_fd = -1;
	}
	return send_frame(r->m, PT_FRAME_IN, data, (size_t)n, diag);
}

/* Its time is over: end it, and give the guest a last while to say so. */
static int out_of_time(struct run *r, struct pt_diag *diag)
{
	uint8_t data[4];

	if (r->killed)
		return pt_machine_lost(r->m, -ETIMEDOUT, diag);
	r->killed = true;
	r->deadline_ns = pt_machine_deadline(r->m, PT_MACHINE_SILENCE_S);
	le32_put(data, SIGKILL);
	return send_frame(r->m, PT_FRAME_SIGNAL, data, sizeof(data), diag);
}

static int pass_output(const struct run *run, int fd, uint64_t *bytes, const struct pt_frame *f,
		       struct pt_diag *diag)
{
	uint64_t max = run->c->output_max_bytes;
	int r;

	if (fd < 0)
		return 0;
	*bytes += f->len;
	if (max && *bytes > max)
		return pt_diag_set(diag, -E2BIG, PT_NO_OFFSET, "%s: more than %llu bytes of output",
				   run->c->argv[0], (unsigned long long)max);
	r = pt_write_all(fd, f->data, f->len);
	return r < 0 ? pt_diag_errno(diag, r, "cannot write what the guest's command says") : 0;
}

/* One frame of a running command. 1: it has ended; 0: it goes on. */
static int take_frame(struct run *r, const struct pt_frame *f, int *ret_status,
		      struct pt_diag *diag)
{
	switch (f->type) {
	case PT_FRAME_OUT:
		return pass_output(r, r->c->out_fd, &r->out_bytes, f, diag);
	case PT_FRAME_ERR:
		return pass_output(r, r->c->err_fd, &r->err_bytes, f, diag);
	case PT_FRAME_FAIL:
		r->refused = true;
		return of_guest(pt_frame_failure(f, diag));
	case PT_FRAME_EXIT:
		if (f->len != 4)
			return unexpected(r->m, f, diag);
		*ret_status = (int)le32_get(f->data);
		return 1;
	default:
		return unexpected(r->m, f, diag);
	}
}

/* A write of output that failed leaves the command running: nothing more can be asked then. */
static int follow_command(struct run *r, int *ret_status, struct pt_diag *diag)
{
	struct pt_frame f;
	int got, err;

	do {
		got = pt_machine_wait(r->m, r->deadline_ns, r->in_fd, &f, diag);
		if (got == -ETIMEDOUT)
			err = out_of_time(r, diag);
		else if (got < 0)
			return got;
		else if (got == 0)
			err = send_input(r, diag);
		else
			err = take_frame(r, &f, ret_status, diag);
		if (err == 0)
			err = send_window(r, diag);
	} while (err == 0);
	if (err < 0 && !r->refused)
		r->m->dead = true;
	return err < 0 ? err : 0;
}

int pt_machine_run(struct pt_machine *m, const struct pt_machine_command *c, int *ret_status,
		   struct pt_diag *diag)
{
	struct run r = { .m = m,
			 .c = c,
			 .in_fd = c->in_fd,
			 .deadline_ns = c->limit_s ? pt_now_ns() + c->limit_s * PT_SECOND_NS
						   : PT_NO_DEADLINE };
	int status = 0, err = check_alive(m, diag);

	if (err < 0)
		return err;
	if (!c->limit_s && !c->terminal)
		return pt_diag_set(diag, -EINVAL, PT_NO_OFFSET, "a command in a guest has a limit");
	err = start_command(&r, diag);
	if (err == 0)
		err = send_window(&r, diag);
	if (err == 0)
		err = follow_command(&r, &status, diag);
	if (err < 0)
		return err;
	if (r.killed)
		return pt_diag_set(diag, -ETIME, PT_NO_OFFSET, "%s: not done after %u s",
				   c->argv[0], c->limit_s);
	*ret_status = status;
	return 0;
}
