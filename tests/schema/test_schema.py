"""The JSON Schemas of data/schema/ and the program agree about what is valid.

OCCCALC is the path of the program, OCCCALC_SOURCE the root of the checkout.
"""

import copy
import csv
import io
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import jsonschema  # not optional: without it nothing is checked, and that must not look like success

import cases

PROGRAM = os.environ["OCCCALC"]
SOURCE = pathlib.Path(os.environ.get("OCCCALC_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
SCHEMAS = SOURCE / "data" / "schema"

# What CSV has no column for.
JSON_ONLY = {"schema", "compute_capability", "ceilings", "notes", "cliffs", "joint_cliff", "remedies", "staircases",
             "budget", "target", "block_sizes", "clusters", "waves", "latency", "explain"}
# The columns of CSV that stand in a nested object of JSON, with the name there where it is another.
NESTED = {
    "clusters": {name: name for name in ("max_active_clusters", "is_bound", "usable_sms", "cluster_occupancy",
                                         "gpu_occupancy")},
    "waves": {"waves_per_sm": "waves"} | {name: name for name in (
        "grid_blocks", "blocks_per_wave", "full_waves", "tail_blocks", "idle_sms", "efficiency",
        "average_occupancy_bound", "achieved_occupancy_bound")},
    "latency": {name: name for name in ("bytes_in_flight_per_sm", "bytes_in_flight_per_thread",
                                        "warps_to_cover_memory", "covered", "warps_to_cover_arithmetic")}}


def validator(name):
    return jsonschema.Draft202012Validator(json.loads((SCHEMAS / name).read_text()))


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60)


def printed(*words):
    result = run(*words)
    assert result.returncode == 0 and result.stderr == "", (words, result.stderr)
    return result.stdout


def changed(document, path, value):
    """A copy in which the value at the path is another, or is missing."""
    result = copy.deepcopy(document)
    place = result
    for key in path[:-1]:
        place = place[key]
    if value is cases.REMOVED:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return result


def without_questions(words):
    """CSV has no room for the answers to some questions."""
    suggests = "--suggest-block" in words  # whose minimum grids are all that --sms is for
    kept, words = [], iter(words)
    for word in words:
        if word in ("--target-blocks", "--target-occupancy", "--achieved") or (word == "--sms" and suggests):
            next(words)
        elif word not in ("--cliffs", "--budget", "--explain", "--suggest-block"):
            kept.append(word)
    return kept


def cell(key, value):
    """The text in CSV of a value in JSON."""
    if key == "reasons":
        return "+".join(reason["code"] for reason in value)
    if isinstance(value, list):
        return ("x" if key in ("grid", "cluster") else "+").join(value)
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else value


class GpuSchemaTest(unittest.TestCase):
    def test_the_data_is_valid(self):
        data = json.loads((SOURCE / "data" / "gpus.json").read_text())
        schema = validator("gpus.schema.json")
        schema.validate(data)
        schema.validate(data["gpus"][0])
        schema.validate({"name": "Mine", "gpcs": [16, 18]})
        for wrong in ({}, {"name": ""}, {"name": "x", "sm_count": 0}, {"name": "x", "clock": 1}, {"name": "x" * 257}, {"gpu": "x" * 257}, [4]):
            self.assertFalse(schema.is_valid(wrong), wrong)

    def test_what_is_printed_is_valid_and_read_again(self):
        text = printed("gpus", "--json")
        validator("gpus.schema.json").validate(json.loads(text))
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / "printed.json"
            path.write_text(text)
            self.assertEqual(printed("gpus", "--gpu-file", str(path), "--json"), text)


class SchemaTest(unittest.TestCase):
    def setUp(self):
        self.architectures = validator("architectures.schema.json")
        self.configuration = validator("configuration.schema.json")
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        # Complete, but for the targets: they repeat the name, and the name changes below.
        self.good = changed(json.loads(printed("archs", "sm_80", "--json"))[0], ("targets",), cases.REMOVED)

    def file(self, text, name="parts.json"):
        path = self.directory / name
        path.write_text(text)
        return str(path)

    def run_with(self, text):
        return run("--arch-file", self.file(text), "--arch", "sm_80", "--block", "256")

    def assert_program_refuses(self, text, place=""):
        """In one line, which names the file and the key at fault."""
        result = self.run_with(text)
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        self.assertRegex(result.stderr, rf"\Aocccalc: error: [^\n]*parts\.json[^\n]*{place}[^\n]*\n\Z")

    def assert_both_accept(self, document):
        self.architectures.validate(document)
        result = self.run_with(json.dumps(document))
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def assert_both_refuse(self, document, place=""):
        self.assertFalse(self.architectures.is_valid(document), "the schema accepts it")
        self.assert_program_refuses(json.dumps(document), place)

    def test_both_schemas_are_valid_themselves(self):
        for checked in (self.architectures, self.configuration):
            with self.subTest(checked.schema["title"]):
                jsonschema.Draft202012Validator.check_schema(checked.schema)

    def test_the_schema_names_exactly_the_limits_that_the_program_prints(self):
        parts = self.architectures.schema["$defs"]
        printed_limits = list(self.good["limits"])
        self.assertEqual(list(parts["limits"]["properties"]), printed_limits)
        self.assertEqual(parts["all_limits"]["required"], printed_limits)
        self.assertEqual(list(parts["latencies"]["properties"]), list(self.good["latencies"]))
        self.assertEqual(parts["limit_name"]["enum"], printed_limits + list(self.good["latencies"]))

    def test_every_data_file_is_accepted_by_both(self):
        paths = sorted((SOURCE / "data" / "architectures").glob("*.json"))
        self.assertTrue(paths)
        for path in paths:
            with self.subTest(path.name):
                self.assert_both_accept(json.loads(path.read_text()))

    def test_printed_architectures_are_accepted_again(self):
        for words in ([], ["sm_120"], ["textbook", "10.7"]):
            with self.subTest(words):
                text = printed("archs", *words, "--json")
                self.assert_both_accept(json.loads(text))
                self.assertEqual(printed("archs", *words, "--json", "--arch-file", self.file(text)), text)

    def test_zero_null_and_bounds_are_accepted_where_they_mean_something(self):
        for title, (path, value) in cases.STILL_VALID.items():
            with self.subTest(title):
                self.assert_both_accept(changed(self.good, path, value))

    def test_a_damaged_architecture_is_refused_by_both(self):
        self.assert_both_accept(self.good)
        for title, (path, value) in cases.DAMAGE.items():
            with self.subTest(title):
                self.assert_both_refuse(changed(self.good, path, value), path[-1])

    def test_a_document_of_another_shape_is_refused_by_both(self):
        for title, document in cases.DAMAGED_WHOLES.items():
            with self.subTest(title):
                self.assert_both_refuse(document)

    def test_numbers_that_contradict_each_other_are_refused_by_the_program(self):
        for title, (path, value) in cases.CONTRADICTIONS.items():
            with self.subTest(title):
                document = changed(self.good, path, value)
                self.architectures.validate(document)  # what a schema can see belongs to the damage
                self.assert_program_refuses(json.dumps(document), path[-1])

    def test_the_same_name_twice_is_refused_by_the_program(self):
        self.assert_program_refuses(json.dumps([self.good, self.good]))

    def test_a_text_that_is_no_plain_json_is_refused_by_the_program(self):
        for title, text in cases.BAD_TEXTS.items():
            with self.subTest(title):
                self.assert_program_refuses(text)

    def test_the_four_lines_of_a_user_are_enough(self):
        self.assert_both_accept(json.loads(cases.USER_FILE))
        words = ["--arch-file", self.file(cases.USER_FILE), "--regs", "64", "--block", "256"]
        for arch, blocks in (("sm_80", "4"), ("sm_80x", "8")):
            self.assertEqual(printed(*words, "--arch", arch, "--get", "active_blocks_per_sm"), blocks + "\n")

    def answers(self):
        small = ["--arch-file", self.file(json.dumps(cases.SMALL_PART), "small.json")]
        for words in cases.COMMAND_LINES:
            plain = without_questions(words)
            block = [] if "--block" in words else ["--block", "192"]  # what --suggest-block takes for the one line without
            yield words, printed(*small, *words, "--json"), printed(*small, *plain, *block, "--csv")

    def test_every_answer_is_valid(self):
        codes = {"reason": set(), "note": set()}
        for words, text, _ in self.answers():
            with self.subTest(" ".join(words)):
                answer = json.loads(text)
                self.configuration.validate(answer)
                codes["reason"].update(reason["code"] for reason in answer["reasons"])
                codes["note"].update(note["code"] for note in answer["notes"])
        for kind, seen in codes.items():
            known = self.configuration.schema["$defs"][kind]["properties"]["code"]["enum"]
            # The command line lets no invalid amount through, and no option states launch bounds or a required block;
            # callers of the library get these reasons, and kernels of binaries.
            self.assertEqual(seen, set(known) - {"invalid_amount", "launch_bounds", "required_block",
                                                    "required_cluster"})

    def test_csv_and_json_say_the_same(self):
        for words, text, table in self.answers():
            with self.subTest(" ".join(words)):
                # Numbers stay text: their digits are the same, not only their values.
                answer = json.loads(text, parse_int=str, parse_float=str)
                header, row = csv.reader(io.StringIO(table))
                flat = {key: cell(key, value) for key, value in answer.items() if key not in JSON_ONLY}
                self.assertEqual(header[:24], list(flat)[:24])  # the order of what every configuration has
                for tree, names in NESTED.items():
                    for column, name in names.items() if tree in answer else ():
                        flat[column] = cell(name, (answer[tree] or {}).get(name))
                if "--suggest-block" in words:
                    flat = {key: value for key, value in flat.items() if key not in ("gpu", "sm_count")}
                self.assertEqual(dict(zip(header, row)), flat)

    def test_an_answer_with_a_wrong_value_is_invalid(self):
        answer = json.loads(printed(*cases.COMMAND_LINES[0], "--json"))
        self.configuration.validate({**answer, "a_later_key": 1})
        for path, value in cases.WRONG_ANSWERS:
            with self.subTest(path):
                self.assertFalse(self.configuration.is_valid(changed(answer, path, value)))

    def test_every_kernel_is_valid_and_has_the_keys_of_a_configuration(self):
        kernel = validator("kernel.schema.json")
        of_configuration = set(self.configuration.schema["required"]) - JSON_ONLY | {"schema", "compute_capability"}
        inputs = [*sorted(SOURCE.glob("data/examples/*.txt")), *sorted(SOURCE.glob("tests/profiles/*.*")),
                  *sorted(SOURCE.glob("tests/traces/*.json")), *sorted(SOURCE.glob("tests/logs/*/*.txt"))]
        seen = {field: set() for field in ("block_source", "dynamic_shared_memory_source", "difference")}
        for path in inputs:
            for words in ([], ["--block", "64", "--smem-dynamic", "1K"]):
                found = json.loads(run("kernels", str(path), "--on", "sm_80", *words, "--json").stdout or "[]")
                found += json.loads(run("kernels", str(path), *words, "--json").stdout or "[]")
                for answer in found:
                    with self.subTest(path.name, kernel=answer["kernel"]):
                        kernel.validate(answer)
                        self.assertEqual(of_configuration - set(answer), set())
                        for field, values in seen.items():
                            values.add(answer[field])
        self.assertEqual(seen["block_source"], {"option", "input", "suggested"})
        self.assertEqual(seen["dynamic_shared_memory_source"], {"option", "input", "assumed"})
        self.assertLessEqual({None, "option"}, seen["difference"])


if __name__ == "__main__":
    unittest.main()
