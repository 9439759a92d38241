"""GPU products: `occcalc gpus`."""

import csv
import io
import json
import os
import pathlib
import unittest

import program

DATA = json.loads((pathlib.Path(os.environ["OCCCALC_SOURCE"]) / "data" / "gpus.json").read_text())["gpus"]

# Our field: the key of the data.
FIELDS = {"gpu": "name", "compute_capability": "compute_capability", "segment": "segment", "sm_count": "sm_count",
          "gpc_count": "gpc_count", "boost_mhz": "boost_mhz", "memory_bandwidth_gbs": "mem_bandwidth_gbs",
          "dram_latency_cycles": "dram_latency_cycles", "l2_cache_mib": "l2_mb", "memory_gb": "memory_gb", "gpus_per_board": "dies_per_board", "aliases": "aliases",
          "sources": "sources", "disagreements": "disagreements", "notes": "notes"}


class Gpus(program.ProgramTest):
    def gpus(self, *words):
        return json.loads(self.answer("gpus", *words, "--json"))

    def names(self, *words):
        return [gpu["gpu"] for gpu in self.gpus(*words)]

    def test_every_product_of_the_data_is_told_as_it_stands_there(self):
        told = [{key: gpu[field] for field, key in FIELDS.items()} for gpu in self.gpus()]
        self.assertEqual(told, [{key: gpu[key] for key in FIELDS.values()} for gpu in DATA])

    def test_csv_says_the_same_and_leaves_the_unknown_empty(self):
        rows = list(csv.DictReader(io.StringIO(self.answer("gpus", "--csv"))))
        self.assertEqual([row["sm_count"] for row in rows],
                         ["" if gpu["sm_count"] is None else str(gpu["sm_count"]) for gpu in DATA])
        self.assertEqual([row["aliases"] for row in rows], ["; ".join(gpu["aliases"]) for gpu in DATA])

    def test_each_product_has_an_architecture_that_is_known(self):
        for gpu in self.gpus():
            if gpu["compute_capability"] is None:
                self.assertEqual((gpu["gpu"], gpu["arch"]), ("B100", None))
            else:
                self.assertEqual(self.answer("archs", gpu["arch"], "--get", "compute_capability").strip(),
                                 gpu["compute_capability"])

    def test_names_are_taken_as_people_and_drivers_write_them(self):
        for name, expected in [("RTX 4090", ["GeForce RTX 4090"]), ("rtx4090", ["GeForce RTX 4090"]),
                               ("NVIDIA GeForce RTX 4090", ["GeForce RTX 4090"]), ("t4", ["Tesla T4"]),
                               ("NVIDIA H100 80GB HBM3", ["H100 SXM5 80GB"]), ("v100s", ["Tesla V100S PCIe 32GB"]),
                               ("4090", ["GeForce RTX 4090"]), ("4090 d", ["GeForce RTX 4090 D"]),
                               ("1080 ti", ["GeForce GTX 1080 Ti"]),
                               ("h100", ["H100 PCIe", "H100 SXM5 80GB", "H100 NVL"]),
                               ("a100 80gb", ["A100 PCIe 80GB", "A100 SXM4 80GB"]), ("gb10", ["GB10 (DGX Spark)"])]:
            with self.subTest(name=name):
                self.assertEqual(self.names(name), expected)
        self.assertEqual(self.names("t4", "NVIDIA T4", "l4"), ["Tesla T4", "L4"])
        self.assertEqual(len(self.names("all")), len(DATA))

    def test_a_name_that_is_unknown_gets_those_that_are_nearly_so(self):
        self.assert_refused(["gpus", "h101"], "'h101'", "H100 PCIe", "--gpu-file")
        self.assert_refused(["gpus", "voodoo"], "'voodoo'", "`occcalc gpus` lists")
        self.assert_refused(["gpus", "!!"], "'!!'")
        self.assert_refused(["gpus", "h10"], "'h10'", "did you mean H100 PCIe")
        for name in ("sm_80", "9.0", "compute_100a"):
            self.assert_refused(["--gpu", name, "--block", "64"], "--gpu", f"'{name}' is an architecture; give --arch {name}")
        self.assert_refused(["gpus", "9999"], "unknown GPU '9999'")

    def test_an_architecture_in_a_file_is_taken_for_the_compute_capability(self):
        path = self.folder / "mine.json"
        path.write_text('[{"gpu": "Mine", "arch": "sm_90", "sm_count": 100}]')
        self.assertEqual(self.answer("gpus", "mine", "--gpu-file", "mine.json", "--get", "compute_capability"), "9.0\n")
        self.assertIn("on sm_90", self.answer("--gpu-file", "mine.json", "--gpu", "mine", "--block", "64"))
        for wrong, said in [('"sm_80", "compute_capability": "9.0"', "not that of compute_capability"),
                            ('"sm_90a"', 'found "sm_90a"'), ('"hopper"', 'found "hopper"'), ("90", "arch")]:
            with self.subTest(wrong=wrong):
                path.write_text('[{"gpu": "Mine", "arch": ' + wrong + "}]")
                self.assert_refused(["gpus", "--gpu-file", "mine.json"], "mine.json", said)

    def test_an_architecture_selects_its_products(self):
        self.assertEqual(set(gpu["arch"] for gpu in self.gpus("--arch", "9.0")), {"sm_90"})
        self.assertEqual(self.names("--arch", "sm_121"), ["GB10 (DGX Spark)"])
        self.assertEqual(self.names("--sort", "sm_count:desc", "--top", "2", "--arch", "sm_120"),
                         ["RTX PRO 6000 Blackwell Max-Q Workstation Edition", "RTX PRO 6000 Blackwell Workstation Edition"])

    def test_the_table_has_the_order_that_is_asked_for(self):
        words = ["--sort", "sm_count:desc", "--top", "4"]
        table = self.answer("gpus", *words).splitlines()
        self.assertEqual([line[:len(name)] for line, name in zip(table[1:5], self.names(*words))], self.names(*words))

    def test_all_are_all_whatever_a_file_calls_them(self):
        (self.folder / "odd.json").write_text(json.dumps([
            {"name": "!!!", "compute_capability": "8.0", "sm_count": 3},
            {"name": "Mine", "compute_capability": "8.0", "sm_count": 5},
            {"name": "NVIDIA Mine", "compute_capability": "8.0", "sm_count": 7},
            {"name": "Of tomorrow", "compute_capability": "99.9", "sm_count": 9}]))
        words = ["--gpu-file", str(self.folder / "odd.json")]
        given = ["--block", "256", "--grid", "1", "--get", "gpu"]
        rows = self.answer("--gpu", "all", *words, *given).splitlines()
        self.assertEqual(rows[-3:], ["!!!", "Mine", "NVIDIA Mine"])  # an unknown architecture has no answer
        self.assertEqual(self.answer("--gpu", "!!!", *words, *given), "!!!\n")
        self.assertEqual(self.answer("gpus", "!!!", *words, "--get", "sm_count"), "3\n")
        for twice in ("all,all", "l4,all", "all,l4"):
            self.assert_refused(["--gpu", twice, "--block", "256"], "--gpu", "stands twice")

    def test_a_file_adds_products_and_replaces_known_ones(self):
        (self.folder / "mine.json").write_text(json.dumps([
            {"name": "Mine", "compute_capability": "9.0", "sm_count": 52, "gpcs": [16, 18, 18]},
            {"name": "tesla t4", "compute_capability": "7.5", "sm_count": 39}]))
        words = ["--gpu-file", str(self.folder / "mine.json"), "--get", "gpu,arch,sm_count"]
        self.assertEqual(self.answer("gpus", "mine", *words), "Mine\tsm_90\t52\n")
        self.assertEqual(self.answer("gpus", "t4", *words), "tesla t4\tsm_75\t39\n")

    def test_what_the_program_prints_it_reads(self):
        (self.folder / "all.json").write_text(self.answer("gpus", "--json"))
        self.assertEqual(self.gpus("--gpu-file", "all.json"), self.gpus())

    def test_what_is_wrong_with_a_file_is_named(self):
        for document, named in [({"name": ""}, "a name"), ({"sm_count": 4}, "name"), ([4], "object"),
                                ({"name": "x", "sm_count": 0}, "sm_count"), ({"name": "x", "sm_count": 1.5}, "sm_count"),
                                ({"name": "x", "boost_mhz": -1}, "boost_mhz"), ({"name": "x", "clock": 1}, "clock"),
                                ({"name": "x", "compute_capability": "nine"}, "compute_capability"),
                                ({"name": "x", "compute_capability": "9.0a"}, "compute_capability"),
                                ({"name": "x", "sm_count": 132, "gpcs": [16, 18]}, "34 SMs"),
                                ({"name": "x", "sm_count": 5, "gpcs": [100000] * 42949 + [67301]}, "4294967301 SMs"),
                                ({"name": "x", "dram_latency_cycles": 0}, "dram_latency_cycles")]:
            with self.subTest(document=document):
                (self.folder / "bad.json").write_text(json.dumps(document))
                self.assert_refused(["gpus", "--gpu-file", "bad.json"], "bad.json", named)
        (self.folder / "bad.json").write_text("{")
        self.assert_refused(["gpus", "--gpu-file", "bad.json"], "bad.json:1")
        self.assert_refused(["gpus", "--gpu-file", "gone.json"], "gone.json")

    def test_the_table_says_what_nobody_knows(self):
        table = self.answer("gpus", "--arch", "sm_90")
        self.assertRegex(table, r"(?m)^H100 NVL +9\.0 +132 +- +1785 +- +- +94$")
        self.assertIn("- no source was found", table)
        self.assertIn("sources", self.answer("gpus", "h100 nvl"))


if __name__ == "__main__":
    unittest.main()
