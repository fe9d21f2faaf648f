"""The notebook that a bench belongs to: which cell is running, under which name it is compiled, which are deleted."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from IPython.utils.capture import capture_output

from tfbench.bench import code as codes
from tfbench.bench.bench import Bench
from tfbench.bench.identity import same_cell


class Notebook:
    """One IPython shell and its bench."""

    def __init__(self, shell: Any, bench: Bench) -> None:
        self.shell = shell
        self.bench = bench
        bench.namespace = shell.user_ns
        bench.quiet = self.quiet
        self.cell_id: str | None = None
        self.raw_cell = ""
        #: the number that the front end shows beside the cell
        self.number = max(1, int(shell.displayhook.prompt_count))
        #: the panels shown by cell, so that running a cell again ends its old one
        self.panels: dict[str, Any] = {}
        #: the pictures with controls by cell, and the number of the run they are of
        self._explorers: dict[str, tuple[int, list[Any]]] = {}
        self._files: dict[str, str] = {}
        #: front end's cell id -> id of the cell, where `--cell` gives it another
        self._ids: dict[str, str] = {}
        self._last_message = ""

    @staticmethod
    def quiet() -> AbstractContextManager[Any]:
        """What replayed cells print and display is not shown again."""
        return capture_output()

    # -- events -------------------------------------------------------------------------------------------------

    def before_cell(self, info: Any) -> None:
        """`pre_run_cell`: notes which cell runs, and drops those that the front end says were deleted."""
        self.cell_id = getattr(info, "cell_id", None)
        # Not `execution_count`: some versions of IPython count the cell before it runs, some after. Where cells are
        # run without being counted (nbval does that), they are counted here, so that no two have one number.
        self.number = max(self.number + 1, int(self.shell.displayhook.prompt_count))
        self.raw_cell = info.raw_cell or ""
        self.bench.look_at_default_graph()
        transformed = getattr(info, "transformed_cell", None) or self.shell.transform_cell(self.raw_cell)
        file = self.shell.compile.get_code_name(self.raw_cell, transformed, self.number)
        if file not in self._files:
            # The lines of a plain cell; a `%%graph` cell registers its own, also where two have the same text.
            codes.register(file, self.label)
        self._drop_deleted()

    def _drop_deleted(self) -> None:
        message = self._message()
        identity = message.get("header", {}).get("msg_id", "")
        if not identity or identity == self._last_message:
            return
        self._last_message = identity
        named = set(message.get("metadata", {}).get("deletedCells") or ()) - {self.cell_id}
        deleted = {self._ids.get(identity, identity) for identity in named}
        if deleted & {cell.id for cell in self.bench.cells}:
            result = self.bench.drop_cells(deleted)
            print(result, *(f"warning: {text}" for text in result.warnings), sep="\n")

    def _message(self) -> Any:
        """The front end's request that runs this cell; empty outside a kernel."""
        parent = getattr(self.shell, "get_parent", None)
        return (parent() or {}) if parent is not None else {}

    # -- which cell this is ---------------------------------------------------------------------------------------

    @property
    def label(self) -> str:
        return f"In[{self.number}]"

    @property
    def person_is_there(self) -> bool:
        """Whether somebody types here. nbclient, nbconvert and nbval cannot be asked for input."""
        message = self._message()
        return not message or bool(message.get("content", {}).get("allow_stdin"))

    def identify(self, label: str | None, graph: str, source: str) -> tuple[str, str]:
        """Id and label of the cell that runs.

        `--cell LABEL` says it, else the front end's cell id. Where there is neither: in a run without a person each
        cell runs once, so it is a new one; a person's line that is an earlier one again, or an edited form of it
        (see `same_cell`), is that cell.
        """
        if label:
            self._ids[self.cell_id or ""] = f"label:{label}"
            return f"label:{label}", label
        if self.cell_id:
            return self.cell_id, self.label
        known = same_cell(self.bench.cells, graph, source) if self.person_is_there else None
        if known is None:
            return self.label, self.label
        if known.code.source.strip() != source.strip():
            print(f"taken as a new version of {known.label} (--cell NAME says which cell an input is)")
        return known.id, self.label

    def until_run_again(self, explorer: Any) -> Any:
        """Keeps a picture's controls and values until the cell runs again, which then ends them; returns it."""
        if self.cell_id:
            number, held = self._explorers.get(self.cell_id, (self.number, []))
            if number != self.number:
                for old in held:
                    old.close()
                held = []
            self._explorers[self.cell_id] = (self.number, [*held, explorer])
        return explorer

    # -- how it is compiled -----------------------------------------------------------------------------------------

    @property
    def in_kernel(self) -> bool:
        """Whether a front end shows what this shell displays."""
        return hasattr(self.shell, "kernel")

    def compiled_as(self, cell_id: str, line: str, body: str) -> tuple[str, int, str]:
        """The Python source of a `%%graph` cell, the number of its first line, and the name to compile it under.

        Lines are counted as the editor shows them: the `%%graph` line is line 1, unless there are empty ones above it.
        """
        text = f"%%graph {line}\n{body}"
        above = 0
        raw = self.raw_cell.splitlines()
        for number, found in enumerate(raw):
            if found.lstrip().startswith("%%graph"):
                text, above = self.raw_cell, number
                break
        # IPython's transformation takes empty first lines away.
        stripped = body.lstrip("\n")
        source = self.shell.input_transformer_manager.transform_cell(stripped)
        first_line = above + 2 + len(body) - len(stripped)
        return source, first_line, self.file_for(cell_id, text)

    def file_for(self, cell_id: str, text: str) -> str:
        """The name to compile a cell under, so that tracebacks say 'Cell In[n]' and show its lines."""
        file: str = self.shell.compile.cache(text, self.number, raw_code=text)
        while self._files.setdefault(file, cell_id) != cell_id:
            # Another cell with the very same text: its lines must stay its own.
            text += "\n"
            file = self.shell.compile.cache(text, self.number, raw_code=text)
        return file

    def show_only_the_cell(self, error: BaseException, file: str) -> None:
        """Makes IPython show the traceback from the cell on, without the magic's frames; none for a wrong option."""
        traceback, formatter = error.__traceback__, self.shell.InteractiveTB
        while traceback is not None and traceback.tb_frame.f_code.co_filename != file:
            traceback = traceback.tb_next

        def render() -> Any:
            return formatter.structured_traceback(type(error), error, traceback, tb_offset=0)

        error._render_traceback_ = render  # type: ignore[attr-defined]
