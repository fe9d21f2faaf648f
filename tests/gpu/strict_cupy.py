"""A stand-in for CuPy where there is no GPU: NumPy behind CuPy's face, stricter than CuPy where that finds mistakes.

An array here is a NumPy array that does not convert to one: as with CuPy, `numpy.asarray` of it raises, an operation
that mixes it with a NumPy array raises, results of rank 0 are arrays, and only names and keywords exist that the real
package has (`cupy_names.json`, recorded by `record_cupy.py`). It is stricter in three ways: an array of another device
than the current one is refused (CuPy would go through peer access); an index out of range in an array of indices raises
`Difference` (CuPy wraps it around, and says nothing); and whatever makes the host wait for the device is counted
(`waits`).

Its memory is counted, too: `strict_cuda` has the devices, pools, streams and events. `install` puts all of it where
`import cupy` finds it::

    def test_something(monkeypatch):
        cuda = strict_cupy.install(monkeypatch, devices=2, memory=1 << 30)
        ...

A kernel can be tried without that: `kernel(strict_cupy, strict_cupy.asarray(x))`.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import operator
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from tests.gpu import host_cuda
from tests.gpu import strict_cuda as cuda

FACTS: dict[str, Any] = json.loads(Path(__file__).with_name("cupy_names.json").read_text(encoding="ascii"))
NAMES: dict[str, dict[str, str | None]] = FACTS["names"]
_UFUNCS = frozenset(FACTS["ufuncs"])

#: type codes of the arrays that there are: no strings, no objects, nothing of more than 64 bits
_TYPES = "?bhilqBHILQefdFD"

#: what made the host wait for the device: "get", "item", "bool", "int", ...
waits: Counter[str] = Counter()
#: NumPy arrays that an index brought to the device without being asked
hidden_copies: Counter[str] = Counter()

#: kernels of one's own that were launched
launches: Counter[str] = Counter()

#: functions that bring host memory to the device
_FROM_HOST = frozenset({"array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray"})
#: keywords by which these may be told a type or a value, and that hold no arrays
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), slice, type, np.dtype, np.generic)


class Difference(Exception):
    """What is computed here would be something else on a GPU, and nobody would be told."""


class ndarray:  # noqa: N801 - CuPy's name
    """An array in a device's memory."""

    __slots__ = ("__weakref__", "_block", "_held")

    def __init__(self, shape: Any, dtype: Any = float, memptr: Any = None, strides: Any = None, order: str = "C"):
        if memptr is not None or strides is not None:
            raise NotImplementedError("The stand-in makes no arrays from pointers.")
        made = _new(np.empty(shape, dtype, order))  # type: ignore[call-overload]
        self._held, self._block = made._held, made._block

    # -- not NumPy's -----------------------------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy array "
            "explicitly."
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        if method != "__call__" or ufunc.__name__ not in NAMES["cupy"]:
            return NotImplemented
        out = keywords.get("out")
        if isinstance(out, tuple):
            keywords["out"] = out[0] if len(out) == 1 else out
        return getattr(sys.modules[__name__], ufunc.__name__)(*inputs, **keywords)

    def __array_function__(self, function: Any, types: Any, args: Any, keywords: Any) -> Any:
        if not all(issubclass(kind, ndarray) for kind in types) or function.__name__ not in NAMES["cupy"]:
            return NotImplemented
        return getattr(sys.modules[__name__], function.__name__)(*args, **keywords)

    def get(self, stream: Any = None, order: str = "C", out: Any = None, blocking: bool = True) -> Any:
        """A NumPy array with the same values."""
        waits["get"] += 1
        if out is None:
            return np.array(self._held, order=order)  # type: ignore[call-overload]
        if not isinstance(out, np.ndarray) or out.dtype != self.dtype or out.shape != self.shape:
            raise ValueError("out must be a NumPy array of the same shape and type")
        out[...] = self._held
        return out

    def set(self, arr: Any, stream: Any = None) -> None:
        """Takes the values of a NumPy array."""
        if not isinstance(arr, np.ndarray):
            raise TypeError("Only numpy.ndarray can be set to cupy.ndarray")
        if arr.dtype != self.dtype:
            raise TypeError(f"{arr.dtype} array cannot be set to {self.dtype} array")
        if arr.shape != self.shape:
            raise ValueError(f"Shape mismatch. Old shape: {self.shape}, new shape: {arr.shape}")
        self._held[...] = arr

    def item(self) -> Any:
        """The one value."""
        waits["item"] += 1
        return self._held.item()

    def tolist(self) -> Any:
        """Nested lists of Python numbers."""
        waits["tolist"] += 1
        return self._held.tolist()

    @property
    def device(self) -> cuda.Device:
        return cuda.Device(self._block.device)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        pointer = self._held.__array_interface__["data"]
        return {"shape": self.shape, "typestr": self.dtype.str, "data": pointer, "version": 3}

    @property
    def data(self) -> Any:
        return cuda.MemoryPointer(self._held.__array_interface__["data"][0], self._block.device)

    # -- as NumPy's ------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        return self._held.shape

    @shape.setter
    def shape(self, shape: Any) -> None:
        self._held = self._held.reshape(shape)

    @property
    def dtype(self) -> Any:
        return self._held.dtype

    @property
    def ndim(self) -> int:
        return self._held.ndim

    @property
    def size(self) -> int:
        return self._held.size

    @property
    def nbytes(self) -> int:
        return self._held.nbytes

    @property
    def flags(self) -> Any:
        return self._held.flags

    def __getattr__(self, name: str) -> Any:
        if name not in NAMES["cupy.ndarray"]:
            raise AttributeError(f"'ndarray' object has no attribute '{name}'. CuPy's arrays have none.")
        found = getattr(self._held, name)
        if isinstance(found, np.ndarray):
            return _result(found, [self])
        if not callable(found):
            return found

        def method(*args: Any, **keywords: Any) -> Any:
            _check_call("cupy.ndarray", name, args, keywords)
            given = [self]
            return _result(
                found(*_unwrap(args, given, name), **_unwrap(keywords, given, name)),
                given,
                keywords.get("out"),
            )

        return method

    @property
    def real(self) -> Any:
        return _result(self._held.real, [self])

    @real.setter
    def real(self, value: Any) -> None:
        self._held.real = _unwrap(value, [], "real")

    @property
    def imag(self) -> Any:
        return _result(self._held.imag, [self])

    @imag.setter
    def imag(self, value: Any) -> None:
        self._held.imag = _unwrap(value, [], "imag")

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[Any]:
        if self._held.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        return (self[index] for index in range(len(self._held)))

    def __getitem__(self, index: Any) -> Any:
        _on_this_device(self)
        given = [self]
        return _result(self._held[self._index(index, given)], given)

    def __setitem__(self, index: Any, value: Any) -> None:
        _on_this_device(self)
        given = [self]
        where = self._index(index, given)
        self._held[where] = _unwrap(value, given, "__setitem__")

    def _index(self, index: Any, given: list[Any]) -> Any:
        items = index if isinstance(index, tuple) else (index,)
        plain = []
        for item in items:
            if isinstance(item, (np.ndarray, list)):
                hidden_copies["index"] += 1
                plain.append(item)
            else:
                plain.append(_unwrap(item, given, "an index"))
                if isinstance(item, ndarray) and item.dtype == np.bool_:
                    waits["mask"] += 1  # how much it picks, the host has to know
        try:
            self._held[tuple(plain)]
        except IndexError as error:
            if "out of bounds" in str(error) and any(isinstance(item, (ndarray, np.ndarray, list)) for item in items):
                raise Difference(f"CuPy does not check an array of indices ({error}); it wraps them around.") from None
            raise
        return tuple(plain) if isinstance(index, tuple) else plain[0]

    def __bool__(self) -> bool:
        waits["bool"] += 1
        return bool(self._held)

    def __int__(self) -> int:
        waits["int"] += 1
        return int(self._held)

    def __float__(self) -> float:
        waits["float"] += 1
        return float(self._held)

    def __complex__(self) -> complex:
        waits["complex"] += 1
        return complex(self._held)

    def __index__(self) -> int:
        waits["index"] += 1
        return operator.index(self._held)

    def __repr__(self) -> str:
        return repr(self._held)

    __hash__ = None  # type: ignore[assignment]


def _operators() -> None:
    """Python's operators, by the functions that do the same."""
    pairs = {
        "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "true_divide", "floordiv": "floor_divide",
        "mod": "remainder", "pow": "power", "matmul": "matmul", "and": "bitwise_and", "or": "bitwise_or",
        "xor": "bitwise_xor", "lshift": "left_shift", "rshift": "right_shift",
    }  # fmt: skip
    module = sys.modules[__name__]

    def binary(name: str) -> None:
        def forward(self: Any, other: Any) -> Any:
            return getattr(module, pairs[name])(self, other)

        def backward(self: Any, other: Any) -> Any:
            return getattr(module, pairs[name])(other, self)

        def in_place(self: Any, other: Any) -> Any:
            return getattr(module, pairs[name])(self, other, out=self)

        setattr(ndarray, f"__{name}__", forward)
        setattr(ndarray, f"__r{name}__", backward)
        setattr(ndarray, f"__i{name}__", in_place)

    def compared(name: str, function: str) -> None:
        setattr(ndarray, f"__{name}__", lambda self, other: getattr(module, function)(self, other))

    def unary(name: str, function: str) -> None:
        setattr(ndarray, f"__{name}__", lambda self: getattr(module, function)(self))

    for name in pairs:
        binary(name)
    for name, function in {
        "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal", "ne": "not_equal",
    }.items():  # fmt: skip
        compared(name, function)
    for name, function in {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}.items():
        unary(name, function)


# -- between the two kinds of array ------------------------------------------------------------------------------------


def _root(array: Any) -> Any:
    """The array that owns the memory of a view."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _new(held: Any, block: Any = None) -> ndarray:
    """An array around `held`, whose memory is new unless `block` is given."""
    if held.dtype.char not in _TYPES:
        raise TypeError(f"Unsupported dtype {held.dtype}")
    array = ndarray.__new__(ndarray)
    array._block = cuda.allocate(_root(held).nbytes) if block is None else block
    array._held = held
    return array


def _result(value: Any, given: list[Any], out: Any = None) -> Any:
    """What a function of NumPy gave, as CuPy gives it: arrays of rank 0 instead of scalars, views of what was given."""
    if isinstance(value, (list, tuple)):
        items = [_result(item, given) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if out is not None and isinstance(out, ndarray):
        return out
    if isinstance(value, np.generic):
        return _new(np.array(value))
    if not isinstance(value, np.ndarray):
        return value
    root = _root(value)
    for array in given:
        if _root(array._held) is root:
            return array if array._held is value else _new(value, array._block)
    return _new(value)


def _on_this_device(array: ndarray) -> None:
    if array._block.device != cuda.current():
        raise ValueError(
            f"The device where the array resides ({array._block.device}) is different from the current device "
            f"({cuda.current()})."
        )


def _unwrap(value: Any, given: list[Any], name: str) -> Any:
    """The NumPy arrays in `value`; every array that is met goes into `given`.

    Raises:
      TypeError: for an array that is NumPy's own.
    """
    if isinstance(value, ndarray):
        _on_this_device(value)
        given.append(value)
        return value._held
    if isinstance(value, np.ndarray):
        if name in _FROM_HOST:
            return value
        raise TypeError(f"Unsupported type <class 'numpy.ndarray'>, given to {name} of CuPy")
    if isinstance(value, (list, tuple)):
        items = [_unwrap(item, given, name) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, dict):
        return {key: _unwrap(item, given, name) for key, item in value.items()}
    return value


def _check_call(owner: str, name: str, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    """Refuses what the function of CuPy does not take.

    Raises:
      TypeError: naming what it takes.
    """
    takes = NAMES[owner][name]
    if takes is None:
        return
    words = takes.split(", ") if takes else []
    names = [word.lstrip("*") for word in words]
    if "**" not in words and "**kwargs" not in words:
        wrong = [word for word in keywords if word not in names]
        if wrong:
            raise TypeError(f"{owner}.{name}() got an unexpected keyword argument '{wrong[0]}'; it takes ({takes})")
    if not any(word.startswith("*") and word != "*" for word in words) and words[:1] != ["*"]:
        allowed = words[: words.index("*")] if "*" in words else words
        most = sum(word != "/" for word in allowed)
        if len(args) > most:
            raise TypeError(f"{owner}.{name}() takes {most} positional arguments but {len(args)} were given")


def asnumpy(a: Any, stream: Any = None, order: str = "C", out: Any = None, *, blocking: bool = True) -> Any:
    """A NumPy array with the values of `a`."""
    return a.get(stream, order, out, blocking) if isinstance(a, ndarray) else np.asarray(a, order=order)  # type: ignore[call-overload]


def get_array_module(*args: Any) -> Any:
    """This module where one of `args` is an array of it, else NumPy."""
    return sys.modules[__name__] if any(isinstance(arg, ndarray) for arg in args) else np


def get_default_memory_pool() -> Any:
    return cuda.default_pool


def get_default_pinned_memory_pool() -> Any:
    return cuda.PinnedMemoryPool()


def asarray(a: Any, dtype: Any = None, order: Any = None, *, copy: Any = None, blocking: bool = False) -> ndarray:
    """`a` in the current device's memory."""
    return array(a, dtype, bool(copy), order or "K")


def array(
    obj: Any,
    dtype: Any = None,
    copy: bool = True,
    order: str = "K",
    subok: bool = False,
    ndmin: int = 0,
    *,
    blocking: bool = False,
) -> ndarray:
    """A new array in the current device's memory; an array of another device is brought here."""
    if isinstance(obj, ndarray):
        here = obj._block.device == cuda.current()
        held = obj._held
        if here and not copy and (dtype is None or np.dtype(dtype) == held.dtype):
            return obj
    else:
        held = np.asarray(_unwrap(obj, [], "array"))
    return _new(np.array(held, dtype, copy=True, order=order, ndmin=ndmin))  # type: ignore[call-overload]


asanyarray = asarray


class _Function:
    """A function of CuPy that computes what NumPy's of the same name does."""

    __slots__ = ("__name__", "_function")

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self.__name__ = name
        self._function = function

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        _check_call("cupy", self.__name__, args, keywords)
        first = args[0] if args else None
        if self.__name__ not in _UFUNCS | _TAKES_NUMBERS and isinstance(first, (int, float, complex, np.generic)):
            raise TypeError(f"cupy.{self.__name__} wants an array, not {first!r}")
        if self.__name__ in _SIZED or (self.__name__ == "where" and len(args) == 1):
            waits["size"] += 1
        given: list[Any] = []
        plain = _unwrap(args, given, self.__name__)
        named = _unwrap(keywords, given, self.__name__)
        with np.errstate(all="ignore"):
            result = self._function(*plain, **named)
        out = keywords.get("out")
        if out is None and self.__name__ in _UFUNCS and len(args) > self._function.nin:
            out = args[self._function.nin]
        return _result(result, given, out)

    def at(self, a: ndarray, indices: Any, b: Any = None) -> None:
        """Element by element, repeated indices included, as atomic operations: of the types that there are for it."""
        types = _ATOMIC.get(self.__name__)
        if types is None:
            raise NotImplementedError(f"`{self.__name__}.at` is not supported yet")
        if a.dtype.char not in types:
            raise TypeError(f"cupy.{self.__name__}.at has no atomic operation for {a.dtype}")
        given: list[Any] = [a]
        self._function.at(a._held, a._index(indices, given), _unwrap(b, given, self.__name__))

    def __repr__(self) -> str:
        return f"<stand-in for cupy.{self.__name__}>"


#: functions that take numbers for their first argument, too; all others want an array of CuPy's
_TAKES_NUMBERS = frozenset({
    "arange", "array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "broadcast_shapes", "copyto",
    "dtype", "einsum", "empty", "eye", "full", "identity", "indices", "iscomplexobj", "linspace", "logspace", "ndim",
    "ones", "promote_types", "result_type", "shape", "size", "tri", "where", "zeros", "can_cast", "concatenate",
    "stack", "hstack", "vstack", "meshgrid", "broadcast_arrays", "isscalar", "issubdtype", "finfo", "iinfo", "lexsort",
    "ravel_multi_index", "atleast_1d", "common_type", "min_scalar_type",
})  # fmt: skip

#: functions whose results have a size that the host has to wait for
_SIZED = frozenset({"argwhere", "compress", "extract", "flatnonzero", "nonzero", "trim_zeros", "unique"})

#: what CUDA has atomic operations for (`at`): ufunc -> types
_ATOMIC = {
    "add": "ilILQefd",
    "subtract": "iI",
    "maximum": "iILQfd",
    "minimum": "iILQfd",
    "bitwise_and": "iILQ",
    "bitwise_or": "iILQ",
    "bitwise_xor": "iILQ",
}

_made: dict[str, Any] = {}


def __getattr__(name: str) -> Any:
    found = _made.get(name)
    if found is not None:
        return found
    if name.startswith("__"):
        raise AttributeError(name)
    if name not in NAMES["cupy"]:
        raise AttributeError(f"module 'cupy' has no attribute '{name}' (CuPy {FACTS['cupy']})")
    if name in ("RawModule", "ElementwiseKernel"):
        # Without a compiler there is none, and kernels do without.
        if host_cuda.compiler() is None:
            raise AttributeError("no C++ compiler to stand in for NVRTC")
        return _RawModule if name == "RawModule" else _ElementwiseKernel
    if not hasattr(np, name):
        raise NotImplementedError(f"cupy.{name} is CuPy's own, and the stand-in does not have it yet")
    thing = getattr(np, name)
    if isinstance(thing, ModuleType):
        found = _submodule(name, thing)
    elif isinstance(thing, type) or not callable(thing):
        found = thing
    else:
        found = _Function(name, thing)
    _made[name] = found
    return found


class _RawModule:
    """CUDA's C, compiled for the host (`host_cuda`)."""

    def __init__(self, *, code: str, options: tuple[str, ...] = (), backend: str = "nvrtc") -> None:
        if not all(isinstance(option, str) and option.startswith("-") for option in options):
            raise TypeError(f"options are a tuple of str, not {options!r}")
        self._code = code

    def get_function(self, name: str) -> Callable[..., None]:
        def kernel(grid: tuple[int, ...], block: tuple[int, ...], args: tuple[Any, ...]) -> None:
            given: list[Any] = []
            plain = []
            for arg in args:
                if isinstance(arg, np.ndarray):
                    raise TypeError(f"{name} was given an array of the host's memory")
                plain.append(_unwrap(arg, given, name))
            host_cuda.launch(self._code, name, grid, block, plain)

        return kernel


#: C's words for the types of a kernel's parameters
_C_TYPES = {"float32": "float", "float64": "double", "bool": "bool", "int32": "int", "int64": "long long"}


class _ElementwiseKernel:
    """A loop around a statement of C, compiled for the host: operands are broadcast, the result is a new array."""

    def __init__(
        self, in_params: str, out_params: str, operation: str, name: str = "kernel", *, options: tuple[str, ...] = ()
    ) -> None:
        if not all(isinstance(option, str) and option.startswith("-") for option in options):
            raise TypeError(f"options are a tuple of str, not {options!r}")
        self._takes = [parameter.split() for parameter in in_params.split(", ")]
        self._kind, gives = out_params.split()
        self._name = name
        taken = [
            f"const {_C_TYPES[kind]}& {word} = ((const {_C_TYPES[kind]}*)p[{index}])[i];"
            for index, (kind, word) in enumerate(self._takes)
        ]
        made = f"{_C_TYPES[self._kind]}& {gives} = (({_C_TYPES[self._kind]}*)p[{len(taken)}])[i];"
        #: what is inside the loop, and the whole
        self.body = "\n".join([*taken, made, f"{operation};"])
        self._code = (
            f'extern "C" void elementwise(long long n, void** p) {{ for (long long i = 0; i < n; ++i) {{\n'
            f"{self.body}\n}} }}\n"
        )

    def __call__(self, *args: Any) -> ndarray:
        if len(args) != len(self._takes):
            raise TypeError(f"Wrong number of arguments for '{self._name}': {len(args)}, not {len(self._takes)}")
        given: list[Any] = []
        for arg, (kind, _) in zip(args, self._takes, strict=True):
            if not isinstance(arg, ndarray) or arg.dtype != kind:
                raise TypeError(f"{self._name} wants an array of {kind}, not {arg!r}")
        plain = [np.ascontiguousarray(array) for array in np.broadcast_arrays(*_unwrap(args, given, self._name))]
        shape = np.broadcast_shapes(*[arg.shape for arg in args])
        result = np.empty(shape, self._kind)
        pointers = (ctypes.c_void_p * (len(plain) + 1))(*[array.ctypes.data for array in [*plain, result]])
        host_cuda.load(self._code).elementwise(ctypes.c_longlong(result.size), pointers)
        launches[self._name] += 1
        return _new(result)


def _submodule(name: str, of_numpy: ModuleType) -> ModuleType:
    """`cupy.linalg`, `cupy.fft` and `cupy.lib.stride_tricks`."""
    module = ModuleType(f"cupy.{name}")
    owner = f"cupy.{name}"

    def find(attribute: str) -> Any:
        nested = getattr(of_numpy, attribute, None)
        if isinstance(nested, ModuleType) and f"{owner}.{attribute}" in NAMES:
            return _submodule(f"{name}.{attribute}", nested)
        if attribute not in NAMES.get(owner, {}) or not hasattr(of_numpy, attribute):
            raise AttributeError(f"module '{owner}' has no attribute '{attribute}'")
        function = getattr(of_numpy, attribute)

        def call(*args: Any, **keywords: Any) -> Any:
            _check_call(owner, attribute, args, keywords)
            given: list[Any] = []
            return _result(function(*_unwrap(args, given, attribute), **_unwrap(keywords, given, attribute)), given)

        return call

    module.__getattr__ = find  # type: ignore[method-assign]
    return module


# -- cupyx -------------------------------------------------------------------------------------------------------------


def _pinned(shape: Any, dtype: Any = float, order: str = "C") -> Any:
    cuda.pinned_bytes["allocated"] += int(np.prod(shape)) * np.dtype(dtype).itemsize
    return np.empty(shape, dtype, order)  # type: ignore[call-overload]


def _scatter(function: Any) -> Callable[[ndarray, Any, Any], None]:
    def scatter(a: ndarray, slices: Any, value: Any) -> None:
        given: list[Any] = []
        function.at(_unwrap(a, given, "scatter"), a._index(slices, given), _unwrap(value, given, "scatter"))

    return scatter


def _special() -> ModuleType:
    """`cupyx.scipy.special`: the functions that there are are computed by the CPU's kernels."""
    from tfbench.engine.kernels import special_device

    modules = ("gamma", "erf", "bessel", "incomplete")
    own = [importlib.import_module(f"tfbench.engine.kernels.special_{name}") for name in modules]
    module = ModuleType("cupyx.scipy.special")

    def stand_in(own_name: str, name: str) -> Any:
        function = next(getattr(one, own_name) for one in own if hasattr(one, own_name))

        def call(*args: Any) -> Any:
            _check_call("cupyx.scipy.special", name, args, {})
            given: list[Any] = []
            plain = _unwrap(args, given, name)
            kind = np.result_type(*plain)
            if kind.kind != "f" or kind.itemsize < 4:
                raise TypeError(f"cupyx.scipy.special.{name} has no loop for {kind}")
            shape = np.broadcast_shapes(*[array.shape for array in plain])
            with np.errstate(all="ignore"):
                wide = np.float32 if own_name in ("erf", "erfc") and kind.itemsize == 4 else np.float64
                found = function(*[np.atleast_1d(array).astype(wide) for array in plain])
            return _result(found.astype(kind).reshape(shape), given)

        return call

    for own_name, name in special_device.NAMES.items():
        if name in NAMES["cupyx.scipy.special"]:
            setattr(module, name, stand_in(own_name, name))
    return module


def _cupyx() -> ModuleType:
    module = ModuleType("cupyx")
    functions = {
        "empty_pinned": _pinned,
        "scatter_add": _scatter(np.add),
        "scatter_max": _scatter(np.maximum),
        "scatter_min": _scatter(np.minimum),
    }
    for name, function in functions.items():
        setattr(module, name, function)
    return module


cupyx = _cupyx()
__version__ = FACTS["cupy"]
_operators()


def install(monkeypatch: Any, devices: int = 1, memory: int = 1 << 30) -> ModuleType:
    """Makes `import cupy` find this stand-in, with so many devices of so much memory; returns its `cuda`."""
    cuda.reset(devices, memory)
    waits.clear()
    launches.clear()
    hidden_copies.clear()
    monkeypatch.setitem(sys.modules, "cupy", sys.modules[__name__])
    monkeypatch.setitem(sys.modules, "cupy.cuda", cuda)
    monkeypatch.setitem(sys.modules, "cupyx", cupyx)
    # What tfbench has found before is found again.
    for name in ("_found", "_pool"):
        monkeypatch.setattr(f"tfbench.engine.cuda.{name}", None)
    monkeypatch.setitem(sys.modules, "cupyx.scipy", ModuleType("cupyx.scipy"))
    monkeypatch.setitem(sys.modules, "cupyx.scipy.special", _special())
    return cuda
