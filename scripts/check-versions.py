#!/usr/bin/env python3
"""Checks that every file that names the project's version names the one in CMakeLists.txt.

usage: scripts/check-versions.py [--self-check]
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Each file, and the expression whose group is the version in it. `pyproject.toml` need not be there.
PLACES = [
    ("include/perdure/version.hpp", r'version_string\[\] = "([^"]+)"'),
    ("CITATION.cff", r"^version: (\S+)"),
    ("packaging/spack/packages/perdure/package.py", r'^    version\("([^"]+)"'),
    ("packaging/conda-forge/recipe.yaml", r'^  version: "([^"]+)"'),
    ("packaging/vcpkg/perdure/vcpkg.json", r'"version-semver": "([^"]+)"'),
    ("packaging/conan/conanfile.py", r'^    version = "([^"]+)"'),
    ("packaging/docker/Dockerfile", r'image\.version="([^"]+)"'),
    ("packaging/README.md", r"perdure@([0-9.]+[0-9])"),
    ("pyproject.toml", r'^version = "([^"]+)"'),
]
OPTIONAL = {"pyproject.toml"}


def differences(wanted, places, read):
    """Returns a sentence for each place whose version is not `wanted`; `read` returns a file's text, or None."""
    found = []
    for path, expression in places:
        text = read(path)
        if text is None:
            if path not in OPTIONAL:
                found.append(f"{path} is not there, and should name version {wanted}")
            continue
        match = re.search(expression, text, re.MULTILINE)
        if match is None:
            found.append(f"{path} names no version where scripts/check-versions.py looks for it: {expression}")
        elif match[1] != wanted:
            found.append(f"{path} names version {match[1]}, CMakeLists.txt {wanted}: make them equal")
    return found


def self_check():
    texts = {"same": "version 1.2.3", "other": "version 1.2.4", "none": "nothing"}
    places = [(name, r"version (\S+)") for name in ("same", "other", "none", "missing")]
    found = differences("1.2.3", places, texts.get)
    assert [sentence.split()[0] for sentence in found] == ["other", "none", "missing"], found


def main():
    if sys.argv[1:] == ["--self-check"]:
        self_check()
        return 0
    read = lambda path: (ROOT / path).read_text() if (ROOT / path).exists() else None
    wanted = re.search(r"^project\(perdure VERSION (\S+)", read("CMakeLists.txt"), re.MULTILINE)[1]
    header = re.findall(r"^#define PERDURE_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", read("include/perdure/c/version.h"), re.MULTILINE)
    found = differences(wanted, PLACES, read)
    if ".".join(header) != wanted:
        found.append(f"include/perdure/c/version.h names version {'.'.join(header)}, CMakeLists.txt {wanted}: make them equal")
    for sentence in found:
        print("version:", sentence, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
