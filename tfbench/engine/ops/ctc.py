"""`tf.nn.ctc_loss` and its decoders. The sums over paths are in `kernels/ctc.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.composite import SparseTensor
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.opdef import CPU, op
from tfbench.engine.ops.array_order import transpose
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.shape_math import dim_merge, with_rank
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = ["ctc_beam_search_decoder", "ctc_beam_search_decoder_v2", "ctc_greedy_decoder", "ctc_loss"]

Array = Any

_loss = op(
    "CTCLoss",
    "inputs: T, labels_indices: int64, labels_values: int32, sequence_length: int32",
    "loss: T, gradient: T",
    "preprocess_collapse_repeated: bool = false; ctc_merge_repeated: bool = true; "
    "ignore_longer_outputs_than_inputs: bool = false; T: {float, double} = DT_FLOAT",
    fresh=True,
)
_greedy = op(
    "CTCGreedyDecoder",
    "inputs: T, sequence_length: int32",
    "decoded_indices: int64, decoded_values: int64, decoded_shape: int64, log_probability: T",
    "merge_repeated: bool = false; blank_index: int = -1; T: {float, double} = DT_FLOAT",
    fresh=True,
)
_beam_search = op(
    "CTCBeamSearchDecoder",
    "inputs: T, sequence_length: int32",
    "decoded_indices: top_paths * int64, decoded_values: top_paths * int64, decoded_shape: top_paths * int64, "
    "log_probability: T",
    "beam_width: int >= 1; top_paths: int >= 1; merge_repeated: bool = true; T: {float, double} = DT_FLOAT",
    fresh=True,
)
for _declared in (_greedy, _beam_search):
    _declared.no_gradient("which labels are the best changes in steps")


def _kernels() -> Any:
    from tfbench.engine.kernels import ctc

    return ctc


def _batch(inputs: Shape, lengths: Shape) -> int | None:
    return dim_merge(with_rank(inputs, 3)[1], with_rank(lengths, 1)[0])


@_loss.shape
def _loss_shape(node: Operation, inputs: Shape, indices: Shape, values: Shape, lengths: Shape) -> list[Shape]:
    batch = _batch(inputs, lengths)
    dim_merge(with_rank(indices, 2)[0], with_rank(values, 1)[0])
    return [(batch,), inputs]


@_greedy.shape
def _greedy_shape(node: Operation, inputs: Shape, lengths: Shape) -> list[Shape]:
    return [(None, 2), (None,), (2,), (_batch(inputs, lengths), 1)]


@_beam_search.shape
def _beam_shape(node: Operation, inputs: Shape, lengths: Shape) -> list[Shape]:
    paths = node.attrs["top_paths"]
    batch = _batch(inputs, lengths)
    return [*[(None, 2)] * paths, *[(None,)] * paths, *[(2,)] * paths, (batch, paths)]


def _check(inputs: Array, lengths: Array) -> list[int]:
    if inputs.ndim != 3:
        raise invalid("inputs is not a 3-Tensor")
    if lengths.ndim != 1:
        raise invalid("sequence_length is not a vector")
    times, batch, _ = inputs.shape
    if not times:
        raise invalid("max_time is 0")
    if not batch:
        raise invalid("batch_size must not be 0")
    if lengths.size != batch:
        raise invalid(f"len(sequence_length) != batch_size.  len(sequence_length):  {lengths.size} batch_size: {batch}")
    found: list[int] = lengths.tolist()
    for i, length in enumerate(found):
        if length > times:
            raise invalid(f"sequence_length({i}) <= {times}")
        if length < 0:
            raise invalid(f"sequence_length({i}) must not be negative, but is {length}")
    return found


@_loss.kernel(CPU)
def _loss_kernel(
    xp: Any, inputs: Array, indices: Array, values: Array, lengths: Array, *, preprocess_collapse_repeated: bool,
    ctc_merge_repeated: bool, ignore_longer_outputs_than_inputs: bool,
) -> list[Array]:  # fmt: skip
    ctc = _kernels()
    wanted = _check(inputs, lengths)
    _, batch, classes = inputs.shape
    if indices.ndim != 2 or values.ndim != 1 or len(indices) != len(values):
        raise invalid("labels_indices and labels_values must contain the same number of rows: "
                      f"{indices.shape} and {values.shape}")  # fmt: skip
    labels: list[list[int]] = [[] for _ in range(batch)]
    for row, label in zip(indices[:, 0].tolist(), values.tolist()):
        if not 0 <= row < batch:
            raise invalid(f"labels batch index must be between 0 and {batch} but saw: {row}")
        labels[row].append(label)
    losses, slopes = np.zeros(batch, inputs.dtype), np.zeros_like(inputs)
    for i, (own, length) in enumerate(zip(labels, wanted)):
        own = _usable(own, classes, i, preprocess_collapse_repeated)
        if length < len(own):
            if ignore_longer_outputs_than_inputs:
                continue
            raise invalid(
                f"Not enough time for target transition sequence (required: {len(own)}, available: {length})"
                f"{i}You can turn this error into a warning by using the flag ignore_longer_outputs_than_inputs"
            )
        if length:
            losses[i], slopes[:length, i] = ctc.loss(inputs[:length, i], own, ctc_merge_repeated)
    return [losses, slopes]


def _usable(labels: list[int], classes: int, batch: int, collapse: bool) -> list[int]:
    """The labels up to the first that is no class, which ends the sequence."""
    if not labels:
        raise invalid(f"Labels length is zero in batch {batch}")
    found: list[int] = []
    ended = False
    for place, label in enumerate(labels):
        if label < 0:
            raise invalid(
                f"All labels must be nonnegative integers, batch: {batch} labels: {','.join(map(str, labels))}"
            )
        if collapse and place and label == labels[place - 1]:
            continue
        if label >= classes - 1:
            ended = True
        elif ended:
            raise invalid(
                "Saw a non-null label (index >= num_classes - 1) following a null label, "
                f"batch: {batch} num_classes: {classes} labels: {','.join(map(str, labels))}"
            )
        else:
            found.append(label)
    return found


def _sparse(rows: list[list[int]]) -> tuple[Array, Array, Array]:
    """Sequences as a sparse matrix."""
    sizes = [len(row) for row in rows]
    indices = np.zeros((sum(sizes), 2), np.int64)
    indices[:, 0] = np.repeat(np.arange(len(rows)), sizes)
    indices[:, 1] = [place for size in sizes for place in range(size)]
    values = np.array([label for row in rows for label in row], np.int64)
    return indices, values, np.array([len(rows), max(sizes, default=0)], np.int64)


@_greedy.kernel(CPU)
def _greedy_kernel(xp: Any, inputs: Array, lengths: Array, *, merge_repeated: bool, blank_index: int) -> list[Array]:
    wanted = _check(inputs, lengths)
    classes = inputs.shape[2]
    blank = classes + blank_index if blank_index < 0 else blank_index
    if not 0 <= blank < classes:
        raise invalid(f"blank_index expected to be between {-classes} and {classes - 1} but was {blank_index}")
    found = [_kernels().greedy(inputs[:length, i], merge_repeated, blank) for i, length in enumerate(wanted)]
    sums = np.array([[total] for _, total in found], inputs.dtype)
    return [*_sparse([labels for labels, _ in found]), sums]


@_beam_search.kernel(CPU)
def _beam_kernel(
    xp: Any, inputs: Array, lengths: Array, *, beam_width: int, top_paths: int, merge_repeated: bool
) -> list[Array]:
    wanted = _check(inputs, lengths)
    if top_paths > beam_width:
        raise invalid(f"top_paths must not be larger than beam_width: {top_paths} and {beam_width}")
    paths: list[list[list[int]]] = [[] for _ in range(top_paths)]
    log_probs = np.zeros((len(wanted), top_paths), inputs.dtype)
    for i, length in enumerate(wanted):
        found, probs = _kernels().beam_search(inputs[:length, i], beam_width, top_paths, merge_repeated)
        if len(found) < top_paths:
            raise invalid("Less leaves in the beam search than requested.")
        log_probs[i] = probs
        for path, labels in zip(paths, found):
            path.append(labels)
    columns = list(zip(*[_sparse(path) for path in paths], strict=True))
    return [*columns[0], *columns[1], *columns[2], log_probs]


# -- public --------------------------------------------------------------------------------------------------------


def ctc_loss(
    labels: Any,
    inputs: Any = None,
    sequence_length: Any = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: Any = None,
) -> Tensor:
    """The CTC loss of each sequence of the batch.

    Args:
      labels: an int32 SparseTensor, [batch, labels]; the last class is the blank.
      inputs: scores before the softmax, [time, batch, classes]; without `time_major` [batch, time, classes].
      sequence_length: how many times of each sequence count.
      preprocess_collapse_repeated: take repeated labels as one first.
      ctc_merge_repeated: without, a repetition in a path is a label of its own.
      ignore_longer_outputs_than_inputs: the loss is 0 where there are more labels than times, instead of an error.
      logits: another name for `inputs`.

    Raises:
      TypeError: if `labels` is no SparseTensor.
    """
    if inputs is None:
        inputs = logits
    elif logits is not None:
        raise ValueError("Only one of `inputs` and `logits` can be given.")
    if not isinstance(labels, SparseTensor):
        kind = type(labels).__name__
        raise TypeError(f"Expected argument `labels` to be a SparseTensor. Received labels={labels} of type: {kind}")
    given = getattr(inputs, "dtype", None)
    narrow = given is not None and dtypes.as_dtype(given).name in ("bfloat16", "float16")
    if narrow:
        inputs = cast(inputs, dtypes.float32)
    if not time_major:
        inputs = transpose(inputs, [1, 0, 2])
    loss, _ = _loss(
        inputs,
        labels.indices,
        labels.values,
        sequence_length,
        preprocess_collapse_repeated=preprocess_collapse_repeated,
        ctc_merge_repeated=ctc_merge_repeated,
        ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs,
    )
    return cast(loss, given) if narrow else loss


def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True, blank_index: int | None = None
) -> tuple[list[SparseTensor], Tensor]:
    """The classes with the largest scores, without blanks: [a SparseTensor], and the negative sums of the scores."""
    indices, values, shape, sums = _greedy(
        inputs,
        sequence_length,
        merge_repeated=merge_repeated,
        blank_index=-1 if blank_index is None else blank_index,
    )
    return [SparseTensor(indices, values, shape)], sums


def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1, merge_repeated: bool = True
) -> tuple[list[SparseTensor], Tensor]:
    """The `top_paths` most probable label sequences, each a SparseTensor, and their log probabilities.

    `merge_repeated` takes repetitions in the result as one, too.
    """
    outputs = list(
        _beam_search(inputs, sequence_length, beam_width=beam_width, top_paths=top_paths, merge_repeated=merge_repeated)
    )
    flat = [one for output in outputs for one in (output if isinstance(output, list) else [output])]
    parts = zip(flat[:top_paths], flat[top_paths : 2 * top_paths], flat[2 * top_paths : 3 * top_paths])
    return [SparseTensor(*part) for part in parts], flat[-1]


def ctc_beam_search_decoder_v2(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Tensor]:
    """As `ctc_beam_search_decoder`; repetitions in the result stay."""
    return ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths, merge_repeated=False)
