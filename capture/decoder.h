/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Raw trace records to struct pt_kevent, by the recording kernel's own event formats.
 *
 * Formats come from libtraceevent; each event's fields are looked up once, by name, with their
 * offset, size and sign. Afterwards decoding allocates nothing. Not thread-safe.
 */
#ifndef PT_CAPTURE_DECODER_H
#define PT_CAPTURE_DECODER_H

#include <stdint.h>

#include "capture/kevent.h"
#include "util/diag.h"

struct tep_handle;
struct pt_decoder;

/*
 * Look up all events of pt_kevents that @tep knows (borrowed: it must outlive the decoder).
 * -ENOENT with @diag where a required one is missing, -EBADMSG where one lacks a field that is
 * always there. Release with pt_decoder_free().
 */
int pt_decoder_new(struct tep_handle *tep, struct pt_decoder **ret_d, struct pt_diag *diag);
void pt_decoder_free(struct pt_decoder *d);

/* Whether the source has this kind of event. */
int pt_decoder_has(const struct pt_decoder *d, enum pt_kevent_type type);

/*
 * Whether events tell of accesses. Those came with Linux 6.12: before it a recording has what was
 * added, evicted and refaulted, and nothing of what was read.
 */
int pt_decoder_tells_accesses(const struct pt_decoder *d);

/* The rows of pt_kevents that were found, NULL-terminated; borrowed. */
const struct pt_kevent_info *const *pt_decoder_found(const struct pt_decoder *d);

/*
 * Decode @len bytes at @data, recorded on @cpu at @ts_ns. 1; 0 where the event is none of ours;
 * -EBADMSG where it is shorter than its format says. Texts point into @data.
 */
int pt_decoder_decode(const struct pt_decoder *d, const void *data, uint32_t len, uint16_t cpu,
		      uint64_t ts_ns, struct pt_kevent *ret_ev);

#endif
