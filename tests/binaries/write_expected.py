"""Writes expected.csv: what is to be read from the binaries of make.sh. Only their logs and sources are read for it.

    python3 write_expected.py FOLDER               with the logs; the sources are beside this file
"""

import csv
import pathlib
import re
import sys

SOURCES = pathlib.Path(__file__).parent
FIELDS = ["file", "member", "kernel", "arch", "registers_per_thread", "static_shared_memory", "barriers", "stack_frame",
          "max_threads_per_block", "required_block", "cluster", "linked"]

PTXAS = re.compile(r"Compiling entry function '(?P<kernel>[^']+)' for '(?P<arch>sm_\w+)'\n"
                   r"ptxas info    : Function properties for (?P=kernel)\n"
                   r" *(?P<stack_frame>\d+) bytes stack frame, .*\n"
                   r"ptxas info    : Used (?P<registers_per_thread>\d+) registers, used (?P<barriers>\d+) barriers"
                   r"(?:, \d+ bytes cumulative stack size)?(?:, (?P<static_shared_memory>\d+) bytes smem)?")
NVLINK = re.compile(r"Function properties for '(?P<kernel>[^']+)':(?: \(target: (?P<arch>sm_\w+)\))?\n"
                    r"nvlink info    : used (?P<registers_per_thread>\d+) registers, used (?P<barriers>\d+) barriers, "
                    r"\d+ stack, (?P<static_shared_memory>\d+) bytes smem")
RESERVE = 1024  # nvlink counts it from sm_90 on, in a kernel that has shared memory

CUDA_KERNEL = re.compile(r"__global__ void (?P<bounds>__\w+__\(.*\) )?(?P<kernel>\w+)\(")
PTX_KERNEL = re.compile(r"\.entry (?P<kernel>\w+)\([^)]*\)(?P<bounds>[^{]*)")


def dimensions(text):
    """The block in `4, 2` is 4x2x1."""
    sizes = text.replace(" ", "").split(",")
    return "x".join(sizes + ["1"] * (3 - len(sizes)))


def found(pattern, text):
    match = re.search(pattern, text)
    return match and match[1]


def stated(source):
    """What the source itself says, by kernel: the size of its blocks, its clusters."""
    text = (SOURCES / source).read_text()
    kernels = {}
    for kernel in (CUDA_KERNEL if source.endswith(".cu") else PTX_KERNEL).finditer(text):
        bounds = kernel["bounds"] or ""
        most = found(r"__launch_bounds__\((\d+)", bounds)
        maxntid = found(r"\.maxntid ([\d, ]+)", bounds)
        if maxntid:
            x, y, z = map(int, dimensions(maxntid).split("x"))
            most = x * y * z
        required = found(r"__block_size__\(\(([\d, ]+)\)", bounds) or found(r"\.reqntid ([\d, ]+)", bounds)
        cluster = (found(r"__cluster_dims__\(([\d, ]+)\)", bounds) or found(r"\.reqnctapercluster ([\d, ]+)", bounds) or
                   found(r"__block_size__\(.*, \(([\d, ]+)\)\)", bounds) or
                   ("1" if "__block_size__" in bounds else None))  # a cluster of one block where it names none
        kernels[kernel["kernel"]] = {"max_threads_per_block": most or "",
                                     "required_block": dimensions(required) if required else "",
                                     "cluster": dimensions(cluster) if cluster else ""}
    return kernels


def compiled(folder, log, source, linked="true", arch=None):
    """The rows of a log of ptxas."""
    bounds = stated(source)
    for entry in PTXAS.finditer((folder / f"{log}.log").read_text()):
        if arch in (None, entry["arch"]):
            row = {**entry.groupdict(), "static_shared_memory": entry["static_shared_memory"] or "0", "linked": linked}
            yield {**row, **bounds.get(entry["kernel"], {})}


def linked(folder, log, only=None):
    """The rows of a log of nvlink, which lists kernels the other way round. Its stack is that of all calls: the
    kernel's own frame is what ptxas printed."""
    before = {(row["kernel"], row["arch"]): row for row in compiled(folder, "calling", "calling.cu")}
    entries = list(NVLINK.finditer((folder / f"{log}.log").read_text()))
    for arch in dict.fromkeys(entry["arch"] or only for entry in entries):
        for entry in reversed([entry for entry in entries if (entry["arch"] or only) == arch]):
            shared = int(entry["static_shared_memory"])
            if arch == "sm_90" and shared:
                shared -= RESERVE
            yield {**before[entry["kernel"], arch], "registers_per_thread": entry["registers_per_thread"],
                   "barriers": entry["barriers"], "static_shared_memory": str(shared)}


def ptx(source, arch):
    for kernel, bounds in stated(source).items():
        yield {"kernel": kernel, "arch": arch, **bounds}


def rows(folder):
    """Of each file: the member and its rows, in the order of the file."""
    for arch in ("sm_80", "sm_90"):
        yield f"kernels.{arch}.cubin", "", compiled(folder, f"kernels.{arch}", "kernels.cu")
    for arch in ("sm_75", "sm_80", "sm_89", "sm_90", "sm_90a", "sm_100a", "sm_100f", "sm_120"):
        yield f"few.{arch}.cubin", "", compiled(folder, f"few.{arch}", "few.cu")
    yield "required.cubin", "", compiled(folder, "required", "required.ptx")
    yield "triton/add_kernel.cubin", "", compiled(folder, "add_kernel", "add_kernel.ptx")

    # The log comes in the order of nvcc's work, the fatbin has the targets as they are numbered.
    for log, files in (("none", ["none.fatbin", "lz4.fatbin"]), ("size", ["size.fatbin", "size.exe"])):
        for file in files:
            for arch in ("sm_75", "sm_80", "sm_90a", "sm_100f"):
                yield file, "", compiled(folder, log, "few.cu", arch=arch)
    yield "speed.fatbin", "", compiled(folder, "speed", "few.cu")
    yield "ptx.fatbin", "", ptx("few.cu", "sm_90")
    yield "few.ptx", "", ptx("few.cu", "sm_90")
    yield "required.ptx", "", ptx("required.ptx", "sm_80")
    yield "add_kernel.ptx", "", ptx("add_kernel.ptx", "sm_90a")
    yield "lto.fatbin", "", compiled(folder, "lto", "few.cu")

    for file in ("host", "lineinfo", "debug"):
        yield f"{file}.o", ".nv_fatbin", compiled(folder, file, "few.cu")
    fill = list(compiled(folder, "program", "program.cu"))
    sized = list(compiled(folder, "sized", "sized.cu"))
    yield "two.o", ".nv_fatbin", fill + sized
    yield "program", ".nv_fatbin", fill
    yield "program-sectionless", "", fill

    relocatable = list(compiled(folder, "calling", "calling.cu", "false"))
    device = list(compiled(folder, "device", "device.cu", "false"))
    yield "calling.o", "__nv_relfatbin", relocatable
    yield "dlink.o", ".nv_fatbin", linked(folder, "dlink", "sm_90")
    yield "linked", ".nv_fatbin", linked(folder, "linked")
    yield "linked", "__nv_relfatbin", relocatable + device

    for file in ("gnu.a", "bsd.a"):
        yield file, "short.o", fill
        yield file, "a-name-of-more-than-15-characters.o", sized
    yield "thin.a", "calling.o", relocatable
    yield "thin.a", "dlink.o", linked(folder, "dlink", "sm_90")


def main(folder):
    folder = pathlib.Path(folder)
    with open(folder / "expected.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, restval="", lineterminator="\n")
        writer.writeheader()
        for name, member, found_rows in rows(folder):
            for row in found_rows:
                writer.writerow({"file": name, "member": member, **row})


if __name__ == "__main__":
    main(*sys.argv[1:])
