// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of kevent.h. */
#include "capture/kevent.h"

#include <string.h>

#include "formats/record.h"

#define AT(member) offsetof(struct pt_kevent, member), sizeof(((struct pt_kevent *)0)->member)

#define NUMBER(name, member)           \
	{                              \
		name, AT(member), 0, 0 \
	}
#define OPTIONAL(name, member)         \
	{                              \
		name, AT(member), 0, 1 \
	}
#define TEXT(name)                   \
	{                            \
		name, AT(text), 1, 0 \
	}

#define FILEMAP NUMBER("s_dev", dev), NUMBER("i_ino", ino)
#define FS_FILE NUMBER("dev", dev), NUMBER("ino", ino)

#define INACTIVE                                                                               \
	NUMBER("nid", node), NUMBER("nr_scanned", value[0]), NUMBER("nr_reclaimed", value[1]), \
		NUMBER("nr_activate1", value[2]), NUMBER("nr_activate0", value[3])

#define BEGIN_EVENT(name, how)                                                  \
	{                                                                       \
		"vmscan", name, PT_KEV_RECLAIM_BEGIN, how, PT_KEVENT_OPTIONAL,  \
		{                                                               \
			NUMBER("order", order), OPTIONAL("gfp_flags", value[0]) \
		}                                                               \
	}
#define END_EVENT(name, how)                                                 \
	{                                                                    \
		"vmscan", name, PT_KEV_RECLAIM_END, how, PT_KEVENT_OPTIONAL, \
		{                                                            \
			NUMBER("nr_reclaimed", value[0])                     \
		}                                                            \
	}

const struct pt_kevent_info pt_kevents[] = {
	{ "filemap",
	  "mm_filemap_add_to_page_cache",
	  PT_KEV_ADD,
	  0,
	  PT_KEVENT_REQUIRED,
	  { FILEMAP, NUMBER("index", page), NUMBER("pfn", value[0]), OPTIONAL("order", order) } },
	{ "filemap",
	  "mm_filemap_delete_from_page_cache",
	  PT_KEV_DELETE,
	  0,
	  PT_KEVENT_REQUIRED,
	  { FILEMAP, NUMBER("index", page), NUMBER("pfn", value[0]), OPTIONAL("order", order) } },
	{ "filemap",
	  "mm_filemap_get_pages",
	  PT_KEV_GET_PAGES,
	  0,
	  PT_KEVENT_OPTIONAL,
	  { FILEMAP, NUMBER("index", page), NUMBER("last_index", value[0]) } },
	{ "filemap",
	  "mm_filemap_map_pages",
	  PT_KEV_MAP_PAGES,
	  0,
	  PT_KEVENT_OPTIONAL,
	  { FILEMAP, NUMBER("index", page), NUMBER("last_index", value[0]) } },
	{ "filemap",
	  "mm_filemap_fault",
	  PT_KEV_FAULT,
	  0,
	  PT_KEVENT_OPTIONAL,
	  { FILEMAP, NUMBER("index", page) } },
	{ "pagemap",
	  "mm_lru_insertion",
	  PT_KEV_LRU_INSERT,
	  0,
	  PT_KEVENT_OPTIONAL,
	  { NUMBER("pfn", value[0]), NUMBER("lru", value[1]) } },
	{ "pagemap",
	  "mm_lru_activate",
	  PT_KEV_LRU_ACTIVATE,
	  0,
	  PT_KEVENT_OPTIONAL,
	  { NUMBER("pfn", value[0]) } },
	{ "readahead",
	  "page_cache_sync_ra",
	  PT_KEV_RA_SYNC,
	  PT_RA_SYNC,
	  PT_KEVENT_OPTIONAL,
	  { FILEMAP, NUMBER("index", page), NUMBER("req_count", value[0]) } },
	{ "readahead",
	  "page_cache_async_ra",
	  PT_KEV_RA_ASYNC,
	  PT_RA_ASYNC,
	  PT_KEVENT_OPTIONAL,
	  { FILEMAP, NUMBER("index", page), NUMBER("req_count", value[0]) } },
	{ "readahead",
	  "page_cache_ra_order",
	  PT_KEV_RA_WINDOW,
	  PT_RA_ORDER,
	  PT_KEVENT_OPTIONAL,
	  { FILEMAP, NUMBER("index", page), NUMBER("size", value[0]),
	    NUMBER("async_size", value[1]), NUMBER("order", order) } },
	{ "readahead",
	  "page_cache_ra_unbounded",
	  PT_KEV_RA_WINDOW,
	  PT_RA_UNBOUNDED,
	  PT_KEVENT_OPTIONAL,
	  { FILEMAP, NUMBER("index", page), NUMBER("nr_to_read", value[0]),
	    NUMBER("lookahead_size", value[1]) } },
	{ "vmscan",
	  "mm_vmscan_lru_shrink_inactive",
	  PT_KEV_SHRINK_INACTIVE,
	  PT_SCAN_INACTIVE,
	  PT_KEVENT_REQUIRED,
	  { INACTIVE } },
	{ "vmscan",
	  "mm_vmscan_reclaim_pages",
	  PT_KEV_RECLAIM_PAGES,
	  PT_SCAN_PAGES,
	  PT_KEVENT_OPTIONAL,
	  { INACTIVE } },
	{ "vmscan",
	  "mm_vmscan_lru_shrink_active",
	  PT_KEV_SHRINK_ACTIVE,
	  PT_SCAN_ACTIVE,
	  PT_KEVENT_OPTIONAL,
	  { NUMBER("nid", node), NUMBER("nr_taken", value[0]), NUMBER("nr_deactivated", value[1]),
	    NUMBER("nr_active", value[2]), NUMBER("nr_referenced", value[3]) } },
	BEGIN_EVENT("mm_vmscan_direct_reclaim_begin", PT_RECLAIM_DIRECT),
	BEGIN_EVENT("mm_vmscan_memcg_reclaim_begin", PT_RECLAIM_MEMCG),
	BEGIN_EVENT("mm_vmscan_memcg_softlimit_reclaim_begin", PT_RECLAIM_SOFTLIMIT),
	BEGIN_EVENT("mm_vmscan_node_reclaim_begin", PT_RECLAIM_NODE),
	END_EVENT("mm_vmscan_direct_reclaim_end", PT_RECLAIM_DIRECT),
	END_EVENT("mm_vmscan_memcg_reclaim_end", PT_RECLAIM_MEMCG),
	END_EVENT("mm_vmscan_memcg_softlimit_reclaim_end", PT_RECLAIM_SOFTLIMIT),
	END_EVENT("mm_vmscan_node_reclaim_end", PT_RECLAIM_NODE),
	{ "vmscan",
	  "mm_vmscan_kswapd_wake",
	  PT_KEV_KSWAPD,
	  0,
	  PT_KEVENT_OPTIONAL,
	  { NUMBER("nid", node) } },
	{ "vmscan",
	  "mm_shrink_slab_start",
	  PT_KEV_SLAB_START,
	  0,
	  PT_KEVENT_OPTIONAL,
	  { NUMBER("nid", node), NUMBER("shrink", value[0]), NUMBER("total_scan", value[1]) } },
	{ "vmscan",
	  "mm_shrink_slab_end",
	  PT_KEV_SLAB_END,
	  0,
	  PT_KEVENT_OPTIONAL,
	  { NUMBER("nid", node), NUMBER("shrink", value[0]), NUMBER("total_scan", value[1]),
	    NUMBER("retval", value[2]) } },
	{ "memcg",
	  "mod_memcg_lruvec_state",
	  PT_KEV_MEMCG_STATE,
	  0,
	  PT_KEVENT_MEMCG,
	  { NUMBER("id", value[0]), NUMBER("item", value[1]), NUMBER("val", value[2]) } },
	{ "memcg",
	  "memcg_flush_stats",
	  PT_KEV_MEMCG_FLUSH,
	  0,
	  PT_KEVENT_OPTIONAL,
	  { NUMBER("id", value[0]), OPTIONAL("stats_updates", value[1]),
	    OPTIONAL("force", value[2]), OPTIONAL("needs_flush", value[3]) } },
	{ "writeback",
	  "writeback_dirty_folio",
	  PT_KEV_DIRTY,
	  0,
	  PT_KEVENT_OPTIONAL,
	  { TEXT("name"), NUMBER("ino", ino), NUMBER("index", page) } },
	{ "ext4",
	  "ext4_da_write_end",
	  PT_KEV_WRITE_DONE,
	  0,
	  PT_KEVENT_OPTIONAL,
	  { FS_FILE, NUMBER("pos", value[0]), NUMBER("copied", value[1]) } },
	{ "ext4",
	  "ext4_write_end",
	  PT_KEV_WRITE_DONE,
	  0,
	  PT_KEVENT_OPTIONAL,
	  { FS_FILE, NUMBER("pos", value[0]), NUMBER("copied", value[1]) } },
	{ "ext4",
	  "ext4_journalled_write_end",
	  PT_KEV_WRITE_DONE,
	  0,
	  PT_KEVENT_OPTIONAL,
	  { FS_FILE, NUMBER("pos", value[0]), NUMBER("copied", value[1]) } },
	{ "xfs",
	  "xfs_file_buffered_write",
	  PT_KEV_WRITE_BEGIN,
	  0,
	  PT_KEVENT_OPTIONAL,
	  { FS_FILE, NUMBER("offset", value[0]), NUMBER("count", value[1]) } },
	{ "ext4",
	  "ext4_sync_file_enter",
	  PT_KEV_SYNC,
	  0,
	  PT_KEVENT_OPTIONAL,
	  { FS_FILE, NUMBER("datasync", value[0]) } },
	{ "ext4",
	  "ext4_invalidate_folio",
	  PT_KEV_INVALIDATE,
	  0,
	  PT_KEVENT_OPTIONAL,
	  { FS_FILE, NUMBER("index", page) } },
	{ "ext4",
	  "ext4_journalled_invalidate_folio",
	  PT_KEV_INVALIDATE,
	  0,
	  PT_KEVENT_OPTIONAL,
	  { FS_FILE, NUMBER("index", page) } },
	{ "ext4", "ext4_truncate_enter", PT_KEV_TRUNCATE, 0, PT_KEVENT_OPTIONAL, { FS_FILE } },
	{ "ext4", "ext4_free_inode", PT_KEV_FREE_INODE, 0, PT_KEVENT_OPTIONAL, { FS_FILE } },
	{ "sched",
	  "sched_process_fork",
	  PT_KEV_FORK,
	  0,
	  PT_KEVENT_OPTIONAL,
	  { NUMBER("child_pid", value[0]), TEXT("child_comm") } },
	{ "sched",
	  "sched_process_exit",
	  PT_KEV_EXIT,
	  0,
	  PT_KEVENT_OPTIONAL,
	  { NUMBER("pid", value[0]) } },
	{ "task",
	  "task_rename",
	  PT_KEV_RENAME,
	  0,
	  PT_KEVENT_OPTIONAL,
	  { NUMBER("pid", value[0]), TEXT("newcomm") } },
	{ "cgroup",
	  "cgroup_attach_task",
	  PT_KEV_ATTACH,
	  0,
	  PT_KEVENT_OPTIONAL,
	  { NUMBER("pid", value[0]), NUMBER("dst_id", value[1]), NUMBER("dst_root", value[2]),
	    TEXT("dst_path") } },
	{ NULL },
};

const struct pt_kevent_info *pt_kevent_by_name(const char *system, const char *name)
{
	for (const struct pt_kevent_info *k = pt_kevents; k->name; k++)
		if (strcmp(k->name, name) == 0 && strcmp(k->system, system) == 0)
			return k;
	return NULL;
}
