"""`tf.bitwise`: operations on the bits of integers."""

from tfbench.engine.ops.math_bitwise import bitwise_and, bitwise_or, bitwise_xor, invert, left_shift, right_shift

__all__ = ["bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift"]
