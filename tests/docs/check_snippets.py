#!/usr/bin/env python3
"""Compiles every C++ and C block of a document.

A block is a whole program, or a comment before it says what stands around it: <!-- in NAME --> means
around/NAME.cpp.in (or .c.in), where each line `@snippet@` stands for the next block of that name. Lines that include
something go to the top.

usage: check_snippets.py DOCUMENT [-c C_COMPILER...] -- COMPILER...
"""
import pathlib
import re
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
block = re.compile(r"(?:<!-- in (?P<name>[\w-]+) -->\n)?^```(?P<language>cpp|c\+\+|c)\n(?P<text>.*?)^```$", re.M | re.S)


def fail(message):
    sys.exit(f"{document}: {message}")


def line_of(match):
    return text.count("\n", 0, match.start("text"))


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
text = document.read_text()

if len(re.findall(r"^```(?:cpp|c\+\+|c)$", text, re.M)) != len(list(block.finditer(text))):
    fail("a block is not closed, or what it is called does not stand in the line before it")

around = {}
with tempfile.TemporaryDirectory() as folder:
    for found in block.finditer(text):
        suffix = ".c" if found["language"] == "c" else ".cpp"
        if found["name"]:
            around.setdefault((found["name"], suffix), []).append(found["text"])
        elif "int main(" in found["text"]:
            compile_as(f"line-{line_of(found)}", suffix, found["text"])
        else:
            fail(f"the block in line {line_of(found)} is no program, and no comment says what stands around it")
    for (name, suffix), blocks in around.items():
        frame = (here / "around" / (name + suffix + ".in")).read_text().split("@snippet@\n")
        if len(frame) != len(blocks) + 1:
            fail(f"{name}{suffix} has {len(frame) - 1} places for {len(blocks)} blocks")
        compile_as(name, suffix, "".join(part for pair in zip(frame, [*blocks, ""]) for part in pair))
