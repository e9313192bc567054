# What is whole, what is cut, what is damaged; and a cut tape made whole again.
pagetape synth uniform --files 2 --size 8M --accesses 200000 -o whole.ptape
size=$(stat -c %s whole.ptape)
head -c $((size / 2)) whole.ptape >half.ptape
cp whole.ptape hurt.ptape
printf 'damage' | dd of=hurt.ptape bs=1 seek=$((size / 2)) conv=notrunc status=none

# Sizes, offsets and counts depend on how well this zstd packs.
plain() { sed -E 's/[0-9,]+ (records|blocks)/N \1/g; s/(offset|block) [0-9]+/\1 N/g'; }

run pagetape verify whole.ptape | plain
run pagetape verify half.ptape | plain
run pagetape verify hurt.ptape | plain
run pagetape verify half.ptape --repair mended.ptape | plain
run pagetape verify mended.ptape | plain
zstd -tq mended.ptape && echo "zstd agrees"
pagetape dump -q half.ptape 2>/dev/null | head -c 5000000 >half.txt
pagetape dump -q mended.ptape | head -c 5000000 | cmp - half.txt && echo "the same records"
run pagetape verify --repair half.ptape half.ptape
run pagetape verify --repair absent/out.ptape half.ptape | plain
run pagetape verify whole.ptape whole.ptape
run ls
cp half.ptape killed.ptape.part
pagetape verify killed.ptape.part --repair killed.ptape >/dev/null
pagetape verify --allow-incomplete killed.ptape | plain
