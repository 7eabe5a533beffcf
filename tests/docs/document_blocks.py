"""The fenced blocks of a Markdown document, as the tests of the documents know them."""
import re

SUFFIXES = {"c": ".c", "cpp": ".cpp"}
# A console block is run by run_lesson.py, Python by python/tests/test_documents.py. Text is output that is only shown.
TAGS = ["", *SUFFIXES, "cmake", "console", "python", "pycon", "text"]
FENCE = re.compile(r"(?P<indent>[ \t]*)```(?P<tag>.*)")
FRAME = re.compile(r"[ \t]*<!-- in (?P<name>[\w-]+) -->")
FILE = re.compile(r"[ \t]*<!-- file (?P<name>[\w.-]+) -->")


class malformed(Exception):
    pass


class block:
    """A block with the comment before it: the frame that it is compiled in, or the file that it is the text of."""

    def __init__(self, line, indent, tag, frame, file):
        self.line, self.indent, self.tag, self.frame, self.file = line, indent, tag, frame, file
        self.text = ""


def blocks_of(lines):
    """Returns all blocks, in any language."""
    found = []
    open_block = None
    frame = file = None
    for number, line in enumerate(lines, 1):
        if open_block:
            if line.strip() == "```":
                open_block = None
            elif "```" in line:
                raise malformed(f"the block in line {open_block.line} is not closed before line {number}")
            elif line.strip() and not line.startswith(open_block.indent):
                raise malformed(f"line {number} is indented less than its block")
            else:
                open_block.text += line.removeprefix(open_block.indent) + "\n"
            continue
        before, frame = frame, FRAME.fullmatch(line)
        file_before, file = file, FILE.fullmatch(line)
        if "```" in line or line.lstrip().startswith("~~~"):
            fence = FENCE.fullmatch(line)
            if not fence:
                raise malformed(f"line {number} is no block as this checker knows them, which begin with blanks and ```")
            if fence["tag"] not in TAGS:
                known = ", ".join(f"```{tag}" for tag in TAGS)
                raise malformed(f"the block in line {number} begins with ```{fence['tag']}; what is known is {known}")
            open_block = block(number, fence["indent"], fence["tag"], before and before["name"], file_before and file_before["name"])
            found.append(open_block)
        if before and not (open_block and open_block.tag in SUFFIXES):
            raise malformed(f"no C++ or C block follows the comment in line {number - 1}")
        if file_before and not (open_block and open_block.tag != "console"):
            raise malformed(f"no block with the text of a file follows the comment in line {number - 1}")
    if open_block:
        raise malformed(f"the block in line {open_block.line} is not closed")
    return found
