"""`%devices`: the devices there are, and a switch for simulated ones."""

from __future__ import annotations

from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import magics_class

from tfbench import errors
from tfbench.engine.devices import simulate_devices
from tfbench.explain.devices import Devices, devices, devices_alone, summary
from tfbench.explain.text import shorten
from tfbench.magics.arguments import argument, arguments, line_magic, name, nearest, parse
from tfbench.magics.base import BenchMagics

_SETTINGS = {"cpu": int, "gpu": int, "bandwidth": float, "latency": float}


@magics_class
class DevicesMagic(BenchMagics):
    @arguments()
    @argument("action", nargs="?", choices=["simulate"], help="Switch simulated devices on, or off.")
    @argument(
        "settings",
        nargs="*",
        type=name,
        help="cpu=N, gpu=N, bandwidth=BYTES_PER_SECOND, latency=SECONDS; or off.",
    )
    @line_magic
    def devices(self, line: str) -> Devices | None:
        """The devices that operations can run on. Simulated ones have memory of their own and the CPU's kernels.

        Simulation holds for the bench's sessions, and for sessions made from then on.

        Example::

            %devices
            %devices simulate gpu=2
            %devices simulate cpu=2 gpu=2 bandwidth=12e9 latency=1e-5
            %devices simulate off

        In Python::

            tf.simulate_devices(gpu=2)
        """
        args = parse(self.devices, line)
        session = self.session
        if args.action is None:
            try:
                return devices(session)
            except errors.InvalidArgumentError:
                # %placement says why; which devices there are is true all the same.
                return devices_alone(session)
        if args.settings == ["off"]:
            simulate_devices.off()
        else:
            try:
                simulate_devices(**_settings(args.settings))
            except ValueError as error:
                raise UsageError(f"%devices simulate: {error}") from None
        print(summary(devices_alone(self.session)))
        return None


def _settings(words: list[str]) -> dict[str, Any]:
    if not words:
        raise UsageError("%devices simulate: what? Give gpu=2, cpu=2, … or off")
    found: dict[str, Any] = {}
    for word in words:
        key, _, text = word.partition("=")
        if key not in _SETTINGS:
            raise UsageError(f"%devices simulate: unknown setting {shorten(word, 80)!r}{nearest(key, list(_SETTINGS))}")
        try:
            found[key] = _SETTINGS[key](text)
        except ValueError:
            kind = "a whole number" if _SETTINGS[key] is int else "a number"
            raise UsageError(f"%devices simulate: {key} takes {kind}, but got {shorten(text, 80)!r}") from None
    return found
