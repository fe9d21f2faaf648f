"""Runs of small steps as machine code: values are those of the steps, for any shapes, and errors name the op."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tfbench as tf
from tfbench.engine import region_code, region_run, regions
from tfbench.engine.compiled import tier
from tfbench.engine.parallel import Chooser
from tfbench.engine.region_run import Region

pytestmark = pytest.mark.skipif(not tier.installed(), reason="the extra `fast` is not installed")


@pytest.fixture(scope="module", autouse=True)
def _compiled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    ready = tier.Kernel.ready

    def only_regions(kernel: tier.Kernel, work: int) -> Any:
        return ready(kernel, work) if kernel.module == "fused" else None

    with pytest.MonkeyPatch.context() as patch, tier.using("wait"):
        patch.setenv("TFBENCH_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        patch.setattr(tier.Kernel, "ready", only_regions)
        yield


class Seen:
    """The regions that were made, and the shapes that their code has been run for."""

    def __init__(self) -> None:
        self.made: list[Region] = []
        self.ran: list[Any] = []

    @property
    def types(self) -> list[list[str]]:
        """The ops of each region."""
        return [[member.step.op.type for member in region._members] for region in self.made]


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Seen:
    found = Seen()

    class Spied(Region):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            found.made.append(self)

    real = region_code.Compiled.run

    def run(self: Any, code: Any, values: Any) -> Any:
        results = real(self, code, values)
        if results is not None:
            found.ran.append([np.shape(value) for value in values])
        return results

    monkeypatch.setattr(regions, "Region", Spied)
    monkeypatch.setattr(region_code.Compiled, "run", run)
    return found


def _runs(fetches: Any, feeds: Any = None, times: int = 4) -> list[Any]:
    """What each of several runs gives; the first is made step by step."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return [session.run(fetches, feeds) for _ in range(times)]


def _same(results: list[Any], rtol: float = 2e-6) -> None:
    first, *others = results
    for other in others:
        for one, two in zip(tf.nest.flatten(first), tf.nest.flatten(other), strict=True):
            assert np.asarray(one).dtype == np.asarray(two).dtype
            assert type(one) is type(two)
            scale = np.abs(np.where(np.isfinite(one), one, 0)).max(initial=0) if np.asarray(one).dtype != bool else 0
            np.testing.assert_allclose(two, one, rtol=rtol, atol=rtol * float(scale))


class TestValues:
    """They are those that the ops give one by one."""

    def test_a_network_is_trained(self, seen: Seen) -> None:
        def train(mode: str) -> list[Any]:
            with tf.Graph().as_default(), tier.using(mode):
                x = tf.placeholder(tf.float32, [None, 20])
                labels = tf.placeholder(tf.int32, [None])
                hidden = tf.nn.relu(tf.matmul(x, _variable("w1", 20, 16)) + tf.Variable(tf.zeros([16])))
                logits = tf.matmul(hidden, _variable("w2", 16, 10)) + tf.Variable(tf.zeros([10]))
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
                step = tf.train.AdamOptimizer(0.01).minimize(loss)
                rng = np.random.default_rng(1)
                feeds = {x: rng.normal(size=(30, 20)).astype(np.float32), labels: rng.integers(0, 10, 30)}
                with tf.Session() as session:
                    session.run(tf.global_variables_initializer())
                    losses = [session.run([loss, step], feeds)[0] for _ in range(8)]
                    return [losses, session.run(tf.trainable_variables())]

        with_regions, without = train("wait"), train("0")
        assert ["AddV2", "Relu"] in seen.types
        assert any("SparseSoftmaxCrossEntropyWithLogits" in types and "Sum" in types for types in seen.types)
        assert len(seen.ran) >= 3 * 5
        _same([without, with_regions], rtol=2e-5)

    @pytest.mark.parametrize("name", ["exp", "log", "tanh", "sigmoid"])
    def test_functions(self, seen: Seen, name: str) -> None:
        special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-42, -1e-42, 3e38, -3e38, 88.8, -103.9, 1.0, 1e-20, 0.7071]
        values = np.concatenate([np.array(special, np.float32), np.random.default_rng(0).normal(size=500) * 8])
        x = tf.placeholder(tf.float32, [None])
        function = getattr(tf, name)
        results = _runs(function(x) * 1.0, {x: values.astype(np.float32)})
        assert seen.ran
        np.testing.assert_allclose(results[-1], results[0], rtol=4e-7, atol=1e-44)
        assert np.array_equal(np.signbit(results[-1]), np.signbit(results[0]) & ~np.isnan(results[0]) | (
            np.signbit(results[-1]) & np.isnan(results[-1])
        ))  # fmt: skip

    def test_arithmetic_gives_the_same_bits(self, seen: Seen) -> None:
        x = tf.placeholder(tf.float32, [50, 7])
        y = tf.placeholder(tf.float32, [7])
        made = tf.sqrt(tf.abs((x * y + y) / (x - 3.0 * y))) - tf.maximum(x, y) + tf.rsqrt(tf.square(x) + 1e-3)
        rng = np.random.default_rng(0)
        results = _runs(made, {x: rng.normal(size=(50, 7)), y: rng.normal(size=7)})
        assert seen.ran
        for one in results[1:]:
            assert one.tobytes() == results[0].tobytes()

    def test_nan_is_kept(self, seen: Seen) -> None:
        x = tf.placeholder(tf.float32, [2, 3])
        values = np.array([[np.nan, 1, -1], [np.inf, -np.inf, 0]], np.float32)
        made = [
            tf.nn.relu(x) + 0.0,
            tf.maximum(x, 0.5),
            tf.minimum(0.5, x),
            tf.reduce_max(x * 1.0, 1),
            tf.reduce_min(x * 1.0, 0),
            tf.equal(x, x),
            tf.nn.softmax(x),
        ]
        results = _runs(made, {x: values})
        assert seen.ran
        _same(results)

    @pytest.mark.parametrize("kind", ["float32", "float64"])
    def test_zeros_of_rectifiers_are_positive(self, seen: Seen, kind: str) -> None:
        x = tf.placeholder(kind, [4])
        for relu, relu6 in _runs([tf.nn.relu(x * 1), tf.nn.relu6(x * 1)], {x: [-0.0, 0.0, -1.0, -np.inf]}):
            assert not np.signbit(relu).any()
            assert not np.signbit(relu6).any()
        assert seen.ran

    def test_types(self, seen: Seen) -> None:
        x = tf.placeholder(tf.int32, [6])
        floats = tf.cast(x, tf.float64)
        made = [
            tf.cast(floats > 2.0, tf.float32) * 2.0,
            tf.logical_and(x > 1, tf.logical_not(tf.cast(x, tf.bool))),
            tf.where(x > 2, x * x, -x),
            tf.cast(tf.cast(x, tf.int64) * 3_000_000_000, tf.float64) / floats,
            tf.reduce_sum(x + 1),
            tf.add_n([floats, floats * floats, tf.exp(floats)]),
        ]
        results = _runs(made, {x: [1, 2, 3, -4, 5, 2**31 - 1]})
        assert seen.ran
        _same(results)

    @pytest.mark.parametrize("kind", ["int32", "int64", "float32", "float64"])
    def test_numbers_from_outside(self, seen: Seen, kind: str) -> None:
        x = tf.placeholder(kind, [5])
        number = tf.placeholder(kind, [])
        made = tf.square(x * number - 1) + number
        results = _runs([made, tf.reduce_sum(made)], {x: [1, 2, 3, 4, 5], number: 3})
        assert seen.ran
        assert results[-1][0].tolist() == [7, 28, 67, 124, 199]
        _same(results)

    def test_sums_of_many_numbers(self, seen: Seen) -> None:
        x = tf.placeholder(tf.float32, [3, 40_000])
        made = [tf.reduce_mean(x + 1.0, 1), tf.reduce_sum(tf.square(x)), tf.nn.l2_loss(x)]
        values = np.random.default_rng(0).random((3, 40_000), np.float32)
        results = _runs(made, {x: values})
        assert seen.ran
        np.testing.assert_allclose(results[-1][0], (values + np.float32(1)).mean(1, dtype=np.float64), rtol=1e-6)
        np.testing.assert_allclose(results[-1][1], np.square(values).sum(dtype=np.float64), rtol=1e-6)
        np.testing.assert_allclose(results[-1][2], np.square(values).sum(dtype=np.float64) / 2, rtol=1e-6)

    def test_inside_loops_and_branches(self, seen: Seen) -> None:
        x = tf.placeholder(tf.float32, [4, 5])
        taken = tf.placeholder(tf.bool, [])
        _, looped = tf.while_loop(
            lambda i, _: i < 5, lambda i, v: (i + 1, tf.tanh(v * 0.5) + tf.nn.sigmoid(v) * x), [0, x]
        )
        branched = tf.cond(taken, lambda: tf.exp(x * 0.1) + x, lambda: tf.square(x) - x)
        slope = tf.gradients(looped, x)[0]
        values = np.random.default_rng(0).normal(size=(4, 5))
        for truth in (True, False):
            _same(_runs([looped, branched, slope], {x: values, taken: truth}), rtol=1e-5)
        assert any("Tanh" in types and "Sigmoid" in types for types in seen.types)
        assert len(seen.ran) > 20


def _variable(name: str, *shape: int) -> tf.Variable:
    values = np.random.default_rng(len(name)).normal(size=shape).astype(np.float32)
    return tf.get_variable(name, initializer=values * np.float32(0.1))


class TestShapes:
    """Code is for the shapes that come; any others are computed, too."""

    def test_they_may_change_from_run_to_run(self, seen: Seen) -> None:
        x = tf.placeholder(tf.float32, [None, 6])
        y = tf.placeholder(tf.float32)
        made = [tf.reduce_mean(tf.tanh(x) * y, 0), tf.nn.softmax(x + y), tf.shape(x)[0] * 2]
        rng = np.random.default_rng(0)
        with tf.Session() as session:
            for rows in (3, 3, 8, 1, 3, 0, 8, 1, 0):
                for other in ((), (1, 6), (rows, 1)):
                    a, b = rng.normal(size=(rows, 6)).astype(np.float32), rng.normal(size=other).astype(np.float32)
                    mean, soft, twice = session.run(made, {x: a, y: b})
                    raised = np.exp((a + b).astype(np.float64))
                    if rows:
                        np.testing.assert_allclose(mean, (np.tanh(a) * b).mean(0), rtol=2e-5, atol=1e-6)
                    else:
                        assert np.isnan(mean).all()
                    np.testing.assert_allclose(soft, raised / raised.sum(1, keepdims=True), rtol=2e-5)
                    assert twice == 2 * rows
                    assert type(twice) is np.int32
        assert len({tuple(map(tuple, shapes)) for shapes in seen.ran}) >= 7

    def test_more_shapes_than_are_compiled_for(self, seen: Seen) -> None:
        x = tf.placeholder(tf.float32, [None])
        made = tf.square(x) + 1.0
        with tf.Session() as session:
            for rows in [*range(1, 40), *range(1, 40)]:
                assert session.run(made, {x: np.ones(rows)}).tolist() == [2.0] * rows
        assert len(seen.made[0]._cases) == region_run._MOST_SHAPES

    def test_arrays_that_do_not_lie_in_order(self, seen: Seen) -> None:
        x = tf.placeholder(tf.float32, [5, 4])
        values = np.arange(20, dtype=np.float32).reshape(4, 5).T
        for result in _runs(tf.exp(x * 0.1) - x, {x: values}):
            np.testing.assert_allclose(result, np.exp(values * 0.1) - values, rtol=1e-6)
        assert seen.ran

    @pytest.mark.parametrize("threads", [1, 2])
    def test_large_arrays_are_shared_out(self, seen: Seen, threads: int) -> None:
        x = tf.placeholder(tf.float32, [None, 64])
        made = tf.nn.relu(x * 3.0 + tf.constant(np.arange(64, dtype=np.float32)))
        values = np.random.default_rng(0).normal(size=(40_001, 64)).astype(np.float32)
        config = tf.ConfigProto(intra_op_parallelism_threads=threads)
        with tf.Session(config=config) as session:
            results = [session.run(made, {x: values}) for _ in range(3)]
        assert seen.ran
        expected = np.maximum(values * np.float32(3) + np.arange(64, dtype=np.float32), 0)
        for result in results:
            assert result.tobytes() == expected.tobytes()

    def test_in_a_branch_that_is_not_compiled(self, seen: Seen) -> None:
        x = tf.placeholder(tf.float32, [None])
        taken = tf.placeholder(tf.bool, [])
        made = tf.cond(taken, lambda: tf.tanh(x) * 2.0 + 1.0, lambda: x)
        with tf.Session() as session:
            for _ in range(3):
                assert session.run(made, {x: [], taken: True}).tolist() == []
                assert session.run(made, {x: [0.0], taken: True}).tolist() == [1]
                assert session.run(made, {x: [5.0], taken: False}).tolist() == [5]
        assert None in [case.compiled for case in seen.made[0]._cases.values()]

    def test_threads_that_share_a_session(self, seen: Seen) -> None:
        x = tf.placeholder(tf.float32, [None, 2])
        taken = tf.placeholder(tf.bool, [])
        rows = tf.shape(x)[0]
        made = tf.cond(
            taken,
            lambda: tf.reshape(tf.square(x) + 1.0, tf.stack([2, rows])) * tf.cast(rows * 2 + 1, tf.float32),
            lambda: tf.reshape(x, tf.stack([2, rows])),
        )

        def work(session: tf.Session, number: int) -> int:
            for turn in range(60):
                size = (number * 7 + turn) % 24 + 1
                found = session.run(made, {x: np.full((size, 2), number), taken: turn % 5 > 0})
                expected = (number**2 + 1) * (2 * size + 1) if turn % 5 else number
                assert found.tolist() == [[expected] * size] * 2
            return number

        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            with tf.Session() as session, ThreadPoolExecutor(4) as pool:
                assert list(pool.map(work, [session] * 4, range(4))) == [0, 1, 2, 3]
        finally:
            sys.setswitchinterval(interval)
        assert any(region._guard for region in seen.made)
        assert seen.ran

    def test_what_would_be_kept_several_times_over_is_not_compiled(self, seen: Seen) -> None:
        x = tf.placeholder(tf.float32, [None, 512])
        made = tf.nn.softmax(tf.tanh(x)) * 2.0
        _same(_runs(made, {x: np.random.default_rng(0).normal(size=(1000, 512))}))
        assert seen.made
        assert not seen.ran


class TestKnown:
    """What shapes and constants decide is the same object each time, and who fetches it gets a copy."""

    def test_it_is_known_after_other_steps(self, seen: Seen) -> None:
        x = tf.placeholder(tf.float32, [None, 6])
        w = tf.constant(np.eye(6, dtype=np.float32))
        rows = tf.shape(x)[0]
        product = tf.matmul(tf.reshape(x, tf.stack([rows * 2, 3])), w[:3, :3])
        back = tf.reduce_mean(tf.reshape(product, tf.stack([rows, 6])), tf.range(0, rows - rows + 1))
        again = tf.fill([rows * 3], 2.0) * tf.cast(tf.range(rows * 3), tf.float32)
        with tf.Session() as session:
            for size in (2, 2, 2, 5, 2, 5, 5):
                values = np.random.default_rng(0).normal(size=(size, 6)).astype(np.float32)
                mean, line = session.run([back, again], {x: values})
                np.testing.assert_allclose(mean, values.mean(0), rtol=1e-5, atol=1e-7)
                assert line.tolist() == [2.0 * number for number in range(3 * size)]
        later = [region for region in seen.made if region._same is not None]
        assert later
        assert all(len(region._cases) <= 3 for region in seen.made)

    def test_it_may_be_written_to(self, seen: Seen) -> None:
        x = tf.placeholder(tf.float32, [None])
        sizes = tf.shape(x)
        doubled = tf.concat([sizes, sizes * 2], 0)
        v = tf.Variable([0, 0])
        with tf.Session() as session:
            session.run(v.initializer)
            for _ in range(4):
                assert session.run(sizes, {x: [1, 2]}).tolist() == [2]
                found, _ = session.run([doubled, tf.identity(doubled)], {x: [1, 2]})
                assert found.tolist() == [2, 4]
                found += 1
                changed = tf.assign_add(tf.assign(v, doubled), [1, 1])
                for _ in range(3):
                    assert session.run(changed, {x: [1, 2]}).tolist() == [3, 5]

    def test_what_is_large_is_not_kept(self, seen: Seen) -> None:
        x = tf.placeholder(tf.float32, [None])
        numbers = tf.range(tf.size(x) * 3)
        with tf.Session() as session:
            for rows in (4000, 4000, 4000, 10):
                picked = session.run(tf.gather(numbers, [0, 5]) * 2 + tf.shape(numbers), {x: np.ones(rows)})
                assert picked.tolist() == [3 * rows, 3 * rows + 10]
                assert session.run(numbers, {x: np.ones(rows)}).tolist() == list(range(3 * rows))
        assert not any(np.size(value) > 4096 for region in seen.made for case in region._cases.values()
                       for _, value, _ in case.known)  # fmt: skip

    def test_more_shapes_than_are_kept(self, seen: Seen) -> None:
        x = tf.placeholder(tf.float32, [None])
        size = tf.size(x) * 2 + 1
        made = tf.matmul(tf.reshape(x, [1, -1]), tf.reshape(x, [-1, 1]))[0, 0] * tf.cast(size - 1, tf.float32)
        with tf.Session() as session:
            for rows in [*range(1, 40), *range(39, 0, -1)]:
                assert session.run(made, {x: np.ones(rows)}) == rows * 2 * rows


class TestOrder:
    """What a region reads has not been written to since, and nobody sees what it does not make."""

    def test_variables_are_read_where_they_were(self, seen: Seen) -> None:
        v = tf.Variable(np.full(8, 2.0, np.float32))
        before = tf.tanh(v + 1.0)
        with tf.control_dependencies([before]):
            changed = tf.assign(v, v * 2.0)
        with tf.control_dependencies([changed]):
            after = tf.tanh(v.read_value() - 1.0)
        with tf.Session() as session:
            session.run(v.initializer)
            value = 2.0
            for _ in range(4):
                first, second = session.run([before, after])
                np.testing.assert_allclose(first, np.tanh(np.full(8, value + 1)), rtol=1e-6)
                value *= 2
                np.testing.assert_allclose(second, np.tanh(np.full(8, value - 1)), rtol=1e-6)

    def test_a_result_is_nobody_elses(self, seen: Seen) -> None:
        x = tf.placeholder(tf.float32, [4])
        doubled = x * 2.0
        made = [doubled, tf.reshape(doubled + 1.0, [2, 2]), tf.shape(doubled), tf.identity(doubled), doubled + 1.0]
        with tf.Session() as session:
            for _ in range(5):
                results = session.run(made, {x: [1, 2, 3, 4]})
                assert results[0].tolist() == [2, 4, 6, 8]
                assert results[1].tolist() == [[3, 5], [7, 9]]
                assert results[2].tolist() == [4]
                assert results[3].tolist() == [2, 4, 6, 8]
                for result in results:
                    result += 1000  # what is fetched may be written to
        assert seen.ran

    def test_an_observed_run_sees_each_op(self, seen: Seen) -> None:
        x = tf.placeholder(tf.float32, [4])
        made = tf.exp(tf.tanh(x) * 2.0, name="last")
        with tf.Session() as session:
            for _ in range(3):
                session.run(made, {x: np.ones(4)})
            metadata = tf.RunMetadata()
            session.run(made, {x: np.ones(4)}, tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), metadata)
            names = {node.node_name for device in metadata.step_stats.dev_stats for node in device.node_stats}
        assert {"Tanh", "mul", "last"} <= names

    def test_it_can_be_turned_off(self, seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TFBENCH_FUSE", "0")
        x = tf.placeholder(tf.float32, [4])
        _runs(tf.exp(tf.tanh(x) * 2.0), {x: np.ones(4)})
        assert not seen.made


@pytest.mark.parametrize("threads", [False, True])
def test_on_several_devices(seen: Seen, threads: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Chooser, "in_threads", lambda self: threads)
    with tf.Graph().as_default(), tf.simulate_devices(gpu=2):
        x = tf.placeholder(tf.float32, [None, 6])
        parts = []
        for number in range(2):
            with tf.device(f"/gpu:{number}"):
                made = tf.tanh(x * (number + 1.0)) + tf.square(x)
                for _ in range(3):
                    made = tf.nn.softmax(made - tf.reduce_mean(made, 0)) * tf.cast(tf.shape(made)[0], tf.float32)
                parts.append(made)
        with tf.device("/cpu:0"):
            total = tf.nn.relu(parts[0] - parts[1]) + tf.exp(parts[1] * 0.1)
            with tf.control_dependencies([total]):
                loss = tf.reduce_sum(total * 2.0)
        slope = tf.gradients(loss, x)[0]
        feeds = {x: np.random.default_rng(0).normal(size=(5, 6))}
        _same(_runs([total, loss, slope], feeds, 6), rtol=1e-5)
    assert seen.ran
    assert len({region._program.placement.index_of(region._members[0].step.op) for region in seen.made}) == 3


class TestErrors:
    """They are the op's that fails, and nothing is lost."""

    def test_a_class_that_there_is_not(self, seen: Seen) -> None:
        x = tf.placeholder(tf.float32, [None, 3])
        labels = tf.placeholder(tf.int32, [None])
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x * 2.0, name="xent")
        loss = tf.reduce_mean(losses)
        good = {x: np.eye(3), labels: [0, 1, 2]}
        with tf.Session() as session:
            value = [session.run(loss, good) for _ in range(3)][-1]
            assert seen.ran
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"label value of 3.*(?s:.)*node xent"):
                session.run(loss, {x: np.eye(3), labels: [0, 3, 2]})
            with pytest.raises(tf.errors.InvalidArgumentError, match="-1"):
                session.run(loss, {x: np.eye(3), labels: [0, -1, 2]})
            assert session.run(loss, good) == value

    def test_shapes_that_do_not_fit(self, seen: Seen) -> None:
        x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        made = tf.exp(tf.add(tf.tanh(x), y, name="mine"))
        with tf.Session() as session:
            for _ in range(3):
                session.run(made, {x: np.ones(3), y: np.ones(3)})
            assert seen.ran
            for _ in range(2):
                with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)Incompatible shapes.*node mine"):
                    session.run(made, {x: np.ones(3), y: np.ones(4)})
            assert session.run(made, {x: np.ones(2), y: np.ones(1)}).shape == (2,)


# -- random programs -------------------------------------------------------------------------------------------------

_UNARY = ["tanh", "sigmoid", "square", "negative", "abs", "sqrt", "exp", "log", "identity", "sign_mask"]
_BINARY = ["add", "subtract", "multiply", "maximum", "minimum", "squared_difference"]


@st.composite
def programs(draw: Any) -> list[tuple[Any, ...]]:
    steps: list[tuple[Any, ...]] = []
    for _ in range(draw(st.integers(2, 12))):
        kind = draw(st.sampled_from(["unary", "binary", "binary", "reduce", "reshape", "softmax", "where", "relu"]))
        one, two, three = (draw(st.integers(0, 50)) for _ in range(3))
        steps.append((kind, draw(st.sampled_from(_UNARY)), draw(st.sampled_from(_BINARY)), one, two, three))
    return steps


def _build(steps: list[tuple[Any, ...]], inputs: list[Any]) -> list[Any]:
    values = list(inputs)
    for kind, unary, binary, one, two, three in steps:
        a, b, c = (values[number % len(values)] for number in (one, two, three))
        if kind == "unary":
            if unary == "log":
                made = tf.log(tf.abs(a) + 0.5)
            elif unary == "exp":
                made = tf.exp(tf.minimum(a, 3.0))
            elif unary == "sqrt":
                made = tf.sqrt(tf.abs(a))
            elif unary == "sign_mask":
                made = tf.cast(a > 0.0, tf.float32) * a
            else:
                made = getattr(tf, unary)(a)
        elif kind == "binary":
            made = getattr(tf, binary)(a, b)
        elif kind == "reduce":
            function = (tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min)[two % 4]
            rank = len(a.shape)
            axes = [axis for axis in range(rank) if three >> axis & 1]
            made = function(a, axes, keepdims=bool(three & 8) or bool(axes))
        elif kind == "reshape":
            made = tf.reshape(tf.reshape(a * 1.0, [-1]), tf.shape(a))
        elif kind == "softmax":
            made = tf.nn.softmax(a) if len(a.shape) else tf.nn.relu(a)
        elif kind == "where":
            made = tf.where_v2(b > c, a, c)
        else:
            made = tf.nn.relu(a)
        values.append(tf.clip_by_value(made, -50.0, 50.0) if one % 3 else tf.tanh(made))
    return values[len(inputs) :]


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(programs(), st.integers(1, 9), st.integers(1, 20), st.integers(0, 2**31))
def test_random_programs(steps: list[tuple[Any, ...]], rows: int, columns: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    with tf.Graph().as_default():
        inputs = [tf.placeholder(tf.float32, shape) for shape in ([None, columns], [columns], [None, 1], [])]
        made = _build(steps, inputs)
        loss = tf.add_n([tf.reduce_sum(value) for value in made])
        slopes = tf.gradients(loss, inputs)
        fetches = [*made[-3:], loss, *[slope for slope in slopes if slope is not None]]
        shapes: list[Any] = [(rows, columns), (columns,), (rows, 1), ()]
        feeds = {x: rng.normal(size=shape).astype(np.float32) for x, shape in zip(inputs, shapes, strict=True)}
        with tf.Session() as session:
            first, _, third = (session.run(fetches, feeds) for _ in range(3))
    for one, two in zip(first, third, strict=True):
        assert np.shape(one) == np.shape(two)
        scale = max(1.0, float(np.abs(np.nan_to_num(one)).max(initial=0)))
        np.testing.assert_allclose(two, one, rtol=1e-4, atol=1e-5 * scale)
