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
 * Places for agents that share a node, in units of an agent's radius: one stands in the middle, others on rings of 6, 12, 18, ...
 * A ring that is not full spreads evenly.
 */
export function fan(count: number): Point[] {
  if (count === 1) return [{ x: 0, y: 0 }];
  const places: Point[] = [];
  for (let ring = 1; places.length < count; ++ring) {
    const here = Math.min(6 * ring, count - places.length);
    // Neighbours on a ring are at least 2.1 radii apart.
    const radius = Math.max(1.15 + 2.1 * (ring - 1), here > 1 ? 1.05 / Math.sin(Math.PI / here) : 0);
    for (let i = 0; i < here; ++i) {
      const angle = -Math.PI / 2 + (2 * Math.PI * i) / here;
      places.push({ x: radius * Math.cos(angle), y: radius * Math.sin(angle) });
    }
  }
  return places;
}

/** The fan of one visit: for each agent its place around its node. */
export function fans(agents: readonly AgentWalk[], visit: number): Point[] {
  const here = new Map<number, number[]>();
  agents.forEach((agent, a) => {
    const node = agent.path[visit]!;
    const others = here.get(node);
    if (others) others.push(a);
    else here.set(node, [a]);
  });
  const places = new Array<Point>(agents.length);
  for (const group of here.values()) {
    const ring = fan(group.length);
    group.forEach((a, i) => (places[a] = ring[i]!));
  }
  return places;
}

export function between(a: Point, b: Point, f: number): Point {
  return { x: a.x + f * (b.x - a.x), y: a.y + f * (b.y - a.y) };
}

/** All agents at a time, on the screen: `place` says where a node is, `radius` how big an agent is drawn. */
export function agentPlaces(rollout: Rollout, time: number, place: (node: number) => Point, radius: number): Point[] {
  const { visit, part } = split(time, lastVisit(rollout));
  const from = fans(rollout.agents, visit);
  const to = part > 0 ? fans(rollout.agents, visit + 1) : from;
  const f = ease(part);
  return rollout.agents.map((agent, a) => {
    const start = place(agent.path[visit]!);
    const end = part > 0 ? place(agent.path[visit + 1]!) : start;
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
