"""Kernels that are long enough for a file of their own: NumPy (or CuPy) in, arrays out, nothing of graphs.

The block of an op in `engine/ops/` binds them; kernels that are a few lines stand in the block itself.
"""
