import { describe, expect, it } from 'vitest';
import type { Data, GraphRow, Task } from '../src/data';
import { countText, kNoFilter, neighbour, order, sortsOf } from '../src/list';

function row(id: string, mean: number[], target: (number | null)[], nodes = 5): GraphRow {
  return { id, mean, target, walk_spread: mean.map(() => 0.1), nodes, edges: 4, detail: null };
}

function data(task: Task, graphs: GraphRow[]): Data {
  return {
    version: 1,
    title: '',
    created: '',
    model: { description: '', agents: 1, steps: 1, parameters: 1, file: '', programmed: false },
    task,
    outputs: graphs[0]!.mean.map((_, c) => `c${c}`),
    training: null,
    evaluation: null,
    graphs,
    details: [],
  };
}

const classes = data('classification', [
  row('g10', [0.9, 0.1], [0], 7), // right and sure
  row('g2', [0.6, 0.4], [1], 9), // wrong, unsure
  row('g1', [0.05, 0.95], [0], 3), // wrong and sure
  row('g3', [0.8, 0.2], [null], 4), // nobody knows
]);
const ids = (set: Data, shown: number[]) => shown.map((i) => set.graphs[i]!.id);

describe('the order of the list', () => {
  it('puts the most confidently wrong first and the unknown last', () => {
    expect(ids(classes, order(classes, kNoFilter, 'wrong'))).toEqual(['g1', 'g2', 'g10', 'g3']);
  });

  it('sorts ids as people count', () => {
    expect(ids(classes, order(classes, kNoFilter, 'id'))).toEqual(['g1', 'g2', 'g3', 'g10']);
  });

  it('sorts by size, and keeps the order of the data where that says nothing', () => {
    expect(ids(classes, order(classes, kNoFilter, 'size'))).toEqual(['g2', 'g10', 'g3', 'g1']);
    expect(ids(classes, order(classes, kNoFilter, 'spread'))).toEqual(['g10', 'g2', 'g1', 'g3']);
  });

  it('leaves the scenes of a theorem in their order', () => {
    const set = data('regression', [row('G1', [3], [null], 5), row('G2', [2], [null], 9)]);
    set.model.programmed = true;
    expect(sortsOf(set)[0]).toBe('given');
    expect(ids(set, order(set, kNoFilter, 'given'))).toEqual(['G1', 'G2']);
    expect(ids(set, order(set, kNoFilter, 'size'))).toEqual(['G2', 'G1']);
  });

  it('compares errors of numbers in units of their spread', () => {
    const set = data('regression', [
      row('a', [-0.1, 0], [1, 0]),
      row('b', [0, 0], [0, 100]),
      row('c', [0, 300], [0, 0]),
      row('d', [0, 0], [null, null]),
    ]);
    expect(sortsOf(set)[0]).toBe('error');
    expect(ids(set, order(set, kNoFilter, 'error'))).toEqual(['c', 'a', 'b', 'd']);
  });
});

describe('filters', () => {
  const shown = (filter: Partial<typeof kNoFilter>) => ids(classes, order(classes, { ...kNoFilter, ...filter }, 'id'));

  it('by id, true class, predicted class, right and wrong', () => {
    expect(shown({ text: 'G1' })).toEqual(['g1', 'g10']);
    expect(shown({ target: 0 })).toEqual(['g1', 'g10']);
    expect(shown({ predicted: 0 })).toEqual(['g2', 'g3', 'g10']);
    expect(shown({ right: false })).toEqual(['g1', 'g2']);
    expect(shown({ right: true })).toEqual(['g10']);
    expect(shown({ target: 1, predicted: 0 })).toEqual(['g2']);
    expect(shown({ walks: true })).toEqual([]);
  });

  it('of yes/no questions ask for yes', () => {
    const set = data('multilabel', [row('a', [0.9, 0.2], [1, 0]), row('b', [0.1, 0.7], [null, 0])]);
    expect(ids(set, order(set, { ...kNoFilter, target: 0 }, 'id'))).toEqual(['a']);
    expect(ids(set, order(set, { ...kNoFilter, predicted: 1 }, 'id'))).toEqual(['b']);
    expect(ids(set, order(set, { ...kNoFilter, right: false }, 'id'))).toEqual(['b']);
  });

  it('are counted', () => {
    expect(countText(3, 3)).toBe('3 graphs');
    expect(countText(0, 3)).toBe('0 of 3 graphs');
    expect(countText(1, 1)).toBe('1 graph');
  });
});

describe('the arrow keys', () => {
  it('move in the list, stop at its ends, and enter it at the start', () => {
    expect(neighbour([4, 2, 9], 2, 1)).toBe(9);
    expect(neighbour([4, 2, 9], 9, 1)).toBe(9);
    expect(neighbour([4, 2, 9], 4, -1)).toBe(4);
    expect(neighbour([4, 2, 9], 7, 1)).toBe(4);
    expect(neighbour([], 7, 1)).toBe(null);
  });
});
