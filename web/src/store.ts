// What the reader has chosen. Panels read it, change it through set() and are told what changed.

import { kNoFilter, type Filter, type Sort } from './list';

export type Colouring = 'visits' | 'chance' | 'influence' | 'label';
export const kColourings: readonly Colouring[] = ['visits', 'chance', 'influence', 'label'];

export interface State {
  tab: 'graphs' | 'model';
  graph: number | null; // index into data.graphs
  rollout: number;
  time: number; // 0..T
  playing: boolean;
  speed: number; // visits a second
  follow: number | null; // agent
  colouring: Colouring;
  sort: Sort;
  filter: Filter;
  shown: number[]; // graphs that pass the filter, in order
}

export function initialState(sort: Sort): State {
  return {
    tab: 'graphs',
    graph: null,
    rollout: 0,
    time: 0,
    playing: false,
    speed: 1.5,
    follow: null,
    colouring: 'visits',
    sort,
    filter: kNoFilter,
    shown: [],
  };
}

type Listener = (changed: ReadonlySet<keyof State>) => void;

export class Store {
  private listeners: Listener[] = [];

  constructor(public readonly state: State) {}

  /** Listeners are called at once, in the order in which they subscribed, and only if something changed. */
  set(patch: Partial<State>): void {
    const changed = new Set<keyof State>();
    for (const key of Object.keys(patch) as (keyof State)[]) {
      if (!Object.is(this.state[key], patch[key])) changed.add(key);
    }
    if (changed.size === 0) return;
    Object.assign(this.state, patch);
    for (const listener of this.listeners) listener(changed);
  }

  subscribe(listener: Listener): void {
    this.listeners.push(listener);
  }
}
