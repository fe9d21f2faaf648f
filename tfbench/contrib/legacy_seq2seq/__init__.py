"""`tf.contrib.legacy_seq2seq` (in TensorFlow 0.x `tf.nn.seq2seq`): models of sequences that are lists of steps."""

from __future__ import annotations

from tfbench.contrib.legacy_seq2seq.attention import (
    attention_decoder,
    embedding_attention_decoder,
    embedding_attention_seq2seq,
)
from tfbench.contrib.legacy_seq2seq.decoders import (
    basic_rnn_seq2seq,
    embedding_rnn_decoder,
    embedding_rnn_seq2seq,
    embedding_tied_rnn_seq2seq,
    one2many_rnn_seq2seq,
    rnn_decoder,
    tied_rnn_seq2seq,
)
from tfbench.contrib.legacy_seq2seq.losses import model_with_buckets, sequence_loss, sequence_loss_by_example

__all__ = [
    "attention_decoder", "basic_rnn_seq2seq", "embedding_attention_decoder", "embedding_attention_seq2seq",
    "embedding_rnn_decoder", "embedding_rnn_seq2seq", "embedding_tied_rnn_seq2seq", "model_with_buckets",
    "one2many_rnn_seq2seq", "rnn_decoder", "sequence_loss", "sequence_loss_by_example", "tied_rnn_seq2seq",
]  # fmt: skip
