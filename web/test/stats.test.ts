import { describe, expect, it } from 'vitest';
import type { Data, GraphRow } from '../src/data';
import {
  argmax,
  decisionSpread,
  deviation,
  fitOf,
  isRight,
  numberPairs,
  range,
  scaledError,
  thinned,
  widened,
  wrongness,
} from '../src/stats';

const row = (mean: number[], target: (number | null)[]): GraphRow => ({
  id: '',
  mean,
  target,
  walk_spread: mean.map((_, c) => 0.1 * (c + 1)),
  nodes: 1,
  edges: 0,
  detail: null,
});

describe('statistics', () => {
  it('are those of the textbook', () => {
    expect(argmax([0.2, 0.5, 0.3])).toBe(1);
    expect(deviation([2, 4, 4, 4, 5, 5, 7, 9])).toBeCloseTo(2.138, 3);
    expect(deviation([1])).toBe(0);
    expect(range([3, NaN, -1, Infinity])).toEqual([-1, 3]);
    expect(range([])).toEqual([0, 0]);
  });
});

describe('wrongness', () => {
  it('is the lead of the best wrong class', () => {
    expect(wrongness(row([0.1, 0.7, 0.2], [0]), 'classification')).toBeCloseTo(0.6);
    expect(wrongness(row([0.1, 0.7, 0.2], [1]), 'classification')).toBeCloseTo(-0.5);
    expect(wrongness(row([0.1, 0.9], [null]), 'classification')).toBe(null);
  });

  it('is that of the worst question', () => {
    expect(wrongness(row([0.9, 0.8], [1, 0]), 'multilabel')).toBeCloseTo(0.6);
    expect(wrongness(row([0.9, 0.8], [null, null]), 'multilabel')).toBe(null);
  });

  it('agrees in sign with right and wrong', () => {
    for (let i = 0; i < 50; ++i) {
      const p = (i + 0.25) / 50;
      const one = row([p, 1 - p], [i % 2]);
      expect(wrongness(one, 'classification')! > 0).toBe(isRight(one, 'classification') === false);
    }
  });
});

it('errors are in units of the target, the walk spread is that of the decision', () => {
  expect(scaledError(row([1, 10], [0, null]), [2, 1])).toBe(0.5);
  expect(scaledError(row([1], [null]), [1])).toBe(null);
  expect(decisionSpread(row([0.2, 0.8], [0]), 'classification')).toBeCloseTo(0.2);
});

it('pairs of numbers leave out what is not known', () => {
  const data = {
    graphs: [row([1], [2]), row([3], [null]), { ...row([5], [6]), finite: false as const }, row([4], [3])],
  };
  const pairs = numberPairs(data as unknown as Data, 0);
  expect(pairs).toEqual([
    { graph: 0, said: 1, truth: 2 },
    { graph: 3, said: 4, truth: 3 },
  ]);
  expect(fitOf(pairs)).toEqual({ r2: 1 - 2 / 0.5, mae: 1 });
  expect(fitOf([{ graph: 0, said: 1, truth: 2 }]).r2).toBeNull();
});

it('thins long lists evenly, and gives a range room', () => {
  expect(thinned([0, 1, 2, 3, 4], 2)).toEqual([0, 3]);
  expect(thinned([0, 1], 2)).toEqual([0, 1]);
  expect(widened([1, 1])).toEqual([0.5, 1.5]);
  expect(widened([0, 100])).toEqual([-4, 104]);
});
