"""tf.contrib.training.HParams, as TensorFlow 1.15 has it."""

from tests.oracle import attempt, program


def made(tf):
    return tf.contrib.training.HParams(
        rate=0.1, n=3, name="x", on=True, sizes=[1, 2], act=None, fs=[0.5], names=["a", "b"]
    )


TEXTS = [
    "rate=0.5", "n=4,rate=1", "n=1.5", "name=abc", "name=", "on=false", "on=0", "on=2", "on=no", "sizes=[3,4,5]",
    "sizes[1]=7", "sizes[]", "sizes=3", "fs=[1,2.5]", "names=[p,q,r]", "nope=1", "rate", "rate=0.1,rate=0.2",
    'name="a b"', "n=-3", "rate=1e-3", "n=1e3", "name=a b", "rate=x", "n=0x10", "rate = 0.7",
    "sizes[0]=1,sizes[0]=2", "sizes=[]", "",
]  # fmt: skip


@program(oracle="1.15", graph=False)
def texts(tf):
    def parsed(text):
        params = made(tf)
        assert params.parse(text) is params
        return sorted((name, str(value)) for name, value in params.values().items())

    return [attempt(parsed, text) for text in TEXTS]


@program(oracle="1.15", graph=False)
def values(tf):
    params = made(tf)
    params.add_hparam("more", 2)
    seen = [str(params), repr(params), params.to_json(), params.to_json(indent=1, sort_keys=True), params.more]
    params.n = 11
    seen += [params.values()["n"], "n" in params, "zz" in params]
    params.del_hparam("n")
    params.del_hparam("n")
    seen += ["n" in params, attempt(lambda: params.n)]
    params.override_from_dict({"rate": 2, "sizes": [7]}).parse_json('{"name": "y"}')
    seen += [params.rate, params.sizes, params.name]
    return seen


SETTINGS = [
    ("n", "x"), ("n", 1.5), ("n", 2.0), ("n", [1]), ("sizes", 1), ("rate", 2), ("nope", 2), ("on", 1), ("name", 1),
    ("act", 1), ("sizes", [1.5]), ("rate", None), ("n", True), ("fs", [1, 2]),
]  # fmt: skip


@program(oracle="1.15", graph=False)
def settings(tf):
    def set_to(name, value):
        params = made(tf)
        params.set_hparam(name, value)
        return str(params)

    return [attempt(set_to, name, value) for name, value in SETTINGS]


@program(oracle="1.15", graph=False)
def defaults(tf):
    params = made(tf)
    asked = [("n", None), ("zz", None), ("zz", 3), ("n", "s"), ("n", 4), ("n", [4]), ("sizes", 4), ("sizes", [4]),
             ("sizes", ["4"]), ("rate", 4)]  # fmt: skip
    return [attempt(params.get, key, default) for key, default in asked]


@program(oracle="1.15", graph=False)
def parse_values(tf):
    parse = tf.contrib.training.parse_values
    return [
        attempt(parse, "a=1,b=[1,2],c[1]=3,c[0]=5", {"a": int, "b": int, "c": int}),
        attempt(parse, "a=1,zz=2", {"a": int}),
        attempt(parse, "a=1,zz=2", {"a": int}, ignore_unknown=True),
        attempt(parse, "a=1,a[0]=2", {"a": int}),
        attempt(parse, "a[0]=[2]", {"a": int}),
        attempt(tf.contrib.training.HParams, rate=[]),
        attempt(tf.contrib.training.HParams, parse=1),
        attempt(made(tf).add_hparam, "n", 1),
    ]
