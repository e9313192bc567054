// SPDX-License-Identifier: GPL-2.0-or-later
/* What trace.dat says of itself, from any bytes: refused with words, or sane. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "capture/datinfo.h"
#include "fuzz.h"
#include "util/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_close int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct pt_diag diag = PT_DIAG_INIT;
	static struct pt_datinfo info;
	char path[32];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (pt_datinfo_read(path, &info, &diag) < 0) {
		if (!*diag.text)
			abort();
	} else if (info.cpus > PT_DATINFO_CPUS) {
		abort();
	}
	return 0;
}
