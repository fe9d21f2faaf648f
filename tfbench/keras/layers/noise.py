"""Layers that add noise in training, and do nothing else."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.keras.backend import neural
from tfbench.keras.backend.config import floatx
from tfbench.keras.backend.control import in_train_phase
from tfbench.keras.layers.core import SameShape


class GaussianNoise(SameShape):
    """In training, adds normal numbers of standard deviation `stddev`."""

    supports_masking = True
    _config = ("stddev",)

    def __init__(self, stddev: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.stddev = stddev

    def call(self, inputs: Any, training: Any = None) -> Any:
        def noised() -> Any:
            return inputs + neural.random_normal(shape=ops.shape(inputs), mean=0.0, stddev=self.stddev)

        return in_train_phase(noised, inputs, training=training)


class GaussianDropout(SameShape):
    """In training, multiplies by normal numbers around 1 that vary as a dropout of that rate does."""

    supports_masking = True
    _config = ("rate",)

    def __init__(self, rate: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rate = rate

    def call(self, inputs: Any, training: Any = None) -> Any:
        if not 0 < self.rate < 1:
            return inputs

        def noised() -> Any:
            deviation = (self.rate / (1.0 - self.rate)) ** 0.5
            return inputs * neural.random_normal(shape=ops.shape(inputs), mean=1.0, stddev=deviation)

        return in_train_phase(noised, inputs, training=training)


class AlphaDropout(SameShape):
    """Dropout that keeps the mean and variance of what a selu gives."""

    supports_masking = True
    _config = ("rate",)

    def __init__(self, rate: float, noise_shape: Any = None, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rate = rate
        self.noise_shape = noise_shape
        self.seed = seed

    def call(self, inputs: Any, training: Any = None) -> Any:
        if not 0.0 < self.rate < 1.0:
            return inputs
        shape = self.noise_shape or ops.shape(inputs)

        def dropped() -> Any:
            low = -1.6732632423543772848170429916717 * 1.0507009873554804934193349852946
            kept = ops.greater_equal(neural.random_uniform(shape, seed=self.seed), self.rate)
            kept = ops.cast(kept, floatx())
            scale = ((1 - self.rate) * (1 + self.rate * low**2)) ** -0.5
            return scale * (inputs * kept + low * (1 - kept)) + -scale * low * self.rate

        return in_train_phase(dropped, inputs, training=training)
