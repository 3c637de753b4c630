// Where the agents are at a time between two visits, and what they may do next. Time runs from 0 to T; whole numbers are visits.

import type { AgentWalk, Move, Rollout } from './data';

export interface Point {
  x: number;
  y: number;
}

/** Slow at both ends, so that one sees where a move begins and ends. */
export function ease(f: number): number {
  return f * f * (3 - 2 * f);
}

/** The visit at or before the time, and how far the move to the next one has come. */
export function split(time: number, steps: number): { visit: number; part: number } {
  const clamped = Math.min(Math.max(time, 0), steps);
  const visit = Math.min(Math.floor(clamped), steps);
  return { visit, part: clamped - visit };
}

/** The last visit of a rollout: T. */
export function lastVisit(rollout: Rollout): number {
  return rollout.outputs.length - 1;
}

/**
 * Places for agents that share a node, in units of an agent's radius. They stand on the node's rim, so that its colour and label
 * stay in sight, in rings of 6, 12, 18, ...; a ring that is not full spreads evenly. On a node smaller than itself an agent stands in the middle.
 */
export function fan(count: number, rim = 0): Point[] {
  if (count === 1) return rim < 1 ? [{ x: 0, y: 0 }] : [{ x: 0.71 * rim, y: -0.71 * rim }];
  const places: Point[] = [];
  let radius = Math.max(1.15, rim);
  for (let ring = 1; places.length < count; ++ring) {
    const here = Math.min(6 * ring, count - places.length);
    // Neighbours on a ring are at least 2.1 radii apart, and so are rings.
    radius = Math.max(radius, here > 1 ? 1.05 / Math.sin(Math.PI / here) : 0);
    for (let i = 0; i < here; ++i) {
      const angle = -Math.PI / 2 + (2 * Math.PI * i) / here;
      places.push({ x: radius * Math.cos(angle), y: radius * Math.sin(angle) });
    }
    radius += 2.1;
  }
  return places;
}

/** The fan of one visit: for each agent its place around its node. */
export function fans(agents: readonly AgentWalk[], visit: number, rim: (node: number) => number = () => 0): Point[] {
  const here = new Map<number, number[]>();
  agents.forEach((agent, a) => {
    const node = agent.path[visit]!;
    const others = here.get(node);
    if (others) others.push(a);
    else here.set(node, [a]);
  });
  const places = new Array<Point>(agents.length);
  for (const [node, group] of here) {
    const ring = fan(group.length, rim(node));
    group.forEach((a, i) => (places[a] = ring[i]!));
  }
  return places;
}

export function between(a: Point, b: Point, f: number): Point {
  return { x: a.x + f * (b.x - a.x), y: a.y + f * (b.y - a.y) };
}

/** All agents at a time, on the screen: `nodes` says where nodes are and how big, `radius` how big an agent is drawn. */
export function agentPlaces(
  rollout: Rollout,
  time: number,
  nodes: { place(node: number): Point; radius(node: number): number },
  radius: number,
): Point[] {
  const { visit, part } = split(time, lastVisit(rollout));
  const rim = (node: number) => nodes.radius(node) / radius;
  const from = fans(rollout.agents, visit, rim);
  const to = part > 0 ? fans(rollout.agents, visit + 1, rim) : from;
  const f = ease(part);
  return rollout.agents.map((agent, a) => {
    const start = nodes.place(agent.path[visit]!);
    const end = part > 0 ? nodes.place(agent.path[visit + 1]!) : start;
    const centre = between(start, end, f);
    const offset = between(from[a]!, to[a]!, f);
    return { x: centre.x + radius * offset.x, y: centre.y + radius * offset.y };
  });
}

/** The move that is under way or comes next; at the end of the walk the last one made, null where there was none. */
export function moveAt(agent: AgentWalk, time: number): Move | null {
  const { visit } = split(time, agent.path.length - 1);
  return agent.moves[Math.min(visit, agent.moves.length - 1)] ?? null;
}

/** Per node: the expected number of agents that this move brings there (of one agent: its probability). */
export function arrivals(rollout: Rollout, time: number, n: number, only: number | null): Float64Array {
  const expected = new Float64Array(n);
  rollout.agents.forEach((agent, a) => {
    if (only !== null && a !== only) return;
    const move = moveAt(agent, time);
    move?.nodes.forEach((node, i) => (expected[node]! += move.p[i]!));
  });
  return expected;
}

/** The last `length` visits of an agent, oldest first, ending with the visit it is at. */
export function trail(agent: AgentWalk, time: number, length: number): number[] {
  const { visit } = split(time, agent.path.length - 1);
  return agent.path.slice(Math.max(0, visit - length), visit + 1);
}

/** The answer at a time, linear between visits. */
export function outputsAt(rollout: Rollout, time: number): number[] {
  const { visit, part } = split(time, lastVisit(rollout));
  const now = rollout.outputs[visit]!;
  const next = rollout.outputs[Math.min(visit + 1, lastVisit(rollout))]!;
  return now.map((x, c) => x + part * (next[c]! - x));
}

/** Candidates, likeliest first. */
export function ranked(move: Move): { node: number; p: number }[] {
  return move.nodes.map((node, i) => ({ node, p: move.p[i]! })).sort((a, b) => b.p - a.p);
}
