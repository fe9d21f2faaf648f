"""`tf.flags` and `tf.app`: what command lines give (as TensorFlow 1.15 answers them), and what notebooks need."""

from __future__ import annotations

import builtins
import enum
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import tfbench as tf
from tfbench import flags
from tfbench.flags.values import command_line


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


def defined() -> Any:
    """Flags of every kind."""
    values = flags.FlagValues()
    own = {"flag_values": values}
    flags.DEFINE_string("name", "abc", "the name", short_name="n", **own)
    flags.DEFINE_integer("num", 3, "a number", lower_bound=0, upper_bound=10, **own)
    flags.DEFINE_float("lr", 0.1, "rate", **own)
    flags.DEFINE_boolean("yes", False, "switch", **own)
    flags.DEFINE_bool("no", True, "switch", **own)
    flags.DEFINE_enum("kind", "a", ["a", "b"], "kind", **own)
    flags.DEFINE_enum_class("colour", Colour.RED, Colour, "colour", **own)
    flags.DEFINE_list("items", ["x", "y"], "list", **own)
    flags.DEFINE_spaceseplist("words", "a b", "words", **own)
    flags.DEFINE_multi_string("ms", None, "several", **own)
    flags.DEFINE_multi_integer("mi", [1, 2], "several", **own)
    flags.DEFINE_multi_float("mf", 0.5, "several", lower_bound=0, **own)
    flags.DEFINE_multi_enum("me", ["a"], ["a", "b"], "several", **own)
    flags.DEFINE_multi_enum_class("mc", None, Colour, "several", **own)
    return values


DEFAULTS = {
    "name": "abc", "num": 3, "lr": 0.1, "yes": False, "no": True, "kind": "a", "colour": Colour.RED,
    "items": ["x", "y"],
    "words": ["a", "b"], "ms": None, "mi": [1, 2], "mf": [0.5], "me": ["a"], "mc": None,
}  # fmt: skip

GIVEN: list[tuple[str, dict[str, Any], list[str]]] = [
    ("", {}, []),
    ("--name=q --num 5 rest --lr=1e-3 more", {"name": "q", "num": 5, "lr": 0.001}, ["rest", "more"]),
    ("-name=q -n z", {"name": "z"}, []),
    ("--num=0x0a", {"num": 10}, []),
    ("--yes --nono", {"yes": True, "no": False}, []),
    ("--noyes", {}, []),
    ("--yes=true -no=0 -- --name=z", {"yes": True, "no": False}, ["--name=z"]),
    ("--yes word", {"yes": True}, ["word"]),
    ("a - b --name=w", {"name": "w"}, ["a", "-", "b"]),
    ("--kind=b --colour=blue", {"kind": "b", "colour": Colour.BLUE}, []),
    ('--items=a,b,"c,d"', {"items": ["a", "b", "c,d"]}, []),
    ("--items= --words=", {"items": [], "words": []}, []),
    ("--ms=a --ms=b --mi=7", {"ms": ["a", "b"], "mi": [7]}, []),
    ("--mf=1 --mf=2 --me=b --mc=RED --mc=blue", {"mf": [1.0, 2.0], "me": ["b"], "mc": [Colour.RED, Colour.BLUE]}, []),
    ("--undefok=other,more --other=3 --nomore", {}, []),
    ("--name=", {"name": ""}, []),
]


@pytest.mark.parametrize(("line", "changed", "rest"), GIVEN)
def test_command_lines(line: str, changed: dict[str, Any], rest: list[str]) -> None:
    values = defined()
    assert values(["prog", *line.split()]) == ["prog", *rest]
    assert {name: getattr(values, name) for name in DEFAULTS} == {**DEFAULTS, **changed}
    assert all(values[name].present and not values[name].using_default_value for name in changed)


WRONG = [
    ("--yes=maybe", "IllegalFlagValueError", "flag --yes=maybe: ('Non-boolean argument to boolean flag', 'maybe')"),
    ("--num=abc", "IllegalFlagValueError", "flag --num=abc: invalid literal for int() with base 10: 'abc'"),
    ("--num=11", "IllegalFlagValueError", "flag --num=11: 11 is not an integer in the range [0, 10]"),
    ("--mf=-1", "IllegalFlagValueError", "flag --mf=-1: -1.0 is not a number >= 0"),
    ("--kind=c", "IllegalFlagValueError", "flag --kind=c: value should be one of <a|b>"),
    ("--colour=c", "IllegalFlagValueError", "flag --colour=c: value should be one of <RED|BLUE>"),
    ("--lr=x", "IllegalFlagValueError", "flag --lr=x: could not convert string to float: 'x'"),
    ('--items="a', "IllegalFlagValueError", "Unable to parse the value '\"a' as a list"),
    ("--unknown=3", "UnrecognizedFlagError", "Unknown command line flag 'unknown'"),
    ("--nam=x", "UnrecognizedFlagError", "Unknown command line flag 'nam'. Did you mean: name ?"),
    ("--noname", "UnrecognizedFlagError", "Unknown command line flag 'noname'. Did you mean: name ?"),
    ("--name", "Error", "Missing value for flag --name"),
    ("--noyes=1", "Error", "does not take an argument"),
]


@pytest.mark.parametrize(("line", "kind", "words"), WRONG)
def test_command_lines_that_are_wrong(line: str, kind: str, words: str) -> None:
    with pytest.raises(flags.Error) as caught:
        defined()(["prog", line])
    assert type(caught.value).__name__ == kind
    assert words in str(caught.value)


def test_what_is_not_defined_can_be_left_alone() -> None:
    values = defined()
    rest = values(["prog", "--foo=1", "--name=q", "word", "--bar"], known_only=True)
    assert rest == ["prog", "--foo=1", "word", "--bar"]
    assert values.name == "q"


def test_values_that_the_program_assigns() -> None:
    values = defined()
    values(["prog"])
    values.num = 4
    values.lr = 2
    assert (values.num, values.lr) == (4, 2)
    for wrong in (99, "abc"):
        with pytest.raises(flags.IllegalFlagValueError, match="flag --num="):
            values.num = wrong
    assert values.num == 4
    with pytest.raises(flags.UnrecognizedFlagError, match=r"'nun'\. Did you mean: num \?"):
        values.nun = 3
    with pytest.raises(AttributeError, match="'nme' is defined; did you mean 'name'"):
        values.nme
    with pytest.raises(KeyError):
        values["nme"]
    assert "num" in values
    assert "nme" not in values
    assert len(values) == len(list(values)) == len(DEFAULTS) + 1  # -n
    del values.name
    assert "name" not in values
    assert "n" not in values
    values.unparse_flags()
    assert (values["num"].value, values["num"].using_default_value, values.is_parsed()) == (3, True, False)


def test_definitions_that_are_wrong() -> None:
    values = flags.FlagValues()
    for name, words in (("", "cannot be empty"), ("a b", "cannot contain a space")):
        with pytest.raises(flags.Error, match=words):
            flags.DEFINE_string(name, None, "", flag_values=values)
    with pytest.raises(flags.IllegalFlagValueError, match="11 is not an integer <= 10"):
        flags.DEFINE_integer("x", 11, "", upper_bound=10, flag_values=values)
    with pytest.raises(flags.IllegalFlagValueError, match="invalid literal"):
        flags.DEFINE_integer("x", "abc", "", flag_values=values)
    with pytest.raises(ValueError, match="enum_values cannot be empty"):
        flags.DEFINE_enum("x", None, [], "", flag_values=values)
    with pytest.raises(flags.FlagNameConflictsWithMethodError):
        flags.DEFINE_string("is_parsed", None, "", flag_values=values)
    assert list(values) == []


def test_old_names_of_arguments_and_old_ways_to_look() -> None:
    values = flags.FlagValues()
    flags.DEFINE_integer(flag_name="x", default_value=3, docstring="old", flag_values=values)
    values(["prog"])
    values._parse_flags()
    assert values["x"].help == "old"
    assert getattr(values, "__flags") == {"x": 3}
    assert values.flag_values_dict() == {"x": 3}


def test_required_flags_and_validators() -> None:
    values = defined()
    flags.DEFINE_string("needed", None, "", flag_values=values)
    flags.mark_flag_as_required("needed", flag_values=values)

    @flags.validator("num", "must be even", flag_values=values)
    def _(value: int) -> bool:
        return value % 2 == 0

    with pytest.raises(flags.IllegalFlagValueError, match="Flag --needed must have a value other than None"):
        values(["prog", "--num=4"])
    with pytest.raises(flags.IllegalFlagValueError, match="flag --num=3: must be even"):
        values(["prog", "--needed=1", "--num=3"])
    values(["prog", "--needed=1", "--num=4"])
    with pytest.raises(flags.IllegalFlagValueError, match="must be even"):
        values.num = 5
    flags.mark_flags_as_mutual_exclusive(["ms", "mc"], flag_values=values)
    with pytest.raises(flags.IllegalFlagValueError, match=r"At most one of \(ms, mc\)"):
        values(["prog", "--needed=1", "--num=4", "--ms=a", "--mc=red"])
    values.unparse_flags()
    flags.mark_bool_flags_as_mutual_exclusive(["yes", "no"], required=True, flag_values=values)
    with pytest.raises(flags.IllegalFlagValueError, match=r"Exactly one of \(yes, no\) must be True"):
        values(["prog", "--needed=1", "--num=4", "--mc=red", "--yes"])
    with pytest.raises(AttributeError, match="nothing"):
        flags.mark_flag_as_required("nothing", flag_values=values)


def test_files_of_flags(tmp_path: Path) -> None:
    values = defined()
    values(["prog", "--name=from file", "--noyes", "--items=a,b", "--ms=1", "--ms=2"])
    values.append_flags_into_file(str(tmp_path / "flags"))
    with (tmp_path / "flags").open("a") as file:
        file.write(f"# a comment\n\n--flagfile={tmp_path / 'flags'}\n")
    again = defined()
    assert again(["prog", f"--flagfile={tmp_path / 'flags'}", "--num=9", "word"]) == ["prog", "word"]
    assert (again.name, again.items, again.ms, again.num) == ("from file", ["a", "b"], ["1", "2"], 9)
    with pytest.raises(flags.CantOpenFlagFileError, match="nowhere"):
        again(["prog", "--flagfile=nowhere"])


def test_help_and_holders() -> None:
    values = defined()
    text = values.get_help()
    assert "--name: the name" in text
    assert "--[no]yes: switch" in text
    assert "(an integer in the range [0, 10])" in text
    holder = flags.DEFINE_integer("h", 3, "", flag_values=values)
    values(["prog", "--h=4"])
    assert (holder.name, holder.value, holder.default, holder.present) == ("h", 4, 3, True)
    with pytest.raises(TypeError, match=r"use its \.value"):
        bool(holder)
    flags.set_default(holder, 7)
    assert (holder.value, holder.default) == (4, 7)
    flags.override_value(holder, 8)
    assert holder.value == 8
    flags.DEFINE_alias("other", "h", flag_values=values)
    assert values.other == 8
    given = flags.flag_dict_to_args({"a": 1, "b": True, "c": False, "d": [1, 2], "e": None, "m": [3, 4]}, {"m"})
    assert list(given) == ["--a=1", "--b", "--noc", "--d=1,2", "--e", "--m=3", "--m=4"]


# -- defined twice ---------------------------------------------------------------------------------------------------


def test_two_places_of_a_program() -> None:
    values = flags.FlagValues()
    flags.DEFINE_string("x", "first", "first help", flag_values=values)
    with pytest.raises(
        flags.DuplicateFlagError, match=r"'x' is defined twice\. First from .*test_flags.py, .* first help"
    ):
        flags.DEFINE_string("x", "second", "", flag_values=values)
    assert values["x"].value == "first"


def test_the_same_place_again() -> None:
    """A module that is loaded again."""
    values = flags.FlagValues()
    for default in ("first", "second"):
        flags.DEFINE_string("x", default, "", flag_values=values)
    assert values["x"].value == "second"


CELL = """
import tfbench as tf
tf.flags.DEFINE_float("rate", {rate}, "learning rate", lower_bound={low})
tf.flags.DEFINE_string("where", None, "a path")
tf.flags.mark_flag_as_required("where")
FLAGS = tf.app.flags.FLAGS
FLAGS.where = "here"
found.append((FLAGS.rate, FLAGS.where))
"""


def test_a_cell_that_is_run_again_and_edited() -> None:
    """In a fresh process, with a kernel's command line."""
    text = f"""
import sys
sys.argv = ["/x/ipykernel_launcher.py", "-f", "/tmp/kernel-1.json"]
from IPython.core.interactiveshell import InteractiveShell
shell, found = InteractiveShell.instance(), []
shell.push(dict(found=found))
for rate, low in ((0.5, 0.1), (0.5, 0.1), (0.05, None)):
    result = shell.run_cell({CELL!r}.format(rate=rate, low=low), store_history=True)
    result.raise_error()
print(found)
# an edit in another cell of what was bound to 0.1 before
shell.run_cell("FLAGS.rate = 0.001").raise_error()
# tf.app.run ends no notebook
result = shell.run_cell("def main(argv): print('ran', argv[1:], FLAGS.rate)\\ntf.app.run()")
result.raise_error()
"""
    said = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)
    assert said.stdout == "[(0.5, 'here'), (0.5, 'here'), (0.05, 'here')]\nran [] 0.001\n", said.stderr


@pytest.mark.parametrize(
    ("argv", "ours"),
    [
        (["/x/ipykernel_launcher.py", "-f", "k.json"], ["/x/ipykernel_launcher.py"]),
        (["/x/site-packages/ipykernel/__main__.py", "-f", "k"], ["/x/site-packages/ipykernel/__main__.py"]),
        (["/bin/ipython", "--pylab"], ["/bin/ipython"]),
        (["/bin/pytest", "-q", "tests"], ["/bin/pytest"]),
        (["/x/pytest/__main__.py", "-q"], ["/x/pytest/__main__.py"]),
        (["train.py", "--lr=3"], ["train.py", "--lr=3"]),
        (["a/__main__.py", "--lr=3"], ["a/__main__.py", "--lr=3"]),
        ([""], [""]),
        ([], [""]),
    ],
)
def test_whose_command_line_it_is(monkeypatch: pytest.MonkeyPatch, argv: list[str], ours: list[str]) -> None:
    monkeypatch.setattr(sys, "argv", argv)
    assert command_line() == ours


# -- programs ---------------------------------------------------------------------------------------------------------


def run_program(tmp_path: Path, text: str, *arguments: str) -> Any:
    path = tmp_path / "train.py"
    path.write_text('"""A program."""\nimport tfbench as tf\n' + textwrap.dedent(text))
    return subprocess.run([sys.executable, str(path), *arguments], capture_output=True, text=True, timeout=60)


PROGRAM = """
    tf.app.flags.DEFINE_integer("steps", 10, "number of steps")
    FLAGS = tf.app.flags.FLAGS
    def main(argv):
        print(FLAGS.steps, argv[1:])
        return 3
    if __name__ == "__main__":
        tf.app.run()
"""


def test_a_program(tmp_path: Path) -> None:
    done = run_program(tmp_path, PROGRAM, "--steps=7", "word", "--unknown=1")
    assert (done.stdout, done.returncode) == ("7 ['word', '--unknown=1']\n", 3), done.stderr
    done = run_program(tmp_path, PROGRAM, "--steps=many")
    assert done.returncode == 1
    assert "FATAL Flags parsing error:\n  flag --steps=many: invalid literal" in done.stderr
    assert "Traceback" not in done.stderr
    done = run_program(tmp_path, PROGRAM, "--help")
    assert done.returncode == 1
    assert "A program." in done.stdout
    assert "--steps: number of steps" in done.stdout


def test_flags_are_parsed_when_one_is_read(tmp_path: Path) -> None:
    text = 'tf.flags.DEFINE_integer("steps", 10, "")\nprint(tf.flags.FLAGS.steps)'
    assert run_program(tmp_path, text, "--steps=7").stdout == "7\n"
    assert "Unknown command line flag 'other'" in run_program(tmp_path, text, "--other=7").stderr


def test_flags_of_absl_are_parsed_too(tmp_path: Path) -> None:
    text = """
    import sys, types
    class Theirs:
        def __call__(self, argv, known_only):
            print("theirs", argv[1:], known_only)
            return argv[:1]
    sys.modules["absl"] = types.ModuleType("absl")
    sys.modules["absl.flags"] = types.ModuleType("absl.flags")
    sys.modules["absl.flags"].FLAGS = Theirs()
    tf.app.run(main=lambda argv: print(argv[1:]))
    """
    assert run_program(tmp_path, text, "--x=1").stdout == "theirs ['--x=1'] True\n[]\n"


def test_a_main_that_is_given_and_arguments_that_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        tf.app.run(lambda argv: print(argv), argv=["prog", "a"])
    assert not end.value.code
    assert capsys.readouterr().out == "['prog', 'a']\n"


def test_in_a_notebook_errors_are_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtins, "__IPYTHON__", True, raising=False)
    with pytest.raises(ZeroDivisionError):
        tf.app.run(lambda argv: 1 / 0, argv=["prog"])
    with pytest.raises(SystemExit):
        tf.app.run(lambda argv: 2, argv=["prog"])
    tf.app.run(lambda argv: 0, argv=["prog"])
