"""Records which arguments TensorFlow's kernels for GPUs take from host memory, into `tfbench/engine/host_memory.txt`.

Run it as `gpu_kernels.py`, with a Python whose TensorFlow was built with CUDA; no GPU is needed. What is in host memory
may depend on the types: sizes and axes always are, and nearly everything that is int32 is. One attribute decides about
each op: a line that names some of its types goes before the line of any type.
"""

from __future__ import annotations

import collections
import os
import sys
import textwrap

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from gpu_kernels import EXOTIC, INTERNAL, spelled

PATH = os.path.join(os.path.dirname(__file__), "..", "..", "tfbench", "engine", "host_memory.txt")


def deciding(op, kernels):
    """`(attribute, {arguments: types})`: the one attribute that tells the kernels with these arguments apart."""
    first = kernels[0][0]
    for attr in [*[name for name in ("T", "dtype", "elem_type", "Tidx") if name in first], *first]:
        found = collections.defaultdict(set)
        for limits, arguments in kernels:
            found[arguments].update(limits.get(attr, ["everything"]))
        sets = list(found.values())
        if sum(map(len, sets)) == len(set().union(*sets)):
            return attr, found
    sys.exit(f"{op}: several attributes decide what is in host memory; the form of the file cannot say that")


def main():
    import tensorflow as tf
    from tensorflow.core.framework import types_pb2
    from tensorflow.python.framework import kernels as registered

    if not tf.test.is_built_with_cuda():
        sys.exit("this TensorFlow was built without CUDA: it has hardly any kernels for GPUs")
    found = {}
    for kernel in registered.get_all_registered_kernels().kernel:
        if kernel.device_type not in ("GPU", "DEFAULT") or kernel.label or INTERNAL.match(kernel.op):
            continue
        limits = {
            limit.name: tuple(
                name
                for name in (types_pb2.DataType.Name(t)[3:].lower() for t in limit.allowed_values.list.type)
                if not EXOTIC.match(name)
            )
            for limit in kernel.constraint
        }
        if not all(limits.values()):
            continue
        by_form = found.setdefault(kernel.op, {})
        form = tuple(sorted(limits.items()))
        # A kernel for GPUs comes before one for every device.
        if kernel.device_type == "GPU" or form not in by_form:
            by_form[form] = limits, tuple(sorted(kernel.host_memory_arg))
    lines = collections.defaultdict(list)
    for op, by_form in sorted(found.items()):
        kernels = list(by_form.values())
        sets = {arguments for _, arguments in kernels}
        if len(sets) == 1:
            if arguments := next(iter(sets)):
                lines["any: " + " ".join(arguments)].append(op)
            continue
        attr, types = deciding(op, kernels)
        most = max(types, key=lambda arguments: len(types[arguments]))
        for arguments, names in types.items():
            where = "any" if arguments is most else f"{attr}={spelled(names)}"
            if arguments or arguments is not most:
                lines[f"{where}: {' '.join(arguments)}".rstrip()].append(op)
    text = [f"# Arguments in host memory of kernels for GPUs in TensorFlow {tf.__version__}. Recorded by"]
    text.append(
        "# tests/oracle/host_memory.py. A line of types and arguments, then ops; some types go before any."
    )
    for line in sorted(lines, key=lambda line: (-len(lines[line]), line)):
        text.append(line)
        text.extend(textwrap.wrap(" ".join(lines[line]), 116, initial_indent="  ", subsequent_indent="  "))
    with open(PATH, "w") as file:
        file.write("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
