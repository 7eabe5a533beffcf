#!/usr/bin/env python3
"""Reports commands and options of `perdure` that a document names and the program does not have.

usage: check_commands.py PERDURE DOCUMENT...
"""
import functools
import pathlib
import re
import subprocess
import sys

MENTION = re.compile(r"(?<![\w/.-])perdure (graph generate (?:rmat|rgg)|(?:graph|array|kmer|stage) [a-z-]+|[a-z][a-z-]*)((?:[^`|\n]|\|(?! ))*)")
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]*)")


@functools.cache
def help_of(words):
    """The help of a command, or None if there is none. What prints help has none of its own."""
    if words == "help":
        return ""
    done = subprocess.run([perdure, *words.split(), "--help"], capture_output=True, text=True, check=False)
    # An unknown word behind a group of commands gets the help of the group.
    return done.stdout if f"Usage: perdure {words} " in done.stdout else None


def commands_of(text):
    """(line, command, options) of each command in code."""
    in_block = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            in_block = not in_block
            continue
        for code in [line.partition("#")[0]] if in_block else re.findall(r"`([^`]+)`", line):
            if in_block and not re.match(r"\s*(\$ |> )?(\S+=\S+ )*(perdure |.*\| perdure )", code):
                continue
            for words, rest in MENTION.findall(code):
                yield number, words, OPTION.findall(rest)


def main():
    faults = []
    for document in map(pathlib.Path, sys.argv[2:]):
        for line, words, options in commands_of(document.read_text()):
            text = help_of(words)
            if text is None:
                faults.append(f"{document}:{line}: there is no command 'perdure {words}'")
                continue
            faults += [f"{document}:{line}: 'perdure {words}' has no option {option}" for option in options if not re.search(re.escape(option) + r"\b(?!-)", text)]
    print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    perdure = sys.argv[1]
    sys.exit(main())
