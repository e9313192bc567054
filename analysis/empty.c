/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nothing yet: keeps the folder's library non-empty until its first file lands. */
typedef int pt_analysis_empty;
