"""Writing a model as a SavedModel: signatures, variables from a checkpoint, files that belong to it."""

from __future__ import annotations

import os
import shutil
import time
from typing import Any

from tfbench import logging
from tfbench.engine.session import Session
from tfbench.estimator.export import PredictOutput
from tfbench.estimator.spec import EstimatorSpec
from tfbench.train.saver import Saver
from tfbench.train.scaffold import Scaffold

_SERVING = "serving_default"


def export(
    spec: EstimatorSpec, receiver: Any, base: Any, checkpoint: str, config: Any, assets_extra: Any, as_text: bool
) -> bytes:
    """Writes the default graph, which `spec` is of, with the variables of a checkpoint. Gives the folder's path."""
    from tfbench.saved_model import tag_constants
    from tfbench.saved_model.builder import SavedModelBuilder

    outputs = spec.export_outputs
    if outputs is None:
        outputs = {_SERVING: PredictOutput(spec.predictions)}
    signatures = {name: output.as_signature_def(receiver.receiver_tensors) for name, output in outputs.items()}
    if len(signatures) == 1:
        signatures = {_SERVING: next(iter(signatures.values()))}
    elif _SERVING not in signatures:
        raise ValueError(
            f"Multiple export_outputs were provided, but none of them is specified as the default. Name one of "
            f'{sorted(signatures)} "{_SERVING}".'
        )
    for name, tensors in (receiver.receiver_tensors_alternatives or {}).items():
        for key, output in outputs.items():
            signatures[f"{name}:{key}"] = output.as_signature_def(tensors)
    folder = _new_folder(os.fsdecode(base))
    partial = f"{folder}.partial"
    with Session(config=config) as session:
        local_init_op = spec.scaffold.local_init_op or Scaffold.default_local_init_op()
        saver = spec.scaffold.saver or Saver(sharded=True)
        saver.restore(session, checkpoint)
        builder = SavedModelBuilder(partial)
        builder.add_meta_graph_and_variables(
            session, [tag_constants.SERVING], signature_def_map=signatures, main_op=local_init_op
        )
        builder.save(as_text)
    for name, source in (assets_extra or {}).items():
        target = os.path.join(partial, "assets.extra", name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(source, target)
    # Whoever watches the folder for new models must not find half of one.
    os.rename(partial, folder)
    logging.info("SavedModel written to: %s", folder)
    return folder.encode()


def _new_folder(base: str) -> str:
    """A folder's path named by the time, which is not there yet."""
    os.makedirs(base, exist_ok=True)
    stamp = int(time.time())
    while os.path.exists(os.path.join(base, str(stamp))):
        stamp += 1
    return os.path.join(base, str(stamp))
