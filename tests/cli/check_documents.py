#!/usr/bin/env python3
"""Has man format the man pages that a program has written, and shells complete its commands by the files for them.

usage: check_documents.py man|bash|zsh|fish NAME FOLDER_OF_DOCUMENTS
"""

import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
PATIENCE = 120

# A command line that ends in the middle of a word, and words that must be among those that may follow; then what must not.
COMPLETED = {
    "perdure": [
        ("perdure ver", ["verify"], "graph"),
        ("perdure graph lou", ["louvain"], "verify"),
        ("perdure graph bfs store --so", ["--source"], "--damping"),
        ("perdure help graph page", ["pagerank"], "louvain"),
        ("perdure array import store file --separator sem", ["semicolon"], "comma"),
    ],
    "perdure-mpi": [
        ("perdure-mpi gr", ["graph"], "verify"),
        ("perdure-mpi graph lou", ["louvain"], "bfs"),
        ("perdure-mpi graph bfs set --so", ["--source"], "--damping"),
    ],
}


def environment():
    return {**os.environ, "LC_ALL": "C.UTF-8", "MANROFFSEQ": "", "MANWIDTH": "80", "TERM": "dumb"}


def output_of(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(), timeout=PATIENCE, **more)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{command}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def check_man(name, documents):
    pages = sorted((documents / "man" / "man1").iterdir())
    if name + ".1" not in [page.name for page in pages]:
        sys.exit(f"there is no man page of {name} in {documents}")
    for page in pages:
        text = output_of(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", str(page)])
        # Letters are printed over each other to be bold.
        text = re.sub(".\b", "", text)
        for heading in ("NAME", "SYNOPSIS", "DESCRIPTION"):
            if heading not in text:
                sys.exit(f"{page}: there is no {heading}: {text}")
        # "perdure-graph-bfs" is the page of "perdure graph bfs".
        if page.stem not in text:
            sys.exit(f"{page}: the page does not name its command")


def check_bash(name, documents):
    file = documents / "bash-completion" / "completions" / name
    output_of(["bash", "-n", str(file)])
    script = r"""
        source "$1"
        words=($2)
        function_name=$(complete -p "${words[0]}" | sed 's/.*-F \([^ ]*\) .*/\1/')
        COMP_WORDS=("${words[@]}") COMP_CWORD=$((${#words[@]} - 1)) COMP_LINE=$2 COMP_POINT=${#2}
        "$function_name" "${words[0]}" "${words[-1]}" "${words[-2]}"
        printf '%s\n' "${COMPREPLY[@]}"
    """
    return lambda line: output_of(["bash", "-c", script, "bash", str(file), line])


def check_fish(name, documents):
    file = documents / "fish" / "vendor_completions.d" / (name + ".fish")
    output_of(["fish", "--no-config", "-n", str(file)])
    return lambda line: output_of(["fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", str(file), line])


def check_zsh(name, documents):
    folder = documents / "zsh" / "site-functions"
    output_of(["zsh", "-f", "-n", str(folder / ("_" + name))])

    def complete(line):
        """Types the line and a tab into a shell, and returns the shell's answer."""
        with tempfile.TemporaryDirectory() as home:
            pid, terminal = pty.fork()
            if pid == 0:
                os.chdir(home)
                os.execvpe("zsh", ["zsh", "-f", "-i"], {**environment(), "HOME": home, "PS1": "", "TERM": "vt100"})
            text = ""

            def wait_for(pattern):
                nonlocal text
                end = time.monotonic() + PATIENCE
                while not re.search(pattern, text):
                    if time.monotonic() > end or not select.select([terminal], [], [], PATIENCE)[0]:
                        sys.exit(f"zsh: {line}: no {pattern} in {text!r}")
                    text += os.read(terminal, 65536).decode(errors="replace")

            def say(words):
                os.write(terminal, words.encode())

            # The key ends the line and prints it, as it is after the completion.
            say(f"PS1=; fpath=('{folder}' $fpath); autoload -Uz compinit; compinit -u -D; "
                "show() { zle complete-word; print -r -- \"COMPLETED<$BUFFER>\"; }; zle -N show; bindkey '^T' show; print REA''DY\r")
            wait_for("READY")
            text = ""
            say(line + "\x14")
            wait_for("COMPLETED<[^>]*>")
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            os.close(terminal)
            return re.search("COMPLETED<([^>]*)>", text)[1]

    return complete


def main():
    tool, name, documents = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
    if shutil.which(tool) is None:
        print(f"skipped: {tool} is not installed (scripts/install-deps.sh long)")
        sys.exit(SKIPPED)
    complete = {"man": check_man, "bash": check_bash, "zsh": check_zsh, "fish": check_fish}[tool](name, documents)
    if complete is None:
        return
    for line, wanted, other in COMPLETED[name]:
        found = complete(line)
        for word in wanted:
            if word not in found:
                sys.exit(f"{tool}: {line!r} is not completed by {word}: {found!r}")
        if other in found.replace(line, ""):
            sys.exit(f"{tool}: {line!r} is completed by {other}: {found!r}")


main()
