"""A control group with a memory limit, for programs that shall have little of it."""

import os
from pathlib import Path


class MemoryGroup:
    """While it is entered, `command(...)` gives commands that run in the group. Needs leave to make one."""

    def __init__(self, limit):
        self.limit = limit
        self.path = None

    def __enter__(self):
        for parent, name in self._places():
            path = parent / f"perdure-bench-{os.getpid()}-{id(self):x}"
            try:
                path.mkdir()
                try:
                    (path / name).write_text(str(self.limit), encoding="ascii")
                except OSError:
                    path.rmdir()
                    continue
                self.path = path
                return self
            except OSError:
                continue
        return self

    def __exit__(self, *_):
        if self.path:
            self.path.rmdir()

    def __bool__(self):
        return self.path is not None

    def command(self, *command):
        return ["sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', self.path, *command]

    @staticmethod
    def _places():
        """Where a group could be made: version 1 below our own, version 2 beside it or at the root."""
        for line in Path("/proc/self/cgroup").read_text(encoding="ascii").splitlines():
            _, controllers, own = line.split(":", 2)
            if controllers == "memory":
                yield Path("/sys/fs/cgroup/memory" + own), "memory.limit_in_bytes"
            elif not controllers:
                for folder in (own, str(Path(own).parent), "/"):
                    yield Path("/sys/fs/cgroup" + folder), "memory.max"
