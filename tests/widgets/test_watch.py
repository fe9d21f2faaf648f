"""The live table of `%watch`: what its page is sent."""

from __future__ import annotations

import json
import math
from typing import Any

import tfbench as tf
from tfbench.widgets.watch import WatchPanel


def test_the_table_is_sent_whole_once_a_page_listens(monkeypatch: Any) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [])
        loss = tf.square(x, name="loss")
        watch = tf.watch(loss, session=session)
        panel = WatchPanel(watch)
        sent: list[Any] = []
        monkeypatch.setattr(panel, "send", lambda content: sent.append(content))
        session.run(loss, {x: 2.0})
        watch.look()
        assert not sent
        panel._received(None, {"v": 1, "kind": "launch"}, [])
        assert not sent
        panel._received(None, {"v": 1, "kind": "hello"}, [])
        session.run(loss, {x: math.nan})
        watch.look()
        rows = sent[-1]["rows"]
        assert sent[-1]["state"] == "live: 2 runs"
        assert (rows[0]["name"], rows[0]["now"], rows[0]["seen"], rows[0]["curve"]) == ("loss", "nan", 2, [4.0, None])
        assert rows[0]["stats"] is None
        json.dumps(sent, allow_nan=False)
        session.run(loss, {x: 3.0})
        watch.stop()
        assert sent[-1]["state"] == "no longer watched"
        assert sent[-1]["rows"][0]["stats"]["mean"] == 9.0
        data, _ = panel._repr_mimebundle_()
        assert data["text/plain"] == str(watch)
        assert "<table>" in data["text/html"]
        panel.close()
        assert not watch.listeners
