// SPDX-License-Identifier: GPL-2.0-or-later
/* Our tracefs instance: see instance.h. Plain files; libtracefs only tells where they are. */
#include "capture/instance.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

#include "capture/kevent.h"
#include "host/ownname.h"
#include "util/cleanup.h"
#include "util/textfile.h"

struct pt_instance {
	char *tracefs, *dir;
	int lock; /* says that we live */
};

/* Write @text to the file named by the format, below the instance. */
__attribute__((format(printf, 3, 4))) static int set(const struct pt_instance *i, const char *text,
						     const char *fmt, ...)
{
	char path[512];
	int n = snprintf(path, sizeof(path), "%s/", i->dir);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path + n, sizeof(path) - (size_t)n, fmt, ap);
	va_end(ap);
	return pt_text_write(path, text);
}

static void remove_instance(const char *dir)
{
	char path[640];

	/* Off first: removing takes a while, and its events go nowhere. */
	snprintf(path, sizeof(path), "%s/tracing_on", dir);
	(void)pt_text_write(path, "0");
	snprintf(path, sizeof(path), "%s/events/enable", dir);
	(void)pt_text_write(path, "0");
	(void)rmdir(dir);
}

static int make_dir(struct pt_instance *i, struct pt_diag *diag)
{
	auto_free char *parent = NULL;
	int r;

	if (asprintf(&parent, "%s/instances", i->tracefs) < 0) {
		parent = NULL;
		return -ENOMEM;
	}
	pt_ownname_sweep(parent);
	r = pt_ownname_make(parent, 0700, &i->dir, &i->lock);
	if (r == -EPERM || r == -EACCES)
		return pt_diag_set(diag, r, PT_NO_OFFSET, "recording kernel events takes root");
	if (r < 0)
		return pt_diag_errno(diag, r, "cannot make a tracefs instance in %s", parent);
	return 0;
}

static int find_tracefs(const char *tracefs, struct pt_instance *i, struct pt_diag *diag)
{
	char path[512];

	if (geteuid() != 0 && !tracefs)
		return pt_diag_set(diag, -EPERM, PT_NO_OFFSET,
				   "recording kernel events takes root");
	if (!tracefs)
		tracefs = tracefs_tracing_dir();
	if (!tracefs)
		return pt_diag_set(diag, -ENOENT, PT_NO_OFFSET,
				   "tracefs is not there: mount -t tracefs tracefs "
				   "/sys/kernel/tracing");
	snprintf(path, sizeof(path), "%s/instances", tracefs);
	if (access(path, F_OK) < 0)
		return pt_diag_set(diag, -ENOENT, PT_NO_OFFSET,
				   "%s has no instances: mount -t tracefs tracefs %s", tracefs,
				   tracefs);
	i->tracefs = strdup(tracefs);
	return i->tracefs ? 0 : -ENOMEM;
}

static int set_up(struct pt_instance *i, uint64_t ring_bytes, struct pt_diag *diag)
{
	char kb[32];
	int r;

	r = set(i, "0", "tracing_on");
	if (r == 0)
		r = set(i, "mono", "trace_clock");
	if (r < 0)
		return pt_diag_errno(diag, r, "cannot set up %s", i->dir);
	snprintf(kb, sizeof(kb), "%llu", (unsigned long long)(ring_bytes >> 10));
	r = set(i, kb, "buffer_size_kb");
	if (r < 0)
		return pt_diag_errno(diag, r, "cannot have a ring of %s KiB for each CPU", kb);
	return 0;
}

int pt_instance_new(const char *tracefs, uint64_t ring_bytes, struct pt_instance **ret_i,
		    struct pt_diag *diag)
{
	struct pt_instance *i = calloc(1, sizeof(*i));
	int r;

	if (!i)
		return -ENOMEM;
	i->lock = -1;
	r = find_tracefs(tracefs, i, diag);
	if (r == 0)
		r = make_dir(i, diag);
	if (r == 0)
		r = set_up(i, ring_bytes, diag);
	if (r < 0) {
		pt_instance_free(i);
		return r;
	}
	*ret_i = i;
	return 0;
}

void pt_instance_free(struct pt_instance *i)
{
	if (!i)
		return;
	if (i->dir)
		remove_instance(i->dir);
	if (i->lock >= 0)
		close(i->lock);
	free(i->tracefs);
	free(i->dir);
	free(i);
}

const char *pt_instance_dir(const struct pt_instance *i)
{
	return i->dir;
}

int pt_instance_formats(const struct pt_instance *i, struct tep_handle **ret_tep,
			struct pt_diag *diag)
{
	struct tep_handle *tep = tep_alloc();

	if (!tep)
		return -ENOMEM;
	tep_set_loglevel(TEP_LOG_NONE);
	for (const struct pt_kevent_info *k = pt_kevents; k->name; k++) {
		auto_free char *text = NULL;
		char path[512];

		snprintf(path, sizeof(path), "%s/events/%s/%s/format", i->dir, k->system, k->name);
		if (pt_text_read("", path, &text) < 0)
			continue;
		/* print formats may be beyond libtraceevent: the fields are there all the same */
		(void)tep_parse_event(tep, text, strlen(text), k->system);
	}
	if (!tep_get_events_count(tep)) {
		tep_free(tep);
		return pt_diag_set(diag, -EOPNOTSUPP, PT_NO_OFFSET,
				   "this kernel has no page-cache events");
	}
	*ret_tep = tep;
	return 0;
}

int pt_instance_enable(const struct pt_instance *i, const char *system, const char *name,
		       const char *filter)
{
	int r = filter ? set(i, filter, "events/%s/%s/filter", system, name) : 0;

	return r < 0 ? r : set(i, "1", "events/%s/%s/enable", system, name);
}

int pt_instance_exclude(const struct pt_instance *i, pid_t tid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", (int)tid);
	return set(i, text, "set_event_notrace_pid");
}

int pt_instance_is_on(const struct pt_instance *i)
{
	auto_free char *text = NULL;
	char path[512];
	int r;

	snprintf(path, sizeof(path), "%s/tracing_on", i->dir);
	r = pt_text_read("", path, &text);
	return r < 0 ? r : text[0] != '0';
}

int pt_instance_on(const struct pt_instance *i, int on)
{
	return set(i, on ? "1" : "0", "tracing_on");
}
