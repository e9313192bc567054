/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tape's head: where, when and how it was recorded, and what it can know.
 *
 * On disk it is a JSON object in a skippable frame (docs/format.md), so that later versions add
 * keys and older readers keep what they do not understand. In memory it is a jansson object with
 * typed access to what the tools need; `known` says which knowledge the tape has.
 */
#ifndef PT_FORMATS_HEAD_H
#define PT_FORMATS_HEAD_H

#include <jansson.h>
#include <stdint.h>

#include "util/diag.h"

/* How far a piece of knowledge can be trusted. */
enum pt_known {
	PT_KNOWN_UNAVAILABLE = 0,
	PT_KNOWN_GUESSED = 1,
	PT_KNOWN_DERIVED = 2,
	PT_KNOWN_KNOWN = 3,
};

/*
 * The keys of the JSON object, all optional but the first three:
 * tape_id (UUID string) · page_size · clock ("mono", ...) · version (the recorder's) · host_id ·
 * boot_id · start_realtime_ns · source ("live", "trace.dat", "synth", "replay", ...) ·
 * sources [event names] · filters [] · sampling {} ·
 * kernel {release, version, build_id, arch, lru {flavour ("classic"|"mglru"), mask}} ·
 * known {accesses, calls, bytes, open_files, cgroups, refaults, activations: "known" | "derived" |
 * "guessed" | "unavailable"} · counters_every_ns ·
 * environment {memory_bytes, cpus, cmdline, nodes [], swap_bytes, zswap, thp, fault_around_bytes,
 * min_ttl_ms, vm {KNOB: value}, ...} · command [argv] ·
 * kernel_counts {scope, refault_rule, workingset_refault_file, workingset_activate_file,
 * pgsteal_file}: what the kernel itself counted over the recording, where someone asked it.
 */
struct pt_head {
	json_t *doc; /* owned */
};

/* A head with a fresh random tape_id, our version, and nothing else known. */
int pt_head_init(struct pt_head *h, uint32_t page_size, const char *clock);
void pt_head_done(struct pt_head *h);

/* Parse @len bytes of JSON. -EBADMSG with @diag where it is not an object or lacks what is
 * required. */
int pt_head_parse(struct pt_head *h, const char *text, size_t len, struct pt_diag *diag);

/* Serialise compactly, keys sorted. Release with free(). NULL when out of memory. */
char *pt_head_format(const struct pt_head *h);

/* Replace tape_id by one derived from @len bytes (for convert and synth: goldens stay equal). */
int pt_head_derive_id(struct pt_head *h, const void *content, size_t len);

const char *pt_head_tape_id(const struct pt_head *h);
uint32_t pt_head_page_size(const struct pt_head *h);
enum pt_known pt_head_known(const struct pt_head *h, const char *what);
int pt_head_set_known(struct pt_head *h, const char *what, enum pt_known k);

/* 0, or -EOPNOTSUPP with @diag where the tape says that it does not know what was accessed. */
int pt_head_need_accesses(const struct pt_head *h, struct pt_diag *diag);
const char *pt_known_name(enum pt_known k);

/* Whether the machine had swap when recording began; 0 where that is not known. */
int pt_head_has_swap(const struct pt_head *h);

/* A string at a path of keys, as in pt_head_string(h, "kernel", "release", NULL); NULL if absent.
 */
const char *pt_head_string(const struct pt_head *h, ...) __attribute__((sentinel));

#endif
