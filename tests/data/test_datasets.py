"""What facts cannot say about data sets: sessions, going back, interrupts, threads, memory, any sequence of steps."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfbench as tf
from tfbench.engine.function_graph import functions_of
from tfbench.engine.functions import CompiledFunction


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as graph:
        yield graph


def iterator(dataset: Any) -> tuple[Any, Any]:
    made = tf.data.make_initializable_iterator(dataset)
    return made.initializer, made.get_next()


def elements(dataset: Any) -> list[Any]:
    begin, element = iterator(dataset)
    found = []
    with tf.Session() as sess:
        sess.run(begin)
        while True:
            try:
                found.append(sess.run(element))
            except tf.errors.OutOfRangeError:
                return found


# -- state ------------------------------------------------------------------------------------------------------


def test_each_session_is_at_a_place_of_its_own() -> None:
    begin, element = iterator(tf.data.Dataset.range(5))
    with tf.Session() as one, tf.Session() as two:
        one.run(begin)
        with pytest.raises(tf.errors.FailedPreconditionError, match="not been initialized"):
            two.run(element)
        two.run(begin)
        assert [one.run(element), one.run(element), two.run(element)] == [0, 1, 0]


def test_a_session_goes_back_to_where_an_iterator_was() -> None:
    begin, element = iterator(
        tf.data.Dataset.range(9).shuffle(9).map(lambda x: x + tf.random_uniform([], 0, 9, tf.int64))
    )
    with tf.Session() as sess:
        sess.run(begin)
        sess.run(element)
        saved = sess.resources.snapshot()
        rest = [sess.run(element) for _ in range(4)]
        sess.resources.restore(saved)
        assert [sess.run(element) for _ in range(4)] == rest
        sess.run(begin)
        sess.resources.restore(saved)
        assert [sess.run(element) for _ in range(2)] == rest[:2]


def test_elements_that_were_given_are_not_kept() -> None:
    made: list[Any] = []

    def give(x: Any) -> Any:
        array = np.zeros(1000)
        made.append(weakref.ref(array))
        return array

    data = tf.data.Dataset.range(5).map(lambda x: tf.py_func(give, [x], tf.float64))
    begin, element = iterator(data)
    with tf.Session() as sess:
        sess.run(begin)
        for _ in range(5):
            sess.run(element)
        gc.collect()
        assert sum(one() is not None for one in made) <= 1


def test_an_interrupt_leaves_an_iterator_usable() -> None:
    stops = iter([False, True, False, False])

    def perhaps(x: Any) -> Any:
        if next(stops, False):
            raise KeyboardInterrupt
        return x

    begin, element = iterator(tf.data.Dataset.range(5).map(lambda x: tf.py_func(perhaps, [x], tf.int64)))
    with tf.Session() as sess:
        sess.run(begin)
        assert sess.run(element) == 0
        with pytest.raises(KeyboardInterrupt):
            sess.run(element)
        assert sess.run(element) == 2
        sess.run(begin)
        assert sess.run(element) == 0


def test_an_iterator_that_is_begun_again_lets_go_of_a_generator() -> None:
    ended = []

    def numbers() -> Any:
        try:
            yield from range(100)
        finally:
            ended.append(True)

    begin, element = iterator(tf.data.Dataset.from_generator(numbers, tf.int32, []))
    with tf.Session() as sess:
        sess.run(begin)
        sess.run(element)
        sess.run(begin)
        assert ended == [True]
        assert sess.run(element) == 0


def test_threads_share_an_iterator() -> None:
    begin, element = iterator(tf.data.Dataset.range(400).map(lambda x: x * 2))
    found: list[int] = []
    with tf.Session() as sess:
        sess.run(begin)

        def work() -> None:
            while True:
                try:
                    found.append(int(sess.run(element)))
                except tf.errors.OutOfRangeError:
                    return

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(found) == list(range(0, 800, 2))


# -- functions --------------------------------------------------------------------------------------------------


def test_a_function_can_be_looked_at(graph: Any) -> None:
    scale = tf.constant(3, tf.int64)
    tf.data.Dataset.range(5).map(lambda x: tf.multiply(x, scale, name="scaled"))
    (body,) = functions_of(graph).by_name.values()
    assert [op.name for op in body.get_operations()] == ["args_0", "scaled/Const", "scaled"]
    assert body.captures[0][0] is scale
    assert body.outputs[0].op.source.file == __file__
    with pytest.raises(RuntimeError, match="finalized"), body.as_default():
        tf.constant(1)


def test_a_function_goes_when_the_graph_is_rolled_back(graph: Any) -> None:
    tf.data.Dataset.range(5).map(lambda x: x)
    mark = graph.mark()
    tf.data.Dataset.range(5).map(lambda x: x + 1)
    assert len(functions_of(graph).by_name) == 2
    graph.roll_back(mark)
    assert list(functions_of(graph).by_name) == ["__inference_Dataset_map_lambda_1"]
    tf.data.Dataset.range(5).map(lambda x: x + 2)
    assert list(functions_of(graph).by_name)[-1] == "__inference_Dataset_map_lambda_2"


def test_an_iterator_made_anew_does_not_go_on_with_the_old_one(graph: Any) -> None:
    mark = graph.mark()
    with tf.Session() as sess:
        begin, element = iterator(tf.data.Dataset.range(3))
        sess.run(begin)
        sess.run(element)
        graph.roll_back(mark)
        _, element = iterator(tf.data.Dataset.range(10, 13))
        with pytest.raises(tf.errors.FailedPreconditionError):
            sess.run(element)


def test_functions_are_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    before = CompiledFunction.__init__

    def counting(self: Any, *arguments: Any) -> None:
        made.append(arguments)
        before(self, *arguments)

    monkeypatch.setattr(CompiledFunction, "__init__", counting)
    plain = tf.data.Dataset.range(3).map(lambda x: x + 1).repeat(3)
    drawing = tf.data.Dataset.range(3).map(lambda x: x + tf.random_uniform([], 0, 9, tf.int64)).repeat(3)
    for data, times in ((plain, 1), (drawing, 2)):
        made.clear()
        begin, element = iterator(data)
        with tf.Session() as sess:
            for _ in range(2):
                sess.run(begin)
                for _ in range(9):
                    sess.run(element)
        assert len(made) == times


@pytest.mark.parametrize("good", [0, 5])
def test_an_error_in_a_function_names_its_op_and_the_line(good: int) -> None:
    begin, element = iterator(tf.data.Dataset.range(9).map(lambda x: tf.gather([1] * good, x, name="lookup")))
    with tf.Session() as sess:
        sess.run(begin)
        for _ in range(good):
            sess.run(element)
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"user-defined function passed to MapDataset"
        ) as caught:
            sess.run(element)
    assert caught.value.op.name == "lookup"
    assert "tf.gather" in caught.value.source.text
    assert "{{node lookup}}" in caught.value.message


def test_a_function_may_say_that_this_is_the_end() -> None:
    def stop(x: Any) -> Any:
        if x == 2:
            raise StopIteration
        return x

    assert elements(tf.data.Dataset.range(9).map(lambda x: tf.py_func(stop, [x], tf.int64))) == [0, 1]


def test_an_imported_data_set_has_no_functions(graph: Any) -> None:
    iterator(tf.data.Dataset.range(3).map(lambda x: x + 1))
    with tf.Graph().as_default() as other:
        tf.data.Dataset.range(3).map(lambda x: x * 2)  # of the same name
        tf.import_graph_def(graph.as_graph_def(), name="")
        with tf.Session(graph=other) as sess, pytest.raises(tf.errors.NotFoundError, match="do not travel"):
            sess.run("MakeIterator")


def test_a_tensor_of_another_graph_is_refused() -> None:
    with tf.Graph().as_default():
        stranger = tf.constant(1, tf.int64)
    with pytest.raises(ValueError, match="same graph"):
        tf.data.Dataset.range(3).map(lambda x: x + stranger)


def test_a_function_that_fails_leaves_nothing_behind(graph: Any) -> None:
    data = tf.data.Dataset.range(3)
    count = len(graph.get_operations())
    with pytest.raises(ZeroDivisionError):
        data.map(lambda x: 1 // 0)
    assert len(graph.get_operations()) == count
    assert functions_of(graph).by_name == {}
    assert elements(data.map(lambda x: x + 1)) == [1, 2, 3]


def test_a_program_may_use_namespaces_alone() -> None:
    program = (
        "import tfbench as tf\n"
        "data = tf.data.Dataset.range(3).map(lambda x: x + 1)\n"
        "element = tf.data.make_one_shot_iterator(data).get_next()\n"
        "with tf.train.MonitoredTrainingSession() as session:\n"
        "    while not session.should_stop():\n"
        "        print(session.run(element))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["1", "2", "3"]


# -- files --------------------------------------------------------------------------------------------------------


def test_files_larger_than_a_block(tmp_path: Path) -> None:
    lines = [f"line {i} {'x' * (i % 50)}".encode() for i in range(20_000)]
    text, binary = tmp_path / "text", tmp_path / "binary"
    text.write_bytes(b"\n".join(lines))
    numbers = np.arange(200_000, dtype=np.int32)
    binary.write_bytes(b"head" + numbers.tobytes() + b"end")
    assert elements(tf.data.TextLineDataset(str(text)).batch(20_000))[0].tolist() == lines
    data = tf.data.FixedLengthRecordDataset(str(binary), 4, 4, 3).batch(10**6)
    assert b"".join(elements(data)[0].tolist()) == numbers.tobytes()


def test_a_cache_that_is_not_complete_leaves_no_files(tmp_path: Path) -> None:
    begin, element = iterator(tf.data.Dataset.range(5).cache(str(tmp_path / "cache")))
    with tf.Session() as sess:
        sess.run(begin)
        sess.run(element)
        sess.run(begin)
        sess.run(element)
        assert os.listdir(tmp_path) == []
        for _ in range(4):
            sess.run(element)
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(element)
    assert sorted(os.listdir(tmp_path)) == ["cache.data-00000-of-00001", "cache.index"]


def test_a_damaged_cache_is_an_error(tmp_path: Path) -> None:
    data = tf.data.Dataset.range(5).cache(str(tmp_path / "cache"))
    assert elements(data) == [0, 1, 2, 3, 4]
    path = tmp_path / "cache.data-00000-of-00001"
    path.write_bytes(path.read_bytes()[:-3] + b"xyz")
    with pytest.raises(tf.errors.DataLossError):
        elements(data)


# -- any sequence -----------------------------------------------------------------------------------------------

_STEP = st.one_of(
    st.tuples(st.sampled_from(["take", "skip", "repeat", "batch", "drop"]), st.integers(1, 4)),
    st.tuples(st.just("shard"), st.integers(1, 3)),
    st.tuples(st.sampled_from(["map", "filter", "cache", "window"]), st.integers(1, 3)),
)


def plainly(values: list[Any], step: str, n: int) -> list[Any]:
    """What a step makes of a list."""
    if step == "take":
        return values[:n]
    if step == "skip":
        return values[n:]
    if step == "repeat":
        return values * n
    if step == "shard":
        return values[n - 1 :: n]
    if step == "map":
        return [value + n for value in values]
    if step == "filter":
        return [value for value in values if value % (n + 1) != 0]
    return values


@settings(max_examples=40, deadline=None)
@given(size=st.integers(0, 12), steps=st.lists(_STEP, max_size=5))
def test_steps_do_what_they_do_to_a_list(size: int, steps: list[tuple[str, int]]) -> None:
    with tf.Graph().as_default():
        data, values = tf.data.Dataset.range(size), list(range(size))
        for step, n in steps:
            if step in ("batch", "drop"):
                data = data.batch(n, drop_remainder=step == "drop").unbatch()
                values = values[: len(values) // n * n] if step == "drop" else values
            elif step == "window":
                data = data.window(n).flat_map(lambda window: window)
            elif step == "shard":
                data = data.shard(n, n - 1)
            elif step == "map":
                data = data.map(lambda x, n=n: x + n)
            elif step == "filter":
                data = data.filter(lambda x, n=n: tf.not_equal(x % (n + 1), 0))
            elif step == "cache":
                data = data.cache()
            else:
                data = getattr(data, step)(n)
            values = plainly(values, step, n)
        assert elements(data) == values
        known = tf.data.experimental.cardinality(data)
        with tf.Session() as sess:
            assert sess.run(known) in (len(values), -2)


@settings(max_examples=30, deadline=None)
@given(size=st.integers(0, 30), buffer=st.integers(1, 12), seed=st.integers(1, 99))
def test_a_shuffle_only_moves_elements(size: int, buffer: int, seed: int) -> None:
    with tf.Graph().as_default():
        found = elements(tf.data.Dataset.range(size).shuffle(buffer, seed))
        assert sorted(found) == list(range(size))
        assert all(value < place + buffer for place, value in enumerate(found))
