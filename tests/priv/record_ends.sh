#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# However a recording ends, the status is right, the tape is whole, and no instance is left.
# shellcheck source=tests/priv/lib.sh
. "$(dirname "$0")/lib.sh"

# ends STATUS COMMAND...: run it, compare, and see that the tape is whole where there is one.
ends() {
	local want=$1 got

	shift
	rm -f t.ptape t.ptape.part
	"$@" >out 2>err
	got=$?
	[ "$got" = "$want" ] || { cat err; fail "$*: exit $got, not $want"; }
	[ ! -e t.ptape.part ] || fail "$*: leaves a .part"
	[ ! -e t.ptape ] || "$pagetape" verify -q t.ptape || fail "$*: the tape is not whole"
}

record=("$pagetape" record -q -o t.ptape)
ends 0 "${record[@]}" -- true
[ -e t.ptape ] || fail "no tape"
"$pagetape" info -q t.ptape | grep -qx '  command      true' || fail "info does not name the command"
ends 7 "${record[@]}" -- sh -c 'exit 7'
ends 137 "${record[@]}" -- sh -c 'kill -9 $$'
ends 126 "${record[@]}" -- /etc/passwd
[ ! -e t.ptape ] || fail "a tape of a command that did not run"
ends 127 "${record[@]}" -- "$work/nothing"
ends 125 "$pagetape" record -q -o "$work/no/t.ptape" -- true
ends 1 "$pagetape" record -q -o "$work/no/t.ptape"
ends 0 "${record[@]}" --duration 300ms
[ -e t.ptape ] || fail "no tape after --duration"

# await_recording PID: until that recorder has switched its instance on: a new one is on too, but
# leaves out nobody yet.
await_recording() {
	local dir=$instances/pagetape-$1-0

	for _ in $(seq 100); do
		grep -q . "$dir/set_event_notrace_pid" 2>/dev/null &&
			[ "$(cat "$dir/tracing_on")" = 1 ] && return
		sleep 0.1
	done
	fail "does not begin to record"
}

# interrupted SIGNAL STATUS [COMMAND]: the recorder gets the signal once it records.
interrupted() {
	local sig=$1 want=$2 pid got

	shift 2
	rm -f t.ptape
	"${record[@]}" "$@" 2>err &
	pid=$!
	await_recording $pid
	kill -"$sig" $pid
	wait $pid
	got=$?
	[ $got = "$want" ] || { cat err; fail "SIG$sig: exit $got, not $want"; }
	"$pagetape" verify -q t.ptape || fail "SIG$sig: the tape is not whole"
	[ "$(instances_of $pid)" = 0 ] || fail "SIG$sig: leaves its instance"
}
interrupted INT 0
interrupted TERM 0
interrupted TERM 143 -- sleep 60

# Somebody else switches the instance off for a while: the tape is not all, and says so.
"${record[@]}" --duration 2s 2>err &
pid=$!
await_recording $pid
echo 0 >"$instances/pagetape-$pid-0/tracing_on"
wait $pid
got=$?
[ $got = 3 ] || { cat err; fail "switched off by others: exit $got, not 3"; }
"$pagetape" info t.ptape | grep -q 'complete  *NO' || fail "switched off by others: complete"

# Who cannot see that another recorder lives leaves it alone all the same.
"${record[@]}" --duration 2s 2>err &
pid=$!
await_recording $pid
unshare --mount --pid --fork --mount-proc "$pagetape" record -q -o other.ptape -- true ||
	fail "recording in a namespace: exit $?"
wait $pid
got=$?
[ $got = 0 ] || { cat err; fail "beside another: exit $got, not 0"; }
echo "all ends are clean"
