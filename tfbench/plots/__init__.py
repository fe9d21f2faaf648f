"""Pictures of what a graph has learnt and computes, as matplotlib figures. Loaded when first asked for."""

from tfbench.plots.activations import activations
from tfbench.plots.filters import filters
from tfbench.plots.picture import Picture
from tfbench.plots.sliders import explore_activations, explore_filters

__all__ = ["Picture", "activations", "explore_activations", "explore_filters", "filters"]
