"""`tf.train.SyncReplicasOptimizer`: gradients of several replicas are collected, and their mean is applied once.

Each replica puts its gradients into accumulators and waits for a token; a QueueRunner takes the means as soon as there
are enough, applies them, and hands out the tokens. Replicas here are threads of one process.
"""

from __future__ import annotations

from typing import Any

from tfbench import logging
from tfbench.engine.collections import GraphKeys
from tfbench.engine.composite import IndexedSlices
from tfbench.engine.default_graph import colocate_with, control_dependencies, device
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.accumulators import ConditionalAccumulator, SparseConditionalAccumulator
from tfbench.engine.ops.array_fill import fill
from tfbench.engine.ops.base import no_op
from tfbench.engine.ops.grouping import group
from tfbench.engine.ops.queue_classes import FIFOQueue
from tfbench.engine.tensor import Tensor
from tfbench.train.optimizer import Optimizer
from tfbench.train.queue_runner import QueueRunner
from tfbench.train.session_manager import SessionManager
from tfbench.train.session_run_hook import SessionRunHook
from tfbench.variables.base import Variable
from tfbench.variables.functions import assign, global_variables, report_uninitialized_variables

__all__ = ["SyncReplicasOptimizer"]


class SyncReplicasOptimizer(Optimizer):
    """Applies the mean of the gradients of `replicas_to_aggregate` replicas with `opt`.

    With fewer replicas than that, each puts in several gradients a step; with more (`total_num_replicas`) the slowest
    are left out. `variable_averages` (an ExponentialMovingAverage) is applied after each step.
    """

    def __init__(
        self,
        opt: Optimizer,
        replicas_to_aggregate: int,
        total_num_replicas: int | None = None,
        variable_averages: Any = None,
        variables_to_average: Any = None,
        use_locking: bool = False,
        name: str = "sync_replicas",
    ) -> None:
        total = replicas_to_aggregate if total_num_replicas is None else total_num_replicas
        super().__init__(use_locking, name)
        logging.info("SyncReplicasV2: replicas_to_aggregate=%s; total_num_replicas=%s", replicas_to_aggregate, total)
        self._opt = opt
        self._replicas_to_aggregate = replicas_to_aggregate
        self._total_num_replicas = total
        self._tokens_per_step = max(total, replicas_to_aggregate)
        self._gradients_applied = False
        self._variable_averages = variable_averages
        self._variables_to_average = variables_to_average
        self._global_step: Any = None
        self._tokens: Any = None
        self._runner: QueueRunner | None = None
        self.local_step_init_op: Any = None
        self.chief_init_op: Any = None
        self.ready_for_local_init_op: Any = None

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """As that of the wrapped optimizer."""
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> Any:
        """An operation that puts in a replica's gradients and waits until the step is done.

        Raises:
          ValueError: without gradients or a global step.
        """
        grads_and_vars = list(grads_and_vars)
        if not grads_and_vars:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        self._global_step = global_step
        with colocate_with(no_op()):
            local_step = Variable(
                initial_value=0,
                trainable=False,
                collections=[GraphKeys.LOCAL_VARIABLES],
                dtype=global_step.dtype.base_dtype,
                name="sync_rep_local_step",
            )
        self.local_step_init_op = assign(local_step, global_step)
        self.ready_for_local_init_op = report_uninitialized_variables(global_variables())
        put: list[Any] = []
        means: list[Any] = []
        accumulators: list[tuple[Any, str]] = []
        with name_scope(None, self._name):
            for gradient, variable in grads_and_vars:
                with device(variable.device):
                    if gradient is None:
                        means.append(None)
                        continue
                    accumulator = self._accumulate(gradient, variable, local_step, put, means)
                    accumulators.append((accumulator, variable.device))
            train_op = self._synchronize(put, list(zip(means, (v for _, v in grads_and_vars))), local_step)
            init_ops = [self.local_step_init_op]
            for accumulator, where in accumulators:
                with device(where):
                    init_ops.append(accumulator.set_global_step(global_step, name="SetGlobalStep"))
            self.chief_init_op = group(*init_ops)
        self._gradients_applied = True
        return train_op

    def _accumulate(self, gradient: Any, variable: Any, local_step: Any, put: list[Any], means: list[Any]) -> Any:
        shared = f"{variable.name}/grad_accum"
        if isinstance(gradient, Tensor):
            dense = ConditionalAccumulator(gradient.dtype, shape=variable.get_shape(), shared_name=shared)
            put.append(dense.apply_grad(gradient, local_step=local_step))
            means.append(dense.take_grad(self._replicas_to_aggregate))
            return dense
        if not isinstance(gradient, IndexedSlices):
            raise ValueError(f"Unknown grad type! {gradient}")
        sparse = SparseConditionalAccumulator(gradient.dtype, shape=(), shared_name=shared)
        put.append(sparse.apply_indexed_slices_grad(gradient, local_step=local_step))
        means.append(sparse.take_indexed_slices_grad(self._replicas_to_aggregate))
        return sparse

    def _synchronize(self, put: list[Any], means: Any, local_step: Any) -> Any:
        """The update, the tokens that follow it, and the operation of a replica that waits for one."""
        step = self._global_step
        with device(step.device), name_scope(""):
            update = self._opt.apply_gradients(means, step)
        with device(step.device), name_scope(""):
            tokens = self._tokens = FIFOQueue(
                -1, step.dtype.base_dtype, shapes=((),), name="sync_token_q", shared_name="sync_token_q"
            )
        with device(step.device), name_scope(""):
            with control_dependencies(put):
                token = tokens.dequeue()
            train_op = assign(local_step, token)
            with control_dependencies([update]):
                hand_out = tokens.enqueue_many((fill([self._tokens_per_step], step),))
            if self._variable_averages is not None:
                with control_dependencies([hand_out]), name_scope(""):
                    hand_out = self._variable_averages.apply(self._variables_to_average)
            self._runner = QueueRunner(tokens, [hand_out])
        return train_op

    def get_chief_queue_runner(self) -> QueueRunner:
        """The QueueRunner that applies the means; the chief starts it. ValueError before `apply_gradients`."""
        if self._runner is None:
            raise ValueError("Should be called after apply_gradients().")
        return self._runner

    def get_init_tokens_op(self, num_tokens: int = -1) -> Any:
        """An operation that hands out the tokens of the first step (default: as many as gradients are collected).

        Raises:
          ValueError: before `apply_gradients`, or if there are too few.
        """
        if not self._gradients_applied:
            raise ValueError("get_init_tokens_op() should be called after apply_gradients().")
        needed = self._replicas_to_aggregate - self._total_num_replicas
        if num_tokens == -1:
            num_tokens = self._replicas_to_aggregate
        elif num_tokens < needed:
            raise ValueError(f"Too few tokens to finish the first step: {num_tokens} (given) vs {needed} (needed)")
        if num_tokens <= 0:
            return no_op(name="no_init_tokens")
        with device(self._global_step.device), name_scope(""):
            return self._tokens.enqueue_many((fill([num_tokens], self._global_step),))

    def make_session_run_hook(self, is_chief: bool, num_tokens: int = -1) -> SessionRunHook:
        """A hook for a monitored session that does all of this."""
        return _SyncReplicasHook(self, is_chief, num_tokens)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        return self._opt.get_slot(*args, **kwargs)

    def variables(self) -> Any:
        return self._opt.variables()

    def get_slot_names(self, *args: Any, **kwargs: Any) -> Any:
        return self._opt.get_slot_names(*args, **kwargs)


class _SyncReplicasHook(SessionRunHook):
    """Initialises the local step, and on the chief the tokens and the thread that applies the means."""

    def __init__(self, optimizer: SyncReplicasOptimizer, is_chief: bool, num_tokens: int) -> None:
        self._optimizer = optimizer
        self._is_chief = is_chief
        self._num_tokens = num_tokens
        self._local_init_op: Any = None
        self._ready_op: Any = None
        self._runner: QueueRunner | None = None
        self._init_tokens: Any = None

    def begin(self) -> None:
        optimizer = self._optimizer
        if not optimizer._gradients_applied:
            raise ValueError("SyncReplicasOptimizer.apply_gradient should be called before using the hook.")
        self._ready_op = optimizer.ready_for_local_init_op
        self._local_init_op = optimizer.local_step_init_op
        if self._is_chief:
            self._local_init_op = optimizer.chief_init_op
            self._runner = optimizer.get_chief_queue_runner()
            self._init_tokens = optimizer.get_init_tokens_op(self._num_tokens)

    def after_create_session(self, session: Any, coord: Any) -> None:
        ready, reason = SessionManager(graph=session.graph)._ready(self._ready_op, session)
        if not ready:
            raise RuntimeError(
                "Init operations did not make model ready for SyncReplicasOptimizer local_init. Init op: "
                f"{self._local_init_op.name}, error: {reason}"
            )
        session.run(self._local_init_op)
        if self._init_tokens is not None:
            session.run(self._init_tokens)
        if self._runner is not None:
            self._runner.create_threads(session, coord=coord, daemon=True, start=True)
