#!/usr/bin/env python3
"""Reports sentences of Markdown pages that are long or lack a subject, paragraphs that are long, and pages of long sentences.

usage: check-prose.py [--base COMMIT | --all | --summary | --self-check | PAGE...]

Pages are README.md, CONTRIBUTING.md and those of docs/. Without an option the paragraphs that a change touches are checked
(scripts/change.py), with --all or a page's name whole pages. --summary prints the numbers of each page. These are faults:
  - a sentence of more than 25 words; of a link the words that a reader sees count; a piece of code, or a list of such, counts as one
  - a page whose sentences have more than 18 words on average
  - a paragraph, or an item of a list, of more than six lines of 120 characters
  - a sentence whose subject is missing or is a clause: it begins with Of, Who, What, Those, That or the like, or with a verb such as Is
Headings, bold words that head a paragraph, code and lines of HTML are no sentences. In cells of tables only long sentences are faults.
"""
import argparse
import os
import pathlib
import re
import sys

from change import base_of_change, git, touched_lines

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ("README.md", "CONTRIBUTING.md", "docs/*.md")
MOST_WORDS, MOST_AVERAGE, MOST_LINES, LINE = 25, 18, 6, 120
FEWEST_FOR_AVERAGE = 5
ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")
# A sentence ends where a capital, code, a digit or a bracket goes on behind the blank.
END = re.compile(r"(?<=[.!?])[\"')*_]*\s+(?=[\"'(*_]*[A-Z0-9`\x00]|\([a-z])")
ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|cf|vs|No|Fig|Dr|approx)\.$")
CLAUSE = re.compile(r"(?:who|whoever|what|whatever(?! happens,)|whichever|those|which|that which|nor)\b", re.IGNORECASE)
OF = re.compile(r"of (?!course\b)", re.IGNORECASE)
HEAD = re.compile(r"\*\*[^*]+[.:?]\*\*\s*")
VERB = re.compile(r"(?:Is|Are|Was|Were|Has|Does|Takes|Makes|Gives|Says|Needs|Keeps|Holds|Goes|Means|Belongs)\b")


def paragraphs(lines):
    """(numbers of the first and the last line, text, whether it is a table's cell) of each paragraph, item and cell."""
    in_code, start, text = False, 0, []
    for number, line in enumerate([*lines, ""], 1):
        bare = line.strip()
        fence = bare.startswith("```")
        ends = in_code or fence or not bare or bare.startswith(("#", "|", "<")) or ITEM.match(line)
        if ends and text:
            yield start, number - 1, " ".join(text), False
            text = []
        if fence:
            in_code = not in_code
        elif in_code or not bare or bare.startswith(("#", "<")):
            continue
        elif bare.startswith("|"):
            yield from ((number, number, cell.strip(), True) for cell in re.split(r"(?<!\\)\|", bare.strip("|")))
        else:
            if not text:
                start = number
            text.append(ITEM.sub("", line, count=1).strip() if ITEM.match(line) else bare.lstrip("> "))


def visible(text):
    """The text as a reader sees it, with \\0 for each piece of code."""
    text = re.sub(r"<!--.*?-->", "", text)
    text = re.sub(r"(`+)(?:.+?)\1", "\0", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return text


def sentences(text):
    parts, begun = [], ""
    for part in END.split(visible(text)):
        begun = f"{begun} {part}".strip()
        if not ABBREVIATION.search(begun):
            parts.append(begun)
            begun = ""
    return parts + [begun] if begun else parts


def words(sentence):
    sentence = re.sub(r"\0(?:(?:,| and| or|,? and|,? or)? \0)+", "\0", sentence)  # a list of names
    return sum(1 for word in sentence.split() if re.search(r"[\w\0]", word))


def has_no_subject(sentence):
    if sentence.endswith("?"):
        return False
    bare = re.sub(r"^[\"'(*_]+", "", sentence)
    return bool(CLAUSE.match(bare) or OF.match(bare) or VERB.match(bare)) and words(sentence) > 2


def shown(sentence):
    text = sentence.replace("\0", "`…`")
    return text if len(text) < 70 else text[:67] + "…"


def faults(text):
    """(first line, last line, message) of each fault of a page, and the number of words of each sentence. A page has no last line."""
    found, lengths = [], []
    for first, last, paragraph, is_cell in paragraphs(text.splitlines()):
        in_lines = -(-len(visible(paragraph)) // LINE)
        if in_lines > MOST_LINES and not is_cell:
            found.append((first, last, f"a paragraph of {in_lines} lines; at most {MOST_LINES} of {LINE} characters"))
        for sentence in sentences(HEAD.sub("", paragraph, count=1) if HEAD.match(paragraph) else paragraph):
            count = words(sentence)
            if count > MOST_WORDS:
                found.append((first, last, f"a sentence of {count} words, at most {MOST_WORDS}: {shown(sentence)}"))
            if is_cell:
                continue
            lengths.append(count)
            if has_no_subject(sentence):
                found.append((first, last, f"name the subject with a noun, first: {shown(sentence)}"))
    if len(lengths) >= FEWEST_FOR_AVERAGE and sum(lengths) > MOST_AVERAGE * len(lengths):
        found.append((1, 0, f"{sum(lengths) / len(lengths):.1f} words a sentence on average; at most {MOST_AVERAGE}"))
    return found, lengths


def text_of(path):
    return path.read_text() if path.exists() else ""


def pages_of_project():
    listed = ("ls-files", "-co", "--exclude-standard", "--", *PAGES)
    return sorted(name for name in git(*listed).split() if pathlib.Path(name).exists())


def faults_of_change(base):
    """Faults in paragraphs that the change touches. A page's average is left out, since one change cannot mend it."""
    for name, numbers in sorted(touched_lines(base, PAGES).items()):
        for first, last, message in faults(text_of(pathlib.Path(name)))[0]:
            if last and numbers.intersection(range(first, last + 1)):
                yield f"{name}:{first}: {message}"


def self_check():
    def expect(text, *expected):
        found = faults(text)[0]
        if len(found) != len(expected) or any(word not in message for (_, _, message), word in zip(found, expected)):
            sys.exit(f"check-prose.py: {text!r}: {found} is reported instead of {expected}")

    most = " ".join(["word"] * MOST_WORDS)
    expect(f"{most}.\n")
    expect(f"{most} more.\n", "26 words")
    expect(f"{most}. More `code with blanks` follows.\n")
    expect(f"{most} e.g. this.\n", "words")
    expect(f"{most[5:]} `code with blanks`.\n")
    expect(f"{most[5:]} `a`, `b`, `c` and `d`.\n")
    expect(f"# {most} more\n\n```\n{most} more\n```\n")
    expect(f"| a | {most} more |\n", "26 words")
    expect(f"- {most}\n- {most}\n")
    expect("What is lost is named.\n", "subject")
    expect("What is lost?\n")
    expect("**What is lost.** Nothing is.\n")
    expect("Of these the first counts.\n", "subject")
    expect("The store is whole. Is it read later, it opens.\n", "subject")
    expect("| What is lost | here |\n")
    expect(("Short words here. " * 60) + "\n", "a paragraph of 9 lines")
    expect((" ".join(["word"] * 19) + ".\n\n") * 5, "19.0 words a sentence")


def main():
    arguments = argparse.ArgumentParser(usage=__doc__.split("\n")[2].removeprefix("usage: "))
    arguments.add_argument("--base", default=os.environ.get("PERDURE_LINT_BASE"))
    arguments.add_argument("--all", action="store_true")
    arguments.add_argument("--summary", action="store_true")
    arguments.add_argument("--self-check", action="store_true")
    arguments.add_argument("pages", nargs="*")
    given = arguments.parse_args()
    if given.self_check:
        return self_check()
    pages = [pathlib.Path(page).resolve() for page in given.pages]
    os.chdir(ROOT)
    found = []
    if given.summary:
        for page in pages or map(pathlib.Path, pages_of_project()):
            wrong, lengths = faults(text_of(page))
            print(f"{page}: {len(wrong)} faults, {len(lengths)} sentences, {sum(lengths) / max(1, len(lengths)):.1f} words on average")
        return 0
    if pages or given.all:
        for page in pages or map(pathlib.Path, pages_of_project()):
            found += [f"{page}:{first}: {message}" for first, _, message in faults(text_of(page))[0]]
    else:
        found = list(faults_of_change(base_of_change(given.base)))
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
