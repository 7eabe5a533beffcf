"""Perdure's heap, in memory and in a store, beside mallocs."""

from measuring import interleave, median, run
from suites.allocator_phases import process_mallocs, time_allocators

SIZES = ("128", "32-512", "8-4k", "8k", "2m", "1k-2m")


def measure(options, report):
    program = options.bin / "bench_alloc"
    extra = ["--quick"] if options.quick else []
    allocators = process_mallocs(report)
    ours = ("perdure heap", "perdure store")
    allocators["perdure heap"] = (None, ["--allocator", "heap"])
    allocators["perdure store"] = (None, ["--allocator", "store", "--store", report.directory / "alloc"])
    for threads in options.threads or (1, 2, 4):
        time_allocators(options, report, "allocation", allocators, ours, SIZES, threads,
                        {"128": 1.3, "8-4k": 1.3})

    space_sizes = ("32-512", "8-4k", "8k", "1k-2m")
    lines = {name: [name] for name in allocators}
    overhead = {}
    for sizes in space_sizes:
        variants = {
            name: lambda library=library, arguments=arguments: run(
                program, [*arguments, "--sizes", sizes, "--touch", "all", "--json", *extra], library)
            for name, (library, arguments) in allocators.items()
        }
        samples = interleave(variants, min(options.rounds, 3), report.progress)
        report.samples[f"space/{sizes}"] = samples
        for name in allocators:
            overhead[name, sizes] = (median(samples[name], "resident_growth_mixed")
                                     / median(samples[name], "requested_bytes_mixed"))
            lines[name].append(f"{overhead[name, sizes]:.3f}")
    report.table("Resident memory over bytes asked for, after the mixed phase, every byte written",
                 ["bytes a block", *space_sizes], list(lines.values()))
    if "mimalloc" in allocators:
        for sizes in space_sizes:
            report.figure(f"space, {sizes} bytes, perdure heap / mimalloc",
                          overhead["perdure heap", sizes] / overhead["mimalloc", sizes], 1.1)
