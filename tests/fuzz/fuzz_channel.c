// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames from any bytes: each is read as every kind of request, or the stream is refused. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "replay/lab/channel.h"
#include "replay/lab/request.h"
#include "util/outfile.h"

static void read_requests(const struct pt_frame *f)
{
	struct pt_run_request r;
	char **words = NULL;
	const char *path;
	uint32_t mode;

	if (pt_run_request_parse(f, &r, &words, NULL) == 0 && !r.argv[0])
		abort();
	free(words);
	(void)pt_put_request_parse(f, &mode, &path, NULL);
	(void)pt_path_parse(f, &path, NULL);
	if (pt_frame_failure(f, NULL) >= 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("stream", MFD_CLOEXEC);
	struct pt_channel *c;
	struct pt_frame f;

	if (fd < 0 || pt_write_all(fd, data, size) < 0 || lseek(fd, 0, SEEK_SET) < 0 ||
	    pt_channel_new(fd, NULL, &c) < 0)
		abort();
	while (pt_channel_receive(c, PT_NO_DEADLINE, &f, NULL) > 0)
		read_requests(&f);
	pt_channel_free(c);
	return 0;
}
