"""Where the program writes: files, pipes, terminals, and what happens when it cannot."""

import os
import pathlib
import re
import resource
import stat
import signal
import subprocess
import time
import unittest

import program
from program import EXAMPLE, run, run_in_shell

# More than a pipe holds.
LONG = ["archs", "--json"]


def allow_files_of_100_bytes():
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))


def read_to_the_end(screen):
    """A terminal whose other side is closed ends with an error."""
    sent = b""
    try:
        while part := screen.read(1 << 16):
            sent += part
    except OSError:
        pass
    return sent


class OutputFiles(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "out.txt"

    def names(self):
        return sorted(entry.name for entry in self.folder.iterdir())

    def write(self, file, *words):
        """Writes the example to the file, and nothing anywhere else."""
        self.assertEqual(self.answer(*EXAMPLE, *words, "-o", str(file)), "")

    def device(self, name, minor):
        """A character device such as /dev/null; root gets one of its own, lest a mistake replace the machine's."""
        if os.geteuid() != 0:
            return f"/dev/{name}"
        device = self.folder / name
        try:
            os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, minor))
            os.close(os.open(device, os.O_WRONLY))
        except OSError as error:
            self.skipTest(f"no device can be made here: {error}")
        return str(device)

    def test_a_file_holds_what_standard_output_would(self):
        for words in ([], ["--json"], ["--csv"], ["--get", "occupancy"]):
            with self.subTest(words=words):
                self.write(self.file, *words)
                self.assertEqual(self.file.read_text(), self.answer(*EXAMPLE, *words))
        self.assertEqual(self.names(), ["out.txt"])

    def test_the_ending_of_the_file_chooses_the_format_unless_it_is_given(self):
        for name, words, given in [("out.json", [], ["--json"]), ("out.csv", [], ["--csv"]), ("out.txt", [], []),
                                   ("out.csv", ["--json"], ["--json"]), ("out.json", ["--format", "table"], []),
                                   ("out.json", ["--get", "arch"], ["--get", "arch"])]:
            with self.subTest(name=name, words=words):
                self.write(self.folder / name, *words)
                self.assertEqual((self.folder / name).read_text(), self.answer(*EXAMPLE, *given))

    def test_an_existing_file_is_replaced_and_keeps_its_mode(self):
        self.file.write_text("earlier\n" * 1000)
        self.file.chmod(0o640)
        self.write(self.file)
        self.assertEqual(self.file.read_text(), self.answer(*EXAMPLE))
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o640)

    def test_a_symbolic_link_is_followed_and_stays(self):
        (self.folder / "inner").mkdir()
        for where, target in [("link", "out.txt"), ("inner/link", "../out.txt"), ("absolute", str(self.file)),
                              ("twice", "link")]:
            for exists in (False, True):
                with self.subTest(where=where, exists=exists):
                    link = self.folder / where
                    link.unlink(missing_ok=True)
                    link.symlink_to(target)
                    self.file.unlink(missing_ok=True)
                    if exists:
                        self.file.write_text("earlier\n")
                    self.write(link)
                    self.assertTrue(link.is_symlink())
                    self.assertFalse(self.file.is_symlink())
                    self.assertEqual(self.file.read_text(), self.answer(*EXAMPLE))

    def test_what_cannot_be_written_is_named(self):
        (self.folder / "loop").symlink_to("loop")
        (self.folder / "nowhere").symlink_to("missing/out.txt")
        for file in ["missing/out.txt", ".", "out.txt/", "loop", "nowhere"]:
            with self.subTest(file=file):
                self.assert_refused([*EXAMPLE, "-o", file], file)
        self.assertEqual(self.names(), ["loop", "nowhere"])

    def test_a_device_is_written_and_not_replaced(self):
        null = self.device("null", 3)
        self.write(null)
        self.assertTrue(stat.S_ISCHR(os.stat(null).st_mode))

    def test_a_full_device_is_an_error(self):
        full = self.device("full", 7)
        self.assert_refused([*EXAMPLE, "-o", full], full)

    def test_a_fifo_is_written_and_not_replaced(self):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        # Opened first, so that neither side ever waits for the other.
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        self.write(fifo)
        self.assertEqual(os.read(reader, 1 << 16).decode(), self.answer(*EXAMPLE))
        self.assertTrue(stat.S_ISFIFO(os.stat(fifo).st_mode))

    def test_a_failure_leaves_the_old_file_and_no_temporary(self):
        # A limit on the size of files fails like a full disk, halfway through, and needs no disk to fill.
        for earlier in (None, "earlier\n"):
            with self.subTest(earlier=earlier):
                if earlier:
                    self.file.write_text(earlier)
                result = run(*LONG, "-o", str(self.file), preexec_fn=allow_files_of_100_bytes, restore_signals=False)
                self.assert_error(result, str(self.file))
                self.assertEqual(self.names(), ["out.txt"] if earlier else [])
                self.assertEqual(self.file.read_text() if earlier else None, earlier)

    def test_standard_output_by_its_name_is_written_like_standard_output(self):
        self.assertEqual(self.answer(*EXAMPLE, "-o", "/dev/stdout"), self.answer(*EXAMPLE))
        self.file.write_text("earlier\n")
        with open(self.file, "ab") as stdout:
            run(*EXAMPLE, "-o", "/dev/stdout", stdout=stdout)
        self.assertEqual(self.file.read_text(), "earlier\n" + self.answer(*EXAMPLE))

    def test_a_missed_gate_still_writes_the_file(self):
        result = run(*EXAMPLE, "--require-occupancy", "100%", "-o", str(self.file))
        self.assertEqual((result.status, result.out), (1, ""))
        self.assertEqual(self.file.read_text(), self.answer(*EXAMPLE))


class Pipes(program.ProgramTest):
    def test_a_reader_that_stops_early_ends_the_program_quietly(self):
        for words in (["archs"], LONG, ["archs", "--csv"]):
            with self.subTest(words=words):
                result = run_in_shell('set -o pipefail; "$0" "$@" | head -1', *words, shell="bash")
                self.assertEqual((result.status, result.err, result.out.count("\n")), (0, "", 1))

    def test_a_pipe_that_nobody_reads_ends_the_program_quietly(self):
        reader, writer = os.pipe()
        os.close(reader)
        self.addCleanup(os.close, writer)
        for words in (EXAMPLE, LONG, ["-h"], [*EXAMPLE, "-o", "/dev/stdout"]):
            with self.subTest(words=words):
                result = run(*words, stdout=writer)
                self.assertEqual((result.status, result.err), (0, ""))

    def test_a_full_or_closed_standard_output_is_an_error(self):
        for redirected in (">/dev/full", ">&-"):
            for words in (EXAMPLE, [*EXAMPLE, "--json"], LONG, ["-h"], ["--help-all"], ["-V"],
                          [*EXAMPLE, "--require-occupancy", "100%"]):
                with self.subTest(redirected=redirected, words=words):
                    self.assert_error(run_in_shell(f'"$0" "$@" {redirected}', *words), "standard output")

    def test_a_closed_standard_error_changes_neither_answer_nor_status(self):
        for words, status, out in [(EXAMPLE, 0, self.answer(*EXAMPLE)), (["--block", "0"], 2, ""), ([], 2, ""),
                                   ([*EXAMPLE, "--require-occupancy", "100%"], 1, self.answer(*EXAMPLE))]:
            with self.subTest(words=words):
                self.assertEqual(run_in_shell('"$0" "$@" 2>&-', *words), (status, out, ""))

    def test_closed_standard_streams_do_not_end_up_in_the_file(self):
        for redirected in (">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
            with self.subTest(redirected=redirected):
                file = self.folder / "out.txt"
                words = [*EXAMPLE, "--require-occupancy", "100%", "-o", str(file)]
                self.assertEqual(run_in_shell(f'"$0" "$@" {redirected}', *words).status, 1)
                self.assertEqual(file.read_text(), self.answer(*EXAMPLE))


class Signals(program.ProgramTest):
    ENDLESS = ["--arch", "sm_80", "--block", "64", "--regs", "0:2147483647", "--csv"]

    def test_a_sweep_that_waits_for_its_reader_ends_on_a_signal(self):
        reading, writing = os.pipe()
        sweep = subprocess.Popen([program.PATH, *self.ENDLESS], stdout=writing)
        os.close(writing)
        time.sleep(0.5)  # the pipe is full, and nobody reads
        sweep.terminate()
        self.assertEqual(sweep.wait(timeout=program.SECONDS), -signal.SIGTERM)
        os.close(reading)

    def test_a_signal_leaves_no_file_behind(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number=number):
                sweep = subprocess.Popen([program.PATH, *self.ENDLESS, "-o", str(self.folder / "rows.csv")])
                time.sleep(0.3)
                sweep.send_signal(number)
                self.assertEqual(sweep.wait(timeout=program.SECONDS), -number)
                self.assertEqual(os.listdir(self.folder), [])

    def test_a_signal_ends_rows_that_are_still_being_sorted_or_measured(self):
        for words in (["--sort", "occupancy", "--top", "3"], ["--columns", "occupancy"]):
            with self.subTest(words=words):
                table = [word for word in self.ENDLESS if word != "--csv"]
                sweep = subprocess.Popen([program.PATH, *table, *words], stdout=subprocess.DEVNULL)
                time.sleep(0.3)
                sweep.send_signal(signal.SIGINT)
                try:
                    self.assertEqual(sweep.wait(timeout=program.SECONDS), -signal.SIGINT)
                finally:
                    sweep.kill()

    def test_a_link_to_an_open_stream_keeps_what_is_there(self):
        (self.folder / "link").symlink_to("/dev/stdout")
        with open(self.folder / "out", "w+b") as out:
            out.write(b"before\n")
            out.flush()
            subprocess.run([program.PATH, *EXAMPLE, "--get", "occupancy", "-o", str(self.folder / "link")], stdout=out,
                           timeout=program.SECONDS, check=True)
            out.seek(0)
            self.assertEqual(out.read(), b"before\n0.75\n")


class ProgressOfLongWork(program.ProgramTest):
    def test_a_terminal_that_gets_no_rows_shows_how_far_it_is(self):
        try:
            terminal, program_side = os.openpty()
        except OSError as error:  # a bare chroot has no /dev/pts
            self.skipTest(f"no pseudo terminal: {error}")
        with open(terminal, "rb", buffering=0) as screen:
            with subprocess.Popen([program.PATH, *Signals.ENDLESS, "-o", "/dev/null"], stdin=subprocess.DEVNULL,
                                  stdout=program_side, stderr=program_side) as running:
                os.close(program_side)
                self.assertRegex(screen.read(100), rb"\d+ % of [\d,]+ rows")  # the first that it writes
                running.send_signal(signal.SIGINT)
                self.assertEqual(running.wait(program.SECONDS), -signal.SIGINT)


    def test_many_binaries_are_a_bar_of_their_bytes(self):
        binary = pathlib.Path(os.environ["OCCCALC_SOURCE"], "tests", "binaries", "size.fatbin").read_bytes()
        (self.folder / "0").write_bytes(binary)
        for number in range(1, 4000):
            os.link(self.folder / "0", self.folder / str(number))
        try:
            terminal, program_side = os.openpty()
        except OSError as error:  # a bare chroot has no /dev/pts
            self.skipTest(f"no pseudo terminal: {error}")
        with open(terminal, "rb", buffering=0) as screen:
            with subprocess.Popen([program.PATH, "kernels", str(self.folder)], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=program_side) as running:
                os.close(program_side)
                time.sleep(0.05)
                running.send_signal(signal.SIGSTOP)  # a bar is shown once a second has passed
                time.sleep(1.2)
                running.send_signal(signal.SIGCONT)
                shown = screen.read(100)
                self.assertRegex(shown, rb"\[#*\.*\] \d+ % of [\d,]+\.\d MB, [\d,]+ kernels")
                self.assertEqual(running.wait(program.SECONDS), 0)


class InputThatShrinks(program.ProgramTest):
    def test_it_ends_with_an_error_and_leaves_nothing(self):
        binary = pathlib.Path(os.environ["OCCCALC_SOURCE"], "tests", "binaries", "size.fatbin").read_bytes()
        path = self.folder / "big"
        for number in range(12):
            path.write_bytes(binary * 8000)
            with subprocess.Popen([program.PATH, "kernels", "big", "--csv", "-o", "out.csv"], cwd=self.folder,
                                  stderr=subprocess.PIPE) as running:
                time.sleep(0.02 * number)
                os.truncate(path, 4096)
                error = running.communicate(timeout=program.SECONDS)[1].decode()
            with self.subTest(number=number, status=running.returncode):
                self.assertIn(running.returncode, (0, 2))  # 0: it was done before
                self.assertEqual(error.startswith("occcalc: error: "), running.returncode == 2, error)
                self.assertLessEqual({entry.name for entry in self.folder.iterdir()}, {"big", "out.csv"})


class Colour(program.ProgramTest):
    def on_terminal(self, *words, **variables):
        """What a terminal is sent. It fits the terminal's own buffer, so it can be read after the program's end."""
        try:
            terminal, program_side = os.openpty()
        except OSError as error:  # a bare chroot has no /dev/pts
            self.skipTest(f"no pseudo terminal: {error}")
        with open(terminal, "rb", buffering=0) as screen:
            try:
                done = subprocess.run([program.PATH, *words], stdin=program_side, stdout=program_side,
                                      stderr=program_side, env=program.environment(**variables),
                                      timeout=program.SECONDS, check=False)
            finally:
                os.close(program_side)
            self.assertEqual(done.returncode, 0)
            return read_to_the_end(screen).decode().replace("\r\n", "\n")

    def test_a_terminal_gets_colour_and_the_same_words(self):
        shown = self.on_terminal(*EXAMPLE)
        self.assertIn("\x1b[", shown)
        self.assertEqual(re.sub(r"\x1b\[[0-9;]*m", "", shown), self.answer(*EXAMPLE))

    def test_colour_is_off_where_it_is_unwanted(self):
        for words, variables in [([], {"NO_COLOR": "1"}), ([], {"TERM": "dumb"}), ([], {"TERM": None}),
                                 (["--color", "never"], {})]:
            with self.subTest(words=words, variables=variables):
                self.assertEqual(self.on_terminal(*EXAMPLE, *words, **variables), self.answer(*EXAMPLE))

    def test_the_option_wins_over_the_environment(self):
        self.assertIn("\x1b[", self.on_terminal(*EXAMPLE, "--color", "always", NO_COLOR="1", TERM="dumb"))

    def test_a_pipe_gets_colour_only_on_request(self):
        for words in (EXAMPLE, ["archs"], ["archs", "sm_120"]):
            with self.subTest(words=words):
                self.assertNotIn("\x1b", self.answer(*words))
                self.assertNotIn("\x1b", self.answer(*words, "--color", "auto"))
                self.assertIn("\x1b[", self.answer(*words, "--color", "always"))

    def test_machine_formats_are_never_coloured(self):
        for format_words in (["--json"], ["--csv"], ["--get", "occupancy"]):
            with self.subTest(format=format_words):
                words = [*EXAMPLE, *format_words]
                self.assertEqual(self.on_terminal(*words), self.answer(*words))
                self.assertEqual(self.on_terminal(*words, "--color", "always"), self.answer(*words))


if __name__ == "__main__":
    unittest.main()
