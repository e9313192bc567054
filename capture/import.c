// SPDX-License-Identifier: GPL-2.0-or-later
/* The imports of import.h. trace.dat's runs in a child: libtracecmd crashes on some bad files. */
#include "capture/import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "capture/datinfo.h"
#include "capture/tracedat.h"
#include "formats/writer.h"
#include "util/cleanup.h"

/* What the child reports, in memory shared with it. */
struct report {
	int result;
	int has_part; /* OUTPUT.part is the child's, so a crash leaves it to us */
	struct pt_import_stats stats;
	struct pt_diag diag;
};

/* The same recording always gives the same tape. */
static int derive_id(const char *path, struct pt_head *head)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *content;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	content = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (content == MAP_FAILED)
		return -errno;
	r = pt_head_derive_id(head, content, (size_t)st.st_size);
	munmap(content, (size_t)st.st_size);
	return r;
}

static int write_tape(struct pt_tracedat *t, const struct pt_head *head, const char *output,
		      struct report *rep)
{
	struct pt_tracedat_counts counts;
	struct pt_writer_stats stats;
	struct pt_writer *w;
	int r;

	r = pt_writer_new(output, head, &(struct pt_writer_options){ 0 }, &w, &rep->diag);
	if (r < 0)
		return r;
	rep->has_part = 1;
	r = pt_tracedat_run(t, pt_writer_sink(w), &counts, &rep->diag);
	if (r == 0) {
		pt_writer_count_events(w, counts.events);
		rep->stats.complete = counts.complete;
		r = pt_writer_finish(w, NULL, rep->stats.complete);
	}
	if (r < 0 && !rep->diag.text[0])
		rep->diag = *pt_writer_diag(w);
	pt_writer_stats(w, &stats);
	rep->stats.events = counts.events;
	rep->stats.undecoded = counts.undecoded;
	rep->stats.lost_events = counts.lost;
	rep->stats.gaps = counts.gaps;
	rep->stats.unknown_gaps = counts.unknown_gaps;
	rep->stats.records = stats.records;
	rep->stats.bytes = stats.bytes;
	pt_writer_free(w);
	return r;
}

static int convert_here(const char *path, const char *output, struct report *rep)
{
	struct pt_head head = { 0 };
	struct pt_tracedat *t;
	int r;

	r = pt_tracedat_open(path, &t, &rep->diag);
	if (r < 0)
		return pt_diag_file(&rep->diag, r, path);
	r = pt_head_init(&head, 4096, "unknown");
	if (r == 0)
		r = derive_id(path, &head);
	if (r == 0)
		r = pt_tracedat_describe(t, &head);
	if (r == 0)
		r = write_tape(t, &head, output, rep);
	pt_head_done(&head);
	pt_tracedat_close(t);
	return r;
}

/* What libraries print about bad input is said by us, once. */
static void be_silent(void)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		dup2(fd, STDERR_FILENO);
		dup2(fd, STDOUT_FILENO);
		close(fd);
	}
}

static int await(pid_t pid, const char *path, struct report *rep)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (WIFEXITED(status) && rep->result <= 0)
		return rep->result;
	pt_diag_set(&rep->diag, -EBADMSG, PT_NO_OFFSET, "damaged: libtracecmd %s reading it",
		    WIFSIGNALED(status) ? "crashed" : "gave up");
	return pt_diag_file(&rep->diag, -EBADMSG, path);
}

static int convert_tracedat(const char *path, const char *output, struct pt_import_stats *ret_stats,
			    struct pt_diag *diag)
{
	struct report *rep =
		mmap(NULL, sizeof(*rep), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char part[4096];
	pid_t pid;
	int r;

	if (rep == MAP_FAILED)
		return pt_diag_errno(diag, -errno, "cannot map memory");
	rep->result = 1; /* until the child says otherwise */
	pid = fork();
	if (pid == 0) {
		be_silent();
		rep->result = convert_here(path, output, rep);
		_exit(0);
	}
	r = pid < 0 ? pt_diag_errno(diag, -errno, "cannot fork") : await(pid, path, rep);
	if (r == 0)
		*ret_stats = rep->stats;
	else if (diag && !diag->text[0])
		*diag = rep->diag;
	if (r < 0 && rep->result > 0 && rep->has_part &&
	    snprintf(part, sizeof(part), "%s.part", output) < (int)sizeof(part))
		unlink(part);
	munmap(rep, sizeof(*rep));
	return r;
}

static const struct pt_import import_tracedat = {
	.name = "trace.dat",
	.about = "trace-cmd's recordings, versions 6 and 7",
	.probe = pt_datinfo_probe,
	.convert = convert_tracedat,
};

const struct pt_import *const pt_imports[] = { &import_tracedat, NULL };

int pt_import_find(const char *path, const struct pt_import **ret_import, struct pt_diag *diag)
{
	for (const struct pt_import *const *i = pt_imports; *i; i++) {
		int r = (*i)->probe(path);

		if (r < 0)
			return pt_diag_file(diag, pt_diag_errno(diag, r, "cannot read"), path);
		if (r > 0) {
			*ret_import = *i;
			return 0;
		}
	}
	pt_diag_set(diag, -EOPNOTSUPP, PT_NO_OFFSET,
		    "not in a format that convert reads (convert --list names them)");
	return pt_diag_file(diag, -EOPNOTSUPP, path);
}
