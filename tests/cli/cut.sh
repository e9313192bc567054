# A cut tape: everything that is left is shown, and the exit code says that it was not all.
pagetape synth uniform --files 2 --size 8M --accesses 200000 -o whole.ptape
size=$(stat -c %s whole.ptape)
head -c $((size - 10)) whole.ptape >end.ptape
head -c $((size / 2)) whole.ptape >half.ptape
run pagetape info end.ptape | sed 's/\(size  *\)[0-9.]* [KM]*i*B/\1SIZE/'
run pagetape info --allow-incomplete end.ptape | tail -n 1
echo "dump"
pagetape dump whole.ptape >whole.txt
pagetape dump end.ptape >end.txt 2>err
echo "exit $?: $(sed 's/offset [0-9]*/offset N/' err)"
cmp whole.txt end.txt && echo "all of it"
pagetape dump half.ptape >half.txt 2>err
echo "exit $?: $(sed 's/offset [0-9]*/offset N/' err)"
lines=$(wc -l <half.txt)
((lines > 0 && lines < 200000)) && head -n "$lines" whole.txt | cmp - half.txt && echo "the first part"
pagetape dump --allow-incomplete half.ptape >/dev/null 2>&1
echo "exit $?"
