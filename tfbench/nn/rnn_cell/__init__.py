"""`tf.nn.rnn_cell`: cells of recurrent networks, as TensorFlow 1.15 has them."""

from tfbench.nn.rnn_cell.base import RNNCell
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
    "GRUCell",
    "LSTMCell",
    "LSTMStateTuple",
    "MultiRNNCell",
    "RNNCell",
    "ResidualWrapper",
]
