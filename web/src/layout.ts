// Where the nodes stand: a force layout that is the same each time, run in slices so that the page never freezes.

import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type Simulation } from 'd3-force';
import type { Detail } from './data';

export interface Body {
  index?: number;
  x: number;
  y: number;
  vx?: number;
  vy?: number;
  fx?: number | null; // held where the reader dragged it
  fy?: number | null;
}

/** Breadth-first from the first node of each component: neighbours start near each other, which saves half of the ticks. */
export function breadthFirst(n: number, edges: readonly (readonly [number, number])[]): number[] {
  const neighbours: number[][] = Array.from({ length: n }, () => []);
  for (const [u, v] of edges) {
    neighbours[u]!.push(v);
    neighbours[v]!.push(u);
  }
  const seen = new Uint8Array(n);
  const found: number[] = [];
  for (let root = 0; root < n; ++root) {
    if (seen[root]) continue;
    seen[root] = 1;
    found.push(root);
    for (let i = found.length - 1; i < found.length; ++i) {
      for (const next of neighbours[found[i]!]!) {
        if (seen[next]) continue;
        seen[next] = 1;
        found.push(next);
      }
    }
  }
  return found;
}

/** A sunflower in breadth-first order. */
function seeds(n: number, edges: Detail['edges'], distance: number): Body[] {
  const bodies = Array.from({ length: n }, (): Body => ({ x: 0, y: 0 }));
  breadthFirst(n, edges).forEach((node, place) => {
    const radius = 0.55 * distance * Math.sqrt(place + 0.5);
    const angle = place * Math.PI * (3 - Math.sqrt(5));
    bodies[node]!.x = radius * Math.cos(angle);
    bodies[node]!.y = radius * Math.sin(angle);
  });
  return bodies;
}

/** What one unit of given positions is on the stage, and about the length of an edge. */
export const kPositionUnit = 40;

export class Layout {
  readonly bodies: Body[];
  private readonly simulation: Simulation<Body, undefined> | null = null;

  constructor(detail: Detail) {
    const n = detail.nodes.count;
    const positions = detail.nodes.positions;
    const distance = kPositionUnit;
    if (positions) {
      // Pictures grow downwards, data (RDKit's coordinates) upwards.
      this.bodies = positions.map(([x, y]) => ({ x: x * distance, y: -y * distance }));
      return;
    }
    const large = n > 800;
    this.bodies = seeds(n, detail.edges, distance);
    const links = detail.edges.filter(([u, v]) => u !== v).map(([source, target]) => ({ source, target }));
    this.simulation = forceSimulation(this.bodies)
      .force(
        'charge',
        forceManyBody<Body>()
          .strength(large ? -60 : -180)
          .theta(large ? 1.2 : 0.9)
          .distanceMax(large ? 900 : 600),
      )
      .force('link', forceLink<Body, { source: number | Body; target: number | Body }>(links).distance(distance))
      .force('x', forceX<Body>(0).strength(large ? 0.02 : 0.04))
      .force('y', forceY<Body>(0).strength(large ? 0.02 : 0.04))
      .alphaDecay(large ? 0.035 : 0.0228)
      .stop();
    if (!large) this.simulation.force('collide', forceCollide<Body>(distance * 0.3));
  }

  get moving(): boolean {
    return this.simulation !== null && this.simulation.alpha() > this.simulation.alphaMin();
  }

  /** Lets the layout settle for at most so many milliseconds; returns whether nodes have moved. */
  settle(milliseconds: number): boolean {
    if (!this.simulation || !this.moving) return false;
    const end = performance.now() + milliseconds;
    do this.simulation.tick();
    while (this.moving && performance.now() < end);
    return true;
  }

  /** Holds a node at a place, or lets go of it: it stays where it was put. */
  drag(node: number, x: number, y: number): void {
    const body = this.bodies[node]!;
    body.x = x;
    body.y = y;
    if (!this.simulation) return;
    body.fx = x;
    body.fy = y;
    if (this.simulation.alpha() < 0.2) this.simulation.alpha(0.2);
  }
}
