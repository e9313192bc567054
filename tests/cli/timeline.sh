# Windows and maps of tapes that are the same everywhere.
pagetape synth zipf --files 2 --size 4M --accesses 20000 --theta 0.9 --seed 3 -o z.ptape
pagetape synth seq --files 3 --size 1M --io 16K --accesses 1000 --tasks 1 -o s.ptape
run pagetape timeline z.ptape -n 4
run pagetape timeline s.ptape -n 3 --maps 1 --rows 4
run pagetape timeline --json s.ptape -n 2 -m 1 --rows 2 --columns 3
run pagetape timeline --csv z.ptape s.ptape -n 2

# A real one, whose refaults and evictions the tape has; narrow.
export COLUMNS=100
run pagetape timeline "$cases/../cases/pg.ptape" -n 6 -m 1 --rows 5 | sed "s|^\\$ .*|\$ pagetape timeline pg.ptape|; s|^/.*/||"
unset COLUMNS

# Windows by their length, the last one cut.
pagetape timeline -w 5s --csv "$cases/../cases/pg.ptape" | cut -d , -f 2-4

# The words of the command line.
run pagetape timeline
run pagetape timeline z.ptape -n 0
run pagetape timeline z.ptape -n 100001
run pagetape timeline z.ptape -w 1ns
run pagetape timeline z.ptape -m 65
run pagetape timeline z.ptape -m 1 --rows 4097
run pagetape timeline z.ptape -c /none
run pagetape timeline z.ptape --csv --json

# A tape that was cut.
head -c 20000 z.ptape >cut.ptape
pagetape timeline cut.ptape >out 2>err
echo "exit $?"
cat err
