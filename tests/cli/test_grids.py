"""A grid on a whole GPU: --gpu, --grid, --sms, --achieved."""

import json
import os
import pathlib
import unittest

import program

CASES = pathlib.Path(os.environ["OCCCALC_SOURCE"]) / "tests" / "cases" / "reported.jsonl"


class Grids(program.ProgramTest):
    def waves(self, *words):
        return json.loads(self.answer(*words, "--json"))["waves"]

    def test_waves_that_profilers_reported_are_ours(self):
        """As Nsight Compute rounds them, to two decimals."""
        compared = 0
        for line in CASES.read_text().splitlines():
            case = json.loads(line)
            other, expected = case.get("other", {}), case.get("expected", {})
            if case.get("arch", "").startswith("sm_") and "waves_per_sm" in expected and {"grid", "sms"} <= other.keys():
                words = ["--arch", case["arch"], "--block", str(case["block"]), "--regs", str(case["regs"]),
                         "--smem-static", str(case.get("static_smem") or 0),
                         "--smem-dynamic", str(case.get("dynamic_smem") or 0),
                         "--grid", str(other["grid"]), "--sms", str(other["sms"])]
                words += ["--carveout", str(other["smem_config_bytes"])] if other.get("smem_config_bytes") else []
                with self.subTest(case=case["id"]):
                    waves = self.waves(*words)
                    self.assertEqual(waves["blocks_per_wave"], expected["blocks_per_sm"] * other["sms"])
                    self.assertAlmostEqual(waves["waves"], expected["waves_per_sm"], delta=0.006)
                    compared += 1
        self.assertEqual(compared, 24)  # all that state a grid and the number of SMs

    def test_a_second_wave_is_told(self):
        text = self.answer("--arch", "sm_80", "--sms", "16", "--regs", "32", "--block", "1024", "--grid", "40")
        self.assertIn("40 blocks on 16 SMs, 32 at a time", text)
        self.assertIn("1.25 waves, 1 full one, then 8 blocks where 32 fit, 8 SMs have none of them.", text)
        self.assertIn("62.5 % of the SM time", text)
        self.assertIn("32 or 64; of a persistent kernel 32", text)

    def test_a_full_wave_has_nothing_to_mend(self):
        text = self.answer("--gpu", "a100", "--regs", "40", "--block", "256", "--grid", "648")
        self.assertIn("1.00 waves, each of them full.", text)
        self.assertNotIn("mends", text)

    def test_what_was_achieved_is_compared_with_what_waves_allow(self):
        words = ["--arch", "sm_80", "--sms", "16", "--regs", "32", "--block", "1024", "--grid", "40", "--achieved"]
        text = " ".join(self.answer(*words, "50%").split())
        self.assertIn("Achieved 50 %: 50 points below the 100 % of a full wave. The waves explain 37.5 points; the rest, "
                      "12.5, is", text)
        self.assertIn("is above that bound", self.answer(*words, "0.7"))

    def test_dimensions_multiply_and_have_limits(self):
        words = ["--arch", "sm_80", "--sms", "108", "--block", "256", "--grid"]
        self.assertEqual(self.waves(*words, "100x8x4")["grid_blocks"], 3200)
        self.assertEqual(self.waves(*words, "2147483647x65535x65535")["grid_blocks"], 9223090559730712575)
        for grid in ("0", "2147483648", "1x65536", "1x1x65536", "1x1x1x1", "-1", "1e3", "4x", "x"):
            with self.subTest(grid=grid):
                self.assert_refused([*words, grid], "--grid", "65535")

    def test_each_row_of_a_sweep_has_its_waves(self):
        rows = json.loads(self.answer("--gpu", "a100", "--regs", "40", "--block", "128,256", "--grid", "1000", "--json"))
        self.assertEqual([row["waves"]["blocks_per_wave"] for row in rows], [12 * 108, 6 * 108])

    def test_a_kernel_of_an_input_has_waves_too(self):
        log = ("ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
               "ptxas info    : Used 40 registers, used 1 barriers\n")
        out = program.run("kernels", "--block", "256", "--grid", "1000", "--sms", "108", "--json", given=log.encode()).out
        self.assertEqual(json.loads(out)[0]["waves"]["waves"], 1000 / 648)

    def test_a_gpu_sets_the_architecture_and_the_number_of_sms(self):
        self.assertEqual(self.answer("--gpu", "h100", "--block", "256", "--regs", "40", "--get", "arch,occupancy"),
                         "sm_90\t0.75\n")
        self.assertEqual(self.waves("--gpu", "rtx 4090", "--block", "256", "--grid", "10")["sm_count"], 128)
        self.assertEqual(self.waves("--gpu", "h100", "--sms", "52", "--block", "256", "--grid", "10")["sm_count"], 52)
        self.assertEqual(self.answer("--gpu", "a100,h100", "--block", "256", "--get", "arch"), "sm_80\nsm_90\n")

    def test_a_name_for_several_gpus_must_agree_on_what_is_asked(self):
        self.assert_refused(["--gpu", "h100", "--block", "256", "--grid", "10"], "--gpu", "H100 PCIe (114 SMs)",
                            "H100 SXM5 80GB (132 SMs)")
        self.assert_refused(["--gpu", "titan x", "--block", "256"], "--gpu", "sm_52", "sm_61")
        self.assert_refused(["--gpu", "a100,rtx 4090", "--block", "256", "--grid", "10"], "--gpu", "different numbers")

    def test_what_is_missing_is_asked_for(self):
        block = ["--block", "256"]
        self.assert_refused(["--arch", "sm_80", *block, "--grid", "10"], "--grid", "--gpu", "--sms")
        self.assert_refused(["--gpu", "a100", "--arch", "sm_80", *block], "--gpu", "--arch")
        self.assert_refused(["--gpu", "b100", *block], "--gpu", "B100", "unknown")
        self.assert_refused(["--gpu", "a10g", *block, "--grid", "10"], "--gpu", "A10G", "--sms")
        self.assert_refused(["--gpu", "voodoo", *block], "--gpu", "'voodoo'")
        self.assert_refused(["--arch", "sm_80", *block, "--sms", "108"], "--sms", "--grid")
        self.assert_refused(["--arch", "sm_80", *block, "--achieved", "50%"], "--achieved", "--grid")
        self.assert_refused(["--gpu", "a100", *block, "--grid", "10", "--csv"], "--grid", "--json")

    def test_a_file_of_products_is_for_a_name(self):
        (self.folder / "mine.json").write_text('{"name": "Mine", "compute_capability": "9.0", "sm_count": 52}')
        words = ["--gpu-file", str(self.folder / "mine.json"), "--block", "256"]
        self.assertEqual(self.waves(*words, "--gpu", "mine", "--grid", "10")["sm_count"], 52)
        self.assert_refused([*words, "--arch", "sm_80"], "--gpu-file", "--gpu")
        self.assert_refused(["--gpu", "a100", "--gpu-file", "-", "--arch-file", "-", "--block", "256"], "standard input")

    def test_where_nothing_launches_there_are_no_waves(self):
        self.assertIsNone(self.waves("--gpu", "a100", "--regs", "255", "--block", "1024", "--grid", "10"))


if __name__ == "__main__":
    unittest.main()
