"""Summaries: ops whose result is a serialised Summary message, which a `tf.summary.FileWriter` writes down.

The messages are put together byte by byte (`kernels.wire`), so that a run that summarises does not load protobuf.
Public as `tf.summary`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.kernels import histograms, wire
from tfbench.engine.opdef import CPU, op
from tfbench.engine.ops.string_common import as_strings
from tfbench.engine.shapes import Shape

__all__: list[str] = []

Array = Any

# The fields of Summary.Value
_TAG, _SCALAR, _IMAGE, _HISTOGRAM, _AUDIO, _NODE, _TENSOR, _METADATA = 1, 2, 4, 5, 6, 7, 8, 9

scalar_summary = op("ScalarSummary", "tags: string, values: T", "summary: string", "T: realnumbertype", fresh=True)
histogram_summary = op(
    "HistogramSummary", "tag: string, values: T", "summary: string", "T: realnumbertype = DT_FLOAT", fresh=True
)
image_summary = op(
    "ImageSummary",
    "tag: string, tensor: T",
    "summary: string",
    "max_images: int >= 1 = 3; T: {uint8, float, half, double} = DT_FLOAT; bad_color: tensor = uint8 [255, 0, 0, 255]",
    fresh=True,
)
audio_summary_v2 = op(
    "AudioSummaryV2",
    "tag: string, tensor: float, sample_rate: float",
    "summary: string",
    "max_outputs: int >= 1 = 3",
    fresh=True,
)
tensor_summary = op(
    "TensorSummary",
    "tensor: T",
    "summary: string",
    "T: type; description: string = ''; labels: list(string) = []; display_name: string = ''",
    fresh=True,
)
tensor_summary_v2 = op(
    "TensorSummaryV2",
    "tag: string, tensor: T, serialized_summary_metadata: string",
    "summary: string",
    "T: type",
    fresh=True,
)
merge_summary = op("MergeSummary", "inputs: N * string", "summary: string", "N: int >= 1", fresh=True)

_ALL = (
    scalar_summary, histogram_summary, image_summary, audio_summary_v2, tensor_summary, tensor_summary_v2,
    merge_summary,
)  # fmt: skip
for _declared in _ALL:
    _declared.no_gradient("a summary is a string")


def _scalar_shape(node: Operation, *shapes: Shape) -> list[Shape]:
    return [()]


for _declared in _ALL:
    _declared.shape(_scalar_shape)
    _declared.no_gradient("a summary is a string, and strings have no gradient")


def _value(*fields: bytes) -> bytes:
    """A Summary of one value."""
    return wire.chunk(1, b"".join(fields), always=True)


def _result(summary: bytes) -> Array:
    return as_strings([summary], ())


def _tag(tag: Array, what: str) -> bytes:
    array: Any = np.asarray(tag)
    if array.ndim:
        raise invalid(what)
    return array[()]


@scalar_summary.kernel(CPU)
def _scalar_kernel(xp: Any, tags: Array, values: Array) -> Array:
    names: list[bytes] = np.ravel(tags).tolist()
    if np.shape(tags) != np.shape(values):
        only = f" (tag '{names[0].decode(errors='replace')}')" if len(names) == 1 else ""
        raise invalid(
            f"tags and values are not the same shape: {brackets(np.shape(tags))} != {brackets(np.shape(values))}{only}"
        )
    with np.errstate(over="ignore"):
        singles = np.ravel(values).astype(np.float32)
    return _result(
        b"".join(
            _value(wire.chunk(_TAG, name), wire.single(_SCALAR, value, always=True))
            for name, value in zip(names, singles.tolist(), strict=True)
        )
    )


@histogram_summary.kernel(CPU)
def _histogram_kernel(xp: Any, tag: Array, values: Array) -> Array:
    name = _tag(tag, "tags must be scalar")
    array = np.asarray(values).astype(np.float64)
    if not np.isfinite(array).all():
        # The first value that is not finite decides what is said.
        first = array.ravel()[np.argmin(np.isfinite(array.ravel()))]
        what = "Nan in summary histogram" if np.isnan(first) else "Infinity in Histogram"
        raise invalid(f"{what} for: {name.decode(errors='replace')}")
    return _result(_value(wire.chunk(_TAG, name), wire.chunk(_HISTOGRAM, histograms.encode(array))))


def _numbered(tag: bytes, kind: str, most: int, i: int) -> bytes:
    """The tag of one of several images or clips."""
    return tag + (f"/{kind}".encode() if most == 1 else f"/{kind}/{i}".encode())


@image_summary.kernel(CPU)
def _image_kernel(xp: Any, tag: Array, tensor: Array, *, max_images: int, bad_color: Array) -> Array:
    from tfbench.engine.kernels import png

    name = _tag(tag, "Tags must be a scalar")
    images = np.asarray(tensor)
    if images.ndim != 4 or images.shape[3] not in (1, 3, 4):
        raise invalid(f"Tensor must be 4-D with last dim 1, 3, or 4, not {brackets(images.shape)}")
    count, height, width, depth = images.shape
    if not (height and width) or max(height, width) >= 1 << 31:
        raise invalid(f"input tensor must have non-zero dims. Found: {brackets(images.shape)}.")
    bad = np.asarray(bad_color)
    if bad.dtype != np.uint8:
        raise invalid(f"bad_color must be uint8, got {bad.dtype}")
    if bad.size < depth:
        raise invalid(f"expected depth <= bad_color.size, got depth = {depth}, bad_color.size = {bad.size}")
    out = []
    for i in range(min(max_images, count)):
        pixels = images[i] if images.dtype == np.uint8 else _as_colours(images[i], bad[:depth])
        fields = wire.integer(1, height) + wire.integer(2, width) + wire.integer(3, depth)
        fields += wire.chunk(4, png.encode_png(pixels, -1))
        out.append(_value(wire.chunk(_TAG, _numbered(name, "image", max_images, i)), wire.chunk(_IMAGE, fields)))
    return _result(b"".join(out))


def _as_colours(image: Array, bad: Array) -> Array:
    """Numbers as bytes: 0 to the largest, or around 128 if some are negative; pixels that are not finite are `bad`."""
    finite = np.isfinite(image).all(axis=2)
    kind = image.dtype.type
    known = image[finite].astype(np.float32)
    low, high = (known.min(), known.max()) if known.size else (np.float32(0), np.float32(0))
    largest = max(abs(low), abs(high)) if low < 0 else high
    room, offset = (127, 128) if low < 0 else (255, 0)
    scale = kind(np.float32(0) if largest < np.float32(1e-6) else np.float32(room) / largest)
    out = np.empty(image.shape, np.uint8)
    out[finite] = (image[finite] * scale + kind(offset)).astype(np.uint8)
    out[~finite] = bad
    return out


@audio_summary_v2.kernel(CPU)
def _audio_kernel(xp: Any, tag: Array, tensor: Array, sample_rate: Array, *, max_outputs: int) -> Array:
    name = _tag(tag, "Tags must be a scalar")
    clips = np.asarray(tensor)
    if clips.ndim not in (2, 3):
        raise invalid(f"Tensor must be 3-D or 2-D, got: {brackets(clips.shape)}")
    rates = np.ravel(sample_rate)
    if rates.size != 1:
        raise invalid(f"sample_rate must be a scalar, got: {brackets(np.shape(sample_rate))}")
    if not rates[0] > 0:
        raise invalid("sample_rate must be > 0")
    if clips.ndim == 2:
        clips = clips[:, :, None]
    out = []
    for i in range(min(max_outputs, clips.shape[0])):
        frames, channels = clips[i].shape
        fields = wire.single(1, rates[0]) + wire.integer(2, channels) + wire.integer(3, frames)
        fields += wire.chunk(4, _wave(clips[i], max(1, round(float(rates[0]))))) + wire.chunk(5, b"audio/wav")
        out.append(_value(wire.chunk(_TAG, _numbered(name, "audio", max_outputs, i)), wire.chunk(_AUDIO, fields)))
    return _result(b"".join(out))


def _wave(clip: Array, rate: int) -> bytes:
    """A WAV file of 16 bits of a clip [frames, channels] in -1 … 1; what is louder is cut off."""
    channels = clip.shape[1]
    loud = np.nan_to_num(clip.astype(np.float64) * 32768, nan=0.0)
    samples = np.clip(np.trunc(loud + np.copysign(0.5, loud)), -32768, 32767).astype("<i2").tobytes()

    def little(size: int, *values: int) -> bytes:
        return b"".join(value.to_bytes(size, "little") for value in values)

    layout = little(2, 1, channels) + little(4, rate, rate * channels * 2) + little(2, channels * 2, 16)
    head = b"WAVEfmt " + little(4, 16) + layout + b"data" + little(4, len(samples))
    return b"RIFF" + little(4, len(head) + len(samples)) + head + samples


def _number(dtype: Any) -> int:
    return int(dtype.base_dtype.as_datatype_enum)


@tensor_summary.bind(CPU)
def _tensor_bind(context: Any) -> Any:
    node, dtype = wire.chunk(_NODE, context.op.name.encode()), _number(context.attrs["T"])

    def summarize(tensor: Array) -> Array:
        return _result(_value(node, wire.chunk(_TENSOR, wire.tensor(tensor, dtype))))

    return summarize


@tensor_summary_v2.kernel(CPU)
def _tensor_v2_kernel(xp: Any, tag: Array, tensor: Array, metadata: Array, *, T: Any) -> Array:
    name = _tag(tag, "tag must be scalar")
    notes = _tag(metadata, "serialized_summary_metadata must be scalar")
    try:
        list(wire.fields(notes))
    except wire.BadMessage:
        notes = b""  # TensorFlow says nothing either
    content = wire.chunk(_TENSOR, wire.tensor(tensor, _number(T)))
    return _result(_value(wire.chunk(_TAG, name), content, wire.chunk(_METADATA, notes, always=True)))


@merge_summary.kernel(CPU)
def _merge_kernel(xp: Any, *inputs: Array) -> Array:
    seen: set[bytes] = set()
    out = []
    for summary in (item for array in inputs for item in np.ravel(array).tolist()):
        try:
            for number, kind, value in wire.fields(summary):
                if number != 1 or kind != 2:
                    continue
                out.append(wire.chunk(1, value, always=True))
                tags = [found for field, kind, found in wire.fields(value) if field == _TAG and kind == 2]
                # Values without a tag (TensorSummary) are told apart by their node.
                if tags and tags[-1]:
                    if tags[-1] in seen:
                        raise invalid(f"Duplicate tag {tags[-1].decode(errors='replace')} found in summary inputs")
                    seen.add(tags[-1])
        except wire.BadMessage:
            raise invalid("Could not parse one of the summary inputs") from None
    return _result(b"".join(out))
