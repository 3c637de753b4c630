// A view draws nodes and edges and knows where they are on the screen. There are two: a canvas for small graphs, WebGL for large
// ones; what is drawn on top of them (agents, trails, candidates) is the same for both, see overlay.ts.

import type { Detail } from './data';
import type { Layout } from './layout';
import type { Point } from './walk';

/** How the nodes look now. */
export interface Look {
  fill: readonly string[]; // [n]
  emphasis: readonly number[]; // [n] in [0, 1]: bigger nodes
  dark: boolean;
}

export interface GraphView {
  /** Draws with a new look; null keeps the last one (nodes moved, or the camera did). */
  draw(look: Look | null): void;
  place(node: number): Point; // in CSS pixels of the stage
  radius(node: number): number; // likewise
  nodeAt(x: number, y: number): number | null;
  fit(): void;
  zoom(factor: number): void;
  /** Pans, gently, until the node is well inside of the picture. */
  keepInSight(node: number): void;
  resize(): void;
  destroy(): void;
}

export interface ViewOptions {
  host: HTMLElement;
  detail: Detail;
  layout: Layout;
  onMoved: () => void; // the camera or a node has moved: the overlay must follow
  onTouched: () => void; // the reader took the camera: no more automatic fitting
}

export const kLargeGraph = 800;
