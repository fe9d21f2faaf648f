// Small graphs for the tests, built like the kernel's messages say.

import { Model } from "../src/model";
import type { Op, Variable } from "../src/protocol";

export interface Sketch {
  name: string;
  type?: string;
  inputs?: (string | [string, number])[];
  control?: string[];
  dtype?: string;
  shape?: number[] | null;
  device?: string;
  attrs?: [string, string][];
}

/** A model that holds these operations; variables are found by their type. */
export function modelOf(sketches: Sketch[]): Model {
  const model = new Model();
  const at = new Map(sketches.map((s, i) => [s.name, i]));
  const ops: Op[] = sketches.map((s) => ({
    name: s.name,
    type: s.type ?? "NoOp",
    device: s.device ?? "",
    attrs: s.attrs ?? [],
    outputs: [{ dtype: s.dtype ?? "float32", shape: s.shape === undefined ? [2] : s.shape }],
    source: null,
    inputs: Int32Array.from(
      (s.inputs ?? []).flatMap((i) => (typeof i === "string" ? [at.get(i)!, 0] : [at.get(i[0])!, i[1]])),
    ),
    control: Int32Array.from((s.control ?? []).map((c) => at.get(c)!)),
  }));
  model.ops = ops;
  const variables = ops.flatMap((op, i): Variable[] =>
    op.type === "VariableV2"
      ? [
          {
            name: op.name,
            op: i,
            shape: op.outputs[0]!.shape,
            dtype: "float32",
            device: "",
            trainable: true,
            collections: ["variables"],
            initialized: null,
            bytes: 8,
            created_at: null,
            shared_with: [],
            read_by: [],
            written_by: [],
          },
        ]
      : [],
  );
  // `load` is what `apply` does once a message is read.
  model.load(ops, variables);
  return model;
}

export function variable(name: string): Sketch[] {
  return [
    { name: `${name}/init`, type: "Const" },
    { name, type: "VariableV2", dtype: "float32_ref" },
    { name: `${name}/Assign`, type: "Assign", inputs: [name, `${name}/init`], dtype: "float32_ref" },
    { name: `${name}/read`, type: "Identity", inputs: [name] },
  ];
}

/** Two layers, the second one sharing the first one's weights, an update and an initializer. */
export function layers(): Sketch[] {
  return [
    { name: "x", type: "Placeholder", shape: [-1, 4] },
    ...variable("a/w"),
    { name: "a/MatMul", type: "MatMul", inputs: ["x", "a/w/read"] },
    { name: "a/add/y", type: "Const", attrs: [["value", "2"]] },
    { name: "a/add", type: "AddV2", inputs: ["a/MatMul", "a/add/y"] },
    { name: "b/MatMul", type: "MatMul", inputs: ["a/add", "a/w/read"] },
    { name: "b/Relu", type: "Relu", inputs: ["b/MatMul"] },
    { name: "rate", type: "Const", attrs: [["value", "0.1"]] },
    { name: "update", type: "ApplyGradientDescent", inputs: ["a/w", "rate", "b/Relu"], dtype: "float32_ref" },
    { name: "init", type: "NoOp", control: ["a/w/Assign"] },
  ];
}

/** Every text is as wide as it is long. */
export const measure = (text: string): number => text.length * 6;

export function opened(model: Model, ...ids: string[]): Set<number> {
  return new Set(ids.map((id) => model.tree.find(id)));
}
