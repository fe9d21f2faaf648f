"""`%watch`: what tensors hold while a loop in another cell runs."""

from __future__ import annotations

from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import magics_class

from tfbench.explain.watch import Watch, watch
from tfbench.magics.arguments import argument, arguments, line_magic, parse, silenced_by_semicolon, split
from tfbench.magics.asking import adding_nothing, meant
from tfbench.magics.base import BenchMagics


@magics_class
class WatchMagic(BenchMagics):
    #: what a line without tensors is about
    _watch: Watch | None = None

    @arguments()
    @argument("tensors", nargs="*", help="Tensors and variables, with commas. Default: what is watched, as a table.")
    @argument("--every", type=float, default=0.1, metavar="S", help="Seconds between looks into runs. Default: 0.1.")
    @argument("--stop", action="store_true", help="Watch no longer; what was seen stays.")
    @line_magic
    @silenced_by_semicolon
    def watch(self, line: str) -> Any:
        """Watch tensors and variables while a loop in another cell, or a thread, runs: values, statistics, curves.

        A tensor is seen in the runs that compute it, whether they fetch it or not. In a notebook the table is live;
        without tensors, the line gives it as it is now.

        Example::

            %watch loss, conv1/weights
            %watch loss --every 1
            %watch --stop

        In Python::

            watched = tf.watch(loss, "conv1/weights")
            print(watched), watched.stop()
        """
        args = parse(self.watch, line)
        if args.tensors and args.stop:
            raise UsageError("%watch: give tensors, or --stop")
        if not args.tensors:
            if self._watch is None:
                raise UsageError("%watch: what shall be watched? Give tensors or variables, e.g. %watch loss")
            if args.stop:
                self._watch.stop()
            return self._watch.rows
        namespace = self.names
        with adding_nothing(self.bench.graphs.values(), "watch"):
            found = [meant(part, self.graph_now, namespace) for part in split(" ".join(args.tensors), ",".__eq__)]
            session = self.session_of(found)
        try:
            begun = watch(*found, every=args.every, session=session)
        except (TypeError, ValueError) as error:
            raise UsageError(f"%watch: {error}") from None
        if self._watch is not None:
            self._watch.stop()
        self._watch = begun
        return begun
