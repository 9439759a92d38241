"""Clusters on a whole GPU: --cluster, --gpcs."""

import json
import unittest

import program

HOPPER = ["--arch", "sm_90", "--regs", "168", "--block", "384"]  # one block per SM
UNEVEN = ["--gpcs", "18,18,18,18,18,18,16,8"]


class Clusters(program.ProgramTest):
    def clusters(self, *words):
        return json.loads(self.answer(*words, "--json"))["clusters"]

    def test_whole_clusters_fill_each_gpc(self):
        self.assertEqual(self.clusters(*HOPPER, "--cluster", "8", *UNEVEN),
                         {"cluster_blocks": 8, "max_active_clusters": 15, "is_bound": False, "usable_sms": 120,
                          "cluster_occupancy": 120 / 132, "gpu_occupancy": 120 / 132 * 12 / 64})
        self.assertEqual(self.clusters(*HOPPER, "--cluster", "2x2x2", *UNEVEN)["max_active_clusters"], 15)
        text = " ".join(self.answer(*HOPPER, "--cluster", "8", *UNEVEN).split())
        self.assertIn("Clusters of 8 blocks on 132 SMs: 15 at a time 120 of the 132 blocks that fit without clusters "
                      "(90.91 %); 12 SMs are left over", text)
        self.assertNotIn("at most", text)

    def test_without_a_layout_it_is_a_bound_and_says_so(self):
        for words in (["--sms", "132"], []):
            arch = HOPPER if words else ["--gpu", "h100 sxm", *HOPPER[2:]]
            with self.subTest(words=words):
                clusters = self.clusters(*arch, *words, "--cluster", "8")
                self.assertEqual((clusters["is_bound"], clusters["max_active_clusters"]), (True, 16))
        text = " ".join(self.answer(*HOPPER, "--sms", "132", "--cluster", "8").split())
        self.assertIn("at most 16 at a time", text)
        self.assertIn("An upper bound: the SMs of each GPC are not known", text)

    def test_the_layout_of_a_product_is_used_where_it_was_measured(self):
        (self.folder / "mine.json").write_text(json.dumps(
            {"name": "Mine", "compute_capability": "9.0", "sm_count": 52, "gpcs": [16, 18, 18]}))
        words = ["--gpu-file", "mine.json", "--gpu", "mine", *HOPPER[2:], "--cluster", "16"]
        self.assertEqual(self.clusters(*words)["max_active_clusters"], 3)
        self.assertFalse(self.clusters(*words)["is_bound"])
        self.assertTrue(self.clusters(*words, "--sms", "40")["is_bound"])  # which of its SMs, nobody says

    def test_sizes_above_the_portable_one_need_an_opt_in_or_are_unknown(self):
        def codes(arch, size):
            answer = json.loads(self.answer("--arch", arch, "--block", "128", "--regs", "32", "--sms", "100", "--cluster",
                                            size, "--json"))
            return [note["code"] for note in answer["notes"] if note["code"].startswith("cluster")]
        self.assertEqual(codes("sm_90", "8"), [])
        self.assertEqual(codes("sm_90", "16"), ["cluster_opt_in"])
        self.assertEqual(codes("sm_110", "16"), ["cluster_unknown"])
        self.assertIn("whether sm_110 accepts clusters of 16 blocks is unknown",
                      self.answer("--arch", "sm_110", "--block", "128", "--sms", "20", "--cluster", "16").replace("\n  ", " "))

    def test_what_cannot_launch_is_an_answer_with_its_reason(self):
        for arch, words, reason, said in [
                ("sm_90", ["--cluster", "32", "--sms", "132"], "cluster_size", "32 blocks > 16"),
                ("sm_80", ["--cluster", "2", "--sms", "108"], "cluster_size", "sm_80 has no clusters"),
                ("sm_90", ["--cluster", "8", "--sms", "132", "--grid", "100"], "cluster_grid_x",
                 "100 is no multiple of the cluster's 8: 96 or 104 would be"),
                ("sm_90", ["--cluster", "2x2", "--sms", "132", "--grid", "8x9"], "cluster_grid_y", "8 or 10 would be"),
                ("sm_90", ["--cluster", "16", *UNEVEN[:1], "15,15"], "cluster_per_gpc",
                 "more than the 15 that the largest GPC can hold")]:
            with self.subTest(words=words):
                words = ["--arch", arch, *HOPPER[2:], *words]
                answer = json.loads(self.answer(*words, "--json"))
                self.assertEqual([r["code"] for r in answer["reasons"]], [reason])
                self.assertEqual((answer["launchable"], answer["active_blocks_per_sm"], answer["clusters"]),
                                 (False, 0, None))
                self.assertIn(said, " ".join(self.answer(*words).split()))

    def test_waves_are_those_of_the_clusters(self):
        waves = json.loads(self.answer(*HOPPER, "--cluster", "8", *UNEVEN, "--grid", "200", "--json"))["waves"]
        self.assertEqual((waves["blocks_per_wave"], waves["tail_blocks"], waves["larger_grid"]), (120, 80, 240))

    def test_waves_of_clusters_whose_layout_is_unknown_are_bounds(self):
        words = [*HOPPER, "--sms", "132", "--grid", "800", "--cluster"]
        answer = json.loads(self.answer(*words, "8", "--json"))
        waves = answer["waves"]
        for member in ("full_waves", "tail_blocks", "idle_sms", "efficiency", "smaller_grid", "larger_grid"):
            self.assertIsNone(waves[member], member)
        self.assertEqual((waves["blocks_per_wave"], waves["waves"]), (128, 6.25))
        # Whatever the layout is, neither average is higher.
        for layout in ("18,18,18,18,18,14,14,14", "17,17,17,17,16,16,16,16", "22,22,22,22,22,22"):
            known = json.loads(self.answer(*HOPPER, "--gpcs", layout, "--grid", "800", "--cluster", "8", "--json"))["waves"]
            for member in ("average_occupancy_bound", "achieved_occupancy_bound"):
                self.assertLessEqual(known[member], waves[member])
        text = " ".join(self.answer(*words, "8").split())
        self.assertIn("At least 6.25 waves; how full the last one is, and which grids leave no tail, is not known", text)
        self.assertNotIn("room in these waves", text)
        self.assertRegex(self.answer(*words, "8,16"), r"(?m)^ *8 .* >=6\.25 +- +<=16\.23 % ")
        self.assertEqual(self.answer(*words, "8", "--get", "full_waves,efficiency,waves_per_sm"), "\t\t6.25\n")

    def test_charts_of_bounds_say_so(self):
        words = [*HOPPER, "--cluster", "1:8"]
        self.assertIn("Occupancy of the whole GPU (at most) against", self.answer(*words, "--sms", "132", "--plot"))
        self.assertNotIn("at most", self.answer(*words, *UNEVEN, "--plot"))

    def test_rows_with_and_without_clusters_are_compared(self):
        (self.folder / "rows.csv").write_text("arch,sm_count,threads_per_block,registers_per_thread,grid,cluster\n"
                                              "sm_90,132,384,168,800,8\nsm_90,132,256,40,792,\n")
        self.assertIn("75 % on average over the launch at 256/40/-/792", self.answer("--from", "rows.csv"))

    def test_a_list_of_clusters_gives_a_row_each(self):
        rows = self.answer(*HOPPER, "--cluster", "1,2,4,8,16,32", "--sms", "132", "--get",
                           "cluster,max_active_clusters,usable_sms,reasons").splitlines()
        self.assertEqual(rows, ["1x1x1\t132\t132\t", "2x1x1\t66\t132\t", "4x1x1\t33\t132\t", "8x1x1\t16\t128\t",
                                "16x1x1\t8\t128\t", "32x1x1\t\t\tcluster_size"])
        rows = self.answer(*HOPPER, "--cluster", "1:4", "--grid", "12,14", "--sms", "132", "--get",
                           "cluster,grid,launchable").splitlines()
        self.assertEqual(len(rows), 8)
        self.assertEqual(rows[-1], "4x1x1\t14x1x1\tfalse")  # a row, not an error
        table = self.answer(*HOPPER, "--cluster", "8,16,32", "--sms", "132")
        self.assertRegex(table, r"(?m)^ +16 +1 +18\.75 % +<=8 +<=18\.18 % +registers$")
        self.assertIn("no launch, cluster size 32 > 16", table)
        self.assertIn("Best, by bounds: 18.18 % of the whole GPU at 8, 16.", table)
        self.assertIn("<= and >= are bounds", table)
        self.assertNotIn("bound", self.answer(*HOPPER, "--cluster", "8,16", *UNEVEN))

    def test_a_kernel_has_the_cluster_that_it_was_compiled_for(self):
        source = ".version 8.0\n.target sm_90\n.visible .entry k() .reqntid 384 .reqnctapercluster 4, 2, 1 { ret; }\n"
        words = ["kernels", "--sms", "132", "--get", "cluster,max_active_clusters"]
        self.assertEqual(program.run(*words, given=source.encode()).out, "4x2x1\t82\n")  # 5 blocks of 12 warps
        words = ["kernels", "--sms", "132", "--cluster", "16", "--get", "reasons,active_blocks_per_sm"]
        self.assertEqual(program.run(*words, given=source.encode()).out, "required_cluster\t0\n")
        words = ["kernels", "--sms", "132", "--cluster", "16", "--report"]
        self.assertIn("compiled for clusters of 4x2 blocks only", program.run(*words, given=source.encode()).out)

    def test_what_means_nothing_is_refused(self):
        words = [*HOPPER, "--sms", "132", "--cluster"]
        for cluster in ("0", "-1", "1e1", "x", "2x", "1x1x1x1", "65536x65536", ""):
            with self.subTest(cluster=cluster):
                self.assert_refused([*words, cluster], "--cluster")
        self.assert_refused([*words, "8", "--grid", "4"], "--cluster", "8x1x1", "4x1x1 of --grid")
        self.assert_refused([*words, "2x4", "--grid", "100x2"], "--cluster", "2x4x1", "100x2x1 of --grid")
        for gpcs, named in (("16,18", "34 SMs together, but --sms is 132"), ("0,132", "'0'"), ("132,", "empty part"),
                            ("66x66", "'66x66'"), ("65536,65536", "131072 SMs together")):
            with self.subTest(gpcs=gpcs):
                self.assert_refused([*words, "8", "--gpcs", gpcs], "--gpcs", named)
        self.assert_refused(["--gpu", "h200 sxm", *HOPPER[2:], "--cluster", "8", "--gpcs", "16,16"], "--gpcs",
                            "H200 SXM has 132")
        for sms in ("0", "-1", "65537", "132x1"):
            with self.subTest(sms=sms):
                self.assert_refused([*HOPPER, "--cluster", "8", "--sms", sms], "--sms")


if __name__ == "__main__":
    unittest.main()
