#!/usr/bin/env python3
"""Reports links that lead nowhere, and mentions of documents that do not exist.

usage: check-links.py [--site FOLDER]

Without --site: links between the Markdown documents of the repository with their anchors, links to other files of it,
each mention of a page, as docs/NAME.md, in sources and messages, and of a header of the library in documents. With it: every
link and resource of a built site, none of which may be loaded from the network.
"""
import argparse
import html.parser
import pathlib
import re
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADER = re.compile(r"[<`](perdure/[\w/-]+\.(?:hpp|h))[>`]")
MENTION = re.compile(r"(?<![\w./-])docs/[\w./-]*?\.md\b")
# Doxygen 1.9 links to a section that it leaves out where all its entries are excluded.
BROKEN_IN_DOXYGEN = ("nested-classes",)
SOURCES = ("*.hpp", "*.cpp", "*.h", "*.c", "*.f90", "*.sh", "*.py", "*.cmake", "*CMakeLists.txt", "Makefile", "*.md", ".ci/run")


def prose(text):
    """Lines outside of blocks of code, with their numbers."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            inside = not inside
        elif not inside:
            yield number, line


def anchors(path, known={}):
    """Anchors of a document's headings, by GitHub's rule."""
    if path not in known:
        found = set()
        for _, line in prose(path.read_text()):
            found.update(re.findall(r'<a id="([^"]+)">', line))
            heading = re.match(r"#+\s+(.*)", line)
            if heading:
                text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).replace("`", "")
                found.add(re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-"))
        known[path] = found
    return known[path]


def faults_of_documents():
    files = subprocess.run(("git", "ls-files", "-co", "--exclude-standard", "--", *SOURCES), cwd=ROOT, capture_output=True, text=True, check=True)
    for name in files.stdout.split():
        path = ROOT / name
        if not path.exists():
            continue
        text = path.read_text(errors="replace")
        for number, line in enumerate(text.splitlines(), 1):
            for mention in MENTION.findall(line):
                if not re.search(r"[A-Z]{3}", mention) and not (ROOT / mention).exists():
                    yield f"{name}:{number}: there is no {mention}"
        if path.suffix != ".md":
            continue
        for header in sorted(set(HEADER.findall(text))):
            if not any(ROOT.glob(f"include/{header}")) and not any(ROOT.glob(f"*/include/{header}")):
                yield f"{name}: there is no header {header}"
        for number, line in prose(text):
            for link in LINK.findall(re.sub(r"`[^`]*`", "", line)):
                place, _, anchor = link.partition("#")
                if re.match(r"[a-z]+:", place):
                    continue
                target = (path.parent / place).resolve() if place else path
                if not target.exists():
                    yield f"{name}:{number}: there is no {place}"
                elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                    yield f"{name}:{number}: {place or 'this page'} has no heading #{anchor}"


class page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.resources, self.ids = [], [], set()
        self.feed(path.read_text(errors="replace"))

    def handle_starttag(self, tag, attributes):
        of = dict(attributes)
        self.ids.update(value for value in (of.get("id"), of.get("name") if tag == "a" else None) if value)
        if tag == "a" and of.get("href"):
            self.links.append(of["href"])
        elif of.get("src") or tag == "link" and of.get("href") and of.get("rel") != "canonical":
            self.resources.append(of.get("src") or of["href"])


def faults_of_site(folder):
    pages = {path.resolve(): page(path) for path in folder.rglob("*.html")}
    for path, found in sorted(pages.items()):
        name = path.relative_to(folder.resolve())
        if "search" in name.parts[:-1] or name.name == "404.html":  # Doxygen's answers, which load beside their page; a server's page
            continue
        for link in found.links + found.resources:
            place, _, anchor = link.partition("#")
            if re.match(r"([a-z]+:)?//", place) and link in found.resources:
                yield f"{name}: loads {link} from the network"
            elif re.match(r"[a-z]+:|//", place):
                continue
            else:
                target = (path.parent / urllib.parse.unquote(place.partition("?")[0])).resolve() if place else path
                if not target.exists():
                    yield f"{name}: there is no {place}"
                elif anchor and target in pages and not anchor.startswith("__") and urllib.parse.unquote(anchor) not in pages[target].ids:
                    if anchor in BROKEN_IN_DOXYGEN:
                        continue
                    yield f"{name}: {place or 'this page'} has no #{anchor}"


def main():
    arguments = argparse.ArgumentParser(usage=__doc__.split("\n")[2].removeprefix("usage: "))
    arguments.add_argument("--site", type=pathlib.Path)
    given = arguments.parse_args()
    found = sorted(set(faults_of_site(given.site) if given.site else faults_of_documents()))
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
