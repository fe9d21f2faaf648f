"""`tensorflow.python.lib.io`: files and records."""
