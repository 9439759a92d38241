"""What nvcc prints now, for every target that it knows, read by the program and by a few regular expressions.

    python3 tests/logs/test_compiler.py NVCC      (OCCCALC = the program)
"""

import csv
import io
import os
import pathlib
import re
import subprocess
import sys
import unittest

NVCC = sys.argv.pop(1) if len(sys.argv) > 1 else "nvcc"
SOURCES = [pathlib.Path(__file__).with_name("kernels.cu"),
           pathlib.Path(os.environ["OCCCALC_SOURCE"], "data", "examples", "matmul.cu")]

ENTRY = re.compile(r"Compiling entry function '(?P<kernel>[^']+)' for '(?P<arch>sm_\w+)'\n"
                   r"ptxas info    : Function properties for (?P=kernel)\n"
                   r" *(?P<stack_frame>\d+) bytes stack frame, (?P<spill_stores>\d+) bytes spill stores, "
                   r"(?P<spill_loads>\d+) bytes spill loads\n"
                   r"ptxas info    : Used (?P<registers_per_thread>\d+) registers, used (?P<barriers>\d+) barriers"
                   r"(?:, \d+ bytes cumulative stack size)?(?:, (?P<static_shared_memory>\d+) bytes smem)?")


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True, text=True, timeout=600,
                          **options).stdout


class Compiler(unittest.TestCase):
    def test_every_kernel_of_every_target_is_read_as_it_was_printed(self):
        targets = run([NVCC, "--list-gpu-code"]).split()
        self.assertTrue(targets)
        codes = [f"-gencode=arch={target.replace('sm_', 'compute_')},code={target}" for target in targets]
        for source in SOURCES:
            with self.subTest(source=source.name):
                log = run([NVCC, "-fatbin", "-o", os.devnull, "-Xptxas", "-v", *codes, str(source)])
                expected = [{**entry.groupdict(), "static_shared_memory": entry["static_shared_memory"] or "0"}
                            for entry in ENTRY.finditer(log)]
                self.assertEqual({entry["arch"] for entry in expected}, set(targets))
                table = run([os.environ["OCCCALC"], "kernels", "-", "--csv"], input=log)
                rows = [{field: row[field] for field in expected[0]} for row in csv.DictReader(io.StringIO(table))]
                self.assertEqual(rows, expected)


if __name__ == "__main__":
    unittest.main()
