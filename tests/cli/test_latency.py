"""Would more warps hide more latency: --latency, --bytes-in-flight, --ilp."""

import json
import unittest

import program

A100 = ["--gpu", "a100 sxm4 40gb", "--regs", "40", "--block", "256"]  # 48 warps


class Latency(program.ProgramTest):
    def latency(self, *words):
        return json.loads(self.answer(*words, "--json"))["latency"]

    def test_a_newcomer_needs_no_parameter(self):
        latency = self.latency(*A100, "--latency")
        self.assertEqual(latency["bytes_in_flight_per_sm"], 5617)  # 1555.2 GB/s / 1.41 GHz / 108 x 550 cycles
        self.assertEqual([(need["bytes_in_flight_per_thread"], need["warps_to_cover_memory"], need["covered"])
                          for need in latency["usual_needs"]], [(4, 44, True), (16, 11, True), (64, 3, True)])
        self.assertEqual((latency["warps_to_cover_memory"], latency["covered"]), (None, None))
        self.assertEqual((latency["warps_per_scheduler_to_cover_arithmetic"], latency["warps_to_cover_arithmetic"],
                          latency["arithmetic_covered"], latency["estimate"]), (2, 8, True, True))
        text = self.answer(*A100, "--latency")
        self.assertRegex(text, r"(?m)^ +4 B +44 +48 +covered$")
        self.assertIn("5,617 B in flight per SM keep 1555.2 GB/s busy", text)

    def test_one_answer_says_what_is_short(self):
        for size, said in [("64", "3 warps cover it, 48 are resident: more occupancy will not help while load raises that "
                                  "latency to no more than 16 times."),
                           ("4", "44 warps cover it, 48 are resident: more occupancy will not help unless load raises that "
                                 "latency.")]:
            self.assertIn(f"With {size} B in flight per thread {said}",
                          " ".join(self.answer(*A100, "--bytes-in-flight", size).split()))
        few = [*A100[:2], "--regs", "255", "--block", "256"]  # 8 warps
        self.assertIn("With 16 B in flight per thread 11 warps cover it, 8 are resident: short of 3 warps.",
                      " ".join(self.answer(*few, "--bytes-in-flight", "16").split()))
        self.assertEqual(self.latency(*few, "--bytes-in-flight", "16")["covered"], False)
        self.assertIn("71 warps would cover it, more than the 64 that an SM holds",
                      " ".join(self.answer("--gpu", "h100 sxm5", "--block", "256", "--bytes-in-flight", "4").split()))

    def test_independent_work_divides_the_warps(self):
        for arch, ilp, warps in [("sm_90", "1", 16), ("sm_90", "4", 4), ("sm_90", "3", 8), ("sm_80", "1", 8),
                                 ("sm_75", "2", 4), ("sm_70", "100", 4)]:
            with self.subTest(arch=arch, ilp=ilp):
                self.assertEqual(self.latency("--arch", arch, "--block", "256", "--ilp", ilp)["warps_to_cover_arithmetic"],
                                 warps)

    def test_what_was_not_measured_is_unknown(self):
        thor = self.answer("--gpu", "jetson agx thor", "--block", "256", "--latency")
        self.assertIn("Memory: unknown for sm_110", thor)
        self.assertIn("Arithmetic: unknown for sm_110", thor)
        latency = self.latency("--gpu", "jetson agx thor", "--block", "256", "--bytes-in-flight", "16")
        self.assertEqual([latency[key] for key in ("bytes_in_flight_per_sm", "warps_to_cover_memory", "covered",
                                                   "warps_to_cover_arithmetic")], [None] * 4)
        self.assertIn("no source for bandwidth", self.answer("--gpu", "b300", "--block", "256", "--latency"))
        self.assertIn("--gpu names a product", self.answer("--arch", "sm_90", "--block", "256", "--ilp", "2"))

    def test_every_number_has_a_source(self):
        sources = self.latency("--gpu", "h100 sxm5", "--block", "256", "--latency")["sources"]
        self.assertEqual([source.split(":")[0] for source in sources],
                         ["3352.32 GB/s, 1980 MHz, 132 SMs", "DRAM latency 700 cycles", "FMA latency 4 cycles",
                          "FMA issue 1 cycles a warp"])
        self.assertIn("commit d916a39", sources[1])  # that product was measured itself
        sources = self.latency("--gpu", "h200 sxm", "--block", "256", "--latency")["sources"]
        self.assertIn("GH200, 680 to 689", sources[1])  # its architecture was

    def test_the_sources_of_a_file_are_told_however_they_are_written(self):
        product = {"name": "Mine", "compute_capability": "8.0", "sm_count": 5, "boost_mhz": 1000,
                   "mem_bandwidth_gbs": 100, "dram_latency_cycles": 400}
        path = self.folder / "mine.json"
        for texts, expected in [(["a", "b"], ["a; b", "a; b"]), (["a", "b (DRAM latency)"], ["a", "b (DRAM latency)"])]:
            path.write_text(json.dumps(product | {"sources": texts}))
            told = self.latency("--gpu", "mine", "--gpu-file", str(path), "--block", "256", "--latency")["sources"]
            self.assertEqual([source.split(": ")[1] for source in told[:2]], expected)

    def test_rows_of_sweeps_and_kernels_have_it(self):
        self.assertEqual(self.answer(*A100[:2], "--regs", "40,255", "--block", "256", "--bytes-in-flight", "16", "--get",
                                     "warps_to_cover_memory,covered,warps_to_cover_arithmetic"),
                         "11\ttrue\t8\n11\tfalse\t8\n")
        log = ("ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
               "ptxas info    : Used 40 registers, used 1 barriers\n").encode()
        words = ["kernels", *A100[:2], "--block", "256", "--bytes-in-flight", "16"]
        self.assertEqual(program.run(*words, "--get", "covered", given=log).out, "true\n")
        self.assertIn("more occupancy", program.run(*words, "--report", given=log).out)

    def test_what_means_nothing_is_refused(self):
        for option, values in [("--bytes-in-flight", ("0", "-4", "", "4,8", "lots")), ("--ilp", ("0", "1025", "1.5", "1,2"))]:
            for value in values:
                with self.subTest(option=option, value=value):
                    self.assert_refused([*A100, option, value], option)
        for option in ("--latency", "--bytes-in-flight=16"):
            self.assert_refused(["--arch", "sm_80", "--block", "256", option], option.split("=")[0], "--gpu")


if __name__ == "__main__":
    unittest.main()
