"""A k-mer index that is sixteen times as large as memory: look-ups one by one and in batches, and reads by each plan."""

import json
import shutil
import subprocess

from measuring import interleave, median, run, run_process
from memory_group import MemoryGroup

GENOME_BASES = 100_000
# Memory of the process itself, beside what it is told to take.
OWN_BYTES = 16 << 20


def add_options(parser):
    parser.add_argument("--kmer-bases", type=int, default=600_000_000,
                        help="bases of the k-mer index's genomes; 2,400,000,000 make a table of 4 GiB (default 600,000,000)")
    parser.add_argument("--kmer-reads", type=int, default=2_000_000, help="number of reads (default 2,000,000)")
    parser.add_argument("--kmer-threads", type=int, default=16, help="threads of look-ups (default 16)")
    parser.add_argument("--kmer-kraken-reads", type=int, default=200,
                        help="reads that Kraken 2 classifies with its index mapped (default 200)")


def generate(options, drawn, bases, reads):
    """Draws genomes that share few minimizers, so that the table is large."""
    genome_bases = min(GENOME_BASES, bases)
    run(options.bin / "perdure", ["kmer", "generate", drawn, "--taxa", bases // genome_bases, "--genome-bases",
                                  genome_bases, "--mutation", 0.1, "--reads", reads, "--seed", 7, "--json"])


def build(options, drawn, store, memory):
    """Builds the index, in little memory where `build` can."""
    program = options.bin / "perdure"
    command = ["kmer", "build", store, "--genomes", drawn / "genomes.fa", "--taxonomy", drawn / "nodes.dmp",
               drawn / "names.dmp", "--json"]
    if b"--budget" in run_process([program, "kmer", "build", "--help"])[0]:
        command += ["--budget", memory]
    run(program, command)
    return run(program, ["kmer", "stats", store, "--json"])


def first_reads(drawn, count):
    """Makes a file of the first reads."""
    path = drawn / f"reads.{count}.fq"
    with open(drawn / "reads.fq", "rb") as whole, open(path, "wb") as part:
        for _ in range(4 * count):
            part.write(whole.readline())
    return path


def build_for_kraken(drawn, place):
    """Builds Kraken's index of the same genomes; returns whether it could."""
    if shutil.which("kraken2-build") is None:
        return False
    (place / "taxonomy").mkdir(parents=True)
    for name in ("nodes.dmp", "names.dmp"):
        shutil.copyfile(drawn / name, place / "taxonomy" / name)
    common = ["kraken2-build", "--db", place]
    for step in (["--add-to-library", drawn / "genomes.fa", "--no-masking"], ["--build", "--fast-build", "--threads", 2]):
        if subprocess.run([str(word) for word in common + step], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False).returncode != 0:
            return False
    return True


def measure_lookups(options, report, store, group, memory):
    program = options.bin / "bench_kmer_lookups"
    seconds = 0.2 if options.quick else 5
    common = ["--store", store, "--threads", options.kmer_threads, "--seconds", seconds]

    def sample(*arguments):
        return lambda: json.loads(run_process(group.command(program, *common, *arguments))[0])

    budget = memory - OWN_BYTES
    batch = 1_000 if options.quick else memory // 64
    sparse = 1_000 if options.quick else 30_000
    samples = interleave({
        "one by one, MADV_RANDOM": sample("one-by-one", "--mapping", "random"),
        "one by one, pager": sample("one-by-one", "--mapping", "paged", "--budget", budget),
        **{f"{name} batch, {plan}": sample("batch", "--plan", plan, "--lookups", size, "--budget", budget)
           for plan in ("faults", "sweep", "auto") for name, size in (("sparse", sparse), ("large", batch))},
    }, options.rounds, report.progress)
    device = interleave({"device": sample("device")}, options.rounds, report.progress)["device"]
    report.samples["kmer look-ups"] = samples
    report.samples["kmer device"] = device
    rates = {name: median(taken, "lookups_per_second") for name, taken in samples.items()}
    base = rates["one by one, MADV_RANDOM"]
    report.table(f"Look-ups in a k-mer index, {options.kmer_threads} threads, {memory >> 20} MiB of memory; a sparse batch "
                 f"has {sparse} look-ups, a large one {batch}",
                 ["", "look-ups/s", "/ MADV_RANDOM"],
                 [[name, f"{rate:.0f}", f"{rate / base:.2f}"] for name, rate in rates.items()])
    random_rate = median(device, "random_pages_per_second")
    sequential_rate = median(device, "sequential_pages_per_second")
    faults = median(samples["sparse batch, faults"], "faults.pages_per_second")
    sweep = median(samples["large batch, sweep"], "sweep.pages_per_second")
    report.table("Pages a second", ["", "index", "device", "share"],
                 [["faults: random", f"{faults:.0f}", f"{random_rate:.0f}", f"{faults / random_rate:.2f}"],
                  ["sweep: sequential", f"{sweep:.0f}", f"{sequential_rate:.0f}", f"{sweep / sequential_rate:.2f}"]])
    report.figure("k-mer look-ups one by one: MADV_RANDOM / pager", base / rates["one by one, pager"], 1 / 1.1)
    report.figure("k-mer look-ups in batches: MADV_RANDOM / batch", base / rates["large batch, auto"], 1 / 3)
    report.figure("k-mer faults: device's random reads / pages", random_rate / faults, 1 / 0.9)
    report.figure("k-mer sweep: device's sequential reads / pages", sequential_rate / sweep, 1 / 0.7)


def measure_reads(options, report, drawn, store, group, memory):
    program = options.bin / "perdure"
    counts = [100] if options.quick else [1_000, 10_000, 100_000, options.kmer_reads]
    rows = []
    for count in counts:
        reads = drawn / "reads.fq" if count == options.kmer_reads else first_reads(drawn, count)
        # A run of so many takes minutes.
        rounds = 1 if count >= 1_000_000 else options.rounds

        def sample(plan, reads=reads):
            output, cost = run_process(group.command(program, "kmer", "classify", store, reads, "--budget", memory,
                                                     "--plan", plan, "--threads", 2, "--json"))
            return {**json.loads(output), "process": cost}

        samples = interleave({plan: lambda p=plan: sample(p) for plan in ("faults", "sweep", "auto")}, rounds,
                             report.progress)
        report.samples[f"kmer classify, {count} reads"] = samples
        if len({(taken["classified"], json.dumps(taken["taxa"])) for plan in samples.values() for taken in plan}) != 1:
            raise SystemExit("bench: the plans do not find the same taxa")
        seconds = {plan: median(taken, "seconds") for plan, taken in samples.items()}
        peak = max(taken["process"]["peak_resident_bytes"] for plan in samples.values() for taken in plan)
        better = min(seconds["faults"], seconds["sweep"])
        rows.append([f"{count}", *(f"{seconds[plan]:.2f}" for plan in seconds), f"{seconds['auto'] / better:.2f}",
                     f"{peak >> 20} MiB"])
        report.figure(f"k-mers, {count} reads: auto / the better plan", seconds["auto"] / better, 1.15)
    report.table(f"Reads classified within {memory >> 20} MiB, 2 threads, s",
                 ["reads", "faults", "sweep", "auto", "auto / better", "peak resident"], rows)


def measure_kraken(options, report, drawn, store, group, memory):
    place = report.directory / "kraken"
    reads = first_reads(drawn, options.kmer_kraken_reads)
    if not build_for_kraken(drawn, place):
        report.say("kmer: Kraken 2 is left out, as it is not installed or could not build its index")
        return
    samples = interleave({
        "Perdure": lambda: run_process(group.command(
            options.bin / "perdure", "kmer", "classify", store, reads, "--budget", memory, "--output",
            report.directory / "kmer.out"))[1],
        "Kraken 2": lambda: run_process(group.command(
            "kraken2", "--db", place, "--memory-mapping", "--threads", 2, "--output", report.directory / "kraken.out",
            reads))[1],
    }, 1, report.progress)
    report.samples["kmer kraken"] = samples
    wall = {name: median(taken, "wall") for name, taken in samples.items()}
    report.table(f"{options.kmer_kraken_reads} reads in {memory >> 20} MiB, the whole process, s", ["", "wall"],
                 [[name, f"{seconds:.2f}"] for name, seconds in wall.items()])
    report.figure("k-mers: Perdure / Kraken 2 with --memory-mapping", wall["Perdure"] / wall["Kraken 2"], 1 / 20)
    measure_warm(options, report, first_reads(drawn, 100 if options.quick else 1_000), store, place)
    shutil.rmtree(place)


def measure_warm(options, report, reads, store, place):
    """Few reads with both indexes in the page cache, loading included."""
    samples = interleave({
        "Perdure": lambda: run_process([options.bin / "perdure", "kmer", "classify", store, reads, "--threads", 2,
                                        "--output", report.directory / "kmer.out"])[1],
        "Kraken 2": lambda: run_process(["kraken2", "--db", place, "--threads", 2, "--output",
                                         report.directory / "kraken.out", reads])[1],
    }, options.rounds, report.progress)
    report.samples["kmer warm"] = samples
    wall = {name: median(taken, "wall") for name, taken in samples.items()}
    report.table("1,000 reads with a warm index, the whole process, s", ["", "wall"],
                 [[name, f"{seconds:.3f}"] for name, seconds in wall.items()])
    report.figure("k-mers: Perdure / Kraken 2, 1,000 reads, warm", wall["Perdure"] / wall["Kraken 2"], 1 / 50)


def measure_two_levels(options, report, drawn):
    """The exact index beside a table of chains, of genomes with a quarter of the bases."""
    store = report.directory / "kmer.exact"
    genomes = drawn / "quarter.fa"
    with open(drawn / "genomes.fa") as whole, open(genomes, "w") as part:
        bases = 0
        for line in whole:
            if line.startswith(">") and bases >= (200_000 if options.quick else options.kmer_bases) // 4:
                break
            bases += 0 if line.startswith(">") else len(line) - 1
            part.write(line)
    run(options.bin / "perdure", ["kmer", "build", store, "--index", "exact", "--genomes", genomes, "--taxonomy",
                                  drawn / "nodes.dmp", drawn / "names.dmp", "--json"])
    taken = interleave({"both": lambda: run(options.bin / "bench_kmer_chained",
                                            ["--store", store, "--file", report.directory / "kmer.chained", "--threads",
                                             options.kmer_threads, "--seconds", 0.2 if options.quick else 5])},
                       options.rounds, report.progress)["both"]
    report.samples["kmer two levels"] = taken
    rates = {name: median(taken, f"{name}.lookups_per_second") for name in ("two_levels", "chained")}
    report.table(f"Look-ups in tables of the same k-mers, {options.kmer_threads} threads, memory for 1/16 of each",
                 ["", "MiB", "look-ups/s"],
                 [[name, f"{taken[0][name]['bytes'] >> 20}", f"{rate:.0f}"] for name, rate in rates.items()])
    report.figure("k-mers: a chained hash table / two levels", rates["chained"] / rates["two_levels"], 1 / 2)
    shutil.rmtree(store)


def measure(options, report):
    drawn = report.directory / "kmer.drawn"
    store = report.directory / "kmer.store"
    generate(options, drawn, 200_000 if options.quick else options.kmer_bases, 1000 if options.quick else options.kmer_reads)
    least = 32 << 20
    stats = build(options, drawn, store, 1 << 30)
    memory = max(stats["bytes"] // 16, least)
    report.say(f"A k-mer index of {stats['bytes'] >> 20} MiB, {stats['minimizers']} minimizers.")
    with MemoryGroup(memory) as group:
        if not group:
            report.say("kmer: left out, as no control group with a memory limit can be made here")
        else:
            measure_lookups(options, report, store, group, memory)
            measure_reads(options, report, drawn, store, group, memory)
            measure_kraken(options, report, drawn, store, group, memory)
    measure_two_levels(options, report, drawn)
    shutil.rmtree(drawn)
    shutil.rmtree(store)
