"""`tf.signal` beyond Fourier transforms: windows, frames, short-time spectra, cosine transforms, mel scales."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program

X = np.sin(np.arange(20.0) * 0.7).astype(np.float32)


def run(tf, fetches):
    with tf.Session() as sess:
        return sess.run(fetches)


@program()
def windows(tf):
    signal = tf.signal
    given = [
        signal.hann_window(8), signal.hann_window(7), signal.hamming_window(5, periodic=False, dtype=tf.float64),
        signal.hann_window(1), signal.hamming_window(6, name="mine"),
        signal.hann_window(tf.placeholder_with_default(7, [])), signal.hann_window(tf.placeholder_with_default(1, [])),
    ]  # fmt: skip
    wrong = attempt(signal.hann_window, 4, dtype=tf.int32), attempt(signal.hann_window, [4])
    return run(tf, given), [window.shape for window in given], wrong


FRAMES = {
    "usual": ((2, 10), (4, 2), {}), "padded": ((10,), (4, 3), {"pad_end": True, "pad_value": 9.0}),
    "first axis": ((7, 2), (3, 2), {"axis": 0}),
    "middle axis, padded": ((2, 5, 2), (3, 3), {"axis": 1, "pad_end": True}),
    "too short": ((3,), (4, 2), {}), "gaps": ((10,), (2, 4), {}),
}  # fmt: skip


@program(cases=FRAMES)
def frames(tf, case):
    shape, sizes, options = case
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    found = tf.signal.frame(tf.constant(x), *sizes, **options)
    return run(tf, found), found.shape


@program(cases=[False, True])
def frames_of_unknown_shapes(tf, pad_end):
    x = tf.placeholder_with_default(np.arange(20, dtype=np.float32).reshape(2, 10), [None, None])
    found = tf.signal.frame(x, 4, 2, pad_end=pad_end)
    return run(tf, found), found.shape, run(tf, tf.gradients(found, x))


@program()
def added_up(tf):
    x = tf.constant(np.arange(24, dtype=np.float32).reshape(2, 3, 4))
    given = [
        tf.signal.overlap_and_add(x, 2), tf.signal.overlap_and_add(x, 3), tf.signal.overlap_and_add(x, 4),
        tf.signal.overlap_and_add(x, 5),
        tf.signal.overlap_and_add(tf.placeholder_with_default(np.ones((3, 4), np.float32), [None, 4]), 3),
    ]  # fmt: skip
    wrong = attempt(tf.signal.overlap_and_add, tf.ones([3]), 1), attempt(tf.signal.overlap_and_add, x, 1.5)
    return run(tf, given), [one.shape for one in given], wrong, run(tf, tf.gradients(given[0], x))


@program()
def short_time_spectra(tf):
    x = tf.constant(X)
    spectra = tf.signal.stft(x, 6, 3)
    plain = tf.signal.stft(x, 4, 4, fft_length=6, window_fn=None, pad_end=True)
    slopes = tf.gradients(tf.abs(spectra), x)
    return run(tf, [spectra, plain, slopes]), spectra.shape, plain.shape


@program()
def back_from_spectra(tf):
    spectra = tf.signal.stft(tf.constant(X), 8, 4)
    back = tf.signal.inverse_stft(spectra, 8, 4, window_fn=tf.signal.inverse_stft_window_fn(4))
    usual = tf.signal.inverse_stft(spectra, 8, 4)
    cut = tf.signal.inverse_stft(spectra, 6, 3, fft_length=8, window_fn=None)
    longer = tf.signal.inverse_stft(spectra, 10, 5, fft_length=8)
    return run(tf, [back, usual, cut, longer]), back.shape


@program(tol=1e-4)
def mel_scale(tf):
    matrix = tf.signal.linear_to_mel_weight_matrix(4, 9, 16000, 100.0, 7000.0)
    usual = tf.signal.linear_to_mel_weight_matrix(dtype=tf.float64, name="mine")
    return run(tf, [matrix, usual]), matrix.shape


@program(graph=False)
def wrong_mel_scales(tf):
    make = tf.signal.linear_to_mel_weight_matrix
    return (
        attempt(make, 0), attempt(make, sample_rate=0), attempt(make, lower_edge_hertz=-1.0),
        attempt(make, lower_edge_hertz=100.0, upper_edge_hertz=50.0), attempt(make, upper_edge_hertz=5000.0),
        attempt(make, dtype=tf.int32),
    )  # fmt: skip


@program()
def cepstra(tf):
    known = tf.signal.mfccs_from_log_mel_spectrograms(tf.constant(X.reshape(2, 2, 5)))
    unknown = tf.signal.mfccs_from_log_mel_spectrograms(tf.placeholder_with_default(X.reshape(4, 5), [None, None]))
    return run(tf, [known, unknown]), attempt(tf.signal.mfccs_from_log_mel_spectrograms, tf.zeros([2, 0]))


COSINES = {
    "1": {"type": 1}, "2": {}, "2 ortho": {"norm": "ortho"}, "3": {"type": 3}, "3 ortho": {"type": 3, "norm": "ortho"},
    "4": {"type": 4}, "4 ortho": {"type": 4, "norm": "ortho"}, "cut": {"n": 3}, "longer": {"n": 7, "type": 3},
}  # fmt: skip


@program(cases=COSINES, tol=1e-5)
def cosine_transforms(tf, options):
    x = tf.constant(X.reshape(4, 5))
    there, back = tf.signal.dct(x, **options), tf.signal.idct(x, **options)
    return run(tf, [there, back, tf.gradients(there, x)]), there.shape


@program(graph=False)
def wrong_cosine_transforms(tf):
    x = tf.ones([2, 4])
    return (
        attempt(tf.signal.dct, x, axis=0), attempt(tf.signal.dct, x, type=5), attempt(tf.signal.dct, x, n=0),
        attempt(tf.signal.dct, x, type=1, norm="ortho"), attempt(tf.signal.dct, tf.ones([2, 1]), type=1),
        attempt(tf.signal.idct, x, norm="max"),
    )  # fmt: skip


@program()
def zero_in_the_middle(tf):
    x = tf.constant(X[:15].reshape(3, 5))
    given = [
        tf.signal.fftshift(x), tf.signal.ifftshift(x), tf.signal.fftshift(x, 1), tf.signal.ifftshift(x, axes=[0]),
        tf.signal.fftshift(x, axes=(0, 1), name="mine"),
    ]  # fmt: skip
    return run(tf, given)
