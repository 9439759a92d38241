"""The questions: cliffs, budget, targets, block sizes, the working. Their numbers are held against single runs."""

import json
import unittest

import program
from program import EXAMPLE


def field(words, name="active_blocks_per_sm"):
    return program.run(*words, "--get", name).out.strip()


class Questions(program.ProgramTest):
    def asked(self, *words):
        return json.loads(self.answer(*words, "--json"))

    def test_a_plain_report_has_cliffs_and_no_answers_that_nobody_asked_for(self):
        answer = self.asked(*EXAMPLE)
        self.assertIn("cliffs", answer)
        self.assertIsNone(answer["joint_cliff"])
        for key in ("budget", "target", "block_sizes", "staircases", "explain", "remedies"):
            self.assertNotIn(key, answer)

    def test_a_cliff_is_what_a_run_at_its_value_answers(self):
        option = {"registers_per_thread": "--regs", "shared_memory": "--smem", "threads_per_block": "--block"}
        for cliff in self.asked(*EXAMPLE)["cliffs"]:
            if cliff["input"] not in option:
                continue
            words = list(EXAMPLE)
            words[words.index(option[cliff["input"]]) + 1] = str(cliff["value"])
            with self.subTest(cliff=cliff):
                self.assertEqual(field(words), str(cliff["active_blocks_per_sm"]))
                self.assertEqual(field(words, "active_warps_per_sm"), str(cliff["active_warps_per_sm"]))

    def test_a_budget_row_holds_at_its_values_and_not_one_further(self):
        for row in self.asked(*EXAMPLE, "--budget")["budget"]:
            blocks, regs, smem = (row[key] for key in
                                  ("active_blocks_per_sm", "max_registers_per_thread", "max_dynamic_shared_memory"))
            base = ["--block", "256", "--arch", "sm_80"]
            with self.subTest(blocks=blocks):
                self.assertGreaterEqual(int(field([*base, "--regs", str(regs), "--smem", str(smem)])), blocks)
                self.assertLess(int(field([*base, "--regs", str(regs), "--smem", str(smem + 1)])), blocks)
                if regs < 255:
                    self.assertLess(int(field([*base, "--regs", str(regs + 1)])), blocks)

    def test_one_row_is_current(self):
        budget = self.asked(*EXAMPLE, "--budget")["budget"]
        self.assertEqual([row["active_blocks_per_sm"] for row in budget if row["current"]], [6])
        self.assertEqual([row["active_blocks_per_sm"] for row in budget], list(range(1, 9)))

    def test_a_target_names_the_missing_changes_and_the_padding(self):
        target = self.asked(*EXAMPLE, "--target-occupancy", "100%")["target"]
        self.assertEqual(target["changes"], [{"input": "registers_per_thread", "from": 40, "to": 32, "change": -8}])
        self.assertIsNone(target["padding_shared_memory"])
        padding = self.asked(*EXAMPLE, "--target-blocks", "1")["target"]["padding_shared_memory"]
        words = ["--regs", "40", "--block", "256", "--arch", "sm_80", "--smem"]
        self.assertEqual(field([*words, str(8192 + padding)]), "1")
        self.assertEqual(field([*words, str(8192 + padding - 1)]), "2")

    def test_a_target_beyond_the_slots_is_not_reachable_and_says_why(self):
        target = self.asked(*EXAMPLE, "--target-blocks", "9")["target"]
        self.assertEqual((target["reachable"], target["limiters"], target["changes"]), (False, ["warps"], []))

    def test_an_impossible_launch_says_what_would_make_it_possible(self):
        answer = self.asked("--regs", "162", "--block", "512", "--arch", "sm_89")
        self.assertEqual([(change["input"], change["to"]) for change in answer["remedies"]["changes"]],
                         [("registers_per_thread", 128), ("threads_per_block", 384)])
        self.assertFalse(answer["remedies"]["together"])

    def test_block_sizes_are_ranked_and_need_no_block(self):
        answer = self.asked("--regs", "40", "--arch", "sm_80", "--suggest-block", "--sms", "108")
        warps = [size["active_warps_per_sm"] for size in answer["block_sizes"]]
        self.assertEqual(warps, sorted(warps, reverse=True))
        self.assertEqual(answer["block_sizes"][0]["threads_per_block"], 768)  # what the CUDA API chooses
        for size in answer["block_sizes"]:
            self.assertEqual(size["min_grid_blocks"], 108 * size["active_blocks_per_sm"])
        self.assertEqual(answer["threads_per_block"], 256)

    def test_memory_that_grows_with_the_block_is_searched_with_it(self):
        sizes = self.asked("--regs", "32", "--arch", "sm_89", "--suggest-block", "--smem-per-thread", "100")["block_sizes"]
        for size in sizes[:5]:
            words = ["--regs", "32", "--arch", "sm_89", "--smem-per-thread", "100", "--block",
                     str(size["threads_per_block"])]
            self.assertEqual(field(words), str(size["active_blocks_per_sm"]))

    def test_where_no_block_size_launches_the_list_is_empty(self):
        answer = self.asked("--regs", "40", "--smem", "1M", "--arch", "sm_80", "--suggest-block")
        self.assertEqual(answer["block_sizes"], [])
        self.assertFalse(answer["launchable"])

    def test_the_working_ends_with_the_occupancy_and_names_its_documents(self):
        steps = self.asked(*EXAMPLE, "--explain")["explain"]
        self.assertEqual(steps[-1]["value"], 0.75)
        self.assertTrue(all(step["document"] for step in steps))
        self.assertTrue(any("51 warps" in step["text"] for step in steps))

    def test_every_question_fits_a_terminal(self):
        for words in (["--budget"], ["--budget", "--barriers", "3"], ["--cliffs"], ["--explain"], ["--target-blocks", "8"],
                      ["--suggest-block", "--sms", "108"]):
            with self.subTest(words=words):
                self.assert_columns(self.answer(*EXAMPLE, *words))

    def test_what_is_to_be_pasted_into_code_has_no_separators(self):
        self.assertIn("__launch_bounds__(1024)", self.answer("--arch", "sm_90", "--regs", "65", "--block", "1024"))

    def test_an_unknown_number_of_registers_is_part_of_the_target(self):
        answer = self.answer("--arch", "sm_80", "--block", "256", "--target-blocks", "8")
        self.assertIn("registers: not given; 32 or fewer", answer)

    def test_the_figure_of_a_report_is_a_target_that_it_meets(self):
        answer = self.asked("--regs", "64", "--block", "256", "--arch", "sm_89", "--target-occupancy", "66.67%")
        self.assertEqual(answer["target"]["active_blocks_per_sm"], 4)

    def test_the_working_names_the_check_that_fails(self):
        for words, text in [(["--regs", "300", "--block", "32"], "300 > 255"), (["--regs", "40", "--block", "2048"], "2,048 > 1,024"),
                            (["--regs", "65", "--block", "1024"], "65,536 per block: 0 blocks"),
                            (["--regs", "40", "--block", "1x1x65"], "dimension")]:
            with self.subTest(words=words):
                self.assertIn(text, self.answer(*words, "--arch", "sm_80", "--explain"))

    def test_questions_that_mean_nothing_are_refused(self):
        for words, named in [(["--target-blocks", "0"], "--target-blocks"), (["--target-blocks", "x"], "--target-blocks"),
                             (["--target-occupancy", "50"], "write 50%"), (["--sms", "0"], "--sms"),
                             (["--target-blocks", "2", "--target-occupancy", "50%"], "give one target"),
                             (["--csv", "--cliffs"], "--cliffs"), (["--sms", "108"], "--suggest-block"),
                             (["--budget", "4"], "--budget")]:
            with self.subTest(words=words):
                self.assert_refused([*EXAMPLE, *words], named)


if __name__ == "__main__":
    unittest.main()
