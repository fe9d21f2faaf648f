"""The embedding projector's configuration, as TensorFlow 1.15 writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

import tfbench as tf


def test_the_file_that_tensorboard_looks_for(tmp_path: Path) -> None:
    projector = tf.contrib.tensorboard.plugins.projector
    config = projector.ProjectorConfig(model_checkpoint_path="m.ckpt")
    embedding = config.embeddings.add()
    embedding.tensor_name = "words:0"
    embedding.metadata_path = "words.tsv"
    embedding.sprite.image_path = "s.png"
    embedding.sprite.single_image_dim.extend([28, 28])
    with tf.Graph().as_default(), tf.summary.FileWriter(str(tmp_path)) as writer:
        projector.visualize_embeddings(writer, config)
    # What TensorFlow 1.15 writes for the same calls.
    assert (tmp_path / "projector_config.pbtxt").read_text() == (
        'model_checkpoint_path: "m.ckpt"\nembeddings {\n  tensor_name: "words:0"\n  metadata_path: "words.tsv"\n'
        '  sprite {\n    image_path: "s.png"\n    single_image_dim: 28\n    single_image_dim: 28\n  }\n}\n'
    )
    assert projector.ProjectorConfig.FromString(config.SerializeToString()) == config


def test_a_writer_without_a_folder() -> None:
    class Writer:
        def get_logdir(self) -> None:
            return None

    projector = tf.contrib.tensorboard.plugins.projector
    with pytest.raises(ValueError, match="Summary writer must have a logdir"):
        projector.visualize_embeddings(Writer(), projector.ProjectorConfig())
