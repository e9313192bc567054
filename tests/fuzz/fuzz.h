/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every fuzz target defines. It is linked with libFuzzer, or with driver.c.
 */
#ifndef PT_TESTS_FUZZ_FUZZ_H
#define PT_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Try one input; a fault aborts. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
