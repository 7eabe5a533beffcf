#!/usr/bin/env python3
"""Compiles every C++ and C block of a document.

A block is a whole program, or a comment before it says what stands around it: <!-- in NAME --> means
around/NAME.cpp.in (or .c.in), where each line `@snippet@` stands for the next block of that name. Lines that include
something go to the top. A block may be indented, as in a list. What a block is must be known here, so that none is
left out for the way in which it is marked.

usage: check_snippets.py DOCUMENT [-c C_COMPILER...] -- COMPILER...
"""
import pathlib
import re
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
suffixes = {"c": ".c", "cpp": ".cpp"}
tags = ["", *suffixes, "cmake"]
fence = re.compile(r"(?P<indent>[ \t]*)```(?P<tag>.*)")
name_of_frame = re.compile(r"[ \t]*<!-- in (?P<name>[\w-]+) -->")


class block:
    def __init__(self, line, indent, tag, frame):
        self.line, self.indent, self.tag, self.frame = line, indent, tag, frame
        self.text = ""


def fail(message):
    sys.exit(f"{document}: {message}")


def blocks_of(lines):
    """All blocks, those of other languages too."""
    found = []
    open_block = None
    frame = None
    for number, line in enumerate(lines, 1):
        if open_block:
            if line.strip() == "```":
                open_block = None
            elif "```" in line:
                fail(f"the block in line {open_block.line} is not closed before line {number}")
            elif line.strip() and not line.startswith(open_block.indent):
                fail(f"line {number} is indented less than its block")
            else:
                open_block.text += line.removeprefix(open_block.indent) + "\n"
            continue
        before, frame = frame, name_of_frame.fullmatch(line)
        if "```" in line or line.lstrip().startswith("~~~"):
            fence_found = fence.fullmatch(line)
            if not fence_found:
                fail(f"line {number} is no block as this checker knows them, which begin with blanks and ```")
            if fence_found["tag"] not in tags:
                known = ", ".join(f"```{tag}" for tag in tags)
                fail(f"the block in line {number} begins with ```{fence_found['tag']}; what is known is {known}")
            open_block = block(number, fence_found["indent"], fence_found["tag"], before and before["name"])
            found.append(open_block)
        if before and not (open_block and open_block.tag in suffixes):
            fail(f"no C++ or C block follows the comment in line {number - 1}")
    if open_block:
        fail(f"the block in line {open_block.line} is not closed")
    return found


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

around = {}
with tempfile.TemporaryDirectory() as folder:
    for one in blocks_of(document.read_text().splitlines()):
        if one.tag not in suffixes:
            continue
        suffix = suffixes[one.tag]
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
