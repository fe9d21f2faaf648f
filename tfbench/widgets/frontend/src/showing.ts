// What the map leaves out and how it groups: a short list of rules that the person (or `panel.focus`, `.hide`, `.group`
// in Python) keeps. The rules live in the kernel, so every page of a panel shows the same; `../showing.py` reads them
// the same way for the pictures that need no page.

import type { Model } from "./model";
import { count, matcher, shorten } from "./text";

export interface Rule {
  /** focus: only these (several rules add up); hide: not these; group: one box; dissolve: a scope without its box */
  do: "focus" | "hide" | "group" | "dissolve";
  /** what `what` says: names of ops and scopes, op types, a search, the middle of a neighbourhood, fetches */
  by: "name" | "type" | "search" | "near" | "needed";
  what: string[];
  /** of a neighbourhood */
  steps?: number;
  /** of a group */
  name?: string;
}

const DO = new Set(["focus", "hide", "group", "dissolve"]);
const BY = new Set(["name", "type", "search", "near", "needed"]);

/** The rules among what a trait holds; anything else is left out. */
export function readRules(value: unknown): Rule[] {
  if (!Array.isArray(value)) return [];
  return value.filter(
    (rule): rule is Rule => rule && DO.has(rule.do) && BY.has(rule.by) && Array.isArray(rule.what) && rule.what.every((w: unknown) => typeof w === "string"),
  );
}

/** For every op whether it is shown; null: all are. */
export function shownOps(model: Model, rules: Rule[]): Uint8Array | null {
  const focus = rules.filter((rule) => rule.do === "focus");
  const hide = rules.filter((rule) => rule.do === "hide");
  if (!focus.length && !hide.length) return null;
  const shown = new Uint8Array(model.ops.length).fill(focus.length ? 0 : 1);
  for (const rule of focus) for (const op of meant(model, rule)) shown[op] = 1;
  for (const rule of hide) for (const op of meant(model, rule)) shown[op] = 0;
  return shown;
}

/** The operations that a rule means. */
export function meant(model: Model, rule: Rule): Set<number> {
  const { ops } = model;
  const found = new Set<number>();
  if (rule.by === "type") {
    const types = new Set(rule.what);
    ops.forEach((op, i) => types.has(op.type) && found.add(i));
  } else if (rule.by === "search") {
    for (const query of rule.what) {
      const fits = matcher(query);
      ops.forEach((op, i) => fits(op.name, op.type, op.device) && found.add(i));
    }
  } else {
    for (const name of rule.what) {
      const scope = name.endsWith("/") ? name : `${name}/`;
      ops.forEach((op, i) => (op.name === name || op.name.startsWith(scope)) && found.add(i));
    }
    if (rule.by === "near") {
      spread(model, found, rule.steps ?? 1, true);
      // Whose read is near is near: it is drawn as the variable, not as an Identity of nothing.
      const { nodes, leaf } = model.tree;
      for (const op of [...found]) {
        const around = nodes[nodes[leaf[op]!]!.parent]!;
        if (around.kind === "variable") found.add(around.op);
      }
    }
    if (rule.by === "needed") spread(model, found, Infinity, false);
  }
  return found;
}

/** Adds what is up to `steps` edges away; against the edges alone, or both ways. */
function spread(model: Model, found: Set<number>, steps: number, bothWays: boolean): void {
  const { source, target } = model.edges;
  let rim = [...found];
  for (let step = 0; step < steps && rim.length; step++) {
    const next: number[] = [];
    const add = (op: number): void => {
      if (found.has(op)) return;
      found.add(op);
      next.push(op);
    };
    for (const op of rim) {
      for (const e of model.into[op]!) add(source[e]!);
      if (bothWays) for (const e of model.out[op]!) add(target[e]!);
    }
    rim = next;
  }
}

/** What a chip says. */
export function ruleText(rule: Rule): string {
  const names = rule.what.slice(0, 2).map((name) => shorten(name, 26)).join(", ") + (rule.what.length > 2 ? ` and ${rule.what.length - 2} more` : "");
  if (rule.do === "group") return `group ${shorten(rule.name ?? "", 24)}: ${names}`;
  if (rule.do === "dissolve") return `without its box: ${names}`;
  const verb = rule.do === "hide" ? "hidden" : "only";
  if (rule.by === "near") return `${verb}: within ${count(rule.steps ?? 1, "step")} of ${names}`;
  if (rule.by === "needed") return `${verb}: what ${names} needs`;
  if (rule.by === "search") return `${verb}: found by ${names}`;
  return `${verb}: ${rule.by === "type" ? "type " : ""}${names}`;
}
