// The inspector's views. A view is registered here and nowhere else; the panel shows the tabs in this order.

import type { ComponentType } from "preact";
import type { MapView } from "./mapview";
import type { Model } from "./model";

/** What every view gets. `map` keeps camera and open scopes while other views are shown. */
export interface ViewProps {
  model: Model;
  map: MapView;
  announce: (text: string) => void;
}

export interface View {
  id: string;
  title: string;
  order: number;
  component: ComponentType<ViewProps>;
}

const registry = new Map<string, View>();

export function registerView(view: View): void {
  if (registry.has(view.id)) throw new Error(`view ${view.id} is registered twice`);
  registry.set(view.id, view);
}

export function views(): View[] {
  return [...registry.values()].sort((a, b) => a.order - b.order);
}
