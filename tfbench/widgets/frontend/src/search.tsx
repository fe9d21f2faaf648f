// The search box: names with * wildcards or /regular expressions/, `type:`, `scope:` and `device:`; a list of what fits,
// chosen by key or click; what is found can be shown alone or hidden.

import { useRef, useState } from "preact/hooks";
import { useModel } from "./hooks";
import type { Model } from "./model";
import { count, shorten } from "./text";

const LISTED = 50;

export function Search({ model }: { model: Model }) {
  useModel(model, "query", "graph");
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const input = useRef<HTMLInputElement>(null);
  const found = (): number[] => model.matches()?.slice(0, LISTED) ?? [];
  const matches = model.matches();
  const listed = found();
  const choose = (op: number | undefined): void => {
    if (op === undefined) return;
    model.select(model.ops[op]!.name);
    setOpen(false);
  };
  const key = (event: KeyboardEvent): void => {
    event.stopPropagation();
    // Asked again, not taken from the last drawing: a quick typist's Enter comes before the box is drawn anew.
    const listed = found();
    if (event.key === "ArrowDown") setAt(Math.min(at + 1, listed.length - 1));
    else if (event.key === "ArrowUp") setAt(Math.max(at - 1, 0));
    else if (event.key === "Enter") choose(listed[Math.max(at, 0)]);
    else if (event.key === "Escape") {
      if (open && listed.length) setOpen(false);
      else model.search("");
    } else return;
    event.preventDefault();
  };
  // The buttons under the list can be reached by Tab.
  const leave = (event: FocusEvent): void => {
    if (!(event.currentTarget as HTMLElement).contains(event.relatedTarget as Node | null)) setOpen(false);
  };
  const act = (label: string, what: "focus" | "hide") => (
    <button
      type="button"
      class="tfb-more"
      onMouseDown={(e) => {
        e.preventDefault(); // the list stays open until the click
      }}
      onClick={() => {
        model.addRule({ do: what, by: "search", what: [model.query.trim()] });
        model.search("");
        model.show("map");
        setOpen(false);
      }}
      data-testid={`tfb-found-${what}`}
    >
      {label}
    </button>
  );
  return (
    <div class="tfb-search" onFocusIn={() => setOpen(true)} onFocusOut={(e) => leave(e)}>
      <svg width="13" height="13" viewBox="0 0 13 13" aria-hidden="true">
        <circle cx="5.5" cy="5.5" r="4" />
        <path d="M8.6 8.6 L12 12" />
      </svg>
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-expanded={open && listed.length > 0}
        aria-controls="tfb-found"
        aria-label="Search operations: names, * for anything, /regular expression/, type:, scope:, device:"
        aria-keyshortcuts="/"
        aria-activedescendant={at >= 0 ? `tfb-found-${at}` : undefined}
        placeholder="Search: conv*, type:Relu"
        spellcheck={false}
        value={model.query}
        onInput={(e) => {
          model.search(e.currentTarget.value);
          setOpen(true);
          setAt(-1);
        }}
        onKeyDown={key}
        data-testid="tfb-search"
      />
      {matches && (
        <button type="button" class="tfb-clear" aria-label="Clear the search" onClick={() => (model.search(""), input.current?.focus())}>
          ×
        </button>
      )}
      {open && matches && (
        <div class="tfb-found" id="tfb-found" role="listbox" data-testid="tfb-found">
          <div class="tfb-found-count">{matches.length ? count(matches.length, "operation") : "No operation fits."}</div>
          {matches.length > 0 && (
            <div class="tfb-found-do">
              {act("show only these", "focus")}
              {act("hide these", "hide")}
            </div>
          )}
          {listed.map((op, i) => (
            <div
              key={op}
              id={`tfb-found-${i}`}
              role="option"
              aria-selected={i === at}
              class={i === at ? "tfb-selected" : ""}
              onMouseDown={(e) => {
                e.preventDefault();
                choose(op);
              }}
            >
              <span>{shorten(model.ops[op]!.name, 48)}</span>
              <i>{shorten(model.ops[op]!.type, 18)}</i>
            </div>
          ))}
          {matches.length > LISTED && <div class="tfb-found-count">and {(matches.length - LISTED).toLocaleString("en")} more</div>}
        </div>
      )}
    </div>
  );
}
