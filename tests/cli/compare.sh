# Two tapes give fidelity, results give a table; words that fit neither are refused.
pagetape synth zipf --files 2 --size 4M --accesses 5000 -o a.ptape
pagetape synth zipf --files 2 --size 4M --accesses 5000 --seed 2 -o b.ptape
head -c $(($(stat -c %s a.ptape) - 10)) a.ptape >cut.ptape

# result NAME OPS...: a replay's result with a run for each figure
result() {
	local name=$1 runs= ops

	shift
	for ops; do
		runs+="${runs:+,}{\"wall_ns\": 1000000000, \"ops_per_s\": $ops, \"bytes_per_s\": null}"
	done
	echo "{\"schema\": 1, \"pagetape\": \"0.1.0\", \"kind\": \"replay\", \"runs\": [$runs]}" >"$name"
}
result slow.json 100 101 99 100 102
result fast.json 120 119 121 122 118
result same.json 100 101 99 100 102
result once.json 110

# told NAME TAPE MEMORY PACE RUNS: a result that says what it was made with
told() {
	printf '{"schema": 1, "pagetape": "0.1.0", "kind": "replay", "tape_id": "%s",
		"kernel": {"release": "6.12.9", "lru": {"flavour": "mglru"}}, "distorted": [],
		"settings": {"memory_bytes": %s, "order": "window:32", "pace": %s,
		"cgroup": null, "cgroup_version": 2}, "runs": [%s]}' "$2" "$3" "$4" "$5" >"$1"
}
# ran OPS REFAULTS WALL: a run
ran() {
	printf '{"ops_per_s": %s, "bytes_per_s": %s, "wall_ns": %s, "latency_ns": {"read_miss":
		{"p99": 1559210}}, "counters": {"cgroup": {"workingset_refault_file": %s,
		"pgmajfault": 0}}}' "$1" $(($1 * 4096)) "$3" "$2"
}
told paced.json 5bf8290a-d078 50331648 1.0 "$(ran 9000 1590587 24546265316)"
told other.tape.json 9c483a00-4a03 33554432 2.0 "$(ran 9900 982207 24000000000)"
bad=$(ran 2 90000 1000 | sed 's/}$/, "distorted": ["another wrote"]}/')
told some.json 5bf8290a-d078 50331648 1.0 "$(ran 9000 1590587 24546265316),$bad"
told all.json 5bf8290a-d078 50331648 1.0 "$bad"

run pagetape compare a.ptape a.ptape
run pagetape compare a.ptape b.ptape
run pagetape compare a.ptape cut.ptape
run pagetape compare --allow-incomplete -q a.ptape cut.ptape | head -n 1
run pagetape compare slow.json fast.json
run pagetape compare slow.json same.json
run pagetape compare slow.json fast.json once.json
run pagetape compare slow.json same.json -- fast.json
run pagetape compare --test mann-whitney slow.json fast.json
run pagetape compare --json slow.json fast.json
run pagetape compare --csv slow.json fast.json once.json
run pagetape compare --csv a.ptape b.ptape
run pagetape compare --csv --fail-if 'ops_per_s > 1' slow.json fast.json
run pagetape compare
run pagetape compare a.ptape
run pagetape compare a.ptape b.ptape cut.ptape
run pagetape compare a.ptape slow.json
run pagetape compare slow.json absent.json
run pagetape compare --test any slow.json fast.json
run pagetape compare slow.json --
echo '{"schema": 1, "kind": "info"}' >other.json
run pagetape compare slow.json other.json
echo '{"schema": 1,' >broken.json
run pagetape compare slow.json broken.json
echo '{"schema": 2, "kind": "replay", "runs": []}' >newer.json
run pagetape compare slow.json newer.json
# What differs in how they were made is said; marked runs are left out, or kept where there are no
# others.
run pagetape compare paced.json other.tape.json
run pagetape compare --json paced.json other.tape.json | sed '/"metrics"/,$d'
run pagetape compare some.json paced.json
run pagetape compare --allow-incomplete --json some.json paced.json | sed '/"metrics"/,$d'
run pagetape compare all.json paced.json | head -n 4
# An emulated machine's own figures are marked, and decide nothing.
told emulated.json 5bf8290a-d078 50331648 1.0 "$(ran 9000 1590587 24546265316 | sed 's/}$/, "distorted": []}/')"
sed -i '0,/"distorted": \[\]/s//"distorted": ["throughput", "latency"]/' emulated.json
run pagetape compare emulated.json emulated.json
# A question: the answer is the exit status.
run pagetape compare -q --fail-if 'ops_per_s < base' slow.json slow.json | tail -n 1
run pagetape compare --fail-if 'ops_per_s < 1.1 * base' slow.json fast.json >out
run tail -n 2 out
run pagetape compare --fail-if 'ops_per_s > 1.1 * base and not wall > base' slow.json fast.json >out
run tail -n 2 out
run pagetape compare --fail-if 'ops_per_s > 1.1 * base' slow.json same.json -- fast.json >out
run tail -n 2 out
run pagetape compare --fail-if "ops_per_s < 'fast.json'.ops_per_s" fast.json slow.json same.json >out
run tail -n 4 out
run pagetape compare --fail-if 'ops_per_s > 100' slow.json >out
run tail -n 2 out
run pagetape compare --fail-if 'refaults > base' slow.json fast.json >out
run tail -n 2 out
run pagetape compare --fail-if 'refaults > base' paced.json other.tape.json >out
run tail -n 2 out
run pagetape compare --fail-if 'refaults > base' paced.json absent.json
run pagetape compare --fail-if 'refaults >' slow.json fast.json
run pagetape compare --fail-if 'refault > base' slow.json fast.json
run pagetape compare --fail-if 'ops_per_s > 1' --test any slow.json fast.json
run pagetape compare --fail-if 'ops_per_s > 1' a.ptape a.ptape
run pagetape compare --fail-if
# What is neither is named, whatever stands beside it.
: >empty.json
echo '[]' >list.json
run pagetape compare a.ptape empty.json
run pagetape compare list.json list.json
# A table of many groups leaves p-values to the JSON.
run pagetape compare slow.json fast.json same.json once.json
