#!/usr/bin/env python3
"""Loads a report in headless Chromium: it must print nothing on the console and ask for nothing but itself.

usage: report_in_browser.py PERDURE [PERDURE-MPI]
Reports on a store with hostile names, a graph and k-mer indexes, and on a set of stores, which PERDURE-MPI makes.
Exit code 77, with a reason, where there is no Chromium.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def load(browser, page, folder):
    """Returns what the page printed on the console, and the addresses it asked for."""
    log = folder / "net.json"
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
               "--disable-component-update", "--disable-sync", "--no-first-run", "--enable-logging=stderr", "--log-level=0",
               f"--user-data-dir={folder / 'profile'}", f"--log-net-log={log}", "--dump-dom", page.as_uri()]
    ended = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120, check=True)
    console = [line for line in ended.stderr.splitlines() if "CONSOLE" in line]
    asked = [event.get("params", {}).get("url", "") for event in json.loads(log.read_text())["events"]]
    return console, [url for url in asked if url.startswith(("http:", "https:", "ws:", "wss:")) and "google" not in url]


def run(*command):
    subprocess.run(command, check=True, capture_output=True)


def main():
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        print("skipped: there is no Chromium")
        return 77
    perdure = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        # What the check looks for is seen at all.
        bad = folder / "bad.html"
        bad.write_text("<!DOCTYPE html><img src='http://127.0.0.1:9/x.png'><script>console.error('seen')</script>")
        console, asked = load(browser, bad, folder)
        if not any("seen" in line for line in console) or not asked:
            print(f"the check sees nothing of a page that prints and asks: {console} {asked}")
            return 1
        store = folder / "hostile.store"
        numbers = folder / "numbers.csv"
        numbers.write_text("1,2,3\n4,5,6\n")
        hostile = "<script>console.error(1)</script><img src='http://127.0.0.1:9/x' onerror='console.error(2)'>"
        run(perdure, "array", "import", f"{store}:a{hostile.replace('//', '/')}", str(numbers))
        edges = folder / "edges.txt"
        edges.write_text("1 2\n2 3\n1 3\n")
        run(perdure, "graph", "ingest", str(store), str(edges))
        genomes = folder / "genomes"
        run(perdure, "kmer", "generate", str(genomes), "--taxa", "3", "--genome-bases", "2000", "--reads", "1")
        taxonomy = ("--genomes", str(genomes / "genomes.fa"), "--taxonomy", str(genomes / "nodes.dmp"), str(genomes / "names.dmp"))
        run(perdure, "kmer", "build", str(store), *taxonomy)
        run(perdure, "kmer", "build", str(store), "--name", "exact", "--index", "exact", *taxonomy)
        loud = False
        shown_stores = [str(store)]
        if len(sys.argv) > 2:
            shown_stores.append(str(folder / "grid.set"))
            # A program without mpirun is a lone rank.
            run(sys.argv[2], "graph", "generate", "rgg", "--vertices", "1000", "-o", shown_stores[-1])
            run(perdure, "repartition", shown_stores[-1], "--parts", "3")
        for shown in shown_stores:
            page = folder / "report.html"
            run(perdure, "report", shown, "-o", str(page))
            console, asked = load(browser, page, folder)
            for line in console:
                print(f"{shown}: console:", line)
            for url in asked:
                print(f"{shown}: request:", url)
            loud = loud or bool(console or asked)
        return 1 if loud else 0


if __name__ == "__main__":
    sys.exit(main())
