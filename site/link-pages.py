#!/usr/bin/env python3
"""Prints a source for Doxygen: each mention of a page of docs/ is a link to that page of the site, names such as STORE@LABEL are kept from
being taken for commands, and comments of Fortran before declarations are documentation.

usage: link-pages.py SOURCE
"""
import pathlib
import re
import sys

MENTION = re.compile(r"\bdocs/([\w/-]+)\.md\b")
AT = re.compile(r"(?<=[A-Z])@(?=[A-Z])")
COMMENT = re.compile(r"^( *)! ", re.M)
source = pathlib.Path(sys.argv[1])
text = AT.sub(r"\\@", MENTION.sub(r'<a href="../\1.html">\1</a>', source.read_text()))
print(COMMENT.sub(r"\1!> ", text) if source.suffix == ".f90" else text, end="")
