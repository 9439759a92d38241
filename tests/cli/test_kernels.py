"""Kernels in compiler logs: which block, which memory, filters, gates, inputs of every kind."""

import csv
import io
import json
import os
import pathlib
import subprocess
import unittest

import program

EXAMPLES = pathlib.Path(os.environ["OCCCALC_SOURCE"], "data", "examples")


def entry(name, arch, registers, *, smem=0, spills=(0, 0), barriers=0):
    memory = f", {smem} bytes smem" if smem else ""
    return (f"ptxas info    : Compiling entry function '{name}' for '{arch}'\n"
            f"ptxas info    : Function properties for {name}\n"
            f"    {8 if any(spills) else 0} bytes stack frame, {spills[0]} bytes spill stores, {spills[1]} bytes spill loads\n"
            f"ptxas info    : Used {registers} registers, used {barriers} barriers{memory}, 360 bytes cmem[0]\n")


LOG = (entry("_Z4gemmPfi", "sm_80", 168, smem=4096) + entry("softmax", "sm_80", 40, barriers=1) +
       entry("_Z4normIfEvPT_", "sm_80", 255, spills=(24, 16)) + entry("softmax", "sm_90a", 38))


class Kernels(program.ProgramTest):
    def kernels(self, *words, log=LOG):
        return self.answer("kernels", *words, given=log.encode())

    def rows(self, *words, log=LOG):
        return list(csv.DictReader(io.StringIO(self.kernels(*words, "--csv", log=log))))

    def test_a_log_on_standard_input_gives_one_row_a_kernel_and_architecture(self):
        rows = self.rows()
        self.assertEqual([(row["kernel"], row["name"], row["arch"], row["registers_per_thread"]) for row in rows],
                         [("_Z4gemmPfi", "gemm(float*, int)", "sm_80", "168"), ("softmax", "softmax", "sm_80", "40"),
                          ("_Z4normIfEvPT_", "void norm<float>(float*)", "sm_80", "255"),
                          ("softmax", "softmax", "sm_90a", "38")])
        self.assertEqual([row["file"] for row in rows], ["standard input"] * 4)
        self.assertEqual([(row["spill_stores"], row["spill_loads"], row["barriers"]) for row in rows],
                         [("0", "0", "0"), ("0", "0", "1"), ("24", "16", "0"), ("0", "0", "0")])

    def test_the_answer_is_that_of_the_calculator(self):
        for row in self.rows("--block", "192", "--smem-dynamic", "1K"):
            alone = csv.DictReader(io.StringIO(self.answer(
                "--arch", row["arch"], "--block", "192", "--regs", row["registers_per_thread"], "--smem-static",
                row["static_shared_memory"], "--smem-dynamic", "1K", "--barriers", row["barriers"], "--csv")))
            for field, text in next(alone).items():
                self.assertEqual(text, row[field], field)

    def test_json_is_an_array_and_jsonl_the_same_objects(self):
        array = json.loads(self.kernels("--json"))
        self.assertEqual(array, [json.loads(line) for line in self.kernels("--format", "jsonl").splitlines()])
        self.assertIsInstance(json.loads(self.kernels("--json", log=entry("k", "sm_80", 8))), list)
        self.assertEqual(array[0]["schema"], "occcalc/1")
        self.assertIsNone(array[0]["linked"])
        self.assertEqual([kernel["block_source"] for kernel in array], ["suggested"] * 4)
        self.assertEqual([kernel["dynamic_shared_memory_source"] for kernel in array], ["assumed"] * 4)

    def test_an_option_is_the_block_and_the_memory(self):
        row = self.rows("--block", "32x8", "--smem-dynamic", "2K", "--barriers", "3")[0]
        self.assertEqual([row[field] for field in ("threads_per_block", "block_source", "dynamic_shared_memory",
                                                   "dynamic_shared_memory_source", "barriers")],
                         ["256", "option", "2048", "option", "3"])

    def test_arch_selects_exactly(self):
        self.assertEqual(len(self.rows("--arch", "sm_80")), 3)
        self.assertEqual(len(self.rows("--arch", "sm_90a")), 1)
        self.assertEqual(len(self.rows("--arch", "all")), 4)
        self.assertEqual(len(self.rows("--arch", "sm_80,sm_90a")), 4)

    def test_kernels_are_selected_by_either_name_and_what_binds(self):
        self.assertEqual([row["kernel"] for row in self.rows("-k", "^_Z4g")], ["_Z4gemmPfi"])
        self.assertEqual([row["kernel"] for row in self.rows("-k", "norm<float>")], ["_Z4normIfEvPT_"])
        self.assertEqual(len(self.rows("--kernel", "regex:^soft")), 2)
        self.assertEqual([row["kernel"] for row in self.rows("--spilling")], ["_Z4normIfEvPT_"])
        self.assertTrue(all("registers" in row["limiters"] for row in self.rows("--limited-by", "registers")))
        self.assertEqual(self.rows("--limited-by", "registers"),
                         [row for row in self.rows() if "registers" in row["limiters"].split("+")])

    def test_another_architecture_evaluates_what_was_compiled(self):
        rows = self.rows("--on", "sm_120", "--arch", "sm_80", "--block", "256")
        self.assertEqual({(row["arch"], row["compiled_arch"]) for row in rows}, {("sm_120", "sm_80")})
        self.assertEqual([row["max_warps_per_sm"] for row in rows], ["48"] * 3)
        self.assertIn("Evaluated on sm_120; registers are from the sm_80 compile",
                      self.kernels("--on", "sm_120", "--arch", "sm_80"))

    def test_the_table_has_the_worst_first_and_identical_kernels_once(self):
        table = self.kernels(log=LOG + entry("softmax", "sm_80", 40, barriers=1) * 2)
        lines = table.splitlines()
        shares = [float(line.split(" %")[0]) for line in lines[1:lines.index("")]]
        self.assertEqual(shares, sorted(shares))
        self.assertEqual(len([line for line in lines if "softmax x3" in line]), 1)
        self.assertIn("6 kernels, 4 different, 2 architectures; 1 spills", table)
        self.assertIn("? block size unknown", table)
        self.assertEqual(len(self.rows(log=LOG + entry("softmax", "sm_80", 40) * 2)), 6)

    def test_gates_hold_all_kernels_and_say_what_was_assumed(self):
        for words, status, said in [(["--require-no-spills"], 1, "--require-no-spills: 1 of 4 kernels"),
                                    (["--require-no-spills", "-k", "softmax"], 0, ""),
                                    (["--require-occupancy", "50%"], 1, "void norm<float>(float*) on sm_80"),
                                    (["--require-occupancy", "10%"], 0, "note: a block size or dynamic shared memory was assumed"),
                                    (["--require-known"], 1, "--require-known: 4 of 4"),
                                    (["--require-known", "--block", "64", "--smem-dynamic", "0"], 0, ""),
                                    (["--require-launch", "--block", "1024"], 1, "gemm(float*, int) on sm_80")]:
            with self.subTest(words=words):
                result = program.run("kernels", *words, "--csv", given=LOG.encode())
                self.assertEqual(result.status, status, result.err)
                self.assertIn(said, result.err)
                self.assertEqual(result.err == "", said == "")
                top = program.run("kernels", *words, "--top", "1", "--csv", given=LOG.encode())
                self.assertEqual((top.status, top.err), (result.status, result.err))

    def test_the_largest_amounts_are_counted_and_long_names_are_cut_between_letters(self):
        most = 2**63 - 1
        log = entry("k" * 30 + "\u00e9" * 60, "sm_80", 20, spills=(most, most))
        gated = program.run("kernels", "--require-no-spills", given=log.encode())
        self.assertEqual(gated.status, 1)
        self.assertIn("9,223,372,036,854,775,807", gated.out)
        gated.out.encode()  # whole letters alone

    def test_a_report_is_the_full_one_of_each_match(self):
        text = self.kernels("-k", "gemm", "--report", "--block", "128")
        self.assertTrue(text.endswith("Dynamic shared memory is not in the input: 0 B assumed (give --smem-dynamic).\n"))
        self.assertIn("Spills: 24 B stores, 16 B loads.", self.kernels("--spilling", "--report"))
        self.assertTrue(text.startswith("gemm(float*, int) (standard input)\n"), text)
        alone = self.answer("--arch", "sm_80", "--regs", "168", "--smem-static", "4096", "--block", "128", "--barriers", "0")
        self.assertEqual(text.split("\n", 1)[1].splitlines()[0], alone.splitlines()[0])
        self.assertIn("The working", self.kernels("-k", "gemm", "--report", "--explain"))
        self.assertIn("budget", json.loads(self.kernels("-k", "gemm", "--json", "--budget"))[0])
        self.assert_refused(["kernels", "--report", "--csv"], "--report")
        worst = self.kernels("--report", "--sort", "occupancy", "--top", "1")
        self.assertTrue(worst.startswith("void norm<float>(float*) (standard input)\n"), worst)
        self.assertEqual(worst.count("(standard input)"), 1)

    def test_files_and_folders_are_read_for_what_they_hold(self):
        (self.folder / "build").mkdir()
        (self.folder / "build" / "a.txt").write_text(entry("a", "sm_80", 32))
        (self.folder / "build" / "notes.md").write_text("nothing here\n")
        (self.folder / "b.log").write_text("[1/2] Building\n" + entry("b", "sm_80", 64))
        result = program.run("kernels", "build", "b.log", "--get", "file,kernel", folder=self.folder)
        self.assertEqual(result, (0, "build/a.txt\ta\nb.log\tb\n", ""))

    def test_a_wider_line_has_more_of_the_name(self):
        name = "reduce_" + "x" * 80
        log = entry(name, "sm_80", 32)
        for columns, shown in [(None, False), ("79", False), ("200", True), ("wide", False)]:
            with self.subTest(columns=columns):
                done = subprocess.run([program.PATH, "kernels"], input=log, capture_output=True, text=True, check=True,
                                      env=program.environment(COLUMNS=columns), timeout=program.SECONDS)
                self.assertEqual(name in done.stdout, shown)

    def test_an_input_is_not_replaced_by_the_answer(self):
        (self.folder / "k.txt").write_text(entry("k", "sm_80", 32))
        (self.folder / "link").symlink_to("k.txt")
        for named in ("k.txt", "./k.txt", "link"):
            self.assert_refused(["kernels", "k.txt", "-o", named], "--output", "is an input")
            self.assertEqual((self.folder / "k.txt").read_text(), entry("k", "sm_80", 32))

    def test_what_cannot_launch_is_counted_and_binds_nothing(self):
        log = entry("a", "sm_80", 255) + entry("b", "sm_80", 16)
        result = program.run("kernels", "--block", "1024", given=log.encode())
        self.assertRegex(result.out, r"2 kernels; 1 cannot launch; none spills; what binds: warps 1\n\Z")

    def test_kernels_of_several_architectures_on_another_name_their_own(self):
        log = entry("k", "sm_80", 32) + entry("k", "sm_90a", 32)
        out = program.run("kernels", "--on", "sm_120", given=log.encode()).out
        self.assertRegex(out, r"(?m)^.* sm_80 .* k$")
        self.assertRegex(out, r"(?m)^.* sm_90a .* k$")

    def test_what_holds_no_kernel_is_named_and_the_others_are_reported(self):
        (self.folder / "good.txt").write_text(entry("k", "sm_80", 32))
        (self.folder / "empty.txt").write_text("")
        (self.folder / "notes.txt").write_text("no kernel here\n")
        (self.folder / "x.ncu-rep").write_bytes(b"NVR\0")
        (self.folder / "x.sqlite").write_bytes(b"SQLite format 3\0")
        (self.folder / "x.o").write_bytes(b"\x7fELF\2\1\1")
        (self.folder / "utf16.txt").write_bytes(LOG.encode("utf-16"))
        (self.folder / "log.gz").write_bytes(b"\x1f\x8b\x08\0\0\0")
        (self.folder / "own.csv").write_text("arch,threads_per_block\nsm_80,64\n")
        for name, said in [("utf16.txt", "iconv"), ("log.gz", "zcat log.gz"), ("own.csv", "occcalc --from own.csv"),
                           ("empty.txt", "is empty"), ("notes.txt", "looked for GPU binaries, ptxas -v"), ("gone.txt", "cannot be read"),
                           ("x.ncu-rep", "ncu --csv --page raw --print-units base --import x.ncu-rep"),
                           ("x.sqlite", "nsys stats -r cuda_gpu_trace -f csv x.sqlite"), ("x.o", "no GPU code found")]:
            with self.subTest(name=name):
                self.assert_refused(["kernels", name], name, said)
                both = program.run("kernels", name, "good.txt", "--get", "kernel", folder=self.folder)
                self.assertEqual((both.status, both.out), (2, "k\n"))
                self.assert_error_line(both.err, name, said)
        self.assert_refused(["kernels"], "standard input", "is empty")

    def test_a_filter_that_leaves_nothing_says_so_and_meets_no_gate(self):
        for words, others in ((["-k", "renamed"], ""), (["--arch", "sm_90"], "; there are some for sm_80, sm_90a"),
                              (["--limited-by", "barriers"], "")):
            with self.subTest(words=words):
                free = program.run("kernels", *words, "--csv", given=LOG.encode())
                self.assertEqual((free.status, free.out.count("\n"), free.err), (0, 1, f"occcalc: note: no kernel matches{others}\n"))
                gated = program.run("kernels", *words, "--require-no-spills", given=LOG.encode())
                self.assertEqual((gated.status, gated.err), (1, f"occcalc: not met: no kernel matches{others}\n"))

    def test_options_are_refused_before_the_input_is_read_and_nothing_is_written(self):
        kept = self.folder / "kept.json"
        kept.write_text("kept")
        for words in (["--require-occupancy", "50"], ["--target-occupancy", "50", "--json"], ["-k", "("], ["-k", r"(a)\1"],
                      ["--limited-by", "foo"], ["--on", "foo"], ["--arch", "foo"], ["--block", "0"], ["--sort", "foo"],
                      ["--smem-dynamic", "x"], ["--suggest-block", "--sms", "x", "--json"], ["-o", "none/x.csv"]):
            with self.subTest(words=words):
                # Nobody writes to standard input: a program that reads it first would not end.
                reader, writer = os.pipe()
                try:
                    result = program.run_command([program.PATH, "kernels", "-o", "kept.json", *words] if "-o" not in words
                                                 else [program.PATH, "kernels", *words], folder=self.folder, given=None,
                                                 stdin=reader)
                finally:
                    os.close(reader)
                    os.close(writer)
                self.assert_error(result)
                self.assertEqual(kept.read_text(), "kept")

    def test_a_pattern_takes_bounded_time_on_any_name(self):
        log = entry("a" * 3000 + "b", "sm_80", 20)
        for pattern, matches in [("b$", 1), ("a$", 0), ("(a+)+$", 0), ("a*a*a*c", 0), (".*.*.*.*c", 0)]:
            with self.subTest(pattern=pattern):
                result = program.run("kernels", "-k", pattern, "--get", "arch", given=log.encode())
                self.assertEqual((result.status, result.out.count("\n")), (0, matches))

    def test_a_log_and_a_profile_in_one_stream_are_both_read(self):
        profile = ('"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size",'
                   '"Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"\n"0","1","app","host","copy",'
                   '"1","7","(64, 1, 1)","(80, 1, 1)","0","8.0","S","Registers Per Thread","register/thread","16"\n')
        for log in ("one\0two\n" + LOG + profile, profile + LOG):
            names = self.kernels("--get", "kernel", log=log).split()
            self.assertEqual(sorted(names), sorted(["_Z4gemmPfi", "softmax", "_Z4normIfEvPT_", "softmax", "copy"]))

    def test_tee_shows_the_input_as_it_comes(self):
        reader, writer = os.pipe()
        with subprocess.Popen([program.PATH, "kernels", "--tee", "--get", "kernel"], stdin=reader, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as running:
            os.close(reader)
            os.write(writer, b"building\n")
            self.assertEqual(running.stderr.readline(), b"building\n")  # though the input goes on
            os.write(writer, entry("k", "sm_80", 20).encode())
            os.close(writer)
            self.assertEqual(running.communicate()[0], b"k\n")

    def test_a_log_that_names_no_architecture_needs_one(self):
        log = ("nvlink info    : Function properties for 'f2':\n"
               "nvlink info    : used 10 registers, used 1 barriers, 0 stack, 1424 bytes smem, 536 bytes cmem[0], 0 bytes lmem\n")
        self.assert_refused(["kernels"], "names no architecture", "--arch sm_90", given=log.encode())
        for arch, bytes_ in [("sm_90", "400"), ("sm_80", "1424")]:
            self.assertEqual(self.rows("--arch", arch, log=log)[0]["static_shared_memory"], bytes_)

    def test_standard_input_is_read_once_and_a_name_is_no_empty_word(self):
        self.assert_refused(["kernels", "-", "-"], "can be read once")
        self.assert_refused(["kernels", "--arch-file", "-"], "can be read once")
        self.assert_refused(["kernels", ""], "empty file name")

    def test_an_unknown_architecture_is_named(self):
        log = entry("k", "sm_20", 20) + entry("k", "sm_80", 20)
        result = program.run("kernels", "--get", "arch", given=log.encode())
        self.assertEqual((result.status, result.out), (2, "sm_80\n"))
        self.assert_error_line(result.err, "'sm_20'")

    def test_tee_copies_the_input(self):
        log = "warning: something\n" + LOG
        result = program.run("kernels", "--tee", "--get", "kernel", given=log.encode())
        self.assertEqual((result.status, result.err), (0, log))

    def test_the_examples_are_what_their_chapter_says(self):
        rows = {row["name"].split("(")[0]: row for row in csv.DictReader(io.StringIO(self.answer(
            "kernels", str(EXAMPLES / "matmul-sm_80.txt"), "--block", "16x16", "--csv")))}
        self.assertEqual({name: (row["occupancy"], int(row["spill_stores"]) > 0) for name, row in rows.items()},
                         {"matmul_plain": ("1", False), "matmul_4x4": ("0.75", False), "matmul_8x8": ("0.25", False),
                          "matmul_8x8_bounded": ("0.5", True)})

    def test_what_a_profiler_reports_stands_beside_ours_and_differences_are_explained(self):
        header = ('"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size",'
                  '"Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"\n')

        def export(unit, limit, config=None):
            metrics = [("Registers Per Thread", "register/thread", "32"), ("Dynamic Shared Memory Per Block", *unit),
                       ("Static Shared Memory Per Block", "byte/block", "0"), ("Block Limit Registers", "block", "8"),
                       ("Block Limit Shared Mem", "block", limit), ("Block Limit Warps", "block", "8"),
                       ("Duration", "us", "12.5"), ("Achieved Occupancy", "%", "62.5"),
                       *([("Shared Memory Configuration Size", "byte", config)] if config else [])]
            return header + "".join(f'"0","1","app","host","gemm(float *)","1","7","(256, 1, 1)","(80, 1, 1)","0","8.0","S",'
                                    f'"{name}","{of}","{value}"\n' for name, of, value in metrics)

        for log, difference in [(export(("byte/block", "8192"), "18"), ""), (export(("byte/block", "8192"), "7"), "carveout"),
                                (export(("byte/block", "8192"), "7", "65536"), ""),
                                (export(("Kbyte/block", "8.19"), "8", "65536"), "rounded"),
                                (export(("byte/block", "8192"), "8", "65536"), "differs")]:
            with self.subTest(difference=difference):
                row = self.rows(log=log)[0]
                self.assertEqual([row[field] for field in ("difference", "block_source", "threads_per_block", "duration_ns",
                                                           "achieved_occupancy", "reported_limit_registers", "grid")],
                                 [difference, "input", "256", "12500", "0.625", "8", "80x1x1"])
                self.assertIn(difference + ": " if difference else " same ", self.kernels(log=log))
                self.assertEqual(self.rows("--block", "64", log=log)[0]["difference"], "option")

    def test_names_are_escaped(self):
        log = entry("_Z1k\x1b[31m\"x\",|y", "sm_80", 20)
        self.assertNotIn("\x1b", self.kernels(log=log) + self.kernels("--format", "markdown", log=log))
        self.assertEqual(self.rows(log=log)[0]["kernel"], json.loads(self.kernels("--json", log=log))[0]["kernel"])


if __name__ == "__main__":
    unittest.main()
