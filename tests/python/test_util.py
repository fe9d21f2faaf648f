"""`tensorflow.python.util` and `tensorflow.python.layers.utils`: TensorFlow 1.15's answers."""

from __future__ import annotations

import functools
import sys
import types

import pytest

import tfbench as tf
from tfbench.python.layers import utils
from tfbench.python.lib.io import file_io, tf_record
from tfbench.python.util import all_util, deprecation, tf_contextlib, tf_decorator, tf_inspect


def one_more(function):
    def wrapper(*args):
        return function(*args) + 1

    return tf_decorator.make_decorator(function, wrapper)


@one_more
def add(x, y=2):
    """Adds."""
    return x + y


class Called:
    def __init__(self, a, *b, **c):
        pass

    def __call__(self, q):
        pass


def test_a_decorated_function_looks_like_what_it_wraps():
    assert add(1) == 4
    assert (add.__name__, add.__doc__) == ("add", "Adds.")
    wrappers, target = tf_decorator.unwrap(add)
    assert wrappers == [add]
    assert target(1) == 3
    assert tf_inspect.getargspec(add) == (["x", "y"], None, None, (2,))
    assert tf_inspect.getcallargs(add, 1) == {"x": 1, "y": 2}
    assert tf_inspect.getsource(add).startswith("@one_more\ndef add")


def test_rewrap_puts_another_function_inside():
    def other(a, b, c):
        return a

    decorated = one_more(add.__wrapped__)
    assert tf_decorator.rewrap(decorated, add.__wrapped__, other) is decorated
    assert tf_inspect.getargspec(decorated).args == ["a", "b", "c"]
    assert tf_decorator.rewrap(other, other, add) is add
    with pytest.raises(ValueError, match="does not wrap"):
        tf_decorator.rewrap(decorated, add, other)


def test_an_argspec_of_its_own():
    spec = tf_inspect.getfullargspec(lambda *, k=1: k)
    decorated = tf_decorator.make_decorator(add, lambda: None, "name", "Text.", spec)
    assert decorated.__doc__ == "Text."
    assert tf_inspect.getfullargspec(decorated).kwonlyargs == ["k"]


def test_arguments_of_classes_objects_and_partials():
    assert tf_inspect.getargspec(Called) == (["self", "a"], "b", "c", None)
    assert tf_inspect.getfullargspec(Called(1)).args == ["self", "q"]
    assert tf_inspect.getargspec(functools.partial(add, y=3)) == (["x", "y"], None, None, (3,))
    assert tf_inspect.getfullargspec(functools.partial(add, 3))[:4] == (["y"], None, None, (2,))
    with pytest.raises(ValueError, match=r"\['y'\] do not have default value"):
        tf_inspect.getargspec(functools.partial(lambda x, y: x, x=1))


def test_a_context_manager():
    @tf_contextlib.contextmanager
    def three():
        yield 3

    with three() as value:
        assert value == 3


def test_make_all_and_remove_undocumented(monkeypatch):
    module = types.ModuleType("documented", "@@shown\n@@absent")
    module.shown, module.hidden, module.kept, module._own = 1, 2, 3, 4
    monkeypatch.setitem(sys.modules, "documented", module)
    assert all_util.make_all("documented") == ["shown"]
    all_util.remove_undocumented("documented", ["kept"])
    assert [name for name in ("shown", "hidden", "kept", "_own") if hasattr(module, name)] == ["shown", "kept", "_own"]


def test_a_renamed_argument():
    assert deprecation.deprecated_argument_lookup("new", None, "old", 3) == 3
    assert deprecation.deprecated_argument_lookup("new", 4, "old", None) == 4
    with pytest.raises(ValueError, match="Cannot specify both 'old' and 'new'"):
        deprecation.deprecated_argument_lookup("new", 4, "old", 3)


@pytest.mark.parametrize(
    ("padding", "stride", "expected"),
    [
        ("same", 1, (5, 5, 5)),
        ("same", 2, (9, 10, 3)),
        ("same", 4, (17, 20, 2)),
        ("valid", 1, (7, 7, 3)),
        ("valid", 2, (11, 11, 2)),
        ("valid", 4, (19, 20, 1)),
        ("full", 1, (3, 3, 7)),
        ("full", 2, (7, 7, 4)),
        ("full", 4, (15, 15, 2)),
    ],
)
def test_lengths_of_convolutions(padding, stride, expected):
    functions = utils.conv_input_length, utils.deconv_output_length, utils.conv_output_length
    assert tuple(function(5, 3, padding, stride) for function in functions) == expected
    assert [function(None, 3, padding, stride) for function in functions] == [None, None, None]


def test_arguments_of_layers():
    assert utils.normalize_tuple(2, 3, "k") == (2, 2, 2)
    assert utils.convert_data_format("channels_first", 4) == "NCHW"
    assert utils.convert_data_format("channels_last", 3) == "NWC"
    assert utils.normalize_padding("SAME") == "same"
    with pytest.raises(ValueError, match=r"`k` argument must be a tuple of 3 integers\. Received: \(1, 2\)"):
        utils.normalize_tuple((1, 2), 3, "k")
    with pytest.raises(ValueError, match="Invalid data_format"):
        utils.convert_data_format("x", 4)
    with pytest.raises(ValueError, match="Input rank not supported"):
        utils.convert_data_format("channels_last", 6)


def test_predicates_that_are_known():
    with tf.Graph().as_default():
        given = [True, 1, tf.constant(True), tf.placeholder(tf.bool)]
        assert [utils.constant_value(each) for each in given] == [True, True, True, None]
        assert utils.smart_cond(given[2], lambda: 1, lambda: 2) == 1
        with pytest.raises(TypeError, match="Found instead: <class 'int'>"):
            utils.constant_value(5)


def test_files_under_their_inner_names(tmp_path):
    path = str(tmp_path / "some" / "file")
    file_io.recursive_create_dir(str(tmp_path / "some"))
    file_io.write_string_to_file(path, "text\n")
    assert file_io.read_file_to_string(path) == "text\n"
    assert file_io.read_file_to_string(path, binary_mode=True) == b"text\n"
    assert file_io.file_exists(path)
    assert file_io.get_matching_files(path + "*") == [path]
    file_io.delete_file(path)
    assert file_io.list_directory(str(tmp_path / "some")) == []
    assert tf_record.TFRecordWriter is tf.python_io.TFRecordWriter
