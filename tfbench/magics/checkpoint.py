"""`%checkpoint`: saves, restores, lists and compares checkpoints, in TensorFlow's own format."""

from __future__ import annotations

import os
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import magics_class

from tfbench import errors
from tfbench.bench.checkpoints import restore, save
from tfbench.explain.checkpoints import checkpoint, tensors
from tfbench.magics.arguments import argument, arguments, line_magic, name, parse
from tfbench.magics.base import BenchMagics

ACTIONS = ("save", "restore", "list", "compare")


@magics_class
class CheckpointMagic(BenchMagics):
    @arguments()
    @argument("action", choices=ACTIONS, help="What to do.")
    @argument("path", type=name, help="The checkpoint, without its endings; a folder stands for its last checkpoint.")
    @argument("--step", type=int, help="save: a number that is added to the path.")
    @argument("--matching", action="store_true", help="restore: leave out what does not fit.")
    @argument(
        "--map", action="append", type=name, default=[], metavar="OLD/=NEW/",
        help="restore: the variables in scope NEW/ from the tensors in OLD/; may be repeated.",
    )  # fmt: skip
    @line_magic
    def checkpoint(self, line: str) -> Any:
        """Save the current graph's variables, restore them, list what a checkpoint holds, or compare it with the graph.

        Nothing is added to the graph. A restore that does not fit changes nothing.

        Example::

            %checkpoint save models/net --step 100
            %checkpoint compare models
            %checkpoint restore models --map net/=copy/

        In Python::

            tf.train.Saver().save(session, "models/net", 100)
            tf.explain.checkpoint("models")
        """
        args = parse(self.checkpoint, line)
        path = os.path.expanduser(args.path)
        try:
            return self._do(args, path)
        except (errors.NotFoundError, errors.InvalidArgumentError) as error:
            if args.action == "restore":
                error.add_note(f"%checkpoint compare {args.path} shows all of it; --matching restores what fits")
            raise
        except errors.FailedPreconditionError as error:
            error.add_note("%init gives every variable a value")
            raise
        except ValueError as error:
            raise UsageError(f"%checkpoint {args.action}: {error}") from None

    def _do(self, args: Any, path: str) -> Any:
        if args.action == "list":
            return tensors(path)
        if args.action == "compare":
            return checkpoint(path, self.graph_now)
        if args.action == "save":
            print(save(self.session, path, args.step))
        else:
            print(restore(self.session, path, args.matching, dict(_scopes(entry) for entry in args.map)))
        return None


def _scopes(entry: str) -> tuple[str, str]:
    old, equals, new = entry.partition("=")
    if not equals or not old.endswith("/") or not new.endswith("/"):
        raise UsageError(f"%checkpoint: --map takes OLD/=NEW/ ('/' is the root), but got {entry!r}")
    return old, new
