# Every verb that reads a tape, on what is none: one line with the file, exit 1, nothing on stdout.
pagetape synth zipf --files 2 --size 8M --accesses 1000 -o whole.ptape
: >empty.ptape
mkdir folder.ptape
head -c 100 whole.ptape | tail -c 90 >middle.ptape
seq 1000 >text.ptape
head -c 5 whole.ptape >five.ptape
head -c 20 whole.ptape >twenty.ptape
cp whole.ptape newer.ptape && printf '\377' | dd of=newer.ptape bs=1 seek=16 conv=notrunc status=none
cp whole.ptape damaged.ptape && printf '\377' | dd of=damaged.ptape bs=1 seek=50 conv=notrunc status=none

for tape in absent empty folder middle text five twenty newer damaged; do
	run pagetape info $tape.ptape
done
pagetape --help | sed -n 's/^  \([a-z]*\) .*/\1/p' >verbs
for verb in dump hist mrc verify; do
	grep -qx $verb verbs || continue
	for tape in absent empty folder middle text five twenty newer damaged; do
		pagetape info $tape.ptape 2>&1 | sed "s/ info: / $verb: /" >expected
		pagetape $verb $tape.ptape >out 2>err
		[ $? = 1 ] || echo "$verb $tape: not exit 1"
		[ ! -s out ] || echo "$verb $tape: talks on stdout"
		cmp -s err expected || echo "$verb $tape: $(cat err)"
	done
done
