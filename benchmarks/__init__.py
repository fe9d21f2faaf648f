"""Speed and memory side by side with TensorFlow: `python -m benchmarks --help`."""
