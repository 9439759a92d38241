"""What the program answers: one configuration in every format, gates, help, and the table of architectures."""

import csv
import io
import json
import pathlib
import unittest

import program
from program import EXAMPLE, configuration, run

# The fields of a configuration in the order of the CSV.
FIELDS = """
    arch threads_per_block warps_per_block registers_per_thread static_shared_memory dynamic_shared_memory barriers
    shared_memory_per_sm active_blocks_per_sm active_warps_per_sm max_warps_per_sm active_threads_per_sm
    max_threads_per_sm occupancy limiters limit_warps limit_blocks limit_registers limit_shared_memory
    limit_barriers limit_virtual_resources allocated_registers_per_block allocated_shared_memory_per_block
    launchable reasons""".split()

ONLY_IN_JSON = ["schema", "compute_capability", "ceilings", "notes"]

OPTIONS = """
    --arch --block --regs --smem --smem-static --smem-dynamic --smem-per-thread --barriers --carveout --no-opt-in
    --arch-file --global-caching --virtual-resources --require-launch --require-occupancy --format --json --csv
    --output -o --columns --get --color --help -h --help-all --version -V""".split()

LARGEST_COUNT = str(2**31 - 1)
LARGEST_SIZE = str(2**63 - 1)

ARCH_SPELLINGS = {
    "sm_80": ["sm_80", "SM_80", "80", "8.0", "compute_80", "Compute_80"],
    "sm_90a": ["sm_90a", "SM_90A", "90a", "9.0a", "compute_90a"],
    "sm_100f": ["sm_100f", "100F", "10.0f"],
    "sm_121": ["sm_121", "121", "12.1"],
    "textbook": ["textbook", "TEXTBOOK"],
}

# An option, a value, and what a field then is.
VALUE_SPELLINGS = [
    ("--smem", "8192", "dynamic_shared_memory", "8192"),
    ("--smem", "8K", "dynamic_shared_memory", "8192"),
    ("--smem", "8kb", "dynamic_shared_memory", "8192"),
    ("--smem", "8KiB", "dynamic_shared_memory", "8192"),
    ("--smem", "1.5K", "dynamic_shared_memory", "1536"),
    ("--smem", "1m", "dynamic_shared_memory", "1048576"),
    ("--smem-dynamic", "1MiB", "dynamic_shared_memory", "1048576"),
    ("--smem-static", "1K", "static_shared_memory", "1024"),
    ("--smem-per-thread", "4", "dynamic_shared_memory", "1024"),
    ("--block", "16x16", "threads_per_block", "256"),
    ("--block", "32x8x4", "threads_per_block", "1024"),
    ("--block", "65", "warps_per_block", "3"),
    ("--barriers", "16", "barriers", "16"),
    ("--carveout", "64K", "shared_memory_per_sm", "65536"),
    ("--carveout", "65536", "shared_memory_per_sm", "65536"),
    ("--carveout", "max-shared", "shared_memory_per_sm", "167936"),
    ("--carveout", "50%", "shared_memory_per_sm", "102400"),
]

TOO_LARGE = [
    (configuration("--regs", LARGEST_COUNT), "registers_per_thread"),
    (configuration("--smem", LARGEST_SIZE), "shared_memory_per_block"),
    ([*configuration("--smem-static", LARGEST_SIZE), "--smem-dynamic", LARGEST_SIZE], "shared_memory_per_block"),
    (configuration("--block", LARGEST_COUNT), "threads_per_block"),
    (configuration("--block", "1x1x65"), "block_dim_z"),
]

VARIED = [EXAMPLE,
          configuration("--regs", "32"),  # warps and registers bind together
          [*configuration("--arch", "sm_86"), "--regs", "60"],  # two thirds: a fraction without an end
          [*configuration("--arch", "sm_120a"), "--regs", "168", "--smem", "64K", "--barriers", "16"],
          configuration("--block", "1x1x65"),  # does not launch, and nothing binds
          [*configuration("--block", LARGEST_COUNT), "--regs", LARGEST_COUNT, "--smem", LARGEST_SIZE]]


def as_csv(value):
    """A value of the JSON as the CSV writes it; numbers are read as their text."""
    if isinstance(value, list):
        return "+".join(as_csv(item) for item in value)
    if isinstance(value, dict):
        return value["code"]
    return {None: "", True: "true", False: "false"}.get(value, value)


def json_texts(text):
    return json.loads(text, parse_int=str, parse_float=str)


class OneConfiguration(program.ProgramTest):
    def test_the_main_example_is_answered_in_its_first_line(self):
        answer = self.answer(*EXAMPLE)
        first = answer.splitlines()[0]
        for part in ["75 %", "sm_80", "6 blocks", "48 of 64 warps", "registers bind"]:
            self.assertIn(part, first)

    def test_the_main_example_fits_a_terminal_and_is_plain_in_a_pipe(self):
        answer = self.answer(*EXAMPLE)
        self.assert_columns(answer)
        self.assertLessEqual(len(answer.splitlines()), 18)
        self.assertNotIn("\x1b", answer)

    def test_without_registers_the_headline_says_at_most(self):
        self.assertTrue(self.answer(*configuration("--smem", "8K")).startswith("at most "))

    def test_every_spelling_of_an_architecture_gives_its_canonical_name(self):
        for name, spellings in ARCH_SPELLINGS.items():
            for spelling in spellings:
                for words in (["--arch", spelling], [f"--arch={spelling}"], [f"-arch={spelling}"], ["-arch", spelling]):
                    with self.subTest(words=words):
                        self.assertEqual(self.answer(*words, "--block", "256", "--get", "arch"), f"{name}\n")

    def test_every_spelling_of_a_value_is_understood(self):
        for option, value, field, read in VALUE_SPELLINGS:
            with self.subTest(option=option, value=value):
                self.assertEqual(self.answer(*configuration(option, value), "--get", field), f"{read}\n")

    def test_zero_is_a_value_where_it_means_something(self):
        for option, value in [("--regs", "0"), ("--smem", "0"), ("--barriers", "0"), ("--carveout", "0%")]:
            with self.subTest(option=option):
                self.assertEqual(self.answer(*configuration(option, value), "--get", "active_blocks_per_sm"), "8\n")

    def test_what_no_sm_can_hold_is_an_answer_with_its_reason(self):
        fields = "active_blocks_per_sm,launchable,reasons"
        for words, reason in TOO_LARGE:
            with self.subTest(words=words):
                blocks, launchable, reasons = self.answer(*words, "--get", fields).split()
                self.assertEqual((blocks, launchable), ("0", "false"))
                self.assertIn(reason, reasons.split("+"))
                self.assertIn("0 blocks per SM", self.answer(*words).splitlines()[0])

    def test_an_architecture_of_the_user_is_read_from_a_file_or_from_standard_input(self):
        content = b'{"name": "mine", "based_on": "sm_80", "limits": {"max_blocks_per_sm": 5}}'
        (self.folder / "mine.json").write_bytes(content)
        for file in ("mine.json", "-"):
            with self.subTest(file=file):
                words = ["--arch-file", file, "--arch", "mine", "--block", "32", "--get", "arch,active_blocks_per_sm"]
                self.assertEqual(self.answer(*words, given=content), "mine\t5\n")


class Formats(program.ProgramTest):
    def test_the_csv_has_exactly_the_fields_in_their_order(self):
        header, row, end = self.answer(*EXAMPLE, "--csv").split("\n")
        self.assertEqual((header.split(","), end), (FIELDS, ""))
        self.assertEqual(len(next(csv.reader([row]))), len(FIELDS))
        self.assertEqual(self.answer(*EXAMPLE, "--format", "CSV"), f"{header}\n{row}\n")

    def test_the_json_is_one_object_with_all_fields(self):
        answer = self.answer(*EXAMPLE, "--json")
        read = json.loads(answer)
        self.assertEqual(set(FIELDS + ONLY_IN_JSON) - set(read), set())
        self.assertEqual((read["schema"], read["compute_capability"]), ("occcalc/1", "8.0"))
        self.assertEqual((read["occupancy"], read["limiters"], read["reasons"]), (0.75, ["registers"], []))
        self.assertEqual(answer, self.answer(*EXAMPLE, "--format", "json"))

    def test_a_ceiling_binds_exactly_when_it_is_among_the_limiters(self):
        for words in VARIED:
            with self.subTest(words=words):
                read = json.loads(self.answer(*words, "--json"))
                binding = [ceiling["resource"] for ceiling in read["ceilings"] if ceiling["binds"]]
                self.assertEqual(binding, read["limiters"])

    def test_every_format_tells_the_same(self):
        for words in VARIED:
            with self.subTest(words=words):
                read = json_texts(self.answer(*words, "--json"))
                row = next(csv.DictReader(io.StringIO(self.answer(*words, "--csv"), newline="")))
                self.assertEqual(row, {field: as_csv(read[field]) for field in FIELDS})
                bare = self.answer(*words, "--get", ",".join(FIELDS))
                self.assertEqual(bare, "\t".join(row.values()) + "\n")
                shown = self.answer(*words, "--columns", ",".join(FIELDS)).splitlines()
                self.assertEqual([line.split() for line in shown], [FIELDS, [text or "-" for text in row.values()]])

    def test_what_is_unknown_is_null_or_empty_and_never_a_number(self):
        words = configuration("--smem", "0")
        unknown = ["registers_per_thread", "limit_registers", "allocated_registers_per_block", "limit_barriers"]
        picked = ["--columns", ",".join(unknown)]
        self.assertEqual(json.loads(self.answer(*words, "--json", *picked)), dict.fromkeys(unknown))
        self.assertEqual(self.answer(*words, "--csv", *picked).splitlines()[1], ",,,")
        self.assertEqual(self.answer(*words, "--get", ",".join(unknown)), "\t\t\t\n")

    def test_columns_are_shown_in_the_order_in_which_they_are_asked_for(self):
        for asked in (["--columns", "occupancy,arch,limiters"], ["--columns=occupancy", "--columns=arch,limiters"]):
            with self.subTest(asked=asked):
                in_csv = self.answer(*EXAMPLE, "--csv", *asked)
                self.assertEqual(in_csv, "occupancy,arch,limiters\n0.75,sm_80,registers\n")
                self.assertEqual(list(json.loads(self.answer(*EXAMPLE, "--json", *asked)).items()),
                                 [("occupancy", 0.75), ("arch", "sm_80"), ("limiters", ["registers"])])
                self.assertEqual([line.split() for line in self.answer(*EXAMPLE, *asked).splitlines()],
                                 [["occupancy", "arch", "limiters"], ["0.75", "sm_80", "registers"]])

    def test_bare_values_are_separated_by_tabs(self):
        self.assertEqual(self.answer(*EXAMPLE, "--get", "limiters,occupancy"), "registers\t0.75\n")


class Gates(program.ProgramTest):
    def test_a_gate_that_is_met_changes_nothing(self):
        for gate in [["--require-launch"], ["--require-occupancy", "75%"], ["--require-occupancy", "0.75"],
                     ["--require-occupancy", "0.5"], ["--require-occupancy", "0"],
                     ["--require-launch", "--require-occupancy", "74.9%"]]:
            with self.subTest(gate=gate):
                self.assertEqual(self.answer(*EXAMPLE, *gate), self.answer(*EXAMPLE))

    def test_a_gate_that_is_missed_gives_status_1_a_line_and_the_report(self):
        tall = configuration("--block", "1x1x65")
        for words, gate in [(EXAMPLE, ["--require-occupancy", "76%"]), (EXAMPLE, ["--require-occupancy", "1"]),
                            ([*EXAMPLE, "--json"], ["--require-occupancy", "0.751"]), (tall, ["--require-launch"]),
                            (tall, ["--require-occupancy", "1%"])]:
            with self.subTest(words=words, gate=gate):
                result = run(*words, *gate)
                self.assertEqual((result.status, result.out), (1, self.answer(*words)))
                self.assertRegex(result.err, rf"\Aocccalc: .*{gate[0]}.*\n\Z")

    def test_without_registers_a_gate_is_held_against_the_bound(self):
        for smem, status in [("0", 0), ("100K", 1)]:
            with self.subTest(smem=smem):
                result = run(*configuration("--smem", smem), "--require-occupancy", "100%")
                self.assertEqual((result.status, result.out[:8]), (status, "at most "))
                self.assertRegex(result.err, r"\Aocccalc: .*--require-occupancy.*\n\Z")

    def test_an_answer_that_cannot_be_given_wins_over_a_missed_gate(self):
        missed = [*EXAMPLE, "--require-occupancy", "100%"]
        self.assert_refused([*missed, "-o", "missing/out.txt"], "missing/out.txt")
        self.assert_refused([*missed, "--barriers", "17"], "--barriers")


class Help(program.ProgramTest):
    def test_no_arguments_give_a_usage_on_standard_error(self):
        result = run()
        self.assertEqual((result.status, result.out), (2, ""))
        self.assertTrue(result.err.startswith("occcalc --regs 40 --smem 8K --block 256 --arch sm_80\n"))

    def test_the_short_help_fits_a_small_terminal(self):
        for option in ("-h", "--help"):
            answer = self.answer(option)
            self.assert_columns(answer)
            self.assertLessEqual(len(answer.splitlines()), 18)
            self.assertIn("occcalc --regs 40 --smem 8K --block 256 --arch sm_80", answer)
            self.assertIn("--help-all", answer)

    def test_the_full_help_names_every_option(self):
        words = self.answer("--help-all").replace(",", " ").split()
        for option in OPTIONS:
            with self.subTest(option=option):
                self.assertIn(option, words)

    def test_the_version_comes_with_the_day_of_the_data(self):
        for option in ("-V", "--version"):
            self.assertRegex(self.answer(option), r"\Aocccalc \d+\.\d+\.\d+, data of \d{4}-\d\d-\d\d\n\Z")


class Archs(program.ProgramTest):
    def known(self):
        """The names in the data files themselves."""
        data = pathlib.Path(__file__).resolve().parents[2] / "data" / "architectures"
        documents = [json.loads(file.read_text(encoding="utf-8")) for file in data.glob("*.json")]
        return {entry["name"] for document in documents for entry in document["architectures"]}

    def test_every_architecture_is_listed_in_every_format(self):
        known = self.known()
        self.assertGreater(len(known), 20)
        shown = {line.split(" ")[0] for line in self.answer("archs").splitlines()}
        self.assertEqual(known - shown, set())
        self.assertEqual(set(self.answer("archs", "--get", "name").split()), known)
        self.assertEqual({entry["name"] for entry in json.loads(self.answer("archs", "--json"))}, known)
        rows = csv.DictReader(io.StringIO(self.answer("archs", "--csv"), newline=""))
        self.assertEqual({row["name"] for row in rows}, known)

    def test_values_of_several_architectures_come_one_a_line_as_asked(self):
        answer = self.answer("archs", "sm_90a", "8.6", "SM_80", "--get", "name,max_warps_per_sm")
        self.assertEqual(answer, "sm_90\t64\nsm_86\t48\nsm_80\t64\n")

    def test_sources_that_disagree_are_shown_with_the_one_that_is_trusted(self):
        text = " ".join(self.answer("archs", "sm_120").split())
        self.assertRegex(text, r"max_blocks_per_sm: 24 \([^)]*\), 32 \([^)]*\)\. Trusted: 24")
        rows = csv.DictReader(io.StringIO(self.answer("archs", "sm_120", "--csv"), newline=""))
        row = {row["limit"]: row for row in rows}["max_blocks_per_sm"]
        self.assertEqual(row["value"], "24")
        self.assertRegex(row["conflicts"], r"\b24\b.*\b32\b")
        [entry] = json.loads(self.answer("archs", "sm_120", "--json"))
        [conflict] = [conflict for conflict in entry["conflicts"] if conflict["field"] == "max_blocks_per_sm"]
        self.assertEqual([value["value"] for value in conflict["values"]], [24, 32])
        self.assertEqual(conflict["trusted"], 24)

    def test_the_singular_name_of_the_command_means_the_same(self):
        self.assertEqual(self.answer("arch", "sm_80"), self.answer("archs", "sm_80"))


if __name__ == "__main__":
    unittest.main()
