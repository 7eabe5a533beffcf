#!/usr/bin/env bash
# Programs with libperdure-pager.so preloaded do what they do without it.
# usage: real_programs.sh LIBRARY CASE
# Ends with 77 where the program is not installed, or the pager cannot be had.
set -euo pipefail
library=$1
case=$2

# Not in /tmp, which may be in memory.
work=$(mktemp -d -p "$PWD")
trap 'rm -rf "$work"' EXIT
cd "$work"

skip() {
  echo "skipped: $1"
  exit 77
}
with() { LD_PRELOAD=$library PERDURE_PAGER_BUDGET=2 PERDURE_PAGER_THRESHOLD=4 PERDURE_PAGER_VERBOSE=1 "$@" 2>>stderr; }
expect() {
  [ "$1" = "$2" ] || {
    echo "expected: $1"
    echo "got:      $2"
    cat stderr
    exit 1
  }
}
was_paged() {
  grep -q "MiB mapped, budget 2 MiB" stderr || {
    grep -q "the kernel maps it" stderr && skip "$(cat stderr)"
    echo "nothing was paged"
    cat stderr
    exit 1
  }
}
command -v python3 >/dev/null || skip "python3 is not installed"
python3 -c '
import random
random.seed(1)
with open("data", "wb") as f: f.write(random.randbytes(20_000_000))'

case $case in
  python)
    cat >program.py <<'PY'
import faulthandler, hashlib, mmap, random, threading
with open("data", "rb") as f:
    m = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)
faulthandler.enable()  # sets a handler of SIGBUS, after the mapping
print(hashlib.sha256(m).hexdigest())
r = random.Random(2)
h = hashlib.sha256()
for _ in range(20000):
    at = r.randrange(len(m) - 100)
    h.update(m[at:at + 100])
print(h.hexdigest(), m.find(m[19_000_000:19_000_020]), m.rfind(b"\1\2\3"))
m.madvise(mmap.MADV_RANDOM)
m.madvise(mmap.MADV_WILLNEED, 0, 1 << 20)
sums = [None] * 4
def work(i): sums[i] = hashlib.sha256(m[i * 5_000_000:(i + 1) * 5_000_000]).hexdigest()
threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
print(sums)
with open("out", "wb") as out: out.write(memoryview(m))
with open("out", "rb") as out: print(hashlib.sha256(out.read()).hexdigest())
m.close()
PY
    expect "$(python3 program.py)" "$(with python3 program.py)"
    was_paged
    ;;
  sqlite3)
    command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
    sqlite3 -batch data.db "create table t(id integer primary key, v integer, s text);
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 150000)
        insert into t select i, i * 7919 % 100003, hex(i * 1234567) || hex(i) || hex(i * 77) from n;
      create index v on t(v);"
    query="pragma mmap_size=1000000000; select count(*), sum(v), max(s) from t;
      select sum(length(s)) from t where v % 100 = 7; select integrity_check from pragma_integrity_check;
      select s from t where v = 4711; select id from t order by s limit 5;"
    expect "$(sqlite3 -readonly -batch data.db "$query")" "$(with sqlite3 -readonly -batch data.db "$query")"
    was_paged
    ;;
  settings)
    program='import mmap, hashlib
f = open("data", "rb")
print(hashlib.sha256(mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)).hexdigest())'
    sum=$(python3 -c "$program")
    LD_PRELOAD=$library PERDURE_PAGER_BUDGET=lots python3 -c "$program" >out 2>stderr
    expect "$sum" "$(cat out)"
    expect "perdure-pager: PERDURE_PAGER_BUDGET is 'lots'; it may be a whole number of MiB from 1 to 1099511627776: files are mapped as ever" "$(cat stderr)"
    # A tier that the program does not know, and one that is the kernel's.
    PERDURE_PAGER_TIER=magic with python3 -c "$program" >out
    expect "$sum" "$(cat out)"
    grep -q "PERDURE_PAGER_TIER is 'magic'" stderr
    : >stderr
    PERDURE_PAGER_TIER=plain with python3 -c "$program" >out
    expect "$sum" "$(cat out)"
    expect "" "$(cat stderr)"
    # Without VERBOSE not a word.
    LD_PRELOAD=$library PERDURE_PAGER_BUDGET=2 PERDURE_PAGER_THRESHOLD=4 python3 -c "$program" >out 2>stderr
    expect "$sum" "$(cat out)"
    expect "" "$(cat stderr)"
    ;;
  children)
    cat >program.py <<'PY'
import hashlib, mmap, multiprocessing, subprocess, sys
f = open("data", "rb")
m = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)
def work(i): return hashlib.sha256(m[i * 1_000_000:(i + 2) * 1_000_000]).hexdigest()
print(work(3))
with multiprocessing.get_context("fork").Pool(3) as pool: print(pool.map(work, range(10)))
print(subprocess.run([sys.executable, "-c", "print('another program')"], capture_output=True).stdout)
print(work(7))
PY
    expect "$(python3 program.py)" "$(with python3 program.py)"
    was_paged
    ;;
  *)
    echo "unknown case $case"
    exit 2
    ;;
esac
