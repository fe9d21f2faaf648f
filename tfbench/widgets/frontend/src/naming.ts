// Why a name ends in `_1`: what had the name before, and whose variables are used under the new one.

import type { Model } from "./model";
import { shorten, sourceText } from "./text";

/** One sentence for every part of `name` (an operation's, or a scope's with a slash at its end) that got a number. */
export function reasons(model: Model, name: string): string[] {
  const parts = name.replace(/\/$/, "").split("/");
  const found: string[] = [];
  parts.forEach((part, i) => {
    const base = part.replace(/_\d+$/, "");
    if (base === part) return;
    const around = parts.slice(0, i).map((above) => `${above}/`).join("");
    const isOp = i === parts.length - 1 && !name.endsWith("/");
    const said = isOp ? taken(model, around + base, name) : openedAgain(model, around + base, around + part);
    if (said) found.push(said);
  });
  return found;
}

function where(model: Model, op: number): string {
  const place = sourceText(model.ops[op]!.source);
  return place ? ` (${place})` : "";
}

/** An operation, `name`, that asked for the name `base`. */
function taken(model: Model, base: string, name: string): string {
  const earlier = model.find(base);
  const scope = model.tree.find(`${base}/`);
  const first = scope >= 0 ? model.tree.nodes[scope]!.first : Infinity;
  const holder = earlier >= 0 ? earlier : first;
  if (!(holder < model.find(name))) return "";
  const last = shorten(name.slice(name.lastIndexOf("/") + 1), 40);
  const what = earlier >= 0 ? `an earlier operation (${model.ops[earlier]!.type})` : "an earlier scope";
  return `${last}: the name ${shorten(base.slice(base.lastIndexOf("/") + 1), 40)} was taken by ${what}${where(model, holder)}.`;
}

/** A scope, `path`, that would have been `base`. */
function openedAgain(model: Model, base: string, path: string): string {
  const { tree } = model;
  const before = tree.find(`${base}/`);
  const now = tree.find(`${path}/`);
  const op = model.find(base);
  if (now < 0 || (before < 0 && op < 0)) return "";
  const first = before >= 0 ? tree.nodes[before]!.first : op;
  if (first >= tree.nodes[now]!.first) return "";
  const shared = model.variables.filter((v) => v.name.startsWith(`${base}/`) && v.read_by.some((reader) => reader.startsWith(`${path}/`)));
  const from = shorten(base, 40);
  const to = shorten(path, 40);
  if (shared.length) {
    const names = shared.slice(0, 3).map((v) => shorten(v.name, 40)).join(", ") + (shared.length > 3 ? " …" : "");
    return `The variable scope ${from} was opened again: variables keep its path (${names}), operations go to ${to}/.`;
  }
  return `${to}/: a scope ${from}/ was there already${where(model, first)}.`;
}
