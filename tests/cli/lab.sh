# What lab takes and refuses, what it would do, and what compare makes of what it left. Nothing is
# booted here: a kernel's image is a header that says what it is.
pagetape synth zipf --files 2 --size 4M --accesses 5000 -o a.ptape
pagetape synth zipf --files 2 --size 4M --accesses 5000 --seed 2 -o b.ptape

# kernel FILE RELEASE: the header of a bzImage (Documentation/arch/x86/boot.rst)
kernel() {
	head -c 4096 /dev/zero >"$1"
	at() { printf "$2" | dd of="$1" bs=1 seek="$3" conv=notrunc status=none; }
	at "$1" '\x01' 497 # setup sectors
	at "$1" '\x55\xaa' 510
	at "$1" 'HdrS' 514
	at "$1" '\x0f\x02' 518 # boot protocol 2.15
	at "$1" '\x00\x01' 526 # the version is at 512 + this
	at "$1" '\x01' 529     # loaded high
	at "$1" '\x01' 566     # 64 bits
	at "$1" "$2 (a@b) #1 SMP a day\\0" 768
}
kernel old 6.1.7-test
kernel new 6.12.9-test

run pagetape lab
run pagetape lab jump
run pagetape lab fetch
run pagetape lab run --tree absent --fail-if 'refaults > base' -m 8M -o lab a.ptape
mkdir no-tree
run pagetape lab run --tree no-tree -m 8M -o lab a.ptape
run pagetape lab run --tree absent@v6 -m 8M --dry-run -o lab a.ptape
run pagetape lab run a.ptape
run pagetape lab run -k old a.ptape
run pagetape lab run -k old -o lab
run pagetape lab run -k old --shell --dry-run
run pagetape lab run -k old -o lab a.ptape
run pagetape lab run -k old -m 8M -o lab absent.ptape
run pagetape lab run -k absent -m 8M -o lab a.ptape
run pagetape lab run -k a.ptape -m 8M -o lab a.ptape
run pagetape lab run -k old,name=/x -m 8M -o lab a.ptape
run pagetape lab run -k old,set=x -m 8M -o lab a.ptape
run pagetape lab run -k old,name=x -k new,name=x -m 8M -o lab a.ptape
run pagetape lab run -k old -m 0 -o lab a.ptape
run pagetape lab run -k old -m 8M --fs vfat -o lab a.ptape
run pagetape lab run -k old -m 8M --swap zram -o lab a.ptape
run pagetape lab run -k old -m 8M --numa 3 -o lab a.ptape
run pagetape lab run -k old -m 8M --deterministic --cpus 2 -o lab a.ptape
run pagetape lab run -k old -m 8M --deterministic --dry-run -o lab a.ptape
run pagetape lab run -k old -m 8M --accel xen -o lab a.ptape
run pagetape lab run -k old -m 8M --pace slow -o lab a.ptape
run pagetape lab run -k old -m 8M --warmup 1.5 -o lab a.ptape
run pagetape lab run -k old -m 8M --repeat 0 -o lab a.ptape
run pagetape lab run -k old -m 8M --trace 'vmscan:x init=/bin/sh' -o lab a.ptape
run pagetape lab run -k old -m 8M --trace vmscan -o lab a.ptape
run pagetape lab run -k old -m 8M -o lab a.ptape -- ./no-such-program
run pagetape lab run -k old -m 8M -o lab a.ptape --
run pagetape lab run -k absent --fail-if 'refaults > base' -m 8M -o lab a.ptape
run pagetape lab run -k old --fail-if 'refaults' -m 8M -o lab a.ptape
run pagetape lab run -k old --program a.ptape -m 8M -o failing a.ptape
run pagetape lab run -k old --program a.ptape -m 8M --fail-if 'refaults > 1' -o failing a.ptape
run pagetape lab run -k old --program absent -m 8M -o failing a.ptape
run pagetape lab run -k old -m 8M --dry-run -o lab a.ptape
run pagetape lab run -k old -k new -k new,set=lru_gen.enabled=0,append=x=1,2 -m 8M -n 2 --pace max \
	--dry-run -o lab a.ptape b.ptape
run pagetape lab run -k old -m 8M --dry-run --json -o lab a.ptape | grep -v '"tape_id"'
run ls

# cell CANDIDATE RELEASE N REFAULTS MATCH: a run that is done
cell() {
	mkdir -p "lab/$1/a/$3"
	printf '{"schema": 1, "pagetape": "0.1.0", "kind": "replay", "tape_id": "one",
		"kernel": {"release": "%s", "lru": {"flavour": "classic"}}, "accelerator": "tcg",
		"distorted": ["throughput"], "diverged": [], "settings": {"memory_bytes": 8388608},
		"lab": {"settings": {"memory_bytes": 8388608}, "candidate": {"name": "%s"}},
		"runs": [{"ops": 5000, "ops_per_s": 100, "distorted": [],
		"counters": {"cgroup": {"workingset_refault_file": %s}},
		"fidelity": {"access_match": %s}, "own_tape": {"refaults": %s, "evictions": 2000,
		"evicted_pages": {"p50": 100, "p90": 200},
		"kernel": {"refault_rule": "pages", "workingset_refault_file": %s}}}]}' \
		"$2" "$1" "$4" "$5" $(($4 + 10)) "$4" >"lab/$1/a/$3/result.json"
}
mkdir lab
printf '{"schema": 1, "pagetape": "0.1.0", "kind": "lab", "settings": {"memory_bytes": 8388608},
	"candidates": [{"name": "old"}, {"name": "new"}], "tapes": [{"name": "a", "tape_id": "one"}],
	"repeat": 2}' >lab/lab.json
run pagetape compare lab
cell old 6.1 1 1000 null
cell old 6.1 2 1010 null
cell new 6.12 1 1200 1.0
mkdir -p lab/new/a/2.failed
echo '{"error": "the kernel panicked: no working init"}' >lab/new/a/2.failed/failed.json
run pagetape compare lab
run pagetape compare --fail-if 'refaults > 1.1 * base' lab >out
run tail -n 2 out
cell new 6.12 2 1210 1.0
run pagetape compare lab
run pagetape compare --fail-if 'refaults > 1.1 * base' lab >out
run tail -n 2 out
run pagetape compare --json lab | sed -n '/"lab": {/,$p'
run pagetape compare --csv lab
run pagetape lab run -k old,name=new -m 8M --dry-run -o lab a.ptape
echo '{"schema": 1, "kind": "lab"}' >lab/lab.json
run pagetape compare lab
run pagetape compare .
run pagetape lab run -k old -m 8M --warmup 30% --dry-run --json -o warm a.ptape | sed -n "/warmup/p"
