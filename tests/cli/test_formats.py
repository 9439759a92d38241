"""Sweeps in every format: every field of every row is the same wherever it is written, and as in the single run."""

import csv
import io
import itertools
import json
import math
import random
import re
import shutil
import unittest

import program
from program import configuration
from test_command import FIELDS, as_csv, json_texts

# The axes in the order of the rows. Some rows cannot launch, for one reason or for several.
AXES = {"--arch": ["sm_61", "sm_86", "sm_90a", "sm_120"], "--block": ["64", "16x16", "2x2x128", "1024", "2048"],
        "--regs": ["0", "40", "168", "300"], "--smem-static": ["0", "1000"], "--smem-dynamic": ["0", "8K", "100K"],
        "--barriers": ["1", "16"], "--carveout": ["default", "max-l1", "50%"]}
WITHOUT_REGISTERS = {option: values for option, values in AXES.items() if option != "--regs"}
SWEEPS = [AXES, WITHOUT_REGISTERS]

# What random sweeps are made of.
POOLS = {"--arch": ["sm_30", "sm_37", "sm_52", "sm_61", "sm_70", "sm_75", "sm_80", "sm_89", "sm_90a", "sm_100f",
                    "sm_107", "sm_121", "textbook"],
         "--block": ["1", "32", "65", "16x16", "512", "8x8x8", "768", "1024", "1x1x65", "65536"],
         "--regs": ["0", "1", "32", "40", "63", "64", "128", "255", "256"],
         "--smem-static": ["0", "1", "1.5K", "48K"],
         "--smem-dynamic": ["0", "1", "8K", "19968", "48K", "100K", "227K", "1M"],
         "--barriers": ["0", "1", "2", "5", "16"],
         "--carveout": ["default", "max-l1", "max-shared", "equal", "0%", "33%"]}
CONSTANTS = [[], ["--no-opt-in"], ["--smem-per-thread", "20"], ["--global-caching", "on"], ["--virtual-resources", "3"]]

# The limiters in their order, and how text calls them.
RESOURCES = {"warps": "warp slots", "blocks": "block slots", "registers": "registers", "shared_memory": "shared memory",
             "barriers": "barriers", "virtual_resources": "virtual resources"}

# An option, a list or range, the field it sets, and the values of that field.
RANGES = [
    ("--block", "32:1024", "threads_per_block", range(32, 1025, 32)),
    ("--block", "1:1024:1", "threads_per_block", range(1, 1025)),
    ("--block", "32:100:32", "threads_per_block", [32, 64, 96]),
    ("--block", "64:64", "threads_per_block", [64]),
    ("--block", "7:7:1000", "threads_per_block", [7]),
    ("--block", "32:128:32,256", "threads_per_block", [32, 64, 96, 128, 256]),
    ("--block", "256,32:96,8x2,16", "threads_per_block", [256, 32, 64, 96, 16, 16]),
    ("--block", "2147483616:2147483647", "threads_per_block", [2147483616]),
    ("--regs", "0:255", "registers_per_thread", range(256)),
    ("--regs", "255,0:6:3,7", "registers_per_thread", [255, 0, 3, 6, 7]),
    ("--regs", "2147483646:2147483647", "registers_per_thread", [2147483646, 2147483647]),
    ("--regs", "0:2147483647:2147483647", "registers_per_thread", [0, 2147483647]),
    ("--smem", "0:96K:32K", "dynamic_shared_memory", [0, 32768, 65536, 98304]),
    ("--smem", "0:2100", "dynamic_shared_memory", [0, 1024, 2048]),
    ("--smem-dynamic", "0.5K:1.5K:512", "dynamic_shared_memory", [512, 1024, 1536]),
    ("--smem-static", "1K:1050:8", "static_shared_memory", [1024, 1032, 1040, 1048]),
    ("--smem", f"{2**63 - 3}:{2**63 - 1}:2", "dynamic_shared_memory", [2**63 - 3, 2**63 - 1]),
    ("--smem", f"1:{2**63 - 1}:{2**63 - 1}", "dynamic_shared_memory", [1]),
    ("--barriers", "0:16", "barriers", range(17)),
    ("--barriers", "16,1:15:7", "barriers", [16, 1, 8, 15]),
]

MALFORMED = [("--block", text) for text in [",64", ",", ":", "32:", ":64", "32:64:", "::", ":::", "32::64", "64:all",
                                            "32:64:-1", "0:64", "32:64:2147483648", "32 : 64", "32-64", "64;128"]]
MALFORMED += [("--regs", text) for text in [",", "1,,2", ":", "0:", ":9", "0:9:", "0:9:0", "0:2147483648", "all"]]
MALFORMED += [("--smem", text) for text in ["1K,", "0:", ":8K", "0:8K:", "0:8K:0", "0:8:K", f"0:{2**63}", "all"]]
MALFORMED += [("--barriers", text) for text in ["1,", "0:", "0:16:0", "all"]]
MALFORMED += [("--arch", text) for text in ["sm_80,", ",sm_80", "sm_80:sm_90", "all,sm_81"]]
MALFORMED += [("--carveout", text) for text in ["64K,", "64K:100K", "default,,max-l1", "64K,65K"]]

TWICE = [("--block", "32:64,64:128"), ("--block", "64,all"), ("--block", "16x16,16x16x1"), ("--block", "1:9:4,2:8:3"),
         ("--regs", "0:100000,100000:300000"), ("--smem", "1K,1024"), ("--smem", "0:8K,4K"), ("--smem-static", "0,0"),
         ("--barriers", "1,0:16"), ("--arch", "all,sm_80"), ("--arch", "sm_80,all"), ("--arch", "sm_90a,compute_90a"),
         ("--carveout", "64K,65536"), ("--carveout", "all,64K"), ("--carveout", "64K,all"), ("--carveout", "all,all")]

# Lists, and the number of rows of their product.
TOO_MANY = [("--smem 0:1000000000000:1", 10**12 + 1), ("--regs 0:1000000 --smem 1:1000000:1", 10**12 + 10**6),
            ("--regs 0:2147483647 --block 1:2147483647:1", 2**31 * (2**31 - 1)),
            (f"--smem 0:{2**63 - 1}:1", 2**63), (f"--smem 0:{2**63 - 1}:1 --block 64,96", 2**64),
            (f"--smem 0:{2**62}:1,{2**62 + 1}:{2**63 - 1}:1", 2**63),
            (f"--smem-static 0:{2**63 - 1}:1 --smem-dynamic 0:{2**63 - 1}:1 --regs 0:2147483647", 2**157)]


def words_of(axes):
    return [word for option, values in axes.items() for word in (option, ",".join(values))]


def configurations(axes):
    """The words of each single run, in the order of the rows."""
    return [[word for pair in zip(axes, values) for word in pair] for values in itertools.product(*axes.values())]


def percent(share):
    """With two decimals, halves rounded up."""
    return f"{math.floor(10_000 * float(share) + 0.5) / 100:.2f} %"


def binding(entry):
    """The last column of the table."""
    if entry["launchable"]:
        *others, last = [RESOURCES[limiter] for limiter in entry["limiters"]]
        return f"{', '.join(others)} and {last}" if others else last
    return ", ".join(["no launch", *map(shortage, entry["reasons"])])


def shortage(reason):
    if "memory" in reason["code"]:
        return f"short of {reason['excess']:,} B"
    return f"{reason['code'].replace('_', ' ')} {reason['requested']:,} > {reason['allowed']:,}"


class Formats(program.ProgramTest):
    def rows(self, axes):
        return list(csv.DictReader(io.StringIO(self.answer(*words_of(axes), "--csv"), newline="")))

    def assert_same(self, found, wanted):
        # One by one: the difference of the whole would take minutes to show.
        self.assertEqual(len(found), len(wanted))
        for one, other in zip(found, wanted):
            self.assertEqual(one, other)

    def test_the_rows_compared_here_are_of_every_kind(self):
        rows = self.rows(AXES)
        self.assertEqual(len(rows), len(configurations(AXES)))
        self.assertEqual({row["launchable"] for row in rows}, {"true", "false"})
        for field, texts in [("limiters", {"", "registers", "warps+blocks", "registers+shared_memory"}),
                             ("limit_registers", {"", "0", "1"}), ("limit_barriers", {"", "4"}),
                             ("occupancy", {"0", "1", "0.75", "0.6666666666666666"}),
                             ("reasons", {"", "block_dim_z", "registers_per_thread+registers_per_block"})]:
            self.assertLessEqual(texts, {row[field] for row in rows})
        self.assertEqual({row["registers_per_thread"] for row in self.rows(WITHOUT_REGISTERS)}, {""})

    def test_csv_and_json_hold_the_same_texts(self):
        for axes in SWEEPS:
            with self.subTest(options=list(axes)):
                entries = json_texts(self.answer(*words_of(axes), "--json"))
                texts = [{field: as_csv(entry[field]) for field in FIELDS} for entry in entries]
                self.assert_same(self.rows(axes), texts)

    def test_csv_has_one_line_a_row_that_ends_in_a_line_feed_alone(self):
        text = self.answer(*words_of(AXES), "--csv")
        self.assertEqual(text.count("\n"), len(configurations(AXES)) + 1)
        self.assertTrue(text.endswith("\n"))
        self.assertNotIn("\r", text)

    def test_fractions_are_the_shortest_that_read_back_exactly(self):
        for row in self.rows(AXES):
            value = int(row["active_warps_per_sm"]) / int(row["max_warps_per_sm"])
            self.assertEqual(row["occupancy"], repr(value).removesuffix(".0"))

    def test_the_limiters_are_the_ceilings_that_equal_the_blocks_in_the_stated_order(self):
        for row in self.rows(AXES):
            wanted = [name for name in RESOURCES if row[f"limit_{name}"] == row["active_blocks_per_sm"]]
            self.assertEqual(row["limiters"], "+".join(wanted))

    def test_jsonl_is_one_object_of_the_array_a_line(self):
        for axes in SWEEPS:
            with self.subTest(options=list(axes)):
                lines = self.answer(*words_of(axes), "--format", "jsonl").splitlines()
                array = json_texts(self.answer(*words_of(axes), "--json"))
                self.assert_same([json_texts(line) for line in lines], array)

    def test_markdown_holds_the_cells_of_the_csv(self):
        for axes in SWEEPS:
            with self.subTest(options=list(axes)):
                head, rule, *lines = self.answer(*words_of(axes), "--format", "markdown").splitlines()
                self.assertRegex(rule, rf"\A\|(-+\|){{{len(FIELDS)}}}\Z")
                cells = [[cell.strip() for cell in line.split("|")] for line in [head, *lines]]
                rows = [FIELDS, *(row.values() for row in self.rows(axes))]
                self.assert_same(cells, [["", *row, ""] for row in rows])

    def test_bare_values_are_the_cells_of_the_csv(self):
        for axes in SWEEPS:
            with self.subTest(options=list(axes)):
                lines = self.answer(*words_of(axes), "--get", ",".join(FIELDS)).splitlines()
                self.assert_same([line.split("\t") for line in lines], [list(row.values()) for row in self.rows(axes)])

    def test_a_table_of_columns_holds_the_cells_of_the_csv_in_the_order_asked_for(self):
        for axes in SWEEPS:
            with self.subTest(options=list(axes)):
                asked = FIELDS[::-1]
                lines = self.answer(*words_of(axes), "--columns", ",".join(asked)).splitlines()
                self.assert_same([line.split() for line in lines],
                                 [asked, *([row[field] or "-" for field in asked] for row in self.rows(axes))])
                starts = {tuple(match.start() for match in re.finditer(r"\S+", line)) for line in lines}
                self.assertEqual(len(starts), 1, "the columns are not aligned")

    def test_the_table_agrees_with_the_csv(self):
        for axes in SWEEPS:
            with self.subTest(options=list(axes)):
                table = self.answer(*words_of(axes)).split("\n\n")[-2]  # behind the constants, before the best
                head, *lines = [re.split(r" {2,}", line.replace("#", "").strip()) for line in table.splitlines()]
                self.assertEqual(head[:2], ["arch", "block"])
                self.assertEqual(head[-5:], ["warps/block", "blocks/SM", "warps/SM", "occupancy", "binds"])
                entries = json.loads(self.answer(*words_of(axes), "--json"))
                self.assert_same([cells[:2] + cells[-5:] for cells in lines], [
                    [*words[1:4:2], row["warps_per_block"], row["active_blocks_per_sm"], row["active_warps_per_sm"],
                     percent(row["occupancy"]), binding(entry)]
                    for words, row, entry in zip(configurations(axes), self.rows(axes), entries)])

    @unittest.skipUnless(shutil.which("jq"), "jq was not found")
    def test_jq_reads_what_python_reads(self):
        for axes in SWEEPS:
            with self.subTest(options=list(axes)):
                array = self.answer(*words_of(axes), "--json")
                lines = self.answer(*words_of(axes), "--format", "jsonl")
                for text, query in [(array, ".[]"), (lines, ".")]:
                    read = program.run_command(["jq", "-c", query], given=text.encode())
                    self.assertEqual((read.status, read.err), (0, ""))
                    self.assert_same([json.loads(line) for line in read.out.splitlines()], json.loads(array))
                query = '.[] | [.arch, .limit_registers, (.limiters | join("+")), (.reasons | map(.code) | join("+"))]'
                read = program.run_command(["jq", "-r", query + " | @tsv"], given=array.encode())
                picked = self.answer(*words_of(axes), "--get", "arch,limit_registers,limiters,reasons")
                self.assert_same(read.out.splitlines(), picked.splitlines())


class SingleRuns(program.ProgramTest):
    def test_a_row_of_a_random_sweep_is_the_single_run(self):
        chance = random.Random(2026)
        for _ in range(20):
            axes = {option: chance.sample(pool, chance.randint(2, 3)) for option, pool in POOLS.items()}
            for option in chance.sample(["--regs", "--smem-static", "--barriers"], chance.randint(0, 2)):
                del axes[option]
            constants = chance.choice(CONSTANTS)
            head, *lines = self.answer(*words_of(axes), *constants, "--csv").splitlines()
            entries = json.loads(self.answer(*words_of(axes), *constants, "--json"))
            singles = configurations(axes)
            self.assertEqual((len(lines), len(entries)), (len(singles), len(singles)))
            for index in chance.sample(range(len(singles)), 8):
                words = [*singles[index], *constants]
                with self.subTest(words=words):
                    self.assertEqual(self.answer(*words, "--csv"), f"{head}\n{lines[index]}\n")
                    alone = json.loads(self.answer(*words, "--json"))
                    self.assertEqual({**alone, **entries[index]}, alone)


class Ranges(program.ProgramTest):
    def test_a_range_holds_exactly_its_values_in_the_order_written(self):
        for option, text, field, values in RANGES:
            with self.subTest(option=option, text=text):
                answer = self.answer(*configuration(option, text), "--get", field)
                self.assertEqual(answer, "".join(f"{value}\n" for value in values))

    def test_what_is_no_list_and_no_range_is_refused(self):
        for option, text in MALFORMED:
            with self.subTest(option=option, text=text):
                self.assert_refused(configuration(option, text), f"{option}: ")

    def test_a_reversed_range_is_answered_with_the_right_way_round(self):
        for option, text, right in [("--block", "64:32:16", "32:64"), ("--regs", "9:0", "0:9"),
                                    ("--smem", "8K:0", "0:8K"), ("--smem-static", "2:1:1", "1:2"),
                                    ("--barriers", "3,16:4", "4:16")]:
            with self.subTest(option=option, text=text):
                self.assert_refused(configuration(option, text), option, right)

    def test_the_same_value_twice_is_refused(self):
        for option, text in TWICE:
            with self.subTest(option=option, text=text):
                self.assert_refused([*configuration(option, text), "--top", "1"], f"{option}: ", "twice")
        self.assert_refused([*configuration("--block", "64"), "--block", "32:128"], "--block", "twice")

    def test_too_many_rows_are_refused_with_their_count(self):
        for text, count in TOO_MANY:
            words = ["--arch", "sm_80", *text.split()]
            words += [] if "--block" in words else ["--block", "64"]
            for chosen in ([], ["--csv", "--top", "1"]):
                with self.subTest(words=words, chosen=chosen):
                    result = program.run(*words, *chosen)
                    self.assert_error(result, "10^12")
                    named = re.search(r"([0-9.e+,]*\d) rows", result.err)
                    self.assertEqual(float(named[1].replace(",", "")), float(count))

    def test_the_first_rows_of_the_largest_sweeps_are_answered_at_once(self):
        for words, field, values in [(configuration("--regs", "0:2147483647"), "registers_per_thread", [0, 1, 2]),
                                     (configuration("--smem", "5:1000000000004:1"), "dynamic_shared_memory", [5, 6, 7]),
                                     (["--arch", "80", "--block", "1:1000000:1", "--regs", "0:999999"],
                                      "registers_per_thread", [0, 1, 2])]:
            for chosen in (["--csv", "--columns", field], ["--columns", field]):
                with self.subTest(words=words, chosen=chosen):
                    lines = self.answer(*words, *chosen, "--top", "3").splitlines()
                    self.assertEqual(lines, [field, *map(str, values)])


if __name__ == "__main__":
    unittest.main()
