"""The pager beside other ways to read a file larger than memory. All peers share a memory limit of a sixteenth of the
data; the pager's budget is what the process leaves.
"""

import json

from measuring import interleave, median, run, run_process
from memory_group import MemoryGroup

# workload -> (peers, {peer: goal}); a goal is how many times the pager's rate must be the peer's.
PEERS = ("mmap", "mmap_random", "pread", "translation")
READ_PEERS = (*PEERS, "messages")
WORKLOADS = {
    "uniform": (READ_PEERS, {"mmap": 5, "mmap_random": 0.95, "pread": 0.88, "messages": 2}),
    "zipf": (READ_PEERS, {"mmap": 5, "mmap_random": 1.15, "messages": 2}),
    "binary_search": (PEERS, {"mmap": 5, "mmap_random": 1.15}),
    "kmers": (PEERS, {"mmap": 5, "mmap_random": 1.0}),
    "bfs": (PEERS, {"mmap_random": 1.0}),
    "clusters": (PEERS, {"mmap": 5, "mmap_random": 1.0}),
    "update": (PEERS, {"mmap_random": 1.0}),
    "replace": (PEERS, {"mmap_random": 1.0}),
    "batches": (PEERS, {"pread": 4}),
    "sequential": (("mmap", "pread"), {"mmap": 0.9}),
    "resident": (("mmap",), {"mmap": 0.99}),
}
CHARTED = {"pager": "Perdure, pager", "mmap": "mmap", "mmap_random": "mmap, MADV_RANDOM", "pread": "direct pread"}
ONE_THREAD = ("batches", "sequential", "resident")
STORES = ("update", "replace")


def add_options(parser):
    parser.add_argument("--pager-mebibytes", type=int, default=4096,
                        help="file of the pager's figures, 16 times the memory it has (default 4096, least 256)")
    parser.add_argument("--pager-workload", choices=tuple(WORKLOADS), action="append",
                        help="only this one of the pager's (may be repeated)")


def measure(options, report):
    program = options.bin / "bench_pager"
    data = (256 if options.quick else options.pager_mebibytes) << 20
    limit = data // 16
    seconds = ["--seconds", "0.2", "--warm-up", "0.2"] if options.quick else ["--seconds", "4", "--warm-up", "6"]
    chosen = {workload: WORKLOADS[workload] for workload in options.pager_workload or WORKLOADS}
    # Random updates spoil the content that the others check. What is to be in memory as a whole must fit.
    sizes = {workload: min(data, 64 << 20) if workload == "resident" else data for workload in chosen}
    files = {workload: report.directory / ("updated.data" if workload in STORES else
                                           f"pager-{sizes[workload] >> 20}.data") for workload in chosen}
    for workload, file in files.items():
        report.progress(f"making {file.name}")
        run(program, ["--peer", "pread", "--workload", workload if workload in STORES else "uniform", "--file", file,
                      "--bytes", sizes[workload], "--seconds", 0.01, "--warm-up", 0])
    with MemoryGroup(limit) as group:
        if not group:
            report.say("pager: left out, as no control group with a memory limit can be made here")
            return
        for workload, (peers, goals) in chosen.items():
            is_resident = workload == "resident"
            all_threads = (1,) if workload in ONE_THREAD else options.threads or ((2,) if options.quick else (1, 8, 32))
            lines = []
            for threads in all_threads:
                # Code and libraries, the tables and those of the kernel, and for each thread its stack and buffers.
                overhead = (8 << 20) + data // 256 + threads * ((3328 if workload == "sequential" else 256) << 10)
                arguments = ["--workload", "uniform" if is_resident else workload, "--file", files[workload],
                             "--bytes", sizes[workload], "--threads", threads,
                             "--budget", sizes[workload] if is_resident else limit - overhead, *seconds]
                command = (lambda *words: words) if is_resident else group.command
                samples = interleave(
                    {peer: lambda peer=peer: json.loads(
                        run_process(command(program, "--peer", peer, *arguments))[0])
                     for peer in ("pager", *peers)}, options.rounds, report.progress)
                report.samples[f"pager/{workload}/{threads}"] = samples
                rate = {peer: max(median(taken, "rate"), 1) for peer, taken in samples.items()}
                lines.append([f"{threads} threads" if threads > 1 else "1 thread", f"{rate['pager']:.0f}",
                              *(f"{rate['pager'] / rate[peer]:.2f}" for peer in peers)])
                if workload == "uniform" and threads == 8 and data == 4096 << 20:
                    for peer, row in CHARTED.items():
                        report.chart("larger-than-memory", row, {"uniform reads, a second": f"{rate[peer]:,.0f}"})
                for peer, goal in goals.items():
                    report.figure(f"pager, {workload}, {threads} threads: time / {peer}'s",
                                  rate[peer] / rate["pager"], 1 / goal)
            memory = "all of it" if is_resident else f"{limit >> 20} MiB"
            report.table(f"Pager: {workload} in {sizes[workload] >> 20} MiB, memory {memory}; operations a second, and "
                         "how many times the peer's", ["", "pager", *(f"/ {peer}" for peer in peers)], lines)
