import { describe, expect, it } from 'vitest';
import type { Rollout } from '../src/data';
import { agentPlaces, arrivals, ease, fan, moveAt, outputsAt, ranked, split, trail } from '../src/walk';

// Two agents on a path of three nodes: both start on 0, one goes to 1 and 2, the other stays.
const rollout: Rollout = {
  outputs: [
    [0.5, 0.5],
    [0.7, 0.3],
    [0.9, 0.1],
  ],
  agents: [
    {
      path: [0, 1, 2],
      moves: [
        { nodes: [0, 1], p: [0.25, 0.75] },
        { nodes: [0, 1, 2], p: [0.1, 0.2, 0.7] },
      ],
    },
    {
      path: [0, 0, 0],
      moves: [
        { nodes: [0, 1], p: [0.5, 0.5] },
        { nodes: [0, 1], p: [1, 0] },
      ],
    },
  ],
};
const nodes = { place: (node: number) => ({ x: 100 * node, y: 0 }), radius: () => 0 };

describe('time', () => {
  it('is a visit and a part of the next move, clamped to the walk', () => {
    expect(split(1.25, 2)).toEqual({ visit: 1, part: 0.25 });
    expect(split(5, 2)).toEqual({ visit: 2, part: 0 });
    expect(split(-1, 2)).toEqual({ visit: 0, part: 0 });
  });

  it('moves answers in a straight line and agents with ease', () => {
    expect(outputsAt(rollout, 0.5)[0]).toBeCloseTo(0.6);
    expect(outputsAt(rollout, 2)).toEqual([0.9, 0.1]);
    expect([ease(0), ease(0.5), ease(1)]).toEqual([0, 0.5, 1]);
  });
});

describe('fanning', () => {
  it('never lets two agents overlap, whatever their number', () => {
    for (let count = 1; count <= 64; ++count) {
      const places = fan(count, 1.5);
      expect(places).toHaveLength(count);
      const gaps = places.flatMap((a, i) => places.slice(0, i).map((b) => Math.hypot(a.x - b.x, a.y - b.y)));
      expect(Math.min(...gaps, Infinity)).toBeGreaterThan(2);
    }
  });

  it('leaves a lonely agent on its node, on the rim of a big one', () => {
    expect(fan(1)).toEqual([{ x: 0, y: 0 }]);
    expect(Math.hypot(fan(1, 2)[0]!.x, fan(1, 2)[0]!.y)).toBeCloseTo(2, 1);
  });

  it('is at the nodes at visits and between them in between', () => {
    expect(agentPlaces(rollout, 1, nodes, 5)).toEqual([
      { x: 100, y: 0 },
      { x: 0, y: 0 },
    ]);
    const middle = agentPlaces(rollout, 1.5, nodes, 5);
    expect(middle[0]!.x).toBeCloseTo(150);
    const start = agentPlaces(rollout, 0, nodes, 5);
    expect(Math.hypot(start[0]!.x - start[1]!.x, start[0]!.y - start[1]!.y)).toBeGreaterThan(10);
  });
});

describe('moves', () => {
  it('are those under way; at the end the last one', () => {
    expect(moveAt(rollout.agents[0]!, 0.9)).toBe(rollout.agents[0]!.moves[0]);
    expect(moveAt(rollout.agents[0]!, 2)).toBe(rollout.agents[0]!.moves[1]);
    expect(moveAt({ path: [0], moves: [] }, 0)).toBe(null);
  });

  it('add up to the expected number of agents', () => {
    expect(Array.from(arrivals(rollout, 0, 3, null))).toEqual([0.75, 1.25, 0]);
    expect(Array.from(arrivals(rollout, 0, 3, 1))).toEqual([0.5, 0.5, 0]);
  });

  it('leave trails, and are ranked', () => {
    expect(trail(rollout.agents[0]!, 1.5, 5)).toEqual([0, 1]);
    expect(trail(rollout.agents[0]!, 2, 1)).toEqual([1, 2]);
    expect(ranked(rollout.agents[0]!.moves[1]!).map(({ node }) => node)).toEqual([2, 1, 0]);
  });
});
