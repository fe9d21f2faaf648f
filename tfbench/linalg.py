"""`tf.linalg`: linear algebra on the last two axes, under its newer names."""

from __future__ import annotations

from tfbench.engine.ops.array_diag import matrix_band_part as band_part
from tfbench.engine.ops.array_diag import matrix_diag as diag
from tfbench.engine.ops.array_diag import matrix_diag_part as diag_part
from tfbench.engine.ops.array_diag import matrix_set_diag as set_diag
from tfbench.engine.ops.array_diag import tensor_diag, tensor_diag_part
from tfbench.engine.ops.array_order import matrix_transpose
from tfbench.engine.ops.array_order import matrix_transpose as transpose
from tfbench.engine.ops.linalg import cholesky, eye, logm, lu, qr, svd
from tfbench.engine.ops.linalg import matrix_square_root as sqrtm
from tfbench.engine.ops.linalg import self_adjoint_eig as eigh
from tfbench.engine.ops.linalg import self_adjoint_eigvals as eigvalsh
from tfbench.engine.ops.linalg_norm import adjoint, logdet, matrix_rank, norm, normalize, pinv
from tfbench.engine.ops.linalg_solve import cholesky_solve, slogdet
from tfbench.engine.ops.linalg_solve import matrix_determinant as det
from tfbench.engine.ops.linalg_solve import matrix_inverse as inv
from tfbench.engine.ops.linalg_solve import matrix_solve as solve
from tfbench.engine.ops.linalg_solve import matrix_solve_ls as lstsq
from tfbench.engine.ops.linalg_solve import matrix_triangular_solve as triangular_solve
from tfbench.engine.ops.math_clip import global_norm
from tfbench.engine.ops.math_einsum import einsum
from tfbench.engine.ops.math_tensordot import tensordot
from tfbench.engine.ops.matmul import cross, matmul, matvec, trace

__all__ = [
    "adjoint", "band_part", "cholesky", "cholesky_solve", "cross", "det", "diag", "diag_part", "eigh", "eigvalsh",
    "einsum", "eye", "global_norm", "inv", "logdet", "logm", "lstsq", "lu", "matmul", "matrix_rank",
    "matrix_transpose", "matvec", "norm", "normalize", "pinv", "qr", "set_diag", "slogdet", "solve", "sqrtm", "svd",
    "tensor_diag", "tensor_diag_part", "tensordot", "trace", "transpose", "triangular_solve",
]  # fmt: skip
