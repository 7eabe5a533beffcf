"""Installed programs under another malloc."""

import statistics

from suites import malloc_programs
from suites.mallocs import installed_mallocs
from measuring import interleave, median, run_process


def measure(options, report):
    mallocs = installed_mallocs(report)
    ours = options.bin.parent / "addons/malloc/libperdure-malloc.so"
    if not ours.exists():
        report.say("libperdure-malloc.so is not built here, so programs are not run with it")
        return
    mallocs["perdure"] = ours
    programs = malloc_programs.prepare(report.directory, options.quick, report.say)
    measures = (("wall", "Wall time"), ("cpu", "CPU time"), ("peak_resident_bytes", "Peak memory"))
    lines = {measure: [] for measure, _ in measures}
    ratios = {measure: [] for measure, _ in measures}
    for program in programs:
        variants = {
            name: lambda library=library: run_process(program.command, library, program.folder, program.environment)[1]
            for name, library in mallocs.items()
        }
        samples = interleave(variants, options.rounds, lambda text: report.progress(f"{program.name}, {text}"))
        report.samples[f"malloc/{program.name}"] = samples
        for measure, _ in measures:
            typical = {name: median(taken, measure) for name, taken in samples.items()}
            base = typical["glibc"]
            shown = f"{base / (1 << 20):.0f} MiB" if measure == "peak_resident_bytes" else f"{base:.2f} s"
            lines[measure].append([program.name, shown, *(f"{typical[name] / base:.2f}" for name in mallocs
                                                          if name != "glibc")])
            ratios[measure].append(typical["perdure"] / base)
    for measure, title in measures:
        report.table(f"{title} of installed programs under each malloc, in units of glibc",
                     ["program", "glibc", *(name for name in mallocs if name != "glibc")], lines[measure])
        if ratios[measure]:
            report.say(f"  perdure over all programs, geometric mean: {statistics.geometric_mean(ratios[measure]):.2f}")
