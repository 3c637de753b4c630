// The list of graphs: which are shown and in which order.

import type { Data, GraphRow } from './data';
import { argmax, decisionSpread, isRight, scaledError, targetScales, wrongness } from './stats';

export type Sort = 'given' | 'wrong' | 'error' | 'spread' | 'size' | 'id';

export const kSortNames: Record<Sort, string> = {
  given: 'as listed',
  wrong: 'most confidently wrong',
  error: 'largest error',
  spread: 'largest walk spread',
  size: 'most nodes',
  id: 'id',
};

export interface Filter {
  text: string; // part of the id, in any case
  target: number | null; // true class (or question answered yes)
  predicted: number | null; // predicted class (or question predicted yes)
  right: boolean | null;
  walks: boolean; // only graphs whose walks were recorded
}

export const kNoFilter: Filter = { text: '', target: null, predicted: null, right: null, walks: false };

/** The sorts that mean something for the task; the first is the default. */
export function sortsOf(data: Data): Sort[] {
  if (data.model.programmed) return ['given', 'size', 'id'];
  return data.task === 'regression' ? ['error', 'spread', 'size', 'id'] : ['wrong', 'spread', 'size', 'id'];
}

function has(row: GraphRow, values: readonly (number | null)[], wanted: number, classes: boolean): boolean {
  if (classes) return values === row.mean ? argmax(row.mean) === wanted : values[0] === wanted;
  return (values[wanted] ?? -1) >= 0.5;
}

function named(row: GraphRow, text: string): boolean {
  return row.id.toLowerCase().includes(text) || (row.smiles?.toLowerCase().includes(text) ?? false);
}

export function matches(row: GraphRow, filter: Filter, data: Data): boolean {
  const classes = data.task === 'classification';
  if (filter.walks && row.detail === null) return false;
  if (filter.text !== '' && !named(row, filter.text.toLowerCase())) return false;
  if (filter.target !== null && !has(row, row.target, filter.target, classes)) return false;
  if (filter.predicted !== null && row.finite === false) return false;
  if (filter.predicted !== null && !has(row, row.mean, filter.predicted, classes)) return false;
  return filter.right === null || isRight(row, data.task) === filter.right;
}

/** Ids in the order people expect: graph2 before graph10. */
const byId = new Intl.Collator('en', { numeric: true });

/** Indices into data.graphs; ties keep the order of the data, what has no key comes last. */
export function order(data: Data, filter: Filter, sort: Sort): number[] {
  const shown = data.graphs.map((_, i) => i).filter((i) => matches(data.graphs[i]!, filter, data));
  if (sort === 'given') return shown;
  if (sort === 'id') return shown.sort((a, b) => byId.compare(data.graphs[a]!.id, data.graphs[b]!.id) || a - b);
  const scales = sort === 'error' ? targetScales(data) : [];
  const key = (row: GraphRow): number | null => {
    if (sort === 'wrong') return wrongness(row, data.task);
    if (sort === 'error') return scaledError(row, scales);
    if (sort === 'spread') return decisionSpread(row, data.task);
    return row.nodes;
  };
  const keys = new Map(shown.map((i) => [i, key(data.graphs[i]!) ?? -Infinity]));
  return shown.sort((a, b) => {
    const left = keys.get(a)!;
    const right = keys.get(b)!;
    return left === right ? a - b : right > left ? 1 : -1;
  });
}

/** The neighbour in the list, for the arrow keys; stays at the ends, and enters the list from outside at its start. */
export function neighbour(shown: readonly number[], current: number | null, step: number): number | null {
  if (shown.length === 0) return null;
  const at = current === null ? -1 : shown.indexOf(current);
  if (at < 0) return shown[0]!;
  return shown[Math.min(shown.length - 1, Math.max(0, at + step))]!;
}

export function countText(shown: number, all: number): string {
  const plural = all === 1 ? 'graph' : 'graphs';
  return shown === all ? `${all} ${plural}` : `${shown} of ${all} ${plural}`;
}
