#!/usr/bin/env python3
"""Makes the Debian package of what a build directory has built, installs it in a clean root, and uses it there.

The root has the shell and nothing but the packages that the new one depends on, directly or not, as they are on this system. So a
dependency that the package does not name is missed by dpkg or by the program. Needs root, or a kernel that lets users
be root in a namespace of their own.

usage: scripts/check-debian-package.py BUILD_DIRECTORY
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
# Of what every system has: what runs a package's own scripts.
ESSENTIAL = "dash, libc-bin, coreutils"
FIELDS = "${db:Status-Status}\t${Package}\t${Provides}\t${Pre-Depends}, ${Depends}\n"


def output(*command, **options):
    """Returns what a command prints; its failure ends the check."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"check-debian-package: {' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def alternatives(relations):
    """Returns, for each relation of a field of dependencies, the names of its alternatives."""
    return [[re.split(r"[ (:]", name.strip())[0] for name in relation.split("|")]
            for relation in relations.split(",") if relation.strip()]


def closure(relations):
    """Returns the installed packages that fulfil the relations, and all that those depend on."""
    provider, needs = {}, {}
    for line in output("dpkg-query", "-W", "-f", FIELDS).splitlines():
        status, package, provides, depends = line.split("\t")
        if status != "installed":
            continue
        needs[package] = alternatives(depends)
        provider[package] = package
        for names in alternatives(provides):
            provider.setdefault(names[0], package)
    found, todo = set(), alternatives(relations)
    while todo:
        names = todo.pop()
        package = next((provider[name] for name in names if name in provider), None)
        if package is None:
            sys.exit(f"check-debian-package: the package depends on {' or '.join(names)}, which is not installed here")
        if package not in found:
            found.add(package)
            todo += needs[package]
    return sorted(found)


def make_root(root, packages):
    """Copies the files of packages, and their records, into a new root."""
    for name in ("bin", "sbin", "lib", "lib64"):
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
    for name in ("tmp", "dev", "proc", "var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers"):
        (root / name).mkdir(parents=True)
    files = [name for name in output("dpkg", "-L", *packages).splitlines()
             if name.startswith("/") and (os.path.islink(name) or os.path.isfile(name))]
    # A directory that is a link here is one in the root too.
    packed = subprocess.Popen(["tar", "-C", "/", "-c", "--no-recursion", "-T", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    unpacked = subprocess.Popen(["tar", "-C", root, "-x", "--keep-directory-symlink"], stdin=packed.stdout)
    packed.stdout.close()
    packed.stdin.write("".join(f"{name[1:]}\n" for name in sorted(set(files))).encode())
    packed.stdin.close()
    if packed.wait() != 0 or unpacked.wait() != 0:
        sys.exit("check-debian-package: the clean root could not be filled")
    (root / "var/lib/dpkg/status").write_text(output("dpkg-query", "-s", *packages))
    for package in packages:
        for record in pathlib.Path("/var/lib/dpkg/info").glob(f"{package}*.list"):
            if record.stem.split(":")[0] == package:
                shutil.copy(record, root / "var/lib/dpkg/info")
    output("ldconfig", "-r", root)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.rsplit("\n\n", 1)[1])
    if os.geteuid() != 0:
        os.execvp("unshare", ["unshare", "--map-root-user", sys.executable, __file__, sys.argv[1]])
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        output("cpack", "-G", "DEB", "--config", build / "CPackConfig.cmake", "-B", scratch / "package", stderr=subprocess.STDOUT)
        (package,) = (scratch / "package").glob("*.deb")
        packages = closure(f"{ESSENTIAL}, {output('dpkg-deb', '-f', package, 'Depends')}")
        root = scratch / "root"
        make_root(root, packages)
        output("dpkg", f"--root={root}", "--log=/dev/null", "--install", package, stderr=subprocess.STDOUT)

        def perdure(*arguments):
            return output("chroot", root, "/usr/bin/perdure", *arguments, stderr=subprocess.STDOUT)

        version = output("dpkg-deb", "-f", package, "Version").strip()
        if perdure("--version").split()[-1] != version:
            sys.exit(f"check-debian-package: the program of {version} says that it is {perdure('--version')}")
        (root / "tmp/edges.txt").write_text("1 2\n2 3\n")
        perdure("graph", "ingest", "/tmp/edges.store", "/tmp/edges.txt", "--undirected")
        if '"vertices"' not in perdure("graph", "bfs", "/tmp/edges.store", "--source", "1", "--json"):
            sys.exit("check-debian-package: the search in the clean root found no vertices")
        perdure("verify", "/tmp/edges.store")

        environment = dict(os.environ, PKG_CONFIG_SYSROOT_DIR=str(root), PKG_CONFIG_LIBDIR=str(root / "usr/lib/pkgconfig"))
        flags = output("pkg-config", "--cflags", "--libs", "perdure", env=environment).split()
        program = scratch / "consumer"
        output("c++", "-std=c++20", SOURCE / "tests/package/consumer/consumer.cpp", "-o", program, *flags)
        if output(program, scratch / "counted.store").strip() != "1":
            sys.exit("check-debian-package: a program that was linked with the package does not count")

        output("dpkg", f"--root={root}", "--log=/dev/null", "--remove", "perdure", stderr=subprocess.STDOUT)
        left = [str(path) for path in (root / "usr").rglob("*perdure*")]
        if left:
            sys.exit(f"check-debian-package: the removed package left {', '.join(left)}")
        print(f"{package.name}: installed beside the {len(packages)} packages that it needs, used, and removed")


if __name__ == "__main__":
    main()
