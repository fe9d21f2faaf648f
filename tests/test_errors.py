"""tf.errors: codes, classes, what an error carries, and how it is pickled."""

from __future__ import annotations

import pickle

import pytest

from tfbench import errors

# tf.errors of TensorFlow 2.21: {constant: (number, class)}
KINDS = {
    "CANCELLED": (1, "CancelledError"),
    "UNKNOWN": (2, "UnknownError"),
    "INVALID_ARGUMENT": (3, "InvalidArgumentError"),
    "DEADLINE_EXCEEDED": (4, "DeadlineExceededError"),
    "NOT_FOUND": (5, "NotFoundError"),
    "ALREADY_EXISTS": (6, "AlreadyExistsError"),
    "PERMISSION_DENIED": (7, "PermissionDeniedError"),
    "RESOURCE_EXHAUSTED": (8, "ResourceExhaustedError"),
    "FAILED_PRECONDITION": (9, "FailedPreconditionError"),
    "ABORTED": (10, "AbortedError"),
    "OUT_OF_RANGE": (11, "OutOfRangeError"),
    "UNIMPLEMENTED": (12, "UnimplementedError"),
    "INTERNAL": (13, "InternalError"),
    "UNAVAILABLE": (14, "UnavailableError"),
    "DATA_LOSS": (15, "DataLossError"),
    "UNAUTHENTICATED": (16, "UnauthenticatedError"),
}


class Op:
    name = "scope/add"


@pytest.mark.parametrize("constant", KINDS)
def test_code_and_class(constant):
    code, name = KINDS[constant]
    kind = getattr(errors, name)
    assert getattr(errors, constant) == code
    assert issubclass(kind, errors.OpError)
    assert errors.exception_type_from_error_code(code) is kind
    assert errors.error_code_from_exception_type(kind) == code
    op = Op()
    error = kind("node", op, "it broke")
    assert (error.error_code, error.node_def, error.op, error.message) == (code, "node", op, "it broke")
    assert str(error) == "it broke"
    assert error.args == ()
    assert (error.device, error.source, error.experimental_payloads) == (None, None, {})


def test_ok_is_no_error():
    assert errors.OK == 0
    with pytest.raises(KeyError):
        errors.exception_type_from_error_code(errors.OK)
    with pytest.raises(KeyError):
        errors.exception_type_from_error_code(99)


@pytest.mark.parametrize("other", [ValueError, errors.OpError, int])
def test_a_class_without_a_code(other):
    with pytest.warns(UserWarning, match="Unknown class exception"):
        assert errors.error_code_from_exception_type(other) is None


def test_the_base_class_takes_its_code():
    error = errors.OpError(None, None, "m", errors.ABORTED, {"k": b"v"})
    assert error.error_code == 10
    assert error.experimental_payloads == {"k": b"v"}


def test_the_source_is_told():
    error = errors.InvalidArgumentError(None, Op(), "bad input")
    error.source = "cell conv, line 3"
    assert str(error) == "bad input\n\n'scope/add' was made at cell conv, line 3"
    error = errors.InvalidArgumentError(None, None, "bad input")
    error.source = "train.py:7"
    assert "The op was made at train.py:7" in str(error)


@pytest.mark.parametrize("kind", [errors.OutOfRangeError, errors.UnknownError, errors.UnavailableError])
def test_pickling_leaves_the_graph_behind(kind):
    error = kind("node", lambda: None, "the end")  # a function cannot be pickled, as an operation cannot
    error.device = "/device:CPU:0"
    error.source = "cell 3, line 1"
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is kind
    assert (back.message, back.node_def, back.op, back.device) == ("the end", "node", None, "/device:CPU:0")
    assert str(back).endswith("cell 3, line 1")
    base = pickle.loads(pickle.dumps(errors.OpError(None, None, "m", 7)))
    assert base.error_code == 7


def test_raise_exception_on_not_ok_status():
    with errors.raise_exception_on_not_ok_status() as status:
        assert status.code == errors.OK
    with pytest.raises(errors.NotFoundError, match="no such file"), errors.raise_exception_on_not_ok_status() as status:
        status.code, status.message = errors.NOT_FOUND, "no such file"
    with pytest.raises(ZeroDivisionError), errors.raise_exception_on_not_ok_status():
        1 // 0


def test_a_replaced_tensor_says_what_and_where():
    error = errors.ReplacedTensorError("conv1/Relu:0", "filters [2]")
    assert isinstance(error, ValueError)
    assert (error.name, error.cell) == ("conv1/Relu:0", "filters [2]")
    assert "'conv1/Relu:0' was replaced by a later run of cell filters [2]" in str(error)
    assert "its cell" in str(errors.ReplacedTensorError("x:0"))
    back = pickle.loads(pickle.dumps(error))
    assert (type(back), back.name, back.cell, str(back)) == (type(error), error.name, error.cell, str(error))


def test_all_is_complete():
    named = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)}
    assert named <= set(errors.__all__)
    assert set(KINDS) <= set(errors.__all__)
