"""Charts, parsed back and compared with the rows of the same sweep as CSV."""

import csv
import io
import json
import re
import unittest
import xml.etree.ElementTree as ElementTree

import program

EIGHTHS = " ▁▂▃▄▅▆▇█"
SHADES = " ░▒▓█.:+#"
SVG = "{http://www.w3.org/2000/svg}"
LETTERS = {"warps": "w", "blocks": "b", "registers": "r", "shared_memory": "s", "barriers": "n", "virtual_resources": "v"}
KERNEL = ["--regs", "40", "--smem", "8K", "--block", "256", "--arch", "sm_80"]


def letter(row):
    limiters = row["limiters"].split("+") if row["limiters"] else []
    return "x" if row["launchable"] == "false" else "+" if len(limiters) > 1 else LETTERS[limiters[0]]


class Charts(program.ProgramTest):
    def rows(self, *words):
        return list(csv.DictReader(io.StringIO(self.answer(*words, "--csv"))))

    def plot(self, *words, **variables):
        result = program.run_command([program.PATH, *words, "--plot"], self.folder, **variables) if variables else \
            program.run_in_shell('LC_ALL=C.UTF-8 "$0" "$@"', *words, "--plot", folder=self.folder)
        self.assertEqual((result.status, result.err), (0, ""))
        return result.out

    def curves(self, text):
        """Of each curve the heights of its columns in eighths of a line, and its letters."""
        curves = []
        for part in re.split(r"(?m)^(?=Resident warps|Occupancy)", text)[1:]:
            lines = [line[6:] for line in part.splitlines() if re.match(r"^[ 0-9%]{4} │", line)]
            binds = re.search(r"(?m)^binds (.*)$", part).group(1)
            heights = [sum(EIGHTHS.index(line[i]) if i < len(line) else 0 for line in lines) for i in range(len(binds))]
            curves.append((heights, binds, part))
        return curves

    def assert_same(self, curve, rows, group):
        heights, binds, _ = curve
        groups = [rows[i:i + group] for i in range(0, len(rows), group)]
        least = [min(part, key=lambda row: int(row["active_warps_per_sm"])) for part in groups]
        cell = len(binds) // len(least)
        self.assertEqual(len(binds), cell * len(least))
        self.assertEqual(heights[::cell], [int(row["active_warps_per_sm"]) for row in least])
        self.assertEqual(binds[::cell], "".join(letter(row) for row in least))

    def test_the_three_curves_of_a_configuration_are_its_sweeps(self):
        block, registers, memory = self.curves(self.plot(*KERNEL))
        self.assert_same(block, self.rows("--regs", "40", "--smem", "8K", "--block", "all", "--arch", "sm_80"), 1)
        self.assert_same(registers, self.rows("--regs", "1:255", "--smem", "8K", "--block", "256", "--arch", "sm_80"), 4)
        self.assert_same(memory, self.rows("--regs", "40", "--smem", "0:166912:128", "--block", "256", "--arch", "sm_80"), 18)
        for curve, told in zip((block, registers, memory), ("▲ now 256: 48 warps, registers", "▲ now 40: 48 warps, registers",
                                                            "▲ now 8,192 B: 48 warps, registers")):
            self.assertIn(told, curve[2])
        self.assertIn("Cliffs: 64 warps up to 32, 48 warps up to 40, 40 warps up to 48, 32 warps up to", registers[2])
        self.assertIn("48 warps up to 26,880 B, 40 warps up to 32,512 B", memory[2])

    def test_the_configuration_at_hand_is_marked_as_it_is(self):
        for words, told in (
                (["--block", "100", "--regs", "0"], ["▲ now 100: 64 warps, warp slots", "▲ now 0: 64 warps, warp slots"]),
                (["--block", "16x16", "--regs", "40"], ["▲ now 256: 48 warps, registers"]),
                (["--block", "256", "--regs", "255", "--smem", "163K"], ["8 warps, registers and shared memory ▲"]),
                (["--block", "1024", "--regs", "255"], ["now 1,024: 0 warps, no launch ▲"])):
            text = self.plot("--arch", "sm_80", *words)
            for line in told:
                with self.subTest(words=words, line=line):
                    self.assertIn(line, text)
        text = self.plot("--arch", "sm_80", "--block", "2048")
        self.assertIn("now 2,048: 0 warps, no launch (beyond this axis) >", text)
        self.assertNotIn("registers ▲", text)

    def test_a_swept_axis_is_a_curve(self):
        for arch, sweep in (("sm_80", ["--block", "32:1024:32"]), ("sm_120", ["--block", "64:512:64"]),
                            ("sm_107", ["--regs", "32:255:7", "--block", "128"])):
            with self.subTest(arch=arch):
                words = ["--arch", arch, *(["--regs", "40"] if "--regs" not in sweep else []), *sweep]
                (curve,) = self.curves(self.plot(*words))
                self.assert_same(curve, self.rows(*words), 1)
        unsorted = self.plot("--arch", "sm_80", "--regs", "40", "--block", "512,64,256")
        self.assertEqual(unsorted, self.plot("--arch", "sm_80", "--regs", "40", "--block", "64,256,512"))

    def test_architectures_are_bars(self):
        words = ["--arch", "all", "--regs", "40", "--block", "256"]
        lines = [line for line in self.plot(*words).splitlines() if "│" in line]
        told = [(line.split()[0], re.search(r"([0-9.]+) %, (.*)$", line).groups()) for line in lines]
        rows = self.rows(*words)
        self.assertEqual([name for name, _ in told], [row["arch"] for row in rows])
        self.assertEqual([float(share) for _, (share, _) in told], [round(100 * float(row["occupancy"]), 2) for row in rows])
        bars = [line.split("│")[1].split(" ")[0].count("█") for line in lines]
        self.assertEqual(max(bars), bars[told.index(next(one for one in told if one[1][0] == "100"))])

    def test_two_axes_are_a_map(self):
        words = ["--arch", "sm_90", "--block", "64:512:64", "--regs", "32:128:32"]
        lines = self.plot(*words).splitlines()
        first = next(i for i, line in enumerate(lines) if line.startswith("threads per block"))
        cells = [re.findall(rf"(\d+)[{SHADES}]([wbrsnvx+])", line[17:]) for line in lines[first + 1:first + 9]]
        expected = [(row["active_warps_per_sm"], letter(row)) for row in self.rows(*words)]
        self.assertEqual([cell for line in cells for cell in line], expected)
        self.assertEqual(lines[first].split()[3:], ["32", "64", "96", "128"])

    def test_grids_and_clusters_are_drawn_by_what_they_average(self):
        words = ["--gpu", "a100", "--regs", "40", "--block", "256", "--grid", "100:1300:100"]
        text = self.plot(*words)
        self.assertIn("Occupancy on average over the launch (at most) against blocks of the grid", text)
        ((heights, binds, _),) = self.curves(text)
        cell = len(binds) // 13
        self.assertEqual(heights[::cell], [round(64 * float(row["average_occupancy_bound"])) for row in self.rows(*words)])

    def test_what_is_unknown_is_no_zero(self):
        words = ["--gpu", "all", "--regs", "32", "--block", "256", "--grid", "5000"]
        self.assertRegex(self.plot(*words), r"(?m)^A10G +│ +unknown$")
        self.assertRegex(self.plot(*words[:4], "--block", "128,256", *words[6:]), r"(?m)^A10G +\? \? +\? \?$")
        self.svg(*words)
        self.assertIn("A10G: unknown", (self.folder / "chart.svg").read_text())

    def test_steps_are_named_where_the_value_changes(self):
        words = ["--gpu", "a100", "--regs", "40", "--block", "256", "--grid"]
        self.assertIn("Falls: after 648 from 75 % to 37.56 %, after 1,296 from 75 % to 50.04 %.",
                      self.plot(*words, "100:1400"))
        same = self.plot("--gpu", "a100", "--regs", "40:64:8", "--block", "256", "--grid", "700")
        self.assertNotIn("Cliffs", same)  # alike but for the last bit of a double
        self.assertIn("Cliffs: 81.02 % up to 32, 40.51 % up to 64.",
                      self.plot("--gpu", "a100", "--regs", "32:64:8", "--block", "256", "--grid", "700"))

    def test_a_name_that_xml_has_no_letters_for_is_drawn_without_them(self):
        (self.folder / "mine.json").write_text(json.dumps({"name": "a\ufffeb\uffffc", "aliases": ["zz"],
                                                           "compute_capability": "9.0", "sm_count": 100}))
        root = self.svg("--gpu-file", "mine.json", "--gpu", "zz,l4", "--block", "64")
        self.assertIn("a b c", [text.text for text in root.iter(SVG + "text")])

    def test_of_a_long_name_the_beginning_is_shown(self):
        path = self.folder / "mine.json"
        for name in ("n" * 256, "é" * 128):
            path.write_text(json.dumps({"name": name, "compute_capability": "9.0", "sm_count": 100}))
            words = ["--gpu-file", "mine.json", "--gpu", f"{name},l4", "--block", "64"]
            self.assertRegex(self.plot(*words), f"(?m)^{name[0]}{{25}}\\.\\.\\. │█+")
            labels = [text.text for text in self.svg(*words).iter(SVG + "text")]
            self.assertIn(name[0] * 37 + "...", labels)
        path.write_text(json.dumps({"name": "n" * 257}))
        self.assert_refused(["gpus", "--gpu-file", "mine.json"], "mine.json", "up to 256 bytes")

    def test_a_narrow_terminal_is_not_overrun(self):
        for words in (["--arch", "all"], ["--gpu", "all"], ["--arch", "sm_80"], ["--arch", "sm_80,sm_90", "--smem", "0:96K:8K"]):
            for width in (60, 80, 120):
                with self.subTest(words=words, width=width):
                    text = program.run_in_shell(f'LC_ALL=C.UTF-8 COLUMNS={width} "$0" "$@"', "--regs", "40", "--block",
                                                "256", "--plot", *words).out
                    drawn = [line for line in text.splitlines() if re.search("[│└█░▒▓]", line)]
                    self.assertGreater(len(drawn), 1)
                    self.assertLessEqual(max(map(len, drawn)), width)

    def test_numbers_of_an_even_axis_stand_at_even_distances(self):
        text = self.plot("--gpu", "a100", "--regs", "40", "--block", "256", "--grid", "100:2000:20")
        numbers = [int(number) for number in text.splitlines()[next(
            i for i, line in enumerate(text.splitlines()) if line.startswith("binds")) + 1].split()]
        self.assertGreater(len(numbers), 4)
        self.assertEqual(len({after - before for before, after in zip(numbers, numbers[1:])}), 1, numbers)

    def test_cliffs_of_the_picture_are_where_the_value_falls(self):
        words = ["--regs", "40", "--smem", "8K", "--block", "256", "--arch", "sm_80"]
        labels = [text.text for text in self.svg(*words).iter(SVG + "text")]
        sizes = [int(number.replace(",", "")) for number in re.findall(r"(?m)^(?:\S )?(\d+,\d+)$", "\n".join(labels))]
        falls = [size for size in sizes if size > 1024]  # of shared memory; blocks and registers are no more
        self.assertGreater(len(falls), 2)
        for size in falls:
            before, after = (int(self.answer("--regs", "40", "--smem", str(amount), "--block", "256", "--arch", "sm_80", "--get",
                                             "active_warps_per_sm"))
                             for amount in (size, size + 1))
            self.assertGreater(before, after, size)

    def test_what_is_told_of_bars_stands_beside_the_scale(self):
        root = self.svg("--regs", "40", "--block", "256", "--arch", "all")
        full = next(float(text.get("x")) for text in root.iter(SVG + "text") if text.text == "100 %")
        told = [float(text.get("x")) for text in root.iter(SVG + "text") if re.match(r"[\d.]+ %, ", text.text or "")]
        self.assertGreater(len(told), 20)
        self.assertTrue(all(x > full for x in told))

    def test_a_map_tells_its_scale_and_what_cannot_launch(self):
        root = self.svg("--regs", "32:255", "--block", "32:1024:32", "--arch", "sm_80")
        labels = [text.text for text in root.iter(SVG + "text")]
        for value in ("0", "16", "32", "48", "64", "Crossed out: no launch."):
            self.assertIn(value, labels)

    def test_the_numbers_of_a_list_stand_side_by_side(self):
        root = self.svg("--regs", "32,255", "--block", "256", "--arch", "sm_90")
        ends = [float(re.search(r"H([\d.]+)", path.get("d")).group(1)) for path in root.iter(SVG + "path")
                if path.get("class").startswith("line") and "H" in path.get("d")]
        self.assertEqual(ends, [504, 932])  # halves of the axis

    def test_a_locale_without_unicode_gets_ascii(self):
        for words in (KERNEL, ["--arch", "all", "--block", "256"], ["--arch", "sm_80", "--block", "64,128", "--regs", "32,64"]):
            with self.subTest(words=words):
                self.assertTrue(self.answer(*words, "--plot").isascii())

    def test_a_chart_fits_its_line(self):
        for words in (KERNEL, ["--arch", "all", "--block", "256", "--regs", "40"], ["--arch", "sm_90", "--block", "all", "--regs", "24:128:8"]):
            with self.subTest(words=words):
                self.assertLessEqual(max(len(line) for line in self.plot(*words).splitlines()), 80)

    def svg(self, *words):
        self.assertEqual(self.answer(*words, "-o", "chart.svg"), "")
        return ElementTree.parse(self.folder / "chart.svg").getroot()

    def test_the_steps_of_a_picture_are_those_of_the_rows(self):
        words = ["--regs", "1:255", "--smem", "8K", "--block", "256", "--arch", "sm_80"]
        root = self.svg(*words)
        texts = [(float(t.get("x")), float(t.get("y")), t.get("text-anchor"), t.text) for t in root.iter(SVG + "text")
                 if t.get("class") == "soft small"]
        numbers = [(x, int(text)) for x, _, anchor, text in texts if anchor == "middle" and text.isdigit()]
        warps = [(y - 5, int(text)) for _, y, anchor, text in texts if anchor == "end" and text.isdigit()]

        def value(at, scale):
            (p0, v0), (p1, v1) = scale[0], scale[-1]
            return round(v0 + (at - p0) * (v1 - v0) / (p1 - p0))
        drawn = {}
        for path in root.iter(SVG + "path"):
            match = re.fullmatch(r"M([\d.]+) [\d.]+V([\d.]+)H([\d.]+)", path.get("d"))
            if match and path.get("class").startswith("line"):
                begin, y, end = map(float, match.groups())
                for x in range(value(begin, numbers) + 1, value(end, numbers) + 1):
                    drawn[x] = value(y, warps)
        self.assertEqual(drawn, {int(row["registers_per_thread"]): int(row["active_warps_per_sm"]) for row in self.rows(*words)})

    def test_a_picture_stands_alone_and_tells_itself_in_words(self):
        for words in (KERNEL, ["--arch", "all", "--block", "256", "--regs", "40"],
                      ["--arch", "sm_90", "--block", "64:512:64", "--regs", "32:128:32"]):
            with self.subTest(words=words):
                root = self.svg(*words)
                source = (self.folder / "chart.svg").read_text()
                self.assertEqual((root.tag, root.get("role")), (SVG + "svg", "img"))
                self.assertIn("CUDA occupancy: ", root.find(SVG + "title").text)
                self.assertIn("esident warps per SM" if "all" not in words else "Occupancy", root.find(SVG + "desc").text)
                self.assertNotRegex(source.replace("http://www.w3.org/2000/svg", ""), r"https?:|<script|<image|@import|url\(")
                self.assertIn("prefers-color-scheme:dark", source)
                width, height = map(float, (root.get("width"), root.get("height")))
                self.assertEqual(root.get("viewBox").split(), ["0", "0", root.get("width"), root.get("height")])
                for text in root.iter(SVG + "text"):
                    self.assertTrue(0 <= float(text.get("x")) <= width and 0 <= float(text.get("y")) <= height, text.text)

    def test_texts_of_the_user_are_no_markup(self):
        name = "<b>&\"' mine</b>"
        (self.folder / "mine.json").write_text('{"name": "' + name.replace('"', '\\"') + '", "compute_capability": "9.0", "sm_count": 9}')
        (self.folder / "other.json").write_text('{"name": "Other", "compute_capability": "9.0", "sm_count": 9}')
        words = ["--gpu-file", "mine.json", "--gpu-file", "other.json", "--gpu", "b mine b", "--gpu", "other", "--block", "256"]
        root = self.svg(*words)
        self.assertTrue(any(text.text.startswith("<b>&\"'") for text in root.iter(SVG + "text")))
        self.assertIsNone(root.find(f".//{SVG}b"))

    def test_what_is_no_chart_is_refused(self):
        for words, named in [
                ([*KERNEL, "--plot", "--json"], "--format svg"), ([*KERNEL, "--plot", "--get", "arch"], "--plot"),
                ([*KERNEL, "--plot", "--columns", "arch"], "--columns"), ([*KERNEL, "--plot", "--sort", "arch"], "--sort"),
                (["--arch", "sm_80,sm_90", "--block", "64,128", "--regs", "32,64", "--plot"], "3 do here"),
                (["--arch", "sm_80", "--block", "64", "--regs", "1:200000", "--plot"], "100,000 rows"),
                (["--from", "x.csv", "--plot"], "--plot"), (["archs", "--format", "svg"], "svg"),
                (["gpus", "--format", "svg"], "svg"), (["kernels", "x", "-o", "x.svg"], "svg")]:
            with self.subTest(words=words):
                self.assert_refused(words, named)
        self.assert_refused(["--arch", "sm_80,sm_90", "--block", "64,128", "--regs", "32,64", "-o", "x.svg"], "3 do here")
        self.assertFalse((self.folder / "x.svg").exists())

    def test_gates_are_held_against_what_is_drawn(self):
        words = ["--arch", "sm_80", "--block", "64,1024", "--regs", "200", "--require-launch"]
        result = program.run(*words, "--plot")
        self.assertEqual(result.status, 1)
        self.assertIn("1 of 2", result.err)


if __name__ == "__main__":
    unittest.main()
