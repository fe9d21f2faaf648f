"""Layers around a layer: the same at each moment, or forwards and backwards."""

from __future__ import annotations

from typing import Any

from tfbench.engine import nest, ops
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.shapes import TensorShape, as_shape
from tfbench.keras.backend.arrays import concatenate, int_shape, is_keras_tensor, reverse
from tfbench.keras.backend.recurrent import rnn
from tfbench.keras.engine.arguments import takes
from tfbench.keras.engine.base_layer import InputSpec, Layer
from tfbench.keras.layers.recurrent_base import all_or_none, separated


class Wrapper(Layer):
    """The base of what has a layer inside."""

    layer: Any

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        assert isinstance(layer, Layer)
        super().__init__(**kwargs)
        self.layer = layer

    def build(self, input_shape: Any = None) -> None:
        if not self.layer.built:
            self.layer.build(input_shape)
            self.layer.built = True
        self.built = True

    @property  # type: ignore[misc]
    def activity_regularizer(self) -> Any:
        return getattr(self.layer, "activity_regularizer", None)

    def get_config(self) -> dict[str, Any]:
        inside = {"class_name": type(self.layer).__name__, "config": self.layer.get_config()}
        return {**super().get_config(), "layer": inside}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """A layer made again from what `get_config` gave."""
        from tfbench.keras.engine.layer_classes import layer_from

        config = dict(config)
        return cls(layer_from(config.pop("layer"), custom_objects), **config)


class TimeDistributed(Wrapper):
    """The layer applied to each moment of inputs [batch, time, …].

    Raises:
      ValueError: for what is no layer; when called, for inputs with fewer than 3 axes.
    """

    supports_masking = True
    _as_one_batch: bool
    _made: dict[int, Any]

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(f"`TimeDistributed` wraps a `Layer` instance, but got: {layer}")
        super().__init__(layer, **kwargs)
        # Of Keras's own layers it is known that a moment more in the batch makes no difference.
        ours = next(kind for kind in type(layer).__mro__ if kind.__module__.startswith("tfbench.keras"))
        vars(self).update(_as_one_batch=ours is not Layer and not layer.stateful, _made={})

    def build(self, input_shape: Any = None) -> None:
        sizes = as_shape(input_shape).as_list()
        if len(sizes) < 3:
            raise ValueError(
                f"`TimeDistributed` needs an `input_shape` with at least 3 dimensions (batch, time, more), got {sizes}"
            )
        self.input_spec = InputSpec(shape=[None, None, *sizes[2:]])
        super().build(TensorShape([sizes[0], *sizes[2:]]))

    def compute_output_shape(self, input_shape: Any) -> Any:
        batch, time, *sizes = as_shape(input_shape).as_list()
        inside = as_shape(self.layer.compute_output_shape(TensorShape([batch, *sizes]))).as_list()
        return TensorShape([inside[0], time, *inside[1:]])

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        takes_these = takes(self.layer.call).named
        kwargs = {"training": training} if "training" in takes_these else {}
        shape = int_shape(inputs)
        if shape[0] and not self._as_one_batch:

            def step(x: Any, _: Any) -> Any:
                return self.layer(x, **kwargs), []

            return rnn(step, inputs, initial_states=[], input_length=shape[1], unroll=False)[1]
        time = shape[1] or ops.shape(inputs)[1]
        flat = ops.reshape(inputs, _sizes((-1,), inputs, 2))
        self._made[id(inputs)] = flat
        if "mask" in takes_these and mask is not None:
            kwargs["mask"] = ops.reshape(mask, _sizes((-1,), mask, 2))
        y = self.layer(flat, **kwargs)
        known = self.compute_output_shape(shape).as_list()[2:]
        return ops.reshape(y, _sizes((-1, time), y, 1, known))

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        shape = int_shape(inputs)
        if shape[0]:
            return mask
        inside = None if mask is None else ops.reshape(mask, _sizes((-1,), mask, 2))
        found = self.layer.compute_mask(self._made.get(id(inputs), inputs), inside)
        if found is None:
            if mask is not None:
                for _ in range(2, mask.shape.ndims):
                    mask = ops.reduce_any(mask, axis=-1)
            return mask
        return ops.reshape(found, _sizes((-1, shape[1] or ops.shape(inputs)[1]), found, 1))


def _sizes(before: tuple[Any, ...], tensor: Any, start: int, known: Any = None) -> tuple[Any, ...]:
    """`before`, then the tensor's sizes from `start` on: those that are not known as tensors."""
    sizes = list(int_shape(tensor)[start:] if known is None else known)
    if not all(sizes):
        shape = ops.shape(tensor)
        sizes = [size or shape[start + at] for at, size in enumerate(sizes)]
    return (*before, *sizes)


class Bidirectional(Wrapper):
    """A recurrent layer forwards and its copy backwards.

    Args:
      merge_mode: "concat", "sum", "mul", "ave", or None for a list of both outputs.
      backward_layer: default: a copy of `layer` that begins with the last moment.

    Raises:
      ValueError: for what is no layer, another mode, or layers that do not fit together.
    """

    supports_masking = True
    return_sequences: bool
    return_state: bool
    _num_constants: int
    _backward_config: Any

    def __init__(
        self, layer: Any, merge_mode: Any = "concat", weights: Any = None, backward_layer: Any = None, **kwargs: Any
    ) -> None:
        for one, what in ((layer, "initialize `Bidirectional` layer with a"), (backward_layer, "")):
            if one is None and what == "":
                continue
            if not isinstance(one, Layer):
                raise ValueError(
                    f"Please {what} `Layer` instance. You passed: {one}" if what else
                    f"Bidirectional: `backward_layer` must be a `Layer` instance (or None), got {one}"
                )  # fmt: skip
        if merge_mode not in ("sum", "mul", "ave", "concat", None):
            raise ValueError('Invalid merge mode. Merge mode should be one of {"sum", "mul", "ave", "concat", None}')
        forward = _copy(layer)
        backward = _copy(layer, turned=True) if backward_layer is None else backward_layer
        config = None if backward_layer is None else backward_layer.get_config()
        vars(forward)["_name"] = f"forward_{forward.name}"
        vars(backward)["_name"] = f"backward_{backward.name}"
        _check_pair(forward, backward)
        for one in (forward, backward):
            if getattr(one, "zero_output_for_mask", None) is not None:
                one.zero_output_for_mask = one.return_sequences
        if weights:
            half = len(weights) // 2
            vars(forward)["_initial_weights"], vars(backward)["_initial_weights"] = weights[:half], weights[half:]
        self.forward_layer, self.backward_layer = forward, backward
        super().__init__(layer, **kwargs)
        # The layer that was given is only a pattern: what counts is its two copies.
        vars(self).update(_layers=[forward, backward], _num_constants=0, _backward_config=config)
        self.merge_mode = merge_mode
        self.stateful = layer.stateful
        self.return_sequences, self.return_state = layer.return_sequences, layer.return_state
        self.input_spec = layer.input_spec

    def build(self, input_shape: Any = None) -> None:
        for one in (self.forward_layer, self.backward_layer):
            with get_default_graph().name_scope(one.name):
                one.build(input_shape)
        self.built = True

    def compute_output_shape(self, input_shape: Any) -> Any:
        output = self.forward_layer.compute_output_shape(input_shape)
        states = []
        if self.return_state:
            output, *states = output
        sizes: list[Any] = as_shape(output).as_list()
        if self.merge_mode == "concat":
            sizes[-1] *= 2
        outputs = [TensorShape(sizes)] * (1 if self.merge_mode else 2)
        return [*outputs, *states, *states] if self.return_state or not self.merge_mode else outputs[0]

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        mask = mask[0] if isinstance(mask, list) else mask
        mask = mask if self.return_sequences else None
        masks = mask if self.merge_mode else [mask, mask]
        if not self.return_state:
            return masks
        nothing = [None for _ in self.forward_layer.states] * 2
        return [*(masks if isinstance(masks, list) else [masks]), *nothing]

    def __call__(self, inputs: Any, initial_state: Any = None, constants: Any = None, **kwargs: Any) -> Any:
        """Applies the layer; half of `initial_state` is the forward layer's, half the other's."""
        inputs, initial_state, constants = separated(inputs, initial_state, constants, self._num_constants)
        if initial_state is None and constants is None:
            return super().__call__(inputs, **kwargs)
        both, more, specs = (self.forward_layer, self.backward_layer), [], []
        if initial_state is not None:
            if len(initial_state) % 2:
                raise ValueError(
                    "The `initial_state` of a Bidirectional RNN is a list: the states of the forward layer, then those "
                    f"of the backward layer, as many. Found: {initial_state}"
                )
            kwargs["initial_state"] = initial_state
            more += initial_state
            own, half = [InputSpec(shape=int_shape(state)) for state in initial_state], len(initial_state) // 2
            vars(both[0])["state_spec"], vars(both[1])["state_spec"] = own[:half], own[half:]
            specs += own
        if constants is not None:
            kwargs["constants"] = constants
            more += constants
            own = [InputSpec(shape=int_shape(one)) for one in constants]
            for one in (self, *both):
                vars(one).update(_num_constants=len(constants), constants_spec=own)
            specs += own
        if not all_or_none(more):
            raise ValueError(
                "The initial state of a Bidirectional layer is a mix of Keras tensors (made by `Input` or by a layer) "
                "and non-Keras tensors: give all of one kind"
            )
        if not is_keras_tensor(more[0]):
            return super().__call__(inputs, **kwargs)
        kwargs.update(initial_state=None, constants=None)
        before = self.input_spec
        self.input_spec = [*(None for _ in nest.flatten(inputs)), *specs]
        outputs = super().__call__([inputs, *more], **kwargs)
        self.input_spec = before
        return outputs

    def call(
        self, inputs: Any, training: Any = None, mask: Any = None, initial_state: Any = None, constants: Any = None
    ) -> Any:
        named = takes(self.forward_layer.call).named
        given = {"training": training, "mask": mask, "constants": constants}
        kwargs = {name: value for name, value in given.items() if name in named}
        sides: list[tuple[Any, Any]] = [(inputs, None), (inputs, None)]
        if isinstance(inputs, list) and len(inputs) > 1:
            end = len(inputs) - self._num_constants
            half = (end - 1) // 2 + 1
            sides = [([inputs[0], *one, *inputs[end:]], None) for one in (inputs[1:half], inputs[half:end])]
            if "constants" in kwargs:
                kwargs["constants"] = None
        elif initial_state is not None:
            half = len(initial_state) // 2
            sides = [(inputs, initial_state[:half]), (inputs, initial_state[half:])]
        found = []
        for layer, (one, state) in zip((self.forward_layer, self.backward_layer), sides, strict=True):
            more = {"initial_state": state} if "initial_state" in named else {}
            found.append(layer(one, **more, **kwargs))
        y, back = found
        states = []
        if self.return_state:
            states, y, back = [*y[1:], *back[1:]], y[0], back[0]
        if self.return_sequences:
            back = reverse(back, 1)
        output = _merged(self.merge_mode, y, back)
        if self.return_state:
            return [*(output if isinstance(output, list) else [output]), *states]
        return output

    def reset_states(self) -> None:
        """Has both layers begin anew."""
        self.forward_layer.reset_states()
        self.backward_layer.reset_states()

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        config["merge_mode"] = self.merge_mode
        if self._num_constants:
            config["num_constants"] = self._num_constants
        if self._backward_config is not None:
            name = type(self.backward_layer).__name__
            config["backward_layer"] = {"class_name": name, "config": self._backward_config}
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        from tfbench.keras.engine.layer_classes import layer_from

        config = dict(config)
        constants, backward = config.pop("num_constants", 0), config.pop("backward_layer", None)
        if backward is not None:
            config["backward_layer"] = layer_from(backward, custom_objects)
        layer = super().from_config(config, custom_objects)
        vars(layer)["_num_constants"] = constants
        return layer


def _copy(layer: Any, turned: bool = False) -> Any:
    config = layer.get_config()
    if turned:
        config["go_backwards"] = not config["go_backwards"]
    if "custom_objects" not in takes(type(layer).from_config).named:
        return type(layer).from_config(config)
    cell = getattr(layer, "cell", None)
    known = {type(one).__name__: type(one) for one in (cell, *getattr(cell, "cells", ())) if one is not None}
    return type(layer).from_config(config, custom_objects=known)


def _check_pair(forward: Any, backward: Any) -> None:
    if forward.go_backwards == backward.go_backwards:
        raise ValueError(
            f"Both layers have `go_backwards`={forward.go_backwards}: the backward layer needs a different one"
        )
    for name in ("stateful", "return_sequences", "return_state"):
        one, other = getattr(forward, name), getattr(backward, name)
        if one != other:
            raise ValueError(
                f"The forward layer and the backward layer must have the same {name}, got {one} and {other}"
            )


def _merged(mode: Any, y: Any, back: Any) -> Any:
    if mode == "concat":
        return concatenate([y, back])
    if mode == "sum":
        return y + back
    if mode == "ave":
        return (y + back) / 2
    return y * back if mode == "mul" else [y, back]
