"""Programs whose graphs, values and errors are recorded from TensorFlow (see README.md)."""

from tests.oracle.registry import attempt, program

__all__ = ["attempt", "program"]
