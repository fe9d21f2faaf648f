"""The harness itself: a cell runs, its output and its errors are read, in Lab and in Notebook 7."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser


def test_cell_runs_and_output_is_read(open_notebook):
    notebook = open_notebook(["print('two', 1 + 1)\n6 * 7", "[i * i for i in range(4)]"])
    assert notebook.text(0) == ""
    assert notebook.run(0) == "two 2\n42"
    notebook.run_all()
    assert notebook.text(1) == "[0, 1, 4, 9]"


def test_error_in_a_cell_is_the_cells_own(open_notebook):
    notebook = open_notebook(["x = 1\n1 / 0"])
    with pytest.raises(AssertionError, match=r"Cell 0 raised ZeroDivisionError: division by zero") as caught:
        notebook.run(0)
    assert "1 / 0" in str(caught.value)
    assert notebook.text(0) == "ZeroDivisionError: division by zero"


def test_output_is_found_by_test_id(open_notebook):
    html = '<b data-testid="greeting">hello</b>'
    notebook = open_notebook([f"from IPython.display import HTML\nHTML('{html}')", "None"])
    notebook.run_all()
    assert notebook.by_test_id("greeting").inner_text() == "hello"
    assert notebook.by_test_id("greeting", cell=0).count() == 1
    assert notebook.by_test_id("greeting", cell=1).count() == 0


def test_complaints_name_console_errors_and_external_requests(open_notebook):
    notebook = open_notebook(["1"])
    assert notebook.complaints() == []
    notebook.page.route("**/elsewhere.invalid/**", lambda route: route.fulfill(body="", status=200))
    notebook.page.evaluate(
        "async url => { console.error('it broke'); await fetch(url, {mode: 'no-cors'}); }",
        "http://elsewhere.invalid/x",
    )
    assert notebook.complaints() == ["error: it broke", "external request: http://elsewhere.invalid/x"]
    notebook.console.clear()
    notebook.requests.clear()
