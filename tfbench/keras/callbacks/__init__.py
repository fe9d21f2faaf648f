"""`tf.keras.callbacks`."""

from __future__ import annotations

from tfbench.keras.callbacks.base import BaseLogger, Callback, History, LambdaCallback, TerminateOnNaN
from tfbench.keras.callbacks.files import CSVLogger, TensorBoard
from tfbench.keras.callbacks.progress import ProgbarLogger
from tfbench.keras.callbacks.watching import EarlyStopping, LearningRateScheduler, ModelCheckpoint, ReduceLROnPlateau
