"""`tf.bitwise`: operations on the bits of integers."""

from tfbench.engine.ops.math_bitwise import (
    bitwise_and as bitwise_and,
    bitwise_or as bitwise_or,
    bitwise_xor as bitwise_xor,
    invert as invert,
    left_shift as left_shift,
    right_shift as right_shift,
)
