"""Records for which types TensorFlow has kernels on GPUs, into `tfbench/engine/gpu_kernels.txt`.

Run it with a Python whose TensorFlow was built with CUDA (`tensorflow`, not `tensorflow-cpu`); no GPU is needed, since
the registry of kernels is there without one: `python tests/oracle/gpu_kernels.py`. Kernels for the device type DEFAULT
run on every device. Left out are kernels with a label, and ops that no program of TensorFlow 1 builds. Ops whose
kernels for the CPU have the higher priority are listed once more at the end, and so are the arguments that kernels for
GPUs take, or give, in the host's memory: `host shape T=bool:` are ops with `shape` there where T is bool. The first
line that fits a node is meant; all other arguments are in the GPU's memory.
"""

from __future__ import annotations

import collections
import os
import re
import sys
import textwrap

GROUPS = {
    "floats": ("bfloat16", "half", "float", "double"),
    "ints": ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    "complexes": ("complex64", "complex128"),
    "quantized": ("qint8", "qint32", "quint8"),
}
INTERNAL = re.compile(r"_|Xla|Collective|Nccl|Cudnn|Debug|SparseMatrix|Experimental|.*CSR|Risc")
EXOTIC = re.compile(r"float[48]_|u?int[24]$")
PATH = os.path.join(os.path.dirname(__file__), "..", "..", "tfbench", "engine", "gpu_kernels.txt")


def spelled(types):
    """A set of types, whole groups by their names."""
    left, words = set(types), []
    for group, members in GROUPS.items():
        if left >= set(members):
            words.append(group)
            left -= set(members)
    return ",".join(words + sorted(left))


def constraints(kernels):
    """`T=floats Tidx=int32,int64`: the types of each attribute, over all kernels of an op."""
    allowed = collections.defaultdict(set)
    for kernel in kernels:
        for attr, types in kernel.items():
            allowed[attr].update(name for name in types if not EXOTIC.match(name))
    # An attribute that some kernel leaves open restricts nothing.
    return " ".join(
        f"{attr}={spelled(types)}"
        for attr, types in sorted(allowed.items())
        if types and all(attr in kernel for kernel in kernels)
    )


def hosts(kernels):
    """[(arguments in host memory, constraints)] of one op: the first that fits a node is meant. `kernels` are pairs."""
    groups = collections.defaultdict(list)
    for limits, arguments in kernels:
        groups[tuple(arguments)].append(limits)
    if len(groups) == 1:
        return [(arguments, "") for arguments in groups]
    # An attribute that all groups allow the same of decides nothing.
    allowed = {arguments: collections.defaultdict(set) for arguments in groups}
    for arguments, members in groups.items():
        for limits in members:
            for attr, types in limits.items():
                allowed[arguments][attr].update(name for name in types if not EXOTIC.match(name))
    attrs = sorted({attr for found in allowed.values() for attr in found})
    deciding = [attr for attr in attrs if len({frozenset(found[attr]) for found in allowed.values()}) > 1]
    rules = []
    for arguments, found in allowed.items():
        text = " ".join(f"{attr}={spelled(found[attr])}" for attr in deciding if found[attr])
        rules.append((sum(len(found[attr]) for attr in deciding), arguments, text))
    rules.sort()
    # What is left needs no condition.
    return [(arguments, text) for _, arguments, text in rules[:-1]] + [(rules[-1][1], "")]


def host_lines(kernels):
    """The lines about host memory; `kernels` has pairs of limits and arguments by op, kernels for GPUs first."""
    ranks = collections.defaultdict(lambda: collections.defaultdict(list))
    for op, pairs in kernels.items():
        seen, own = [], []
        for limits, arguments in pairs:
            # A kernel for every device is not asked where there is one for GPUs.
            if limits not in seen:
                seen.append(limits)
                own.append((limits, arguments))
        for number, (arguments, text) in enumerate(hosts(own)):
            if arguments or text:
                ranks[number][f"host {','.join(arguments) or '-'} {text}".strip()].append(op)
    for number in sorted(ranks):
        for rule in sorted(ranks[number]):
            yield f"{rule}:"
            yield from textwrap.wrap(
                " ".join(sorted(ranks[number][rule])), 116, initial_indent="  ", subsequent_indent="  "
            )


def main():
    import tensorflow as tf
    from tensorflow.core.framework import types_pb2
    from tensorflow.python.framework import kernels

    if not tf.test.is_built_with_cuda():
        sys.exit("this TensorFlow was built without CUDA: it has hardly any kernels for GPUs")
    found = collections.defaultdict(list)
    memory = collections.defaultdict(list)
    rank = collections.defaultdict(int)
    for kernel in kernels.get_all_registered_kernels().kernel:
        on = "CPU" if kernel.device_type == "CPU" else "GPU"
        rank[kernel.op, on] = max(rank[kernel.op, on], kernel.priority)
        if kernel.device_type in ("GPU", "DEFAULT") and not kernel.label and not INTERNAL.match(kernel.op):
            limits = {
                limit.name: [types_pb2.DataType.Name(t)[3:].lower() for t in limit.allowed_values.list.type]
                for limit in kernel.constraint
            }
            found[kernel.op].append(limits)
            pair = (limits, sorted(kernel.host_memory_arg))
            if kernel.device_type == "GPU":
                memory[kernel.op].insert(0, pair)
            else:
                memory[kernel.op].append(pair)
    lines = collections.defaultdict(list)
    for op in sorted(found):
        lines[constraints(found[op])].append(op)
    text = [f"# Ops with kernels for GPUs in TensorFlow {tf.__version__}, by the types they take. Recorded by"]
    text.append("# tests/oracle/gpu_kernels.py. A line that begins with blanks goes on with the ops of the one before.")
    text.extend(f"# {group} = {','.join(members)}" for group, members in GROUPS.items())
    for types in sorted(lines, key=lambda types: (-len(lines[types]), types)):
        text.append(f"{types or 'any'}: ")
        text.extend(textwrap.wrap(" ".join(lines[types]), 116, initial_indent="  ", subsequent_indent="  "))
    text.append("prefer CPU:")
    first = [op for op in sorted(found) if rank[op, "CPU"] > rank[op, "GPU"]]
    text.extend(textwrap.wrap(" ".join(first), 116, initial_indent="  ", subsequent_indent="  "))
    text.extend(host_lines(memory))
    with open(PATH, "w") as file:
        file.write("\n".join(line.rstrip() for line in text) + "\n")


if __name__ == "__main__":
    main()
