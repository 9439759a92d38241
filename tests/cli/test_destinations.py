"""Where the rows of a sweep go, or one configuration: devices, FIFOs, links, and places that cannot take them."""

import functools
import os
import shutil
import stat
import subprocess
import threading
import time
import unittest

import program
import test_streams
from program import EXAMPLE, run

# 200,000 rows. Their JSON has a few of the fields: more would make it longer, and nothing else.
MANY = ["--arch", "sm_80,sm_90a", "--block", "32:800", "--regs", "1:250", "--smem", "0:15K"]
SWEEPS = {"sweep as csv": [*MANY, "--csv"],
          "sweep as json": [*MANY, "--json", "--columns", "arch,threads_per_block,occupancy,limiters,reasons"]}
ANSWERS = {"one as csv": [*EXAMPLE, "--csv"], "one as json": [*EXAMPLE, "--json"], **SWEEPS}

EARLIER = "earlier\n"
NOBODY = 65534


@functools.cache
def rows(kind):
    """What standard output gets."""
    return run(*ANSWERS[kind]).out


class DestinationTest(program.ProgramTest):
    device = test_streams.OutputFiles.device

    def setUp(self):
        super().setUp()
        self.place = self.folder / "place"
        self.place.mkdir()
        self.file = self.place / "rows"

    def names(self):
        return sorted(entry.name for entry in self.place.iterdir())

    def write(self, kind, file):
        self.assertEqual(self.answer(*ANSWERS[kind], "-o", str(file)), "")

    def assert_rows(self, kind, text):
        # Not assertEqual, which would take minutes to show the difference of so much.
        self.assertTrue(text == rows(kind), f"{len(text)} characters are not the {len(rows(kind))} that are wanted")

    def assert_not_written(self, file, kinds=ANSWERS, command=(program.PATH,), **options):
        """Neither this file nor any other of its folder changes, and the error names the file as it was given."""
        before = {entry.name: entry.read_bytes() for entry in self.place.iterdir() if entry.is_file()}
        for kind, words in kinds.items():
            with self.subTest(kind=kind, file=str(file)):
                self.assert_error(program.run_command([*command, *words, "-o", str(file)], **options), f"{file}: ")
                after = {entry.name: entry.read_bytes() for entry in self.place.iterdir() if entry.is_file()}
                self.assertEqual(after, before)


class Destinations(DestinationTest):
    def test_the_sweeps_written_here_are_long(self):
        self.assertEqual(rows("sweep as csv").count("\n"), 200_000 + 1)
        self.assertEqual(rows("sweep as json").count("\n"), 200_000 + 2)

    def test_a_file_holds_the_rows_that_standard_output_would(self):
        for kind in ANSWERS:
            for earlier in (False, True):
                with self.subTest(kind=kind, earlier=earlier):
                    if earlier:
                        self.file.write_text(EARLIER)
                        self.file.chmod(0o604)
                    self.write(kind, self.file)
                    self.assert_rows(kind, self.file.read_text())
                    self.assertEqual(self.names(), ["rows"])
                    self.assertTrue(not earlier or stat.S_IMODE(self.file.stat().st_mode) == 0o604)
                    self.file.unlink()

    def test_an_earlier_file_stays_until_the_last_row_is_written(self):
        self.file.write_text(EARLIER)
        sweep = subprocess.Popen([program.PATH, *test_streams.Signals.ENDLESS, "-o", str(self.file)])
        try:
            end = time.monotonic() + program.SECONDS
            while not any(entry.stat().st_size > 1 << 20 for entry in self.place.iterdir()):
                self.assertLess(time.monotonic(), end, "nothing was written")
                time.sleep(0.01)
            self.assertEqual(self.file.read_text(), EARLIER)
        finally:
            sweep.terminate()
            sweep.wait(program.SECONDS)
        self.assertEqual((self.names(), self.file.read_text()), (["rows"], EARLIER))

    def test_a_refused_sweep_leaves_the_file_alone(self):
        for words in ([*MANY, "--barriers", "0:17"], [*MANY, "--regs", "1"], [*MANY, "--csv", "--columns", "nothing"],
                      [*MANY, "--barriers", "0:16", "--smem-static", "0:1000000:1"]):
            for earlier in (False, True):
                with self.subTest(words=words, earlier=earlier):
                    if earlier:
                        self.file.write_text(EARLIER)
                    self.assert_refused([*words, "-o", str(self.file)])
                    self.assertEqual(self.names(), ["rows"] if earlier else [])
                    self.assertEqual(self.file.read_text() if earlier else EARLIER, EARLIER)
            self.file.unlink()

    def test_a_device_is_written_and_stays_a_device(self):
        null = self.device("null", 3)
        before = os.stat(null)
        for kind in ANSWERS:
            with self.subTest(kind=kind):
                self.write(kind, null)
                after = os.stat(null)
                self.assertEqual((after.st_ino, after.st_mode, after.st_rdev),
                                 (before.st_ino, before.st_mode, before.st_rdev))

    def test_a_fifo_gets_every_row_and_stays_a_fifo(self):
        os.mkfifo(self.file)
        for kind in ANSWERS:
            with self.subTest(kind=kind):
                received = []
                reader = threading.Thread(target=lambda: received.append(self.file.read_text()), daemon=True)
                reader.start()
                self.write(kind, self.file)
                reader.join(program.SECONDS)
                self.assert_rows(kind, "".join(received))
                self.assertTrue(self.file.is_fifo())
        self.assertEqual(self.names(), ["rows"])

    def test_a_reader_that_leaves_the_fifo_early_ends_the_sweep_quietly(self):
        def read_a_line():
            with open(self.file, encoding="utf-8") as fifo:
                received.append(fifo.readline())

        os.mkfifo(self.file)
        for kind in SWEEPS:
            with self.subTest(kind=kind):
                received = []
                reader = threading.Thread(target=read_a_line, daemon=True)
                reader.start()
                self.write(kind, self.file)
                reader.join(program.SECONDS)
                self.assertEqual(received, rows(kind).splitlines(keepends=True)[:1])
                self.assertTrue(self.file.is_fifo())

    def test_a_symbolic_link_stays_and_its_target_gets_the_rows(self):
        link = self.folder / "link"
        for target in ("place/rows", str(self.file)):
            link.symlink_to(target)
            for kind in ANSWERS:
                for earlier in (False, True):
                    with self.subTest(target=target, kind=kind, earlier=earlier):
                        if earlier:
                            self.file.write_text(EARLIER)
                        self.write(kind, link)
                        self.assertEqual(os.readlink(link), target)
                        self.assertFalse(self.file.is_symlink())
                        self.assert_rows(kind, self.file.read_text())
                        self.assertEqual(self.names(), ["rows"])
                        self.file.unlink()
            link.unlink()


class Failures(DestinationTest):
    def mount(self, *options):
        if os.geteuid() != 0 or not shutil.which("mount"):
            self.skipTest("no disk can be mounted here: that takes root and mount")
        made = program.run_command(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(self.place)])
        if made.status != 0:
            self.skipTest(f"no disk can be mounted here: {made.err.strip()}")
        self.addCleanup(lambda: subprocess.run(["umount", str(self.place)], check=True))

    def fill(self):
        with self.assertRaises(OSError), open(self.place / "filler", "wb", buffering=0) as filler:
            while True:
                filler.write(bytes(512))

    def test_a_full_device_is_an_error(self):
        full = self.device("full", 7)
        self.assert_not_written(full)
        self.assertTrue(stat.S_ISCHR(os.stat(full).st_mode))
        for kind, words in SWEEPS.items():
            with self.subTest(kind=kind), open(full, "wb") as stdout:
                self.assert_error(run(*words, stdout=stdout), "standard output: ")

    def test_a_disk_that_fills_up_keeps_its_files_and_gets_no_half_one(self):
        self.mount()
        self.assert_not_written(self.file, SWEEPS)
        self.assertEqual(self.names(), [])
        self.file.write_text(EARLIER)
        (self.folder / "link").symlink_to(self.file)
        self.assert_not_written(self.file, SWEEPS)
        self.assert_not_written(self.folder / "link", SWEEPS)
        self.fill()
        self.assert_not_written(self.file)
        self.assert_not_written(self.place / "new")
        self.assertEqual((self.names(), self.file.read_text()), (["filler", "rows"], EARLIER))

    def test_a_read_only_disk_keeps_its_files(self):
        self.mount()
        self.file.write_text(EARLIER)
        subprocess.run(["mount", "-o", "remount,ro", str(self.place)], check=True)
        for file in (self.file, self.place / "new"):
            self.assert_not_written(file)
        self.assertEqual((self.names(), self.file.read_text()), (["rows"], EARLIER))

    def test_a_folder_or_a_file_without_permission_stays_as_it_is(self):
        own = shutil.copy(program.PATH, self.folder)  # where everybody can run it
        self.folder.chmod(0o755)
        self.file.write_text(EARLIER)
        as_nobody = {}
        if os.geteuid() == 0:  # which no permission binds
            as_nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
            os.chown(self.file, NOBODY, NOBODY)
            try:
                program.run_command([own, "-V"], **as_nobody)
            except OSError as error:
                self.skipTest(f"the program cannot be run as another user: {error}")
        self.addCleanup(self.place.chmod, 0o755)
        for place, file, refused in [(0o555, 0o644, ["rows", "new"]), (0o777, 0o444, ["rows"])]:
            self.place.chmod(place)
            self.file.chmod(file)
            for name in refused:
                self.assert_not_written(self.place / name, command=[own], **as_nobody)
        self.assertEqual((self.names(), self.file.read_text()), (["rows"], EARLIER))

    def test_an_input_is_not_written_over(self):
        gpu = '{"name": "Mine", "compute_capability": "9.0", "sm_count": 100}'
        arch = self.answer("archs", "sm_80", "--json")
        rows = "arch,threads_per_block\nsm_80,64\nsm_80,128\n"
        for text, words in [(gpu, ["--gpu", "mine", "--block", "64", "--gpu-file"]), (rows, ["--top", "1", "--from"]),
                            (arch, [*EXAMPLE, "--arch-file"]), (gpu, ["gpus", "mine", "--gpu-file"])]:
            with self.subTest(words=words):
                self.file.write_text(text)
                link = self.place / "link"
                link.symlink_to(self.file)
                for written in (self.file, link):
                    self.assert_refused([*words, str(self.file), "-o", str(written)], "--output", "is an input")
                self.assertEqual(self.file.read_text(), text)
                link.unlink()

    def test_a_folder_that_does_not_exist_is_not_made(self):
        for file in ("missing/rows", "missing/further/rows", "rows/"):
            self.assert_not_written(f"{self.place}/{file}")
        self.assertEqual(self.names(), [])

    def test_a_folder_is_not_written_over(self):
        (self.folder / "link").symlink_to("place")
        for file in (self.place, f"{self.place}/", self.folder / "link"):
            self.assert_not_written(file)
        self.assertTrue(self.place.is_dir())
        self.assertEqual((self.names(), sorted(os.listdir(self.folder))), ([], ["link", "place"]))


if __name__ == "__main__":
    unittest.main()
