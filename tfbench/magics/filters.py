"""`%filters`: pictures of convolution kernels."""

from __future__ import annotations

from typing import Any

from IPython.core.magic import magics_class

from tfbench.magics.arguments import SWITCH, argument, arguments, line_magic, parse, silenced_by_semicolon
from tfbench.magics.asking import meant, variable_meant
from tfbench.magics.base import SLIDERS_HELP, BenchMagics


@magics_class
class FiltersMagic(BenchMagics):
    @arguments()
    @argument("variable", help="The weights: a name of the graph or an expression.")
    @argument("--outputs", help="Which output channels: an index, a list or a slice(...). Default: the first 64.")
    @argument("--inputs", help="Which input channels. Default: the first 8 where each has its own row.")
    @argument("--scale", choices=["shared", "each"], default="shared", help="One colour scale for all, or one each.")
    @argument("--sliders", action=SWITCH, help=SLIDERS_HELP)
    @line_magic
    @silenced_by_semicolon
    def filters(self, line: str) -> Any:
        """A picture of the kernels of a convolution.

        In a live notebook it comes with a menu of layers, sliders for the channels and a switch for the scale.

        Example::

            %filters conv1/weights
            %filters conv1/weights --no-sliders
            %filters conv1/weights --outputs [0,3] --scale each

        In Python::

            tf.plots.filters("conv1/weights", outputs=[0, 3], scale="each")
            tf.plots.explore_filters("conv1/weights")  # with controls
        """
        args = parse(self.filters, line)
        from tfbench import plots

        variable = variable_meant(args.variable, self.graph_now, self.names)
        session = self.session_of(variable)
        if self.with_sliders(args.sliders, args.outputs, args.inputs):
            return self.notebook.until_run_again(plots.explore_filters(variable, session, scale=args.scale))
        outputs, inputs = (
            None if text is None else meant(text, session.graph, self.names) for text in (args.outputs, args.inputs)
        )
        return plots.filters(variable, session, outputs=outputs, inputs=inputs, scale=args.scale)
