"""The operation families. Importing this registers every op.

What a family lists in `__all__` is public: `tf.` names here, `tf.nn` and other namespaces elsewhere.
"""

# isort: skip_file
# The order is by topic.
from tfbench.engine.ops.base import *
from tfbench.engine.ops.math_unary import *
from tfbench.engine.ops.math_binary import *
from tfbench.engine.ops.math_bitwise import *
from tfbench.engine.ops.math_cast import *
from tfbench.engine.ops.math_range import *
from tfbench.engine.ops.math_linspace import *
from tfbench.engine.ops.math_complex import *
from tfbench.engine.ops.math_no_nan import *
from tfbench.engine.ops.math_sums import *
from tfbench.engine.ops.reductions import *
from tfbench.engine.ops.math_reductions import *
from tfbench.engine.ops.math_special import *
from tfbench.engine.ops.cumulative import *
from tfbench.engine.ops.segments import *
from tfbench.engine.ops.segment_slopes import *
from tfbench.engine.ops.math_histogram import *
from tfbench.engine.ops.math_clip import *
from tfbench.engine.ops.math_arg import *
from tfbench.engine.ops.comparison import *
from tfbench.engine.ops.matmul import *
from tfbench.engine.ops.math_operators import *
from tfbench.engine.ops.math_einsum import *
from tfbench.engine.ops.math_tensordot import *
from tfbench.engine.ops.math_legacy import *
from tfbench.engine.ops.shape_ops import *
from tfbench.engine.ops.array_fill import *
from tfbench.engine.ops.array_join import *
from tfbench.engine.ops.slicing import *
from tfbench.engine.ops.slice_assign import *
from tfbench.engine.ops.slice_getitem import *
from tfbench.engine.ops.static_value import *
from tfbench.engine.ops.array_split import *
from tfbench.engine.ops.array_pad import *
from tfbench.engine.ops.array_order import *
from tfbench.engine.ops.gather import *
from tfbench.engine.ops.gather_nd import *
from tfbench.engine.ops.array_scatter import *
from tfbench.engine.ops.array_select import *
from tfbench.engine.ops.array_sets import *
from tfbench.engine.ops.array_broadcast import *
from tfbench.engine.ops.array_diag import *
from tfbench.engine.ops.array_blocks import *
from tfbench.engine.ops.array_patches import *
from tfbench.engine.ops.array_misc import *
from tfbench.engine.ops.array_stitch import *
from tfbench.engine.ops.sparse import *
from tfbench.engine.ops.sparse_distance import *
from tfbench.engine.ops.sparse_shapes import *
from tfbench.engine.ops.set_operations import *
from tfbench.engine.ops.sparse_merge import *
from tfbench.engine.ops.sparse_math import *
from tfbench.engine.ops.sparse_reductions import *
from tfbench.engine.ops.sparse_parts import *
from tfbench.engine.ops.sparse_forms import *
from tfbench.engine.ops.sparse_cross import *
from tfbench.engine.ops.quantization import *
from tfbench.engine.ops.random_common import *
from tfbench.engine.ops.identity_n import *
from tfbench.engine.ops.grouping import *
from tfbench.engine.ops.switch import *
from tfbench.engine.ops.loops import *
from tfbench.engine.ops.control_flow import *
from tfbench.engine.ops.while_loop import *
from tfbench.engine.ops.tensor_array import *
from tfbench.engine.ops.functional import *
from tfbench.engine.ops.printing import *
from tfbench.engine.ops.checks import *
from tfbench.engine.ops.case import *
from tfbench.engine.ops.asserts import *
from tfbench.engine.ops.asserts_static import *
from tfbench.engine.ops.script import *
from tfbench.engine.ops.eager_script import *
from tfbench.engine.ops.strings import *
from tfbench.engine.ops.string_convert import *
from tfbench.engine.ops.string_split import *
from tfbench.engine.ops.string_regex import *
from tfbench.engine.ops.string_csv import *
from tfbench.engine.ops.serialized_tensors import *
from tfbench.engine.ops.parse_features import *
from tfbench.engine.ops.parse_examples import *
from tfbench.engine.ops.files import *
from tfbench.engine.ops.checkpoints import *
from tfbench.engine.ops.queue_classes import *
from tfbench.engine.ops.readers import *
from tfbench.engine.ops.accumulators import *
from tfbench.engine.ops.printing_v2 import *
from tfbench.engine.ops.linalg import *
from tfbench.engine.ops.linalg_solve import *
from tfbench.engine.ops.linalg_norm import *
from tfbench.engine.ops.random import *
from tfbench.engine.ops.random_samples import *
from tfbench.engine.ops.random_stateless import *
from tfbench.engine.ops.math_confusion import *
from tfbench.engine.ops.array_sort import *
from tfbench.engine.ops.spectral import *
from tfbench.engine.ops.spectral_real import *
from tfbench.engine.ops import (  # public as `tf.nn` or `tf.image`, or known by what they register only
    array_lists,
    beams,
    ctc,
    dataset_functions,
    dataset_iterators,
    dataset_sources,
    dataset_transforms,
    image_boxes,
    image_codecs,
    image_color,
    image_glimpse,
    image_resize,
    image_sampling,
    lstm_block,
    nn_activations,
    nn_bias,
    nn_conv,
    nn_conv3d,
    nn_depthwise,
    nn_fractional,
    nn_loss,
    nn_norm,
    nn_pool,
    nn_pool_grad,
    nn_sampling,
    nn_softmax,
    nn_top,
    slopes,
    sparse_maps,
    stacks,
    summaries,
    tables,
    training,
    training_keras,
)

# What the families list, and not the families' own modules: `tf.random` is another one than `ops/random.py`.
__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and type(value).__name__ != "module"]
