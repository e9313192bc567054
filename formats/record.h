/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a tape can say: record kinds, their fields, and the definitions they refer to.
 *
 * One flat struct serves all kinds; the table in record.c says which fields a kind has, and the
 * codec, `dump` and docs/format.md follow that table. A field that the source of a tape could not
 * know is PT_UNKNOWN (of its width), never zero. Pages are units of the tape's page size (in the
 * head); times are nanoseconds of the tape's clock.
 */
#ifndef PT_FORMATS_RECORD_H
#define PT_FORMATS_RECORD_H

#include <stddef.h>
#include <stdint.h>

#define PT_UNKNOWN   UINT64_MAX
#define PT_UNKNOWN32 UINT32_MAX
#define PT_UNKNOWN16 UINT16_MAX
#define PT_UNKNOWN8  UINT8_MAX

/* Numbers are for ever; new kinds go to the end. A reader skips kinds it does not know. */
enum pt_kind {
	PT_ACCESS = 1, /* one read call or one fault */
	PT_OPEN = 2,   /* a file was opened: a new open file */
	PT_DUP = 3,    /* a task got another reference to an open file (dup, fork, SCM_RIGHTS) */
	PT_CLOSE = 4,  /* a task dropped its reference */
	PT_MAP = 5,    /* a range of a file was mapped */
	PT_UNMAP = 6,
	PT_TOUCH = 7,      /* mapped pages seen young since the last look */
	PT_WRITE = 8,      /* one write call, or the filesystem's word on a part of one */
	PT_ADD = 9,        /* a folio entered the page cache */
	PT_EVICT = 10,     /* reclaim took a folio out and left a shadow */
	PT_REMOVE = 11,    /* a folio left without a shadow */
	PT_ACTIVATE = 12,  /* a folio became active */
	PT_SCAN = 13,      /* one pass of reclaim over a list, its sums */
	PT_REFAULT = 14,   /* the kernel's own word on the add just before */
	PT_DIRTY = 15,     /* a clean folio became dirty */
	PT_SYNC = 16,      /* fsync, fdatasync, sync_file_range */
	PT_ADVISE = 17,    /* fadvise, madvise */
	PT_TRUNCATE = 18,  /* a file got a new size */
	PT_UNLINK = 19,    /* a file lost its last name (its pages go with the last user) */
	PT_READAHEAD = 20, /* a read-ahead decision */
	PT_RECLAIM_BEGIN = 21,
	PT_RECLAIM_END = 22,
	PT_RESIDENT = 23, /* a run of cached pages, at start or end */
	PT_COUNTERS = 24, /* kernel counters at this moment, as text */
	PT_GAP = 25,      /* events were lost here */
	PT_ATTACH = 26,   /* a task moved to a cgroup, or began in one */
	PT_EXIT = 27,     /* a task ended */
	PT_LIMIT = 28,    /* a cgroup's limit changed */
	PT_MARK = 29,     /* a note: text, from the recorder or the user */
	PT_KIND_COUNT = 30
};

/* PT_ACCESS.how */
enum pt_access_how {
	PT_HOW_READ = 0,   /* read, pread, readv, splice, sendfile, io_uring */
	PT_HOW_FAULT = 1,  /* a fault at page (npages is 1) */
	PT_HOW_WINDOW = 2, /* fault-around mapped cached pages: the touched page is one of npages */
};

/* PT_ACCESS.flags and PT_WRITE.flags */
#define PT_IO_MISS                                                                    \
	(1u << 0) /* some page was not cached at issue: the task itself had to add it \
		   */
#define PT_IO_DIRECT    (1u << 1) /* O_DIRECT */
#define PT_IO_DONTCACHE (1u << 2) /* RWF_DONTCACHE */
#define PT_IO_NOWAIT    (1u << 3)
#define PT_IO_STORE     (1u << 4) /* a fault for writing */
#define PT_IO_MMAP      (1u << 5) /* a write seen as a page made writable, its length unknown */
#define PT_IO_URING     (1u << 6) /* issued through io_uring */
#define PT_IO_METADATA  (1u << 7) /* a block device's page cache: file system metadata */
#define PT_IO_GUESSED   (1u << 8) /* the range is a reconstruction that may be off by a batch */

/* PT_MAP: flags are MAP_* | PROT_* << 16, value[0] the advice (MADV_*), value[1] the mapping's id.
 * PT_UNMAP: value[1] the mapping's id. PT_READAHEAD: value[0] the async tail in pages.
 * PT_RECLAIM_BEGIN: value[0] gfp flags. PT_LIMIT: value[0] bytes. PT_GAP: value[0] events lost
 * (unknown: not counted), duration_ns how long the gap may have lasted.
 * PT_ADD, PT_EVICT, PT_REMOVE: value[0] is the pfn, kept only when asked for. */

/* PT_ADD.how: why the page was read in */
enum pt_cause {
	PT_CAUSE_DEMAND = 0,    /* the page a read asked for */
	PT_CAUSE_READAHEAD = 1, /* beyond what was asked for */
	PT_CAUSE_FAULT = 2,
	PT_CAUSE_WRITE = 3, /* added to be written: never a refault (kernel: __GFP_WRITE) */
	PT_CAUSE_METADATA = 4,
	PT_CAUSE_COUNT = 5 /* PT_UNKNOWN8: not known */
};

/*
 * PT_EVICT.how and PT_RECLAIM_BEGIN.how. Page-outs (DAMON's kdamond threads, MADV_PAGEOUT) leave
 * shadows like any reclaim but no bracket of events, and pgsteal_file leaves them out: `hist`
 * counts them apart. The shadow model wants PT_RECLAIM_BEGIN and PT_RECLAIM_END of every task,
 * since they tell whose shadows a PT_SCAN_SHADOWS of the same task freed.
 */
enum pt_reclaim_how {
	PT_RECLAIM_KSWAPD = 0,
	PT_RECLAIM_DIRECT = 1,    /* an allocation, machine-wide */
	PT_RECLAIM_MEMCG = 2,     /* a cgroup's limit */
	PT_RECLAIM_PROACTIVE = 3, /* memory.reclaim and the like */
	PT_RECLAIM_PAGEOUT = 4,   /* MADV_PAGEOUT, DAMON */
	PT_RECLAIM_NODE = 5,      /* node_reclaim */
	PT_RECLAIM_SOFTLIMIT = 6,
};

/* PT_REMOVE.how */
enum pt_remove_how {
	PT_REMOVE_TRUNCATE = 0,   /* truncated or deleted: shadows in the range go too */
	PT_REMOVE_INVALIDATE = 1, /* DONTNEED, drop_caches, inode shrinker */
	PT_REMOVE_DONTCACHE = 2,
};

/* PT_ACTIVATE.how */
enum pt_activate_how {
	PT_ACTIVATE_ACCESS = 0, /* mm_lru_activate: second touch */
	PT_ACTIVATE_INSERT =
		1, /* entered the LRU active: a refault found recent, or two early touches */
};

/* PT_SCAN.how; value[] is {scanned or taken, reclaimed, activated, kept} */
enum pt_scan_how {
	PT_SCAN_INACTIVE = 0, /* shrink_inactive: {nr_scanned, nr_reclaimed, nr_activate file,
				 nr_activate anon} */
	PT_SCAN_ACTIVE =
		1, /* shrink_active: {nr_taken, nr_deactivated, nr_active (kept), nr_referenced} */
	PT_SCAN_PAGES = 2, /* reclaim_pages (MADV_PAGEOUT, DAMON): as shrink_inactive */
	PT_SCAN_SHADOWS =
		3, /* the shadow shrinker: {scanned, nodes freed, nodes listed, unknown} */
};

/* PT_REFAULT.flags */
#define PT_REFAULT_ACTIVATED (1u << 0)
#define PT_REFAULT_RESTORED  (1u << 1)

/* PT_ADVISE.how: value[0] is the system's number (POSIX_FADV_*, MADV_*) */
enum pt_advise_how {
	PT_ADVISE_FADVISE = 0,
	PT_ADVISE_MADVISE = 1,
};

/* PT_READAHEAD.how */
enum pt_readahead_how {
	PT_RA_SYNC = 0,      /* a miss asked for it */
	PT_RA_ASYNC = 1,     /* a marker page was reached */
	PT_RA_ORDER = 2,     /* the window is filled with large folios */
	PT_RA_UNBOUNDED = 3, /* the window is filled with single pages */
	PT_RA_CALL = 4,      /* readahead(2), WILLNEED */
};

/* PT_SYNC.how */
enum pt_sync_how {
	PT_SYNC_FSYNC = 0,
	PT_SYNC_FDATASYNC = 1,
	PT_SYNC_RANGE = 2,
};

/* PT_RESIDENT.how: when; PT_RESIDENT.flags: state (unknown where PT_UNKNOWN32) */
enum pt_resident_how {
	PT_RESIDENT_START = 0,
	PT_RESIDENT_END = 1,
};
#define PT_RESIDENT_ACTIVE (1u << 0)
#define PT_RESIDENT_DIRTY  (1u << 1)
#define PT_RESIDENT_SHADOW (1u << 2) /* not cached: a shadow stands there */

/* PT_COUNTERS.how: which text blob is "NAME VALUE\n" lines of */
enum pt_counters_how {
	PT_COUNTERS_VMSTAT = 0,  /* /proc/vmstat */
	PT_COUNTERS_MEMSTAT = 1, /* memory.stat of cgroup */
	PT_COUNTERS_PSI = 2,     /* "some total" and "full total" us, of cgroup or the machine */
	PT_COUNTERS_KSWAPD = 3,  /* cpu_ns of each kswapd */
	PT_COUNTERS_LRU_GEN = 4, /* the generations of cgroup on each NUMA node */
	PT_COUNTERS_FLUSH = 5,   /* the kernel brought the statistics of cgroup and of all below
				    it up to date, after stats_updates changes */
};

/* PT_LIMIT.how */
enum pt_limit_how {
	PT_LIMIT_MAX = 0,
	PT_LIMIT_HIGH = 1,
	PT_LIMIT_LOW = 2,
	PT_LIMIT_MIN = 3,
};

/* PT_GAP.how: where they were lost */
enum pt_gap_how {
	PT_GAP_RING = 0,     /* the kernel's ring overran */
	PT_GAP_RECORDER = 1, /* the recorder could not keep them (disk full, out of memory) */
	PT_GAP_SOURCE = 2,   /* the imported recording says so, or is cut */
	PT_GAP_UNDECODED = 3 /* events that could not be decoded */
};

/*
 * One record. Ids (task, file, ...) are those that a sink gave out or a reader hands on; they
 * count from 0 within one writer or reader and are looked up there.
 */
struct pt_record {
	uint64_t ts_ns; /* when it began; never before the record ahead of it */
	uint64_t page;  /* first page of the file */
	uint64_t npages;
	uint64_t off_bytes, len_bytes;
	uint64_t duration_ns;
	uint64_t value[4]; /* by kind */
	const void *blob;  /* text; borrowed until the next call of whoever filled it */
	uint32_t blob_len;
	uint32_t task; /* who did it */
	uint32_t file;
	uint32_t open;      /* open-file id, chosen by the recorder, unique in the tape */
	uint32_t open_from; /* PT_DUP: the reference it was made from */
	uint32_t cgroup;    /* owner of the page, or the cgroup meant */
	uint32_t target;    /* cgroup whose reclaim it was */
	uint32_t flags;
	uint16_t node; /* NUMA node */
	uint16_t cpu;
	uint8_t kind;  /* enum pt_kind */
	uint8_t how;   /* by kind */
	uint8_t order; /* folio order: 2^order pages from page on */
};

/* A record whose every field is unknown but the kind. */
#define PT_RECORD_INIT(k)                                                                          \
	{                                                                                          \
		.page = PT_UNKNOWN, .npages = PT_UNKNOWN, .off_bytes = PT_UNKNOWN,                 \
		.len_bytes = PT_UNKNOWN, .duration_ns = PT_UNKNOWN,                                \
		.value = { PT_UNKNOWN, PT_UNKNOWN, PT_UNKNOWN, PT_UNKNOWN }, .task = PT_UNKNOWN32, \
		.file = PT_UNKNOWN32, .open = PT_UNKNOWN32, .open_from = PT_UNKNOWN32,             \
		.cgroup = PT_UNKNOWN32, .target = PT_UNKNOWN32, .flags = PT_UNKNOWN32,             \
		.node = PT_UNKNOWN16, .cpu = PT_UNKNOWN16, .kind = (k), .how = PT_UNKNOWN8,        \
		.order = PT_UNKNOWN8,                                                              \
	}

/* Fields, in the order in which a kind's columns are stored. Numbers are for ever. */
enum pt_field {
	PT_F_TASK = 1,
	PT_F_FILE,
	PT_F_OPEN,
	PT_F_OPEN_FROM,
	PT_F_PAGE,
	PT_F_NPAGES,
	PT_F_OFF,
	PT_F_LEN,
	PT_F_DURATION,
	PT_F_CGROUP,
	PT_F_TARGET,
	PT_F_FLAGS,
	PT_F_NODE,
	PT_F_CPU,
	PT_F_HOW,
	PT_F_ORDER,
	PT_F_VALUE0,
	PT_F_VALUE1,
	PT_F_VALUE2,
	PT_F_VALUE3,
	PT_F_BLOB,
	PT_F_COUNT
};

/* What a kind is called and which fields it has (a bit 1 << PT_F_x each). */
struct pt_kind_info {
	const char *name;
	uint32_t fields;
};

/* The table's row, or NULL for a kind that this version does not know. */
const struct pt_kind_info *pt_kind_info(unsigned int kind);

/* The kind called @name, or 0. */
unsigned int pt_kind_by_name(const char *name);

/* The name of @how for @kind ("demand", "kswapd"), or NULL where it has none or is unknown. */
const char *pt_how_name(unsigned int kind, unsigned int how);

/*
 * What value @i (0 to 3) of a record means ("scanned", "gfp"), or NULL where the kind has no such
 * value; "value0" and so on where @how is one that this version does not know.
 */
const char *pt_value_name(unsigned int kind, unsigned int how, unsigned int i);

/* The name of a field as `dump` and docs/format.md show it ("page", "len_bytes"). */
const char *pt_field_name(unsigned int field);

/* A field's value as a number, PT_UNKNOWN where unknown (whatever its width); blobs give their
 * length. */
uint64_t pt_record_get(const struct pt_record *r, unsigned int field);

/* ---- Definitions: what ids stand for. Strings are NULL and numbers PT_UNKNOWN where not known. */

/* dev is the kernel's own encoding: major << 20 | minor. gen tells reused inode numbers apart. */
struct pt_file_key {
	uint64_t ino;
	uint32_t dev;
	uint32_t gen;
};

enum pt_file_type {
	PT_FILE_REGULAR = 0,
	PT_FILE_DIRECTORY = 1,
	PT_FILE_SYMLINK = 2,
	PT_FILE_BLOCKDEV = 3, /* metadata, or an opened device */
	PT_FILE_OTHER = 4,    /* PT_UNKNOWN32: not known */
};

#define PT_FILE_DELETED   (1u << 0) /* had no name when it was looked for */
#define PT_FILE_AMBIGUOUS (1u << 1) /* the path is one of several candidates */
#define PT_FILE_SPARSE    (1u << 2) /* has holes */

struct pt_file {
	struct pt_file_key key;
	uint64_t size;        /* bytes, at the end of the recording or when last seen */
	uint64_t blocks_512;  /* allocated, in units of 512 bytes */
	uint32_t type;        /* enum pt_file_type */
	uint32_t flags;       /* PT_FILE_* */
	uint32_t mount;       /* mount id of a pt_mount */
	const char *path;     /* absolute, in the recorder's mount namespace; any bytes but NUL */
	const char *build_id; /* hex, of an ELF file */
	const char *holes;    /* "FIRST+PAGES,..." of runs without blocks */
	struct pt_file_key stands_for; /* in a replay's tape: the recorded file that it plays;
					* ino PT_UNKNOWN where it plays none */
};

/* incarnation tells reused pids apart: 0, 1, 2... in order of appearance. */
struct pt_task_key {
	uint32_t pid;
	uint32_t incarnation;
};

#define PT_TASK_KTHREAD (1u << 0)
#define PT_TASK_KSWAPD  (1u << 1)
#define PT_TASK_SUBJECT (1u << 2) /* what the recording is about: CMD and its children */

struct pt_task {
	struct pt_task_key key;
	uint32_t tgid;
	uint32_t parent_pid;
	uint32_t cgroup; /* id where it was first seen; moves are PT_ATTACH records */
	uint32_t flags;  /* PT_TASK_* */
	const char *comm;
	uint32_t stands_for_pid; /* in a replay's tape: the recorded task that it plays; else
				    unknown */
	uint32_t stands_for_incarnation;
};

struct pt_cgroup {
	uint64_t id;     /* inode of its directory, as in memcg events */
	uint64_t parent; /* id, PT_UNKNOWN for a root */
	uint64_t max_bytes, high_bytes, low_bytes, min_bytes; /* PT_UNKNOWN - 1: no limit */
	uint32_t version;                                     /* 1 or 2 */
	const char *path; /* below the hierarchy's root, "/" for the root itself */
};
#define PT_NO_LIMIT (PT_UNKNOWN - 1)

struct pt_mount {
	uint32_t id;
	uint32_t dev;
	uint32_t block_size;
	const char *point, *type, *options;
};

struct pt_device {
	uint32_t dev;
	uint32_t read_ahead_kb;
	uint32_t rotational;
	uint64_t size;
	const char *name, *scheduler;
};

/* An open file where the tape knows them (PT_OPEN gives the moment; this what it is). */
struct pt_openfile {
	uint32_t id;
	uint32_t file;    /* file id */
	uint32_t flags;   /* O_*, PT_UNKNOWN32 */
	uint32_t guessed; /* 1: inferred as one per (task, file) */
};

#endif
