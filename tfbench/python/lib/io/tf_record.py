"""`tensorflow.python.lib.io.tf_record`."""

from __future__ import annotations

from tfbench.python_io import TFRecordCompressionType, TFRecordOptions, TFRecordWriter, tf_record_iterator

__all__ = ["TFRecordCompressionType", "TFRecordOptions", "TFRecordWriter", "tf_record_iterator"]
