"""`%activations`: pictures of feature maps."""

from __future__ import annotations

from typing import Any

from IPython.core.magic import magics_class

from tfbench.magics.arguments import SWITCH, argument, arguments, line_magic, parse, silenced_by_semicolon
from tfbench.magics.asking import feeds, leaving_graphs_alone, meant, saying_how_to_feed
from tfbench.magics.base import SLIDERS_HELP, BenchMagics


@magics_class
class ActivationsMagic(BenchMagics):
    @arguments()
    @argument("tensor", help="The feature maps: a name of the graph or an expression.")
    @argument(
        "--feed", action="append", metavar="NAME=EXPR", help="Feed a placeholder or another tensor; may be repeated."
    )
    @argument("--image", type=int, default=0, help="Which image of the batch. Default: the first.")
    @argument("--channels", help="Which channels: an index, a list or a slice(...). Default: the first 64.")
    @argument("--scale", choices=["shared", "each"], default="shared", help="One colour scale for all, or one each.")
    @argument("--sliders", action=SWITCH, help=SLIDERS_HELP)
    @line_magic
    @silenced_by_semicolon
    def activations(self, line: str) -> Any:
        """A picture of what a layer makes of an image: its feature maps, beside the image.

        In a live notebook it comes with a menu of the layers before it, sliders for image and channel, and a switch
        for the scale.

        Example::

            %activations relu1 --feed images=photo
            %activations relu1 --feed images=batch --image 2 --channels [0,1,5]

        In Python::

            tf.plots.activations(relu1, {images: batch}, image=2, channels=[0, 1, 5])
            tf.plots.explore_activations(relu1, {images: batch})  # with controls
        """
        args = parse(self.activations, line)
        from tfbench import plots

        namespace = self.names
        sliders = self.with_sliders(args.sliders, args.channels)
        # Sliders run the tensor again later: what an expression added for them has to stay.
        with leaving_graphs_alone(() if sliders else self.bench.graphs.values()):
            tensor = meant(args.tensor, self.graph_now, namespace)
            session = self.session_of(tensor)
            fed = feeds(args.feed, session.graph, namespace)
            channels = None if args.channels is None else meant(args.channels, session.graph, namespace)
            with saying_how_to_feed("activations"):
                if not sliders:
                    return plots.activations(
                        tensor, fed, session, image=args.image, channels=channels, scale=args.scale
                    )
                channel = channels if isinstance(channels, int) else None
                return self.notebook.until_run_again(
                    plots.explore_activations(tensor, fed, session, scale=args.scale, image=args.image, channel=channel)
                )
