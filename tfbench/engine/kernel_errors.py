"""What kernels raise about the values that they get, and what runs them about what they are given to run.

The executor adds the operation and the user's line.
"""

from __future__ import annotations

from typing import Any

from tfbench.errors import InvalidArgumentError, UnimplementedError


def invalid(message: str) -> InvalidArgumentError:
    """The error for values that do not fit each other, or the attributes."""
    return InvalidArgumentError(None, None, message)


def unimplemented(message: str) -> UnimplementedError:
    """The error for what TensorFlow's kernels do not do either."""
    return UnimplementedError(None, None, message)


def brackets(shape: Any) -> str:
    """A shape as TensorFlow's kernels write it: `[2,3]`."""
    return "[" + ",".join(map(str, shape)) + "]"
