#!/usr/bin/env python3
"""Compiles every C++ and C block of a document.

A block is a whole program, or a comment before it says what stands around it: <!-- in NAME --> means
around/NAME.cpp.in (or .c.in), where each line `@snippet@` stands for the next block of that name. Lines that include
something go to the top. A block may be indented, as in a list. What a block is must be known here, so that none is
left out for the way in which it is marked. Files and commands of lessons and how-to pages are left to
run_lesson.py.

usage: check_snippets.py DOCUMENT [-c C_COMPILER...] -- COMPILER...
"""
import pathlib
import subprocess
import sys
import tempfile

from document_blocks import SUFFIXES, blocks_of, malformed

here = pathlib.Path(__file__).resolve().parent


def fail(message):
    sys.exit(f"{document}: {message}")


def compile_as(name, suffix, body):
    includes = [line for line in body.splitlines() if line.startswith("#include")]
    rest = [line for line in body.splitlines() if not line.startswith("#include")]
    source = pathlib.Path(folder) / (name + suffix)
    source.write_text("\n".join(includes + rest) + "\n")
    compiler = c_compiler if suffix == ".c" else cxx_compiler
    done = subprocess.run([*compiler, "-fsyntax-only", str(source)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        fail(f"{name} does not compile:\n{done.stderr}")
    print(f"{document.name}: {name} compiles")


document = pathlib.Path(sys.argv[1])
split = sys.argv.index("--")
c_compiler = sys.argv[3:split]
cxx_compiler = sys.argv[split + 1 :]
is_run = document.resolve().parent.name in ("tutorial", "how-to")
try:
    blocks = blocks_of(document.read_text().splitlines())
except malformed as found:
    fail(found)

around = {}
with tempfile.TemporaryDirectory() as folder:
    for one in blocks:
        if not is_run and (one.file or one.tag == "console"):
            fail(f"the block in line {one.line} belongs into docs/tutorial or docs/how-to, where it is run")
        if one.tag not in SUFFIXES or one.file:
            continue
        suffix = SUFFIXES[one.tag]
        if one.frame:
            around.setdefault((one.frame, suffix), []).append(one.text)
        elif "int main(" in one.text:
            compile_as(f"line-{one.line}", suffix, one.text)
        else:
            fail(f"the block in line {one.line} is no program, and no comment says what stands around it")
    for (name, suffix), texts in around.items():
        frame = (here / "around" / (name + suffix + ".in")).read_text().split("@snippet@\n")
        if len(frame) != len(texts) + 1:
            fail(f"{name}{suffix} has {len(frame) - 1} places for {len(texts)} blocks")
        compile_as(name, suffix, "".join(part for pair in zip(frame, [*texts, ""]) for part in pair))
