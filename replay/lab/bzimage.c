// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel files: see bzimage.h. */
#include "replay/lab/bzimage.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "host/identity.h"
#include "util/bytes.h"
#include "util/cleanup.h"

/* Places in the file, by the boot protocol. */
#define SETUP_SECTS    0x1f1
#define BOOT_FLAG      0x1fe
#define HEADER_MAGIC   0x202
#define PROTOCOL       0x206
#define KERNEL_VERSION 0x20e
#define LOAD_FLAGS     0x211
#define XLOAD_FLAGS    0x236
#define PAYLOAD_OFFSET 0x248
#define PAYLOAD_LENGTH 0x24c
#define HEADER_END     0x250

#define SECTOR       512
#define LOADED_HIGH  1
#define KERNEL_64    1
#define MIN_PROTOCOL 0x020c /* has xloadflags: Linux 3.8 */
#define SETUP_MAX    (65 * SECTOR)

#define NOTES_MAX    (1u << 20)
#define PHDRS_MAX    64
#define PIECE        65536
#define UNPACKED_MAX (1ull << 30) /* where notes are looked for; a vmlinux is 30 to 60 MiB */

/* ---- The header */

/* "RELEASE (USER@HOST) VERSION": see arch/x86/boot/version.c. */
static int split_version(const char *text, struct pt_bzimage *b)
{
	const char *space = strchr(text, ' '), *close = strstr(text, ") #");

	if (!space || space == text || !close)
		return -EBADMSG;
	for (const char *p = text; *p; p++)
		if (*p < ' ' || *p > '~')
			return -EBADMSG;
	/* It becomes part of paths. */
	if (text[0] == '.' || memchr(text, '/', (size_t)(space - text)))
		return -EBADMSG;
	if (snprintf(b->release, sizeof(b->release), "%.*s", (int)(space - text), text) >=
	    (int)sizeof(b->release))
		return -EBADMSG;
	if (snprintf(b->version, sizeof(b->version), "%s", close + 2) >= (int)sizeof(b->version))
		return -EBADMSG;
	return 0;
}

static int parse_header(const uint8_t *p, size_t len, uint64_t file_len, struct pt_bzimage *b,
			struct pt_diag *diag)
{
	size_t setup, at;
	uint64_t payload;

	if (len < HEADER_END || le16_get(p + BOOT_FLAG) != 0xaa55 ||
	    memcmp(p + HEADER_MAGIC, "HdrS", 4) != 0 || !(p[LOAD_FLAGS] & LOADED_HIGH))
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "is not a bzImage");
	if (le16_get(p + PROTOCOL) < MIN_PROTOCOL || !(le16_get(p + XLOAD_FLAGS) & KERNEL_64))
		return pt_diag_set(diag, -EOPNOTSUPP, PT_NO_OFFSET, "is not an x86-64 kernel");
	setup = ((p[SETUP_SECTS] ? p[SETUP_SECTS] : 4) + 1u) * SECTOR;
	at = le16_get(p + KERNEL_VERSION) + (size_t)SECTOR;
	if (setup > len || at >= setup || !memchr(p + at, '\0', setup - at) ||
	    split_version((const char *)p + at, b) < 0)
		return pt_diag_set(diag, -EBADMSG, KERNEL_VERSION, "no version in its header");
	payload = setup + (uint64_t)le32_get(p + PAYLOAD_OFFSET);
	b->payload_len = le32_get(p + PAYLOAD_LENGTH);
	if (payload > file_len || b->payload_len > file_len - payload)
		return pt_diag_set(diag, -EBADMSG, PAYLOAD_OFFSET,
				   "it is cut: its kernel ends outside of the file");
	b->payload_off = b->payload_len ? payload : 0;
	return 0;
}

int pt_bzimage_read(int fd, struct pt_bzimage *ret_b, struct pt_diag *diag)
{
	auto_free uint8_t *head = malloc(SETUP_MAX);
	struct pt_bzimage b = { 0 };
	struct stat st;
	ssize_t n;
	int r;

	if (!head)
		return -ENOMEM;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "is not a bzImage");
	n = pread(fd, head, SETUP_MAX, 0);
	if (n < 0)
		return pt_diag_errno(diag, -errno, "cannot be read");
	r = parse_header(head, (size_t)n, (uint64_t)st.st_size, &b, diag);
	if (r == 0)
		*ret_b = b;
	return r;
}

/* ---- The kernel inside */

static int hex_of_notes(const uint8_t *notes, size_t len, char **ret_hex)
{
	char hex[PT_BUILD_ID_HEX];

	if (pt_identity_build_id(notes, len, hex) < 0)
		return -ENOENT;
	*ret_hex = strdup(hex);
	return *ret_hex ? 0 : -ENOMEM;
}

/* A zstd stream of the file, unpacked forwards only. */
struct unpack {
	int fd;
	uint64_t at, end; /* in the file */
	ZSTD_DStream *z;
	ZSTD_inBuffer in;
	uint8_t *in_buf, *out_buf;
	size_t in_cap, out_cap, out_len, out_pos;
	uint64_t pos; /* unpacked bytes before out_pos */
	bool ended;   /* the stream's frame is whole; behind it is its size, for the boot code */
};

static int unpack_more(struct unpack *u)
{
	ZSTD_outBuffer out = { u->out_buf, u->out_cap, 0 };
	size_t z;

	if (u->ended)
		return -ENODATA;
	if (u->in.pos == u->in.size) {
		size_t want = u->end - u->at < u->in_cap ? (size_t)(u->end - u->at) : u->in_cap;
		ssize_t n = pread(u->fd, u->in_buf, want, (off_t)u->at);

		if (n <= 0)
			return n < 0 ? -errno : -EBADMSG;
		u->at += (uint64_t)n;
		u->in = (ZSTD_inBuffer){ u->in_buf, (size_t)n, 0 };
	}
	z = ZSTD_decompressStream(u->z, &out, &u->in);
	if (ZSTD_isError(z) || u->pos > UNPACKED_MAX)
		return -EBADMSG;
	u->ended = z == 0;
	u->out_len = out.pos;
	u->out_pos = 0;
	return 0;
}

/*
 * Unpacked bytes from @off, which must not lie before those read last: @len, or fewer where the
 * stream ends. Returns 0 and *ret_len, or -errno.
 */
static int unpack_some(struct unpack *u, uint64_t off, void *buf, size_t len, size_t *ret_len)
{
	uint8_t *to = buf;

	while (len) {
		size_t have = u->out_len - u->out_pos, take = have;

		if (!have) {
			int r = unpack_more(u);

			if (r == -ENODATA)
				break;
			if (r < 0)
				return r;
			continue;
		}
		if (u->pos < off) {
			if (off - u->pos < take)
				take = (size_t)(off - u->pos);
		} else {
			take = take < len ? take : len;
			memcpy(to, u->out_buf + u->out_pos, take);
			to += take;
			len -= take;
			off += take;
		}
		u->out_pos += take;
		u->pos += take;
	}
	*ret_len = (size_t)(to - (uint8_t *)buf);
	return 0;
}

/* The same, all of it or -EBADMSG. */
static int unpack_read(struct unpack *u, uint64_t off, void *buf, size_t len)
{
	size_t got;
	int r = unpack_some(u, off, buf, len, &got);

	return r < 0 ? r : got < len ? -EBADMSG : 0;
}

static int find_notes(struct unpack *u, uint64_t *ret_off, uint64_t *ret_len)
{
	uint8_t phdrs[PHDRS_MAX * sizeof(Elf64_Phdr)];
	Elf64_Ehdr eh;
	int r = unpack_read(u, 0, &eh, sizeof(eh));

	if (r < 0)
		return r;
	if (memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0 || eh.e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh.e_phentsize != sizeof(Elf64_Phdr) || eh.e_phnum > PHDRS_MAX ||
	    eh.e_phoff < sizeof(eh) || eh.e_phoff > UNPACKED_MAX)
		return -EBADMSG;
	r = unpack_read(u, eh.e_phoff, phdrs, eh.e_phnum * sizeof(Elf64_Phdr));
	if (r < 0)
		return r;
	for (size_t i = 0; i < eh.e_phnum; i++) {
		Elf64_Phdr ph;

		memcpy(&ph, phdrs + i * sizeof(ph), sizeof(ph));
		if (ph.p_type != PT_NOTE)
			continue;
		if (ph.p_offset < u->pos || ph.p_offset > UNPACKED_MAX || ph.p_filesz > NOTES_MAX)
			return -EBADMSG;
		*ret_off = ph.p_offset;
		*ret_len = ph.p_filesz;
		return 0;
	}
	return -ENOENT;
}

static int read_notes(struct unpack *u, char **ret_hex)
{
	auto_free uint8_t *notes = NULL;
	uint64_t off, len;
	int r = find_notes(u, &off, &len);

	if (r < 0)
		return r;
	notes = malloc(len ? len : 1);
	if (!notes)
		return -ENOMEM;
	r = unpack_read(u, off, notes, len);
	return r < 0 ? r : hex_of_notes(notes, len, ret_hex);
}

static void unpack_done(struct unpack *u)
{
	ZSTD_freeDStream(u->z);
	free(u->in_buf);
	free(u->out_buf);
}

/* To be released with unpack_done(), after a failure too. */
static int unpack_init(struct unpack *u, int fd, const struct pt_bzimage *b)
{
	uint8_t magic[4];

	*u = (struct unpack){ .fd = fd,
			      .at = b->payload_off,
			      .end = b->payload_off + b->payload_len,
			      .in_cap = ZSTD_DStreamInSize(),
			      .out_cap = ZSTD_DStreamOutSize() };
	if (b->payload_len < 8 || pread(fd, magic, 4, (off_t)u->at) != 4 ||
	    le32_get(magic) != ZSTD_MAGICNUMBER)
		return -EOPNOTSUPP;
	u->z = ZSTD_createDStream();
	u->in_buf = malloc(u->in_cap);
	u->out_buf = malloc(u->out_cap);
	if (!u->z || !u->in_buf || !u->out_buf)
		return -ENOMEM;
	/* The kernel's build packs with a window of 128 MiB. */
	(void)ZSTD_DCtx_setParameter(u->z, ZSTD_d_windowLogMax, 27);
	return 0;
}

int pt_bzimage_build_id(int fd, const struct pt_bzimage *b, char **ret_hex)
{
	struct unpack u;
	int r = unpack_init(&u, fd, b);

	if (r == 0)
		r = read_notes(&u, ret_hex);
	unpack_done(&u);
	return r;
}

/* Search piece by piece, each with the end of the one before, which a match may straddle. */
static int search(struct unpack *u, const char *text)
{
	size_t len = strlen(text), kept = 0, got = PIECE;
	auto_free uint8_t *window = malloc(PIECE + len);

	if (!window)
		return -ENOMEM;
	while (got == PIECE) {
		int r = unpack_some(u, u->pos, window + kept, PIECE, &got);
		size_t have = kept + got;

		if (r < 0)
			return r;
		if (memmem(window, have, text, len))
			return 1;
		kept = have < len - 1 ? have : len - 1;
		memmove(window, window + have - kept, kept);
	}
	return 0;
}

int pt_bzimage_has(int fd, const struct pt_bzimage *b, const char *text)
{
	struct unpack u;
	int r = unpack_init(&u, fd, b);

	if (r == 0)
		r = search(&u, text);
	unpack_done(&u);
	return r;
}

/* ---- An ELF file */

static int notes_of_elf(Elf *elf, char **ret_hex)
{
	size_t n;

	if (!elf || elf_kind(elf) != ELF_K_ELF || elf_getphdrnum(elf, &n) < 0)
		return -EBADMSG;
	for (size_t i = 0; i < n; i++) {
		Elf_Data *data;
		GElf_Phdr ph;

		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_NOTE)
			continue;
		if (ph.p_filesz > NOTES_MAX)
			return -EBADMSG;
		data = elf_getdata_rawchunk(elf, (int64_t)ph.p_offset, ph.p_filesz, ELF_T_BYTE);
		if (data && hex_of_notes(data->d_buf, data->d_size, ret_hex) == 0)
			return 0;
	}
	return -ENOENT;
}

int pt_elf_build_id(const char *path, char **ret_hex)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf;
	int r;

	if (fd < 0)
		return -errno;
	(void)elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	r = notes_of_elf(elf, ret_hex);
	(void)elf_end(elf);
	return r;
}
