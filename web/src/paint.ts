// From numbers to node colours, and the legend that says what they mean.

import type { Detail, Rollout } from './data';
import { amount, kind, signed } from './colour';
import { range } from './stats';
import type { Colouring } from './store';
import { arrivals } from './walk';

export type Legend =
  | { kind: 'amount' | 'signed'; title: string; low: string; high: string }
  | { kind: 'kinds'; title: string; entries: { name: string; colour: string; count: number }[] }
  | { kind: 'missing'; title: string };

export interface Paint {
  fill: string[]; // [n]
  emphasis: number[]; // [n] in [0, 1]
  legend: Legend;
}

const number = (x: number) => String(Number(x.toPrecision(2)));

/** Labels, the most frequent first: eight have a colour of their own, the rest share the last. */
export function labelKinds(labels: readonly string[]): { name: string; count: number; kind: number }[] {
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  const names = [...counts.keys()].sort((a, b) => counts.get(b)! - counts.get(a)! || (a < b ? -1 : 1));
  return names.map((name, i) => ({ name, count: counts.get(name)!, kind: Math.min(i, 7) }));
}

/** `time` and `follow` matter for the colouring by chance alone. */
export function paint(
  detail: Detail,
  rollout: Rollout | null,
  colouring: Colouring,
  time: number,
  follow: number | null,
  grey: string,
): Paint {
  const n = detail.nodes.count;
  const plain = (title: string): Paint => ({
    fill: new Array<string>(n).fill(grey),
    emphasis: new Array<number>(n).fill(0),
    legend: { kind: 'missing', title },
  });

  if (colouring === 'label') {
    const labels = detail.nodes.labels;
    if (!labels) return plain('the nodes have no labels');
    const kinds = labelKinds(labels);
    const kindOf = new Map(kinds.map((entry) => [entry.name, entry.kind]));
    const entries = kinds
      .slice(0, 7)
      .map((entry) => ({ name: entry.name, colour: kind(entry.kind), count: entry.count }));
    const rest = kinds.slice(7);
    if (rest.length > 0) {
      const name = rest.length === 1 ? rest[0]!.name : `${rest.length} others`;
      entries.push({ name, colour: kind(7), count: rest.reduce((sum, entry) => sum + entry.count, 0) });
    }
    return {
      fill: labels.map((label) => kind(kindOf.get(label)!)),
      emphasis: new Array<number>(n).fill(0.3),
      legend: { kind: 'kinds', title: 'label of the node', entries },
    };
  }

  if (colouring === 'influence') {
    if (!detail.influence) return plain('influence was not computed for this page');
    const [low, high] = range(detail.influence);
    const largest = Math.max(Math.abs(low), Math.abs(high)) || 1;
    return {
      fill: detail.influence.map((x) => signed(x / largest)),
      emphasis: detail.influence.map((x) => Math.abs(x) / largest),
      legend: {
        kind: 'signed',
        title: 'influence on the prediction',
        low: number(-largest),
        high: `+${number(largest)}`,
      },
    };
  }

  if (colouring === 'chance') {
    if (!rollout) return plain('no walk was recorded');
    const expected = Array.from(arrivals(rollout, time, n, follow));
    const largest = Math.max(follow === null ? range(expected)[1] : 1, 1e-9);
    const title = follow === null ? 'agents expected after this move' : `probability of agent ${follow}'s move`;
    return {
      fill: expected.map((x) => (x > 0 ? amount(0.12 + (0.88 * x) / largest) : grey)),
      emphasis: expected.map((x) => x / largest),
      legend: { kind: 'amount', title, low: '0', high: number(largest) },
    };
  }

  const largest = range(detail.visits)[1] || 1;
  // Square roots: starts are uniform and the favourites would make the rest look equally empty.
  return {
    fill: detail.visits.map((x) => (x > 0 ? amount(0.08 + 0.92 * Math.sqrt(x / largest)) : grey)),
    emphasis: detail.visits.map((x) => Math.sqrt(Math.max(0, x) / largest)),
    legend: { kind: 'amount', title: 'visits per rollout (root scale)', low: '0', high: number(largest) },
  };
}
