"""`tf.train.Checkpoint`: objects saved by how they depend on each other, and not by the names of their variables.

The nodes that write are made at the first save and again when the objects have changed since. Restoring makes nodes,
too, for what is there now; the status that `restore` gives runs them, and makes those for what was added since.
"""

from __future__ import annotations

import os
from typing import Any

from tfbench.engine.default_graph import control_dependencies, device, get_default_graph, get_default_session
from tfbench.engine.dtypes import int64, string
from tfbench.engine.ops import checkpoints, resource_state
from tfbench.engine.ops.array_select import where
from tfbench.engine.ops.base import constant, identity
from tfbench.engine.ops.string_regex import regex_full_match
from tfbench.engine.ops.strings import string_join
from tfbench.engine.tensor import Tensor
from tfbench.train import checkpoint_state
from tfbench.train.checkpoint_reader import CheckpointReader
from tfbench.train.checkpoint_status import (
    CheckpointLoadStatus,
    InitializationOnlyStatus,
    NameBasedSaverStatus,
    RestoreNodes,
    Restoring,
)
from tfbench.train.object_graph import OBJECT_GRAPH_KEY, ObjectGraph, saved_graph
from tfbench.train.trackable import NoDependency, Trackable, expected_trackable, is_trackable, wrapped
from tfbench.variables.base import Variable
from tfbench.variables.resource import ResourceVariable

_CPU = "/cpu:0"


class Checkpoint(Trackable):
    """Saves and restores objects: variables, optimizers, layers, other Checkpoints, lists and dictionaries of them.

    Attributes that are set later are saved, too. `save_counter` counts the calls of `save`.

    Raises:
      ValueError: if an argument cannot be saved.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        self._tracked: dict[str, Any] = _hidden({})
        for name, value in sorted(kwargs.items()):
            value = wrapped(value)
            if not is_trackable(value):
                expected_trackable("Checkpoint", value)
            setattr(self, name, value)
        self._saving: _SavingNodes = _hidden(_SavingNodes())
        self._restoring: RestoreNodes = _hidden(RestoreNodes())
        self._save_counter: Any = None

    @property
    def save_counter(self) -> Any:
        """The variable that counts saves; made when it is first asked for."""
        self._make_counter()
        return self._save_counter

    def _make_counter(self) -> bool:
        if self._save_counter is not None:
            return False
        get_default_graph().record_undo(self, "__dict__", {**vars(self), "_tracked": dict(vars(self)["_tracked"])})
        with device(_CPU):
            self._save_counter = _hidden(
                Variable(0, dtype=int64, name="save_counter", trainable=False, use_resource=True)
            )
            self._track("save_counter", self._save_counter)
        return True

    # -- saving --------------------------------------------------------------------------------------------------

    def save(self, file_prefix: Any, session: Any = None) -> str:
        """Writes `file_prefix-N`, N being one more than at the last save, and the folder's state file.

        Raises:
          ValueError: if there is no session, or an object cannot be saved. OpError: if the files cannot be written.
        """
        session = _session(session)
        path = self.write(f"{os.fsdecode(file_prefix)}-{self._count(session)}", session)
        checkpoint_state.update_state(os.path.dirname(path), path, [path], None, None, None, relative=True)
        return path

    def _count(self, session: Any) -> Any:
        """Adds one to the counter."""
        if self._make_counter():
            session.run(self._save_counter.initializer)
        return session.run(self._saving.counting(self._save_counter))

    def write(self, file_prefix: Any, session: Any = None) -> str:
        """Writes a checkpoint at `file_prefix`, and nothing else; returns the path.

        Raises:
          ValueError: if there is no session, or an object cannot be saved. OpError: if the files cannot be written.
        """
        session = _session(session)
        path = os.fsdecode(file_prefix)
        if os.path.dirname(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
        return self._saving.run(ObjectGraph(self), session, path)

    # -- restoring -------------------------------------------------------------------------------------------------

    def restore(self, save_path: Any) -> Any:
        """The status of a restore: `run_restore_ops` or `initialize_or_restore` sets the values, `assert_consumed` says
        whether everything is matched. A checkpoint of a Saver is restored by the variables' names.

        Raises:
          NotFoundError: if there is no checkpoint at `save_path`. None is no path: only initializers will run.
        """
        if save_path is None:
            self._make_counter()
            return InitializationOnlyStatus(self)
        reader = CheckpointReader(save_path)
        message = saved_graph(reader)
        if message is None:
            self._make_counter()
            return NameBasedSaverStatus(self, os.fsdecode(save_path), optional=self._save_counter)
        restoring = Restoring(self, message, os.fsdecode(save_path), self._restoring)
        restoring.match()
        if self._make_counter():  # so that it is initialized with all the others
            restoring.match()
        return CheckpointLoadStatus(restoring)


def _hidden(value: Any) -> Any:
    """For an attribute that is not saved."""
    return NoDependency(value)


def _session(given: Any) -> Any:
    session = get_default_session() if given is None else given
    if session is None:
        raise ValueError(
            "A checkpoint cannot be saved: No default session is registered. Use `with sess.as_default()` or pass an "
            "explicit session to `save(prefix, session=sess)`"
        )
    return session


class _SavingNodes:
    """The nodes that save one Checkpoint, as they were last needed."""

    def __init__(self) -> None:
        self.count: Tensor | None = None
        self.graph_tensor: Any = None
        self.prefix: Any = None
        self.saved: Tensor | None = None
        #: the message that `saved` writes
        self.message: Any = None

    def _remember(self, name: str, value: Any) -> None:
        get_default_graph().record_undo(self, name, getattr(self, name))
        setattr(self, name, value)

    def counting(self, counter: Any) -> Tensor:
        """The tensor that adds one to the counter."""
        if self.count is None:
            with get_default_graph().colocate_with(counter.op):
                self._remember("count", counter.assign_add(1, read_value=True))
        assert self.count is not None
        return self.count

    def run(self, objects: ObjectGraph, session: Any, path: str) -> str:
        """Saves."""
        message = objects.message()
        if self.prefix is None:
            with device(_CPU):
                self._remember("graph_tensor", constant("", dtype=string))
                self._remember("prefix", constant("", dtype=string))
        if self.saved is None or message != self.message:
            self._remember("saved", self._build(objects))
            self._remember("message", message)
        text = message.SerializeToString(deterministic=True)
        return os.fsdecode(session.run(self.saved, {self.graph_tensor: text, self.prefix: path}))

    def _build(self, objects: ObjectGraph) -> Tensor:
        with device("CPU"):
            suffix = where(
                regex_full_match(self.prefix, "^s3://.*"), constant(".part", string), constant("_temp/part", string)
            )
            temporary = string_join([self.prefix, suffix])
        names, tensors = [], []
        for key, variable in objects.values():
            names.append(key)
            tensors.append(_value(variable))
        names.append(OBJECT_GRAPH_KEY)
        tensors.append(self.graph_tensor)
        num_shards = constant(1, name="num_shards")
        with device(_CPU):
            shard = checkpoints.sharded_filename(temporary, 0, num_shards)
            save = checkpoints.save_v2(shard, names, [""] * len(names), tensors)
            with control_dependencies([save]):
                merge = checkpoints.merge_v2_checkpoints([shard], self.prefix, delete_old_dirs=True)
            with control_dependencies([merge]):
                return identity(self.prefix)


def _value(variable: Variable) -> Any:
    if not isinstance(variable, ResourceVariable):
        return variable.value()
    with device(variable.device):
        value = _read(variable)
    with device(_CPU):
        return identity(value)


def _read(variable: ResourceVariable) -> Tensor:
    graph = get_default_graph()
    with graph.name_scope("Read"):
        resource_state.disable_copy_on_read(variable.handle)
        value = resource_state.read_variable(variable.handle, dtype=variable.dtype)
    return identity(value)
