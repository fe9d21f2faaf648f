"""Updates of optimizers: in blocks as in one piece, and whole when an interrupt comes."""

from __future__ import annotations

import signal

import numpy as np
import pytest

from tfbench.engine.kernels import updates
from tfbench.engine.kernels.updates import Update

ADAM = {"beta1_power": 0.9, "beta2_power": 0.99, "lr": 0.1, "beta1": 0.9, "beta2": 0.99, "epsilon": 1e-3}


def adam_by_hand(var, m, v, grad):
    m = m + (grad - m) * (1 - 0.9)
    v = v + (grad * grad - v) * (1 - 0.99)
    rate = 0.1 * np.sqrt(1 - 0.99) / (1 - 0.9)
    return var - rate * m / (np.sqrt(v) + 1e-3), m, v


@pytest.mark.parametrize("size", [0, 1, updates._BLOCK - 1, updates._BLOCK, 3 * updates._BLOCK + 7])
def test_blocks_are_as_one_piece(size):
    rng = np.random.default_rng(size)
    arrays = [rng.normal(size=size), rng.normal(size=size), rng.random(size)]
    grad = rng.normal(size=size)
    expected = adam_by_hand(*arrays, grad)
    Update(np).apply(updates.adam, arrays, ADAM, grad)
    for found, wanted in zip(arrays, expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_scratch_is_as_large_as_a_block():
    update = Update(np)
    size = 10 * updates._BLOCK
    update.apply(updates.adam, [np.zeros(size), np.zeros(size), np.zeros(size)], ADAM, np.ones(size))
    assert sum(memory.size for memory in update._made) <= 4 * updates._BLOCK


def test_an_interrupt_leaves_variable_and_slots_of_one_update():
    """Interrupts at many moments: what is left is always the state after some whole number of updates."""
    size = 4 * updates._BLOCK
    grad = np.linspace(-1.0, 1.0, size)
    arrays = [np.zeros(size), np.zeros(size), np.zeros(size)]

    def raise_interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, raise_interrupt)
    try:
        for moment in range(30):
            start = [array.copy() for array in arrays]
            states = [start]
            for _ in range(40):
                states.append(list(adam_by_hand(*states[-1], grad)))
            try:  # around both alarms: on a busy machine this one may ring at once
                signal.setitimer(signal.ITIMER_REAL, 0.0005 + 0.00006 * moment)
                for _ in range(39):
                    Update(np).apply(updates.adam, arrays, ADAM, grad)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                pass
            assert any(
                all(np.allclose(a, b, rtol=1e-9, atol=1e-12) for a, b in zip(arrays, state, strict=True))
                for state in states
            )
            if moment % 10 == 9:
                arrays = [np.zeros(size), np.zeros(size), np.zeros(size)]
    finally:
        signal.signal(signal.SIGALRM, before)
