// SPDX-License-Identifier: GPL-2.0-or-later
/* A lab's run: see cell.h. */
#include "replay/lab/cell.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/result.h"
#include "replay/lab/cachedir.h"
#include "replay/lab/kconfig.h"
#include "replay/lab/leftovers.h"
#include "replay/lab/rawterm.h"
#include "util/cleanup.h"
#include "util/json.h"
#include "util/printable.h"
#include "util/text.h"
#include "util/textfile.h"

#define FETCH_MAX_BYTES  (UINT64_C(64) << 30)
#define OUTPUT_MAX_BYTES (UINT64_C(1) << 30) /* what a command says, beside what is fetched */
#define TAIL_LINES       20                  /* of a console that a failure shows */
#define TAIL_BYTES       4096
#define SHELL_FOLDER     "pagetape-shell-XXXXXX"

/* ---- Folders */

static char *suffixed(const char *dir, const char *suffix)
{
	char *path;

	return pt_text_format(&path, "%s%s", dir, suffix) < 0 ? NULL : path;
}

/* Give the folder its final name, with all that is in it on the disk. */
static int publish(const char *part, const char *dir, struct pt_diag *diag)
{
	auto_close int fd = open(part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = 0;

	pt_leftovers_remove_cell(dir);
	if (fd < 0 || syncfs(fd) < 0 || rename(part, dir) < 0)
		r = pt_diag_errno(diag, -errno, "cannot finish it");
	return r < 0 ? pt_diag_file(diag, r, dir) : 0;
}

/* ---- What went wrong */

/* The end of a text, which a guest may have made as long as it likes. To be freed; NULL: none. */
static char *read_end(const char *dir, const char *name)
{
	auto_free char *path = pt_text_path(dir, name), *text = calloc(1, TAIL_BYTES + 1);
	auto_close int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	off_t end = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	ssize_t n;

	if (!text || end < 0)
		return NULL;
	n = pread(fd, text, TAIL_BYTES, end > TAIL_BYTES ? end - TAIL_BYTES : 0);
	for (ssize_t i = 0; i < n; i++)
		if (!text[i])
			text[i] = '?';
	return steal_ptr(text);
}

/* The last lines of a console's log as a list. */
static json_t *console_tail(const char *part)
{
	auto_free char *text = read_end(part, "console.log");
	char *rest = text, *line;
	json_t *list = json_array();

	while (rest && (line = pt_text_line(&rest))) {
		json_t *item;

		line[strcspn(line, "\r")] = '\0';
		item = json_string(pt_make_printable(line));
		json_array_append_new(list, item ? item : json_string("(not text)"));
		if (json_array_size(list) > TAIL_LINES)
			json_array_remove(list, 0);
	}
	return list;
}

static void leave_failure(const struct pt_cell *c, const char *part, int err,
			  const struct pt_diag *diag)
{
	auto_free char *failed = suffixed(c->dir, ".failed"),
		       *path = pt_text_path(part, "failed.json");
	json_t *doc = pt_json_document("lab-failure", NULL);
	char text[640];

	pt_json_set_string(doc, "error", pt_diag_format(diag, err, text, sizeof(text)));
	pt_json_set(doc, "lab", json_incref(c->lab));
	pt_json_set(doc, "console", console_tail(part));
	if (failed && path && pt_result_save(path, doc, NULL) == 0)
		(void)publish(part, failed, NULL);
	json_decref(doc);
}

/* The last line that the command said, or what its status means. */
static int command_failed(const char *part, const char *what, int status, struct pt_diag *diag)
{
	auto_free char *text = read_end(part, "stderr");
	char *rest = text, *line, *last = NULL;

	while (rest && (line = pt_text_line(&rest)))
		if (*line)
			last = line;
	if (WIFSIGNALED(status))
		return pt_diag_set(diag, -EIO, PT_NO_OFFSET, "%s was killed by signal %d%s%s", what,
				   WTERMSIG(status), last ? ": " : "", last ? last : "");
	return pt_diag_set(diag, -EIO, PT_NO_OFFSET, "%s ended with %d%s%s", what,
			   WEXITSTATUS(status), last ? ": " : "", last ? last : "");
}

/* ---- In the guest */

static int open_in(const char *dir, const char *name, struct pt_diag *diag)
{
	auto_free char *path = pt_text_path(dir, name);
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : -1;

	return fd < 0 ? pt_diag_file(diag, pt_diag_errno(diag, -errno, "cannot make it"), path)
		      : fd;
}

static int prepare(const struct pt_cell *c, struct pt_machine *m, const char *part,
		   struct pt_diag *diag)
{
	const struct pt_cell_file *f = c->put;
	auto_close int err_fd = -1;
	int status, r = 0;

	for (const char *const *k = c->knobs; r == 0 && k && *k; k++)
		r = pt_machine_knob(m, *k, diag);
	for (size_t i = 0; r == 0 && i < c->candidate->nsets; i++)
		r = pt_machine_knob(m, c->candidate->sets[i], diag);
	for (; r == 0 && f && f->guest; f++)
		r = pt_machine_put(m, f->host, f->guest, diag);
	if (r < 0 || !c->prepare)
		return r;
	err_fd = open_in(part, "stderr", diag);
	if (err_fd < 0)
		return err_fd;
	r = pt_machine_run(m,
			   &(struct pt_machine_command){ .argv = c->prepare,
							 .cwd = c->cwd,
							 .in_fd = -1,
							 .out_fd = -1,
							 .err_fd = err_fd,
							 .output_max_bytes = OUTPUT_MAX_BYTES,
							 .limit_s = c->limit_s },
			   &status, diag);
	if (r == 0 && status)
		r = command_failed(part, c->prepare[0], status, diag);
	return r;
}

static int measure(const struct pt_cell *c, struct pt_machine *m, const char *part, int *ret_status,
		   struct pt_diag *diag)
{
	auto_close int out_fd = open_in(part, "stdout", diag);
	auto_close int err_fd = out_fd < 0 ? -1 : open_in(part, "stderr", diag);
	const struct pt_machine_command cmd = { .argv = c->argv,
						.cwd = c->cwd,
						.in_fd = -1,
						.out_fd = out_fd,
						.err_fd = err_fd,
						.output_max_bytes = OUTPUT_MAX_BYTES,
						.limit_s = c->limit_s };
	int status, r;

	if (out_fd < 0 || err_fd < 0)
		return out_fd < 0 ? out_fd : err_fd;
	r = pt_machine_run(m, &cmd, &status, diag);
	if (r < 0)
		return r;
	/* 3: done, but not all of it is as it should be; the results say what. */
	if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 3))
		return command_failed(part, c->argv[0], status, diag);
	*ret_status = WEXITSTATUS(status);
	return 0;
}

static int fetch(const struct pt_cell *c, struct pt_machine *m, const char *part,
		 struct pt_diag *diag)
{
	int r = 0;

	for (const struct pt_cell_file *f = c->get; r == 0 && f && f->guest; f++) {
		auto_free char *path = pt_text_path(part, f->host);
		struct pt_diag why = PT_DIAG_INIT;

		r = path ? pt_machine_get(m, f->guest, path, FETCH_MAX_BYTES, &why) : -ENOMEM;
		if (f->may_fail && r == -ENOENT)
			r = 0;
		if (r < 0 && diag)
			*diag = why;
	}
	return r;
}

/* Boot to power off. The machine's own word on itself in *@ret_hello. */
static int have_it_done(const struct pt_cell *c, const char *part, int *ret_status,
			json_t **ret_hello, struct pt_diag *diag)
{
	struct pt_machine_options opt = *c->machine;
	struct pt_machine *m = NULL;
	int r;

	opt.dir = part;
	opt.transfer_limit_s = c->limit_s;
	r = pt_machine_boot(&opt, &m, diag);
	if (r < 0)
		return r;
	r = prepare(c, m, part, diag);
	if (r == 0)
		r = pt_machine_state(m, ret_hello, diag); /* with the knobs as they are set */
	if (r == 0)
		r = measure(c, m, part, ret_status, diag);
	if (r == 0)
		r = fetch(c, m, part, diag);
	if (r == 0)
		r = pt_machine_off(m, diag);
	pt_machine_free(m);
	return r;
}

/* ---- The result */

/* Kernels that do not tell their configuration: what lies beside the image, which it was built
 * with.
 */
static void set_config(json_t *o, const struct pt_image *image)
{
	json_t *config = NULL;

	if (json_is_object(json_object_get(o, "config"))) {
		pt_json_set_string(o, "config_source", "/proc/config.gz");
		return;
	}
	if (image->config && pt_kconfig_read(image->config, &config, NULL) == 0)
		pt_json_set(o, "config", config);
	pt_json_set_string(o, "config_source", config ? image->config : NULL);
}

static json_t *identity(const json_t *state, const struct pt_image *image)
{
	static const char *const keys[] = { "release",    "version",    "build_id", "arch",
					    "lru",        "config",     "knobs",    "memory_bytes",
					    "cpus",       "swap_bytes", "nodes",    "cmdline",
					    "clocksource" };
	json_t *o = json_object();

	for (size_t i = 0; i < PT_ARRAY_SIZE(keys); i++)
		pt_json_set(o, keys[i], json_incref(json_object_get(state, keys[i])));
	set_config(o, image);
	return o;
}

static int annotate(const struct pt_cell *c, json_t *doc, const json_t *state)
{
	const struct pt_machine_options *m = c->machine;
	json_t *list = json_object_get(doc, "distorted");
	json_t *names = pt_accel_distorted(m->accel, m->deterministic);

	if (!json_is_array(list)) {
		list = json_array();
		json_object_set_new(doc, "distorted", list);
	}
	json_array_extend(list, names);
	json_decref(names);
	pt_json_set_string(doc, "accelerator", pt_accel_name(m->accel));
	pt_json_set(doc, "identity", identity(state, m->image));
	pt_json_set(doc, "candidate", pt_candidate_json(c->candidate, m->image));
	pt_json_set(doc, "lab", json_incref(c->lab));
	return names ? 0 : -ENOMEM;
}

static int write_result(const struct pt_cell *c, const char *part, int status, const json_t *state,
			struct pt_diag *diag)
{
	auto_free char *path = pt_text_path(part, "result.json");
	json_t *doc = NULL;
	int r = path ? c->finish(c->ctx, part, status, &doc, diag) : -ENOMEM;

	if (r == 0)
		r = annotate(c, doc, state);
	if (r == 0)
		r = pt_result_save(path, doc, diag);
	json_decref(doc);
	return r;
}

int pt_cell_run(const struct pt_cell *c, struct pt_diag *diag)
{
	auto_free char *part = suffixed(c->dir, ".part"), *failed = suffixed(c->dir, ".failed");
	json_t *state = NULL;
	int status = 0, r;

	if (!part || !failed)
		return -ENOMEM;
	pt_leftovers_remove_cell(part);
	r = pt_make_folders(part);
	if (r < 0)
		return pt_diag_file(diag, pt_diag_errno(diag, r, "cannot make it"), part);
	r = have_it_done(c, part, &status, &state, diag);
	if (r == 0)
		r = write_result(c, part, status, state, diag);
	if (r == 0)
		r = publish(part, c->dir, diag);
	if (r == 0)
		pt_leftovers_remove_cell(failed);
	else if (r != -EINTR)
		leave_failure(c, part, r, diag);
	if (r < 0)
		pt_leftovers_remove_cell(part);
	json_decref(state);
	return r;
}

int pt_cell_shell(const struct pt_cell *c, int *ret_status, struct pt_diag *diag)
{
	const char *tmp = getenv("TMPDIR");
	auto_free char *dir = pt_text_path(tmp && *tmp ? tmp : "/var/tmp", SHELL_FOLDER);
	struct pt_machine_options opt = *c->machine;
	struct pt_rawterm terminal = { .fd = -1 };
	struct pt_machine *m = NULL;
	int status, r;

	if (!dir)
		return -ENOMEM;
	if (!mkdtemp(dir))
		return pt_diag_file(diag, pt_diag_errno(diag, -errno, "cannot make it"), dir);
	opt.dir = dir;
	r = pt_machine_boot(&opt, &m, diag);
	if (r == 0)
		r = prepare(c, m, dir, diag);
	if (r == 0)
		pt_rawterm_start(&terminal, STDIN_FILENO);
	if (r == 0)
		r = pt_machine_run(m,
				   &(struct pt_machine_command){ .argv = c->argv,
								 .cwd = c->cwd,
								 .in_fd = STDIN_FILENO,
								 .out_fd = STDOUT_FILENO,
								 .err_fd = STDERR_FILENO,
								 .terminal = true },
				   &status, diag);
	pt_rawterm_stop(&terminal);
	pt_machine_free(m);
	pt_leftovers_remove_cell(dir);
	if (r == 0)
		*ret_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return r;
}
