"""`tf.contrib.seq2seq`: decoders of sequences, attention, and beam search."""

from __future__ import annotations

from tfbench.contrib.seq2seq.attention import (
    AttentionMechanism,
    BahdanauAttention,
    BahdanauMonotonicAttention,
    LuongAttention,
    LuongMonotonicAttention,
)
from tfbench.contrib.seq2seq.attention_wrapper import AttentionWrapper, AttentionWrapperState
from tfbench.contrib.seq2seq.basic_decoder import BasicDecoder, BasicDecoderOutput
from tfbench.contrib.seq2seq.beam_decoder import (
    BeamSearchDecoder,
    FinalBeamSearchDecoderOutput,
    gather_tree_from_array,
)
from tfbench.contrib.seq2seq.beam_search import (
    BeamSearchDecoderOutput,
    BeamSearchDecoderState,
    gather_tree,
    tile_batch,
)
from tfbench.contrib.seq2seq.decoder import Decoder, dynamic_decode
from tfbench.contrib.seq2seq.helper import (
    CustomHelper,
    GreedyEmbeddingHelper,
    Helper,
    InferenceHelper,
    SampleEmbeddingHelper,
    ScheduledEmbeddingTrainingHelper,
    ScheduledOutputTrainingHelper,
    TrainingHelper,
)
from tfbench.contrib.seq2seq.loss import sequence_loss
from tfbench.contrib.seq2seq.monotonic import hardmax, monotonic_attention, safe_cumprod

__all__ = [
    "AttentionMechanism", "AttentionWrapper", "AttentionWrapperState", "BahdanauAttention",
    "BahdanauMonotonicAttention", "BasicDecoder", "BasicDecoderOutput", "BeamSearchDecoder",
    "BeamSearchDecoderOutput", "BeamSearchDecoderState", "CustomHelper", "Decoder", "FinalBeamSearchDecoderOutput",
    "GreedyEmbeddingHelper", "Helper", "InferenceHelper", "LuongAttention", "LuongMonotonicAttention",
    "SampleEmbeddingHelper", "ScheduledEmbeddingTrainingHelper", "ScheduledOutputTrainingHelper", "TrainingHelper",
    "dynamic_decode", "gather_tree", "gather_tree_from_array", "hardmax", "monotonic_attention", "safe_cumprod",
    "sequence_loss", "tile_batch",
]  # fmt: skip
