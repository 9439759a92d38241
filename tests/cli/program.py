"""Runs the program under test; what all tests of the command line share.

The environment variable OCCCALC is the path of the program.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import typing
import unittest

EXAMPLE = ["--regs", "40", "--smem", "8K", "--block", "256", "--arch", "sm_80"]

# The least that makes a configuration, one option a time.
NEEDED = {"--block": "256", "--arch": "sm_80"}

# Far above what any run takes: only a hang lasts so long.
SECONDS = 120


class Result(typing.NamedTuple):
    status: int
    out: str
    err: str


def find_program():
    """Its path, such that it stays right in any folder."""
    named = os.environ.get("OCCCALC")
    found = shutil.which(named) if named else None
    if found is None:
        sys.exit("set OCCCALC to the path of the program")
    return os.path.abspath(found)


PATH = find_program()


def environment(**changes):
    """No colour, width and language of the caller; None takes a variable away."""
    variables = {**os.environ, "LC_ALL": "C", "TERM": "xterm", "NO_COLOR": None, "COLUMNS": None, **changes}
    return {name: value for name, value in variables.items() if value is not None}


def decoded(data):
    # Not the text mode of subprocess, which would hide a carriage return.
    return data.decode("utf-8", "surrogateescape")


def run_command(command, folder=None, given=b"", **options):
    """What a command answers. What is to stand on standard input is `given`; otherwise it is empty."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    done = subprocess.run(command, cwd=folder, env=environment(), input=given, timeout=SECONDS, check=False, **options)
    return Result(done.returncode, decoded(done.stdout or b""), decoded(done.stderr or b""))


def run(*words, **options):
    return run_command([PATH, *words], **options)


def run_in_shell(script, *words, shell="sh", **options):
    """The script writes "$0" "$@" for the program and its words."""
    return run_command([shell, "-c", script, PATH, *words], **options)


def configuration(option, value):
    """A complete configuration in which one option has this value."""
    return [word for pair in {**NEEDED, option: value}.items() for word in pair]


class ProgramTest(unittest.TestCase):
    """Judges what the program answers, in a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def answer(self, *words, **options):
        """Standard output; the program answers, and says nothing on standard error."""
        result = run(*words, folder=self.folder, **options)
        self.assertEqual((result.status, result.err), (0, ""))
        return result.out

    def assert_error(self, result, *named):
        """Status 2, nothing on standard output, and one line on standard error that names these."""
        self.assertEqual((result.status, result.out), (2, ""), result.err)
        self.assert_error_line(result.err, *named)

    def assert_error_line(self, line, *named):
        self.assertEqual(line.count("\n"), 1, line)
        self.assertTrue(line.endswith("\n"))
        self.assertTrue(line.startswith("occcalc: error: "), line)
        self.assertNotRegex(line[:-1], r"[\x00-\x1f\x7f]")
        for name in named:
            self.assertIn(name, line)

    def assert_refused(self, words, *named, **options):
        self.assert_error(run(*words, folder=self.folder, **options), *named)

    def assert_columns(self, text, most=80):
        for line in text.splitlines():
            self.assertLessEqual(len(line), most, line)
