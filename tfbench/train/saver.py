"""`tf.train.Saver`: writes the variables of a session into checkpoints, keeps the last few, and restores them."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Sequence
from typing import Any

from tfbench import errors, logging
from tfbench.engine.session import BaseSession
from tfbench.train import checkpoint_state
from tfbench.train.saveables import all_saveables
from tfbench.train.saver_nodes import V2, BaseSaverBuilder, BulkSaverBuilder

__all__ = ["Saver"]

_SECONDS_PER_HOUR = 3600


class Saver:
    """Saves and restores variables. Making one adds the nodes that do it to the default graph.

    Args:
      var_list: what to save: a list of variables, saved under their names, or a dict name -> variable. Slices of a
        partitioned variable are one tensor in the checkpoint. Default: everything saveable in the graph.
      reshape: a restored value may have another shape with as many elements.
      sharded: each device writes a data file of its own.
      max_to_keep: older checkpoints are removed; 0 or None keeps all.
      keep_checkpoint_every_n_hours: one of those that would be removed is kept every so often.
      name: the scope of the nodes. Default: 'save'.
      restore_sequentially: for builders that restore one variable after the other; the usual one reads all at once.
      saver_def: a SaverDef message that says where the nodes are; none are added.
      builder: a BaseSaverBuilder that makes the nodes.
      defer_build: leave making the nodes to `build` or to the first save.
      allow_empty: with nothing to save, do nothing instead of raising.
      write_version: `SaverDef.V2` or `V1`.
      pad_step_number: write the step into names with at least eight digits.
      save_relative_paths: write paths into the state file as seen from its folder, so that it can be moved.
      filename: the default of the node that is fed the path.

    Raises:
      TypeError: if `var_list` is neither a list nor a dict, or holds what is no variable.
      ValueError: if there is nothing to save, or two variables have one name.
    """

    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: Any = None,
        builder: BaseSaverBuilder | None = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: int = V2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        if defer_build and var_list:
            raise ValueError(
                "If `var_list` is provided then build cannot be deferred. Either set defer_build=False or "
                "var_list=None."
            )
        self._var_list = var_list
        self._reshape = reshape
        self._sharded = sharded
        self._max_to_keep = max_to_keep
        self._keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self._name = name
        self._restore_sequentially = restore_sequentially
        self.saver_def = saver_def
        self._builder = builder
        self._is_built = False
        self._is_empty = False
        self._allow_empty = allow_empty
        self._write_version = write_version
        self._pad_step_number = pad_step_number
        self._filename = filename
        self._save_relative_paths = save_relative_paths
        #: (path, when it was written), the oldest first; and those that are about to be removed
        self._last_checkpoints: list[tuple[str, float]] = []
        self._checkpoints_to_be_deleted: list[tuple[str, float]] = []
        #: what reads object-based checkpoints
        self._object_restore_saver: Saver | None = None
        if not defer_build:
            self.build()
        if self.saver_def is not None:
            self._check_saver_def()
            self._write_version = self.saver_def.version

    def build(self) -> None:
        """Adds the nodes, unless they are there."""
        if self._is_built:
            return
        self._is_built = True
        if self.saver_def is None or self._builder is not None:
            builder = self._builder or BulkSaverBuilder(self._write_version)
            if self._var_list is None:
                self._var_list = all_saveables()
            if not isinstance(self._var_list, (dict, list, tuple)):
                raise TypeError(f"Variables to save should be passed in a dict or a list. Got {self._var_list}")
            if not self._var_list:
                if not self._allow_empty:
                    raise ValueError("No variables to save: the graph has none yet. Make the Saver after the variables")
                self._is_empty = True
                return
            self.saver_def = builder.build(
                self._var_list,
                reshape=self._reshape,
                sharded=self._sharded,
                max_to_keep=self._max_to_keep or 0,
                keep_checkpoint_every_n_hours=self._keep_checkpoint_every_n_hours,
                name=self._name,
                restore_sequentially=self._restore_sequentially,
                filename=self._filename or "model",
            )
        elif self.saver_def is not None and self._name:
            # The nodes came into the graph under this scope.
            given = self.saver_def
            self.saver_def = type(given).FromString(given.SerializeToString())
            self.saver_def.filename_tensor_name = f"{self._name}/{given.filename_tensor_name}"
            self.saver_def.save_tensor_name = f"{self._name}/{given.save_tensor_name}"
            self.saver_def.restore_op_name = f"{self._name}/{given.restore_op_name}"
        self._check_saver_def()
        self._next_checkpoint_time = time.time() + self.saver_def.keep_checkpoint_every_n_hours * _SECONDS_PER_HOUR

    def _check_saver_def(self) -> None:
        found = self.saver_def
        if not all(hasattr(found, field) for field in ("save_tensor_name", "restore_op_name", "max_to_keep")):
            raise ValueError(f"saver_def must be a saver_pb2.SaverDef: {found}")
        if not found.save_tensor_name:
            raise ValueError(f"saver_def must specify the save_tensor_name: {found}")
        if not found.restore_op_name:
            raise ValueError(f"saver_def must specify the restore_op_name: {found}")

    # -- which checkpoints there are ------------------------------------------------------------------------------

    @property
    def last_checkpoints(self) -> list[str]:
        """The checkpoints that were written and not removed, the oldest first."""
        return [path for path, _ in self._last_checkpoints]

    def set_last_checkpoints(self, last_checkpoints: Sequence[str]) -> None:
        """Says which checkpoints there are; as their time is not known, none is kept for its age."""
        if not isinstance(last_checkpoints, list):
            raise AssertionError(f"last_checkpoints must be a list, but got {last_checkpoints!r}")
        self._last_checkpoints = [(path, float("inf")) for path in last_checkpoints]

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time: Sequence[tuple[str, float]]) -> None:
        """Says which checkpoints there are, as (path, time)."""
        if not isinstance(last_checkpoints_with_time, list):
            raise AssertionError(f"last_checkpoints_with_time must be a list, but got {last_checkpoints_with_time!r}")
        self._last_checkpoints = list(last_checkpoints_with_time)

    def recover_last_checkpoints(self, checkpoint_paths: Sequence[str]) -> None:
        """Goes on with the checkpoints that an earlier process wrote: those of `checkpoint_paths` that exist."""
        found = [
            (path, times[0]) for path in checkpoint_paths if (times := checkpoint_state.get_checkpoint_mtimes([path]))
        ]
        self.set_last_checkpoints_with_time(found)

    def _record_last_checkpoint(self, path: str) -> None:
        if not self.saver_def.max_to_keep or self.saver_def.max_to_keep < 0:
            return
        self._last_checkpoints = [found for found in self._last_checkpoints if found[0] != path]
        self._last_checkpoints.append((path, time.time()))
        while len(self._last_checkpoints) > self.saver_def.max_to_keep:
            self._checkpoints_to_be_deleted.append(self._last_checkpoints.pop(0))

    def _delete_old_checkpoints(self, meta_graph_suffix: str) -> None:
        while self._checkpoints_to_be_deleted:
            path, written = self._checkpoints_to_be_deleted.pop(0)
            if written > self._next_checkpoint_time:
                self._next_checkpoint_time += self.saver_def.keep_checkpoint_every_n_hours * _SECONDS_PER_HOUR
                continue
            try:
                checkpoint_state.remove_checkpoint(path, self.saver_def.version, meta_graph_suffix)
            except (errors.OpError, OSError) as error:
                logging.warning("Ignoring: %s", error)

    # -- as a message -----------------------------------------------------------------------------------------------

    def as_saver_def(self) -> Any:
        """The SaverDef message."""
        return self.saver_def

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The SaverDef with names relative to `export_scope`; None if the nodes are not in that scope."""
        if export_scope is None:
            return self.saver_def
        fields = ("filename_tensor_name", "save_tensor_name", "restore_op_name")
        if not all(getattr(self.saver_def, field).startswith(export_scope) for field in fields):
            return None
        message = type(self.saver_def).FromString(self.saver_def.SerializeToString())
        for field in fields:
            setattr(message, field, getattr(message, field).removeprefix(export_scope).removeprefix("/"))
        return message

    @staticmethod
    def from_proto(saver_def: Any, import_scope: str | None = None) -> Saver:
        """The Saver whose nodes a SaverDef names; they were imported into `import_scope`."""
        return Saver(saver_def=saver_def, name=import_scope)

    # -- saving -----------------------------------------------------------------------------------------------------

    def save(
        self,
        sess: Any,
        save_path: str,
        global_step: Any = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str | None:
        """Writes a checkpoint and returns its path. All of it is written, or nothing is changed.

        The files appear in the order in which they depend on each other: data, index, meta graph, state file.

        Args:
          save_path: the path without its endings.
          global_step: a number, or a variable or tensor with one, that is added to the path.
          latest_filename: name of the state file. Default: 'checkpoint'.
          meta_graph_suffix, write_meta_graph: how the meta graph's file ends, and whether there is one.
          write_state: whether to update the state file and remove old checkpoints.
          strip_default_attrs: leave attributes out of the meta graph that have their default values.

        Raises:
          TypeError: if `sess` is no Session. ValueError: for names that would collide.
          OpError: if the files cannot be written.
        """
        if not self._is_built and not self._allow_empty:
            raise RuntimeError("`build()` should be called before save if defer_build==True")
        latest_filename = latest_filename or checkpoint_state.STATE_FILE
        if os.path.split(latest_filename)[0]:
            raise ValueError("'latest_filename' must not contain path components")
        save_path = os.fsdecode(save_path)
        path = self._with_step(sess, save_path, global_step)
        if os.path.basename(save_path) == latest_filename and not self._sharded:
            raise ValueError(f"'latest_filename' collides with 'save_path': '{latest_filename}' and '{save_path}'")
        if not isinstance(sess, BaseSession):
            raise TypeError(f"'sess' must be a Session; {sess}")
        folder = os.path.dirname(save_path)
        _make_folder(folder)
        written = None if self._is_empty else self._write(sess, path)
        if write_meta_graph:
            with sess.graph.as_default():
                self.export_meta_graph(
                    checkpoint_state.meta_graph_filename(path, meta_graph_suffix),
                    strip_default_attrs=strip_default_attrs,
                )
        if write_state and written is not None:
            self._record_last_checkpoint(written)
            checkpoint_state.update_state(
                folder, written, self.last_checkpoints, latest_filename, None, None, self._save_relative_paths
            )
            self._delete_old_checkpoints(meta_graph_suffix)
        return written

    def _write(self, sess: Any, path: str) -> str:
        definition = self.saver_def
        try:
            saved = sess.run(definition.save_tensor_name, {definition.filename_tensor_name: path})
        except errors.OpError:
            shutil.rmtree(f"{path}_temp", ignore_errors=True)  # the parts of a sharded checkpoint
            raise
        return os.fsdecode(saved)

    def _with_step(self, sess: Any, save_path: str, global_step: Any) -> str:
        if global_step is None:
            return save_path
        if not hasattr(global_step, "__index__") or hasattr(global_step, "op"):
            global_step = sess.run(global_step)
        step = int(global_step)
        return f"{save_path}-{step:08d}" if self._pad_step_number else f"{save_path}-{step}"

    # -- restoring ----------------------------------------------------------------------------------------------------

    def restore(self, sess: Any, save_path: str | None) -> None:
        """Sets the variables from a checkpoint. Before one of them is changed, all are compared with it.

        Raises:
          ValueError: if there is no checkpoint at `save_path`.
          NotFoundError: if a variable is not in it. InvalidArgumentError: if one has another shape or type there.
          DataLossError: if it is damaged.
        """
        if self._is_empty:
            return
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        path = os.fsdecode(save_path)
        if not checkpoint_state.checkpoint_exists(path):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {path}")
        if self.saver_def is None:
            raise RuntimeError("`build()` should be called before restore if defer_build==True")
        logging.info("Restoring parameters from %s", path)
        from tfbench.formats.checkpoint_files import restoring
        from tfbench.train.restore_checks import check

        definition = self.saver_def
        try:
            with restoring(path):
                check(sess.graph, definition.restore_op_name, path)
                sess.run(definition.restore_op_name, {definition.filename_tensor_name: path})
        except errors.NotFoundError as error:
            if not self._restore_objects(sess, path):
                raise _explained(
                    error, "a Variable name or other graph key that is missing from the checkpoint"
                ) from None
        except errors.InvalidArgumentError as error:
            raise _explained(error, "a mismatch between the current graph and the graph from the checkpoint") from None

    def _restore_objects(self, sess: Any, path: str) -> bool:
        """Restores from an object-based checkpoint, by nodes of its own; False if it is none."""
        from tfbench.train.object_restore import keys_by_name, saveables_under

        keys = keys_by_name(path)
        if keys is None:
            return False
        if self._object_restore_saver is None:
            logging.warning(
                "Restoring an object-based checkpoint using a name-based saver. This may be somewhat fragile, and will "
                "re-build the Saver. Instead, consider loading object-based checkpoints using tf.train.Checkpoint()."
            )
            with sess.graph.as_default():
                given = all_saveables() if self._var_list is None else self._var_list
                sess.graph.record_undo(self, "_object_restore_saver", None)
                self._object_restore_saver = Saver(saveables_under(keys, given))
        self._object_restore_saver.restore(sess, path)
        return True

    # -- meta graphs --------------------------------------------------------------------------------------------------

    def export_meta_graph(
        self,
        filename: str | None = None,
        collection_list: Sequence[str] | None = None,
        as_text: bool = False,
        export_scope: str | None = None,
        clear_devices: bool = False,
        clear_extraneous_savers: bool = False,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> Any:
        """The default graph with its collections and this Saver as a MetaGraphDef; also written to `filename`."""
        from tfbench.formats.meta_graph import export_meta_graph

        return export_meta_graph(
            filename=filename,
            saver_def=self.saver_def,
            collection_list=collection_list,
            as_text=as_text,
            export_scope=export_scope,
            clear_devices=clear_devices,
            clear_extraneous_savers=clear_extraneous_savers,
            strip_default_attrs=strip_default_attrs,
        )


def _make_folder(folder: str) -> None:
    from tfbench.engine.ops.files import file_error

    try:
        if folder:
            os.makedirs(folder, exist_ok=True)
    except OSError as error:
        reason = file_error(folder, error).message
        raise ValueError(f"Parent directory of a checkpoint cannot be made: {reason}") from None


def _explained(error: Any, reason: str) -> Any:
    return type(error)(
        error.node_def,
        error.op,
        f"Restoring from checkpoint failed. This is most likely due to {reason}. Please ensure that you have not "
        f"altered the graph expected based on the checkpoint. Original error:\n\n{error.message}",
    )
