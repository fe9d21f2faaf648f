"""`import tfbench` is quick, quiet, and loads nothing that only a notebook needs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tfbench


def python(program: str) -> str:
    """What a fresh Python prints for `program`; what it writes to standard error is an error."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_prints_nothing():
    assert python("import tfbench") == ""


def test_running_a_graph_loads_nothing_that_only_some_need():
    unwanted = {"IPython", "ipywidgets", "anywidget", "traitlets", "matplotlib", "google", "cupy", "llvmlite"}
    program = """
import sys, tfbench as tf
with tf.Session() as session:
    assert session.run(tf.constant(1.0) + 2.0) == 3.0
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""
    loaded = set(python(program).split())
    assert "numpy" in loaded
    assert loaded & unwanted == set()


def test_takes_at_most_twice_as_long_as_numpy():
    # CPU time, and the best of several: other work on the machine can only add to it.
    program = "import time; start = time.process_time(); import {}; print(time.process_time() - start)"
    numpy, tfbench = (min(float(python(program.format(name))) for _ in range(7)) for name in ("numpy", "tfbench"))
    assert tfbench <= 2.0 * numpy, f"tfbench {tfbench * 1000:.0f} ms, NumPy {numpy * 1000:.0f} ms"


def test_loading_numpy_leaves_the_environment_as_it_was():
    program = """
import os
{}
before = dict(os.environ)
import tfbench as tf
tf.constant(1.0)
assert dict(os.environ) == before, set(before.items()) ^ set(os.environ.items())
"""
    python(program.format("os.environ.pop('OPENBLAS_THREAD_TIMEOUT', None)"))
    python(program.format("os.environ['OPENBLAS_THREAD_TIMEOUT'] = '26'"))


def test_threads_of_blas_sleep_when_they_have_nothing_to_do():
    blas = python("from tfbench.engine.kernels import blas; print(blas.one_thread.threads())").strip()
    if blas in ("None", "1"):
        pytest.skip(f"NumPy's BLAS has no threads of its own that tell ({blas})")
    # The environment at the moment when NumPy is loaded, which is when OpenBLAS looks at it.
    seen = python("""
import os, sys
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            print(os.environ.get("OPENBLAS_THREAD_TIMEOUT"))
sys.meta_path.insert(0, Watch())
import tfbench as tf
tf.constant(1.0)
""")
    assert seen.split() == ["20"]


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'tfbench' has no attribute 'zzz'"):
        tfbench.zzz


def test_the_first_name_loads_the_engine_and_no_more():
    unwanted = {"IPython", "ipywidgets", "anywidget", "matplotlib", "google", "cupy", "llvmlite"}
    loaded = python(
        "import sys, tfbench as tf; assert tf.constant(1).shape == (); "
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    assert "numpy" in loaded.split()
    assert unwanted & set(loaded.split()) == set()


def test_a_graph_can_be_imported_first_of_all():
    made = "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }"
    assert (
        python(f"""
import tfbench as tf
from google.protobuf import text_format
print(tf.import_graph_def(text_format.Parse({made!r}, tf.GraphDef()), return_elements=["x:0"])[0].name)
""")
        == "import/x:0\n"
    )


def test_every_public_name_is_listed_and_can_be_had():
    import tfbench

    names = dir(tfbench)
    assert {"placeholder", "Session", "nn", "bench", "inspect", "ConfigProto"} <= set(names)
    for name in names:
        getattr(tfbench, name)


@pytest.mark.parametrize(
    "first",
    ["tf.bench()", "import tfbench.magics", "from tfbench.variable_scope import get_variable_scope", "tf.plots"],
)
def test_variable_scope_is_the_class_whatever_is_loaded_first(first):
    """There is a module of that name, too, and importing it sets it as an attribute of the package."""
    program = (
        f"import tfbench as tf\n{first}\nprint(isinstance(tf.variable_scope, type), tf.variable_scope('a').__class__)"
    )
    assert python(program).startswith("True")
