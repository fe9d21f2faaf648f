"""`tf.contrib.rnn`: the cells of `tf.nn.rnn_cell` and the networks that are unrolled, under their older names."""

from __future__ import annotations

from tfbench.contrib.rnn.block_cells import LSTMBlockCell
from tfbench.contrib.rnn.cells import LayerNormBasicLSTMCell, NASCell
from tfbench.contrib.rnn.stacks import stack_bidirectional_dynamic_rnn, stack_bidirectional_rnn
from tfbench.contrib.rnn.wrappers import EmbeddingWrapper, InputProjectionWrapper, OutputProjectionWrapper
from tfbench.nn.recurrent.shapes import batch_size_of as best_effort_input_batch_size
from tfbench.nn.recurrent.shapes import transpose_batch_time
from tfbench.nn.recurrent.static import static_bidirectional_rnn, static_rnn, static_state_saving_rnn
from tfbench.nn.rnn_cell.base import LayerRNNCell, RNNCell
from tfbench.nn.rnn_cell.dropout import DropoutWrapper
from tfbench.nn.rnn_cell.lstm import BasicLSTMCell, LSTMCell, LSTMStateTuple
from tfbench.nn.rnn_cell.multi import MultiRNNCell
from tfbench.nn.rnn_cell.simple import BasicRNNCell, GRUCell
from tfbench.nn.rnn_cell.wrappers import DeviceWrapper, ResidualWrapper

__all__ = [
    "BasicLSTMCell",
    "BasicRNNCell",
    "DeviceWrapper",
    "DropoutWrapper",
    "EmbeddingWrapper",
    "GRUCell",
    "InputProjectionWrapper",
    "LSTMBlockCell",
    "LSTMCell",
    "LSTMStateTuple",
    "LayerNormBasicLSTMCell",
    "LayerRNNCell",
    "MultiRNNCell",
    "NASCell",
    "OutputProjectionWrapper",
    "RNNCell",
    "ResidualWrapper",
    "best_effort_input_batch_size",
    "stack_bidirectional_dynamic_rnn",
    "stack_bidirectional_rnn",
    "static_bidirectional_rnn",
    "static_rnn",
    "static_state_saving_rnn",
    "transpose_batch_time",
]
