"""Which layers are being called just now, outermost first, in this thread.

A layer that is called inside another one's `call` takes over the outer one's `training` unless it is given its own, and
does not enter the tables of the functional API.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class CallContext(threading.local):
    """The innermost call: its layer, its inputs, its `training`."""

    layer: Any = None
    inputs: Any = None
    training: Any = None
    in_call: bool = False

    @contextmanager
    def enter(self, layer: Any, inputs: Any, training: Any) -> Iterator[None]:
        """`layer` is being called with `inputs` within the block."""
        before = self.layer, self.inputs, self.training, self.in_call
        self.layer, self.inputs, self.training, self.in_call = layer, inputs, training, True
        try:
            yield
        finally:
            self.layer, self.inputs, self.training, self.in_call = before


call_context = CallContext()
