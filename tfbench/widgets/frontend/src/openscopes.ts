// Which scopes are open. Kept by id, so that it survives changes of the graph.

import type { Hierarchy } from "./hierarchy";

/** Scopes open by themselves while no more boxes than this are in sight; more where there is hardly one yet. */
const AUTO_OPEN = 26;
const AUTO_OPEN_FIRST = 64;
const HARDLY_ANY = 8;

export class OpenScopes {
  private readonly open = new Set<string>();
  private readonly known = new Set<string>();

  /** The open ones as nodes of the present tree. */
  nodes(tree: Hierarchy): Set<number> {
    return new Set([...this.open].map((id) => tree.find(id)).filter((node) => node >= 0));
  }

  toggle(id: string): void {
    if (!this.open.delete(id)) this.open.add(id);
  }

  all(tree: Hierarchy): boolean {
    return tree.nodes.every((group) => group.kind !== "scope" || !group.id || this.open.has(group.id));
  }

  /** Opens every scope, or closes all. */
  toggleAll(tree: Hierarchy): void {
    if (this.all(tree)) this.open.clear();
    else for (const group of tree.nodes) if (group.kind === "scope" && group.id) this.open.add(group.id);
  }

  /** Opens what hides a node; whether there was anything to open. */
  reveal(tree: Hierarchy, node: number): boolean {
    const above = tree.path(tree.standFor(node)).slice(1, -1).map((up) => tree.nodes[up]!.id);
    const closed = above.filter((id) => !this.open.has(id));
    for (const id of closed) this.open.add(id);
    return closed.length > 0;
  }

  /** New scopes open while the picture stays small; what a person closed stays closed. */
  welcome(tree: Hierarchy): void {
    const openable = (node: number): boolean => tree.nodes[node]!.kind === "scope";
    const queue: number[] = [...tree.nodes[0]!.children];
    let shown = queue.length;
    const later: number[] = [];
    while (queue.length) {
      const node = queue.shift()!;
      const { id, children } = tree.nodes[node]!;
      if (!openable(node)) continue;
      if (this.open.has(id)) {
        shown += children.length;
        queue.push(...children);
      } else if (!this.known.has(id)) later.push(node);
    }
    while (later.length) {
      const node = later.shift()!;
      const { id, children } = tree.nodes[node]!;
      if (shown + children.length - 1 > (shown < HARDLY_ANY ? AUTO_OPEN_FIRST : AUTO_OPEN)) continue;
      this.open.add(id);
      shown += children.length - 1;
      later.push(...children.filter(openable));
    }
    for (const group of tree.nodes) if (group.kind === "scope") this.known.add(group.id);
  }
}
