#!/usr/bin/env bash
# Real programs with libperdure-malloc.so as their malloc.
# usage: real_programs.sh LIBRARY PROBE CASE
# Ends with 77 where the program is not installed.
set -euo pipefail
library=$1
probe=$2
case=$3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Where other users can read it too.
chmod 755 "$work"
cp "$library" "$work/libperdure-malloc.so"
chmod 755 "$work/libperdure-malloc.so"
library=$work/libperdure-malloc.so
cd "$work"

need() {
  for program in "$@"; do
    command -v "$program" >/dev/null || {
      echo "skipped: $program is not installed"
      exit 77
    }
  done
}
with() { LD_PRELOAD=$library "$@"; }
expect() {
  [ "$1" = "$2" ] || {
    echo "expected: $1"
    echo "got:      $2"
    exit 1
  }
}

case $case in
  limits)
    expect "heap, absurd size refused" "$(with "$probe" 2>stderr)"
    expect "" "$(cat stderr)"
    # 16 GiB: the heap takes half. 1 GB: too little, and the program is served all the same.
    expect "heap, absurd size refused" "$(ulimit -v 16777216 && with "$probe" 2>stderr)"
    expect "" "$(cat stderr)"
    expect "C library, absurd size refused" "$(ulimit -v 1000000 && with "$probe" 2>stderr)"
    grep -q "C library's malloc is used" stderr
    ;;
  python)
    need python3
    mkdir package
    for i in $(seq 50); do printf 'def f(x):\n    return [x + %s for _ in range(x)]\n' "$i" >"package/m$i.py"; done
    with python3 -m compileall -q -j 2 package
    expect 50 "$(find package -name '*.pyc' | wc -l)"
    expect "ok 200000" "$(PYTHONMALLOC=malloc with python3 -c '
import json, threading, multiprocessing
def work(n):
    data = {str(i): [i, i * 0.5, "x" * (i % 50)] for i in range(n)}
    assert json.loads(json.dumps(data)) == data
    return n
threads = [threading.Thread(target=work, args=(20000,)) for _ in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
with multiprocessing.get_context("fork").Pool(2) as pool:
    print("ok", sum(pool.map(work, [50000] * 4)))')"
    ;;
  gcc)
    need gcc
    {
      echo '#include <stdio.h>'
      for i in $(seq 500); do echo "int f$i(int x) { int s = 0; for (int i = 0; i < x; ++i) s += i * $i; return s; }"; done
      echo 'int main(void) { printf("%d\n", f7(10)); return 0; }'
    } >program.c
    with gcc -O2 -o program program.c
    expect 315 "$(./program)"
    ;;
  git)
    need git
    export HOME=$work GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
    with git init -q repository
    cd repository
    for round in $(seq 5); do
      for i in $(seq 40); do seq "$round" $((round * i)) >"file$i"; done
      with git add .
      with git commit -q -m "round $round"
    done
    with git gc -q --aggressive
    with git fsck --strict >/dev/null
    expect 5 "$(with git log --oneline | wc -l)"
    cd ..
    with git clone -q repository second
    expect "$(cat repository/file40 | tail -n 1)" "$(tail -n 1 second/file40)"
    ;;
  sqlite3)
    need sqlite3
    expect "100000|5000050000|ok" "$(with sqlite3 -batch data.db "
      create table t(id integer primary key, v integer, s text);
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000)
        insert into t select i, i, hex(randomblob(20)) from n;
      create index s on t(s);
      delete from t where id % 2 = 0 and v % 2 = 1;
      select count(*), sum(v), (select integrity_check from pragma_integrity_check) from t;")"
    ;;
  redis)
    need redis-server redis-cli
    with redis-server --port 0 --unixsocket "$work/socket" --save '' --daemonize yes --dir "$work" >/dev/null
    for _ in $(seq 100); do redis-cli -s socket ping >/dev/null 2>&1 && break || sleep 0.1; done
    expect OK "$(redis-cli -s socket eval 'for i = 1, 100000 do redis.call("set", "k" .. i, string.rep("v", i % 100)) end return redis.status_reply("OK")' 0)"
    expect 100000 "$(redis-cli -s socket dbsize)"
    redis-cli -s socket bgsave >/dev/null
    redis-cli -s socket shutdown nosave || true
    ;;
  postgres)
    need postgres initdb psql
    as_user=()
    if [ "$(id -u)" -eq 0 ]; then
      need setpriv  # it refuses to run as root
      mkdir home && chown 65534:65534 home
      as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    else
      mkdir home
    fi
    cd home
    with "${as_user[@]}" initdb -D data -A trust -U p --no-sync >/dev/null
    with "${as_user[@]}" pg_ctl -D data -w -s -o "-c listen_addresses='' -k $work/home -F" -l log start
    query() { "${as_user[@]}" psql -h "$work/home" -U p -d postgres -Atqc "$1"; }
    stop() { with "${as_user[@]}" pg_ctl -D data -s -m fast stop; }
    trap 'stop || true; rm -rf "$work"' EXIT
    expect "100000|5000050000" "$(query "create table t as select i, md5(i::text) as s from generate_series(1, 100000) i;
      create index on t(s); select count(*), sum(i) from t;")"
    query "vacuum analyze t;"
    expect "100" "$(query "select count(*) from (select s from t order by s limit 100) q;")"
    ;;
  *)
    echo "unknown case $case"
    exit 2
    ;;
esac
