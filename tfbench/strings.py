"""`tf.strings`: strings under their newer names."""

from __future__ import annotations

from tfbench.engine.ops.printing_v2 import string_format as format
from tfbench.engine.ops.string_convert import as_string
from tfbench.engine.ops.string_convert import string_to_hash_bucket as to_hash_bucket
from tfbench.engine.ops.string_convert import string_to_hash_bucket_fast as to_hash_bucket_fast
from tfbench.engine.ops.string_convert import string_to_hash_bucket_strong as to_hash_bucket_strong
from tfbench.engine.ops.string_convert import string_to_number as to_number
from tfbench.engine.ops.string_regex import regex_full_match, regex_replace, unicode_transcode
from tfbench.engine.ops.string_split import strings_split as split
from tfbench.engine.ops.strings import reduce_join, substr, unsorted_segment_join
from tfbench.engine.ops.strings import string_join as join
from tfbench.engine.ops.strings import string_length as length
from tfbench.engine.ops.strings import string_lower as lower
from tfbench.engine.ops.strings import string_strip as strip
from tfbench.engine.ops.strings import string_upper as upper

__all__ = [
    "as_string", "format", "join", "length", "lower", "reduce_join", "regex_full_match", "regex_replace", "split",
    "strip", "substr", "to_hash_bucket", "to_hash_bucket_fast", "to_hash_bucket_strong", "to_number",
    "unicode_transcode", "unsorted_segment_join", "upper",
]  # fmt: skip
