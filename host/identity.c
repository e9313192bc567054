// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's identity: see identity.h. */
#include "host/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "util/bytes.h"
#include "util/cleanup.h"
#include "util/json.h"
#include "util/parse.h"
#include "util/textfile.h"

#define NT_GNU_BUILD_ID 3
#define NOTES_MAX       65536

/* Notes are: name length, data length, type, name, data; padded to 4. */
int pt_identity_build_id(const uint8_t *notes, size_t len, char ret_hex[PT_BUILD_ID_HEX])
{
	const uint8_t *p = notes;

	while (len >= 12) {
		size_t name = le32_get(p), data = le32_get(p + 4);
		size_t at = 12 + ((name + 3) & ~(size_t)3), end = at + ((data + 3) & ~(size_t)3);

		if (name > len || data > len || end > len)
			break;
		if (le32_get(p + 8) == NT_GNU_BUILD_ID && name == 4 &&
		    memcmp(p + 12, "GNU", 4) == 0 && data && data <= 64) {
			for (size_t i = 0; i < data; i++)
				snprintf(ret_hex + 2 * i, 3, "%02x", p[at + i]);
			return 0;
		}
		p += end;
		len -= end;
	}
	return -ENOENT;
}

static void read_notes(json_t *kernel, const char *root)
{
	auto_free uint8_t *notes = malloc(NOTES_MAX);
	auto_close int fd = -1;
	char path[512], hex[PT_BUILD_ID_HEX];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/sys/kernel/notes", root);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 && notes ? read(fd, notes, NOTES_MAX) : 0;
	if (n > 0 && pt_identity_build_id(notes, (size_t)n, hex) == 0)
		pt_json_set_string(kernel, "build_id", hex);
}

/* A file of one number, decimal or 0x...; PT_UNKNOWN-like UINT64_MAX where it is not there. */
static uint64_t read_number(const char *root, const char *path, int hex)
{
	auto_free char *text = NULL;
	char *rest, *word;
	uint64_t v;

	if (pt_text_read(root, path, &text) < 0)
		return UINT64_MAX;
	rest = text;
	word = pt_text_word(&rest);
	if (!word || (hex ? pt_parse_hex(word, &v) : pt_parse_u64(word, &v)) < 0)
		return UINT64_MAX;
	return v;
}

/* A kernel built without MGLRU lacks the file; where sysfs is hidden, that is not known. */
static int has_no_mglru(const char *root)
{
	char mm[512], lru[512];

	snprintf(mm, sizeof(mm), "%s/sys/kernel/mm", root);
	snprintf(lru, sizeof(lru), "%s/sys/kernel/mm/lru_gen/enabled", root);
	return access(mm, F_OK) == 0 && access(lru, F_OK) < 0 && errno == ENOENT;
}

static json_t *lru_of(const char *root)
{
	uint64_t mask = read_number(root, "/sys/kernel/mm/lru_gen/enabled", 1);
	uint64_t ttl = read_number(root, "/sys/kernel/mm/lru_gen/min_ttl_ms", 0);
	json_t *lru = json_object();

	if (mask == UINT64_MAX && has_no_mglru(root))
		mask = 0;
	if (mask != UINT64_MAX) {
		pt_json_set_string(lru, "flavour", mask & 1 ? "mglru" : "classic");
		pt_json_set_u64(lru, "mask", mask);
	}
	if (ttl != UINT64_MAX)
		pt_json_set_u64(lru, "min_ttl_ms", ttl);
	return lru;
}

json_t *pt_identity_kernel(const char *root)
{
	json_t *kernel = json_object();
	struct utsname u;

	if (uname(&u) == 0) {
		pt_json_set_string(kernel, "release", u.release);
		pt_json_set_string(kernel, "version", u.version);
		pt_json_set_string(kernel, "arch", u.machine);
	}
	read_notes(kernel, root);
	pt_json_set(kernel, "lru", lru_of(root));
	return kernel;
}

char *pt_identity_boot(const char *root, char *buf, size_t size)
{
	auto_free char *text = NULL;
	char *rest, *word = NULL;

	if (pt_text_read(root, "/proc/sys/kernel/random/boot_id", &text) == 0) {
		rest = text;
		word = pt_text_word(&rest);
	}
	snprintf(buf, size, "%s", word ? word : "");
	return buf;
}
