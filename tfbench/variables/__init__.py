"""Variables of a graph: reference and resource variables, slices seen as one, and functions over them."""

from tfbench.variables import functions
from tfbench.variables.base import Variable, VariableAggregation, VariableSynchronization
from tfbench.variables.creators import variable_creator_scope
from tfbench.variables.functions import *
from tfbench.variables.partitioned import PartitionedVariable
from tfbench.variables.reference import RefVariable
from tfbench.variables.resource import ResourceVariable

__all__ = [
    "PartitionedVariable",
    "RefVariable",
    "ResourceVariable",
    "Variable",
    "VariableAggregation",
    "VariableSynchronization",
    "variable_creator_scope",
    *functions.__all__,
]
