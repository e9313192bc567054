// SPDX-License-Identifier: GPL-2.0-or-later
/* util/json: unknown is null, order stays, and any bytes become valid UTF-8. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/cleanup.h"
#include "util/json.h"
#include "util/version.h"

static void document_has_its_head(void **state)
{
	json_t *doc = pt_json_document("info", NULL);
	auto_free char *text = json_dumps(doc, JSON_COMPACT);

	(void)state;
	assert_string_equal(text, "{\"schema\":1,\"pagetape\":\"" PT_VERSION
				  "\",\"kind\":\"info\",\"tape_id\":null}");
	json_decref(doc);
}

static void unknown_is_null(void **state)
{
	json_t *o = json_object();
	auto_free char *text = NULL;

	(void)state;
	pt_json_set_u64(o, "zero", 0);
	pt_json_set_u64(o, "largest", INT64_MAX);
	pt_json_set_u64(o, "beyond", (uint64_t)INT64_MAX + 1);
	pt_json_set_u64(o, "unknown", UINT64_MAX);
	pt_json_set_double(o, "nan", nan(""));
	pt_json_set_double(o, "infinite", HUGE_VAL);
	pt_json_set_double(o, "half", 0.5);
	pt_json_set_bool(o, "yes", 2);
	pt_json_set_string(o, "none", NULL);
	pt_json_set(o, "absent", NULL);
	text = json_dumps(o, JSON_COMPACT);
	assert_string_equal(text, "{\"zero\":0,\"largest\":9223372036854775807,\"beyond\":null,"
				  "\"unknown\":null,\"nan\":null,\"infinite\":null,\"half\":0.5,"
				  "\"yes\":true,\"none\":null,\"absent\":null}");
	json_decref(o);
}

static void bad_utf8_is_replaced(void **state)
{
	static const struct {
		const char *in, *out;
	} samples[] = {
		{ "plain", "plain" },
		{ "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f" },
		{ "\xf0\x9f\x93\xbc", "\xf0\x9f\x93\xbc" },
		{ "a\xff"
		  "b",
		  "a\xef\xbf\xbd"
		  "b" },
		{ "\xc3", "\xef\xbf\xbd" },                                 /* cut */
		{ "\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd" },                 /* overlong */
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" }, /* surrogate */
		{ "\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < PT_ARRAY_SIZE(samples); i++) {
		json_t *o = json_object();

		pt_json_set_string(o, "s", samples[i].in);
		assert_non_null(json_string_value(json_object_get(o, "s")));
		assert_string_equal(json_string_value(json_object_get(o, "s")), samples[i].out);
		json_decref(o);
	}
}

static void writing_fails_honestly(void **state)
{
	json_t *doc = json_object();
	char room[8];
	FILE *f = fmemopen(room, sizeof(room), "w");

	(void)state;
	pt_json_set_string(NULL, "nobody", "listens");
	assert_int_equal(pt_json_write(NULL, f), -ENOMEM);
	setbuf(f, NULL);
	pt_json_set_string(doc, "long", "longer than the room there is");
	assert_true(pt_json_write(doc, f) < 0);
	fclose(f);
	json_decref(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(document_has_its_head),
		cmocka_unit_test(unknown_is_null),
		cmocka_unit_test(bad_utf8_is_replaced),
		cmocka_unit_test(writing_fails_honestly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
