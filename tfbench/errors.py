"""Every exception that a run or a graph can raise: TensorFlow's `tf.errors`, and the workbench's own.

An OpError knows which node failed. Beside TensorFlow's attributes it carries `device` (where it ran) and
`source` (the cell or file and the line that made the op); both are set by the executor and may be None.
Nothing here imports the graph: `op` and `node_def` may be any object.
"""

from __future__ import annotations

import warnings
from types import TracebackType
from typing import Any, Literal

__all__ = [
    "ABORTED", "ALREADY_EXISTS", "CANCELLED", "DATA_LOSS", "DEADLINE_EXCEEDED", "FAILED_PRECONDITION",
    "INTERNAL", "INVALID_ARGUMENT", "NOT_FOUND", "OK", "OUT_OF_RANGE", "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED", "UNAUTHENTICATED", "UNAVAILABLE", "UNIMPLEMENTED", "UNKNOWN", "AbortedError",
    "AlreadyExistsError", "CancelledError", "DataLossError", "DeadlineExceededError",
    "FailedPreconditionError", "InternalError", "InvalidArgumentError", "NotFoundError", "OpError",
    "OutOfRangeError", "PermissionDeniedError", "ReplacedTensorError", "ResourceExhaustedError",
    "UnauthenticatedError", "UnavailableError", "UnimplementedError", "UnknownError",
    "error_code_from_exception_type", "exception_type_from_error_code", "raise_exception_on_not_ok_status",
]  # fmt: skip

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
    """An operation could not be run. `str()` is the message alone, then the op's source where it is known."""

    def __init__(self, node_def: Any, op: Any, message: str, error_code: int, *args: Any) -> None:
        super().__init__()
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = error_code
        self._experimental_payloads: dict[Any, Any] = {}
        for arg in args:  # TensorFlow passes payloads this way
            if isinstance(arg, dict):
                self._experimental_payloads.update(arg)
        self.device: str | None = None
        self.source: Any = None
        #: the loops around the op, outermost first, with the iteration that failed
        self.iterations: tuple[tuple[str, int], ...] = ()

    @property
    def message(self) -> str:
        """What went wrong, without the source line."""
        return self._message

    @property
    def op(self) -> Any:
        """The operation that failed, or None if it is not known or not in the graph."""
        return self._op

    @property
    def error_code(self) -> int:
        """The number of the error's kind, e.g. `tf.errors.NOT_FOUND`."""
        return self._error_code

    @property
    def node_def(self) -> Any:
        """The NodeDef of the operation that failed, or None."""
        return self._node_def

    @property
    def experimental_payloads(self) -> dict[Any, Any]:
        """Details that the runtime attached: a dictionary, usually empty."""
        return self._experimental_payloads

    def __str__(self) -> str:
        if self.source is None:
            return str(self._message)
        name = getattr(self._op, "name", None) or getattr(self._node_def, "name", None)
        place = f"{name!r} was made at {self.source}" if name else f"The op was made at {self.source}"
        return f"{self._message}\n\n{place}"

    def __reduce__(self) -> tuple[Any, ...]:
        # Operations hold their graph, which cannot be pickled; the node's definition can.
        arguments: tuple[Any, ...] = (self._node_def, None, self._message)
        if type(self) is OpError:
            arguments += (self._error_code,)
        state = {
            "device": self.device,
            "source": None if self.source is None else str(self.source),
            "_experimental_payloads": self._experimental_payloads,
        }
        return type(self), arguments, state


class CancelledError(OpError):
    """The operation or step was cancelled, for example because a queue it waited for was closed."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, CANCELLED, *args)


class UnknownError(OpError):
    """An error whose kind is not known."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, UNKNOWN, *args)


class InvalidArgumentError(OpError):
    """An operation was given an argument that is wrong whatever the state of the program."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, INVALID_ARGUMENT, *args)


class DeadlineExceededError(OpError):
    """The time allowed for the operation or step ran out."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, DEADLINE_EXCEEDED, *args)


class NotFoundError(OpError):
    """Something asked for, such as a file or a tensor in a checkpoint, does not exist."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, NOT_FOUND, *args)


class AlreadyExistsError(OpError):
    """Something to be made, such as a file, exists already."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, ALREADY_EXISTS, *args)


class PermissionDeniedError(OpError):
    """The caller may not do this, for example read that file."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, PERMISSION_DENIED, *args)


class UnauthenticatedError(OpError):
    """The caller has not shown who they are."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, UNAUTHENTICATED, *args)


class ResourceExhaustedError(OpError):
    """Something ran out, usually memory or disk space."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, RESOURCE_EXHAUSTED, *args)


class FailedPreconditionError(OpError):
    """The system is not in the state the operation needs, most often: a variable is not initialized."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, FAILED_PRECONDITION, *args)


class AbortedError(OpError):
    """The operation was given up, usually because of another one running at the same time."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, ABORTED, *args)


class OutOfRangeError(OpError):
    """The operation went past the end: of a file, a queue or a dataset."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, OUT_OF_RANGE, *args)


class UnimplementedError(OpError):
    """The operation is known, but not for these arguments or not here."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, UNIMPLEMENTED, *args)


class InternalError(OpError):
    """Something that must always hold did not: a bug in the runtime."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, INTERNAL, *args)


class UnavailableError(OpError):
    """The runtime, for example a remote worker, cannot be reached at the moment."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, UNAVAILABLE, *args)


class DataLossError(OpError):
    """Data is lost or damaged beyond repair, for example a file cut short."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, DATA_LOSS, *args)


class ReplacedTensorError(ValueError):
    """A tensor or operation is used that a later run of its cell has replaced.

    `name` is what was used, `cell` which cell made it (as the notebook labels it), or None if unknown.
    """

    def __init__(self, name: str, cell: str | None = None, message: str | None = None) -> None:
        if message is None:
            where = f"cell {cell}" if cell else "its cell"
            message = (
                f"{name!r} was replaced by a later run of {where}: this Python object belongs to the "
                "earlier run. Run the cell that uses it again, or get the new one by name."
            )
        super().__init__(message)
        self.name = name
        self.cell = cell

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.cell, self.args[0])


_CODE_TO_TYPE: dict[int, type[OpError]] = {
    CANCELLED: CancelledError,
    UNKNOWN: UnknownError,
    INVALID_ARGUMENT: InvalidArgumentError,
    DEADLINE_EXCEEDED: DeadlineExceededError,
    NOT_FOUND: NotFoundError,
    ALREADY_EXISTS: AlreadyExistsError,
    PERMISSION_DENIED: PermissionDeniedError,
    RESOURCE_EXHAUSTED: ResourceExhaustedError,
    FAILED_PRECONDITION: FailedPreconditionError,
    ABORTED: AbortedError,
    OUT_OF_RANGE: OutOfRangeError,
    UNIMPLEMENTED: UnimplementedError,
    INTERNAL: InternalError,
    UNAVAILABLE: UnavailableError,
    DATA_LOSS: DataLossError,
    UNAUTHENTICATED: UnauthenticatedError,
}
_TYPE_TO_CODE = {error: code for code, error in _CODE_TO_TYPE.items()}


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """The class for a code, e.g. InvalidArgumentError for 3. KeyError if there is none."""
    return _CODE_TO_TYPE[error_code]


def error_code_from_exception_type(cls: type) -> int | None:
    """The code of a class of this module; None, with a warning, for any other class."""
    found = _TYPE_TO_CODE.get(cls)
    if found is None:
        warnings.warn("Unknown class exception", stacklevel=2)
    return found


class raise_exception_on_not_ok_status:  # noqa: N801 - TensorFlow's name
    """Context manager that yields a status and raises the matching error at exit if a code was set on it."""

    class Status:
        """What TensorFlow's C API reports: a code (OK at first) and a message."""

        __slots__ = ("code", "message")

        def __init__(self) -> None:
            self.code = OK
            self.message = ""

    def __enter__(self) -> Status:
        self.status = self.Status()
        return self.status

    def __exit__(
        self, error: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> Literal[False]:
        if self.status.code != OK:
            make: Any = exception_type_from_error_code(self.status.code)
            raise make(None, None, self.status.message)
        return False
