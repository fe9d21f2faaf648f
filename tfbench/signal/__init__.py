"""`tf.signal`: Fourier and cosine transforms, frames of signals and their spectra, windows, mel scales."""

from __future__ import annotations

from tfbench.engine.ops.spectral import fft, fft2d, fft3d, ifft, ifft2d, ifft3d
from tfbench.engine.ops.spectral_real import irfft, irfft2d, irfft3d, rfft, rfft2d, rfft3d
from tfbench.signal.framing import frame, overlap_and_add
from tfbench.signal.spectra import (
    inverse_stft,
    inverse_stft_window_fn,
    linear_to_mel_weight_matrix,
    mfccs_from_log_mel_spectrograms,
    stft,
)
from tfbench.signal.transforms import dct, fftshift, idct, ifftshift
from tfbench.signal.windows import hamming_window, hann_window

__all__ = [
    "dct", "fft", "fft2d", "fft3d", "fftshift", "frame", "hamming_window", "hann_window", "idct", "ifft", "ifft2d",
    "ifft3d", "ifftshift", "inverse_stft", "inverse_stft_window_fn", "irfft", "irfft2d", "irfft3d",
    "linear_to_mel_weight_matrix", "mfccs_from_log_mel_spectrograms", "overlap_and_add", "rfft", "rfft2d", "rfft3d",
    "stft",
]  # fmt: skip
