/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OPT: no cache of that size, whatever its policy, misses less.
 *
 * Evicts the page whose next access is the farthest (Belady 1966; Mattson, Gecsei, Slutz and
 * Traiger 1970), so it needs all accesses at once.
 */
#ifndef PT_ANALYSIS_POLICY_OPT_H
#define PT_ANALYSIS_POLICY_OPT_H

#include <stdint.h>

#define PT_OPT_NEVER UINT32_MAX

/*
 * For each of @n accesses, the place of the next one to the same page, PT_OPT_NEVER where there is
 * none. Pages are below @npages; @n is below PT_OPT_NEVER. @next may be @pages. 0 or -ENOMEM.
 */
int pt_opt_prepare(const uint32_t *pages, uint32_t n, uint32_t npages, uint32_t *next);

/*
 * Misses of OPT with @capacity pages, at least 1, by what pt_opt_prepare() made. O(log n) an
 * access, 1.02 bits of memory each. 0 or -ENOMEM.
 */
int pt_opt_misses(const uint32_t *next, uint32_t n, uint32_t capacity, uint64_t *ret_misses);

#endif
