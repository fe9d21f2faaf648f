"""The process that compiles: kernels' names in, object files out.

A process of its own, because compiling in a thread would hold the GIL for seconds, and because Numba then takes its
memory elsewhere, for as long as there is something to compile. Speaks lines of JSON::

    {"kernel": [module, maker, parameters], "sources": digest of the asker's sources, "file": null or [folder, name]}

is answered with `{"compiled": base64}` or `{"error": text}`, after the kernel has been kept in the cache, in that file:
that, too, the asker is spared.
"""

from __future__ import annotations

import base64
import importlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np

from tfbench.engine.compiled import entry
from tfbench.engine.compiled.cache import Compiled, sources_digest, write
from tfbench.engine.compiled.sources import NUMBER, Assembly, Loops, Source, parse

_PACKAGE = "tfbench.engine.compiled"
#: the name of the function that is called from outside
_ENTRY = "tfbench_kernel"
#: C functions that every process has; what else a kernel refers to, it would not find
_PROVIDED = {
    "memcpy",
    "memset",
    "memmove",
    "expf",
    "exp",
    "logf",
    "log",
    "tanhf",
    "tanh",
    "powf",
    "pow",
    "sqrtf",
    "sqrt",
}


def make(module: str, maker: str, parameters: list[Any]) -> Source:
    """The source of a kernel."""
    path = module if "." in module else f"{_PACKAGE}.{module}"
    found = getattr(importlib.import_module(path), maker)
    source: Source = found(*parameters)
    return source


def compile_kernel(source: Source) -> Compiled:
    """Machine code for this processor."""
    llvm = importlib.import_module("llvmlite.binding")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    if isinstance(source, Assembly):
        module, name = llvm.parse_assembly(source.ir), source.name
        module.verify()
    else:
        module, name = llvm.parse_assembly(_numba_ir(source)), _ENTRY
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        reloc="pic",
        codemodel="jitdefault",
        jit=True,
    )
    for function in module.functions:
        if not function.is_declaration and function.name != name:
            function.linkage = "internal"
    for variable in module.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization = tuning.slp_vectorization = tuning.loop_unrolling = isinstance(source, Assembly)
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    missing = [
        function.name
        for function in module.functions
        if function.is_declaration and not function.name.startswith("llvm.") and function.name not in _PROVIDED
    ]
    missing += [variable.name for variable in module.global_variables if variable.is_declaration]
    if missing:
        raise ValueError(
            f"The compiled function refers to {', '.join(sorted(missing))}: it must not raise, allocate or call Python."
        )
    return Compiled(name, source.arguments, machine.emit_object(module))


def _numba_ir(source: Loops) -> str:
    """The optimised IR of a C function `_ENTRY` around the loops: `entry.text`."""
    numba: Any = importlib.import_module("numba")
    types = numba.types
    fastmath = source.fastmath if isinstance(source.fastmath, bool) else set(source.fastmath)
    options = {"error_model": "numpy", "fastmath": fastmath}
    scope: dict[str, Any] = {"inner": numba.njit(**options)(source.function), "carray": numba.carray}
    scope.update(word=_reader(types.int64), half=_reader(types.int32))
    kinds = [types.intp]
    for argument in source.arguments:
        kind, rank = parse(argument)
        element = numba.from_dtype(np.dtype(kind))
        kinds.append(element if rank == NUMBER else types.intp)
        scope.setdefault(f"p_{kind}", _pointer(types.CPointer(element)))
        scope.setdefault(f"r_{kind}", _reader(element))
    exec(entry.text(_ENTRY, source.arguments), scope)
    made = numba.cfunc(types.int64(*kinds), nopython=True, **options)(scope[_ENTRY])
    ir: str = made._library.get_llvm_str()
    return ir.replace(made.native_name, _ENTRY)


def _reader(type: Any) -> Any:
    """For Numba: the number of this type at an address."""
    from numba.extending import intrinsic

    def read(context: Any, address: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            value = context.get_value_type(type)
            return builder.load(builder.inttoptr(arguments[0], value.as_pointer()))

        return type(address), code

    return intrinsic(read)


def _pointer(type: Any) -> Any:
    """For Numba: an address as a pointer of this type."""
    from numba.extending import intrinsic

    def point(context: Any, address: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(type))

        return type(address), code

    return intrinsic(point)


def answer(line: str, sources: str) -> dict[str, str]:
    """The answer to one request; `sources`: the digest of the sources that this process was started from."""
    request = json.loads(line)
    if request["sources"] != sources:
        # How a kernel is called may have changed, too: its code and the caller must be of one version.
        raise RuntimeError("tfbench has been changed on disk since the program began; restart it")
    module, maker, parameters = request["kernel"]
    compiled = compile_kernel(make(module, maker, parameters))
    if request["file"] is not None:
        folder, name = request["file"]
        write(Path(folder), name, compiled)
    return {"compiled": base64.b64encode(compiled.pack()).decode()}


def main() -> None:
    """Answers requests from standard input until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program that this one serves
    sources = sources_digest()
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints must not get between the lines
    for line in sys.stdin:
        try:
            reply = answer(line, sources)
        except Exception as error:  # the asker decides what becomes of it
            reply = {"error": f"{type(error).__name__}: {error}"}
        out.write(json.dumps(reply) + "\n")
        out.flush()
