"""`tf.contrib.training.HParams`: as TensorFlow 1.15 answers."""

from __future__ import annotations

from typing import Any

import pytest

import tfbench as tf
from tfbench.contrib.training import HParams, parse_values


def made() -> Any:
    return tf.contrib.training.HParams(rate=0.1, num=3, act="relu", flag=True, lst=[1, 2], n=None)


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("num=4,rate=0.5", {"num": 4, "rate": 0.5}),
        ("act=sig,flag=false", {"act": "sig", "flag": False}),
        ("lst=[3,4,5]", {"lst": [3, 4, 5]}),
        ("flag=0", {"flag": False}),
        ("rate=1e-3, num = 5", {"rate": 0.001, "num": 5}),
        ("rate=2", {"rate": 2.0}),
        ("act=", {"act": ""}),
        ("", {}),
    ],
)
def test_text(text: str, changed: dict[str, Any]) -> None:
    assert made().parse(text).values() == {**made().values(), **changed}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("num=4.5", "Could not parse hparam 'num' of type 'int' with value '4.5' in num=4.5"),
        ("rate=abc", "Could not parse hparam 'rate' of type 'float' with value 'abc'"),
        ("flag=maybe", "Could not parse hparam 'flag' of type 'bool'"),
        ("zz=3", "Unknown hyperparameter type for zz"),
        ("num", "Malformed hyperparameter value: num"),
        ('act="a,b"', 'Malformed hyperparameter value: b"'),
        ("lst=3", "Must pass a list for multi-valued parameter: lst"),
        ("lst[0]=9", "Must pass a list for multi-valued parameter: lst"),
        ("num=[1]", "Must not pass a list for single-valued parameter: num"),
        ("num=3,num=4", "Multiple assignments to variable 'num' in num=3,num=4"),
    ],
)
def test_text_that_is_wrong(text: str, words: str) -> None:
    with pytest.raises(ValueError) as caught:
        made().parse(text)
    assert words in str(caught.value)


def test_values_keep_their_types() -> None:
    hparams = made()
    hparams.set_hparam("num", 7)
    hparams.set_hparam("rate", 2)
    assert (hparams.num, hparams.rate, type(hparams.rate)) == (7, 2.0, float)
    for name, value in (("num", 4.0), ("num", "x"), ("num", True), ("flag", 1), ("act", 3), ("lst", 3), ("num", [3])):
        with pytest.raises(ValueError):
            hparams.set_hparam(name, value)
    with pytest.raises(KeyError):
        hparams.set_hparam("zz", 1)
    hparams.n = "anything"  # attributes are free
    assert hparams.values()["n"] == "anything"


def test_adding_removing_and_defaults() -> None:
    hparams = made()
    hparams.add_hparam("new", 3)
    for name in ("new", "values"):
        with pytest.raises(ValueError, match=f"Hyperparameter name is reserved: {name}"):
            hparams.add_hparam(name, 4)
    assert "new" in hparams
    hparams.del_hparam("new")
    assert "new" not in hparams
    assert not hasattr(hparams, "new")
    with pytest.raises(ValueError, match="cannot be empty: x"):
        HParams(x=[])
    assert (hparams.get("num"), hparams.get("num", 9), hparams.get("zz", 5)) == (3, 3, 5)
    for key, default in (("num", "text"), ("lst", 3)):
        with pytest.raises(ValueError, match=f"Hparam '{key}' of type .* is incompatible with default={default}"):
            hparams.get(key, default)


def test_forms() -> None:
    hparams = made()
    assert str(hparams) == "rate=0.1,num=3,act=relu,flag=True,lst=[1, 2],n=None"
    assert repr(HParams(b=1, a="x")) == "HParams([('a', 'x'), ('b', 1)])"
    assert HParams(b=1, a="x").to_json(separators=(",", ":"), sort_keys=True) == '{"a":"x","b":1}'
    assert hparams.parse_json('{"num": 7}').num == 7
    assert hparams.override_from_dict({"num": 8}).num == 8
    with pytest.raises(KeyError):
        hparams.parse_json('{"zz": 7}')
    hparams.set_model_structure("structure")
    assert hparams.get_model_structure() == "structure"
    assert parse_values("a=1,b[0]=3,b[2]=4,c=5", {"a": int, "b": int}, ignore_unknown=True) == {
        "a": 1,
        "b": {0: 3, 2: 4},
    }
