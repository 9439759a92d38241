"""Sweeps: lists and ranges on every input, the same numbers as single runs in every format."""

import csv
import io
import itertools
import json
import unittest

import program

AXES = ["--regs", "32,40:56:8", "--block", "64:192:64,16x16", "--arch", "sm_80,sm_120", "--smem", "0,8K", "--carveout",
        "default,max-l1"]


def rows_of(words):
    return list(csv.DictReader(io.StringIO(program.run(*words, "--csv").out)))


class Sweeps(program.ProgramTest):
    def test_rows_are_the_product_in_the_stated_order(self):
        rows = rows_of(AXES)
        wanted = itertools.product(["sm_80", "sm_120"], ["64", "128", "192", "256"], ["32", "40", "48", "56"], ["0", "8192"],
                                   range(2))
        self.assertEqual([(row["arch"], row["threads_per_block"], row["registers_per_thread"], row["dynamic_shared_memory"])
                          for row in rows], [tuple(row[:4]) for row in wanted])

    def test_a_row_is_the_single_run(self):
        for row in rows_of(AXES)[::7]:
            single = ["--arch", row["arch"], "--block", row["threads_per_block"], "--regs", row["registers_per_thread"],
                      "--smem", row["dynamic_shared_memory"], "--carveout", str(row["shared_memory_per_sm"])]
            with self.subTest(row=row):
                alone = rows_of(single)[0]
                self.assertEqual({**alone, "arch": row["arch"]}, row)

    def test_list_syntax_makes_an_array_even_with_one_row(self):
        self.assertIsInstance(json.loads(self.answer("--arch", "sm_80", "--block", "64:64", "--json")), list)
        self.assertIsInstance(json.loads(self.answer("--arch", "sm_80", "--block", "64", "--json")), dict)

    def test_ranges_at_their_edges(self):
        for text, count in [("32:1024", 32), ("all", 32), ("1:1024:1", 1024), ("32:100", 3), ("64:64", 1), ("32:128:96", 2)]:
            with self.subTest(text=text):
                self.assertEqual(len(rows_of(["--arch", "sm_80", "--block", text])), count)
        self.assertEqual(len(rows_of(["--arch", "sm_80", "--block", "32", "--regs", "0:255"])), 256)
        self.assertEqual(len(rows_of(["--arch", "sm_80", "--block", "32", "--smem", "0:48K"])), 49)
        self.assertEqual(len(rows_of(["--arch", "sm_80", "--block", "32", "--carveout", "all"])), 8)

    def test_a_repeated_option_appends(self):
        self.assertEqual(len(rows_of(["--arch", "sm_80", "--block", "64", "--block", "128", "--block=256"])), 3)

    def test_all_is_every_real_part_and_those_of_the_users_files(self):
        own = self.folder / "own.json"
        own.write_text('{"name": "mine", "based_on": "sm_80"}')
        names = [row["arch"] for row in rows_of(["--arch", "all", "--block", "64"])]
        self.assertEqual(len(names), 26)
        self.assertNotIn("textbook", names)
        more = [row["arch"] for row in rows_of(["--arch", "all", "--block", "64", "--arch-file", str(own)])]
        self.assertEqual(more, names + ["mine"])

    def test_bad_lists_are_refused_with_the_next_step(self):
        for words, named in [(["--block", "1:1024"], "32:1024, or 1:1024:1"), (["--block", "16,16"], "16x16"),
                             (["--block", "512:64"], "64:512"), (["--block", "64,,128"], "empty part"),
                             (["--block", "64,"], "empty part"), (["--block", "64:128:0"], "--block"),
                             (["--block", "1:2:3:4"], "FIRST:LAST"), (["--block", "64:"], "--block"),
                             (["--block", "16x16:32"], "--block"), (["--block", "64", "--regs", "1:x"], "--regs"),
                             (["--block", "64", "--arch", "80"], "twice"), (["--block", "64", "--regs", "1:9,4"], "twice"),
                             (["--block", "64,128", "--carveout", "64K,64K"], "twice"),
                             (["--block", "64", "--barriers", "0:17"], "--barriers"),
                             (["--block", "1:2147483647:1", "--regs", "0:255", "--barriers", "0:16"], "10^12"),
                             (["--block", "64,128", "--sort", "banana"], "banana"),
                             (["--block", "64,128", "--budget"], "--json")]:
            with self.subTest(words=words):
                self.assert_refused(["--arch", "sm_80", *words], named)

    def test_sort_and_top(self):
        words = ["--arch", "sm_80", "--regs", "40", "--block", "all"]
        values = [float(row["occupancy"]) for row in rows_of([*words, "--sort", "occupancy:desc"])]
        self.assertEqual(values, sorted(values, reverse=True))
        self.assertEqual(len(values), 32)
        best = rows_of([*words, "--sort", "occupancy:desc", "--top", "3"])
        self.assertEqual([row["threads_per_block"] for row in best], ["64", "96", "128"])
        self.assertEqual(len(rows_of([*words, "--top", "5"])), 5)

    def test_gates_name_the_first_rows_that_fail(self):
        result = program.run("--arch", "sm_80", "--block", "64:512:64", "--regs", "40", "--require-occupancy", "75%", "--csv")
        self.assertEqual(result.status, 1)
        self.assertEqual(len(result.out.splitlines()), 9)
        self.assertEqual(result.err.count("\n"), 1)
        self.assertIn("2 of 8 rows, the first sm_80 block 320", result.err)

    def test_the_field_to_sort_by_is_checked_for_one_configuration_too(self):
        self.assert_refused(["--arch", "sm_80", "--block", "64", "--sort", "nothing"], "--sort")

    def test_each_gate_names_its_own_rows(self):
        result = program.run("--arch", "sm_80", "--regs", "40,128", "--block", "256,1024", "--require-launch",
                             "--require-occupancy", "60%", "--csv")
        launch, occupancy = result.err.splitlines()
        self.assertRegex(launch, r"--require-launch: 1 of 4 rows, the first sm_80 block 1024 regs 128 smem 0 \(0 %\)\Z")
        self.assertRegex(occupancy, r"60 %: 3 of 4 rows, the first sm_80 block 256 regs 128 .*; .* 1024 regs 40 ")

    def test_what_cannot_launch_meets_no_occupancy(self):
        words = ["--arch", "sm_80", "--block", "2048", "--require-occupancy", "0.004%"]
        self.assertEqual(program.run(*words).status, 1)

    def test_many_rows_keep_their_order_on_all_cores(self):
        text = program.run("--arch", "sm_80,sm_90", "--block", "all", "--regs", "1:255", "--smem", "0:9K", "--get",
                           "arch,threads_per_block,registers_per_thread,dynamic_shared_memory").out
        lines = text.splitlines()
        self.assertEqual(len(lines), 2 * 32 * 255 * 10)
        wanted = ("\t".join(map(str, row)) for row in itertools.product(
            ["sm_80", "sm_90"], range(32, 1025, 32), range(1, 256), range(0, 9217, 1024)))
        self.assertTrue(all(a == b for a, b in zip(lines, wanted)))

    def test_the_table_tells_constants_once_and_names_the_best(self):
        answer = self.answer("--regs", "40", "--smem", "8K", "--block", "64:512:64", "--arch", "sm_80")
        self.assert_columns(answer)
        self.assertTrue(answer.startswith("sm_80, 40 registers, 8,192 B shared memory, carveout 164 KB; full = 64 warps\n"))
        self.assertIn("Best: 75 % at 128, 192, 256, 384, 512.", answer)
        across = self.answer("--regs", "40", "--smem", "100K", "--block", "256", "--arch", "sm_90,sm_120")
        self.assertIn("short of 1,024 B", across)

    def test_questions_are_answered_for_each_row_in_json(self):
        for row in json.loads(self.answer("--regs", "32,40", "--block", "256", "--arch", "80", "--budget", "--json")):
            self.assertEqual(len(row["budget"]), 8)


if __name__ == "__main__":
    unittest.main()
