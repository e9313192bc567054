// SPDX-License-Identifier: GPL-2.0-or-later
/* formats/record: the tables agree with themselves, with memory, and with docs/format.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/field.h"
#include "util/cleanup.h"

static char *read_text(const char *path)
{
	auto_fclose FILE *f = fopen(path, "r");
	char *text = calloc(1, 1 << 20);

	assert_true(f && text);
	assert_in_range(fread(text, 1, (1 << 20) - 1, f), 1, (1 << 20) - 2);
	return text;
}

/* "| 13 | scan | task, target, ... | 0 inactive, 1 active |", as the table of kinds has it. */
static char *row_of(unsigned int kind)
{
	const struct pt_kind_info *info = pt_kind_info(kind);
	const char *between = "";
	char *row;
	size_t len;
	FILE *f = open_memstream(&row, &len);

	assert_non_null(f);
	fprintf(f, "| %u | %s | ", kind, info->name);
	for (unsigned int i = 1; i < PT_F_COUNT; i++) {
		if (!(info->fields & 1u << i))
			continue;
		fprintf(f, "%s%s", between, pt_field_name(i));
		between = ", ";
	}
	fputs(" | ", f);
	for (unsigned int how = 0; pt_how_name(kind, how); how++)
		fprintf(f, "%s%u %s", how ? ", " : "", how, pt_how_name(kind, how));
	fputs(" |", f);
	assert_int_equal(fclose(f), 0);
	return row;
}

static void the_specification_lists_every_kind_and_field(void **state)
{
	auto_free char *text = read_text(PT_DOCS_DIR "/format.md");

	(void)state;
	for (unsigned int kind = 1; kind < PT_KIND_COUNT; kind++) {
		auto_free char *row = row_of(kind);

		if (!strstr(text, row))
			fail_msg("docs/format.md has no row \"%s\"", row);
	}
	for (unsigned int field = 1; field < PT_F_VALUE0; field++) {
		char row[80];

		snprintf(row, sizeof(row), "| %u | %s | %u |", field, pt_field_name(field),
			 pt_field_places[field].width);
		if (!strstr(text, row))
			fail_msg("docs/format.md has no row \"%s\"", row);
	}
}

/* "| 13 | scan | inactive | scanned | reclaimed | activated | activated_anon |" */
static void check_values_row(const char *text, unsigned int kind, unsigned int how)
{
	const char *how_name = pt_how_name(kind, how);
	char row[160];
	int at = snprintf(row, sizeof(row), "| %u | %s | %s |", kind, pt_kind_info(kind)->name,
			  kind == PT_SCAN ? how_name : "");

	for (unsigned int i = 0; i < 4; i++) {
		const char *name = pt_value_name(kind, how, i);

		if (name && strncmp(name, "value", 5) == 0)
			name = NULL; /* the table's row leaves this one open */
		at += snprintf(row + at, sizeof(row) - (size_t)at, " %s |", name ? name : "");
	}
	if (!strstr(text, row))
		fail_msg("docs/format.md has no row \"%s\"", row);
}

static void the_specification_names_every_value(void **state)
{
	auto_free char *text = read_text(PT_DOCS_DIR "/format.md");

	(void)state;
	for (unsigned int kind = 1; kind < PT_KIND_COUNT; kind++) {
		unsigned int hows = kind == PT_SCAN ? PT_SCAN_SHADOWS + 1 : 1;

		for (unsigned int how = 0; how < hows; how++)
			if (pt_kind_info(kind)->fields & (1u << PT_F_VALUE0 | 1u << PT_F_VALUE1))
				check_values_row(text, kind, how);
	}
	assert_null(pt_value_name(PT_OPEN, 0, 0));
	assert_null(pt_value_name(PT_SCAN, 0, 4));
	assert_string_equal(pt_value_name(PT_SCAN, 99, 1), "value1");
}

static void names_lead_back_to_kinds(void **state)
{
	(void)state;
	for (unsigned int kind = 1; kind < PT_KIND_COUNT; kind++)
		assert_int_equal(pt_kind_by_name(pt_kind_info(kind)->name), kind);
	assert_int_equal(pt_kind_by_name("nonsense"), 0);
	assert_null(pt_kind_info(0));
	assert_null(pt_kind_info(PT_KIND_COUNT));
	assert_null(pt_how_name(PT_ACCESS, 200));
}

/* What pt_record_get() says, the stored number says one higher, and 0 where it is unknown. */
static void stored_numbers_follow_the_values(void **state)
{
	struct pt_record r = PT_RECORD_INIT(PT_ACCESS);

	(void)state;
	for (unsigned int field = 1; field < PT_F_BLOB; field++) {
		struct pt_field_take take = pt_field_take_of(field);
		uint8_t *at = (uint8_t *)&r + pt_field_places[field].offset;

		assert_true(pt_record_get(&r, field) == PT_UNKNOWN);
		assert_true(pt_field_take(&r, &take) == 0);
		memset(at, 0x21, pt_field_places[field].width);
		assert_true(pt_field_take(&r, &take) == pt_record_get(&r, field) + 1);
		memset(at, 0xff, pt_field_places[field].width);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_specification_lists_every_kind_and_field),
		cmocka_unit_test(the_specification_names_every_value),
		cmocka_unit_test(names_lead_back_to_kinds),
		cmocka_unit_test(stored_numbers_follow_the_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
