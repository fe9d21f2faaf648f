"""One file an area; each holds small programs that run the same on TensorFlow and on tfbench."""
