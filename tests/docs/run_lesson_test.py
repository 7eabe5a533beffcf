#!/usr/bin/env python3
"""Whether run_lesson.py notices what does not go as a lesson says.

usage: run_lesson_test.py SOURCE_FOLDER BUILD_FOLDER
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

runner = pathlib.Path(__file__).resolve().parent / "run_lesson.py"


def follow(text):
    with tempfile.TemporaryDirectory() as folder:
        document = pathlib.Path(folder) / "lesson.md"
        document.write_text(text)
        command = [sys.executable, str(runner), str(document), "--source", source, "--build", build, "--scratch", folder + "/scratch"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode == 0, done.stdout + done.stderr


def console(text):
    return f"# A\n\n```console\n{text}```\n"


class run_lesson(unittest.TestCase):
    def passes(self, text):
        passed, said = follow(text)
        self.assertTrue(passed, said)

    def refuses(self, text, words):
        passed, said = follow(text)
        self.assertFalse(passed, text)
        self.assertIn(words, said)
        self.assertNotIn("Traceback", said)

    def test_output_is_compared(self):
        self.passes(console("$ echo one two\none two\n"))
        self.passes(console("$ echo one two three\none … three\n"))
        self.passes(console("$ printf 'a\\nb\\nc\\n'\n…\nc\n"))
        self.refuses(console("$ echo one two\none\n"), "instead of")
        self.refuses(console("$ true\none\n"), "instead of")
        self.refuses(console("$ echo one\n"), "instead of")

    def test_commands_share_a_shell(self):
        self.passes(console("$ cd /\n$ echo $PWD\n/\n"))
        self.passes(console("$ echo a \\\n> b\na b\n"))

    def test_a_command_must_succeed(self):
        self.refuses(console("$ false\n"), "exit status 1")
        self.refuses(console("$ true\nperdure: no\n"), "exit status 0")
        self.passes(console("$ echo 'perdure: no'; false\nperdure: no\n"))
        self.refuses(console("$ exit 0\n$ true\n"), "did not end")

    def test_files_are_written_before_the_commands_behind_them(self):
        self.passes("<!-- file a.txt -->\n```\nhere\n```\n" + console("$ cat a.txt\nhere\n"))
        self.refuses(console("$ cat a.txt\nhere\n") + "<!-- file a.txt -->\n```\nhere\n```\n", "exit status 1")

    def test_hidden_checks_must_succeed(self):
        self.passes(console("$ touch a\n") + "<!-- check test -e a -->\n")
        self.refuses(console("$ touch a\n") + "<!-- check test -e b -->\n", "exit status 1")

    def test_a_killed_job_says_nothing(self):
        self.passes(console("$ (echo a; sleep 60) | cat >log &\n$ kill -9 $!\n$ sleep 0.2\n$ true\n"))


if __name__ == "__main__":
    source, build = sys.argv[1:3]
    del sys.argv[1:]
    unittest.main()
