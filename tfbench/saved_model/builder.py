"""SavedModels written: a graph, or several that share variables, with signatures and the files they need.

A folder with `saved_model.pb` (the meta graphs), `variables/` (one checkpoint) and `assets/` (copies of files). The
message is written last, so that an interrupted export is no SavedModel.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from typing import Any

from tfbench import logging
from tfbench.engine.collections import GraphKeys
from tfbench.engine.default_graph import add_to_collection, get_collection
from tfbench.engine.infer import constant_value
from tfbench.engine.ops.files import file_error
from tfbench.engine.tensor import Tensor
from tfbench.saved_model import constants
from tfbench.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from tfbench.saved_model.signature_def_utils import predict_signature_def
from tfbench.saved_model.tag_constants import SERVING
from tfbench.train.saveables import all_saveables
from tfbench.train.saver import Saver

__all__ = ["SavedModelBuilder"]


class SavedModelBuilder:
    """Writes a SavedModel into a folder that is empty, or not there yet.

    Raises:
      AssertionError: if there is something in the folder.
    """

    def __init__(self, export_dir: Any) -> None:
        from tfbench.formats.protos import SavedModel

        self._saved_model = SavedModel(saved_model_schema_version=constants.SAVED_MODEL_SCHEMA_VERSION)
        self._export_dir = os.fsdecode(export_dir)
        if os.path.exists(self._export_dir):
            if os.listdir(self._export_dir):
                raise AssertionError(
                    f"Export directory {self._export_dir} already exists, and isn't empty. Please choose a different "
                    "export directory, or delete all the contents of the specified directory."
                )
        else:
            os.makedirs(self._export_dir)
        self._has_saved_variables = False

    def add_meta_graph_and_variables(
        self,
        sess: Any,
        tags: Iterable[str],
        signature_def_map: Any = None,
        assets_collection: Any = None,
        legacy_init_op: Any = None,
        clear_devices: bool = False,
        main_op: Any = None,
        strip_default_attrs: bool = False,
        saver: Any = None,
    ) -> None:
        """Adds the default graph, and writes the values that the session's variables have.

        Args:
          tags: what the meta graph is found by.
          signature_def_map: SignatureDefs by name.
          assets_collection: constant tensors that hold paths; the files are copied.
          main_op: what a loader runs after restoring.
          saver: what writes the variables; default: a new one, for all of them.

        Raises:
          AssertionError: if the variables have been saved already, or a signature is incomplete.
        """
        if self._has_saved_variables:
            raise AssertionError(
                "Graph state including variables and assets has already been saved. Please invoke `add_meta_graph()` "
                "instead."
            )
        signatures = _checked(signature_def_map)
        self._prepare(assets_collection, main_op, legacy_init_op)
        folder = os.path.join(self._export_dir, constants.VARIABLES_DIRECTORY)
        os.makedirs(folder, exist_ok=True)
        saver = _saver(saver)
        saver.save(sess, os.path.join(folder, constants.VARIABLES_FILENAME), write_meta_graph=False, write_state=False)
        meta_graph = saver.export_meta_graph(clear_devices=clear_devices, strip_default_attrs=strip_default_attrs)
        self._add(meta_graph, tags, signatures)
        self._has_saved_variables = True

    def add_meta_graph(
        self,
        tags: Iterable[str],
        signature_def_map: Any = None,
        assets_collection: Any = None,
        legacy_init_op: Any = None,
        clear_devices: bool = False,
        main_op: Any = None,
        strip_default_attrs: bool = False,
        saver: Any = None,
    ) -> None:
        """Adds the default graph, whose variables are those that were written.

        Raises:
          AssertionError: if none were written yet, or a signature is incomplete.
        """
        if not self._has_saved_variables:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. Please invoke "
                "`add_meta_graph_and_variables()` first."
            )
        signatures = _checked(signature_def_map)
        self._prepare(assets_collection, main_op, legacy_init_op)
        meta_graph = _saver(saver).export_meta_graph(
            clear_devices=clear_devices, strip_default_attrs=strip_default_attrs
        )
        self._add(meta_graph, tags, signatures)

    def save(self, as_text: bool = False) -> bytes:
        """Writes the meta graphs; gives the path of the file."""
        from tfbench.formats.meta_graph import write_message

        os.makedirs(self._export_dir, exist_ok=True)
        name = constants.SAVED_MODEL_FILENAME_PBTXT if as_text else constants.SAVED_MODEL_FILENAME_PB
        path = os.path.join(self._export_dir, name)
        write_message(path, self._saved_model, as_text)
        logging.info("SavedModel written to: %s", path)
        return os.fsencode(path)

    def _add(self, meta_graph: Any, tags: Iterable[str], signatures: dict[str, Any]) -> None:
        meta_graph.meta_info_def.tags.extend(tags)
        for name, signature in signatures.items():
            meta_graph.signature_def[name].CopyFrom(signature)
        self._saved_model.meta_graphs.append(meta_graph)

    def _prepare(self, assets: Any, main_op: Any, legacy_init_op: Any) -> None:
        """Puts into the graph's collections what a loader needs."""
        if main_op is not None and legacy_init_op is not None:
            raise ValueError("Expected either `main_op` or `legacy_init_op`, not both.")
        main_op = legacy_init_op if main_op is None else main_op
        self._copy_assets(assets)
        if main_op is not None:
            if not hasattr(main_op, "graph"):
                raise TypeError(f"Expected {main_op} to be an Operation, found {type(main_op).__name__}.")
            add_to_collection(constants.MAIN_OP_KEY, main_op)

    def _copy_assets(self, assets: Any) -> None:
        from google.protobuf.any_pb2 import Any as Packed

        from tfbench.formats.protos import AssetFileDef

        copied: dict[str, str] = {}
        for tensor in assets or ():
            source = _path_in(tensor)
            name = _free_name(os.path.basename(source), source, copied)
            asset = AssetFileDef(filename=name)
            asset.tensor_info.name = tensor.name
            packed = Packed()
            packed.Pack(asset)
            add_to_collection(constants.ASSETS_KEY, packed)
            copied[name] = source
        if not copied:
            logging.info("No assets to save.")
            return
        folder = os.path.join(self._export_dir, constants.ASSETS_DIRECTORY)
        os.makedirs(folder, exist_ok=True)
        for name, source in copied.items():
            try:
                shutil.copyfile(source, os.path.join(folder, name))
            except OSError as error:
                raise file_error(source, error) from None


def _saver(given: Any) -> Any:
    return given or Saver(all_saveables(), sharded=True, allow_empty=True)


def _free_name(name: str, source: str, taken: dict[str, str]) -> str:
    """`name`, or `name_1`, … where another file has it."""
    found, count = name, 1
    while taken.get(found, source) != source:
        found = f"{name}_{count}"
        count += 1
    return found


def _path_in(tensor: Any) -> str:
    if not isinstance(tensor, Tensor):
        raise TypeError(f"Asset path tensor {tensor} must be a Tensor.")
    if tensor.op.type != "Const":
        raise TypeError(f"Asset path tensor {tensor} must be of type constant. Has type {tensor.op.type} instead.")
    value = constant_value(tensor)
    if value is None or value.dtype.kind not in "OSU":
        raise TypeError(f"Asset path tensor {tensor} must be of dtype string.")
    if value.size != 1:
        raise TypeError(f"Asset path tensor {tensor} must be a scalar.")
    path = os.fsdecode(value.item())
    if not path:
        raise ValueError(f"Asset filepath tensor {tensor} in is invalid: the path is empty.")
    return path


def _checked(signature_def_map: Any) -> dict[str, Any]:
    signatures = dict(signature_def_map or {})
    for name, signature in signatures.items():
        for info in (*signature.inputs.values(), *signature.outputs.values()):
            if info.WhichOneof("encoding") is None:
                raise AssertionError(
                    f"All TensorInfo protos used in the SignatureDefs must have one of the 'encoding' fields (e.g., "
                    f"name or coo_sparse) set, found in {name!r}: {info}"
                )
            if not info.dtype:
                raise AssertionError(
                    "All TensorInfo protos used in the SignatureDefs must have the `dtype` field set to something "
                    f"other than DT_INVALID, found in {name!r}: {info}"
                )
    return signatures


def simple_save(session: Any, export_dir: Any, inputs: Any, outputs: Any, legacy_init_op: Any = None) -> None:
    """Writes the session's graph and variables as a SavedModel for serving, with one signature.

    Args:
      inputs, outputs: tensors by name.
      legacy_init_op: what a loader runs after restoring.
    """
    signature = predict_signature_def(inputs, outputs)
    builder = SavedModelBuilder(export_dir)
    builder.add_meta_graph_and_variables(
        session,
        tags=[SERVING],
        signature_def_map={DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
        assets_collection=get_collection(GraphKeys.ASSET_FILEPATHS),
        main_op=legacy_init_op,
        clear_devices=True,
    )
    builder.save()
