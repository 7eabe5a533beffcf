"""What the machine is that was measured."""

import os
import platform
import subprocess


def first_line(path, prefix=""):
    try:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                if line.startswith(prefix):
                    return line.strip()
    except OSError:
        pass
    return ""


def describe_machine(directory):
    kind = subprocess.run(["stat", "-f", "-c", "%T", directory], capture_output=True, text=True, check=False)
    return {
        "processor": first_line("/proc/cpuinfo", "model name").partition(":")[2].strip() or platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "memory": first_line("/proc/meminfo", "MemTotal").partition(":")[2].strip(),
        "kernel": platform.release(),
        "system": first_line("/etc/os-release", "PRETTY_NAME=").partition("=")[2].strip('"'),
        "file_system": kind.stdout.strip(),
        "transparent_huge_pages": first_line("/sys/kernel/mm/transparent_hugepage/enabled"),
        "load": os.getloadavg()[0],
    }
