/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pagetape as the init of a guest: makes the machine ready, says HELLO on the channel, does what
 * the host asks, powers off.
 *
 * It learns what to make ready from the kernel's command line:
 *
 *   pagetape.fs=TYPE	     mount the disk whose virtio serial is PT_GUEST_DISK on /mnt
 *   pagetape.ramdisk=1	     copy that disk to /dev/ram0 first and mount that one instead (with
 *			     brd.rd_nr=1 brd.rd_size=KIB beside it)
 *   pagetape.swap=disk	     swap on the disk whose serial is PT_GUEST_SWAP
 *   pagetape.swap=zram:N    swap on zram of N bytes
 *   pagetape.wait=SECONDS   how long devices may take to appear (60)
 *   MODULE.PARAMETER=VALUE  is given to a module that is loaded, as modprobe does
 *
 * What goes wrong before HELLO is said on the console in one line that begins with
 * PT_GUEST_FAILED, and the machine powers off.
 */
#ifndef PT_REPLAY_LAB_GUEST_H
#define PT_REPLAY_LAB_GUEST_H

#define PT_GUEST_INIT   "/init" /* argv[0] by which the kernel starts it */
#define PT_GUEST_DISK   "pagetape-disk"
#define PT_GUEST_SWAP   "pagetape-swap"
#define PT_GUEST_MOUNT  "/mnt"
#define PT_GUEST_FAILED "pagetape: init: "

/* Be init. For process 1 of a guest alone: it mounts, and ends with the machine. */
void pt_guest_main(void) __attribute__((noreturn));

#endif
