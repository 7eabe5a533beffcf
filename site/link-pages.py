#!/usr/bin/env python3
"""Prints a source for Doxygen, with each mention of a page of docs/ as a link to that page of the site.

usage: link-pages.py SOURCE
"""
import pathlib
import re
import sys

MENTION = re.compile(r"\bdocs/([\w/-]+)\.md\b")
print(
    MENTION.sub(r'<a href="../\1.html">\1</a>', pathlib.Path(sys.argv[1]).read_text()),
    end="",
)
