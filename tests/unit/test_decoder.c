// SPDX-License-Identifier: GPL-2.0-or-later
/* capture/decoder: fields are found by name and size, whatever a kernel's format looks like. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <event-parse.h>

#include "capture/decoder.h"
#include "formats/record.h"
#include "util/bytes.h"

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define END "\nprint fmt: \"\"\n"

/* As 6.12 and 6.18 have it: longs, then the device. */
static const char add_longs[] =
	"name: mm_filemap_add_to_page_cache\nID: 700\n" COMMON
	"\tfield:unsigned long pfn;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long i_ino;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long index;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:dev_t s_dev;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned char order;\toffset:36;\tsize:1;\tsigned:0;\n" END;

/* As later kernels have it: the inode number as u64 and first. */
static const char add_reordered[] = "name: mm_filemap_add_to_page_cache\nID: 701\n" COMMON
				    "\tfield:u64 i_ino;\toffset:8;\tsize:8;\tsigned:0;\n"
				    "\tfield:unsigned long pfn;\toffset:16;\tsize:8;\tsigned:0;\n"
				    "\tfield:unsigned long index;\toffset:24;\tsize:8;\tsigned:0;\n"
				    "\tfield:dev_t s_dev;\toffset:32;\tsize:4;\tsigned:0;\n" END;

/* Everything else that is required, with the fewest fields. */
static const char *const rest[] = {
	"name: mm_filemap_delete_from_page_cache\nID: 710\n" COMMON
	"\tfield:unsigned long pfn;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long i_ino;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long index;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:dev_t s_dev;\toffset:32;\tsize:4;\tsigned:0;\n" END,
	"name: mm_filemap_get_pages\nID: 711\n" COMMON
	"\tfield:unsigned long i_ino;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:dev_t s_dev;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long index;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long last_index;\toffset:32;\tsize:8;\tsigned:0;\n" END,
	"name: mm_filemap_map_pages\nID: 712\n" COMMON
	"\tfield:unsigned long i_ino;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:dev_t s_dev;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long index;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long last_index;\toffset:32;\tsize:8;\tsigned:0;\n" END,
	"name: mm_filemap_fault\nID: 713\n" COMMON
	"\tfield:unsigned long i_ino;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:dev_t s_dev;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long index;\toffset:24;\tsize:8;\tsigned:0;\n" END,
};
static const char shrink[] =
	"name: mm_vmscan_lru_shrink_inactive\nID: 714\n" COMMON
	"\tfield:int nid;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned long nr_scanned;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long nr_reclaimed;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned int nr_activate0;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned int nr_activate1;\toffset:36;\tsize:4;\tsigned:0;\n" END;
static const char state[] = "name: mod_memcg_lruvec_state\nID: 715\n" COMMON
			    "\tfield:u64 id;\toffset:8;\tsize:8;\tsigned:0;\n"
			    "\tfield:int item;\toffset:16;\tsize:4;\tsigned:1;\n"
			    "\tfield:int val;\toffset:20;\tsize:4;\tsigned:1;\n" END;
static const char rename_text[] =
	"name: task_rename\nID: 716\n" COMMON "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:char newcomm[16];\toffset:12;\tsize:16;\tsigned:0;\n" END;

static void parse(struct tep_handle *tep, const char *system, const char *format)
{
	assert_int_equal(tep_parse_event(tep, format, strlen(format), system), 0);
}

static struct tep_handle *kernel_with(const char *add)
{
	struct tep_handle *tep = tep_alloc();

	assert_non_null(tep);
	tep_set_loglevel(TEP_LOG_NONE);
	if (add)
		parse(tep, "filemap", add);
	for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++)
		parse(tep, "filemap", rest[i]);
	parse(tep, "vmscan", shrink);
	parse(tep, "memcg", state);
	parse(tep, "task", rename_text);
	return tep;
}

static void head_of(uint8_t *data, uint16_t id)
{
	memset(data, 0, 64);
	le16_put(data, id);
	le32_put(data + 4, 4242);
}

static void fields_are_found_wherever_they_are(void **unused)
{
	static const struct {
		const char *format;
		uint16_t id;
		size_t pfn, ino;
		uint8_t order;
	} kernels[] = { { add_longs, 700, 8, 16, 4 }, { add_reordered, 701, 16, 8, PT_UNKNOWN8 } };

	(void)unused;
	for (size_t i = 0; i < 2; i++) {
		struct tep_handle *tep = kernel_with(kernels[i].format);
		struct pt_decoder *d;
		struct pt_kevent ev;
		uint8_t data[64];

		assert_int_equal(pt_decoder_new(tep, &d, NULL), 0);
		head_of(data, kernels[i].id);
		le64_put(data + kernels[i].pfn, 0xabcdef);
		le64_put(data + kernels[i].ino, UINT64_C(0x123456789ab));
		le64_put(data + 24, 99);
		le32_put(data + 32, 254u << 20 | 3);
		data[36] = 4;
		assert_int_equal(pt_decoder_decode(d, data, 40, 1, 5, &ev), 1);
		assert_int_equal(ev.type, PT_KEV_ADD);
		assert_int_equal(ev.pid, 4242);
		assert_true(ev.ino == UINT64_C(0x123456789ab) && ev.page == 99);
		assert_true(ev.value[0] == 0xabcdef && ev.dev == (254u << 20 | 3));
		assert_int_equal(ev.order, kernels[i].order);
		assert_int_equal(pt_decoder_decode(d, data, 20, 1, 5, &ev), -EBADMSG);
		pt_decoder_free(d);
		tep_free(tep);
	}
}

static void signs_and_texts_are_kept(void **unused)
{
	struct tep_handle *tep = kernel_with(add_longs);
	struct pt_decoder *d;
	struct pt_kevent ev;
	uint8_t data[64];

	(void)unused;
	assert_int_equal(pt_decoder_new(tep, &d, NULL), 0);
	head_of(data, 715);
	le32_put(data + 20, (uint32_t)-16);
	assert_int_equal(pt_decoder_decode(d, data, 24, 0, 5, &ev), 1);
	assert_true((int64_t)ev.value[2] == -16);
	head_of(data, 716);
	memcpy(data + 12, "workload", 9);
	assert_int_equal(pt_decoder_decode(d, data, 28, 0, 5, &ev), 1);
	assert_string_equal(ev.text, "workload");
	memset(data + 12, 'x', 16); /* not ended */
	assert_int_equal(pt_decoder_decode(d, data, 28, 0, 5, &ev), 1);
	assert_null(ev.text);
	head_of(data, 999);
	assert_int_equal(pt_decoder_decode(d, data, 28, 0, 5, &ev), 0);
	pt_decoder_free(d);
	tep_free(tep);
}

static void a_kernel_without_adds_is_refused(void **unused)
{
	struct tep_handle *tep = kernel_with(NULL);
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_decoder *d;

	(void)unused;
	assert_int_equal(pt_decoder_new(tep, &d, &diag), -ENOENT);
	assert_string_equal(diag.text, "no event filemap:mm_filemap_add_to_page_cache");
	tep_free(tep);
}

/* As before 6.12: what was added and evicted is told, what was read is not. */
static void a_kernel_without_accesses_says_so(void **unused)
{
	struct tep_handle *tep = tep_alloc(), *all = kernel_with(add_longs);
	struct pt_decoder *d;

	(void)unused;
	assert_non_null(tep);
	parse(tep, "filemap", add_longs);
	parse(tep, "filemap", rest[0]);
	parse(tep, "vmscan", shrink);
	assert_int_equal(pt_decoder_new(tep, &d, NULL), 0);
	assert_true(pt_decoder_has(d, PT_KEV_DELETE));
	assert_false(pt_decoder_tells_accesses(d));
	pt_decoder_free(d);
	assert_int_equal(pt_decoder_new(all, &d, NULL), 0);
	assert_true(pt_decoder_tells_accesses(d));
	pt_decoder_free(d);
	tep_free(tep);
	tep_free(all);
}

/* Damage can put the common fields behind what a record holds: nothing is read there. */
static void common_fields_beyond_the_record_are_damage(void **unused)
{
	static const char far_pid[] =
		"name: mm_filemap_add_to_page_cache\nID: 702\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:64;\tsize:4;\tsigned:1;\n\n"
		"\tfield:unsigned long pfn;\toffset:8;\tsize:8;\tsigned:0;\n"
		"\tfield:unsigned long i_ino;\toffset:16;\tsize:8;\tsigned:0;\n"
		"\tfield:unsigned long index;\toffset:24;\tsize:8;\tsigned:0;\n"
		"\tfield:dev_t s_dev;\toffset:32;\tsize:4;\tsigned:0;\n" END;
	struct tep_handle *tep = kernel_with(far_pid);
	struct pt_decoder *d;
	struct pt_kevent ev;
	uint8_t data[68] = { 0 };

	(void)unused;
	assert_int_equal(pt_decoder_new(tep, &d, NULL), 0);
	le16_put(data, 702);
	le32_put(data + 64, 4242);
	for (uint32_t len = 40; len < 68; len++)
		assert_int_equal(pt_decoder_decode(d, data, len, 0, 5, &ev), -EBADMSG);
	assert_int_equal(pt_decoder_decode(d, data, 68, 0, 5, &ev), 1);
	assert_int_equal(ev.pid, 4242);
	pt_decoder_free(d);
	tep_free(tep);
}

/* __rel_loc texts are found from the field on, not from the record's start. */
static void relative_texts_are_refused(void **unused)
{
	static const char relative[] =
		"name: sched_process_fork\nID: 717\n" COMMON
		"\tfield:__rel_loc char[] child_comm;\toffset:8;\tsize:4;"
		"\tsigned:0;\n"
		"\tfield:pid_t child_pid;\toffset:12;\tsize:4;\tsigned:1;\n" END;
	struct tep_handle *tep = kernel_with(add_longs);
	struct pt_decoder *d;

	(void)unused;
	parse(tep, "sched", relative);
	assert_int_equal(pt_decoder_new(tep, &d, NULL), -EBADMSG);
	tep_free(tep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_found_wherever_they_are),
		cmocka_unit_test(signs_and_texts_are_kept),
		cmocka_unit_test(a_kernel_without_adds_is_refused),
		cmocka_unit_test(a_kernel_without_accesses_says_so),
		cmocka_unit_test(common_fields_beyond_the_record_are_damage),
		cmocka_unit_test(relative_texts_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
