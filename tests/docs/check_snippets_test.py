#!/usr/bin/env python3
"""Whether check_snippets.py sees every block of a document.

usage: check_snippets_test.py C_COMPILER COMPILER
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

checker = pathlib.Path(__file__).resolve().parent / "check_snippets.py"
right = "int main() { return 0; }\n"
wrong = "int main() { return nothing; }\n"


def check(text):
    with tempfile.TemporaryDirectory() as folder:
        document = pathlib.Path(folder) / "document.md"
        document.write_text(text)
        command = [sys.executable, str(checker), str(document), "-c", *compilers[:1], "--", *compilers[1:]]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode == 0, done.stdout + done.stderr


class check_snippets(unittest.TestCase):
    def passes(self, text, words):
        passed, said = check(text)
        self.assertTrue(passed, said)
        self.assertIn(words, said)

    def refuses(self, text, words):
        passed, said = check(text)
        self.assertFalse(passed, text)
        self.assertIn(words, said)
        self.assertNotIn("Traceback", said)

    def test_only_lessons_and_how_to_pages_have_commands_that_run(self):
        self.refuses("# A\n\n```console\n$ ls\n```\n", "belongs into docs/tutorial")
        self.refuses(f"# A\n\n<!-- file a.cpp -->\n```cpp\n{right}```\n", "belongs into docs/tutorial")
        self.refuses("# A\n\n<!-- file a.cpp -->\n\n", "no block with the text of a file")

    def test_blocks_are_compiled(self):
        for tag in ("c", "cpp"):
            self.passes(f"# A\n\n```{tag}\n{right}```\n", "line-3 compiles")
            self.refuses(f"```{tag}\n{wrong}```\n", "line-1 does not compile")

    def test_so_are_indented_ones(self):
        self.passes(f"1. One:\n\n   ```cpp\n   {right}\n   ```\n", "line-3 compiles")
        self.refuses(f"1. One:\n\n   ```cpp\n   {wrong}   ```\n", "line-3 does not compile")
        self.refuses(f"1. One:\n\n   ```cpp\n{right}   ```\n", "line 4 is indented less")

    def test_other_marks_are_refused(self):
        for mark in ("``` cpp", "```C++", "```c++", "```cc", "```cpp {x}", "````cpp", "~~~cpp", "> ```cpp", "- ```cpp"):
            self.refuses(f"{mark}\n{wrong}```\n", "line 1")

    def test_what_is_no_program_needs_a_frame(self):
        self.refuses("```cpp\nint a;\n```\n", "no comment says")
        self.refuses("<!-- in migrating -->\n\n```cpp\nint a;\n```\n", "no C++ or C block follows")
        self.refuses("<!-- in migrating -->\n```\nint a;\n```\n", "no C++ or C block follows")
        self.refuses("<!-- in boost-includes -->\n```cpp\n#error found\n```\n" * 2, "places for 2 blocks")
        self.refuses("   <!-- in boost-includes -->\n   ```cpp\n   nonsense\n   ```\n", "does not compile")

    def test_blocks_are_closed(self):
        self.refuses(f"```cpp\n{right}", "line 1 is not closed")
        self.refuses(f"```cpp\n{right}```cpp\n{right}```\n", "not closed before line 3")

    def test_blocks_of_other_languages_are_left_alone(self):
        self.passes(f"```\n{wrong}```\n   ```cmake\n   project(a)\n   ```\n", "")


compilers = sys.argv[1:]
unittest.main(argv=sys.argv[:1])
