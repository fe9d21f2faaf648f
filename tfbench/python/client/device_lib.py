"""`device_lib.list_local_devices()`: how TensorFlow 1 programs look for GPUs."""

from __future__ import annotations

from typing import Any

from tfbench.engine.devices import device_set

__all__ = ["list_local_devices"]


def list_local_devices(session_config: Any = None) -> list[Any]:
    """This machine's devices as DeviceAttributes messages. A simulated one has `physical_device_desc` "simulated"."""
    from tfbench.formats import protos

    found = []
    for device in device_set(session_config).devices:
        message = protos.DeviceAttributes(
            name=device.short_name,
            device_type=device.kind,
            memory_limit=device.memory_limit,
            incarnation=device.incarnation,
            physical_device_desc=device.description,
            xla_global_id=-1,
        )
        message.locality.SetInParent()
        found.append(message)
    return found
