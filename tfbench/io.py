"""`tf.io`: files, records and strings that hold messages, under their newer names. Each is loaded when it is used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

#: where a name is
_HOMES = {
    **dict.fromkeys(
        (
            "FixedLenFeature", "FixedLenSequenceFeature", "PaddingFIFOQueue", "PriorityQueue", "QueueBase",
            "RandomShuffleQueue", "SparseFeature", "VarLenFeature", "decode_base64", "decode_compressed", "decode_csv",
            "decode_json_example", "decode_raw", "encode_base64", "matching_files", "parse_example",
            "parse_single_example", "parse_single_sequence_example", "parse_tensor", "read_file",
            "deserialize_many_sparse", "serialize_many_sparse", "serialize_sparse", "serialize_tensor",
            "write_file",
        ),
        "tfbench.engine.ops",
    ),
    **dict.fromkeys(
        ("TFRecordCompressionType", "TFRecordOptions", "TFRecordWriter", "tf_record_iterator"), "tfbench.python_io"
    ),
    **dict.fromkeys(
        (
            "decode_and_crop_jpeg", "decode_bmp", "decode_gif", "decode_image", "decode_jpeg", "decode_png",
            "encode_jpeg", "encode_png", "extract_jpeg_shape", "is_jpeg",
        ),
        "tfbench.image",
    ),
    **dict.fromkeys(("match_filenames_once", "write_graph"), "tfbench.train"),
    "parse_sequence_example": "tfbench.engine.ops.parse_examples",
    "gfile": "tfbench.gfile.new_names",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is not None:
        module = import_module(home)
        return module if name == "gfile" else getattr(module, name)
    raise AttributeError(f"module 'tfbench.io' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(_HOMES)
