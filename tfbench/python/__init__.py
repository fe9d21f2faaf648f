"""What TensorFlow 1 programs import from `tensorflow.python`, which is no public API there."""
