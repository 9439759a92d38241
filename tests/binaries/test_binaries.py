"""Kernels in GPU binaries: every committed one gives the rows of expected.csv. README.md says how each was made.

OCCCALC is the path of the program.
"""

import csv
import io
import json
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))

import program  # noqa: E402, of the tests of the command line

with open(HERE / "expected.csv", newline="") as file:
    EXPECTED = list(csv.DictReader(file))
FIELDS = list(EXPECTED[0])
FILES = list(dict.fromkeys(row["file"] for row in EXPECTED))


def expected(name, **only):
    return [row for row in EXPECTED
            if row["file"] == name and all(row[field] == value for field, value in only.items())]


class Binaries(program.ProgramTest):
    maxDiff = None

    def kernels(self, *words, **options):
        """Read in the folder of the binaries; nothing is said on standard error."""
        result = program.run("kernels", *words, folder=HERE, **options)
        self.assertEqual((result.status, result.err), (0, ""), words)
        return result.out

    def rows(self, *words, fields=tuple(FIELDS), **options):
        table = csv.DictReader(io.StringIO(self.kernels(*words, "--csv", **options)))
        return [{field: row[field] for field in fields} for row in table]

    def test_every_binary_gives_exactly_what_its_compiler_printed(self):
        for name in FILES:
            with self.subTest(name=name):
                self.assertEqual(self.rows(name), expected(name))

    def test_every_committed_binary_is_expected(self):
        read = {path.relative_to(HERE).as_posix() for path in HERE.rglob("*")
                if path.is_file() and path.suffix not in (".cu", ".py", ".pyc", ".sh", ".md", ".csv", ".log", ".json")}
        self.assertEqual(read, {*FILES, "lto.o"})

    def test_files_are_read_one_after_the_other(self):
        names = ["linked", "few.sm_75.cubin", "gnu.a", "lz4.fatbin"]
        self.assertEqual(self.rows(*names), [row for name in names for row in expected(name)])

    def test_bytes_are_known_by_what_they_hold(self):
        for name in ("few.sm_90a.cubin", "size.fatbin", "host.o", "gnu.a", "size.exe"):
            with self.subTest(name=name):
                data = (HERE / name).read_bytes()
                (self.folder / "build.txt").write_bytes(data)
                found = [{**row, "file": name} for row in self.rows(str(self.folder / "build.txt"))]
                self.assertEqual(found, expected(name))
                found = [{**row, "file": name} for row in self.rows("-", given=data)]
                self.assertEqual(found, expected(name))

    def test_arch_selects_exactly(self):
        for arch in ("sm_75", "sm_80", "sm_90a", "sm_100f"):
            for name in ("none.fatbin", "lz4.fatbin", "size.exe"):
                with self.subTest(name=name, arch=arch):
                    self.assertTrue(expected(name, arch=arch))
                    self.assertEqual(self.rows(name, "--arch", arch), expected(name, arch=arch))
        none = program.run("kernels", "none.fatbin", "--arch", "sm_90", "--csv", folder=HERE)
        self.assertEqual((none.status, none.out.count("\n"), none.err), (0, 1, "occcalc: note: no kernel matches; there are some for sm_100f, sm_75, sm_80, sm_90a\n"))

    def test_ptx_is_read_beside_cubins_when_asked(self):
        entries = [{**row, "file": ""} for row in expected("ptx.fatbin")]
        for name in ("none.fatbin", "speed.fatbin", "size.fatbin", "lz4.fatbin", "size.exe"):
            with self.subTest(name=name):
                rows = self.rows(name, "--ptx")
                self.assertEqual([{**row, "file": ""} for row in rows if not row["registers_per_thread"]], entries)
                self.assertEqual([row for row in rows if row["registers_per_thread"]], expected(name))

    def test_a_block_is_the_one_that_the_kernel_requires_or_its_bounds_allow(self):
        fields = ("kernel", "threads_per_block", "block_source")
        blocks = {row["kernel"]: (row["threads_per_block"], row["block_source"])
                  for row in self.rows("kernels.sm_90.cubin", "required.cubin", fields=fields)}
        self.assertEqual([blocks[kernel] for kernel in ("bounded", "sized", "sized_cluster", "required", "at_most")],
                         [("192", "launch_bounds"), ("128", "required"), ("128", "required"), ("256", "required"),
                          ("128", "launch_bounds")])
        self.assertEqual(blocks["tile"][1], "suggested")

    def test_what_spills_is_known_though_not_how_much(self):
        for arch in ("sm_80", "sm_90"):
            rows = self.rows(f"kernels.{arch}.cubin", "--spilling", fields=("kernel", "spill_stores", "spill_loads"))
            self.assertEqual(rows, [{"kernel": "spilling", "spill_stores": "", "spill_loads": ""}])
            gated = program.run("kernels", f"kernels.{arch}.cubin", "--require-no-spills", "--csv", folder=HERE)
            self.assertEqual(gated.status, 1)

    def test_the_table_leaves_out_what_is_linked_in_the_same_file(self):
        table = self.kernels("linked")
        lines = table.splitlines()
        kernels = lines[1:lines.index("")]
        counts = {name: sum(name in line for line in kernels) for name in ("calling", "alone", "shift", "unused")}
        self.assertEqual(counts, {"calling": 2, "alone": 2, "shift": 2, "unused": 2}, table)
        self.assertRegex(table, r"(?m)^8 kernels\b")
        self.assertEqual(len(json.loads(self.kernels("linked", "--json"))), 14)
        # A filter that leaves out the linked form does not bring the other back.
        self.assertIn("calling", self.kernels("linked", "--limited-by", "registers"))
        self.assertNotIn("calling", self.kernels("linked", "--limited-by", "warps"))
        # Before the link there is nothing else: nothing is left out.
        self.assertRegex(self.kernels("calling.o"), r"(?m)^6 kernels\b")

    def test_a_pair_of_triton_is_one_kernel(self):
        fields = ("file", "kernel", "arch", "registers_per_thread", "static_shared_memory", "dynamic_shared_memory",
                  "dynamic_shared_memory_source", "threads_per_block", "barriers")
        rows = self.rows("triton", fields=fields)
        self.assertEqual(len(rows), 1, rows)
        cubin = expected("triton/add_kernel.cubin")[0]
        self.assertEqual([rows[0][field] for field in fields[1:]],
                         ["add_kernel", "sm_90a", cubin["registers_per_thread"], "0", "8192", "input", "128", "1"])
        # Each file stands for the pair, and both are one kernel still.
        for names in (["triton/add_kernel.cubin"], ["triton/add_kernel.json"],
                      ["triton/add_kernel.cubin", "triton/add_kernel.json"]):
            self.assertEqual([row["dynamic_shared_memory"] for row in self.rows(*names, fields=fields)], ["8192"], names)
        # A cubin alone states what it holds.
        (self.folder / "alone.cubin").write_bytes((HERE / "triton" / "add_kernel.cubin").read_bytes())
        fields = ("threads_per_block", "block_source", "dynamic_shared_memory_source")
        alone = self.rows(str(self.folder / "alone.cubin"), fields=fields)
        self.assertEqual(list(alone[0].values()), ["128", "required", "assumed"])

    def test_a_cache_of_triton_has_one_kernel_a_cubin(self):
        cache = self.folder / "cache"
        cache.mkdir()
        for name in ("triton/add_kernel.cubin", "triton/add_kernel.json", "add_kernel.ptx"):
            (cache / pathlib.Path(name).name).write_bytes((HERE / name).read_bytes())
        (cache / "add_kernel.ttir").write_text("module { tt.func public @add_kernel() }\n")
        (cache / "__grp__add_kernel.json").write_text('{"child_paths": {"add_kernel.ttir": "/x/add_kernel.ttir"}}\n')
        fields = ("kernel", "registers_per_thread", "dynamic_shared_memory", "threads_per_block")
        compiled = ["add_kernel", expected("triton/add_kernel.cubin")[0]["registers_per_thread"], "8192", "128"]
        rows = [list(row.values()) for row in self.rows(str(cache), fields=fields)]
        self.assertEqual(rows, [compiled])
        rows = [list(row.values()) for row in self.rows(str(cache), "--ptx", fields=fields)]
        self.assertEqual(rows, [compiled, ["add_kernel", "", "0", "128"]])

    def test_a_file_that_a_folder_links_to_itself_is_read_once(self):
        (self.folder / "lib").mkdir()
        (self.folder / "lib" / "lib.so.1").write_bytes((HERE / "few.sm_80.cubin").read_bytes())
        (self.folder / "lib" / "lib.so").symlink_to("lib.so.1")
        (self.folder / "lib" / "elsewhere.cubin").symlink_to(HERE / "few.sm_90.cubin")
        rows = self.rows(str(self.folder / "lib"), fields=("arch",))
        self.assertEqual([row["arch"] for row in rows],
                         [row["arch"] for name in ("few.sm_90.cubin", "few.sm_80.cubin") for row in expected(name)])

    def test_control_characters_of_a_name_are_written_out(self):
        data = (HERE / "few.sm_80.cubin").read_bytes()
        (self.folder / "named.cubin").write_bytes(data.replace(b"\0tile\0", b"\0t\x1b\xc2\x9b\0"))
        for words in (["--csv"], ["--json"], []):
            out = self.kernels(str(self.folder / "named.cubin"), *words)
            self.assertIn("t\\x1b\\x9b".replace("\\", "\\\\") if words == ["--json"] else "t\\x1b\\x9b", out)
            self.assertNotRegex(out, "[\x00-\x09\x0b-\x1f\x7f\x80-\x9f]")

    def test_a_block_that_is_not_the_required_one_cannot_be_launched(self):
        words = ["kernels.sm_90.cubin", "-k", "^sized", "--block", "128"]
        said = {row["kernel"]: row["reasons"] for row in json.loads(self.kernels(*words, "--json"))}
        self.assertEqual({kernel: [reason["code"] for reason in reasons] for kernel, reasons in said.items()},
                         {"sized": ["required_block"], "sized_cluster": ["required_block"]})
        for kernel, block in [("sized", "32x4"), ("sized_cluster", "64x2")]:
            self.assertIn(f"blocks of {block} only", said[kernel][0]["message"])
            self.assertIn(f"needs blocks of {block}", self.kernels("kernels.sm_90.cubin", "-k", f"^{kernel}$", "--block", "128"))
            launched = self.rows("kernels.sm_90.cubin", "-k", f"^{kernel}$", "--block", block, fields=("launchable",))
            self.assertEqual(launched, [{"launchable": "true"}])

    def test_fatbins_are_found_in_bytes_of_any_kind(self):
        for name in ("none.fatbin", "speed.fatbin", "lz4.fatbin", "size.fatbin"):
            for before in (bytes(1000), b"MZ" + bytes(998), b"engine" + bytes(range(256)) * 20):
                with self.subTest(name=name, before=before[:8]):
                    (self.folder / "held").write_bytes(before + (HERE / name).read_bytes() + bytes(100))
                    rows = [{**row, "file": name} for row in self.rows(str(self.folder / "held"))]
                    self.assertEqual(rows, expected(name))

    def test_before_the_link_is_said(self):
        self.assertIn("6 kernels are not linked yet", self.kernels("calling.o"))
        self.assertIn("Not linked yet:", self.kernels("calling.o", "--report", "-k", "calling", "--arch", "sm_80"))
        self.assertNotIn("not linked yet", self.kernels("few.sm_80.cubin"))

    def test_a_report_counts_the_instructions_that_spill(self):
        words = ("kernels.sm_90.cubin", "-k", "^spilling$")
        spills = self.rows(*words, fields=("spill_instructions",))[0]["spill_instructions"]
        self.assertRegex(self.kernels(*words, "--report"), f"(?m)^Spills: {spills} instructions\\.$")

    def test_a_binary_is_not_copied_to_the_terminal(self):
        data = (HERE / "few.sm_80.cubin").read_bytes()
        for words, given in ((["few.sm_80.cubin"], b""), (["-"], data)):
            self.kernels(*words, "--tee", given=given)  # nothing on standard error
        log = ("a stray \0 byte\n" + (HERE / "few.sm_80.log").read_text()).encode()
        (self.folder / "build.log").write_bytes(log)
        for words, given in (([str(self.folder / "build.log")], b""), (["-"], log)):
            self.assertEqual(program.run("kernels", *words, "--tee", given=given).err.encode(), log)

    def test_a_thin_archive_that_names_another_ends(self):
        def thin(name, member):
            field = f"{member}/".ljust(16) + "0".ljust(12) + "0".ljust(6) + "0".ljust(6) + "644".ljust(8) + "99".ljust(10)
            (self.folder / name).write_bytes(b"!<thin>\n" + field.encode() + b"`\n")
        thin("self.a", "self.a")
        thin("one.a", "two.a")
        thin("two.a", "one.a")
        for name, member in (("self.a", "self.a"), ("one.a", "two.a")):
            self.assert_error(program.run("kernels", name, folder=self.folder), name, member, "thin archive itself")

    def test_code_that_is_compiled_at_the_link_has_no_kernels_yet(self):
        self.assert_error(program.run("kernels", "lto.o", folder=HERE), "lto.o", "LTO")

    def test_a_member_that_a_thin_archive_names_must_be_there(self):
        (self.folder / "thin.a").write_bytes((HERE / "thin.a").read_bytes())
        (self.folder / "calling.o").write_bytes((HERE / "calling.o").read_bytes())
        result = program.run("kernels", "thin.a", "--get", "kernel", folder=self.folder)
        self.assertEqual(result.status, 2)
        self.assertEqual(result.out.split(), [row["kernel"] for row in expected("calling.o")])
        self.assert_error_line(result.err, "thin.a", "dlink.o")


if __name__ == "__main__":
    unittest.main()
