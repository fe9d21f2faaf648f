"""`%step`: a run that goes on one operation at a time."""

from __future__ import annotations

from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import magics_class

from tfbench.explain.stepper import Stepper
from tfbench.magics.arguments import argument, arguments, line_magic, name, parse, silenced_by_semicolon
from tfbench.magics.asking import adding_nothing, feeds, fetches, saying_how_to_feed
from tfbench.magics.base import BenchMagics


@magics_class
class StepMagic(BenchMagics):
    #: the run that a line without a fetch goes on with
    _stepper: Stepper | None = None

    @arguments()
    @argument("fetch", nargs="*", help="What to run; several with commas. Default: go on with the run there is.")
    @argument(
        "--feed", action="append", metavar="NAME=EXPR", help="Feed a placeholder or another tensor; may be repeated."
    )
    @argument("--to", type=name, metavar="OP", help="Run until this operation is next.")
    @argument(
        "--break",
        dest="breakpoints",
        action="append",
        type=name,
        default=[],
        metavar="OP|SCOPE/|nan",
        help="Wait there; nan: behind the first NaN or infinity. May be repeated.",
    )
    @argument("-n", type=int, metavar="N", help="Run so many steps.")
    @argument("--finish", action="store_true", help="Run to the next breakpoint, or to the end.")
    @argument("--stop", action="store_true", help="End the run here; variables stay as the last step left them.")
    @line_magic
    @silenced_by_semicolon
    def step(self, line: str) -> Stepper:
        """Run step by step: what is next, why, and every value so far. A line without a fetch goes on by one step.

        In a notebook the inspector steps along, with buttons; the result is the run, to go on with in Python.

        Example::

            %step train_op --feed images=photo --break nan
            %step --to conv2/Relu
            %step -n 3
            %step --finish

        In Python::

            run = tf.step(train_op, {images: photo}, breakpoints=["nan"])
            run.next(), run.to("conv2/Relu"), run.values["conv1/Relu"], run.finish()
        """
        args = parse(self.step, line)
        if sum((args.to is not None, args.n is not None, args.finish, args.stop)) > 1:
            raise UsageError("%step: give one of --to, -n, --finish and --stop")
        if args.n is not None and args.n < 1:
            raise UsageError(f"%step: -n must be at least 1, but is {args.n}")
        try:
            if args.fetch:
                stepper = self._begin(args)
            else:
                stepper = self._present(args)
            self._go_on(stepper, args)
        except (KeyError, ValueError, RuntimeError) as error:
            if type(error) in (KeyError, ValueError, RuntimeError):
                raise UsageError(f"%step: {error.args[0]}") from None
            raise
        return stepper

    def _begin(self, args: Any) -> Stepper:
        namespace = self.names
        with adding_nothing(self.bench.graphs.values(), "step"):
            wanted = fetches(" ".join(args.fetch), self.graph_now, namespace)
            session = self.session_of(wanted)
            fed = feeds(args.feed, session.graph, namespace)
        if self._stepper is not None:
            self._stepper.stop()
        self._stepper = stepper = Stepper(session, wanted, fed, args.breakpoints)
        return stepper

    def _present(self, args: Any) -> Stepper:
        stepper = self._stepper
        if stepper is None:
            raise UsageError("%step: what shall be run? Give an expression or a name, e.g. %step loss")
        if args.feed:
            raise UsageError("%step: --feed belongs to a run that begins: %step FETCH --feed …")
        for each in args.breakpoints:
            stepper.breakpoints.add(each)
        return stepper

    def _go_on(self, stepper: Stepper, args: Any) -> None:
        with saying_how_to_feed("step"):
            if args.stop:
                stepper.stop()
            elif args.finish:
                stepper.finish()
            elif args.to is not None:
                stepper.to(args.to)
            elif args.n is not None:
                stepper.next(args.n)
            elif not args.fetch and not args.breakpoints:
                stepper.next()
