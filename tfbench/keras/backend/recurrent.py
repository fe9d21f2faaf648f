"""`backend.rnn`: a step for each moment of a sequence, as a loop or written out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.engine import nest, ops
from tfbench.engine.ops.tensor_array import TensorArray
from tfbench.engine.ops.while_loop import while_loop
from tfbench.engine.tensor import Tensor

__all__ = ["rnn"]

Step = Callable[[Any, Any], tuple[Any, Any]]


def rnn(
    step_function: Step,
    inputs: Any,
    initial_states: Any,
    go_backwards: bool = False,
    mask: Any = None,
    constants: Any = None,
    unroll: bool = False,
    input_length: Any = None,
    time_major: bool = False,
    zero_output_for_mask: bool = False,
) -> tuple[Any, Any, Any]:
    """Iterates over the time of a tensor.

    Args:
      step_function: takes the input of a moment and a tuple of states and constants; gives the output and new states.
      inputs: a tensor [batch, time, …], or a structure of such.
      initial_states: a list of tensors.
      go_backwards: from the last moment to the first.
      mask: bool [batch, time] or [batch, time, 1]; where it is false, states stay and outputs repeat the last one.
      constants: more tensors for each step.
      unroll: writes the steps out instead of making a loop.
      input_length: the most steps that a loop makes.
      time_major: whether inputs, masks and outputs are [time, batch, …].
      zero_output_for_mask: whether outputs are zeros where the mask is false.

    Returns:
      The last output, all outputs, and the last states.

    Raises:
      ValueError: to unroll an unknown number of steps, or for a mask without states.
    """
    if not time_major:
        inputs = nest.map_structure(_swapped, inputs)
    flat = nest.flatten(inputs)
    for one in flat:
        one.shape.with_rank_at_least(3)
    steps, batch = flat[0].shape.as_list()[:2]
    number = ops.shape(flat[0])[0]
    if mask is not None:
        mask = mask if mask.dtype.is_bool else ops.cast(mask, "bool")
        mask = ops.expand_dims(mask, -1) if mask.shape.ndims == 2 else mask
        mask = mask if time_major else _swapped(mask)
    more = tuple(constants or ())
    if unroll:
        run = _Unrolled(step_function, inputs, more, go_backwards, zero_output_for_mask)
        last, outputs, states = run(initial_states, mask, steps)
    else:
        loop = _Loop(step_function, inputs, more, go_backwards, zero_output_for_mask, number, input_length)
        last, outputs, states = loop(initial_states, mask)

    def known(output: Any) -> Any:
        if isinstance(output, Tensor):
            output.set_shape([steps, batch, *output.shape.as_list()[2:]])
        return output

    outputs = nest.map_structure(known, outputs)
    return last, outputs if time_major else nest.map_structure(_swapped, outputs), states


def _swapped(tensor: Any) -> Any:
    """[batch, time, …] as [time, batch, …], or back."""
    axes = list(range(tensor.shape.ndims))
    axes[0], axes[1] = 1, 0
    return ops.transpose(tensor, axes)


def _wide(mask: Any, tensor: Any, fixed: int = 1) -> Any:
    """The mask with the tensor's axes, and its sizes behind the first `fixed`."""
    for _ in range(tensor.shape.ndims - mask.shape.ndims):
        mask = ops.expand_dims(mask, -1)
    return ops.tile(mask, [1] * fixed + tensor.shape.as_list()[fixed:])


class _Unrolled:
    """The steps, one after the other."""

    def __init__(self, step: Step, inputs: Any, constants: Any, go_backwards: bool, zero_output: bool) -> None:
        self._step, self._constants = step, constants
        self._structure, self._go_backwards, self._zero_output = inputs, go_backwards, zero_output
        self._moments = [self._in_order(ops.unstack(one)) for one in nest.flatten(inputs)]

    def _in_order(self, moments: list[Any]) -> list[Any]:
        return moments[::-1] if self._go_backwards else moments

    def __call__(self, states: Any, mask: Any, steps: int) -> tuple[Any, Any, Any]:
        states = tuple(states)
        found: list[Any] = []
        masks = None if mask is None else self._in_order(ops.unstack(mask))
        for at in range(steps):
            current = nest.pack_sequence_as(self._structure, [one[at] for one in self._moments])
            output, new = self._step(current, (*states, *self._constants))
            if masks is not None:
                wide = _wide(masks[at], output)
                output = ops.where(wide, output, found[-1] if found else ops.zeros_like(output))
                new = [
                    ops.where(_wide(masks[at], after), after, before)
                    for before, after in zip(states, new, strict=False)
                ]
            states = tuple(new)
            found.append(output)
        last, outputs = found[-1], ops.stack(found)
        if masks is not None and self._zero_output:
            last = ops.where(_wide(masks[-1], last), last, ops.zeros_like(last))
            outputs = ops.where(_wide(mask, outputs, 2), outputs, ops.zeros_like(outputs))
        return last, outputs, list(states) if mask is not None else new


class _Loop:
    """The steps as the body of a loop, their inputs and outputs in TensorArrays."""

    def __init__(
        self, step: Step, inputs: Any, constants: Any, go_backwards: bool, zero_output: bool, number: Any, most: Any
    ) -> None:
        self._step, self._constants, self._structure = step, constants, inputs
        self._go_backwards, self._zero_output, self._number, self._most = go_backwards, zero_output, number, most

    def _array(self, dtype: Any, name: str, **options: Any) -> Any:
        return TensorArray(dtype=dtype, size=self._number, tensor_array_name=name, **options)

    def _in_order(self, tensor: Any) -> Any:
        return ops.reverse(tensor, [0]) if self._go_backwards else tensor

    def __call__(self, initial: Any, mask: Any) -> tuple[Any, Any, Any]:
        flat = nest.flatten(self._structure)
        made = [self._array(one.dtype, f"input_ta_{at}") for at, one in enumerate(flat)]
        self._inputs = [array.unstack(self._in_order(one)) for array, one in zip(made, flat, strict=True)]
        first = nest.pack_sequence_as(self._structure, [one[0] for one in flat])
        # What the step gives has to be known before the loop; so it is made once outside, and not used.
        example, _ = self._step(first, (*initial, *self._constants))
        results = tuple(
            self._array(one.dtype, f"output_ta_{at}", element_shape=one.shape)
            for at, one in enumerate(nest.flatten(example))
        )
        start: tuple[Any, ...] = (ops.constant(0, dtype="int32", name="time"), results)
        self._initial, self._mask = initial, None
        if mask is not None:
            if not tuple(initial):
                raise ValueError(
                    "No initial states provided! A mask needs them: where a step is masked, the output is the first "
                    "state, which the step function has to keep as the last output."
                )
            mask = self._in_order(mask)
            self._mask = self._array("bool", "mask_ta").unstack(mask)
            self._zeros = tuple(ops.zeros_like(one) for one in nest.flatten(example))
            start = (*start, self._zeros)
        after = while_loop(
            cond=lambda time, *_: time < self._number,
            body=self._plain if mask is None else self._masked,
            loop_vars=(*start, *initial),
            maximum_iterations=self._most,
            parallel_iterations=32,
            swap_memory=True,
        )
        outputs = [array.stack() for array in after[1]]
        last = nest.pack_sequence_as(example, [one[-1] for one in outputs])
        return last, nest.pack_sequence_as(example, outputs), after[len(start) :]

    def _new(self, time: Any, states: Any) -> tuple[list[Any], Any, list[Any]]:
        """The outputs of a step and the states behind it, the latter also flat."""
        current = nest.pack_sequence_as(self._structure, [array.read(time) for array in self._inputs])
        mask = None if self._mask is None else self._mask.read(time)
        self._now = mask
        output, new = self._step(current, (*states, *self._constants))
        return nest.flatten(output), new, nest.flatten(new)

    def _plain(self, time: Any, arrays: Any, *states: Any) -> Any:
        outputs, _, flat = self._new(time, states)
        _keep_shapes(flat, states)
        written = tuple(array.write(time, one) for array, one in zip(arrays, outputs, strict=True))
        return (time + 1, written, *nest.pack_sequence_as(self._initial, flat))

    def _masked(self, time: Any, arrays: Any, previous: Any, *states: Any) -> Any:
        outputs, new, flat = self._new(time, states)
        instead = self._zeros if self._zero_output else nest.flatten(previous)
        masks = [_wide(self._now, one) for one in outputs]
        outputs = [ops.where(where, one, other) for where, one, other in zip(masks, outputs, instead, strict=True)]
        before = nest.flatten(states)
        _keep_shapes(flat, before)
        masks = [_wide(self._now, one) for one in before]
        kept = [ops.where(where, one, other) for where, one, other in zip(masks, flat, before, strict=True)]
        written = tuple(array.write(time, one) for array, one in zip(arrays, outputs, strict=True))
        return (time + 1, written, tuple(outputs), *nest.pack_sequence_as(new, kept))


def _keep_shapes(new: list[Any], states: Any) -> None:
    for state, after in zip(nest.flatten(states), new, strict=False):
        if isinstance(after, Tensor):
            after.set_shape(state.shape)
