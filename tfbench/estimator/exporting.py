"""Writing a model as a SavedModel: signatures, variables from a checkpoint, files that belong to it."""

from __future__ import annotations

import os
import shutil
import time
from typing import Any

from tfbench import logging
from tfbench.engine.collections import GraphKeys
from tfbench.engine.default_graph import get_collection
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
    if len(outputs) == 1:
        outputs = {**outputs, _SERVING: next(iter(outputs.values()))}
    elif _SERVING not in outputs:
        raise ValueError(
            f"Multiple export_outputs were provided, but none of them is specified as the default. Name one of "
            f'{sorted(outputs)} "{_SERVING}".'
        )
    signatures = _signatures(outputs, receiver)
    folder = _new_folder(os.fsdecode(base))
    partial = f"{folder}.partial"
    with Session(config=config) as session:
        local_init_op = spec.scaffold.local_init_op or Scaffold.default_local_init_op()
        saver = spec.scaffold.saver or Saver(sharded=True)
        saver.restore(session, checkpoint)
        builder = SavedModelBuilder(partial)
        builder.add_meta_graph_and_variables(
            session,
            [tag_constants.SERVING],
            signature_def_map=signatures,
            assets_collection=get_collection(GraphKeys.ASSET_FILEPATHS),
            main_op=local_init_op,
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


def _signatures(outputs: dict[str, Any], receiver: Any) -> dict[str, Any]:
    """The SignatureDefs by name. Outputs that go with Examples only are left out where others are given."""
    given = {"": receiver.receiver_tensors, **(receiver.receiver_tensors_alternatives or {})}
    found = {}
    for name, tensors in given.items():
        for key, output in outputs.items():
            full = f"{name}:{key}" if name else key
            try:
                found[full] = output.as_signature_def(tensors)
            except ValueError as error:
                logging.warning("Signature %s is not exported: %s", full, error)
    return found


def _new_folder(base: str) -> str:
    """A folder's path named by the time, which is not there yet."""
    os.makedirs(base, exist_ok=True)
    stamp = int(time.time())
    while os.path.exists(os.path.join(base, str(stamp))):
        stamp += 1
    return os.path.join(base, str(stamp))
