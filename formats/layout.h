/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers of the tape's layout on disk (docs/format.md): magics, sizes, limits.
 *
 * Everything is little-endian. Limits bound what a reader allocates for a hostile tape; a writer
 * keeps well below them.
 */
#ifndef PT_FORMATS_LAYOUT_H
#define PT_FORMATS_LAYOUT_H

#include <stdint.h>

#define PT_VERSION_MAJOR 1
#define PT_VERSION_MINOR 0

/* Required features that this version reads: none are defined yet. */
#define PT_FEATURES_KNOWN UINT64_C(0)

/* Frame magics: zstd's own, and its skippable frames 0x184D2A50 to 0x184D2A5F. */
#define PT_MAGIC_ZSTD    0xfd2fb528u
#define PT_MAGIC_HEAD    0x184d2a50u
#define PT_MAGIC_BLOCK   0x184d2a51u
#define PT_MAGIC_TAIL    0x184d2a52u
#define PT_MAGIC_PADDING 0x184d2a53u
#define PT_MAGIC_SEEK    0x184d2a5eu /* zstd's seekable format */
#define PT_MAGIC_SEEKEND 0x8f92eab1u

#define PT_FRAME_HEADER 8 /* magic and length of a skippable frame */

/* First words of the payloads. */
#define PT_HEAD_SIGNATURE  "PAGETAPE"
#define PT_BLOCK_SIGNATURE 0x4b424750u /* "PGBK" */
#define PT_TAIL_SIGNATURE  0x4c544750u /* "PGTL" */

/* Fixed parts of the payloads; a CRC-32 of all before it ends each of them. */
#define PT_HEAD_FIXED   32
#define PT_BLOCK_FIXED  96
#define PT_TAIL_FIXED   80
#define PT_COUNT_SIZE   12 /* a kind's number and its records: u32, u64 */
#define PT_INDEX_SIZE   48 /* one block in the tail's index */
#define PT_COLUMNS_HEAD 20 /* before the tables of a data frame */
#define PT_COLUMN_SIZE  8  /* one entry of its directory */
#define PT_TIMES_HEAD   8  /* before the planes of a time frame */
#define PT_SEEK_ENTRY   8
#define PT_SEEK_FOOTER  9

#define PT_BLOCK_RECORDS 65536u
#define PT_BLOCK_NS      UINT64_C(1000000000)

#define PT_HEAD_MAX   (1u << 24) /* bytes of a head's or tail's JSON */
#define PT_TAIL_MAX   (1u << 29) /* bytes of a tail: eleven million blocks, a hundred days */
#define PT_BLOCK_MAX  (1u << 16) /* payload of a block's header */
#define PT_DEFS_MAX   (1u << 25) /* definitions of a block, unpacked */
#define PT_DATA_MAX   (1u << 26) /* columns of a block, unpacked */
#define PT_TIMES_MAX  (PT_BLOCK_RECORDS * 8 + PT_TIMES_HEAD)
#define PT_STRING_MAX (1u << 20) /* one string of a definition, one blob of a record */
#define PT_TEXT_BLOCK (1u << 22) /* a writer ends a block at so many bytes of strings */

/* A zstd frame is never longer than this for @n bytes inside (ZSTD_COMPRESSBOUND and flushes). */
#define PT_PACKED_MAX(n) ((n) + ((n) >> 7) + 4096)

enum pt_block_flags {
	PT_BLOCK_DEFINITIONS = 1u << 0,
};

enum pt_tail_flags {
	PT_TAIL_COMPLETE = 1u << 0,
};

/* How a column's numbers are coded. */
enum pt_transform {
	PT_T_CONST = 0,    /* one number, as wide as it needs, for all records */
	PT_T_RAW = 1,      /* as they are */
	PT_T_DELTA = 2,    /* difference to the one before in the column */
	PT_T_TASK = 3,     /* ... to the field's last value of the same task, across kinds */
	PT_T_TASK_END = 4, /* page: ... to the page behind the task's last range */
	PT_T_FILE_END = 5, /* page, off: ... to the end of the file's last range in this kind */
	PT_T_PAGE_OFF = 6, /* off: ... to the first byte of the record's page */
	PT_T_BLOB = 7,     /* lengths as LEB128, then the bytes */
	PT_T_COUNT = 8
};

#endif
