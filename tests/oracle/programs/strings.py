"""Strings: every op and option, static shapes, errors, empty and non-ASCII strings."""

from __future__ import annotations

import zlib

import numpy as np

from tests.oracle import attempt, program


def run(tf, tensors, feed=None):
    """The values, one run each, so that one failure hides no other."""
    with tf.Session() as sess:
        return [attempt(sess.run, tensor, feed) for tensor in tensors]


def unknown(tf, value, dtype=None):
    return tf.placeholder_with_default(tf.constant(value, dtype), None)


def texts(tf, *shape):
    return tf.placeholder(tf.string, shape)


# ---- joining


@program()
def join(tf):
    made = [
        tf.string_join(["a", ["b", "c"]]),
        tf.string_join([["a", "d"], ["b", "c"]], separator="-"),
        tf.string_join([]),
        tf.string_join(["a"], name="given"),
        tf.strings.join(["a", tf.constant("b"), np.array("c")], ", "),
        tf.string_join([unknown(tf, "x"), ["y", "z"]]),
        tf.string_join(["é", b"\xff"], separator="ß"),
        tf.string_join([np.zeros([0, 2], "S"), "a"]),
    ]
    shapes = [
        tf.string_join([texts(tf, None, 2), texts(tf, 3, None)]),
        tf.string_join([tf.placeholder(tf.string), texts(tf, 2)]),
        tf.string_join([tf.placeholder(tf.string), "a"]),
        tf.string_join([texts(tf), texts(tf)]),
    ]
    errors = [
        attempt(tf.string_join, ["ab", ["b", "c"], ["d"]]),
        attempt(tf.string_join, "ab"),
        attempt(tf.string_join, [1, "a"]),
        attempt(tf.string_join, [tf.constant(1)]),
    ]
    return made, shapes, errors, run(tf, made)


@program()
def join_shapes_differ(tf):
    with tf.Session() as sess:
        return sess.run(tf.string_join([unknown(tf, ["a"]), unknown(tf, ["b", "c"])]))


@program(
    cases=[
        {},
        {"axis": 0},
        {"axis": [0, 1]},
        {"axis": [1, 0]},
        {"axis": -1, "keep_dims": True},
        {"axis": []},
        {"axis": [-2], "separator": "::", "name": "given"},
        {"reduction_indices": 1},
        {"axis": (1,), "keepdims": True},
    ]
)
def reduce_join(tf, case):
    x = [["a", "b", "c"], ["d", "é", ""]]
    made = [
        tf.reduce_join(x, **case),
        tf.strings.reduce_join(unknown(tf, x), **case),
        tf.reduce_join(texts(tf, None, 3), **case),
    ]
    return made, run(tf, made[:2])


@program()
def reduce_join_edges(tf):
    made = [
        tf.reduce_join(np.zeros((2, 0), "S")),
        tf.reduce_join(np.zeros((2, 0), "S"), 0),
        tf.reduce_join(np.zeros((2, 0), "S"), 1),
        tf.reduce_join("a"),
        tf.reduce_join([[["a", "b"], ["c", "d"]], [["e", "f"], ["g", "h"]]], [2, 0], separator="."),
        tf.reduce_join(unknown(tf, [["a", "b"]]), unknown(tf, [0, -2])),
        tf.reduce_join(unknown(tf, [["a", "b"]]), 5),
        tf.reduce_join([["a"]], [0, 0]),
    ]
    errors = [
        attempt(tf.reduce_join, [["a"]], 2),
        attempt(tf.reduce_join, [["a"]], -3),
        attempt(tf.reduce_join, ["a"], axis=0, reduction_indices=0),
        attempt(tf.reduce_join, ["a"], keepdims=True, keep_dims=True),
        attempt(tf.reduce_join, [1]),
    ]
    return made, errors, run(tf, made)


@program()
def unsorted_segment_join(tf):
    f = tf.strings.unsorted_segment_join
    made = [
        f(["a", "b", "c"], [0, 1, 0], 3, separator=":"),
        f([["a", "b"], ["c", "d"]], [1, 1], 2, name="given"),
        f([["a", "b"], ["c", "d"]], [[0, 1], [1, 0]], 2),
        f(["a", "b"], np.array([0, 5]), 2),
        f(["a", "b"], [0, -1], 2),
        f(texts(tf, None, 3), tf.placeholder(tf.int32, [None]), tf.placeholder(tf.int32)),
        f(tf.placeholder(tf.string), [0], 2),
        f(np.zeros([0], "S"), np.zeros([0], np.int32), 2),
    ]
    errors = [attempt(f, ["a", "b"], [0], 2), attempt(f, ["a", "b"], [[0, 1]], 2), attempt(f, ["a", "b"], [0, 1], -2)]
    return made, errors, run(tf, made[:5] + made[7:])


# ---- cutting


@program()
def split(tf):
    made = [
        tf.string_split(["a b  c", "", "d"]),
        tf.string_split(["a,b;;c", "x"], ",;", name="given"),
        tf.string_split(["a,b;;c", ""], ",;", skip_empty=False),
        tf.string_split(["héy"], ""),
        tf.string_split([], ","),
        tf.string_split([" a "], delimiter=" "),
        tf.string_split([" a "], skip_empty=False),
        tf.string_split(tf.constant(["a-b"]), tf.constant("-")),
        tf.string_split(["a|b"], "|", result_type="SparseTensor"),
    ]
    errors = [
        attempt(tf.string_split, "a b"),
        attempt(tf.string_split, [["a b"]]),
        attempt(tf.string_split, ["a b"], result_type="x"),
        attempt(tf.string_split, ["a b"], delimiter=["a", "b"]),
        attempt(tf.string_split, ["a b"], sep="x", delimiter="y"),
        attempt(tf.string_split, [1]),
    ]
    return [(x.indices, x.values, x.dense_shape, x.shape) for x in made], errors, run(tf, made)


@program()
def split_v2(tf):
    f = tf.strings.split
    made = [
        f(["a b  c", "", "d "]),
        f(["a,,b", ",", ""], ","),
        f(["a,,b,,c"], ",,", maxsplit=1),
        f("a b"),
        f([" a  b c "], maxsplit=1),
        f(["abc"], sep=""),
        f(["a--b-c"], sep="--", name="given"),
        f(source=["x y"]),
        f(texts(tf, None)),
        f(["a\tb\nc\x0b"]),
        f(["a,b,c"], ",", maxsplit=0),
    ]
    errors = [attempt(f, ["a"], result_type="x"), attempt(f, input=["a"], source=["b"]), attempt(f, [1])]
    return [(x.indices, x.values, x.dense_shape, x.shape) for x in made], errors, run(tf, made[:8] + made[9:])


@program()
def substr(tf):
    f = tf.substr
    made = [
        f("hello", 1, 3),
        f(["hello", "hi"], [1, -1], [3, 1]),
        f(["hello", "hi"], 1, 1, name="given"),
        f("hello", 5, 1),
        f("hello", 1, -1),
        f("hello", 1, 100),
        f([["hello"], ["world"]], [0, 1, 2], [1, 1, 1]),
        f("hello", [0, 1, 2], [1, 2, 3]),
        f("hello", np.int64(1), np.int64(2)),
        f([], 0, 1),
        f("", 0, 1),
        f("hello", -5, 2),
    ]
    fails = [
        f(["hello", "hi"], 3, 1),
        f("hello", 6, 1),
        f("hello", -6, 1),
        f(unknown(tf, ["hello"]), unknown(tf, [0, 1, 2]), unknown(tf, [1, 2])),
        f(unknown(tf, ["hello", "a", "b"]), unknown(tf, [0, 1]), unknown(tf, [1, 2])),
    ]
    shapes = [
        f(texts(tf, None), 1, 1),
        f(tf.placeholder(tf.string), [1, 2], [1, 2]),
        f(texts(tf, 2, 1), tf.placeholder(tf.int32, [3]), tf.placeholder(tf.int32, [3])),
        f(texts(tf, 2), tf.placeholder(tf.int32), 1),
    ]
    errors = [
        attempt(f, ["hello"], [0, 1, 2], [1, 2]),
        attempt(f, ["hello"], [0], 1),
        attempt(f, ["a", "b", "c"], [0, 1], [1, 1]),
        attempt(f, "a", 0.5, 1),
        attempt(f, "a", 0, 1, unit="BAD"),
        attempt(f, 1, 0, 1),
    ]
    return made, fails, shapes, errors, run(tf, made + fails)


@program()
def substr_of_characters(tf):
    f = tf.strings.substr
    made = [
        f("héllo", pos, size, unit="UTF8_CHAR")
        for pos, size in ((1, 2), (-4, 2), (5, 2), (0, 99), (2, -1), (-5, 1), (9, 2), (-6, 1))
    ] + [f("héllo", 1, 2), f(b"a\xff\x80b", 1, 1, unit="UTF8_CHAR"), f("日本語", 1, 1, name="given", unit="UTF8_CHAR")]
    return made, run(tf, made)


# ---- changing


@program()
def case_and_white_space(tf):
    s = tf.strings
    x = ["ABÉ", "abéß", "\t x y\v\f\r\n ", b"\xff\xfeAb", ""]
    made = [
        s.lower(x),
        s.lower(x, encoding="utf-8"),
        s.upper(x),
        s.upper(x, "utf-8", name="given"),
        tf.string_strip(x),
        s.strip([b" \xc2\xa0a"], name="strip"),
        s.length(x),
        s.length(x, unit="UTF8_CHAR"),
        s.length("a", name="n"),
        s.length(texts(tf, None, 2)),
        s.lower("X"),
        s.upper(np.zeros([0, 2], "S")),
    ]
    return (
        made,
        run(tf, made[:9] + made[10:]),
        run(tf, [s.upper(["abé"], encoding="latin1")]),
        attempt(s.length, "a", unit="WORD"),
        attempt(s.lower, 1),
    )


@program()
def base64(tf):
    x = ["hello", "a", "", b"\xff?>", "ab"]
    made = [
        tf.encode_base64(x),
        tf.encode_base64(x, pad=True, name="given"),
        tf.decode_base64(["aGVsbG8", "YQ==", "YQ", "_-8", "", "YR", "w78_Pg"]),
        tf.decode_base64("YWI=", name="decoded"),
        tf.decode_base64(tf.encode_base64(texts(tf, None))),
    ]
    fails = [tf.decode_base64([text]) for text in ("a", "aGVsbG8+", "YQ=", "Y Q", "====", "YQ==YQ==", "Y===", "é")]
    return made, run(tf, made[:4] + fails), attempt(tf.encode_base64, 1)


# ---- matching

PATTERNS = {
    "dots": (r"\.", "-"),
    "empty matches": ("b*", "-"),
    "nothing": ("", "-"),
    "groups": ("(a)(b)", r"\2\1[\0]"),
    "no such group": ("a", r"\1"),
    "end": (r"c$", "y"),
    "any": (".", "y"),
    "backslash": ("a", "\\\\"),
    "class": (r"[[:alpha:]]\d", "y"),
    "letters": (r"\w|\pL", "y"),
    "literal": (r"\Q.\E", "y"),
    "ignoring case": ("(?i)B", "y"),
    "named": ("(?P<n>b)", r"<\1>"),
    "choice": (r"ab|a|c\z", "y"),
    "begin": ("^a", "y"),
    "many lines": ("(?m)^.", "y"),
    "lazy": ("a.*?c", "y"),
    "counted": ("[ab]{2}", "y"),
    "word border": (r"\bc", "y"),
    "negated": ("[^a-c\n]", "y"),
    "space": (r"\s", "y"),
    "set with brackets": (r"[\]\[x]", "y"),
    "hex": (r"\x62", "y"),
    "braces": (r"\x{63}", "y"),
    "not a group": ("(?:a)(b)?", r"[\1]"),
}


@program(cases=PATTERNS)
def regex(tf, case):
    x = ["abc", "a.b.c", "abcabc", "", "Ab1 c2\n", "a\nc", "[x] é"]
    made = [
        tf.regex_replace(x, *case),
        tf.strings.regex_replace(x, *case, replace_global=False, name="given"),
        tf.regex_replace(x, tf.constant(case[0]), case[1]),
        tf.strings.regex_full_match(x, case[0]),
        tf.strings.regex_full_match(x, unknown(tf, case[0]), name="match"),
    ]
    return made, run(tf, made)


@program(cases=["(a", "(?=a)", r"(a)\1", "[a", "a)", "*a", r"a\Z", "(?<!a)b", "a**", "[b-a]", "a{2,1}"])
def bad_regex(tf, case):
    return [
        attempt(tf.Session().run, f)
        for f in (
            tf.regex_replace(["abc"], case, ""),
            tf.regex_replace(["abc"], tf.constant(case), ""),
            tf.strings.regex_full_match(["abc"], case),
            tf.strings.regex_full_match(["abc"], tf.constant(case)),
        )
    ]


@program()
def regex_shapes(tf):
    errors = [
        attempt(tf.regex_replace, ["abc"], tf.constant(["a"]), "y"),
        attempt(tf.strings.regex_full_match, ["a"], tf.constant(["a"])),
        attempt(tf.regex_replace, 1, "a", "b"),
        attempt(tf.regex_replace, "a", 1, "b"),
    ]
    return [
        tf.regex_replace(texts(tf, None, 2), "a", "b"),
        tf.strings.regex_full_match(tf.placeholder(tf.string), "a"),
        tf.regex_replace("x", tf.placeholder(tf.string), tf.placeholder(tf.string, [])),
    ], errors


@program()
def transcode(tf):
    f = tf.strings.unicode_transcode
    made = [
        f(["aé"], "UTF-8", "UTF-16-BE"),
        f(["aé日😀"], "UTF-8", "UTF-32-BE"),
        f([b"a\xff\xc3b"], "UTF-8", "UTF-8"),
        f([b"a\xff"], "UTF-8", "UTF-8", errors="ignore", name="given"),
        f([b"a\xff"], "UTF-8", "UTF-8", replacement_char=63),
        f([b"a\n\x01"], "UTF-8", "UTF-8", replace_control_characters=True),
        f([b"\xe9"], "latin1", "UTF-8"),
        f([b"\x00a\x00\xe9"], "UTF-16-BE", "UTF-8"),
        f(["plain"], "US-ASCII", "UTF-8"),
        f([b"a\xff"], "UTF-8", "UTF-8", errors="strict"),
        f(["a"], "nonsense", "UTF-8"),
        f(["a\x01b"], "UTF-8", "UTF-8", errors="ignore", replace_control_characters=True),
    ]
    return (
        made,
        run(tf, made),
        attempt(f, ["a"], "UTF-8", "latin1"),
        attempt(f, ["a"], "UTF-8", "UTF-8", errors="other"),
        f(texts(tf, 2, None), "UTF-8", "UTF-8"),
    )


# ---- numbers

NUMBERS = [
    "1",
    "-2.5e3",
    " 7 ",
    "inf",
    "nan",
    "-Infinity",
    "0x10",
    "0x1p3",
    "1e400",
    "1e-400",
    "+5",
    "1.",
    ".5",
    "INF",
    "16777217.0000000001",
    "16777217",
    "123456789012345678901234567890",
    "0.1",
    "1e23",
    "4.9e-324",
    "-0",
]
WRONG = ["abc", "", "1.5x", "1_0", ".", " ", "1e", "- 1", "1 2", "--1", "e5", "nano", "é"]


@program(cases=["float32", "float64"], tol=0)
def to_float(tf, case):
    made = [
        tf.string_to_number(NUMBERS, case),
        tf.strings.to_number("1.5", out_type=case, name="given"),
        tf.string_to_number(texts(tf, 2, None), case),
        tf.string_to_number([], case),
    ]
    return made, run(tf, made[:2] + made[3:]), run(tf, [tf.string_to_number(text, case) for text in WRONG])


@program(cases=["int32", "int64", "uint32", "uint64"])
def to_integer(tf, case):
    made = [
        tf.string_to_number(["1", " 2", "3 ", "+5", "2147483647", "007"], case),
        tf.string_to_number(input="1", out_type=case),
    ]
    return (
        made,
        run(tf, made),
        run(
            tf,
            [
                tf.string_to_number(text, case)
                for text in (
                    "-3",
                    "-2147483648",
                    "2147483648",
                    "4294967296",
                    "18446744073709551616",
                    "0x10",
                    "1.0",
                    "",
                    "-0",
                    "a",
                    "1 1",
                )
            ],
        ),
    )


@program()
def to_number_refuses(tf):
    return (
        attempt(tf.string_to_number, "1", tf.uint8),
        attempt(tf.string_to_number, 1),
        attempt(tf.string_to_number, "1", input="1"),
        tf.string_to_number("1"),
    )


FORMATS = [
    {},
    {"width": 8},
    {"width": 8, "fill": "0"},
    {"width": 8, "fill": "-"},
    {"fill": "+"},
    {"width": 9, "fill": " "},
    {"precision": 2},
    {"precision": 0},
    {"scientific": True},
    {"shortest": True},
    {"scientific": True, "precision": 3, "width": 12},
    {"shortest": True, "precision": 3},
    {"scientific": True, "shortest": True},
    {"fill": "x"},
    {"fill": "00"},
    {"width": 0},
    {"fill": "0"},
    {"fill": "#", "shortest": True},
]


@program(cases=FORMATS)
def as_string(tf, case):
    values = [
        ("float32", [1.5, -20.25, 1e10, 1e-10, float("inf"), float("-inf"), float("nan"), 0.0]),
        ("float64", [0.1, 123456789.123, -1e300]),
        ("int32", [0, -20, 12345]),
        ("uint8", [255]),
        ("int64", [-(2**40)]),
        ("bool", [True, False]),
        ("complex64", [1.5 - 2j]),
        ("float16", [0.1]),
        ("string", ["ab", "é"]),
    ]
    made = [tf.as_string(tf.constant(value, dtype), **case) for dtype, value in values]
    return made, run(tf, made)


@program()
def as_string_of_python_values(tf):
    made = [
        tf.as_string(3),
        tf.as_string([1.5, 2.0], name="given"),
        tf.as_string(True),
        tf.as_string([]),
        tf.strings.as_string(np.float64(1) / 3, precision=10),
        tf.as_string(tf.placeholder(tf.float32, [None, 2])),
        tf.as_string(tf.constant(1.5, tf.bfloat16)),
        tf.as_string("word"),
    ]
    return made, run(tf, made[:5] + made[6:])


# ---- hashes and bytes


@program(tol=0)
def hashes(tf):
    x = [
        "",
        "a",
        "ab",
        "abcd",
        "hello",
        "12345678",
        "123456789012",
        "1234567890123456",
        "12345678901234567",
        "x" * 32,
        "y" * 33,
        "z" * 64,
        "w" * 65,
        "v" * 128,
        "uv" * 100,
        "é",
    ]
    big = 2**62 + 1
    made = [
        tf.string_to_hash_bucket(x, 1000),
        tf.string_to_hash_bucket(x, big),
        tf.string_to_hash_bucket_fast(x, 1000),
        tf.string_to_hash_bucket_fast(x, big, name="given"),
        tf.string_to_hash_bucket_strong(x, 1000, [1, 2]),
        tf.string_to_hash_bucket_strong(x, big, [2**62, -1]),
        tf.strings.to_hash_bucket_fast([["a", "b"]], 10),
        tf.strings.to_hash_bucket("a", 1),
        tf.strings.to_hash_bucket_strong("a", 7, key=[3, 4]),
        tf.string_to_hash_bucket_fast(texts(tf, None, 3), 5),
        tf.fingerprint(x),
        tf.fingerprint([["a", "b"], ["c", "d"]], name="print"),
        tf.fingerprint([[1, 2], [3, 4]]),
        tf.fingerprint([1.5]),
        tf.fingerprint(texts(tf, None, 3)),
    ]
    errors = [
        attempt(tf.string_to_hash_bucket_fast, ["a"], 0),
        attempt(tf.string_to_hash_bucket_fast, 1, 10),
        attempt(tf.string_to_hash_bucket, string_tensor=["a"], input=["a"], num_buckets=2),
        attempt(tf.fingerprint, 1),
        attempt(tf.fingerprint, ["a"], method="x"),
    ]
    return made, errors, run(tf, made[:9] + made[10:14]), run(tf, [tf.string_to_hash_bucket_strong(["a"], 9, [1])])


@program(
    cases=[
        "uint8",
        "int8",
        "int16",
        "uint16",
        "int32",
        "int64",
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
        "bool",
    ],
    tol=0,
)
def decode_raw(tf, case):
    raw = bytes(range(32)) if case != "bool" else bytes([0, 1] * 16)
    made = [
        tf.decode_raw([raw, raw], case),
        tf.decode_raw(raw, case, little_endian=False, name="given"),
        tf.decode_raw([["", ""]], case),
        tf.decode_raw(np.zeros([0], "S"), case),
        tf.decode_raw(texts(tf, None, 2), case),
    ]
    return made, run(tf, made[:4])


@program()
def decode_raw_edges(tf):
    made = [
        tf.decode_raw(bytes=["ab"], out_type=tf.uint8),
        tf.decode_raw(["abc", "de"], tf.uint8),
        tf.decode_raw(["abc"], tf.int16),
    ]
    return (
        made,
        run(tf, made),
        attempt(tf.decode_raw, ["ab"], tf.string),
        attempt(tf.decode_raw, ["ab"]),
        attempt(tf.decode_raw, ["a"], tf.uint8, bytes=["a"]),
        attempt(tf.decode_raw, [1], tf.uint8),
    )


@program(graph=False)
def decode_compressed(tf):
    zipped, gzipped = zlib.compress(b"hello" * 5, 6), b"\x1f\x8b\x08\x00" + b"\x00" * 6 + deflated(b"hello" * 5)
    f = tf.decode_compressed
    made = [
        f([zipped], "ZLIB"), f([gzipped], "GZIP", name="given"), f(["abc"]), f([[zipped, b""]], "ZLIB"),
        f([zipped[:10]], "ZLIB"), f([zipped + zipped], "ZLIB"), f([gzipped + gzipped], "GZIP"),
    ]  # fmt: skip
    fails = [f(["bad"], "ZLIB"), f([gzipped], "ZLIB"), f([zipped], "GZIP")]
    errors = [type(one).__name__ for one in run(tf, [*fails, f(["a"], "LZMA")])]
    return [(x.name, x.shape) for x in made], run(tf, made), errors, f(texts(tf, None, 2), "ZLIB").shape


def deflated(data):
    """The body of a GZIP member, and what ends it."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    body = packer.compress(data) + packer.flush()
    return body + zlib.crc32(data).to_bytes(4, "little") + len(data).to_bytes(4, "little")


CSV = {
    "types": (["1,2.5,a", "4,5,b"], [[1], [1.0], ["x"]], {}),
    "defaults": ("1,,", [[9], [1.5], ["x"]], {}),
    "required": (["1,,x"], [[9], np.zeros([0], np.float32), ["x"]], {}),
    "too many": (["1,2"], [[1]], {}),
    "too few": (["1"], [[1], [2]], {}),
    "no number": (["x"], [[1]], {}),
    "empty line": ([""], [[1]], {}),
    "quotes": (['"a,b","c""d"'], [[""], [""]], {}),
    "open quote": (['"a'], [[""]], {}),
    "quote inside": (['a"b'], [[""]], {}),
    "quote then more": (['"a"b'], [[""]], {}),
    "no quotes": (['"a,b'], [[""], [""]], {"use_quote_delim": False}),
    "delimiter": (["1;2"], [[0], [0]], {"field_delim": ";"}),
    "na": (["NA,2"], [[7], [0]], {"na_value": "NA"}),
    "columns": (["1,2,3"], [[0], [0]], {"select_cols": [0, 2], "name": "given"}),
    "column missing": (["1"], [[0]], {"select_cols": [1]}),
    "spaces": ([" 1 , 2"], [[0], ["x"]], {}),
    "float as int": (["1e3"], [[0]], {}),
    "matrix": ([["1,2"], ["3,4"]], [[0], [0]], {}),
    "newline": (["1,2\n"], [[0], [0]], {}),
    "newline in quotes": (['"1\n",2'], [[""], [""]], {}),
    "long delimiter": (["1,2"], [[0], [0]], {"field_delim": "ab"}),
    "scalars": (["1,2"], [1, 2.0], {}),
    "overflow": (["9999999999"], [[0]], {}),
    "empty quotes": (['"",'], [["d"], ["e"]], {}),
    "wide": (["9999999999,1e300"], [np.array([0]), np.array([0.0])], {}),
    "no records": (np.zeros([0], "S"), [[0], [0.0]], {}),
    "trailing": (["a,b,"], [["x"], ["y"], ["z"]], {}),
    "leading newline": (["\na,b"], [["x"], ["y"]], {}),
}


@program(cases=CSV)
def decode_csv(tf, case):
    records, defaults, options = case
    made = tf.decode_csv(records, defaults, **options)
    return made, tf.decode_csv(texts(tf, None), defaults, **options), run(tf, [made])


@program()
def decode_csv_refuses(tf):
    f = tf.decode_csv
    return [
        attempt(f, ["1,2"], [[0], [0]], select_cols=[1, 0]),
        attempt(f, ["1"], [[0]], select_cols=[-1]),
        attempt(f, ["1"], [[0]], select_cols=[0, 1]),
        attempt(f, ["1"], [[1, 2]]),
        attempt(f, ["1"], []),
        attempt(f, ["1"], [[True]]),
        attempt(f, [1], [[0]]),
    ]


# ---- values as text

SHOWN = {
    "scalar": 3,
    "vector": list(range(20)),
    "matrix": np.arange(20).reshape(4, 5),
    "cube": np.arange(27.0).reshape(3, 3, 3),
    "floats": [1e10, 1.5, -0.0, float("nan"), float("inf"), 0.1, 1 / 3, 123456.789],
    "doubles": np.array([1e10, 0.1, 1 / 3, 1e-7, 123456789.123456789]),
    "bools": [True, False],
    "strings": ["a", "\x01\x7f", "b\n", 'q"', "é", "\\", "'"],
    "string": "x\t",
    "complex": [1 + 2j],
    "empty": np.zeros([0, 3]),
    "rows of nothing": np.zeros([3, 0]),
    "long axis of pairs": np.arange(16).reshape(8, 2),
    "small": np.array([1, 2], np.uint8),
}


@program(cases=SHOWN)
def string_format(tf, case):
    made = [tf.strings.format("<{}>", tf.constant(case), summarize=n) for n in (3, 1, -1)] + [
        tf.strings.format("{} {}", [case, tf.constant(1)], name="given"),
        tf.strings.format("%s", (case,), placeholder="%s"),
    ]
    return made, run(tf, made)


@program()
def string_format_refuses(tf):
    f = tf.strings.format
    made = f("nothing", [])
    return (
        made,
        run(tf, [made]),
        attempt(f, "{} {}", tf.constant(1)),
        attempt(f, "{}", []),
        attempt(f, "x", [tf.constant(1)]),
    )


@program()
def print_nodes(tf):
    """What tf.print makes of its arguments, as nodes; printing itself is not seen here."""
    x = tf.constant([1, 2])
    made = [
        tf.print("a", x, 3, [tf.constant(1.5), "x"], {"k": tf.constant([[1, 2], [3, 4]])}),
        tf.print("a", sep="-"),
        tf.print(),
        tf.print(tf.constant("hi {}"), end="!\n", name="given"),
        tf.print("text {}", 4, x),
        tf.print("x", output_stream="file:///tmp/nothing"),
        tf.print("x", x, output_stream=tf.logging.info, summarize=-1),
        tf.print(tf.SparseTensor([[0, 1]], [2.0], [2, 2])),
        tf.print({"b": 1, "a": (x, [None, "q"])}, tf.constant(True), name="two"),
        tf.print(x, x, sep=", "),
        tf.print(["a", "b"]),
        tf.print("w", output_stream=tf.logging.warning),
        tf.print("e", output_stream=tf.logging.ERROR),
        tf.print(tf.constant(["v"])),
    ]
    errors = [attempt(tf.print, "x", output_stream="bad"), attempt(tf.print, "x", foo=1)]
    return made, errors


@program()
def timestamp(tf):
    t = tf.timestamp(name="now")
    with tf.Session() as sess:
        first, second = sess.run(t), sess.run(t)
    return t, tf.timestamp(), bool(first > 1.5e9), bool(second >= first)


# ---- files


@program(graph=False)
def files(tf):
    import os
    import tempfile

    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "new", "file.txt")
    with tf.Session() as sess:
        before = sess.run(tf.matching_files(os.path.join(folder, "new", "*")))
        sess.run(tf.write_file(path, "hello\n"))
        sess.run(tf.write_file(tf.constant(path + "2"), b"\xff\x00"))
        sess.run(tf.write_file(path, "again"))
        read = sess.run([tf.read_file(path), tf.read_file(path + "2", name="two")])
        found = [
            sess.run(tf.matching_files(pattern))
            for pattern in (
                os.path.join(folder, "new", "*"),
                [os.path.join(folder, "*", "*2"), os.path.join(folder, "new", "f???.txt")],
                os.path.join(folder, "new", "[!f]*"),
                "",
            )
        ]
        found = [[name.decode().replace(folder, "") for name in names] for names in found]
        errors = [
            type(attempt(sess.run, tf.read_file(os.path.join(folder, name)))).__name__ for name in ("missing", "new")
        ]
    return len(before), read, found, errors


@program(graph=False)
def files_static(tf):
    made = [
        tf.read_file("a"),
        tf.matching_files("a"),
        tf.matching_files(["a", "b"]),
        tf.write_file("a", "b", name="given"),
    ]
    return (
        made,
        [
            attempt(tf.read_file, ["a"]),
            attempt(tf.write_file, ["a"], "b"),
            attempt(tf.write_file, "a", ["b"]),
            attempt(tf.matching_files, [["a"]]),
            attempt(tf.read_file, 1),
        ],
        run(
            tf,
            [tf.read_file(unknown(tf, ["a"])), tf.write_file(unknown(tf, ["a"]), "x"), tf.read_file("/nonexistent/x")],
        ),
    )


# ---- strings elsewhere


@program()
def operators(tf):
    a, b = tf.constant(["a", "b"]), tf.constant(["a", "c"])
    made = [
        a + b,
        a + "x",
        "x" + a,
        tf.equal(a, b),
        tf.not_equal(a, "a"),
        tf.add(a, b),
        tf.concat([a, b], 0),
        tf.gather(a, [1, 0]),
        tf.where(tf.equal(a, b), a, b),
        tf.stack([a, b]),
        tf.reshape(a, [2, 1]),
        tf.zeros([2], tf.string),
        tf.fill([2], "z"),
        tf.identity(a),
    ]
    return made, run(tf, made), attempt(lambda: a - b), attempt(lambda: a * 2), attempt(lambda: tf.less(a, b))


@program()
def namespace(tf):
    names = (
        "as_string format join length lower reduce_join regex_full_match regex_replace split strip substr "
        "to_hash_bucket to_hash_bucket_fast to_hash_bucket_strong to_number unicode_transcode "
        "unsorted_segment_join upper"
    )
    return [name for name in names.split() if not callable(getattr(tf.strings, name))]
