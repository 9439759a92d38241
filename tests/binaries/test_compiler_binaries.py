"""Fatbins that nvcc makes now, for every target that it knows: each kernel is read as ptxas printed it.

    python3 tests/binaries/test_compiler_binaries.py NVCC      (OCCCALC = the program)
"""

import csv
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from write_expected import PTXAS

NVCC = sys.argv.pop(1) if len(sys.argv) > 1 else "nvcc"
SOURCE = pathlib.Path(__file__).resolve().with_name("kernels.cu")
TOGETHER = 6  # targets of one run of nvcc
FIELDS = ("kernel", "arch", "registers_per_thread", "static_shared_memory", "barriers", "stack_frame", "no_spills")
NO_SPILLS = "0 bytes spill stores, 0 bytes spill loads"


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    if done.returncode:
        raise RuntimeError(f"{command}: {done.stdout}")
    return done.stdout


def targets():
    """Lists of them: those that nvcc lists, and the variants a and f, which only its help names. It refuses to make
    plain and f in one run."""
    listed = run([NVCC, "--list-gpu-code"]).split()
    helped = set(re.findall(r"'(sm_\d+[af])'", run([NVCC, "--help"])))
    kinds = [listed] + [[target + suffix for target in listed if target + suffix in helped] for suffix in "af"]
    return [kind[first:first + TOGETHER] for kind in kinds for first in range(0, len(kind), TOGETHER)]


class CompilerBinaries(unittest.TestCase):
    maxDiff = None

    def check(self, archs, *options):
        codes = [f"-gencode=arch={arch.replace('sm_', 'compute_')},code={arch}" for arch in archs]
        with tempfile.TemporaryDirectory() as folder:
            fatbin = pathlib.Path(folder, "kernels.fatbin")
            log = run([NVCC, "-fatbin", "-o", str(fatbin), "-Xptxas", "-v", *options, *codes, str(SOURCE)])
            result = subprocess.run([os.environ["OCCCALC"], "kernels", str(fatbin), "--csv"], capture_output=True,
                                    text=True, timeout=60)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        printed = [{**entry.groupdict(), "static_shared_memory": entry["static_shared_memory"] or "0",
                    "no_spills": NO_SPILLS in entry.group()} for entry in PTXAS.finditer(log)]
        self.assertEqual({entry["arch"] for entry in printed}, set(archs))
        read = [{**{field: row[field] for field in FIELDS[:-1]}, "no_spills": row["spill_instructions"] == "0"}
                for row in csv.DictReader(io.StringIO(result.stdout))]
        self.assertEqual(sorted(tuple(row.values()) for row in read),
                         sorted(tuple(entry[field] for field in FIELDS) for entry in printed))

    def test_every_target(self):
        self.assertTrue(targets())
        for archs in targets():
            with self.subTest(archs=archs):
                self.check(archs, "-Xfatbin", "-compress-all")

    def test_a_build_for_the_debugger_and_before_the_link(self):
        first = targets()[0][0]
        last = targets()[-1][-1]
        for options in (["-G"], ["-rdc=true"]):
            with self.subTest(options=options):
                self.check([first, last], *options)


if __name__ == "__main__":
    unittest.main()
