"""`tf.saved_model`: graphs with their variables, files and signatures, as TensorFlow Serving takes them."""

from __future__ import annotations

from tfbench.saved_model import (
    builder,
    constants,
    loader,
    main_op,
    signature_constants,
    signature_def_utils,
    tag_constants,
    utils,
)
from tfbench.saved_model.builder import SavedModelBuilder as Builder
from tfbench.saved_model.builder import simple_save
from tfbench.saved_model.constants import *
from tfbench.saved_model.loader import contains_saved_model, load, maybe_saved_model_directory
from tfbench.saved_model.main_op import main_op_with_restore
from tfbench.saved_model.signature_constants import *
from tfbench.saved_model.signature_def_utils import *
from tfbench.saved_model.tag_constants import *
from tfbench.saved_model.utils import *

__all__ = [
    "Builder", "builder", "constants", "contains_saved_model", "load", "loader", "main_op", "main_op_with_restore",
    "maybe_saved_model_directory", "signature_constants", "signature_def_utils", "simple_save", "tag_constants",
    "utils",
    *constants.__all__, *signature_constants.__all__, *signature_def_utils.__all__, *tag_constants.__all__,
    *utils.__all__,
]  # fmt: skip
