"""What the program cannot answer, and that it says so in one line that helps."""

import unittest

import program
from program import configuration

BAD_VALUES = {
    "--block": ["0", "16x", "x16", "1x2x3x4", "1e3", "256.5", "0x28", "4 0", "-1", "+1", "", " ", "256 ", "2147483648",
                "65536x65536", "1x1x2147483648", "16x0", "25\n6", "\x1b[31m", "{}", "99999999999999999999"],
    "--regs": ["-1", "abc", "4.5", "2147483648", "", "0x28", " 40", "1_000"],
    "--smem": ["8Q", "K", "1.3", "99999999999999999999K", "9223372036854775808", "9007199254740992K", "8 K", "nan", "",
               "-1", "1e3", ".5K", "1.K", "0.0001K", "8G", "inf"],
    "--smem-static": ["8Q", "-1", ""],
    "--smem-dynamic": ["8Q", "-1", ""],
    "--smem-per-thread": ["8Q", "-1", ""],
    "--barriers": ["17", "-1", "x", ""],
    "--carveout": ["101%", "65K", "banana", "", "50.5%", "-1%", "%", "1M"],
    "--require-occupancy": ["101%", "nan", "1.5", "", "-0.5", "%", "1e-1", "."],
    "--virtual-resources": ["-1", "2147483648", "many"],
    "--global-caching": ["maybe", ""],
    "--color": ["sometimes", ""],
    "--format": ["xml", ""],
    "--arch": ["sm_81", "8", "80.0", "sm_", "gfx90a", "", " sm_80", "sm_80\n"],
    "--get": ["nope", "", "occupancy,nope", "occupancy,"],
    "--columns": ["nope", "", "occupancy,nope", ",occupancy"],
    "--output": [""],
}

# What is given, and the next step that the error names.
HINTS = [
    (configuration("--smem", "8.19 Kbyte"), "--smem", "--print-units base"),
    (configuration("--carveout", "50"), "--carveout", "50%"),
    (configuration("--require-occupancy", "50"), "--require-occupancy", "50%"),
    (configuration("--arch", "native"), "--arch", "nvidia-smi"),
    (["--block", "4", "0", "--arch", "sm_80"], "'0'", "FIRST:LAST:STEP"),
    (["--block", "64", "128", "256", "--arch", "sm_80"], "'128'", "FIRST:LAST:STEP"),
    (["kernel.cubin", *program.EXAMPLE], "kernel.cubin", "`occcalc kernels "),
    (["build/a.out", *program.EXAMPLE], "build/a.out", "`occcalc kernels "),
    (["stray", *program.EXAMPLE], "stray", "occcalc -h"),
    (["--nonsense", *program.EXAMPLE], "--nonsense", "occcalc --help-all"),
    (["-x", *program.EXAMPLE], "-x", "occcalc --help-all"),
]

# What is written elsewhere or mistyped, and our name for it.
SYNONYMS = {"--threads": "--block", "--block-size": "--block", "--registers": "--regs", "--maxrregcount": "--regs",
            "--shared": "--smem", "--cc": "--arch", "-mcpu": "--arch", "--gpu-arch": "--arch", "--reg": "--regs",
            "-block": "--block"}

NOT_TOGETHER = [("--smem 8K --smem-static 8K", "--smem-static"), ("--smem 8K --smem-dynamic 8K", "--smem-dynamic"),
                ("--json --csv", "--csv"), ("--json --format csv", "--format"), ("--get arch --json", "--json"),
                ("--get arch --columns arch", "--columns")]

NOT_BUILT = [
    (["compare", "a", "b"], "compare"),
    (["completions", "bash"], "completions"),
]


class BadInput(program.ProgramTest):
    def test_a_bad_value_is_refused_in_one_line_that_names_the_option(self):
        for option, values in BAD_VALUES.items():
            for value in values:
                with self.subTest(option=option, value=value):
                    self.assert_refused(configuration(option, value), option)

    def test_the_refusal_shows_what_was_found(self):
        for option, value in [("--block", "16x"), ("--regs", "abc"), ("--smem", "8Q"), ("--carveout", "banana"),
                              ("--format", "xml"), ("--color", "sometimes"), ("--arch", "sm_81"), ("--get", "nope")]:
            with self.subTest(option=option):
                self.assert_refused(configuration(option, value), f"'{value}'")

    def test_the_refusal_lists_what_is_accepted(self):
        for option, value, accepted in [("--format", "xml", "table, json, jsonl, csv, markdown"),
                                        ("--color", "sometimes", "auto, always, never"),
                                        ("--global-caching", "maybe", "off, on, strict"),
                                        ("--barriers", "17", "0 to 16"),
                                        ("--carveout", "65K", "64K, 100K"),
                                        ("--columns", "nope", "active_blocks_per_sm"),
                                        ("--get", "nope", "active_blocks_per_sm")]:
            with self.subTest(option=option):
                self.assert_refused(configuration(option, value), accepted)

    def test_the_refusal_names_the_next_step(self):
        for words, found, step in HINTS:
            with self.subTest(words=words):
                self.assert_refused(words, found, step)

    def test_the_names_of_other_tools_are_answered_with_ours(self):
        for written, meant in SYNONYMS.items():
            for words in ([written, "8"], [f"{written}=8"]):
                with self.subTest(words=words):
                    result = program.run(*words, *program.EXAMPLE)
                    self.assert_error(result, written)
                    self.assertIn(meant, result.err.partition(written)[2])

    def test_options_that_contradict_each_other_are_refused(self):
        for words, named in NOT_TOGETHER:
            with self.subTest(words=words):
                self.assert_refused([*words.split(), "--block", "256", "--arch", "sm_80"], named)

    def test_a_missing_block_or_architecture_is_asked_for_with_an_example(self):
        for words, named in [("--block 256", ["--arch"]), ("--arch sm_80", ["--block"]),
                             ("--regs 40", ["--arch", "--block"])]:
            with self.subTest(words=words):
                self.assert_refused(words.split(), *named, "occcalc --regs 40 --smem 8K --block 256 --arch sm_80")

    def test_an_option_without_its_value_is_named(self):
        for words, named in [("--block 256 --arch", "--arch"), ("--arch --block 256", "--arch"),
                             ("--block 256 --arch sm_80 --regs", "--regs"),
                             ("--block 256 --regs --arch sm_80", "--regs"),
                             ("--block 256 --regs -arch=sm_80", "--regs"),
                             ("--block 256 --arch sm_80 -o", "--output"), ("archs --get", "--get")]:
            with self.subTest(words=words):
                self.assert_refused(words.split(), named)

    def test_what_is_not_built_yet_is_refused_and_says_so(self):
        for words, named in NOT_BUILT:
            with self.subTest(words=words):
                self.assert_refused(words, named, "not built yet")

    def test_an_option_of_the_other_command_is_refused(self):
        for option in ["--block", "--regs", "--require-occupancy"]:
            with self.subTest(option=option):
                self.assert_refused(["archs", option, "1"], option, "occcalc archs")


class Architectures(program.ProgramTest):
    def test_an_unknown_architecture_is_answered_with_the_known_ones(self):
        for words in (configuration("--arch", "sm_81"), ["archs", "sm_81"]):
            with self.subTest(words=words):
                self.assert_refused(words, "sm_81", "sm_30", "sm_80", "sm_121", "textbook")

    def test_a_suffix_that_the_architecture_lacks_is_refused(self):
        for name in ["sm_80a", "sm_80f", "sm_90f", "8.0a", "compute_75a"]:
            with self.subTest(name=name):
                self.assert_refused(configuration("--arch", name), name, "suffix")

    def test_a_generation_is_answered_with_its_members_alone(self):
        for name, members, others in [("blackwell", ["sm_100", "sm_103", "sm_120"], ["sm_90", "sm_80"]),
                                      ("Ampere", ["sm_80", "sm_86", "sm_87"], ["sm_75", "sm_89"])]:
            with self.subTest(name=name):
                result = program.run(*configuration("--arch", name))
                self.assert_error(result, "--arch", *members)
                for other in others:
                    self.assertNotIn(other, result.err)


NOT_ARCHITECTURES = ['[]', '3', '"text"', 'null', '{}', '[1]', '{"architectures": 3}', '{"name": "mine"}',
                     '{"name": "mine", "based_on": "sm_999"}', '{"name": 1, "based_on": "sm_80"}',
                     '{"name": "mine", "based_on": "sm_80", "limits": {"max_warps_per_sm": "many"}}',
                     '{"name": "mine", "based_on": "sm_80", "limits": {"max_warps_per_sm": -1}}',
                     '{"name": "mine", "based_on": "sm_80", "limits": {"warps": 64}}',
                     '{"name": "mine", "name": "mine", "based_on": "sm_80"}']


class ArchitectureFiles(program.ProgramTest):
    def assert_file_refused(self, file, *named):
        self.assert_refused(["--arch-file", str(file), *program.EXAMPLE], str(file), *named)

    def write(self, name, content):
        file = self.folder / name
        file.write_bytes(content)
        return file

    def test_what_cannot_be_read_is_named(self):
        for file in ["missing.json", "."]:
            with self.subTest(file=file):
                self.assert_file_refused(file, "cannot be read")

    def test_an_empty_file_is_refused(self):
        for content in (b"", b" \n"):
            with self.subTest(content=content):
                self.assert_file_refused(self.write("empty.json", content), "empty")

    def test_bytes_that_are_no_json_are_refused(self):
        for content in (bytes(range(256)), b"\x7fELF\x02\x01\x01\0", b'{"name": "\xff"}', b"\xff\xfe{\0}\0"):
            with self.subTest(content=content):
                self.assert_file_refused(self.write("binary.json", content))

    def test_a_file_that_is_cut_off_is_refused_at_its_line_and_column(self):
        for content, place in [(b'{"name": "mine"', "1:16"), (b'{"name": "mine",\n "limits": {"max_w', "2:19")]:
            with self.subTest(content=content):
                self.assert_file_refused(self.write("cut.json", content), f"cut.json:{place}:")

    def test_deep_nesting_is_refused(self):
        for start in (b"[", b'{"a":'):
            with self.subTest(start=start):
                self.assert_file_refused(self.write("deep.json", start * 100000), "nested")

    def test_json_that_describes_no_architecture_is_refused(self):
        for content in NOT_ARCHITECTURES:
            with self.subTest(content=content):
                self.assert_file_refused(self.write("other.json", content.encode()))

    def test_an_endless_file_is_given_up(self):
        self.assert_file_refused("/dev/zero", "larger")


if __name__ == "__main__":
    unittest.main()
