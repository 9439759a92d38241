"""Runs the commands of transcripts and compares, or with --update writes, what they print.

A transcript is a line `$ COMMAND`, then everything that the command prints (both streams), up to the next such line.
README.md holds transcripts in blocks fenced with ```console; tests/cli/golden/*.txt are transcripts as a whole. The
commands of one file run in one folder, which is empty but for data/.

    python3 tests/cli/transcripts.py [--update] FILE...      (OCCCALC = the program)
"""

import difflib
import os
import pathlib
import subprocess
import sys
import tempfile

TIMEOUT_SECONDS = 60
DATA = pathlib.Path(__file__).resolve().parents[2] / "data"


def run(command, folder):
    program = pathlib.Path(os.environ["OCCCALC"]).resolve()
    environment = dict(os.environ, PATH=f"{program.parent}:{os.environ['PATH']}", TERM="dumb", LC_ALL="C.UTF-8")
    environment.pop("COLUMNS", None)
    result = subprocess.run(["sh", "-c", command], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            timeout=TIMEOUT_SECONDS, text=True, stdin=subprocess.DEVNULL, cwd=folder)
    status = f"[status {result.returncode}]\n" if result.returncode != 0 else ""
    return result.stdout + status


def rerun(lines, folder):
    """The transcript with fresh output. A blank line before the next command is kept."""
    fresh = []
    commands = [index for index, line in enumerate(lines) if line.startswith("$ ")]
    for index, following in zip(commands, commands[1:] + [len(lines)]):
        fresh.append(lines[index])
        fresh += run(lines[index][2:], folder).splitlines()
        if following > index + 1 and lines[following - 1] == "":
            fresh.append("")
    return lines[:commands[0]] + fresh if commands else lines


def refreshed(path, folder):
    lines = path.read_text().splitlines()
    if path.suffix != ".md":
        return rerun(lines, folder)
    fresh, block = [], None
    for line in lines:
        if block is None:
            fresh.append(line)
            block = [] if line == "```console" else None
        elif line == "```":
            fresh += rerun(block, folder) + [line]
            block = None
        else:
            block.append(line)
    return fresh


def main(arguments):
    update = "--update" in arguments
    paths = [pathlib.Path(argument) for argument in arguments if argument != "--update"]
    commands = differing = 0
    for path in paths:
        old = path.read_text().splitlines()
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(DATA, os.path.join(folder, "data"))
            new = refreshed(path, folder)
        commands += sum(line.startswith("$ ") for line in old)
        if update:
            path.write_text("\n".join(new) + "\n")
        elif old != new:
            differing += 1
            print("\n".join(difflib.unified_diff(old, new, f"{path} (written)", f"{path} (run)", lineterm="")))
    print(f"{commands} commands in {len(paths)} files, {differing} files differ")
    return 1 if differing or commands == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
