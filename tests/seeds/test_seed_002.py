"""Seed 002: sharing variables. Every example and every claim of the how-to, in its order.

Two spellings of the document are put right, as it means them: `tf.constant_initializer` (it writes
`constant_intializer` once) and `tf.get_variable` (once without `tf.`). Its claim about ops in a captured scope is
tested as it is in truth: see the last section.
"""

from __future__ import annotations

import numpy as np
import pytest

import tfbench as tf


def variable_names() -> list[str]:
    return [v.name for v in tf.global_variables()]


def image(name: str) -> tf.Tensor:
    return tf.constant(np.linspace(0.0, 1.0, 8 * 8 * 32).reshape(1, 8, 8, 32).astype("float32"), name=name)


def initialized() -> tf.Session:
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    return session


# ---- The problem


def filter_with_plain_variables(input_images: tf.Tensor) -> tf.Tensor:
    conv1_weights = tf.Variable(tf.random_normal([5, 5, 32, 32]), name="conv1_weights")
    conv1_biases = tf.Variable(tf.zeros([32]), name="conv1_biases")
    conv1 = tf.nn.conv2d(input_images, conv1_weights, strides=[1, 1, 1, 1], padding="SAME")
    relu1 = tf.nn.relu(conv1 + conv1_biases)

    conv2_weights = tf.Variable(tf.random_normal([5, 5, 32, 32]), name="conv2_weights")
    conv2_biases = tf.Variable(tf.zeros([32]), name="conv2_biases")
    conv2 = tf.nn.conv2d(relu1, conv2_weights, strides=[1, 1, 1, 1], padding="SAME")
    return tf.nn.relu(conv2 + conv2_biases)


def test_single_variables_can_be_created_and_initialized() -> None:
    v = tf.Variable([1.0, 2.0], name="v")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(v), [1.0, 2.0])


def test_the_model_of_plain_variables_has_4_different_variables() -> None:
    filter_with_plain_variables(image("image1"))
    assert variable_names() == ["conv1_weights:0", "conv1_biases:0", "conv2_weights:0", "conv2_biases:0"]


def test_the_model_of_plain_variables_runs() -> None:
    result = filter_with_plain_variables(image("image1"))
    assert result.shape.as_list() == [1, 8, 8, 32]
    with initialized() as session:
        value = session.run(result)
    assert value.shape == (1, 8, 8, 32)
    assert (value >= 0).all()
    assert value.max() > 0


def test_calling_it_twice_creates_two_sets_of_variables() -> None:
    filter_with_plain_variables(image("image1"))
    filter_with_plain_variables(image("image2"))
    assert variable_names() == [
        "conv1_weights:0", "conv1_biases:0", "conv2_weights:0", "conv2_biases:0",
        "conv1_weights_1:0", "conv1_biases_1:0", "conv2_weights_1:0", "conv2_biases_1:0",
    ]  # fmt: skip


def test_two_sets_of_variables_give_two_different_results_for_one_image() -> None:
    picture = image("image1")
    result1, result2 = filter_with_plain_variables(picture), filter_with_plain_variables(picture)
    with initialized() as session:
        one, two = session.run([result1, result2])
    assert not np.allclose(one, two)


def dictionary_of_variables() -> dict[str, tf.Variable]:
    return {
        "conv1_weights": tf.Variable(tf.random_normal([5, 5, 32, 32]), name="conv1_weights"),
        "conv1_biases": tf.Variable(tf.zeros([32]), name="conv1_biases"),
        "conv2_weights": tf.Variable(tf.random_normal([5, 5, 32, 32]), name="conv2_weights"),
        "conv2_biases": tf.Variable(tf.zeros([32]), name="conv2_biases"),
    }


def filter_with_a_dictionary(input_images: tf.Tensor, variables_dict: dict[str, tf.Variable]) -> tf.Tensor:
    conv1 = tf.nn.conv2d(input_images, variables_dict["conv1_weights"], strides=[1, 1, 1, 1], padding="SAME")
    relu1 = tf.nn.relu(conv1 + variables_dict["conv1_biases"])

    conv2 = tf.nn.conv2d(relu1, variables_dict["conv2_weights"], strides=[1, 1, 1, 1], padding="SAME")
    return tf.nn.relu(conv2 + variables_dict["conv2_biases"])


def test_a_dictionary_lets_two_calls_use_the_same_variables() -> None:
    variables_dict = dictionary_of_variables()
    picture = image("image1")
    result1 = filter_with_a_dictionary(picture, variables_dict)
    result2 = filter_with_a_dictionary(picture, variables_dict)
    assert len(tf.global_variables()) == 4
    with initialized() as session:
        one, two = session.run([result1, result2])
    np.testing.assert_array_equal(one, two)


# ---- Variable scope example


def conv_relu(input: tf.Tensor, kernel_shape: list[int], bias_shape: list[int]) -> tf.Tensor:
    # Create variable named "weights".
    weights = tf.get_variable("weights", kernel_shape, initializer=tf.random_normal_initializer())
    # Create variable named "biases".
    biases = tf.get_variable("biases", bias_shape, initializer=tf.constant_initializer(0.0))
    conv = tf.nn.conv2d(input, weights, strides=[1, 1, 1, 1], padding="SAME")
    return tf.nn.relu(conv + biases)


def my_image_filter(input_images: tf.Tensor) -> tf.Tensor:
    with tf.variable_scope("conv1"):
        # Variables created here will be named "conv1/weights", "conv1/biases".
        relu1 = conv_relu(input_images, [5, 5, 32, 32], [32])
    with tf.variable_scope("conv2"):
        # Variables created here will be named "conv2/weights", "conv2/biases".
        return conv_relu(relu1, [5, 5, 32, 32], [32])


def test_get_variable_creates_or_returns_a_variable_with_a_given_name() -> None:
    created = tf.get_variable("v", [1])
    tf.get_variable_scope().reuse_variables()
    assert tf.get_variable("v", [1]) is created


def test_variable_scope_manages_namespaces_for_the_names_of_get_variable() -> None:
    with tf.variable_scope("here"):
        assert tf.get_variable("v", [1]).name == "here/v:0"
    with tf.variable_scope("there"):
        assert tf.get_variable("v", [1]).name == "there/v:0"


def test_an_initializer_is_a_function_that_takes_the_shape_and_gives_a_tensor_of_it() -> None:
    seen = []

    def counting(shape, dtype=None, partition_info=None):
        seen.append([int(size) for size in shape])
        return tf.reshape(tf.range(6.0), shape)

    v = tf.get_variable("v", [2, 3], initializer=counting)
    assert seen == [[2, 3]]
    with initialized() as session:
        np.testing.assert_array_equal(session.run(v), [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])


def test_constant_initializer_gives_everything_the_provided_value() -> None:
    v = tf.get_variable("v", [2, 3], initializer=tf.constant_initializer(1.5))
    with initialized() as session:
        np.testing.assert_array_equal(session.run(v), np.full([2, 3], 1.5, np.float32))


def test_random_uniform_initializer_is_uniform_from_a_to_b() -> None:
    v = tf.get_variable("v", [100, 100], initializer=tf.random_uniform_initializer(-2.0, 4.0, seed=1))
    with initialized() as session:
        value = session.run(v)
    assert value.min() >= -2.0
    assert value.max() < 4.0
    assert abs(value.mean() - 1.0) < 0.1
    assert abs(value.std() - 6.0 / np.sqrt(12.0)) < 0.1


def test_random_normal_initializer_has_the_given_mean_and_standard_deviation() -> None:
    v = tf.get_variable("v", [100, 100], initializer=tf.random_normal_initializer(3.0, 0.5, seed=1))
    with initialized() as session:
        value = session.run(v)
    assert abs(value.mean() - 3.0) < 0.05
    assert abs(value.std() - 0.5) < 0.05


def test_variables_of_the_refactored_filter_are_named_after_their_scopes() -> None:
    my_image_filter(image("image1"))
    assert variable_names() == ["conv1/weights:0", "conv1/biases:0", "conv2/weights:0", "conv2/biases:0"]


def test_the_refactored_filter_runs() -> None:
    result = my_image_filter(image("image1"))
    with initialized() as session:
        value = session.run(result)
    assert value.shape == (1, 8, 8, 32)
    assert (value >= 0).all()


def test_calling_the_filter_twice_raises_that_conv1_weights_already_exists() -> None:
    my_image_filter(image("image1"))
    with pytest.raises(ValueError, match=r"conv1/weights already exists"):
        my_image_filter(image("image2"))


def test_the_failed_second_call_has_shared_nothing_by_accident() -> None:
    my_image_filter(image("image1"))
    with pytest.raises(ValueError, match="already exists"):
        my_image_filter(image("image2"))
    assert len(tf.global_variables()) == 4


def test_reuse_variables_lets_the_second_call_share() -> None:
    picture = image("image1")
    with tf.variable_scope("image_filters") as scope:
        result1 = my_image_filter(picture)
        scope.reuse_variables()
        result2 = my_image_filter(picture)
    assert variable_names() == [
        "image_filters/conv1/weights:0", "image_filters/conv1/biases:0",
        "image_filters/conv2/weights:0", "image_filters/conv2/biases:0",
    ]  # fmt: skip
    assert result1 is not result2
    with initialized() as session:
        one, two = session.run([result1, result2])
    np.testing.assert_array_equal(one, two)


# ---- Understanding tf.get_variable()


def test_get_variable_is_called_with_name_shape_dtype_initializer() -> None:
    v = tf.get_variable("v", [2], tf.float64, tf.zeros_initializer())
    assert v.dtype.base_dtype == tf.float64
    with initialized() as session:
        np.testing.assert_array_equal(session.run(v), [0.0, 0.0])


def test_a_scope_is_set_for_creating_unless_told_otherwise() -> None:
    assert tf.get_variable_scope().reuse == False  # noqa: E712 - as the document writes it


def test_case_1_the_variable_is_new_with_the_provided_shape_and_type() -> None:
    with tf.variable_scope("foo"):
        v = tf.get_variable("v", [2, 3], tf.int32)
    assert v.shape.as_list() == [2, 3]
    assert v.dtype.base_dtype == tf.int32
    assert tf.global_variables() == [v]


def test_case_1_its_full_name_is_the_scope_name_and_the_provided_name() -> None:
    with tf.variable_scope("foo"):
        v = tf.get_variable("v", [1])
    assert v.name == "foo/v:0"


def test_case_1_a_full_name_that_exists_raises_value_error() -> None:
    with tf.variable_scope("foo"):
        tf.get_variable("v", [1])
    with tf.variable_scope("foo"), pytest.raises(ValueError, match="foo/v already exists"):
        tf.get_variable("v", [1])


def test_case_1_a_new_variable_is_initialized_to_what_the_initializer_gives_for_the_shape() -> None:
    v = tf.get_variable("v", [3], initializer=tf.ones_initializer())
    with initialized() as session:
        np.testing.assert_array_equal(session.run(v), [1.0, 1.0, 1.0])


def test_case_2_the_existing_variable_is_returned() -> None:
    with tf.variable_scope("foo"):
        v = tf.get_variable("v", [1])
    with tf.variable_scope("foo", reuse=True):
        assert tf.get_variable_scope().reuse == True  # noqa: E712
        v1 = tf.get_variable("v", [1])
    assert v1 == v


def test_case_2_a_name_that_does_not_exist_raises_value_error() -> None:
    with tf.variable_scope("foo", reuse=True), pytest.raises(ValueError, match="foo/v does not exist"):
        tf.get_variable("v", [1])


# ---- Basics of tf.variable_scope()


def test_a_scope_carries_a_name_and_a_reuse_flag() -> None:
    with tf.variable_scope("foo") as scope:
        assert scope.name == "foo"
        assert scope.reuse == False  # noqa: E712
    with tf.variable_scope("foo", reuse=True) as scope:
        assert scope.reuse == True  # noqa: E712


def test_nested_scopes_append_their_names_like_directories() -> None:
    with tf.variable_scope("foo"):
        with tf.variable_scope("bar"):
            v = tf.get_variable("v", [1])
    assert v.name == "foo/bar/v:0"


def test_the_current_scope_can_be_retrieved() -> None:
    assert tf.get_variable_scope().name == ""
    with tf.variable_scope("foo") as scope:
        assert tf.get_variable_scope() is scope
    assert tf.get_variable_scope().name == ""


def test_reuse_can_be_set_by_calling_reuse_variables_on_the_current_scope() -> None:
    with tf.variable_scope("foo"):
        v = tf.get_variable("v", [1])
        tf.get_variable_scope().reuse_variables()
        v1 = tf.get_variable("v", [1])
    assert v1 == v


def test_reuse_cannot_be_set_to_false() -> None:
    with tf.variable_scope("foo", reuse=True) as scope:
        with pytest.raises(AttributeError):
            scope.reuse = False
        with tf.variable_scope("bar", reuse=False) as inner:
            assert inner.reuse == True  # noqa: E712
        assert scope.reuse == True  # noqa: E712


def test_a_function_called_in_a_reusing_scope_reuses_all_its_inner_variables() -> None:
    picture = image("image1")
    with tf.variable_scope("model"):
        my_image_filter(picture)
    before = tf.global_variables()
    with tf.variable_scope("model", reuse=True):
        my_image_filter(picture)
    assert tf.global_variables() == before


def test_a_reusing_scope_can_be_entered_and_left_and_sub_scopes_inherit_it() -> None:
    with tf.variable_scope("root"):
        # At start, the scope is not reusing.
        assert tf.get_variable_scope().reuse == False  # noqa: E712
        with tf.variable_scope("foo"):
            # Opened a sub-scope, still not reusing.
            assert tf.get_variable_scope().reuse == False  # noqa: E712
        with tf.variable_scope("foo", reuse=True):
            # Explicitly opened a reusing scope.
            assert tf.get_variable_scope().reuse == True  # noqa: E712
            with tf.variable_scope("bar"):
                # Now sub-scope inherits the reuse flag.
                assert tf.get_variable_scope().reuse == True  # noqa: E712
        # Exited the reusing scope, back to a non-reusing one.
        assert tf.get_variable_scope().reuse == False  # noqa: E712


# ---- Capturing variable scope


def test_parameters_are_shared_because_their_names_agree() -> None:
    with tf.variable_scope("one"):
        v = tf.get_variable("v", [1])
    with tf.variable_scope("two"):
        assert tf.get_variable("v", [1]) is not v
    with tf.variable_scope("one", reuse=True):
        assert tf.get_variable("v", [1]) is v


def test_a_captured_scope_is_used_instead_of_its_name() -> None:
    with tf.variable_scope("foo") as foo_scope:
        v = tf.get_variable("v", [1])
    with tf.variable_scope(foo_scope):
        w = tf.get_variable("w", [1])
    with tf.variable_scope(foo_scope, reuse=True):
        v1 = tf.get_variable("v", [1])
        w1 = tf.get_variable("w", [1])
    assert v1 == v
    assert w1 == w
    assert w.name == "foo/w:0"


def test_opening_a_captured_scope_jumps_out_of_the_current_prefix() -> None:
    with tf.variable_scope("foo") as foo_scope:
        assert foo_scope.name == "foo"
    with tf.variable_scope("bar"):
        with tf.variable_scope("baz") as other_scope:
            assert other_scope.name == "bar/baz"
            with tf.variable_scope(foo_scope) as foo_scope2:
                assert foo_scope2.name == "foo"  # Not changed.


def test_the_jump_does_not_depend_on_where_it_is_done() -> None:
    with tf.variable_scope("foo") as foo_scope:
        pass
    with tf.variable_scope(foo_scope):
        assert tf.get_variable("a", [1]).name == "foo/a:0"
    with tf.variable_scope("deep"), tf.variable_scope("deeper"), tf.variable_scope(foo_scope):
        assert tf.get_variable("b", [1]).name == "foo/b:0"


def test_after_the_jump_the_earlier_prefix_is_back() -> None:
    with tf.variable_scope("foo") as foo_scope:
        pass
    with tf.variable_scope("bar"):
        with tf.variable_scope(foo_scope):
            pass
        assert tf.get_variable("v", [1]).name == "bar/v:0"


# ---- Initializers in variable scope


def test_the_scope_carries_a_default_initializer_that_is_inherited_and_can_be_overridden() -> None:
    with tf.Session():
        with tf.variable_scope("foo", initializer=tf.constant_initializer(0.4)):
            v = tf.get_variable("v", [1])
            v.initializer.run()
            assert v.eval() == np.float32(0.4)  # Default initializer as set above.
            w = tf.get_variable("w", [1], initializer=tf.constant_initializer(0.3))
            w.initializer.run()
            assert w.eval() == np.float32(0.3)  # Specific initializer overrides the default.
            with tf.variable_scope("bar"):
                v = tf.get_variable("v", [1])
                v.initializer.run()
                assert v.eval() == np.float32(0.4)  # Inherited default initializer.
            with tf.variable_scope("baz", initializer=tf.constant_initializer(0.2)):
                v = tf.get_variable("v", [1])
                v.initializer.run()
                assert v.eval() == np.float32(0.2)  # Changed default initializer.


def test_one_place_on_top_sets_the_initializer_of_all_functions_below() -> None:
    def layer(name: str) -> tf.Variable:
        with tf.variable_scope(name):
            return tf.get_variable("w", [2])

    with tf.variable_scope("model", initializer=tf.constant_initializer(7.0)):
        variables = [layer("a"), layer("b")]
    with initialized() as session:
        for value in session.run(variables):
            np.testing.assert_array_equal(value, [7.0, 7.0])


# ---- Names of ops in tf.variable_scope()


def test_ops_in_a_variable_scope_share_its_name() -> None:
    with tf.variable_scope("foo"):
        x = 1.0 + tf.get_variable("v", [1])
    assert x.op.name == "foo/add"


def test_opening_a_variable_scope_opens_a_name_scope() -> None:
    with tf.variable_scope("name"):
        assert tf.get_default_graph().get_name_scope() == "name"
        assert tf.constant(1.0, name="c").op.name == "name/c"


def test_a_name_scope_inside_affects_ops_but_not_variables() -> None:
    with tf.variable_scope("foo"):
        with tf.name_scope("bar"):
            v = tf.get_variable("v", [1])
            x = 1.0 + v
    assert v.name == "foo/v:0"
    assert x.op.name == "foo/bar/add"


def test_a_captured_scope_leaves_the_current_name_scope_as_the_outer_part_of_op_names() -> None:
    """What is true of the document's last claim: the captured scope's own prefix is not put before the ops.

    TensorFlow does open a name scope: the last part of the scope's name, inside the current one, made unique.
    """
    with tf.variable_scope("outer"):
        with tf.variable_scope("a") as captured:
            assert tf.constant(1.0, name="x").op.name == "outer/a/x"
    with tf.variable_scope(captured):
        assert tf.constant(1.0, name="x").op.name == "a/x"
        assert tf.get_variable("v", [1]).name == "outer/a/v:0"
    with tf.name_scope("elsewhere"), tf.variable_scope(captured):
        assert tf.constant(1.0, name="x").op.name == "elsewhere/a/x"
    with tf.variable_scope(captured):
        assert tf.constant(1.0, name="x").op.name == "a_1/x"


def test_a_captured_scope_without_auxiliary_name_scope_alters_no_name_scope() -> None:
    with tf.variable_scope("foo") as captured:
        pass
    with tf.name_scope("ns"), tf.variable_scope(captured, auxiliary_name_scope=False):
        assert tf.get_default_graph().get_name_scope() == "ns"
        assert tf.constant(1.0, name="x").op.name == "ns/x"
