"""Forms of GPU binaries that the compiler of this toolkit does not write, made of those that it writes.

    python3 other_forms.py lz4 FATBIN OUT          its cubins compressed with LZ4, as toolkits before 12.8 did
    python3 other_forms.py sectionless ELF OUT     without section headers
    python3 other_forms.py pe FATBIN OUT           amid bytes that begin as a program of Windows does
    python3 other_forms.py bsd MEMBER... OUT       an archive with BSD's names
"""

import pathlib
import struct
import subprocess
import sys

CUBIN, LZ4_FLAG = 2, 0x2000


def lz4_block(data):
    """The one block of a frame that the command lz4 writes; the format of frames has 7 bytes and more before it."""
    command = ["lz4", "-9", "-B7", "--no-frame-crc", "-c"]
    frame = subprocess.run(command, input=data, capture_output=True, check=True).stdout
    flags = frame[4]
    begin = 7 + (8 if flags & 8 else 0)
    size = struct.unpack_from("<I", frame, begin)[0]
    assert size < 2**31 and struct.unpack_from("<I", frame, begin + 4 + size)[0] == 0, "not one compressed block"
    return frame[begin + 4:begin + 4 + size]


def lz4(fatbin):
    entries, at = b"", 16
    while at < len(fatbin):
        kind, header_size, payload_size, compressed = struct.unpack_from("<HxxIQI", fatbin, at)
        header = bytearray(fatbin[at:at + header_size])
        payload = fatbin[at + header_size:at + header_size + payload_size]
        at += header_size + payload_size
        if kind == CUBIN and not compressed:
            block = lz4_block(payload)
            struct.pack_into("<Q", header, 0x38, len(payload))
            payload = block + bytes(-len(block) % 8)
            struct.pack_into("<QI", header, 0x08, len(payload), len(block))
            struct.pack_into("<Q", header, 0x28, struct.unpack_from("<Q", header, 0x28)[0] | LZ4_FLAG)
        entries += bytes(header) + payload
    return fatbin[:8] + struct.pack("<Q", len(entries)) + entries


def sectionless(elf):
    header = bytearray(elf[:64])
    begin = struct.unpack_from("<Q", header, 0x28)[0]
    struct.pack_into("<Q", header, 0x28, 0)      # e_shoff
    struct.pack_into("<HH", header, 0x3C, 0, 0)  # e_shnum, e_shstrndx
    return bytes(header) + elf[64:begin]         # they stand at the end


def pe(fatbin):
    return b"MZ\x90".ljust(1000, b"\0") + fatbin + b"the end"


def bsd(*members):
    archive = b"!<arch>\n"
    for name, data in members:
        name = name.encode().ljust((len(name) + 7) // 4 * 4, b"\0")
        archive += b"#1/%-13d%-12d%-6d%-6d%-8s%-10d`\n" % (len(name), 0, 0, 0, b"100644", len(name) + len(data))
        archive += name + data + b"\n" * ((len(name) + len(data)) % 2)
    return archive


def main(form, *files):
    *given, out = map(pathlib.Path, files)
    data = [path.read_bytes() for path in given]
    if form == "bsd":
        made = bsd(*zip((path.name for path in given), data))
    else:
        made = {"lz4": lz4, "sectionless": sectionless, "pe": pe}[form](*data)
    out.write_bytes(made)


if __name__ == "__main__":
    main(*sys.argv[1:])
