"""A graph in a store of which a half or a quarter fits in memory: the pager, and the kernel's shared mapping of files."""

import json

from measuring import interleave, median, run, run_process
from memory_group import MemoryGroup


def add_options(parser):
    parser.add_argument("--paged-scale", type=int, default=18, help="R-MAT scale of the paged store (default 18)")
    parser.add_argument("--paged-seconds", type=int, default=600,
                        help="after which building in little memory is given up (default 600)")


def measure(options, report):
    program = options.bin / "bench_paged_store"
    scale = 12 if options.quick else options.paged_scale
    store = report.directory / "paged.store"
    threads = (options.threads or [1])[0]
    common = ["--store", store, "--scale", scale, "--threads", threads]

    size = run(program, ["build", *common, "--backing", "paged", "--budget", 1 << 40])["paging"]["most_resident_bytes"]
    # What a group must hold beside the store: buffers, of the search its index, and what the kernel keeps for it.
    own = {}
    for backing in ("shared", "private", "paged"):
        for phase in ("build", "use"):
            report.progress(f"measuring what the process itself takes, {backing}, {phase}")
            budget = size // 2 if backing == "paged" else 1 << 40
            own[backing, phase] = run(program, [phase, *common, "--backing", backing, "--budget", budget])["own_bytes"]
            own[backing, phase] += 4 << 20

    def table_of(title, variants, columns, base):
        samples = interleave(variants, options.rounds, report.progress)
        report.samples[title] = samples
        lines = []
        for name, taken in samples.items():
            done = min(s.get("done", 1) for s in taken)
            over = ">" if done < 1 else ""
            cells = [f"{over}{median(taken, path):.3f}" for _, path in columns]
            cells += [f"{over}{median(taken, path) / median(samples[base], path):.1f}" for _, path in columns[:2]]
            lines.append([f"{name}, given up at {done:.0%}" if over else name, *cells])
        names = [name for name, _ in columns]
        report.table(title, ["", *names, *(f"{name.split(',')[0]} / unlimited" for name in names[:2])], lines)
        return samples

    unlimited = "private, no limit"
    for share in (2, 4):
        budget = size // share
        for phase, checkpoints, columns in (
                ("build", [1], (("wall, s", "all.wall"), ("CPU, s", "all.cpu"))),
                ("build", [8], (("wall, s", "all.wall"), ("CPU, s", "all.cpu"),
                                                 ("checkpoints, s", "checkpoints.wall"))),
                ("use", [], (("look-ups, s", "lookups.wall"), ("BFS, s", "bfs.wall"), ("attach, s", "attach.wall")))):
            # For reading either is the kernel's mapping of the home files.
            kernel = "shared" if phase == "build" else "private"
            at_most = 5 if options.quick else options.paged_seconds
            arguments = ["--checkpoints", *checkpoints, "--at-most", at_most] if checkpoints else []
            with MemoryGroup(budget + own["paged", phase]) as ours, MemoryGroup(budget + own[kernel, phase]) as theirs:
                if not ours or not theirs:
                    report.say("paged: left out, as no control group with a memory limit can be made here")
                    return

                def sample(command, backing, *more, phase=phase, arguments=arguments):
                    return lambda: json.loads(run_process(command(
                        program, phase, *common, *arguments, "--backing", backing, *more))[0])

                variants = {"paged": sample(ours.command, "paged", "--budget", budget),
                            "the kernel's mapping": sample(theirs.command, kernel),
                            unlimited: sample(lambda *words: words, "private")}
                what = f"{checkpoints[0]} checkpoints" if checkpoints else "found again and used, from a cold page cache"
                samples = table_of(f"Graph of scale {scale} in a store of {size >> 20} MiB, 1/{share} of it in memory: "
                                   f"{phase}, {what}; beside it {own['paged', phase] >> 20} MiB for the process, "
                                   f"{own[kernel, phase] >> 20} MiB with the kernel's mapping",
                                   variants, columns, unlimited)
                answers = {(s.get("sum"), s.get("reached")) for taken in samples.values() for s in taken}
                if len(answers) != 1:
                    raise SystemExit(f"bench: the stores do not hold the same graph: {answers}")
                for name, path in columns[:2]:
                    report.figure(f"paged store, 1/{share}, {what}, {name.split(',')[0]}: time / the kernel's mapping",
                                  median(samples["paged"], path) / median(samples["the kernel's mapping"], path), 1.0)
