"""Rows of the user's own, given with --from: what they accept, what they pass through, what is wrong with them."""

import csv
import io
import json
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

import program

SWEEP = ["--arch", "all", "--block", "64,1024", "--regs", "40,128", "--smem-static", "0,1K", "--smem-dynamic", "0,47K",
         "--barriers", "1,16", "--carveout", "default,max-l1"]
FORMATS = ["csv", "json", "jsonl"]
TWO = "arch,threads_per_block\nsm_80,64\nsm_80,128\n"

# Fields by which the rows of a test are told apart.
SHORT = "arch,threads_per_block"


def object_of(**members):
    return json.dumps({"arch": "sm_80", "threads_per_block": 64, **members})


class GivenRows(program.ProgramTest):
    def given(self, text, *words):
        return program.run("--from", "-", *words, folder=self.folder, given=text if isinstance(text, bytes) else text.encode())

    def ask(self, text, *words):
        """What it writes about these rows, of which none is bad."""
        result = self.given(text, *words)
        self.assertEqual((result.status, result.err), (0, ""))
        return result.out

    def get(self, text, fields, *words):
        return self.ask(text, "--get", fields, *words).splitlines()

    def assert_bad(self, text, *named, good=()):
        """The good rows are reported; each bad one is named in a line of its own; status 2."""
        result = self.given(text, "--get", "threads_per_block")
        self.assertEqual((result.status, result.out.splitlines()), (2, list(good)), result.err)
        lines = result.err.splitlines(keepends=True)
        self.assertEqual(len(lines), len(named), result.err)
        for line, name in zip(lines, named):
            self.assert_error_line(line, *([name] if isinstance(name, str) else name))

    def assert_no_rows(self, text, *named):
        self.assert_error(self.given(text, "--csv"), *named)


class RoundTrips(GivenRows):
    def test_what_a_sweep_wrote_is_read_back_and_answered_the_same_in_each_format(self):
        written = {name: self.answer(*SWEEP, "--format", name) for name in FORMATS}
        self.assertGreater(len(written["csv"].splitlines()), 1600)
        for source in FORMATS:
            for target in FORMATS:
                with self.subTest(source=source, target=target):
                    self.assertTrue(self.ask(written[source], "--format", target) == written[target])

    def test_a_single_object_is_read_back_without_what_only_a_single_report_has(self):
        single = ["--arch", "sm_90a", "--block", "256", "--regs", "40", "--smem", "8K"]
        asked = self.answer(*single, "--json", "--budget", "--cliffs", "--explain", "--suggest-block")
        for text in (asked, json.dumps(json.loads(asked), indent=1)):
            self.assertEqual(self.ask(text, "--csv"), self.answer(*single, "--csv"))

    def test_an_empty_answer_is_read_back_as_no_rows(self):
        csv_text, json_text = [self.ask(f"{SHORT}\n", "--format", name) for name in ("csv", "json")]
        self.assertEqual((csv_text.count("\n"), json_text), (1, "[]\n"))
        for text in (csv_text, json_text):
            self.assertEqual(self.ask(text, "--json"), "[]\n")

    def test_columns_of_the_users_own_survive_any_number_of_trips(self):
        text = 'k,arch,threads_per_block\n"a,""b""\n|é",sm_80,64\n" c ",sm_80,64\n"d\r",sm_80,64\n,sm_80,64\n'
        once = self.ask(text, "--csv")
        self.assertEqual([row["k"] for row in csv.DictReader(io.StringIO(once, newline=""))], ['a,"b"\n|é', " c ", "d\r", ""])
        for name in FORMATS:
            with self.subTest(name=name):
                self.assertEqual(self.ask(self.ask(once, "--format", name), "--csv"), once)

    def test_many_rows_are_answered_in_their_order(self):
        words = ["--arch", "sm_80,sm_90,sm_120", "--block", "all", "--regs", "0:255", "--smem", "0:8K", "--csv"]
        sweep = self.answer(*words)
        self.assertGreater(sweep.count("\n"), 200_000)
        self.assertTrue(self.ask(sweep, "--csv") == sweep)


class Fields(GivenRows):
    def test_each_field_is_the_option_of_its_meaning(self):
        for field, value, words in [("arch", "9.0a", ["--arch", "sm_90a"]), ("threads_per_block", "96", ["--block", "96"]),
                                    ("threads_per_block", "16x16", ["--block", "16x16"]),
                                    ("registers_per_thread", "40", ["--regs", "40"]),
                                    ("static_shared_memory", "9K", ["--smem-static", "9K"]),
                                    ("dynamic_shared_memory", "70000", ["--smem-dynamic", "70000"]),
                                    ("barriers", "7", ["--barriers", "7"]),
                                    ("shared_memory_per_sm", "64K", ["--carveout", "64K"])]:
            row = {"arch": "sm_80", "threads_per_block": "64", field: value}
            option = dict(zip(words[::2], words[1::2]))
            single = {"--arch": "sm_80", "--block": "64", **option}
            wanted = self.answer(*[word for pair in single.items() for word in pair], "--csv")
            for text in (",".join(row) + "\n" + ",".join(row.values()), json.dumps(row), json.dumps([row], indent=1)):
                with self.subTest(text=text):
                    self.assertEqual(self.ask(text, "--csv"), wanted)

    def test_missing_columns_and_empty_cells_take_the_defaults(self):
        wanted = self.answer("--arch", "sm_80", "--block", "64", "--csv")
        for text in ("threads_per_block,arch\n64,sm_80\n", '{"registers_per_thread": null, "threads_per_block": 64, "arch": 80}',
                     "arch,threads_per_block,registers_per_thread,dynamic_shared_memory,barriers\nsm_80,64,,,\n"):
            with self.subTest(text=text):
                self.assertEqual(self.ask(text, "--csv"), wanted)

    def test_results_are_recomputed_whatever_stands_there(self):
        self.assertEqual(self.get("arch,occupancy,threads_per_block,limiters\nsm_80,7,64,banana\n", "occupancy,limiters"),
                         ["1\twarps+blocks"])

    def test_options_override_the_rows_and_their_lists_multiply_them(self):
        text = "arch,threads_per_block,registers_per_thread\nsm_80,64,40\nsm_90,128,banana\n"
        self.assertEqual(self.get(text, SHORT + ",registers_per_thread", "--regs", "16,32"),
                         ["sm_80\t64\t16", "sm_80\t64\t32", "sm_90\t128\t16", "sm_90\t128\t32"])
        self.assertEqual(self.get(TWO, SHORT, "--arch", "sm_70,sm_75"),
                         ["sm_70\t64", "sm_75\t64", "sm_70\t128", "sm_75\t128"])
        self.assertEqual(self.get("arch\nsm_80\nsm_90\n", SHORT, "--block", "32"), ["sm_80\t32", "sm_90\t32"])
        memory = "arch,threads_per_block,static_shared_memory,dynamic_shared_memory\nsm_80,64,1,2\n"
        both = "static_shared_memory,dynamic_shared_memory"
        self.assertEqual(self.get(memory, both, "--smem", "3"), ["0\t3"])
        self.assertEqual(self.get(memory, both, "--smem-static", "3"), ["3\t2"])
        shares = [f"{share}%" for share in range(101)] + ["max-l1"]
        self.assertEqual(len(self.get(TWO, SHORT, "--carveout", ",".join(shares))), 2 * len(shares))
        self.assertEqual(len(self.get(TWO, SHORT, "--carveout", "all")), 2 * 8)

    def test_a_capacity_belongs_to_the_rows_own_architecture(self):
        text = "arch,threads_per_block,shared_memory_per_sm\nsm_80,64,102400\n"
        for words, wanted in [([], "102400"), (["--arch", "sm_90"], "233472"), (["--carveout", "max-l1"], "8192"),
                              (["--arch", "sm_90", "--carveout", "64K"], "65536")]:
            with self.subTest(words=words):
                self.assertEqual(self.get(text, "shared_memory_per_sm", *words), [wanted])
        self.assert_bad(text.replace("102400", "12345"), ("standard input:2: shared_memory_per_sm", "12345", "102400"))


class OwnColumns(GivenRows):
    TEXT = 'k,arch,t|h,threads_per_block\n"a,""b""\n|c\x01",sm_80,é,64\n,sm_80,\t2,128\n'

    def test_they_follow_ours_in_every_format(self):
        head, *rows = csv.reader(io.StringIO(self.ask(self.TEXT, "--csv")))
        self.assertEqual((head[-3:], rows[0][-2:], rows[1][-2:]), (["reasons", "k", "t|h"], ['a,"b"\n|c\x01', "é"], ["", "\t2"]))
        for text in (self.ask(self.TEXT, "--json"), "[" + ",".join(self.ask(self.TEXT, "--format", "jsonl").splitlines()) + "]"):
            self.assertEqual([list(row.items())[-2:] for row in json.loads(text)],
                             [[("k", 'a,"b"\n|c\x01'), ("t|h", "é")], [("k", None), ("t|h", "\t2")]])
        self.assertEqual(self.ask(self.TEXT, "--format", "markdown", "--columns", "t|h,k"),
                         '| t\\|h | k |\n|---|---|\n| é | a,"b" \\|c  |\n|  2 |  |\n')
        self.assertEqual(self.ask(self.TEXT, "--get", "k,arch,t|h"), 'a,"b" |c \tsm_80\té\n\tsm_80\t 2\n')
        table = self.ask(self.TEXT)
        self.assertRegex(table, r"\nblock .* k +t\|h\n +64 .* a,\"b\" \|c +é\n +128 ")

    def test_they_stand_in_line_whatever_their_letters(self):
        text = "k,arch,threads_per_block\néé,sm_80,64\nabc,sm_80,96\n"
        for columns in ("k,arch", "arch,k,occupancy"):
            lines = self.ask(text, "--columns", columns).splitlines()
            self.assertEqual(len({re.search(r"\S+ *\Z", line).start() for line in lines}), 1, lines)

    def test_values_of_json_keep_their_type(self):
        own = {"a": 18446744073709551615, "b": 0.1, "c": True, "d": {"e": [1, {"f": None}]}, "g": "x", "h": None, "i": ""}
        (row,) = json.loads(self.ask(object_of(**own), "--json"))
        self.assertEqual({key: row[key] for key in own}, own)
        self.assertEqual(self.get(object_of(**own), "a,b,c,d,g,h,i"),
                         ['18446744073709551615\t0.1\ttrue\t{"e":[1,{"f":null}]}\tx\t\t'])

    def test_bytes_that_are_no_text_stay_in_csv_and_are_replaced_in_json(self):
        text = b"k,arch,threads_per_block\na\xff\x00b,sm_80,64\n"
        self.assertTrue(self.ask(text, "--csv").endswith(",a\udcff\x00b\n"))
        self.assertEqual(json.loads(self.ask(text, "--json"))[0]["k"], "a\ufffd\x00b")
        self.assertEqual(self.get(text, "k"), ["a\udcff b"])

    def test_json_never_has_a_key_twice(self):
        result = self.given(b"\xff,\xfe,arch,threads_per_block\n1,2,sm_80,64\n", "--json")
        pairs = json.loads(result.out or "[{}]", object_pairs_hook=lambda pairs: [key for key, _ in pairs])[0]
        self.assertEqual(len(set(pairs)), len(pairs))

    def test_they_order_the_rows_as_numbers_before_texts_and_nothing_last(self):
        values = ["5", "n/a", "1", "nan", "-1", "", "10", "1e1"]
        text = "k,arch,threads_per_block\n" + "".join(f"{value},sm_80,64\n" for value in values)
        self.assertEqual(self.get(text, "k", "--sort", "k"), ["-1", "1", "5", "10", "1e1", "n/a", "nan", ""])
        self.assertEqual(self.get(text, "k", "--sort", "k", "--top", "2"), ["-1", "1"])
        self.assertEqual(self.get(text, "k", "--top", "2"), ["5", "n/a"])

    def test_a_name_that_is_nearly_ours_is_noted(self):
        for name, ours in [("block", "threads_per_block"), ("Regs", "registers_per_thread"), ("carveout", "shared_memory_per_sm"),
                           ("smem", "dynamic_shared_memory"), ("ARCH", "arch")]:
            with self.subTest(name=name):
                result = self.given(f"{name},arch,threads_per_block\n1,sm_80,64\n", "--get", name)
                self.assertEqual((result.status, result.out), (0, "1\n"))
                self.assertRegex(result.err, rf"\Aocccalc: note: standard input: .*'{name}'.* {ours}\n\Z")

    def test_a_field_that_neither_is_ours_nor_a_column_is_refused(self):
        for option in ("--get", "--columns", "--sort"):
            self.assert_error(self.given(self.TEXT, option, "banana"), option, "banana", "k, t|h")


class Texts(GivenRows):
    def test_line_ends_marks_blank_lines_and_quotes_are_read_as_spreadsheets_write_them(self):
        for text in (TWO, TWO.replace("\n", "\r\n"), TWO[:-1], TWO.replace("\n", "\r\n")[:-2], "\ufeff" + TWO, "\n \n" + TWO,
                     TWO.replace("\n", "\n\n\r\n") + " \n", TWO.replace("sm_80", '"sm_80"').replace("64", '"64"'),
                     '"arch","threads_per_block"\r\nsm_80,64\r\n"sm_80","128"', "\ufeff" + object_of() + "\r\n\r\n" + object_of(
                         threads_per_block=128), f"[{object_of()},{object_of(threads_per_block='128')}]\n",
                     json.dumps([json.loads(object_of()), json.loads(object_of(threads_per_block=128))], indent=2)):
            with self.subTest(text=text):
                self.assertEqual(self.get(text, SHORT), ["sm_80\t64", "sm_80\t128"])

    def test_a_file_is_read_like_standard_input_and_named_in_errors(self):
        file = self.folder / "rows.csv"
        file.write_text(TWO + "sm_80,0\n")
        result = program.run("--from", "rows.csv", "-o", "out.csv", folder=self.folder)
        self.assert_error(result, "rows.csv:4: threads_per_block: found '0'; accepted: ")
        self.assertEqual((self.folder / "out.csv").read_text(), self.ask(TWO, "--csv"))

    def test_lines_are_counted_through_cells_of_several_lines(self):
        rows = '1,2,sm_80,64\n"x\n\ny",2,sm_80,32\n1,2,sm_80,zero\n"\n",2,sm_80,none\n,,80,1'
        self.assert_bad('k,"a\nb",arch,threads_per_block\n' + rows, "input:7: threads_per_block: found 'zero'",
                        "input:8: threads_per_block: found 'none'", good=["64", "32", "1"])
        self.assert_bad(json.dumps([json.loads(object_of()), {"arch": "sm_80", "threads_per_block": "zero"}], indent=1),
                        "input:6: threads_per_block", good=["64"])

    def test_every_bad_row_is_named_and_the_others_are_reported(self):
        head = "arch,threads_per_block,registers_per_thread,dynamic_shared_memory,barriers\n"
        bad = [("sm_81,64,,,", "arch: "), ("blackwell,64,,,", "sm_100"), (",64,,,", ("arch: is missing", "--arch")),
               ('"sm_80,sm_90",64,,,', "arch: "), ("all,64,,,", "arch: "),
               ("sm_80,,,,", ("threads_per_block: is missing", "--block")),
               ("sm_80,0,,,", "threads_per_block: found '0'; accepted: "), ("sm_80,32:64,,,", "threads_per_block: "),
               ("sm_80, 64,,,", "threads_per_block: "), ("sm_80,64,-1,,", "registers_per_thread: found '-1'; accepted: "),
               ("sm_80,64,1e3,,", "registers_per_thread: "), ("sm_80,64,,8 K,", "dynamic_shared_memory: found '8 K'"),
               ("sm_80,64,,,17", ("barriers: found '17'", "16")), ("sm_80,64", ("has 2 cells", "5")),
               ('sm_80,64,"4"0,,', "'0,,'"),
               ("sm_80,64,,,,", "has 6 cells"), ('"sm\n\x01",64,,,', "arch: "), ("sm_80\0,64,,,", ("arch: ", "textbook"))]
        for row, named in bad:
            with self.subTest(row=row):
                named = ["standard input:3", *([named] if isinstance(named, str) else named)]
                self.assert_bad(f"{head}sm_80,32,,,\n{row}\nsm_80,96,,,\n", named, good=["32", "96"])
        self.assert_bad(TWO + 'sm_80,"64\nsm_80,32\n', ("input:4", "quoted cell does not end"), good=["64", "128"])

    def test_every_bad_object_is_named_with_its_line(self):
        for row in ['{"arch": "sm_80", "threads_per_block" 64}', "[1]", "7", "null", "banana", object_of(k="x")[:-1],
                    object_of(threads_per_block=64.5), object_of(threads_per_block=[64]), object_of(threads_per_block=True),
                    object_of(arch=None), '{"arch": "sm_80", "arch": "sm_80", "threads_per_block": 64}',
                    object_of(k="x").replace('"x"', "1e999"), object_of(k="x").replace('"x"', "[" * 40 + "]" * 40)]:
            with self.subTest(row=row):
                text = f"{object_of(threads_per_block=32, k=1)}\n{row}\n{object_of(threads_per_block=96)}\n"
                self.assert_bad(text, "standard input:2", good=["32", "96"])

    def test_a_bad_first_object_hides_neither_itself_nor_the_others(self):
        self.assert_bad(f"{object_of()[:-1]}\n{object_of()}\n", "standard input:1", good=["64"])
        self.assert_no_rows('{"arch": "sm_80", "threads_per_block": 64,}', "standard input:1", "JSON")

    def test_what_is_no_object_in_an_array_is_named_and_the_others_are_reported(self):
        text = f"[\n{object_of()},\nnull,\n{object_of(threads_per_block=96)}\n]\n"
        self.assert_bad(text, "standard input:3", good=["64", "96"])

    def test_json_that_is_cut_off_is_an_error_wherever_it_ends(self):
        whole = self.ask(TWO, "--json")
        for text in (whole[:-2], whole.rstrip("]\n") + ",", whole[:-10], whole[: whole.index("\n", 3) + 1]):
            with self.subTest(end=text[-20:]):
                self.assertEqual(self.given(text, "--csv").status, 2)

    def test_many_bad_rows_are_counted(self):
        result = self.given(TWO + "sm_80,0\n" * 1234, "--csv")
        self.assertEqual((result.status, result.out), (2, self.ask(TWO, "--csv")))
        self.assertEqual(result.err.count("\n"), 21)
        self.assertTrue(result.err.endswith("occcalc: error: 1,214 more problems\n"))

    def test_headers_that_cannot_be_meant_are_refused(self):
        for text, named in [("", "is empty"), ("\n\n", "is empty"), ("a;b\n1;2\n", "found 'a;b'"),
                            ("1,2\n3,4\n", "threads_per_block"), ("arch,arch\n", "twice"), ('arch,"x\n', "input:1"),
                            ("arch\nsm_80\n", "has no column threads_per_block"),
                            ("threads_per_block\n64\n", "--arch"), ('"arch"s,x\n', "input:1"), ("arch," * 1500 + "\n", "1000")]:
            with self.subTest(text=text[:40]):
                self.assert_no_rows(text, "standard input", named)
        for file in ("missing.csv", "."):
            self.assert_refused(["--from", file], file)

    def test_gates_name_the_line(self):
        result = self.given(TWO + "sm_80,2048\nsm_90,4096\n", "--csv", "--require-launch", "--require-occupancy", "50%")
        self.assertEqual((result.status, result.out.count("\n")), (1, 5))
        for line in result.err.splitlines():
            self.assertRegex(line, r"2 of 4 rows, the first .*line 4")
        self.assertEqual(self.given(TWO + "sm_80,2048\nsm_80,zero\n", "--csv", "--require-launch").status, 2)

    def test_the_best_of_a_single_row_is_named(self):
        self.assertNotIn(" at . ", self.ask(TWO.replace("sm_80,64\n", "")))


class Streams(GivenRows):
    def start(self, *words, given=TWO):
        rows = subprocess.Popen([program.PATH, "--from", "-", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(lambda: (rows.kill(), rows.wait(), rows.stdin.close(), rows.stdout.close()))
        rows.stdin.write(given.encode())
        rows.stdin.flush()
        return rows

    def test_a_signal_ends_the_wait_for_rows_and_leaves_no_file(self):
        for given in (TWO, TWO + "sm_80,96\n" * 30_000):
            rows = self.start("-o", str(self.folder / "out.csv"), given=given)
            time.sleep(0.3)
            rows.send_signal(signal.SIGINT)
            self.assertEqual((rows.wait(timeout=program.SECONDS), os.listdir(self.folder)), (-signal.SIGINT, []))

    def test_the_first_rows_are_enough_where_no_more_are_asked_for(self):
        for tail in ("--top 2 --get arch", "--csv | head -2"):
            with self.subTest(tail=tail):
                result = program.run_in_shell(f'(printf "{SHORT}\\n"; yes sm_80,64) | "$0" --from - {tail}')
                self.assertEqual((result.status, result.err, result.out.count("\n")), (0, "", 2))

    def test_rows_that_options_multiply_are_not_gathered_in_memory(self):
        if not pathlib.Path("/proc/self/status").exists():
            self.skipTest("only Linux tells the memory of a process")
        rows = self.start("--csv", "--regs", "0:255", "--smem", "0:255K", given=TWO + "sm_80,96\n" * 20)
        rows.stdin.close()
        rows.stdout.read(1000)
        peak = re.search(r"VmHWM:\s*(\d+)", pathlib.Path(f"/proc/{rows.pid}/status").read_text())
        self.assertLess(int(peak[1]), 100_000)

    def test_more_rows_than_a_table_holds_are_refused_once(self):
        result = self.given(TWO, "--sort", "occupancy", "--regs", "0:255", "--smem", "0:2000K")
        self.assertEqual((result.status, len(result.out), result.err.count("\n")), (2, 0, 1))
        self.assert_error_line(result.err, "--from", "1,000,000")


if __name__ == "__main__":
    unittest.main()
