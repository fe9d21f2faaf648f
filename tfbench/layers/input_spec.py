"""What a layer asks of its inputs, and the error where they are something else."""

from __future__ import annotations

from typing import Any

from tfbench.engine import nest
from tfbench.engine.dtypes import as_dtype


class InputSpec:
    """Rank, sizes and type of an input.

    Args:
      shape: all sizes, None where any will do; the rank follows.
      ndim, max_ndim, min_ndim: the rank, or its bounds.
      axes: sizes by axis.
    """

    def __init__(
        self,
        dtype: Any = None,
        shape: Any = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: dict[Any, int | None] | None = None,
    ) -> None:
        self.dtype = None if dtype is None else as_dtype(dtype).name
        self.shape = shape
        self.ndim = ndim if shape is None else len(shape)
        self.max_ndim = max_ndim
        self.min_ndim = min_ndim
        self.axes = {int(axis): size for axis, size in (axes or {}).items()}

    def __repr__(self) -> str:
        given = {
            "dtype": self.dtype, "shape": self.shape, "ndim": self.ndim, "max_ndim": self.max_ndim,
            "min_ndim": self.min_ndim, "axes": self.axes or None,
        }  # fmt: skip
        return f"InputSpec({', '.join(f'{name}={value}' for name, value in given.items() if value)})"


def check_inputs(specs: Any, inputs: Any, layer_name: str) -> None:
    """Raises ValueError for the first input that is not as its spec says."""
    if not specs:
        return
    specs, inputs = nest.flatten(specs), nest.flatten(inputs)
    if len(inputs) != len(specs):
        raise ValueError(
            f"Layer {layer_name} expects {len(specs)} inputs, but it received {len(inputs)} input tensors. "
            f"Inputs received: {inputs}"
        )
    for index, (spec, tensor) in enumerate(zip(specs, inputs, strict=True)):
        if spec is not None:
            _check(spec, tensor, f"Input {index} of layer {layer_name} is incompatible with the layer: ")


def _check(spec: InputSpec, tensor: Any, where: str) -> None:
    shape = tensor.shape
    rank = shape.ndims
    asks_rank = spec.ndim is not None or spec.max_ndim is not None or spec.min_ndim is not None
    if asks_rank and rank is None:
        raise ValueError(f"{where}its rank is undefined, but the layer requires a defined rank.")
    if rank is not None:
        full = f"Full shape received: {shape.as_list()}"
        if spec.ndim is not None and rank != spec.ndim:
            raise ValueError(f"{where}expected ndim={spec.ndim}, found ndim={rank}. {full}")
        if spec.max_ndim is not None and rank > spec.max_ndim:
            raise ValueError(f"{where}expected max_ndim={spec.max_ndim}, found ndim={rank}")
        if spec.min_ndim is not None and rank < spec.min_ndim:
            raise ValueError(f"{where}expected min_ndim={spec.min_ndim}, found ndim={rank}. {full}")
        sizes = shape.as_list()
        for axis, size in spec.axes.items():
            if size is not None and sizes[axis] not in (size, None):
                raise ValueError(
                    f"{where}expected axis {axis} of input shape to have value {size} but received input with shape "
                    f"{sizes}"
                )
        if spec.shape is not None:
            for wanted, found in zip(spec.shape, sizes, strict=True):
                if wanted is not None and found is not None and wanted != found:
                    raise ValueError(f"{where}expected shape={spec.shape}, found shape={sizes}")
    if spec.dtype is not None and tensor.dtype.name != spec.dtype:
        raise ValueError(f"{where}expected dtype={spec.dtype}, found dtype={tensor.dtype.name}")
