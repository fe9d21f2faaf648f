"""SavedModels read: which meta graphs there are, and one of them put into a graph and a session."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from tfbench import logging
from tfbench.saved_model import constants
from tfbench.train.meta_graphs import import_meta_graph

__all__ = ["load", "maybe_saved_model_directory"]


def parse_saved_model(export_dir: Any) -> Any:
    """The SavedModel message in a folder.

    Raises:
      OSError: if there is none, or the file holds something else.
    """
    from tfbench.formats.meta_graph import read_message
    from tfbench.formats.protos import SavedModel

    folder = os.fsdecode(export_dir)
    for name in (constants.SAVED_MODEL_FILENAME_PB, constants.SAVED_MODEL_FILENAME_PBTXT):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return read_message(path, SavedModel())
    raise OSError(
        f"SavedModel file does not exist at: {folder}{os.path.sep}"
        f"{{{constants.SAVED_MODEL_FILENAME_PBTXT}|{constants.SAVED_MODEL_FILENAME_PB}}}"
    )


def maybe_saved_model_directory(export_dir: Any) -> bool:
    """Whether there is a SavedModel in a folder."""
    folder = os.fsdecode(export_dir)
    names = (constants.SAVED_MODEL_FILENAME_PB, constants.SAVED_MODEL_FILENAME_PBTXT)
    return any(os.path.isfile(os.path.join(folder, name)) for name in names)


def contains_saved_model(export_dir: Any) -> bool:
    """Whether there is a SavedModel in a folder."""
    return maybe_saved_model_directory(export_dir)


def load(sess: Any, tags: Iterable[str], export_dir: Any, import_scope: str | None = None, **saver_kwargs: Any) -> Any:
    """Puts the meta graph with exactly these tags into the session's graph, restores its variables, and runs its main
    op.

    Args:
      import_scope: the name scope that it goes into.
      saver_kwargs: for `tf.train.import_meta_graph`.

    Returns:
      The MetaGraphDef, whose `signature_def` says which tensors are put in and taken out.

    Raises:
      OSError: if there is no SavedModel. RuntimeError: if it has no meta graph with these tags.
    """
    meta_graph = _with_tags(parse_saved_model(export_dir), tags)
    folder = os.fsdecode(export_dir)
    with sess.graph.as_default():
        saver = import_meta_graph(meta_graph, import_scope=import_scope, **saver_kwargs)
        if saver is None:
            logging.info("The specified SavedModel has no variables; no checkpoints were restored.")
        else:
            saver.restore(sess, os.path.join(folder, constants.VARIABLES_DIRECTORY, constants.VARIABLES_FILENAME))
        main_op = _main_op(sess.graph, meta_graph, import_scope)
        if main_op is not None:
            sess.run(main_op, feed_dict=_assets(folder, meta_graph, import_scope))
    return meta_graph


def _with_tags(saved_model: Any, tags: Iterable[str]) -> Any:
    wanted = set(tags)
    for meta_graph in saved_model.meta_graphs:
        if set(meta_graph.meta_info_def.tags) == wanted:
            return meta_graph
    sets = (", ".join(map(repr, sorted(meta_graph.meta_info_def.tags))) for meta_graph in saved_model.meta_graphs)
    available = f"[{', '.join(f'{{{tags}}}' for tags in sets)}]"
    shown = tags if isinstance(tags, str) else str(list(tags)).strip("[]")
    raise RuntimeError(
        f"MetaGraphDef associated with tags {shown} could not be found in SavedModel, with available tags "
        f"'{available}'. `tags` are all that one of them has."
    )


def _scoped(name: str, import_scope: str | None) -> str:
    return f"{import_scope}/{name}" if import_scope else name


def _main_op(graph: Any, meta_graph: Any, import_scope: str | None) -> Any:
    for key in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY):
        if key in meta_graph.collection_def:
            found = list(meta_graph.collection_def[key].node_list.value)
            if len(found) != 1:
                raise RuntimeError(f"Expected exactly one SavedModel init op. Found {len(found)}: {found}.")
            return graph.get_operation_by_name(_scoped(found[0], import_scope))
    return None


def _assets(folder: str, meta_graph: Any, import_scope: str | None) -> dict[str, str]:
    """The paths of the assets, for the tensors that name them."""
    from tfbench.formats.protos import AssetFileDef

    feeds = {}
    if constants.ASSETS_KEY in meta_graph.collection_def:
        for packed in meta_graph.collection_def[constants.ASSETS_KEY].any_list.value:
            asset = AssetFileDef.FromString(packed.value)
            path = os.path.join(folder, constants.ASSETS_DIRECTORY, asset.filename)
            feeds[_scoped(asset.tensor_info.name, import_scope)] = path
    return feeds
