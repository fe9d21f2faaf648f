"""Values as JSON facts: any nest that a program returns, with NaN, bytes and NumPy types kept apart.

Plain JSON for None, bool, int and str; everything else is a one-key object naming its kind. Arrays above 64 numbers
keep samples and two checksums. Runs under tfbench and under TensorFlow 1.15 (Python 3.7): no newer syntax.
"""

from __future__ import annotations

import hashlib
import math
import re

import numpy as np

from tests.oracle import graphs
from tests.oracle.registry import Failure

SMALL = 64
SAMPLES = 24


def encode(value, tf):
    """The fact for one value."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, Failure):
        return {"error": error(value.error, tf)}
    if isinstance(value, np.ndarray):
        return {"array": array(value)}
    if isinstance(value, np.generic):
        return {"scalar": array(np.asarray(value))}
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return {"float": number(value, 17)}
    if isinstance(value, complex):
        return {"complex": [number(value.real, 17), number(value.imag, 17)]}
    if isinstance(value, bytes):
        return {"bytes": value.decode("latin-1")}
    special = _tensorflow_value(value, tf)
    if special is not None:
        return special
    if isinstance(value, tuple):
        items = [encode(item, tf) for item in value]
        if hasattr(value, "_fields"):
            return {"namedtuple": [type(value).__name__, dict(zip(value._fields, items))]}
        return {"tuple": items}
    if isinstance(value, list):
        return {"list": [encode(item, tf) for item in value]}
    if isinstance(value, dict) or (hasattr(value, "keys") and hasattr(value, "__getitem__")):
        return {"dict": [[encode(key, tf), encode(value[key], tf)] for key in value]}
    if isinstance(value, (set, frozenset)):
        return {"set": sorted((encode(item, tf) for item in value), key=repr)}
    if isinstance(value, type):
        return {"class": value.__name__}
    return {"object": type(value).__name__}


def _tensorflow_value(value, tf):
    """Facts for the objects of the API, or None for anything else."""

    def is_a(name):
        kind = getattr(tf, name, None)
        return isinstance(kind, type) and isinstance(value, kind)

    if is_a("Tensor") or type(value).__name__ == "_LazyEvalTensor":
        return {"tensor": [value.name, value.dtype.name, shape(value.shape)]}
    if is_a("Operation"):
        return {"op": value.name}
    if is_a("Graph"):
        return {"graph": graphs.rows(value, tf)}
    if is_a("DType"):
        return {"dtype": value.name}
    if is_a("TensorShape"):
        return {"shape": shape(value)}
    if is_a("Dimension"):
        return {"dimension": value.value}
    if is_a("IndexedSlices"):
        parts = [value.values, value.indices, value.dense_shape]
        return {"IndexedSlices": [encode(part, tf) for part in parts]}
    if is_a("SparseTensor"):
        parts = [value.indices, value.values, value.dense_shape]
        return {"SparseTensor": [encode(part, tf) for part in parts]}
    if hasattr(value, "_get_variable_list") or type(value).__name__ == "PartitionedVariable":
        return {"partitioned": [value.name, value.dtype.name, shape(value.get_shape()), [part.name for part in value]]}
    if hasattr(value, "initializer") and hasattr(value, "read_value"):
        return {"variable": [value.name, value.dtype.name, shape(value.shape)]}
    return None


def shape(value):
    """A static shape as a list with None for unknown sizes, or None for unknown rank."""
    if value.dims is None:
        return None
    return [getattr(size, "value", size) for size in value.dims]


def error(caught, tf):
    """The fact for an exception: class, where the class comes from, first line that says something, code and op.

    `full`, the whole message, is for the comparison only; the recorder leaves it out.
    """
    cls = type(caught)
    fact = {"class": cls.__name__, "family": _family(cls, tf), "message": first_line(str(caught)), "full": str(caught)}
    if fact["family"] == "other":
        fact["kind_of"] = next(base.__name__ for base in cls.__mro__ if base.__module__ == "builtins")
    code = getattr(caught, "error_code", None)
    if code is not None:
        fact["code"] = int(code)
    op = getattr(caught, "op", None)
    if op is not None and isinstance(getattr(op, "name", None), str):
        fact["op"] = op.name
    return fact


def first_line(message):
    """The first line that says what is wrong: headings, counts of errors and frames are passed over."""
    lines = message.strip().splitlines()
    if lines and lines[0].startswith("Graph execution error"):
        node = [at for at, line in enumerate(lines) if line.startswith("Node: ")]
        lines = lines[node[-1] + 1 :] if node else lines[1:]
    said = [line.strip() for line in lines]
    said = [line for line in said if line and not line.startswith("[[") and "root error(s) found" not in line]
    # addresses, and where TensorFlow happens to be installed, are this run's own
    return re.sub(r"0x[0-9a-f]{6,}", "0x", re.sub(r"/\S*/site-packages/", "", said[0])[:400]) if said else ""


def _family(cls, tf):
    errors = getattr(tf, "errors", None)
    base = getattr(errors, "OpError", None)
    if (base is not None and issubclass(cls, base)) or getattr(errors, cls.__name__, None) is cls:
        return "tf.errors"
    return "builtin" if cls.__module__ == "builtins" else "other"


def number(value, digits):
    """A float for JSON: as many digits as its type has, NaN and infinities as text."""
    value = float(value)
    if math.isfinite(value):
        return float(f"{value:.{digits}g}")
    return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")


def array(value):
    """[dtype, shape, data]; data is a flat list, or for big arrays an object with samples and checksums."""
    flat = np.ascontiguousarray(value).reshape(-1)
    name = _dtype_name(value.dtype)
    if flat.size <= SMALL:
        return [name, list(value.shape), _items(flat, name)]
    at = [int(i) for i in np.linspace(0, flat.size - 1, SAMPLES)]
    summary = {"samples": _items(flat[at], name), "sha1": hashlib.sha1(_bytes(flat, name)).hexdigest()[:16]}
    if name != "str":
        wide = flat.astype("complex128" if name.startswith("complex") else "float64")
        weights = np.cos(0.7 * np.arange(flat.size) + 0.3)
        sums = [wide.sum(), (wide * weights).sum()]
        if name.startswith("complex"):
            sums = [part for total in sums for part in (total.real, total.imag)]
        summary["sums"] = [number(total, 12) for total in sums]
        summary["norm"] = number(np.sqrt((np.abs(wide) ** 2).sum()), 12)
    return [name, list(value.shape), summary]


def _bytes(flat, name):
    if name == "str":
        return b"\0".join(_item(item).encode("utf-8") for item in flat.tolist())
    return flat.tobytes()


def _dtype_name(dtype):
    if dtype.kind in "OSU":
        return "str"
    if dtype.fields:
        return dtype.names[0]
    return dtype.name


def _item(item):
    """One element of an object array: bytes as latin-1 text, anything else by its repr."""
    if isinstance(item, bytes):
        return item.decode("latin-1")
    return item if isinstance(item, str) else repr(item)


def _items(flat, name):
    if name == "bool":
        return [bool(item) for item in flat]
    if name.startswith(("int", "uint")):
        return [int(item) for item in flat]
    if name == "str":
        return [_item(item) for item in flat.tolist()]
    if name.startswith("complex"):
        digits = 9 if name == "complex64" else 17
        return [[number(item.real, digits), number(item.imag, digits)] for item in flat]
    if name.startswith("float") or "float" in name:
        digits = 17 if name == "float64" else 9
        return [number(item, digits) for item in flat.astype("float64")]
    return [str(item) for item in flat]
