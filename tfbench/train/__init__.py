"""`tf.train`."""

from tfbench.train.adadelta import AdadeltaOptimizer
from tfbench.train.adagrad import AdagradDAOptimizer, AdagradOptimizer, ProximalAdagradOptimizer
from tfbench.train.adam import AdamOptimizer
from tfbench.train.ftrl import FtrlOptimizer
from tfbench.train.gradient_descent import GradientDescentOptimizer, ProximalGradientDescentOptimizer
from tfbench.train.momentum import MomentumOptimizer
from tfbench.train.optimizer import Optimizer
from tfbench.train.rmsprop import RMSPropOptimizer

__all__ = [
    "AdadeltaOptimizer",
    "AdagradDAOptimizer",
    "AdagradOptimizer",
    "AdamOptimizer",
    "FtrlOptimizer",
    "GradientDescentOptimizer",
    "MomentumOptimizer",
    "Optimizer",
    "ProximalAdagradOptimizer",
    "ProximalGradientDescentOptimizer",
    "RMSPropOptimizer",
]
