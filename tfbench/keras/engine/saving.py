"""Weights in files: TensorFlow's object-based checkpoints. Files in HDF5 need h5py, which tfbench does not use."""

from __future__ import annotations

import os
from typing import Any, NoReturn

from tfbench.keras.backend.state import get_session
from tfbench.train.checkpoint import _SavingNodes
from tfbench.train.checkpoint_reader import CheckpointReader
from tfbench.train.checkpoint_state import update_state
from tfbench.train.checkpoint_status import CheckpointLoadStatus, NameBasedSaverStatus, RestoreNodes, Restoring
from tfbench.train.object_graph import ObjectGraph, saved_graph


def is_hdf5(path: Any) -> bool:
    """Whether the name is that of a file in HDF5."""
    return str(path).endswith((".h5", ".keras", ".hdf5"))


def needs_hdf5(what: str, path: Any) -> NoReturn:
    """Refuses what only HDF5 could hold."""
    raise ImportError(
        f"`{what}` requires h5py for the HDF5 file {str(path)!r}, and tfbench does not write or read such files. "
        "Weights can be saved in TensorFlow's format, with a name that does not end in .h5, .hdf5 or .keras: "
        "model.save_weights('path/weights'), model.load_weights('path/weights'); the structure with model.to_json()."
    )


def save_weights(model: Any, filepath: str, overwrite: bool = True, save_format: str | None = None) -> None:
    """Writes `filepath.index` and `filepath.data-…`.

    Raises:
      ImportError: for HDF5.
      ValueError: for another format, or a name that does not fit it.
    """
    model._assert_weights_created()
    kind = "h5" if is_hdf5(filepath) else "tf"
    if save_format is not None:
        given = save_format.lower().strip()
        if given in ("hdf5", "h5", "keras"):
            kind = "h5"
        elif given not in ("tensorflow", "tf"):
            raise ValueError(f'Unknown format "{save_format}". Was expecting one of {{"tf", "h5"}}.')
        elif is_hdf5(filepath):
            raise ValueError(
                f'save_weights got save_format="tf"/"tensorflow", but the filepath ("{filepath}") looks like an HDF5 '
                "file: leave out its ending, or the format."
            )
    if kind == "h5":
        needs_hdf5("save_weights", filepath)
    if not overwrite and os.path.isfile(f"{filepath}.index"):
        raise FileExistsError(f"{filepath}.index exists, and `overwrite` is False")
    folder = os.path.dirname(filepath)
    if folder:
        os.makedirs(folder, exist_ok=True)
    session = get_session()
    with session.graph.as_default():
        _nodes(model)[0].run(ObjectGraph(model), session, filepath)
    update_state(folder, filepath, [filepath], None, None, None, relative=True)


def load_weights(model: Any, filepath: str, by_name: bool = False) -> Any:
    """Sets the weights to what `save_weights` wrote.

    Raises:
      ImportError: for HDF5.
      NotImplementedError: for `by_name`.
    """
    if is_hdf5(filepath):
        needs_hdf5("load_weights", filepath)
    if by_name:
        raise NotImplementedError(
            "load_weights got by_name=True: TensorFlow's files name weights by the places of layers in a model, so "
            "they cannot be found by the layers' names."
        )
    path = os.fsdecode(filepath)
    session = get_session()
    message = saved_graph(CheckpointReader(path))
    with session.graph.as_default():
        if message is None:  # a Saver's: by the names of the variables
            status: Any = NameBasedSaverStatus(model, path, optional=None)
        else:
            restoring = Restoring(model, message, path, _nodes(model)[1])
            restoring.match()
            status = CheckpointLoadStatus(restoring)
            status.assert_nontrivial_match()
        status.run_restore_ops(session)
    return status


def _nodes(model: Any) -> tuple[Any, RestoreNodes]:
    """The nodes that save and restore the model, made once."""
    found: tuple[Any, RestoreNodes] = vars(model).setdefault("_saving_nodes", (_SavingNodes(), RestoreNodes()))
    return found
