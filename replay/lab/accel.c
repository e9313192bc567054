// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether KVM works here: see accel.h. */
#include "replay/lab/accel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "host/identity.h"
#include "replay/lab/cachedir.h"
#include "replay/lab/child.h"
#include "replay/lab/console.h"
#include "replay/lab/qemu.h"
#include "util/cleanup.h"
#include "util/json.h"
#include "util/outfile.h"
#include "util/progress.h"
#include "util/textfile.h"

#define ANSWER_FILE "accel.json"
#define SLICE_MS    50
#define TOTAL_S     20 /* of a guest that keeps talking */
#define ENOUGH      2  /* kernels that hung here: the next one would as well */

const char *pt_accel_name(enum pt_accel a)
{
	return a == PT_ACCEL_KVM ? "kvm" : "tcg";
}

json_t *pt_accel_distorted(enum pt_accel a, bool deterministic)
{
	static const char *const names[] = { "activations", "cpu", "latency", "psi", "throughput" };
	json_t *list = json_array();

	for (size_t i = deterministic ? 1 : 0; a == PT_ACCEL_TCG && i < PT_ARRAY_SIZE(names); i++)
		(void)json_array_append_new(list, json_string(names[i]));
	return list;
}

/* ---- What is remembered */

/* The first "model name" of /proc/cpuinfo; "" where there is none. To be freed. */
static char *cpu_model(void)
{
	auto_free char *text = NULL;
	char *rest, *line, *colon;

	if (pt_text_read("", "/proc/cpuinfo", &text) < 0)
		return strdup("");
	rest = text;
	while ((line = pt_text_line(&rest))) {
		colon = strchr(line, ':');
		if (strncmp(line, "model name", 10) == 0 && colon)
			return strdup(colon[1] ? colon + 2 : "");
	}
	return strdup("");
}

/*
 * All that decides the answer: another boot may have other firmware settings. A kernel that does
 * not come up proves nothing about others, so "no" is remembered of that one alone.
 */
static char *host_key(const char *qemu)
{
	auto_free char *model = cpu_model();
	char boot[64], *key;
	struct utsname u;

	if (!model || uname(&u) < 0)
		return NULL;
	pt_identity_boot("", boot, sizeof(boot));
	return asprintf(&key, "%s; %s; %s %s; %s", qemu, model, u.release, u.version, boot) < 0
		       ? NULL
		       : key;
}

/* The answers of this host's boot: {host: KEY, works: true, fails: {VERSION: why}}. */
static json_t *recall(const char *path, const char *host)
{
	json_t *doc = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
	const char *had = json_string_value(json_object_get(doc, "host"));

	if (had && strcmp(had, host) == 0)
		return doc;
	json_decref(doc); /* of another boot, or damaged */
	doc = json_object();
	pt_json_set_string(doc, "host", host);
	return doc;
}

static int remembered(const json_t *doc, const struct pt_image *image, struct pt_accel_answer *a)
{
	json_t *fails = json_object_get(doc, "fails"),
	       *had = json_object_get(fails, image->version);
	const char *why;

	if (json_is_true(json_object_get(doc, "works"))) {
		a->accel = PT_ACCEL_KVM;
		return 1;
	}
	if (!had && json_object_size(fails) >= ENOUGH)
		had = json_object_iter_value(json_object_iter(fails));
	why = json_string_value(had);
	if (!why)
		return 0;
	snprintf(a->why, sizeof(a->why), "%s", why);
	return 1;
}

/* What cannot be kept costs a probe next time, and no more. */
static void remember(json_t *doc, const char *path, const struct pt_image *image,
		     const struct pt_accel_answer *a)
{
	struct pt_outfile out;
	json_t *fails = json_object_get(doc, "fails");
	char *text;

	if (a->accel == PT_ACCEL_KVM) {
		pt_json_set_bool(doc, "works", 1);
	} else {
		if (!json_is_object(fails)) {
			pt_json_set(doc, "fails", json_object());
			fails = json_object_get(doc, "fails");
		}
		pt_json_set_string(fails, image->version, a->why);
	}
	text = json_dumps(doc, JSON_INDENT(2));
	if (text && pt_outfile_open(&out, path, 0600, NULL) == 0) {
		if (pt_write_all(out.fd, text, strlen(text)) == 0)
			(void)pt_outfile_commit(&out, NULL);
		pt_outfile_done(&out, 0);
	}
	free(text);
}

/* ---- The probe */

struct probe {
	pid_t pid;
	int console_fd, error_fd; /* files without a name */
	struct pt_console *console;
};

static int scratch_file(void)
{
	const char *tmp = getenv("TMPDIR");
	int fd = open(tmp && *tmp ? tmp : "/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : fd;
}

/*
 * Without a root file system a kernel that comes up all the way ends in a panic that says so. One
 * that got as far as to say its name and then ran into another panic runs under KVM as well.
 */
static int has_come_up(const struct probe *p)
{
	return pt_console_panic(p->console) != NULL;
}

static int watch(struct probe *p, const volatile sig_atomic_t *stop)
{
	const uint64_t begin_ns = pt_now_ns(), silence_ns = PT_ACCEL_PROBE_S * UINT64_C(1000000000);
	uint64_t heard_ns = begin_ns, bytes = 0, now;
	int ended, status, r;

	do {
		ended = pt_child_ended(p->pid, &status);
		if (ended)
			p->pid = 0;
		while ((r = pt_console_follow(p->console, p->console_fd)) > 0)
			;
		if (r < 0 || has_come_up(p))
			return r;
		if (ended)
			return -ECHILD;
		if (stop && *stop)
			return -EINTR;
		(void)poll(NULL, 0, SLICE_MS);
		now = pt_now_ns();
		if (pt_console_bytes(p->console) != bytes)
			heard_ns = now;
		bytes = pt_console_bytes(p->console);
	} while (now < heard_ns + silence_ns && now < begin_ns + TOTAL_S * UINT64_C(1000000000));
	return -ETIMEDOUT;
}

static void explain(struct probe *p, int r, struct pt_accel_answer *a)
{
	char words[160] = "";
	ssize_t n;

	if (r == -ETIMEDOUT) {
		if (pt_console_last_line(p->console)[0])
			snprintf(a->why, sizeof(a->why),
				 "a guest under KVM stood still after \"%.120s\"",
				 pt_console_last_line(p->console));
		else
			snprintf(a->why, sizeof(a->why), "a guest under KVM said nothing in %d s",
				 PT_ACCEL_PROBE_S);
		return;
	}
	n = pread(p->error_fd, words, sizeof(words) - 1, 0);
	words[n > 0 ? (size_t)n : 0] = '\0';
	words[strcspn(words, "\n")] = '\0';
	snprintf(a->why, sizeof(a->why), "QEMU ended under KVM%s%s", words[0] ? ": " : "", words);
}

static int boot_probe(struct probe *p, const struct pt_image *image,
		      const volatile sig_atomic_t *stop, struct pt_accel_answer *a,
		      struct pt_diag *diag)
{
	struct pt_qemu q = { .accel = PT_ACCEL_KVM,
			     .kernel = image->boot,
			     .append = "console=ttyS0 earlyprintk=ttyS0 panic=-1",
			     .channel_fd = -1 };
	int r;

	p->console_fd = scratch_file();
	p->error_fd = p->console_fd < 0 ? p->console_fd : scratch_file();
	if (p->error_fd < 0)
		return pt_diag_errno(diag, p->error_fd, "no place for a probe's console");
	p->console = pt_console_new();
	if (!p->console)
		return -ENOMEM;
	q.console_fd = p->console_fd;
	q.error_fd = p->error_fd;
	r = pt_qemu_start(&q, &p->pid, diag);
	if (r < 0)
		return r;
	a->probed = true;
	r = watch(p, stop);
	if (r == 0)
		a->accel = PT_ACCEL_KVM;
	else if (r != -EINTR)
		explain(p, r, a);
	return r == -EINTR ? r : 0;
}

static int probe(const struct pt_image *image, const volatile sig_atomic_t *stop,
		 struct pt_accel_answer *a, struct pt_diag *diag)
{
	struct probe p = { .console_fd = -1, .error_fd = -1 };
	int r = boot_probe(&p, image, stop, a, diag);

	pt_child_kill(p.pid);
	pt_console_free(p.console);
	if (p.console_fd >= 0)
		close(p.console_fd);
	if (p.error_fd >= 0)
		close(p.error_fd);
	return r;
}

int pt_accel_probe(const struct pt_image *image, const volatile sig_atomic_t *stop,
		   struct pt_accel_answer *ret_a, struct pt_diag *diag)
{
	struct pt_accel_answer a = { .accel = PT_ACCEL_TCG };
	auto_free char *qemu = NULL, *key = NULL, *path = NULL;
	json_t *doc;
	int r = pt_qemu_version(&qemu, diag);

	if (r < 0)
		return r;
	if (access("/dev/kvm", R_OK | W_OK) < 0) {
		snprintf(a.why, sizeof(a.why), "/dev/kvm: %s", strerror(errno));
		*ret_a = a;
		return 0;
	}
	key = host_key(qemu);
	if (!key)
		return -ENOMEM;
	(void)pt_cachedir_file(ANSWER_FILE, &path); /* without one, each call asks anew */
	doc = path ? recall(path, key) : NULL;
	if (!remembered(doc, image, &a)) {
		r = probe(image, stop, &a, diag);
		if (r == 0 && path)
			remember(doc, path, image, &a);
	}
	json_decref(doc);
	if (r == 0)
		*ret_a = a;
	return r;
}
