"""Record what TensorFlow makes of the programs.

`python tests/oracle/record.py [AREA ...]` with a Python that has TensorFlow.

Options: `--only WORD` (names that contain WORD), `--show` (print, do not write),
`--check` (fail if a recorded fact is no longer true).
TensorFlow 2 records the programs of its version,
TensorFlow 1.15 those with `oracle="1.15"`; the others in a file stay as they are.
Runs under Python 3.7 too: no newer syntax.
"""

from __future__ import annotations

import json
import os
import sys
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
if sys.path[:1] != [ROOT]:
    sys.path.insert(0, ROOT)

from tests.oracle import graphs, registry, values  # noqa: E402


def reference():
    """TensorFlow as tfbench means it: the 1.x API, with reference variables."""
    loaded = globals().get("tf")
    if loaded is not None:
        return loaded
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
    try:
        import tensorflow.compat.v1 as tensorflow
    except ImportError:
        import tensorflow
    if int(tensorflow.__version__.split(".")[0]) >= 2:
        tensorflow.disable_v2_behavior()
        tensorflow.disable_resource_variables()
    tensorflow.logging.set_verbosity(tensorflow.logging.ERROR)
    return tensorflow


def run(program, tf):
    """Run one program in a fresh thread (its own default graph, scopes and sessions): its fact, and what it raised."""
    box = {}

    def work():
        try:
            graph = tf.get_default_graph()
            try:
                result = program(tf)
            except BaseException as error:  # a KeyboardInterrupt that a program raises is an outcome as well
                box["raised"] = error
                box["fact"] = {"error": values.error(error, tf)}
                return
            fact = {"value": values.encode(result, tf)}
            if program.graph:
                fact["graph"] = graphs.rows(graph, tf)
            box["fact"] = fact
        except BaseException as trouble:  # in the harness, or in what it asks the graph: the caller's to see
            box["trouble"] = trouble

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if "trouble" in box:
        raise box["trouble"]
    return box["fact"], box.get("raised")


def without_full(fact):
    """A fact as it is kept: no whole messages, which hold paths and addresses."""
    if isinstance(fact, dict):
        return {key: without_full(item) for key, item in fact.items() if key != "full"}
    return [without_full(item) for item in fact] if isinstance(fact, list) else fact


def without_numbers(fact):
    """The fact of a program whose numbers are chance: arrays keep dtype and shape only, so that recording is stable."""
    if isinstance(fact, dict):
        if set(fact) & {"array", "scalar", "float"} and len(fact) == 1:
            return {kind: None if kind == "float" else [*item[:2], None] for kind, item in fact.items()}
        return {key: item if key == "graph" else without_numbers(item) for key, item in fact.items()}
    return [without_numbers(item) for item in fact] if isinstance(fact, list) else fact


def facts_path(area):
    return os.path.join(registry.FACTS, area + ".json")


def read(area):
    """The facts of one area: {program: fact}."""
    try:
        with open(facts_path(area), encoding="utf-8") as file:
            return json.load(file)
    except OSError:
        return {}


def dump(facts):
    """JSON with one line for each node and each fact, so that a change reads well in a diff."""
    compact = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True).encode
    blocks = []
    for name, fact in facts.items():
        lines = []
        for key, item in fact.items():
            if key == "graph" and item:
                rows = ",\n   ".join(compact(row) for row in item)
                lines.append(f'"graph":[\n   {rows}]')
            else:
                lines.append(f"{compact(key)}:{compact(item)}")
        blocks.append("{}:{{{}}}".format(compact(name), ",\n  ".join(lines)))
    return "{{\n{}\n}}\n".format(",\n".join(blocks))


def record(area, tf, only=""):
    """Facts of the area, freshly made where this TensorFlow is the one to ask, and the troubles met."""
    version = "2.21" if int(tf.__version__.split(".")[0]) >= 2 else "1.15"
    old, new, troubles = read(area), {}, []
    for name, program in registry.load(area).items():
        if program.oracle != version or only not in name:
            if name in old:
                new[name] = old[name]
            continue
        fact, raised = run(program, tf)
        kept = without_full(without_numbers(fact) if program.random else fact)
        new[name] = dict({"hash": program.hash()}, **kept)
        if raised is not None and isinstance(raised, (AttributeError, NameError, SyntaxError)) and not program.messages:
            troubles.append(f"{area}/{name} looks broken: {type(raised).__name__}: {raised}")
        if raised is not None:
            for words in program.messages or []:
                if words.lower() not in str(raised).lower():
                    troubles.append(f"{area}/{name}: TensorFlow does not say {words!r} but: {raised}")
        elif program.messages:
            troubles.append(f"{area}/{name}: has messages=, but raised nothing")
    return new, troubles


def main(arguments):
    only, flags, chosen = "", set(), []
    rest = iter(arguments)
    for argument in rest:
        if argument == "--only":
            only = next(rest)
        elif argument.startswith("--"):
            flags.add(argument)
        else:
            chosen.append(os.path.splitext(os.path.basename(argument))[0])
    unknown = sorted(set(chosen) - set(registry.areas())) + sorted(flags - {"--show", "--check"})
    if unknown:
        print("unknown: {}. Areas: {}".format(" ".join(unknown), " ".join(registry.areas())))
        return 2
    tf, failed = reference(), 0
    for area in chosen or registry.areas():
        facts, troubles = record(area, tf, only)
        text = dump(facts)
        for trouble in troubles:
            print(trouble)
        failed += len(troubles)
        if "--show" in flags:
            print(dump({name: fact for name, fact in facts.items() if only in name}))
        elif "--check" in flags:
            known = read(area)
            changed = [name for name in facts if facts[name] != known.get(name)]
            failed += len(changed)
            print(f"{area}: {len(facts)} facts, {len(changed)} changed " + " ".join(changed[:8]))
        else:
            if not os.path.isdir(registry.FACTS):
                os.makedirs(registry.FACTS)
            with open(facts_path(area), "w", encoding="utf-8") as file:
                file.write(text)
            print(f"{area}: {len(facts)} facts, {len(text) // 1024} kB")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
