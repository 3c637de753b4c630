// What a prediction says and how wrong it is: pure functions of one row of the list.

import type { Data, GraphRow, Task } from './data';

export function argmax(values: readonly number[]): number {
  let best = 0;
  for (let i = 1; i < values.length; ++i) if (values[i]! > values[best]!) best = i;
  return best;
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? NaN : values.reduce((sum, x) => sum + x, 0) / values.length;
}

/** Standard deviation of a sample (divides by n - 1); 0 for fewer than two values. */
export function deviation(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const centre = mean(values);
  return Math.sqrt(values.reduce((sum, x) => sum + (x - centre) ** 2, 0) / (values.length - 1));
}

/** Smallest and largest, without spreading long lists over the stack; [0, 0] of nothing. */
export function range(values: readonly number[]): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const x of values) {
    if (!Number.isFinite(x)) continue;
    if (x < low) low = x;
    if (x > high) high = x;
  }
  return low <= high ? [low, high] : [0, 0];
}

/** The predicted class, where the task has one. */
export function predictedClass(row: GraphRow, task: Task): number | null {
  return task === 'classification' && row.finite !== false ? argmax(row.mean) : null;
}

/** Whether the prediction is right; null where nothing is known or the task has no right and wrong. */
export function isRight(row: GraphRow, task: Task): boolean | null {
  if (task === 'regression' || row.finite === false) return null;
  if (task === 'classification') return row.target[0] == null ? null : argmax(row.mean) === row.target[0];
  let known = false;
  for (let c = 0; c < row.mean.length; ++c) {
    const target = row.target[c];
    if (target == null) continue;
    known = true;
    if (row.mean[c]! >= 0.5 !== target >= 0.5) return false;
  }
  return known ? true : null;
}

/**
 * How confidently wrong a prediction is, in [-1, 1]: above 0 it is wrong, 1 is sure of the wrong answer, -1 of the right one.
 * Classes: the best wrong class's lead over the true one. Yes/no questions: the worst of the questions. null: nothing known.
 */
export function wrongness(row: GraphRow, task: Task): number | null {
  if (task === 'regression' || row.finite === false) return null;
  if (task === 'classification') {
    const truth = row.target[0];
    if (truth == null) return null;
    let rival = 0;
    row.mean.forEach((p, c) => (rival = c !== truth && p > rival ? p : rival));
    return rival - row.mean[truth]!;
  }
  let worst: number | null = null;
  row.mean.forEach((p, c) => {
    const target = row.target[c];
    if (target == null) return;
    const lead = target >= 0.5 ? 1 - 2 * p : 2 * p - 1;
    if (worst === null || lead > worst) worst = lead;
  });
  return worst;
}

/** The spread of each target over the set: errors of targets in different units are compared in it. */
export function targetScales(data: Data): number[] {
  return data.outputs.map((_, c) => {
    const known = data.graphs.map((row) => row.target[c]).filter((x): x is number => x != null);
    return deviation(known) || 1;
  });
}

/** Regression: mean absolute error over the known targets, each in units of its scale. */
export function scaledError(row: GraphRow, scales: readonly number[]): number | null {
  if (row.finite === false) return null;
  const errors: number[] = [];
  row.mean.forEach((x, c) => {
    const target = row.target[c];
    if (target != null) errors.push(Math.abs(x - target) / scales[c]!);
  });
  return errors.length > 0 ? mean(errors) : null;
}

/** The walk spread that matters for the decision: of the predicted class, or the largest. */
export function decisionSpread(row: GraphRow, task: Task): number {
  if (row.walk_spread.length === 0) return 0;
  return task === 'classification' ? row.walk_spread[argmax(row.mean)]! : range(row.walk_spread)[1];
}

/** A graph's predicted number beside its true one. */
export interface NumberPair {
  graph: number; // index into data.graphs
  said: number;
  truth: number;
}

/** Of one target: the graphs whose true value is known and whose answer is a number. */
export function numberPairs(data: Data, target: number): NumberPair[] {
  return data.graphs.flatMap((row, graph) => {
    const truth = row.target[target];
    return truth == null || row.finite === false ? [] : [{ graph, said: row.mean[target]!, truth }];
  });
}

/** R² (null where all true values are the same) and the mean absolute error. */
export function fitOf(pairs: readonly NumberPair[]): { r2: number | null; mae: number } {
  const centre = mean(pairs.map((pair) => pair.truth));
  const errors = pairs.reduce((sum, { said, truth }) => sum + (said - truth) ** 2, 0);
  const all = pairs.reduce((sum, { truth }) => sum + (truth - centre) ** 2, 0);
  return { r2: all > 0 ? 1 - errors / all : null, mae: mean(pairs.map(({ said, truth }) => Math.abs(said - truth))) };
}

/** At most `most` of a list, evenly picked. */
export function thinned<T>(list: readonly T[], most: number): T[] {
  const step = Math.max(1, Math.ceil(list.length / most));
  return list.filter((_, i) => i % step === 0);
}

/** A range with some room on both sides; one of a single value gets a width. */
export function widened([low, high]: [number, number]): [number, number] {
  const room = high > low ? 0.04 * (high - low) : 0.5;
  return [low - room, high + room];
}
