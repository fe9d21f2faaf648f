"""Spectra of short pieces of a signal, and back; mel scales."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine import dtypes, ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.math_linspace import linspace
from tfbench.engine.ops.spectral_real import irfft, rfft
from tfbench.engine.ops.static_value import get_static_value
from tfbench.engine.tensor import Tensor
from tfbench.signal.framing import frame, overlap_and_add
from tfbench.signal.transforms import dct
from tfbench.signal.windows import hann_window

Window = Callable[..., Tensor]


def _enclosing_power_of_two(value: Tensor) -> Tensor:
    known = get_static_value(value)
    if known is not None:
        return ops.constant(int(2 ** np.ceil(np.log(known) / np.log(2.0))), dtype=value.dtype)
    power: Any = ops.log(ops.cast(value, dtypes.float32)) / ops.log(2.0)
    found: Tensor = ops.cast(ops.pow(2.0, ops.ceil(power)), value.dtype)
    return found


def stft(
    signals: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Window | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """The spectra of frames of a signal: [..., frames, fft_length / 2 + 1], complex.

    Args:
      fft_length: how long a frame is for the transform. Default: the next power of two.
      window_fn: (length, dtype) -> what each frame is multiplied with.
      pad_end: whether the last frame, which is not full, counts.
    """
    with name_scope(name, "stft", [signals, frame_length, frame_step]):
        signals = convert_to_tensor(signals, name="signals")
        signals.shape.with_rank_at_least(1)
        length, step = _lengths(frame_length, frame_step)
        fft = (
            _enclosing_power_of_two(length) if fft_length is None else convert_to_tensor(fft_length, name="fft_length")
        )
        frames: Any = frame(signals, length, step, pad_end=pad_end)
        if window_fn is not None:
            frames *= window_fn(length, dtype=frames.dtype)
        return rfft(frames, [fft])


def _lengths(frame_length: Any, frame_step: Any) -> tuple[Tensor, Tensor]:
    length = convert_to_tensor(frame_length, name="frame_length")
    length.shape.assert_has_rank(0)
    step = convert_to_tensor(frame_step, name="frame_step")
    step.shape.assert_has_rank(0)
    return length, step


def inverse_stft_window_fn(frame_step: Any, forward_window_fn: Window = hann_window, name: str | None = None) -> Window:
    """The window for `inverse_stft` with which it gives back what `stft` with `forward_window_fn` was given."""

    def inverse(frame_length: Any, dtype: Any) -> Tensor:
        with name_scope(name, "inverse_stft_window_fn", [forward_window_fn]):
            step = convert_to_tensor(frame_step, name="frame_step")
            step.shape.assert_has_rank(0)
            length: Any = convert_to_tensor(frame_length, name="frame_length")
            length.shape.assert_has_rank(0)
            forward: Any = forward_window_fn(length, dtype=dtype)
            total = ops.square(forward)
            overlaps = -(-length // step)
            total = ops.pad(total, [(0, overlaps * step - length)])
            total = ops.reduce_sum(ops.reshape(total, [overlaps, step]), 0, keepdims=True)
            total = ops.reshape(ops.tile(total, [overlaps, 1]), [overlaps * step])
            total = total[:length]
            found: Tensor = ops.where(ops.equal(total, 0), ops.zeros_like(total), forward / total)
            return found

    return inverse


def inverse_stft(
    stfts: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Window | None = hann_window,
    name: str | None = None,
) -> Tensor:
    """The signal of spectra [..., frames, fft_length / 2 + 1]: transformed back and added up.

    With `window_fn=inverse_stft_window_fn(frame_step)` it is the one that `stft` was given, but for its ends.
    """
    with name_scope(name, "inverse_stft", [stfts]):
        stfts = convert_to_tensor(stfts, name="stfts")
        stfts.shape.with_rank_at_least(2)
        length, step = _lengths(frame_length, frame_step)
        fft = (
            _enclosing_power_of_two(length) if fft_length is None else convert_to_tensor(fft_length, name="fft_length")
        )
        frames: Any = irfft(stfts, [fft])
        known = get_static_value(length)
        last = frames.shape.as_list()[-1] if frames.shape.ndims is not None else None
        if known is None or last is None:
            frames = frames[..., :length]
            rank, sizes = ops.rank(frames), ops.shape(frames)
            missing = ops.maximum(0, length - sizes[-1])
            paddings = ops.concat([ops.zeros([rank - 1, 2], dtype=length.dtype), convert_to_tensor([[0, missing]])], 0)
            frames = ops.pad(frames, paddings)
        elif last > int(known):
            frames = frames[..., : int(known)]
        elif last < int(known):
            frames = ops.pad(frames, [[0, 0]] * (frames.shape.ndims - 1) + [[0, int(known) - last]])
        if known is not None and frames.shape.ndims is not None:
            frames.set_shape([None] * (frames.shape.ndims - 1) + [int(known)])
        if window_fn is not None:
            frames *= window_fn(length, dtype=stfts.dtype.real_dtype)
        return overlap_and_add(frames, step)


# -- mel scale ------------------------------------------------------------------------------------------------------


def _hertz_to_mel(frequency: Any) -> Any:
    with name_scope("hertz_to_mel"):
        frequency = convert_to_tensor(frequency)
        return 1127.0 * ops.log(1.0 + (frequency / 700.0))


def _check_mel(num_mel_bins: Any, sample_rate: Any, lower: float, upper: float, dtype: Any) -> None:
    if num_mel_bins <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {num_mel_bins}")
    if lower < 0.0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {lower}")
    if lower >= upper:
        raise ValueError(f"lower_edge_hertz {lower:.1f} >= upper_edge_hertz {upper:.1f}")
    if not isinstance(sample_rate, Tensor):
        if sample_rate <= 0.0:
            raise ValueError(f"sample_rate must be positive. Got: {sample_rate}")
        if upper > sample_rate / 2:
            raise ValueError(
                f"upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). Got {upper} for "
                f"sample_rate: {sample_rate}"
            )
    if not dtypes.as_dtype(dtype).is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {dtype}")


def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: Any = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """A matrix [spectrogram bins, mel bins] that makes mel spectra of linear ones: triangles side by side.

    Raises:
      ValueError: for numbers that are no frequencies, or beyond half the sample rate.
    """
    with name_scope(name, "linear_to_mel_weight_matrix") as scope:
        if isinstance(sample_rate, Tensor):
            known = get_static_value(sample_rate)
            sample_rate = sample_rate if known is None else known
        _check_mel(num_mel_bins, sample_rate, lower_edge_hertz, upper_edge_hertz, dtype)
        rate: Any = ops.cast(sample_rate, dtype, name="sample_rate")
        lower = convert_to_tensor(lower_edge_hertz, dtype, name="lower_edge_hertz")
        upper = convert_to_tensor(upper_edge_hertz, dtype, name="upper_edge_hertz")
        zero = convert_to_tensor(0.0, dtype)
        # The bin of frequency 0 is left out: it has no place on the scale.
        linear: Any = linspace(zero, rate / 2.0, num_spectrogram_bins)
        bins: Any = ops.expand_dims(_hertz_to_mel(linear[1:]), 1)
        edges = linspace(_hertz_to_mel(lower), _hertz_to_mel(upper), num_mel_bins + 2)
        bands = frame(edges, frame_length=3, frame_step=1)
        low, center, high = [ops.reshape(part, [1, num_mel_bins]) for part in ops.split(bands, 3, axis=1)]
        rising, falling = (bins - low) / (center - low), (high - bins) / (high - center)
        weights = ops.maximum(zero, ops.minimum(rising, falling))
        found: Tensor = ops.pad(weights, [[1, 0], [0, 0]], name=scope)
        return found


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Tensor:
    """Mel-frequency cepstral coefficients: the cosine transform of logarithms of mel spectra [..., mel bins].

    Raises:
      ValueError: if there are no mel bins.
    """
    with name_scope(name, "mfccs_from_log_mel_spectrograms", [log_mel_spectrograms]):
        given: Any = convert_to_tensor(log_mel_spectrograms)
        bins: Any = None
        if given.shape.ndims and given.shape.as_list()[-1] is not None:
            bins = given.shape.as_list()[-1]
            if bins == 0:
                raise ValueError(f"num_mel_bins must be positive. Got: {given}")
        else:
            bins = ops.shape(given)[-1]
        transformed: Any = dct(given, type=2)
        found: Tensor = transformed * ops.rsqrt(ops.cast(bins, given.dtype) * 2.0)
        return found
