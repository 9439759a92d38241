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
                    if "achieved_occupancy_pct" in expected:  # measured, of blocks that need not be equal
                        self.assertLess(expected["achieved_occupancy_pct"],
                                        100 * waves["achieved_occupancy_bound"] + 0.5)
                    compared += 1
        self.assertEqual(compared, 24)  # all that state a grid and the number of SMs

    def test_a_second_wave_is_told(self):
        text = self.answer("--arch", "sm_80", "--sms", "16", "--regs", "32", "--block", "1024", "--grid", "40")
        self.assertIn("40 blocks on 16 SMs, 32 at a time", text)
        self.assertIn("1.25 waves, 1 full one, then 8 blocks where 32 fit, 8 SMs have none of them.", text)
        self.assertIn("Blocks take 62.5 % of the room in these waves", text)
        self.assertIn("without a tail: 32 or 64. A persistent kernel would launch 32.", " ".join(text.split()))

    def test_a_gpu_that_is_named_tells_how_many_blocks_it_holds(self):
        text = self.answer("--gpu", "a100", "--regs", "40", "--block", "256")
        self.assertIn("108 SMs (a100) hold 648 blocks at a time, the grid of a persistent kernel.", text)
        self.assertNotIn("at a time", self.answer("--gpu", "h100", "--regs", "40", "--block", "256"))  # 114 SMs or 132
        self.assertNotIn("at a time", self.answer("--gpu", "a100", "--regs", "255", "--block", "1024"))

    def test_what_was_achieved_belongs_to_its_own_launch(self):
        words = ["kernels", self.profile("18.2", "0.21"), "--report"]
        self.assertIn("Achieved 55 %", self.answer(*words))
        for other in (["--grid", "648"], ["--block", "128"]):
            with self.subTest(other=other):
                self.assertNotIn("Achieved", self.answer(*words, *other))

    def test_rows_that_name_their_gpu_take_grids_and_clusters_of_the_options(self):
        rows = self.folder / "rows.csv"
        rows.write_text("gpu,threads_per_block,registers_per_thread\nh200 sxm,256,40\na100,256,40\n")
        self.assertEqual(self.answer("--from", "rows.csv", "--grid", "648", "--get", "waves_per_sm"),
                         f"{648 / 792}\n1\n")
        rows.write_text("arch,threads_per_block\nsm_80,256\n")
        self.assert_refused(["--from", "rows.csv", "--grid", "648"], "--grid", "--gpu")

    def test_rows_whose_gpu_may_be_several_say_so_where_these_differ(self):
        (self.folder / "rows.csv").write_text("gpu,threads_per_block\na100,256\n")
        self.assertEqual(self.answer("--from", "rows.csv", "--grid", "648", "--get", "sm_count"), "108\n")
        for text, words, said in [("gpu,threads_per_block\na100,256\n", ["--latency"], "A100 PCIe 40GB (1555 GB/s"),
                                  ("gpu,threads_per_block,grid\nh100,256,100\n", [], "H100 PCIe (114 SMs)")]:
            (self.folder / "rows.csv").write_text(text)
            result = program.run("--from", "rows.csv", "--csv", *words, folder=self.folder)
            self.assertEqual((result.status, result.out), (2, ""))
            self.assert_error_line(result.err, "rows.csv:2: gpu", said)

    def test_a_field_that_is_nearly_known_is_named_first(self):
        words = ["--gpu", "a100", "--regs", "40", "--block", "256", "--grid", "100"]
        self.assert_refused([*words, "--get", "waves"], "--get", "'waves'; did you mean waves_per_sm, full_waves?")
        self.assert_refused([*words, "--sort", "ocupancy"], "--sort", "did you mean occupancy?")
        self.assert_refused([*words, "--get", "x" * 100_000], "--get", "accepted: ")

    def test_what_a_full_wave_achieves_leaves_nothing_to_explain(self):
        for achieved in ("75%", "75.0001%", "74.9999%"):
            text = self.answer("--gpu", "a100", "--regs", "40", "--block", "256", "--grid", "648", "--achieved", achieved)
            self.assertIn("Achieved 75 %: that of a full wave.", text)

    def test_sms_of_the_options_hold_for_rows_that_name_their_gpu(self):
        fields = ["--get", "gpu,sm_count,max_active_clusters,is_bound,blocks_per_wave"]
        for head, row in [("gpu", "h100 sxm5"), ("gpu,sm_count", "h100 sxm5,20")]:
            (self.folder / "rows.csv").write_text(f"{head},threads_per_block,registers_per_thread,cluster,grid\n"
                                                  f"{row},256,40,2,64\n")
            for words in (["--sms", "10"], ["--sms", "10", "--gpcs", "7,3"]):
                with self.subTest(head=head, words=words):
                    alone = self.answer("--gpu", "h100 sxm5", "--sms", "10", *(["--gpcs", "7,3"] if "--gpcs" in words else []),
                                        "--block", "256", "--regs", "40", "--cluster", "2", "--grid", "64", *fields)
                    self.assertEqual(self.answer("--from", "rows.csv", *words, *fields), alone)
            result = program.run("--from", "rows.csv", "--sms", "200", "--csv", folder=self.folder)
            self.assertEqual((result.status, result.out), (2, ""))
            self.assert_error_line(result.err, "--sms", "more than the 132 SMs")

    def test_the_working_goes_on_to_the_waves(self):
        words = ["--gpu", "a100", "--regs", "40", "--block", "256", "--explain", "--grid"]
        text = " ".join(self.answer(*words, "700").split())
        for step in ("108 SMs x 6 blocks = 648 blocks a wave", "700 blocks / 648 = 1.08025 waves: 1 full, 52 blocks in the last",
                     "room that blocks take: 700 / (2 waves x 648) = 54.01 %",
                     "average over the launch: 54.01 % x the 75 % of a full wave = 40.51 %"):
            self.assertIn(step, text)
        steps = json.loads(self.answer(*words, "700", "--json"))["explain"]
        self.assertEqual(steps[-1]["value"], 700 / 1296 * 0.75)
        bound = ["--arch", "sm_90", "--sms", "132", "--regs", "168", "--block", "384", "--cluster", "8", "--grid", "800", "--explain"]
        text = " ".join(self.answer(*bound).split())
        self.assertIn("16 clusters x 8 blocks = 128 blocks at a time, at most", text)
        self.assertIn("800 blocks / 128 = 6.25 waves, or more", text)

    def test_waves_that_explain_all_of_the_gap_leave_no_rest(self):
        text = self.answer("--gpu", "a100", "--regs", "40", "--block", "256", "--grid", "700", "--achieved", "54.69%")
        self.assertIn("The waves explain them all.", " ".join(text.split()))

    def test_a_full_wave_has_nothing_to_mend(self):
        text = self.answer("--gpu", "a100", "--regs", "40", "--block", "256", "--grid", "648")
        self.assertIn("1.00 waves, each of them full.", text)
        self.assertNotIn("grid-stride", text)

    def test_what_was_achieved_is_compared_with_what_waves_allow(self):
        words = ["--arch", "sm_80", "--sms", "16", "--regs", "32", "--block", "1024", "--grid", "40", "--achieved"]
        text = " ".join(self.answer(*words, "50%").split())
        self.assertIn("Achieved 50 %: 50 points below the 100 % of a full wave. The waves explain 16.67 points; they do not "
                      "explain the rest, 33.33:", text)
        self.assertIn("is above the 83.33 % of SMs with blocks", self.answer(*words, "0.9"))
        self.assertNotIn("is above", self.answer(*words, "83.33%"))  # as it was printed
        part = ["--arch", "sm_80", "--sms", "16", "--regs", "40", "--block", "256", "--grid", "40", "--achieved"]
        self.assertIn("is above the 75 % of a full wave", self.answer(*part, "80%"))
        self.assert_refused([*part, "80%", "--csv"], "--achieved", "--json")
        self.assert_refused([*part[:-2], "40,50", "--achieved", "80%"], "--achieved", "--json")

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

    def test_a_gpu_selects_the_kernels_that_run_there_natively(self):
        log = "".join(f"ptxas info    : Compiling entry function '{name}' for '{arch}'\n"
                      "ptxas info    : Used 40 registers, used 1 barriers\n"
                      for name, arch in (("old", "sm_80"), ("new", "sm_90"), ("special", "sm_90a"))).encode()

        def kernels(*words):
            out = program.run("kernels", "--block", "256", "--get", "kernel,arch,gpu,sm_count", *words, given=log).out
            return [line.split("\t") for line in out.splitlines()]
        self.assertEqual(kernels("--gpu", "h100 pcie"), [["new", "sm_90", "H100 PCIe", "114"],
                                                         ["special", "sm_90a", "H100 PCIe", "114"]])
        self.assertEqual(kernels("--gpu", "h100 pcie", "--arch", "sm_80"), [["old", "sm_90", "H100 PCIe", "114"]])
        self.assertEqual(len(kernels("--gpu", "h100 pcie", "--on", "9.0")), 3)
        self.assertIn("--on evaluates those on the GPU", program.run("kernels", "--gpu", "rtx 4090", given=log).err)
        self.assertIn("need the number of SMs", program.run("kernels", "--grid", "100", given=log).out)
        for words, named in ((["--gpu", "a100,h200"], "--gpu"), (["--gpu", "a100", "--on", "sm_90"], "--on"), (["--gpu", "a100", "--sms", "109"], "--sms"),
                             (["--grid", "8,16", "--sms", "4"], "--grid"), (["--gpu", "h100", "--grid", "8"], "--gpu"),
                             (["--latency"], "--gpu")):
            with self.subTest(words=words):
                result = program.run("kernels", *words, given=log)
                self.assert_error(result, named)

    def test_the_grid_and_the_sms_of_a_profile_have_waves(self):
        """As Nsight Compute prints them, with its own number of SMs and its own grid."""
        words = ["kernels", self.profile("18.2", "0.21"), "--get",
                 "sm_count,grid,waves_per_sm,average_occupancy_bound,achieved_occupancy,reported_waves"]
        self.assertEqual(self.answer(*words), "132\t2048x2x1\t5.171717171717172\t0.6464646464646465\t0.55\t5.17\n")
        self.assertEqual(self.answer(*words, "--gpu", "h200 sxm", "--grid", "792"),
                         "132\t792x1x1\t1\t0.75\t0.55\t5.17\n")
        self.assertRegex(self.answer("kernels", words[1]), r"(?s)waves  at most  achieved.* 5\.17 +64\.6 % +55\.0 %")
        text = " ".join(self.answer("kernels", words[1], "--report").split())
        self.assertIn("4,096 blocks on 132 SMs, 792 at a time", text)
        self.assertIn("Achieved 55 %: 20 points below the 75 % of a full wave", text)

    def test_a_tail_that_costs_nothing_needs_no_mending(self):
        text = self.answer("--gpu", "a100", "--regs", "40", "--block", "256", "--grid", "1000000")
        self.assertIn("less than 1 % of that room empty: nothing to mend", text)
        self.assertNotIn("grid-stride", text)
        self.assertIn("0.995 waves", self.answer("--gpu", "a100", "--regs", "40", "--block", "256", "--grid", "645"))

    def test_what_a_profile_says_of_stalls_is_told(self):
        for stalled, eligible, expected in [
                ("18.2", "0.21", "0.21 eligible warps a scheduler; 91 % of the 20 cycles between two instructions of a "
                                 "warp it waits for memory (long scoreboard): schedulers run dry while most warps wait "
                                 "for memory, the one sign that more occupancy can help."),
                ("2", "0.5", "10 % of the 20 cycles", ), ("18.2", "3.1", "more occupancy will not help")]:
            with self.subTest(stalled=stalled, eligible=eligible):
                path = self.profile(stalled, eligible)
                self.assertIn(expected, " ".join(self.answer("kernels", path, "--report").split()))
                self.assertEqual(self.answer("kernels", path, "--get", "eligible_warps_per_scheduler,"
                                             "warp_cycles_per_issue,long_scoreboard_cycles"),
                                 f"{eligible}\t20\t{stalled}\n")

    def profile(self, stalled, eligible):
        rows = [("Launch Statistics", "Registers Per Thread", "register/thread", "40"),
                ("Launch Statistics", "Dynamic Shared Memory Per Block", "byte/block", "0"),
                ("Launch Statistics", "Static Shared Memory Per Block", "byte/block", "0"),
                ("Launch Statistics", "# SMs", "SM", "132"), ("Launch Statistics", "Waves Per SM", "", "5.17"),
                ("Occupancy", "Theoretical Occupancy", "%", "75"), ("Occupancy", "Achieved Occupancy", "%", "55"),
                ("Scheduler Statistics", "Eligible Warps Per Scheduler", "warp", eligible),
                ("Warp State Statistics", "Warp Cycles Per Issued Instruction", "cycle", "20"),
                ("Warp State Statistics", "Stall Long Scoreboard", "inst", stalled)]
        path = self.folder / "ncu.csv"
        path.write_text('"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size",'
                        '"Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"\n' +
                        "".join('"0","42","app","127.0.0.1","k","1","7","(256, 1, 1)","(2048, 2, 1)","0","9.0",' +
                                ",".join(f'"{cell}"' for cell in row) + "\n" for row in rows))
        return str(path)

    def test_lists_of_grids_and_gpus_give_a_row_each(self):
        rows = self.answer("--gpu", "a100,h200 sxm", "--regs", "40", "--block", "128,256", "--grid", "1000,20x20,8:16:8",
                           "--get", "gpu,sm_count,threads_per_block,grid,grid_blocks,blocks_per_wave").splitlines()
        self.assertEqual(len(rows), 2 * 2 * 4)
        self.assertEqual(rows[1], "a100\t108\t128\t20x20x1\t400\t1296")
        self.assertEqual(rows[-1], "H200 SXM\t132\t256\t16x1x1\t16\t792")
        words = ["--gpu", "a100", "--regs", "40", "--block", "256", "--grid", "100:2000:100"]
        self.assertEqual(self.answer(*words, "--sort", "average_occupancy_bound:desc", "--top", "1", "--get", "grid"),
                         "1900x1x1\n")
        for grids in ("9:8", "8,8", "4x4,4x4", "4x4:8", "8:16:0", ",8"):
            with self.subTest(grids=grids):
                self.assert_refused([*words[:-1], grids], "--grid")
        self.assert_refused([*words[:-1], "1:2147483647:1", "--cluster", "1:2147483647:1"], "10^12")

    def test_dimensions_are_sorted_by_their_product(self):
        words = ["--gpu", "a100", "--block", "256", "--grid", "1000,16x16,8,4x100,96", "--get", "grid", "--sort"]
        self.assertEqual(self.answer(*words, "grid").split(), ["8x1x1", "96x1x1", "16x16x1", "4x100x1", "1000x1x1"])

    def test_a_table_of_grids_names_the_fullest(self):
        table = self.answer("--gpu", "a100", "--regs", "40", "--block", "256", "--grid", "600,648,700")
        self.assertRegex(table, r"(?m)^ +648 +6 +75\.00 % +1\.00 +0 +75\.00 % +registers$")
        self.assertIn("Best: 75 % on average over the launch at 648.", table)

    def test_every_gpu_gives_a_row(self):
        rows = self.answer("--gpu", "all", "--block", "256", "--regs", "32", "--grid", "1000", "--get",
                           "gpu,sm_count,waves_per_sm").splitlines()
        self.assertEqual(len(rows), len(json.loads(self.answer("gpus", "--json"))) - 1)  # one has no architecture
        self.assertIn("A10G\t\t", rows)  # nobody says how many SMs it has

    def test_rows_of_ones_own_have_grids(self):
        (self.folder / "rows.csv").write_text("arch,threads_per_block,registers_per_thread,grid,efficiency\n"
                                              "sm_80,256,40,700,mine\nsm_80,256,40,8x8,\n")
        words = ["--from", "rows.csv", "--get", "grid,waves_per_sm"]
        self.assertEqual(self.answer(*words, "--sms", "108"), "700x1x1\t1.0802469135802468\n8x8x1\t0.09876543209876543\n")
        without = program.run("--from", "rows.csv", "--get", "grid,efficiency", folder=self.folder)
        self.assertEqual((without.status, without.out), (0, "700\tmine\n8x8\t\n"))
        self.assertEqual(without.err, "occcalc: note: rows.csv: the column 'grid' is passed through; it is an input where "
                                      "--gpu or --sms says what it runs on\n")
        (self.folder / "more.csv").write_text("arch,threads_per_block,registers_per_thread,grid\nsm_80,256,40,700\n"
                                              "sm_80,256,40,\n")
        table = self.answer("--from", "more.csv", "--sms", "108").splitlines()
        self.assertRegex(table[5], r"^ +6 +75\.00 % +- +- +- +registers$")
        self.assertIn("Best: 40.51 % on average over the launch", table[7])
        own = self.answer("--from", "rows.csv", "--sms", "108", "--format", "jsonl")
        (self.folder / "own.jsonl").write_text(own)
        self.assertEqual(self.answer("--from", "own.jsonl", "--sms", "108", "--format", "jsonl"), own)
        words = ["--gpu", "h100 sxm5", "--regs", "168", "--block", "384", "--grid", "1000,2000", "--cluster", "8"]
        for form in ("csv", "jsonl"):
            with self.subTest(form=form):
                made = self.answer(*words, "--format", form)
                (self.folder / "own").write_text(made)
                self.assertEqual(self.answer("--from", "own", "--format", form), made)
                self.assertEqual(self.answer("--from", "own", "--gpu", "b200", "--get", "gpu,waves_per_sm"),
                                 self.answer("--gpu", "b200", *words[2:], "--get", "gpu,waves_per_sm"))
        (self.folder / "latency.csv").write_text("gpu,threads_per_block,registers_per_thread\nH200 SXM,256,40\n")
        self.assertEqual(self.answer("--from", "latency.csv", "--bytes-in-flight", "16", "--get", "warps_to_cover_memory"),
                         self.answer("--gpu", "h200 sxm", "--block", "256", "--bytes-in-flight", "16", "--get",
                                     "warps_to_cover_memory"))
        (self.folder / "gpus.csv").write_text("gpu,threads_per_block,sm_count,grid\nrtx 4090,256,,100\nH100 PCIe,256,50,100\n")
        self.assertEqual(self.answer("--from", "gpus.csv", "--get", "gpu,arch,sm_count,blocks_per_wave"),
                         "GeForce RTX 4090\tsm_89\t128\t768\nH100 PCIe\tsm_90\t50\t400\n")
        (self.folder / "rows.csv").write_text("arch,threads_per_block,grid\nsm_80,256,0x1\n")
        self.assert_error(program.run("--from", "rows.csv", "--sms", "8", "--csv", folder=self.folder), "rows.csv:2: grid")

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
        self.assert_refused(["--gpu", "a100", "--block", "256", "--latency"], "--gpu", "A100 PCIe 40GB (1555 GB/s, 1410 MHz",
                            "name one of them")
        self.assert_refused(["--gpu", "l4,l4", "--block", "256"], "--gpu", "'l4'", "stands twice")

    def test_what_is_missing_is_asked_for(self):
        block = ["--block", "256"]
        self.assert_refused(["--arch", "sm_80", *block, "--grid", "10"], "--grid", "--gpu", "--sms")
        self.assert_refused(["--gpu", "a100", "--arch", "sm_80", *block], "--gpu", "--arch")
        self.assert_refused(["--gpu", "b100", *block], "--gpu", "B100", "unknown")
        self.assert_refused(["--gpu", "a10g", *block, "--grid", "10"], "--gpu", "A10G", "--sms")
        self.assert_refused(["--gpu", "voodoo", *block], "--gpu", "'voodoo'")
        self.assert_refused(["--arch", "sm_80", *block, "--sms", "108"], "--sms", "--grid")
        self.assert_refused(["--arch", "sm_80", *block, "--achieved", "50%"], "--achieved", "--grid")
        self.assert_refused(["--arch", "sm_90", *block, "--cluster", "8"], "--cluster", "--gpu", "--sms")
        self.assert_refused(["--gpu", "a100", *block, "--gpcs", "54,54"], "--gpcs", "--cluster")

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
