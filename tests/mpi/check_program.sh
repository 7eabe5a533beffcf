#!/usr/bin/env bash
# perdure-mpi by one MPI: graphs, communities and files are the same for any number of ranks and threads, and those of
# perdure; what is wrong is told once.
# usage: check_program.sh PERDURE PERDURE_MPI DIRECTORY MPIRUN...
set -euo pipefail
perdure=$1 program=$2 directory=$3
shift 3
mpirun=("$@")
rm -rf "$directory"
mkdir -p "$directory"
cd "$directory"

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
# by RANKS ARGUMENTS...
by() {
  local ranks=$1
  shift
  "${mpirun[@]}" -n "$ranks" "$program" graph "$@"
}
same() { cmp -s "$1" "$2" || fail "$1 and $2 differ"; }
# The words are told on one line, and nothing is on standard output. told RANKS WORDS ARGUMENTS...
told() {
  local ranks=$1 words=$2
  shift 2
  if by "$ranks" "$@" > out 2> err; then fail "no failure: $*"; fi
  [ ! -s out ] || fail "something was printed: $*"
  [ "$(grep -c '^perdure-mpi: ' err)" = 1 ] || fail "not told once: $* $(cat err)"
  grep -q "^perdure-mpi: .*$words" err || fail "no '$words': $(cat err)"
}
edges() { awk '{ print ($1 < $2 ? $1 "\t" $2 : $2 "\t" $1) }' "$1" | sort -n -k 1 -k 2; }

"$perdure" graph generate rgg --vertices 2000 --seed 7 --scramble -o square.txt > /dev/null
edges square.txt > square.edges
for ranks in 1 3 4; do
  by "$ranks" generate rgg --vertices 2000 --seed 7 --scramble -o "square.$ranks" > /dev/null
  by "$ranks" export "square.$ranks" -o exported > /dev/null
  same exported square.edges
done
"$perdure" graph louvain square.3 --threads 1 --starts 1 -o expected > /dev/null
for ranks in 1 2 3 4 5; do
  by "$ranks" louvain square.3 --repartition --starts 1 --threads $((1 + ranks % 2)) -o found --verify > /dev/null
  same found expected
done

# Files do not depend on how the set numbers vertices, but for communities, which are those of one process.
by 2 bfs square.4 --source 5 --repartition -o found.bfs > /dev/null
for order in hilbert louvain rcm; do
  by 4 generate rgg --vertices 2000 --seed 7 --scramble --order $order -o "order.$order" > /dev/null
  by 3 export "order.$order" --repartition -o exported > /dev/null
  same exported square.edges
  by 2 bfs "order.$order" --source 5 --repartition -o found > /dev/null
  same found found.bfs
  "$perdure" graph cc "order.$order" -o by_one > /dev/null
  by 4 cc "order.$order" --store-as components -o found --verify > /dev/null
  same found by_one
done
"$perdure" graph louvain order.rcm --threads 1 --starts 1 -o by_one > /dev/null
by 4 louvain order.rcm --starts 1 --store-as kept -o found --verify > /dev/null
same found by_one
cut -f 2 found > column
"$perdure" array dump order.rcm:kept.levels | tail -n 1 | tr ' ' '\n' > last_level
same last_level column
printf '5 2000\n' > more.txt
by 4 append order.rcm more.txt > /dev/null
by 3 stats order.rcm --repartition --json > stats.json
grep -q '"order": "rcm"' stats.json || fail "no order"

# Ids with gaps, weights, a loop, a repeated edge, and fewer vertices than ranks.
printf '10 70 2\n70 10 1\n70 3000000000000 0.5\n5 5 1\n' > few.txt
by 5 ingest few.txt --order rcm -o few > /dev/null
for ranks in 1 3; do
  for analysis in "bfs --source 70" cc pagerank stats louvain; do
    name=${analysis%% *}
    by "$ranks" $analysis few --repartition -o "few.$name.$ranks" > /dev/null
    same "few.$name.$ranks" "few.$name.1"
  done
  by "$ranks" tc few --repartition --json > few.json
  grep -q '"triangles": 0' few.json || fail "triangles"
done
"$perdure" graph cc few -o few.cc > /dev/null
same few.cc few.cc.3
by 5 cc few --store-as components > /dev/null
by 5 cc few --store-as components > /dev/null
"$perdure" array ls few | grep -q '^components ' || fail "no stored array"

# More edges, old communities and vertices that are new; all levels.
sed 's/\t/ /' square.txt > all.txt
awk 'NR % 100 == 0 || $1 % 50 == 0 || $2 % 50 == 0' all.txt > late.txt
grep -vxFf late.txt all.txt > early.txt
by 3 ingest early.txt -o growing > /dev/null
by 3 louvain growing --starts 1 --store-as before --json > before.json
grep -q '"by_level"' before.json || fail "no levels"
"$perdure" array ls growing | grep -q '^before.levels  *uint64 ' || fail "no stored levels"
by 3 append growing late.txt > /dev/null
by 2 export growing --repartition -o exported > /dev/null
same exported square.edges
"$perdure" graph louvain growing --from before --threads 1 -o begun > /dev/null
for ranks in 2 5; do
  by "$ranks" louvain growing --repartition --from before --threads $((1 + ranks % 2)) -o found --verify > /dev/null
  same found begun
done
by 3 louvain growing --from before --store-as before > /dev/null
by 3 cc growing --store-as before > /dev/null
if "$perdure" array ls growing | grep -q '^before.levels '; then fail "levels of communities that are gone"; fi
told 3 '"before" holds no communities' louvain growing --from before
told 3 '"nothing"' louvain growing --from nothing
told 3 "and --from about communities" louvain growing --from before --starts 2
told 3 "the files have weights and the graph" append growing few.txt
told 5 "has weights and the files have none" append few square.txt
told 3 "nothing to append" append growing
by 3 export growing -o exported > /dev/null
same exported square.edges

# Weights that are large, zero or no numbers.
printf '1 2 0\n2 3 1e300\n3 4 0\n4 5 1e300\n' > large.txt
printf '1\t1\n2\t2\n3\t2\n4\t4\n5\t4\n' > pairs
printf '1 2 1\n2 3 nan\n' > none.txt
printf '1 2 1e308\n2 3 1e308\n' > sum.txt
for weights in large sum; do by 2 ingest "$weights.txt" -o "$weights" > /dev/null; done
by 2 louvain large -o found --verify > /dev/null
same found pairs
told 2 "more than 1.8e308" louvain sum
told 2 "the weight is not finite" ingest none.txt -o new

# Made and read on another device, where runs that were killed have left something.
mkdir -p fast/perdure-stage.host.1.0/part
cp -r square.3 staged.perdure-stage
by 3 generate rgg --vertices 2000 --seed 7 --scramble -o staged --stage fast > /dev/null 2> err
grep -q "removed .*/fast/perdure-stage.host.1.0, which a run that was killed" err || fail "not told: $(cat err)"
grep -q "removed staged.perdure-stage, which a run that was killed" err || fail "not told: $(cat err)"
by 3 export staged --stage fast -o exported > /dev/null
same exported square.edges
by 3 cc staged --stage fast --store-as components > /dev/null
[ ! -e staged.perdure-stage ] || fail "a staged set was left"
# Divided for good, with its components.
by 2 repartition staged > /dev/null
by 2 louvain staged --starts 1 -o found > /dev/null
same found expected
"$perdure" repartition staged --parts 4 > /dev/null
by 4 louvain staged --starts 1 --stage fast -o found > /dev/null
same found expected
"$perdure" array ls staged | grep -q '^components .* \[2000\]' || fail "no components in the divided set"
"$perdure" verify staged > /dev/null || fail "the divided set is damaged"
by 4 append staged late.txt --stage fast > /dev/null
by 4 export staged -o exported > /dev/null
edges <(cat square.txt late.txt) > twice.edges
same exported twice.edges
told 4 "there is no such directory" cc staged --stage nowhere
told 4 "there is no such directory" generate rgg --vertices 10 -o new --stage nowhere
told 2 "none of them has a part of its own to stage" cc staged --stage fast --repartition
told 2 "holds a set of stores" generate rgg --vertices 10 -o square.3 --stage fast
[ -z "$(ls fast)" ] || fail "left in fast: $(ls fast)"
[ -z "$(ls -d ./*.perdure-stage 2> /dev/null)" ] || fail "left: $(ls -d ./*.perdure-stage)"

told 2 "has 3 parts, and there are 2 ranks" louvain square.3
told 1 "has 3 parts, and there is 1 rank:" louvain square.3
told 2 "--store-as: it is empty" cc square.3 --store-as ""

# Ranks that see other files, or were given other options. told_apart RANKS WORDS SHELL_COMMAND, in which \$rank is the rank.
told_apart() {
  local number='rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; '
  if "${mpirun[@]}" -n "$1" sh -c "$number$3" > out 2> err; then fail "no failure: $3"; fi
  [ "$(grep -c '^perdure-mpi: ' err)" = 1 ] || fail "not told once: $3 $(cat err)"
  grep -q "^perdure-mpi: .*$2" err || fail "no '$2': $(cat err)"
}
mkdir -p seen.0 seen.1
printf '1 2\n2 3\n' > seen.0/edges.txt
printf '1 2\n3 4\n' > seen.1/edges.txt
told_apart 2 "rank 1 sees another content of edges.txt" "cd seen.\$rank && '$program' graph ingest edges.txt -o ../new"
rm seen.1/edges.txt
told_apart 2 "rank 1 sees another content of edges.txt" "cd seen.\$rank && '$program' graph ingest edges.txt -o ../new"
told_apart 3 "rank 1 was started with '2' where rank 0 has '1'" "'$program' graph louvain square.3 --starts \$((rank + 1))"
told_apart 2 "rank 1 was started with nothing more where rank 0 has '--json'" "'$program' graph cc few --repartition \$([ \$rank = 1 ] || echo --json)"
told 2 "holds a set of stores" generate rgg --vertices 10 -o square.3
told 2 "there is no set of stores" cc nothing
told 2 "cannot open" ingest nothing -o new
told 2 "is no name" generate rgg --vertices 10 --graph a//b -o new
[ ! -e new ] || fail "a set without a graph was left"
told 2 "has no vertex 4" bfs few --source 4 --repartition
told 2 "needs points in a square" ingest few.txt --order hilbert -o new
told 2 "has no option '--wrong'" cc few --wrong
printf '%%%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n' > directed.mtx
printf '1 2 -1\n2 3 1\n' > negative.txt
by 2 ingest negative.txt -o negative > /dev/null
told 2 "weighs -1" louvain negative
rm -rf damaged && cp -r negative damaged && rm -r damaged/set.0001/part.00001
told 2 "rank 1: .*part 1 of the set is missing" cc damaged
rm -rf damaged && cp -r negative damaged && truncate -s 5000 damaged/manifest
told 2 "manifest is damaged" cc damaged
told 2 "is directed" ingest directed.mtx -o new
printf '1 2\n' > unweighted.txt
told 2 "few.txt has weights and unweighted.txt has none" ingest few.txt unweighted.txt -o mixed
by 2 ingest directed.mtx --undirected -o new > /dev/null
for own in graph/ids graph/weights graph; do told 5 "give another name" cc few --store-as "$own"; done
# The same table of ranks for all commands.
has_keys() { for key in "${@:2}"; do [ "$(grep -c "\"$key\": " "$1")" = 2 ] || fail "$1 has no $key of each rank"; done; }
columns=(rank cut_arcs ghosts bytes_sent messages_sent peak_bytes)
by 2 generate rgg --vertices 100 -o table --json > made.json
has_keys made.json "${columns[@]}"
[ "$(grep -c '"generate_seconds": ' made.json)" = 3 ] || fail "generate_seconds of each rank, and of all"
by 2 louvain table --store-as communities --json > found.json
has_keys found.json "${columns[@]}" changed_ghosts remote_communities bytes_sent_in_sweeps
for key in attach_seconds seconds store_seconds; do
  [ "$(grep -c "\"$key\": " found.json)" = 3 ] || fail "$key of each rank, and of all"
done

# The reader of what rank 0 prints is gone: no rank says anything.
"${mpirun[@]}" -n 2 sh -c "'$program' graph cc table -o - | true" 2> err || fail "a reader that is gone"
"${mpirun[@]}" -n 2 sh -c "'$program' graph stats table | true" 2>> err || fail "a reader that is gone"
! grep perdure-mpi err || fail "not silent: $(cat err)"

if PMI_SIZE=4 OMPI_COMM_WORLD_SIZE=4 "$program" graph cc few 2> err; then fail "it ran alone among four"; fi
grep -q "by the mpirun of another MPI" err || fail "not told of another MPI: $(cat err)"
