"""Recurrent networks: cells over sequences, in loops (`dynamic_rnn`) or unrolled (`static_rnn`)."""

from tfbench.nn.recurrent.dynamic import bidirectional_dynamic_rnn, dynamic_rnn
from tfbench.nn.recurrent.raw import raw_rnn
from tfbench.nn.recurrent.static import static_bidirectional_rnn, static_rnn, static_state_saving_rnn

__all__ = [
    "bidirectional_dynamic_rnn",
    "dynamic_rnn",
    "raw_rnn",
    "static_bidirectional_rnn",
    "static_rnn",
    "static_state_saving_rnn",
]
