"""The nodes of a Saver: what writes a checkpoint, and what reads one and assigns its values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.device_names import DeviceSpec, canonical_name
from tfbench.engine.dtypes import string
from tfbench.engine.graph import Operation
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops import checkpoints
from tfbench.engine.ops.array_select import where
from tfbench.engine.ops.base import constant, identity, placeholder_with_default
from tfbench.engine.ops.grouping import group, with_dependencies
from tfbench.engine.ops.shape_queries import shape as shape_op
from tfbench.engine.ops.string_regex import regex_full_match
from tfbench.engine.ops.strings import string_join
from tfbench.engine.tensor import Tensor
from tfbench.train import saveables as _saveables
from tfbench.train.saveables import SaveableObject as Saveable

#: the formats that a SaverDef names
V1, V2 = 1, 2


class BaseSaverBuilder:
    """Builds the nodes for one Saver. Subclasses change how values are read (`bulk_restore`) or written (`save_op`)."""

    SaveSpec = _saveables.SaveSpec
    SaveableObject = _saveables.SaveableObject
    VariableSaveable = _saveables.ReferenceVariableSaveable
    ResourceVariableSaveable = _saveables.ResourceVariableSaveable

    def __init__(self, write_version: int = V2) -> None:
        self._write_version = write_version

    # -- saving ------------------------------------------------------------------------------------------------

    def save_op(self, filename_tensor: Any, saveables: Sequence[Saveable]) -> Operation:
        """An operation that writes `saveables` into the file (V1) or under the prefix (V2)."""
        specs = [spec for saveable in saveables for spec in saveable.specs]
        tensors = [spec.tensor for spec in specs]
        names = [spec.name for spec in specs]
        slices = [spec.slice_spec for spec in specs]
        # A node's list input is of values: a reference is read when it is run.
        tensors = [convert_to_tensor(tensor) for tensor in tensors]
        if self._write_version == V1:
            return checkpoints.save_slices(filename_tensor, names, slices, tensors, name="save")
        if self._write_version == V2:
            return checkpoints.save_v2(filename_tensor, names, slices, tensors)
        raise RuntimeError(f"Unexpected write_version: {self._write_version}")

    def _add_save_ops(self, filename_tensor: Any, saveables: Sequence[Saveable]) -> Tensor:
        save = self.save_op(filename_tensor, saveables)
        return with_dependencies([save], filename_tensor)

    def _add_sharded_save_ops(self, filename_tensor: Any, per_device: list[tuple[str, list[Saveable]]]) -> Tensor:
        """Every device writes its own part, under a temporary name; then the parts become one checkpoint."""
        graph = get_default_graph()
        with graph.device("CPU"):
            suffix = where(
                regex_full_match(filename_tensor, "^s3://.*"),
                constant(".part", string),
                constant("_temp/part", string),
            )
            temporary = string_join([filename_tensor, suffix])
        num_shards = constant(len(per_device), name="num_shards")
        prefixes, saves = [], []
        device = ""
        for shard, (device, saveables) in enumerate(per_device):
            with graph.device(_cpu_of(device)):
                prefixes.append(checkpoints.sharded_filename(temporary, shard, num_shards))
                saves.append(self._add_save_ops(prefixes[-1], saveables))
        with graph.control_dependencies([save.op for save in saves]), graph.device(_cpu_of(device)):
            merged = checkpoints.merge_v2_checkpoints(prefixes, filename_tensor, delete_old_dirs=True)
            with graph.control_dependencies([merged]):
                return identity(filename_tensor)

    def _add_sharded_v1_save_ops(self, filename_tensor: Any, per_device: list[tuple[str, list[Saveable]]]) -> Tensor:
        graph = get_default_graph()
        num_shards = constant(len(per_device), name="num_shards")
        saves = []
        for shard, (device, saveables) in enumerate(per_device):
            with graph.device(device):
                name = checkpoints.sharded_filename(filename_tensor, shard, num_shards)
                saves.append(self._add_save_ops(name, saveables))
        with graph.control_dependencies([save.op for save in saves]):
            return checkpoints.sharded_filespec(filename_tensor, num_shards)

    # -- restoring -----------------------------------------------------------------------------------------------

    def bulk_restore(
        self,
        filename_tensor: Any,
        saveables: Sequence[Saveable],
        preferred_shard: int,
        restore_sequentially: bool,
    ) -> list[Tensor]:
        """The values of all `saveables`, one after the other: here each is read by a node of its own."""
        tensors: list[Tensor] = []
        graph = get_default_graph()
        for saveable in saveables:
            with graph.device(_cpu_of(saveable.device) if saveable.device else None):
                for spec in saveable.specs:
                    tensors.extend(_restore_v2(filename_tensor, [spec]))
        return tensors

    def _add_restore_ops(
        self,
        filename_tensor: Any,
        saveables: Sequence[Saveable],
        restore_sequentially: bool,
        reshape: bool,
        preferred_shard: int = -1,
        name: str = "restore_all",
    ) -> Operation:
        tensors = self.bulk_restore(filename_tensor, saveables, preferred_shard, restore_sequentially)
        assigns: list[Any] = []
        position = 0
        for saveable in saveables:
            shapes = [_shape_for(spec.tensor) for spec in saveable.specs] if reshape else None
            own = tensors[position : position + len(saveable.specs)]
            position += len(saveable.specs)
            assigns.append(saveable.restore(own, shapes))
        return group(*assigns, name=name)

    def _add_sharded_restore_ops(
        self,
        filename_tensor: Any,
        per_device: list[tuple[str, list[Saveable]]],
        restore_sequentially: bool,
        reshape: bool,
    ) -> Operation:
        graph = get_default_graph()
        shards = []
        for shard, (device, saveables) in enumerate(per_device):
            with graph.device(device):
                shards.append(
                    self._add_restore_ops(
                        filename_tensor, saveables, restore_sequentially, reshape, shard, name="restore_shard"
                    )
                )
        return group(*shards, name="restore_all")

    # -- both --------------------------------------------------------------------------------------------------

    def build(
        self,
        names_to_saveables: Any,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        filename: str = "model",
    ) -> Any:
        """Adds the nodes and returns the SaverDef that names them; `Saver` says what the arguments mean."""
        return self._build_internal(
            names_to_saveables, reshape, sharded, max_to_keep, keep_checkpoint_every_n_hours, name,
            restore_sequentially, filename,
        )  # fmt: skip

    def _build_internal(
        self,
        names_to_saveables: Any,
        reshape: bool,
        sharded: bool,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float,
        name: str | None,
        restore_sequentially: bool,
        filename: str | None,
        build_save: bool = True,
        build_restore: bool = True,
    ) -> Any:
        from tfbench.formats import protos

        if not build_save and not build_restore:
            raise ValueError("save and restore operations need to be built together or eager execution is on.")
        if not isinstance(names_to_saveables, dict):
            names_to_saveables = _saveables.by_name(names_to_saveables)
        saveables = _saveables.validated(names_to_saveables)
        max_to_keep = 0 if max_to_keep is None else max_to_keep
        with name_scope(name, "save", [saveable.op for saveable in saveables]):
            filename_tensor = placeholder_with_default(filename or "model", shape=(), name="filename")
            # The tensor that is fed has had this name in every version.
            filename_tensor = placeholder_with_default(filename_tensor, shape=(), name="Const")
            save_tensor: Any = None
            restore_op: Any = None
            per_device = _by_device(saveables) if sharded else []
            if build_save:
                if not sharded:
                    save_tensor = self._add_save_ops(filename_tensor, saveables)
                elif self._write_version == V2:
                    save_tensor = self._add_sharded_save_ops(filename_tensor, per_device)
                else:
                    save_tensor = self._add_sharded_v1_save_ops(filename_tensor, per_device)
            if build_restore:
                if sharded:
                    restore_op = self._add_sharded_restore_ops(
                        filename_tensor, per_device, restore_sequentially, reshape
                    )
                else:
                    restore_op = self._add_restore_ops(filename_tensor, saveables, restore_sequentially, reshape)
        return protos.SaverDef(
            filename_tensor_name=filename_tensor.name,
            save_tensor_name=save_tensor.name if save_tensor is not None else "",
            restore_op_name=restore_op.name if restore_op is not None else "",
            max_to_keep=max_to_keep,
            sharded=sharded,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            version=self._write_version,
        )


class BulkSaverBuilder(BaseSaverBuilder):
    """Reads all values by one node."""

    def bulk_restore(
        self,
        filename_tensor: Any,
        saveables: Sequence[Saveable],
        preferred_shard: int,
        restore_sequentially: bool,
    ) -> list[Tensor]:
        with get_default_graph().device("cpu:0"):
            return _restore_v2(filename_tensor, [spec for saveable in saveables for spec in saveable.specs])


def _restore_v2(filename_tensor: Any, specs: Sequence[Any]) -> list[Tensor]:
    names, slices = [spec.name for spec in specs], [spec.slice_spec for spec in specs]
    dtypes = [spec.dtype.base_dtype for spec in specs]
    return list(checkpoints.restore_v2(filename_tensor, names, slices, dtypes=dtypes))


def _shape_for(tensor: Any) -> Any:
    shape = tensor.get_shape()
    return shape if shape.is_fully_defined() else shape_op(tensor)


def _cpu_of(device: str) -> str:
    """The first CPU of the task that `device` belongs to."""
    spec = DeviceSpec.from_string(device or "")
    return str(spec.replace(device_type="CPU", device_index=0).to_string())


def _by_device(saveables: Sequence[Saveable]) -> list[tuple[str, list[Saveable]]]:
    """Saveables by device, devices in order.

    Raises:
      ValueError: for one that has tensors on several.
    """
    found: dict[str, list[Saveable]] = {}
    for saveable in saveables:
        devices = {canonical_name(spec.device) for spec in saveable.specs}
        if len(devices) != 1:
            raise ValueError("All tensors of a saveable object must be on the same device: " + saveable.name)
        found.setdefault(devices.pop(), []).append(saveable)
    return sorted(found.items(), key=lambda item: item[0])
