"""Documents and command lines for test_schema.py, each change as the path of a key and its new value."""

import json

REMOVED = object()

# The four lines that a user writes for a part with a larger register file.
USER_FILE = """{
  "name": "sm_80x", "based_on": "sm_80",
  "limits": {"registers_per_sm": 131072}
}"""
# Low limits, for the reasons that no built-in part gives.
SMALL_PART = {"name": "small", "based_on": "sm_52", "limits": {
    "max_threads_per_sm": 1024, "max_warps_per_sm": 32, "max_barriers_per_block": 8, "barriers_per_sm": 4}}


def limit(name, value):
    return (("limits", name), value)


# Changes of a complete architecture that make it invalid, each seen by the schema and by the program.
DAMAGE = {
    "unknown key": (("colour",), "green"),
    "unknown limit": limit("max_colours", 3),
    "missing limit": limit("barriers_per_sm", REMOVED),
    "missing limits": (("limits",), REMOVED),
    "missing name": (("name",), REMOVED),
    "missing compute capability": (("compute_capability",), REMOVED),
    "string for a number": limit("registers_per_sm", "65536"),
    "true for a number": limit("max_blocks_per_sm", True),
    "number for true": limit("partitioned_global_caching", 1),
    "half a register": limit("registers_per_sm", 65536.5),
    "negative number": limit("max_blocks_per_sm", -1),
    "negative reserve": limit("reserved_shared_memory_per_block", -1),
    "zero registers": limit("registers_per_sm", 0),
    "zero barriers of the SM": limit("barriers_per_sm", 0),
    "zero as the default carveout": limit("default_carveout", 0),
    "null registers": limit("registers_per_sm", None),
    "null tensor memory": limit("tensor_memory_columns", None),
    "number beyond any part": limit("max_blocks_per_sm", 2**24 + 1),
    "bytes beyond any part": limit("l1_size", 2**40 + 1),
    "no carveouts": limit("carveouts", []),
    "seventeen carveouts": limit("carveouts", list(range(16)) + [167936]),
    "the same carveout twice": limit("carveouts", [0, 65536, 65536, 167936]),
    "two block dimensions": limit("max_block_dim", [1024, 1024]),
    "zero as a block dimension": limit("max_block_dim", [1024, 1024, 0]),
    "threads that are no whole warps": limit("max_threads_per_sm", 2047),
    "several sizes where the carveout is fixed": limit("carveout_kind", "fixed"),
    "unknown kind of carveout": limit("carveout_kind", "free"),
    "larger cluster known, smaller not": limit("max_portable_cluster", None),
    "unknown latency": (("latencies", "l7_cycles"), 3),
    "no latency": (("latencies", "dram_latency_cycles"), 0),
    "half a cycle": (("latencies", "fma_latency_cycles"), 4.5),
    "unknown confidence": (("confidence",), "certain"),
    "null confidence": (("confidence",), None),
    "name that starts with a digit": (("name",), "80x"),
    "name with a space": (("name",), "sm 80"),
    "name that ends in a newline": (("name",), "sm_80x\n"),
    "name of 41 letters": (("name",), "x" * 41),
    "empty name": (("name",), ""),
    "name with another meaning": (("name",), "All"),
    "name of a target": (("name",), "sm_80a"),
    "compute capability without a point": (("compute_capability",), "80"),
    "compute capability as a number": (("compute_capability",), 8.0),
    "source of no limit": (("sources", "colour"), ["guide134"]),
    "limit without a source in its list": (("sources", "l1_size"), []),
    "targets as a string": (("targets",), "sm_80"),
    "note that is a number": (("notes",), [1]),
    "reference without a title": (("references", "guide134", "title"), REMOVED),
    "conflict about no limit": (("conflicts", 0, "field"), "colour"),
    "conflict without a reason": (("conflicts", 0, "why"), REMOVED),
    "version of another format": (("schema",), "occcalc/0"),
    "base that is null": (("based_on",), None),
}

# Documents that are wrong as a whole.
DAMAGED_WHOLES = {"empty array": [], "number": 5, "null": None, "empty object": {}, "array in an array": [[]],
                  "document without architectures": {"schema": "occcalc-architectures/1", "architectures": []},
                  "document without a version": {"architectures": [json.loads(USER_FILE)]},
                  "document with an unknown key": {"schema": "occcalc-architectures/1", "colour": 1,
                                                   "architectures": [json.loads(USER_FILE)]}}

# Changes that only arithmetic, or a look at another place, shows to be wrong.
CONTRADICTIONS = {
    "threads are not 32 a warp": limit("max_threads_per_sm", 2016),
    "carveout above the capacity": limit("carveouts", [0, 167936, 200704]),
    "carveouts out of order": limit("carveouts", [65536, 0, 167936]),
    "default that is no carveout": limit("default_carveout", 4096),
    "block with more registers than the SM": limit("max_registers_per_block", 131072),
    "block with more threads than the SM": limit("max_threads_per_block", 4096),
    "opt-in beyond the SM": limit("max_shared_memory_per_block_optin", 167936),
    "registers that do not divide": limit("sub_partitions", 3),
    "L1 smaller than its shared memory": limit("l1_size", 4096),
    "larger cluster below the smaller": limit("max_portable_cluster", 8),
    "name against the compute capability": (("compute_capability",), "9.0"),
    "citation without its reference": (("sources", "l1_size"), ["hearsay"]),
    "target of another part": (("targets",), ["sm_90a"]),
    "unknown base": (("based_on",), "sm_99"),
    "whole number written with a point": limit("registers_per_sm", 65536.0),
}

# Texts that never become the document they look like.
BAD_TEXTS = {
    "key twice": USER_FILE.replace('"based_on"', '"name": "sm_80x", "based_on"'),
    "cut off": USER_FILE[:-1],
    "empty": "",
    "nested 100000 levels": "[" * 100000,
}

# Changes that stay valid: zero, null and names at their bounds.
STILL_VALID = {
    "no reserve": limit("reserved_shared_memory_per_block", 0),
    "barriers without a known pool": limit("barriers_per_sm", None),
    "unknown virtual resources": limit("virtual_resources_per_sm", None),
    "unknown larger cluster": limit("max_nonportable_cluster", None),
    "sixteen carveouts": limit("carveouts", list(range(15)) + [167936]),
    "name of 40 letters": (("name",), "x" * 40),
    "no sources": (("sources",), REMOVED),
    "base and all limits": (("based_on",), "sm_90"),
}

# As varied as the answers get; together they give every reason and note that a command line can provoke.
COMMAND_LINES = [line.split() for line in """
    --arch sm_80 --block 256 --regs 40 --smem 8K
    --arch sm_80 --block 256
    --arch 9.0a --block 16x16 --regs 0 --smem 0 --barriers 0
    --arch sm_86 --block 224 --regs 32 --smem 1.5K
    --arch textbook --block 256 --regs 37 --smem 10000
    --arch textbook --block 100
    --arch sm_107 --block 512 --regs 32 --smem 300K --virtual-resources 8
    --arch sm_107 --block 128 --carveout 328K --barriers 3
    --arch sm_80 --block 2048x1 --regs 32
    --arch sm_80 --block 1x2048 --regs 32
    --arch sm_80 --block 1x1x65 --regs 32
    --arch sm_80 --block 1024 --regs 255
    --arch sm_80 --block 32 --regs 300
    --arch sm_80 --block 256 --regs 32 --smem 200K
    --arch sm_80 --block 256 --regs 32 --smem-static 50K --smem-dynamic 1K
    --arch sm_80 --block 256 --regs 32 --smem 64K --no-opt-in --virtual-resources 1
    --arch sm_80 --block 256 --regs 32 --smem 60K --carveout max-l1 --global-caching on
    --arch sm_37 --block 64 --smem-per-thread 16 --carveout equal
    --arch sm_52 --block 1024 --regs 64 --carveout 50% --barriers 2 --global-caching on
    --arch sm_52 --block 1024 --regs 64 --global-caching strict
    --arch sm_100f --block 128 --regs 64 --virtual-resources 200
    --arch sm_120 --block 32 --regs 24 --barriers 16
    --arch small --block 1024 --global-caching on
    --arch small --block 32 --barriers 5
    --arch small --block 32 --barriers 9
    --arch sm_80 --block 256 --regs 40 --smem 26880 --cliffs --budget --target-blocks 8 --explain --suggest-block
    --arch sm_80 --block 256 --regs 40 --grid 700 --sms 108 --achieved 40%
    --arch sm_90 --block 128 --regs 32 --grid 8448 --sms 132
    --gpu h200-sxm --block 384 --regs 168 --cluster 16 --grid 256 --gpcs 16,16,16,16,16,16,18,18 --latency
    --arch sm_90 --block 256 --regs 40 --cluster 32 --sms 132
    --arch sm_90 --block 256 --regs 40 --cluster 2x2x2 --grid 9x9x9 --sms 132
    --arch sm_90 --block 1024 --regs 64 --cluster 8 --sms 4
    --gpu thor --block 256 --regs 40 --cluster 16 --grid 160 --latency --ilp 4
    --gpu rtx4090 --block 256 --regs 40 --bytes-in-flight 16
    --arch sm_86 --block 256 --regs 40 --ilp 2
    --arch sm_120 --regs 168 --suggest-block --sms 170 --target-occupancy 100% --budget --cliffs
    --arch sm_90a --block 384 --regs 168 --smem 200K --explain --target-blocks 2 --barriers 3 --budget
    --arch sm_52 --block 1024 --regs 64 --global-caching on --cliffs --budget --explain
    --arch sm_35 --block 96 --smem 9000 --carveout max-l1 --cliffs --budget --target-blocks 3
    --arch sm_89 --block 512 --regs 162 --cliffs --budget --target-blocks 1 --explain --suggest-block
    --arch sm_90 --block 32 --regs 200
    --arch sm_80 --block 2147483647 --regs 2147483647 --smem 9223372036854775807
""".strip().splitlines()]

# Changes of a valid answer that make it invalid.
WRONG_ANSWERS = [
    (("schema",), "occcalc/2"), (("occupancy",), 1.5), (("occupancy",), None), (("active_blocks_per_sm",), 0),
    (("limit_registers",), -1), (("limit_blocks",), None), (("limiters",), ["colour"]), (("launchable",), False),
    (("reasons",), ["registers_per_sm"]), (("ceilings", 0, "binds"), None), (("notes",), [{"code": "full"}]),
    (("arch",), REMOVED)]
