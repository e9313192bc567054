/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON documents as every verb prints them, on top of jansson.
 *
 * Setters take NULL objects and keep going, so a document is built without a check a line: one
 * that there was no memory for is NULL, and pt_json_write() says so with -ENOMEM.
 */
#ifndef PT_UTIL_JSON_H
#define PT_UTIL_JSON_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/* {"schema":1, "pagetape":VERSION, "kind":@kind, "tape_id":@tape_id or null}. NULL: no memory. */
json_t *pt_json_document(const char *kind, const char *tape_id);

/* Numbers above INT64_MAX and PT_UNKNOWN (UINT64_MAX) become null. */
void pt_json_set_u64(json_t *obj, const char *key, uint64_t v);
void pt_json_set_double(json_t *obj, const char *key, double v); /* null where not finite */
void pt_json_set_bool(json_t *obj, const char *key, int v);

/* Null where @s is NULL; bytes that are not UTF-8 become U+FFFD. */
void pt_json_set_string(json_t *obj, const char *key, const char *s);
void pt_json_set(json_t *obj, const char *key, json_t *stolen); /* null where @stolen is NULL */

/* Indented, keys in insertion order, newline at the end. Returns 0 or -errno. */
int pt_json_write(const json_t *doc, FILE *f);

#endif
