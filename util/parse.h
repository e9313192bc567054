/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers, sizes and times from text, the whole text and nothing else.
 *
 * Each returns 0, -EINVAL (not such a number, or something behind it), or -ERANGE (too large);
 * *ret_v is set on success only. Leading blanks and signs are refused.
 */
#ifndef PT_UTIL_PARSE_H
#define PT_UTIL_PARSE_H

#include <stddef.h>
#include <stdint.h>

/* Decimal. */
int pt_parse_u64(const char *s, uint64_t *ret_v);
int pt_parse_u32(const char *s, uint32_t *ret_v);

/* Hexadecimal, "0x" optional. */
int pt_parse_hex(const char *s, uint64_t *ret_v);

/* Bytes: a number and K, M, G or T (powers of 1024); "0" alone is allowed, other bare numbers not.
 */
int pt_parse_size(const char *s, uint64_t *ret_bytes);

/* Nanoseconds: a number and ns, us, ms, s, m, h or d; "0" alone is allowed. Fractions as in 1.5s.
 */
int pt_parse_time(const char *s, uint64_t *ret_ns);

/* A finite decimal fraction, "0.5" or "2" or "1e-3". */
int pt_parse_double(const char *s, double *ret_v);

/* Write @bytes as people do ("1.5 MiB", "512 B") to @buf; returns @buf. */
char *pt_format_size(uint64_t bytes, char *buf, size_t size);

/* Write @ns as people do ("3.2 ms", "1m04s") to @buf; returns @buf. */
char *pt_format_time(uint64_t ns, char *buf, size_t size);

/* Write @n with commas between thousands to @buf of @size (27 are always enough); returns @buf. */
char *pt_format_count(uint64_t n, char *buf, size_t size);

#endif
