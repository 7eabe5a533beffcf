#!/usr/bin/env python3
"""Checks the recipes of packaging/ by their managers' own tools, as far as these can be had from the package index of Python.

usage: check-recipes.py

| recipe | tool | what is checked |
|---|---|---|
| conan | Conan | export, requirements and generators, with the libraries of this system (system.profile) |
| conda-forge | rattler-build | every field, and what the recipe becomes for linux-64 |
| docker | hadolint | every line |
| vcpkg, spack | none | that JSON and Python can be read |

Installs the tools in the versions of packaging/requirements.txt below build/.
"""
import ast
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLACE = ROOT / "build/recipes-python"
RENDER = """
import sys, rattler_build as tool
variants = tool.VariantConfig({"c_stdlib": ["sysroot"], "c_compiler": ["gcc"], "cxx_compiler": ["gxx"]})
rendered = tool.Stage0Recipe.from_file(sys.argv[1]).render(variants)
assert len(rendered) == 1, rendered
"""


def install():
    """Installs the tools, if they are not there; the copy of their list is written last."""
    wanted = ROOT / "packaging/requirements.txt"
    there = PLACE / "requirements.txt"
    if there.exists() and there.read_text() == wanted.read_text():
        return
    subprocess.run([sys.executable, "-m", "venv", "--clear", PLACE], check=True)
    subprocess.run([PLACE / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "-r", wanted], check=True)
    there.write_text(wanted.read_text())


def passes(name, *command):
    """Runs a tool; prints what it says if it fails."""
    ended = subprocess.run([str(part) for part in command], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           env={**os.environ, "CONAN_HOME": str(ROOT / "build/conan-home"), "NO_COLOR": "1"}, check=False)
    print(f"{name}: {'sound' if ended.returncode == 0 else 'faulty'}")
    if ended.returncode != 0:
        print(ended.stdout)
    return ended.returncode == 0


def reads(name, read):
    try:
        read((ROOT / name).read_text())
        print(f"{name}: can be read; no tool checks more")
        return True
    except (ValueError, SyntaxError) as failure:
        print(f"{name}: {failure}")
        return False


def main():
    try:
        install()
    except subprocess.CalledProcessError as failure:
        sys.exit(f"check-recipes.py: {pathlib.Path(failure.cmd[0]).name} could not install packaging/requirements.txt; see its message above, and try again")
    tools = PLACE / "bin"
    profile = "-pr:a=packaging/conan/system.profile"
    results = [
        passes("conan export", tools / "conan", "export", "packaging/conan"),
        passes("conan install", tools / "conan", "install", "packaging/conan", profile, "--no-remote",
               "--output-folder", "build/conan"),
        passes("conda-forge", tools / "python", "-c", RENDER, "packaging/conda-forge/recipe.yaml"),
        passes("docker", tools / "hadolint", "packaging/docker/Dockerfile"),
        reads("packaging/vcpkg/perdure/vcpkg.json", json.loads),
        reads("packaging/spack/packages/perdure/package.py", ast.parse),
    ]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
