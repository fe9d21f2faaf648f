"""`Optimizer`: what Keras's optimizers share - numbers that are variables, slots, and the step that is made of them.

The learning rate and its kin are *hyperparameters*: numbers until the step is built, then variables (so that a callback
can set them), or functions, or schedules of the step count.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tfbench.engine import nest, ops
from tfbench.engine.composite import IndexedSlices
from tfbench.engine.default_graph import colocate_with, control_dependencies, device, get_default_graph
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.gradients import gradients
from tfbench.engine.init_scope import init_scope
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.array_sets import unique
from tfbench.engine.ops.math_clip import clip_by_norm, clip_by_value
from tfbench.engine.ops.segments import unsorted_segment_sum
from tfbench.engine.tensor import Tensor
from tfbench.keras import initializers
from tfbench.keras.backend.state import track_variable
from tfbench.keras.backend.values import batch_get_value, batch_set_value, get_value, set_value
from tfbench.keras.optimizers.schedules import LearningRateSchedule
from tfbench.keras.optimizers.schedules import serialize as serialize_schedule
from tfbench.keras.utils.generic_utils import deserialize_keras_object
from tfbench.train.trackable import is_trackable
from tfbench.variables import Variable
from tfbench.variables.base import Variable as AnyVariable

#: numbers of a step, by name
Numbers = dict[str, Any]


def apply_op(kind: str, *inputs: Any, **attrs: Any) -> Any:
    """The update op of that type, with locking."""
    return lookup(kind)(*inputs, use_locking=True, **attrs)


class Optimizer:
    """The base of optimizers.

    Args:
      name: of the scope that its step is made in.
      clipnorm, clipvalue: bounds of each gradient's norm, of its elements.
      decay: the learning rate is divided by 1 + decay * steps.
      lr: the older name of `learning_rate`.

    Raises:
      TypeError: for any other keyword.
      ValueError: for a negative one.
    """

    _hyper: dict[str, Any] = {}  # noqa: RUF012 - until `__init__` has made its own
    #: further entries of the configuration, in order: hyperparameters, and other attributes
    _config: tuple[str, ...] = ()

    def __init__(self, name: str, **kwargs: Any) -> None:
        for key, value in kwargs.items():
            if key not in ("clipnorm", "clipvalue", "lr", "decay"):
                raise TypeError(f"Unexpected keyword argument passed to optimizer: {key}")
            if value < 0:
                raise ValueError(f"Expected {key} >= 0, received: {value}")
        vars(self)["_hyper"] = {}
        self._name = name
        self._slots: dict[int, dict[str, Any]] = {}
        self._slot_names: list[str] = []
        self._weights: list[Any] = []
        self._iterations: Any = None
        self._initial_decay = kwargs.get("decay", 0.0)
        self._hypers_created = False
        for key in ("clipnorm", "clipvalue"):
            if key in kwargs:
                setattr(self, key, kwargs[key])

    # -- hyperparameters ----------------------------------------------------------------------------------------------

    def _set_hyper(self, name: str, value: Any) -> None:
        """Sets a hyperparameter; the variable that it has become, if it has."""
        before = self._hyper.get(name)
        if isinstance(before, AnyVariable) and not isinstance(value, LearningRateSchedule):
            set_value(before, value)
        else:
            self._hyper[name] = value

    def _get_hyper(self, name: str, dtype: Any = None) -> Any:
        if not self._hypers_created:
            self._create_hypers()
        value = self._hyper[name]
        if isinstance(value, LearningRateSchedule):
            return value
        if callable(value):
            value = value()
        # A variable of that type is given as it is, as 1.15's `cast` does.
        return value if dtype is None or getattr(value, "dtype", None) == dtype else ops.cast(value, dtype)

    def __getattr__(self, name: str) -> Any:
        name = "learning_rate" if name == "lr" else name
        if name != "_hyper" and name in self._hyper:
            return self._get_hyper(name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        name = "learning_rate" if name == "lr" else name
        if name in self._hyper:
            self._set_hyper(name, value)
        else:
            super().__setattr__(name, value)

    def _create_hypers(self) -> None:
        if self._hypers_created:
            return
        for name, value in sorted(self._hyper.items()):
            if not (isinstance(value, (Tensor, AnyVariable)) or callable(value)):
                self._hyper[name] = self.add_weight(name, shape=[], trainable=False, initializer=value)
        self._hypers_created = True

    def _decayed_lr(self, dtype: Any) -> Any:
        rate = self._get_hyper("learning_rate", dtype)
        if isinstance(rate, LearningRateSchedule):
            rate = ops.cast(rate(ops.cast(self.iterations, dtype)), dtype)
        if self._initial_decay > 0.0:
            step = ops.cast(self.iterations, dtype)
            rate = rate / (1.0 + self._get_hyper("decay", dtype) * step)
        return rate

    # -- variables ----------------------------------------------------------------------------------------------------

    @property
    def iterations(self) -> Any:
        """The variable that counts steps."""
        if self._iterations is None:
            self._iterations = self.add_weight("iter", shape=[], dtype="int64", trainable=False)
            self._weights.append(self._iterations)
        return self._iterations

    @iterations.setter
    def iterations(self, variable: Any) -> None:
        if self._iterations is not None:
            raise RuntimeError(
                "Cannot set `iterations`: the optimizer's weights, which it is the first of, are there already."
            )
        self._iterations = variable
        self._weights.append(variable)

    def add_weight(
        self, name: str, shape: Any, dtype: Any = None, initializer: Any = "zeros", trainable: bool | None = None,
        **_: Any,
    ) -> Any:  # fmt: skip
        """A variable of the optimizer."""
        kind = as_dtype(dtype or "float32")
        if isinstance(initializer, str) or callable(initializer):
            initializer = initializers.get(initializer)
        made = Variable(
            initial_value=(lambda: initializer(shape, dtype=kind)) if callable(initializer) else initializer,
            name=name,
            trainable=trainable is None or trainable,
            dtype=kind if callable(initializer) else None,
            use_resource=True,
        )
        track_variable(made)
        return made

    def add_slot(self, var: Any, slot_name: str, initializer: Any = "zeros") -> Any:
        """A variable of the form of `var` that belongs to it; the one there is, or a new one."""
        if slot_name not in self._slot_names:
            self._slot_names.append(slot_name)
        slots = self._slots.setdefault(id(var), {})
        if slot_name not in slots:
            first = initializer
            if isinstance(initializer, str) or callable(initializer):
                first = partial(initializers.get(initializer), shape=var.shape.as_list(), dtype=var.dtype)
            with colocate_with(var):
                slots[slot_name] = Variable(
                    initial_value=first,
                    name=f"{var._shared_name}/{slot_name}",
                    dtype=var.dtype,
                    trainable=False,
                    use_resource=True,
                )
            track_variable(slots[slot_name])
            self._weights.append(slots[slot_name])
        return slots[slot_name]

    def get_slot(self, var: Any, slot_name: str) -> Any:
        """The slot of that name of a variable."""
        return self._slots[id(var)][slot_name]

    def get_slot_names(self) -> list[str]:
        """The names of the slots that each variable has."""
        return self._slot_names

    def variables(self) -> list[Any]:
        """The step count and the slots."""
        return self._weights

    @property
    def weights(self) -> list[Any]:
        return self._weights

    def get_weights(self) -> list[Any]:
        """Their values, as arrays."""
        return batch_get_value(self.weights)

    def set_weights(self, weights: Any) -> None:
        """Sets their values.

        Raises:
          ValueError: if their number or a shape is another.
        """
        params = self.weights
        if len(params) != len(weights):
            raise ValueError(
                f"set_weights of optimizer {self._name} got a weight list of length {len(weights)}, where it "
                f"was expecting {len(params)} weights. Given: "
                f"{str(weights)[:50]}..."
            )
        for variable, value in zip(params, weights, strict=True):
            if tuple(variable.shape.as_list()) != np.shape(value):
                raise ValueError(
                    f"Optimizer weight shape {tuple(variable.shape.as_list())} not compatible with provided weight "
                    f"shape {np.shape(value)}"
                )
        batch_set_value(list(zip(params, weights, strict=True)))

    def _trackable_children(self) -> dict[str, Any]:
        """What an object-based checkpoint holds: the step count, the hyperparameters; slots go with their variables."""
        named = {name: value for name, value in self._hyper.items() if is_trackable(value)}
        return {**({} if self._iterations is None else {"iter": self._iterations}), **named}

    # -- steps --------------------------------------------------------------------------------------------------------

    def get_gradients(self, loss: Any, params: Any) -> list[Any]:
        """The gradients of `loss`, within the bounds that were asked for.

        Raises:
          ValueError: if one of `params` has no influence on the loss.
        """
        params = nest.flatten(params)
        with get_default_graph().name_scope(f"{self._name}/gradients"):
            found = gradients(loss, params)
            for gradient, variable in zip(found, params, strict=True):
                if gradient is None:
                    raise ValueError(
                        f"Variable {variable} has `None` for gradient. The loss does not depend on it, or only "
                        "through an op that has no gradient, as rounding and argmax have none."
                    )
            if "clipnorm" in vars(self):
                found = [clip_by_norm(gradient, self.clipnorm) for gradient in found]
            if "clipvalue" in vars(self):
                found = [clip_by_value(gradient, -self.clipvalue, self.clipvalue) for gradient in found]
        return list(found)

    def get_updates(self, loss: Any, params: Any) -> list[Any]:
        """The operation of one step, in a list."""
        return [self.apply_gradients(list(zip(self.get_gradients(loss, params), params, strict=True)))]

    def minimize(self, loss: Any, var_list: Any, grad_loss: Any = None, name: str | None = None) -> Any:
        """The operation of one step. `loss` and `var_list` may be functions of no arguments."""
        value = loss() if callable(loss) else loss
        params = nest.flatten(var_list() if callable(var_list) else var_list)
        with get_default_graph().name_scope(f"{self._name}/gradients"):
            found = gradients(value, params, grad_ys=grad_loss)
        return self.apply_gradients(list(zip(found, params, strict=True)), name=name)

    def apply_gradients(self, grads_and_vars: Any, name: str | None = None) -> Any:
        """The operation that updates variables by gradients, and counts.

        Raises:
          ValueError: if no variable has a gradient.
        """
        given = list(grads_and_vars)
        pairs = [(gradient, variable) for gradient, variable in given if gradient is not None]
        if given and not pairs:
            raise ValueError(f"No gradients provided for any variable: {[variable.name for _, variable in given]}.")
        variables = [variable for _, variable in pairs]
        graph = get_default_graph()
        with graph.name_scope(self._name):
            with init_scope():
                _ = self.iterations
                self._create_hypers()
                self._create_slots(variables)
            states = self._prepare(variables)
            updates = []
            with graph.name_scope(name or self._name):
                for gradient, variable in pairs:
                    with graph.name_scope(f"update_{variable.op.name}"), colocate_with(variable):
                        updates.append(self._update(gradient, variable, states[_key(variable)]))
                with control_dependencies(updates):
                    return self._iterations.assign_add(1).op

    def _update(self, gradient: Any, variable: Any, state: Numbers) -> Any:
        if isinstance(gradient, IndexedSlices):
            if variable.constraint is not None:
                raise RuntimeError("Cannot use a constraint function on a sparse variable.")
            return self._apply_repeated(gradient.values, variable, gradient.indices, state)
        update = self._apply_dense(gradient, variable, state)
        if variable.constraint is None:
            return update
        with control_dependencies([update]):
            return variable.assign(variable.constraint(variable)).op

    def _prepare(self, variables: list[Any]) -> dict[Any, Numbers]:
        """The numbers of this step, for each type and device that a variable has."""
        states: dict[Any, Numbers] = {}
        for variable in variables:
            if _key(variable) not in states:
                with device(variable.device or None):
                    states[_key(variable)] = self._numbers(variable.dtype.base_dtype)
        return states

    def _numbers(self, dtype: Any) -> Numbers:
        return {"lr_t": ops.identity(self._decayed_lr(dtype))} if "learning_rate" in self._hyper else {}

    def _create_slots(self, variables: list[Any]) -> None:
        """Makes the slots. Subclasses replace it."""

    def _apply_dense(self, grad: Any, var: Any, state: Numbers) -> Any:
        raise NotImplementedError

    def _apply_sparse(self, grad: Any, var: Any, indices: Any, state: Numbers) -> Any:
        raise NotImplementedError

    def _apply_repeated(self, grad: Any, var: Any, indices: Any, state: Numbers) -> Any:
        """A sparse update in which a row may be named more than once: its gradients are added first."""
        rows, positions = unique(indices)
        return self._apply_sparse(unsorted_segment_sum(grad, positions, ops.shape(rows)[0]), var, rows, state)

    # -- as data ------------------------------------------------------------------------------------------------------

    def get_config(self) -> dict[str, Any]:
        """The arguments that make another optimizer like this one."""
        config: dict[str, Any] = {
            "name": self._name,
            **{key: vars(self)[key] for key in ("clipnorm", "clipvalue") if key in vars(self)},
        }
        for name in self._config:
            config[name] = self._plain(name) if name in self._hyper else getattr(self, name)
        return config

    def _plain(self, name: str) -> Any:
        value = self._hyper[name]
        if isinstance(value, LearningRateSchedule):
            return serialize_schedule(value)
        if callable(value):
            return value()
        return get_value(value) if isinstance(value, (Tensor, AnyVariable)) else value

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """An optimizer with the arguments that `get_config` gave."""
        config = dict(config)
        if "lr" in config:
            config["learning_rate"] = config.pop("lr")
        if isinstance(config.get("learning_rate"), dict):
            from tfbench.keras.optimizers import schedules

            known = {name: one for name, one in vars(schedules).items() if isinstance(one, type)}
            config["learning_rate"] = deserialize_keras_object(config["learning_rate"], known, custom_objects, "decay")
        return cls(**config)


def _key(variable: Any) -> tuple[str, Any]:
    return variable.device or "", variable.dtype.base_dtype


def then_scattered(add: bool, variable: Any, indices: Any, values: Any) -> Any:
    """The variable's value after `values` were added to, or put in, its rows."""
    kind = lookup("ResourceScatterAdd" if add else "ResourceScatterUpdate")
    with control_dependencies([kind(variable.handle, indices, values, dtype=variable.dtype.base_dtype)]):
        return variable.value()


#: a step's rate may be a number, a function or a schedule
Rate = float | Callable[[], Any] | LearningRateSchedule
