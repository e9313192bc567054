// SPDX-License-Identifier: GPL-2.0-or-later
/* Columns to records, one at a time: see unpack.h. Columns are unpacked in unpack.c. */
#include <stdlib.h>
#include <string.h>

#include "formats/unpack.h"

void pt_unpacked_done(struct pt_unpacked *u)
{
	free(u->ts_ns);
	free(u->numbers);
	free(u->blob_numbers);
	*u = (struct pt_unpacked){ 0 };
}

static void copy_blob(const struct pt_unpacked_kind *k, uint32_t row, struct pt_record *rec)
{
	uint32_t start = row ? k->blob_ends[row - 1] & ~PT_NO_BLOB : 0;

	if (k->blob_ends[row] & PT_NO_BLOB)
		return;
	rec->blob = k->blobs + start;
	rec->blob_len = k->blob_ends[row] - start;
}

static void copy_row(const struct pt_unpacked_kind *k, uint32_t row, struct pt_record *rec)
{
	unsigned int i = 0;

	for (; i < k->ends[0]; i++)
		memcpy((char *)rec + k->copies[i].offset, &k->copies[i].v[row], 8);
	for (; i < k->ends[1]; i++) {
		uint32_t v = (uint32_t)k->copies[i].v[row];

		memcpy((char *)rec + k->copies[i].offset, &v, sizeof(v));
	}
	for (; i < k->ends[2]; i++) {
		uint16_t v = (uint16_t)k->copies[i].v[row];

		memcpy((char *)rec + k->copies[i].offset, &v, sizeof(v));
	}
	for (; i < k->ends[3]; i++)
		*((uint8_t *)rec + k->copies[i].offset) = (uint8_t)k->copies[i].v[row];
}

int pt_unpacked_next(struct pt_unpacked *u, struct pt_record *ret_rec)
{
	while (u->at < u->n) {
		uint32_t at = u->at++;
		struct pt_unpacked_kind *k;

		if (!pt_kind_info(u->kinds[at]))
			continue;
		k = &u->by_kind[u->kinds[at]];
		if (u->skipped >> u->kinds[at] & 1) {
			k->next++;
			continue;
		}
		*ret_rec = k->common;
		copy_row(k, k->next, ret_rec);
		if (k->blob_ends)
			copy_blob(k, k->next, ret_rec);
		k->next++;
		ret_rec->ts_ns = u->has_times ? u->ts_ns[at] : u->first_ns;
		return 1;
	}
	return 0;
}
