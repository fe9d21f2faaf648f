"""Feature maps: thumbnails of what a layer makes of the last feed; what is not run says why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tests.widgets.page import Page
from tfbench.explain.follower import last_fed
from tfbench.widgets import feature_maps
from tfbench.widgets.publisher import Publisher

RNG = np.random.default_rng(0)


class Asker:
    def __init__(self, graph: Any, session: Any) -> None:
        self.session = session
        self.page = Page()
        self.publisher = Publisher(graph, session, self.page.send)
        self.publisher.receive({"v": 1, "kind": "hello"})

    def __call__(self, fetch: str, image: Any = 0) -> tuple[dict[str, Any], Any]:
        self.publisher.receive({"v": 1, "kind": "ask", "what": "maps", "fetch": fetch, "image": image})
        return self.page.answers["maps"]


@pytest.fixture
def ask() -> Iterator[Asker]:
    with tf.Graph().as_default() as graph:
        images = tf.placeholder(tf.float32, [None, 100, 60, 3], name="images")
        kernel = tf.get_variable("kernel", initializer=RNG.normal(size=(3, 3, 3, 120)).astype("f"))
        conv = tf.nn.conv2d(images, kernel, [1, 1, 1, 1], "SAME", name="conv")
        tf.nn.relu(conv, name="relu")
        tf.add(conv, tf.random_normal([], seed=3), name="noisy")
        tf.reduce_mean(conv, [1, 2], name="pooled")
        tf.reduce_mean(conv, name="loss")
        step = tf.get_variable("step", initializer=0, trainable=False)
        with tf.control_dependencies([tf.assign_add(step, 1, name="update")]):
            tf.identity(conv, name="after_update")
        # It ends only with the time that it has.
        again = tf.while_loop(lambda turn, _: turn >= 0, lambda turn, x: (turn * 0, x), [0, images])[1]
        tf.identity(again, name="endless")
        queue = tf.FIFOQueue(4, tf.float32, shapes=[[1, 4, 4, 3]])
        tf.identity(queue.dequeue(name="take"), name="from_queue")
        tf.no_op(name="nothing")
    session = tf.Session(graph=graph)
    session.run([kernel.initializer, step.initializer])
    asker = Asker(graph, session)
    yield asker
    asker.publisher.close()


def batch(count: int = 5) -> Any:
    return RNG.normal(size=(count, 100, 60, 3)).astype("f")


def test_thumbnails_are_the_layers_values(ask: Asker) -> None:
    fed = batch()
    ask.session.run("loss:0", {"images:0": fed})
    content, tiles = ask("relu", 3)
    value = ask.session.run("relu:0", {"images:0": fed})
    assert content["shape"] == [5, 100, 60, 120]
    assert (content["image"], content["channels"], content["signed"]) == (3, 120, False)
    assert content["fed"] == "the last run's feed"
    assert tiles.shape == (96, 48, 48)
    assert content["limit"] == pytest.approx(value[3].max())
    # Every thumbnail's mean is that of the plane, but for the rounding to a byte and unequal blocks.
    means = (tiles - 1.0).mean((1, 2)) / 254 * content["limit"]
    np.testing.assert_allclose(means, value[3, :, :, :96].mean((0, 1)), atol=0.03 * content["limit"])
    assert content["picture"] == [3, 48, 48]


def test_signed_values_have_zero_in_the_middle(ask: Asker) -> None:
    ask.session.run("loss:0", {"images:0": 0 * batch()})
    content, tiles = ask("conv")
    assert content["dead"] == 96
    ask.session.run("loss:0", {"images:0": batch()})
    content, tiles = ask("conv")
    assert content["signed"]
    assert 100 < tiles.mean() < 156
    assert content["dead"] == 0


def test_one_row_of_values_is_one_pixel_each(ask: Asker) -> None:
    ask.session.run("loss:0", {"images:0": batch()})
    content, tiles = ask("pooled", 1)
    assert tiles.shape == (96, 1, 1)


def test_not_a_number_is_told(ask: Asker) -> None:
    fed = batch()
    fed[0, 50, 30] = np.nan
    ask.session.run("loss:0", {"images:0": fed})
    content, tiles = ask("conv")
    assert content["broken"] == 9 * 120
    assert (tiles == 0).any()
    assert (tiles != 0).any()


def test_without_a_feed_it_says_what_to_do(ask: Asker) -> None:
    content, tiles = ask("conv")
    assert "There is no feed yet: conv needs images" in content["error"]
    assert "panel.feed" in content["error"]
    assert tiles is None


def test_a_feed_from_python(ask: Asker) -> None:
    graph = ask.session.graph
    ask.publisher.feed(feature_maps.given(graph, {"images:0": batch(2)}))
    content, _ = ask("conv", 7)
    assert content["fed"] == "panel.feed"
    assert content["image"] == 1, "the last image that there is"
    ask.publisher.feed(None)
    content, _ = ask("conv")
    assert "no feed yet" in content["error"]
    with pytest.raises(ValueError, match="Cannot feed value of shape"):
        feature_maps.given(graph, {"images:0": np.zeros((2, 2))})


def test_looking_is_no_run_of_the_program(ask: Asker) -> None:
    ask.session.run("loss:0", {"images:0": batch(1)})
    runs, history = ask.publisher.runs, ask.session.history.runs
    ask("conv")
    assert ask.publisher.runs == runs
    assert ask.session.history.runs == history


def test_random_streams_are_put_back(ask: Asker) -> None:
    fed = {"images:0": batch(1)}
    undisturbed = tf.Session(graph=ask.session.graph)
    undisturbed.run("kernel/Assign")
    expected = [undisturbed.run("noisy:0", fed) for _ in range(2)]
    first = ask.session.run("noisy:0", fed)
    content, _ = ask("noisy")
    assert content["random"]
    second = ask.session.run("noisy:0", fed)
    np.testing.assert_array_equal([first, second], expected)


@pytest.mark.parametrize(
    ("fetch", "words"),
    [
        ("after_update", "update (AssignAdd), which changes a variable"),
        ("from_queue", "which has a state of its own"),
        ("nothing", "no output to show"),
        ("loss", "feature maps have four axes"),
        ("no_such", "no_such"),
    ],
)
def test_what_is_not_shown_says_why(ask: Asker, fetch: str, words: str) -> None:
    ask.session.run("loss:0", {"images:0": batch(1)})
    content, tiles = ask(fetch)
    assert words in content["error"]
    assert tiles is None
    assert ask.session.run("step:0") == 0


def test_while_a_loop_runs_nothing_random_is_drawn(ask: Asker) -> None:
    ask.session.run("loss:0", {"images:0": batch(1)})
    ask.publisher._state = "live"
    assert "draws random numbers" in ask("noisy")[0]["error"]
    assert "error" not in ask("conv")[0]


def test_a_run_that_takes_too_long_is_left(ask: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feature_maps, "SECONDS", 0.25)
    ask.session.run("loss:0", {"images:0": batch(1)})
    assert "took more than 0.25 s" in ask("endless")[0]["error"]


def test_a_large_feed_is_not_run_again(ask: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feature_maps, "MOST_FED", 1000)
    ask.session.run("loss:0", {"images:0": batch(1)})
    assert "panel.feed({…}) gives a smaller one" in ask("relu")[0]["error"]


def test_feeds_are_kept_while_a_panel_is_there_alone(ask: Asker) -> None:
    ask.session.run("loss:0", {"images:0": batch(1)})
    assert last_fed(ask.session) is not None
    ask.publisher.close()
    assert last_fed(ask.session) is None
    ask.session.run("loss:0", {"images:0": batch(1)})
    assert last_fed(ask.session) is None
