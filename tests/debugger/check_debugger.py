#!/usr/bin/env python3
"""Runs a debugger on shown.cpp and compares what it prints: objects that are sound, corrupt ones, and closed ones.

usage: check_debugger.py gdb|lldb PROGRAM FOLDER_OF_PRINTERS
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77

# Stops of the program: what is printed there, and a pattern for it in each debugger.
SOUND = {
    "numbers": (r"perdure::vector of length 3, capacity 3 = \{1, 2, 3\}", r"length 3, capacity 3 \{ \[0\] = 1 \[1\] = 2 \[2\] = 3 \}"),
    "empty": (r"perdure::vector of length 0, capacity 0$", r"length 0, capacity 0 \{\}"),
    "brief": (r'"brief"$', r'"brief"$'),
    "text": (r'"quotes \\" and a line\\n and more than twenty-three bytes"', r'"quotes \\" and a line\\n and more than twenty-three bytes"'),
    "unique": (r"perdure::flat_set of length 1 = \{5\}", r"length 1 \{ \[0\] = 5 \}"),
    "nested": (r"perdure::flat_map of length 1 = \{\[4\] = perdure::vector of length 3, capacity 3 = \{1, 2, 3\}\}",
               r"length 1 \{ \[0\] = \{ first = 4 second = length 3, capacity 3 \{"),
    "linked": (r"perdure::list of length 3 = \{1, 2, 3\}", r"length 3 \{ \[0\] = 1 \[1\] = 2 \[2\] = 3 \}"),
    "forward": (r"perdure::forward_list of length 2 = \{4, 5\}", r"length 2 \{ \[0\] = 4 \[1\] = 5 \}"),
    "sorted": (r'perdure::map of length 3 = \{\["a"\] = 1, \["b"\] = 2, \["c"\] = 3\}',
               r'length 3 \{ \[0\] = \(first = "a", second = 1\) \[1\] = \(first = "b", second = 2\)'),
    "ordered": (r"perdure::set of length 3 = \{1, 2, 3\}", r"length 3 \{ \[0\] = 1 \[1\] = 2 \[2\] = 3 \}"),
    "queued": (r"perdure::deque of length 2 = \{298, 299\}", r"length 2 \{ \[0\] = 298 \[1\] = 299 \}"),
    "hashed": (r"perdure::unordered_map of length 1 = \{\[1\] = 10\}", r"length 1 \{ \[0\] = \(first = 1, second = 10\) \}"),
    "hashes": (r"perdure::unordered_set of length 1 = \{9\}", r"length 1 \{ \[0\] = 9 \}"),
    "stable": (r"perdure::stable_vector of length 1 = \{\{x = 1.5, name = 2\}\}", r"length 1 \{ \[0\] = \(x = 1.5, name = 2\) \}"),
    "pointer": (r"\(.*point \*\) 0x[0-9a-f]+: \{x = 2.5, name = 3\}", r"0x[0-9a-f]+ \{ target = \(x = 2.5, name = 3\) \}"),
    "null": (r"\(.*point \*\) 0x0$", r"0x0 \{\}"),
    "grid": (r"perdure::array_view<int> of shape \[2, 3\] = \{1, 2, 3, 4, 5, 6\}", r"shape \[2, 3\] \{ \[0\] = 1 \[1\] = 2 \[2\] = 3 \[3\] = 4"),
    "transposed": (r"perdure::array_view<int> of shape \[3, 2\] = \{1, 4, 2, 5, 3, 6\}", r"shape \[3, 2\] \{ \[0\] = 1 \[1\] = 4 \[2\] = 2"),
    "shape": (r"\[2, 3\]$", r"\[2, 3\]$"),
    "info": (r'perdure::array_info "grid": int32 \[2, 3\]$', r'"grid": int32 \[2, 3\]$'),
    "reference": (r'perdure::array_ref "grid": int32 \[2, 3\] = \{1, 2, 3, 4, 5, 6\}', r'"grid": int32 \[2, 3\] = \{1, 2, 3, 4, 5, 6\}'),
    "seen": (r"perdure::stored_view<const double> of shape \[3\] = \{1.5, 2.5, 3.5\}", r"shape \[3\] \{ \[0\] = 1.5"),
    "store": (r'perdure::manager of ".*/kept", open for writing, 3 objects = \{\["ages"\] = perdure::flat_map<perdure::string, int> at 0x',
              r'".*/kept", open for writing, 3 objects'),
    "durable": (r'perdure::datastore of ".*/kept", open for writing, 3 objects', r'".*/kept", open for writing, 3 objects'),
    "arrays": (r'perdure::array_store of ".*/kept", 2 arrays = \{\["grid"\] = int32 \[2, 3\] = .*\["temperature"\] = float64 \[3\] = \{1.5, 2.5, 3.5\}',
               r'".*/kept", arrays grid: int32 \[2, 3\] = .*; temperature: float64 \[3\] = \{1.5, 2.5, 3.5\}'),
    "words": (r'perdure::vector of length 2, capacity 2 = \{"ant", "a word that is too long', r'length 2, capacity 2:? \{ \[0\] = "ant" \[1\] = "a word'),
    "ages": (r'perdure::flat_map of length 1 = \{\["ada"\] = 36\}', r'length 1:? \{ \[0\] = \(first = "ada", second = 36\) \}'),
}
CORRUPT = "v s m l t d h w f g a r p".split()
LISTED = [r'".*/kept", open for writing, 3 objects', r"  words perdure::vector<perdure::string> at 0x", r"  count long at 0x",
          r"  array grid: int32 \[2, 3\] = \{1, 2, 3, 4, 5, 6\}"]


def run(debugger, program, printers, store):
    """Returns what the debugger prints."""
    shown = "print " if debugger == "gdb" else "frame variable "
    commands = ["set width 0", "source %s/perdure_gdb.py" % printers, "break stop", "run", "up"]
    if debugger == "lldb":
        commands = ["command script import %s/perdure_lldb.py" % printers, "breakpoint set --name stop", "run", "up"]
    commands += [shown + name for name in SOUND] + ["perdure-stores"]
    if debugger == "gdb":
        commands += ['print $perdure_object("words")', 'print $perdure_object("ages", store)', 'print $perdure_object("nothing")']
    for _ in range(4):
        commands += ["continue", "up"] + [shown + name for name in CORRUPT]
    commands += ["continue", "up", shown + "ring", "continue", "up", shown + "store", "perdure-stores"]
    marked = []
    for command in commands:  # lldb prints each command before what it prints for it; gdb prints a mark
        marked += (["echo --mark--\\n"] if debugger == "gdb" else []) + [command]
    found = shutil.which(debugger) or shutil.which(debugger + "-16")
    words = [found, "-nx", "-batch"] if debugger == "gdb" else [found, "--no-lldbinit", "-b"]
    for command in marked:
        words += ["-ex" if debugger == "gdb" else "-o", command]
    words += ["--args", program, store] if debugger == "gdb" else ["--", program, store]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=240, check=False,
                          env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"), stdin=subprocess.DEVNULL)
    parts = re.split(r"(?m)^--mark--\n" if debugger == "gdb" else r"(?m)^\(lldb\) (?!target create|settings set).*\n", done.stdout)
    if len(parts) != len(commands) + 1:
        sys.exit("%s stopped early:\n%s" % (debugger, done.stdout[-3000:]))
    return list(zip(commands, parts[1:])), done.stdout


def main():
    debugger, program, printers = sys.argv[1:]
    if not (shutil.which(debugger) or shutil.which(debugger + "-16")):
        print("skipped: there is no %s" % debugger)
        return SKIPPED
    with tempfile.TemporaryDirectory() as scratch:
        printed, whole = run(debugger, program, printers, os.path.join(scratch, "kept"))
    if re.search("ptrace.*not permitted|personality set failed|could not trace", whole, re.IGNORECASE):
        print("skipped: %s may not trace a process here" % debugger)
        return SKIPPED
    wrong = []

    def expect(pattern, command, text):
        joined = text if "\n  " in pattern or pattern.startswith("  ") else " ".join(text.split())
        if not re.search(pattern, joined):
            wrong.append("%s: not %s in:\n%s" % (command, pattern, text))

    column = 0 if debugger == "gdb" else 1
    listings = [text for command, text in printed if command == "perdure-stores"]
    for command, text in printed:
        name = command.split()[-1]
        if name in SOUND and name != "store":
            expect(SOUND[name][column], command, text)
        if "Traceback" in text or "Python Exception" in text:
            wrong.append("%s: an exception left a printer:\n%s" % (command, text))
    stores = [text for command, text in printed if command.split()[-1] == "store"]
    expect(SOUND["store"][column], "store", stores[0])
    expect("closed", "store that is closed", stores[1])
    for pattern in LISTED:
        expect(pattern, "perdure-stores", listings[0])
    expect("The program has no store open", "perdure-stores", listings[1])
    corrupt = [text for command, text in printed if command.split()[-1] in CORRUPT]
    said = [text for text in corrupt if "corrupt or not initialised" in text]
    if len(corrupt) != 4 * len(CORRUPT) or len(said) < 3 * len(CORRUPT) - 2:  # some bytes are a string
        wrong.append("%d of %d corrupt objects are called so:\n%s" % (len(said), len(corrupt), "".join(corrupt)))
    ring = next(text for command, text in printed if command.endswith("ring"))
    expect(r"\{1, 2, <corrupt: the links end after 2 of 3 elements>\}" if debugger == "gdb" else r"\[0\] = 1 \[1\] = 2", "ring", ring)
    if debugger == "gdb":
        objects = [text for command, text in printed if "$perdure_object" in command]
        expect('"ant", "a word', "$perdure_object", objects[0])
        expect(r'\["ada"\] = 36', "$perdure_object", objects[1])
        expect('has no object "nothing"', "$perdure_object", objects[2])
    if wrong:
        sys.exit("\n".join(wrong))
    print("%s: %d objects are shown as they are, %d corrupt ones without an exception" % (debugger, len(SOUND), len(corrupt)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
