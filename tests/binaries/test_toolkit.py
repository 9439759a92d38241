"""The libraries of CUDA 13.0: as many kernels as were counted in them by another reader.

    python3 tests/binaries/test_toolkit.py LIBDIR      (OCCCALC = the program)

A library is known by its size; one of another size is of another version, and skipped.
"""

import os
import pathlib
import re
import subprocess
import sys
import unittest

LIBRARIES = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else "/usr/local/cuda/lib64")
SECONDS = 300

# Name, bytes, kernels.
KERNELS = {
    "libcublas.so.13": (54177976, 23178),
    "libcublasLt.so.13": (541595600, 45327),
    "libcudnn_adv.so.9": (109169104, 28126),
    "libcudnn_cnn.so.9": (4203904, 411),
    "libcudnn_engines_precompiled.so.9": (245391920, 56336),
    "libcudnn_engines_runtime_compiled.so.9": (29386400, 1729),
    "libcudnn_ops.so.9": (39855888, 13698),
    "libcufft.so.12": (286542352, 3124),
    "libcufftw.so.12": (991704, 0),
    "libcurand.so.10": (132698328, 2664),
    "libcusolver.so.12": (141152872, 26480),
    "libcusolverMg.so.12": (103956840, 14078),
    "libcusparse.so.12": (162565256, 40400),
    "libnccl.so.2": (217995896, 830),
    "libcupti.so.13": (4152208, 42),
    "libcheckpoint.so": (1382856, 33),
    "libnvperf_host.so": (32405040, 0),
    "libnvperf_target.so": (5304944, 0),
    "libcudadevrt.a": (1024340, 320),
}
NO_CODE = ["libcudnn_graph.so.9", "libcudnn_heuristic.so.9", "libcudnn.so.9", "libnvJitLink.so.13", "libnvblas.so.13",
           "libnvrtc.so.13", "libnvrtc-builtins.so.13.0", "libcudart.so.13", "libnvvm.so.4", "libpcsamplingutil.so",
           "libnvtx3interop.so.1", "libcudart_static.a", "libculibos.a"]


def kernels(path, *words):
    return subprocess.run([os.environ["OCCCALC"], "kernels", str(path), *words], capture_output=True, text=True,
                          timeout=SECONDS)


class Toolkit(unittest.TestCase):
    def path(self, name):
        """Where it is, if it is of the known version."""
        path = LIBRARIES / name
        if not path.exists():
            self.skipTest(f"{name} is not in {LIBRARIES}")
        if name in KERNELS and path.stat().st_size != KERNELS[name][0]:
            self.skipTest(f"{name} has {path.stat().st_size} bytes, not the {KERNELS[name][0]} of the known version")
        return path

    def rows(self, path):
        """Kernels that are compiled; some libraries also hold PTX that is alone in its fatbin."""
        result = kernels(path, "--csv", "--columns", "registers_per_thread,arch,kernel,linked")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return [row for row in result.stdout.splitlines()[1:] if not row.startswith(",")]

    def assert_no_kernels(self, path):
        result = kernels(path)
        self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (2, "", 1), result.stderr)
        self.assertTrue(result.stderr.startswith("occcalc: error: "), result.stderr)

    def test_every_kernel_is_read(self):
        for name, (_, count) in KERNELS.items():
            with self.subTest(name=name):
                path = self.path(name)
                if count:
                    self.assertEqual(len(self.rows(path)), count)
                else:  # cubins without kernels
                    self.assert_no_kernels(path)

    def test_libraries_without_code_say_so(self):
        for name in NO_CODE:
            with self.subTest(name=name):
                self.assert_no_kernels(self.path(name))

    def test_the_table_counts_a_kernel_of_nccl_once_linked(self):
        result = kernels(self.path("libnccl.so.2"))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(re.findall(r"(?m)^([\d,]+) kernels, ", result.stdout), ["522"])

    def test_repeated_kernels_of_cusparse_stay(self):
        rows = self.rows(self.path("libcusparse.so.12"))
        distinct = {row.rsplit(",", 1)[0] for row in rows}
        self.assertEqual((len(rows), len(distinct)), (40400, 40368))


if __name__ == "__main__":
    unittest.main()
