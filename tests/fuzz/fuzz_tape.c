// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tape's reader on any bytes: once with the index, once by walking, once without times.
 *
 * A fuzzer does not guess checksums: the first byte chooses whether what follows is a file, or the
 * unpacked columns or definitions of a block.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/definition.h"
#include "formats/reader.h"
#include "formats/unpack.h"
#include "fuzz.h"

#define MAX_ERRORS 100000 /* more than there are blocks in such inputs: reading must end */

/* Ids stay below what the counts were when the tape was opened. */
static void check_id(uint32_t id, uint32_t count)
{
	if (id != PT_UNKNOWN32 && id >= count)
		abort();
}

static void read_file(const char *path, unsigned int flags)
{
	const struct pt_reader_options opt = { .flags = flags };
	struct pt_reader *r;
	struct pt_record rec;
	int got, errors = 0;
	uint32_t files, tasks, cgroups;

	if (pt_reader_open(path, &opt, &r, NULL) < 0)
		return;
	files = pt_reader_file_count(r);
	tasks = pt_reader_task_count(r);
	cgroups = pt_reader_cgroup_count(r);
	while ((got = pt_reader_next(r, &rec)) == 1 || got == -EBADMSG || got == -EOPNOTSUPP) {
		if (got < 0 && ++errors > MAX_ERRORS)
			abort();
		if (got < 0)
			continue;
		check_id(rec.file, files);
		check_id(rec.task, tasks);
		check_id(rec.cgroup, cgroups);
		check_id(rec.target, cgroups);
	}
	pt_reader_close(r);
}

static void try_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char path[64];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_file(path, 0);
	read_file(path, PT_READER_NO_INDEX);
	read_file(path, PT_READER_NO_TIME);
	close(fd);
}

/* The number of records is in the bytes themselves: the header would say the same. */
static void try_columns(const uint8_t *data, size_t size)
{
	struct pt_unpacked u = { 0 };
	struct pt_names names;
	struct pt_record rec;
	uint32_t n = size >= 4 ? le32_get(data) : 0;

	pt_names_init(&names);
	if (n && n <= PT_BLOCK_RECORDS &&
	    pt_unpack_data(&u, data, size, n, 4096, &names, NULL, NULL) == 0)
		while (pt_unpacked_next(&u, &rec))
			if (rec.file != PT_UNKNOWN32 &&
			    !pt_names_get(&names, PT_NAMES_FILE, rec.file))
				abort();
	pt_unpacked_done(&u);
	pt_names_done(&names);
}

static void try_definitions(const uint8_t *data, size_t size)
{
	struct pt_names names;

	pt_names_init(&names);
	(void)pt_definitions_parse(data, size, &names, NULL);
	pt_names_done(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	switch (data[0]) {
	case 'C':
		try_columns(data + 1, size - 1);
		break;
	case 'D':
		try_definitions(data + 1, size - 1);
		break;
	default:
		try_file(data, size);
		break;
	}
	return 0;
}
