// The right side: what the model says about this graph, how it came to say so, and how far its walks are apart.

import { lineChart, type Chart } from './charts';
import { kind } from './colour';
import type { Data, GraphRow, Rollout } from './data';
import { counted, h, share, short, svg } from './dom';
import { argmax, decisionSpread, isRight, mean, range } from './stats';
import type { Store } from './store';
import { lastVisit, outputsAt } from './walk';

const kBars = 10;
const kSpreadHelp =
  'How much the answers of single walks differ (their standard deviation). It says nothing about how far the answer is from the truth.';

/** The outputs worth showing, at most `most`: the likeliest, and the true class; numbers keep their order. */
export function mainOutputs(row: GraphRow, data: Data, most: number): number[] {
  const all = row.mean.map((_, c) => c);
  if (all.length <= most) return all;
  if (data.task === 'regression') return all.slice(0, most);
  const ranked = all.sort((a, b) => row.mean[b]! - row.mean[a]!).slice(0, most);
  const truth = data.task === 'classification' ? row.target[0] : null;
  if (truth != null && !ranked.includes(truth)) ranked[most - 1] = truth;
  return ranked;
}

export class PredictionPanel {
  readonly element = h('section', { class: 'panel prediction', 'aria-label': 'prediction' });
  private readonly head = h('div');
  private readonly table = h('div');
  private readonly now = h('p', { class: 'now number' });
  private readonly evolving = h('div');
  private readonly spread = h('div');
  private chart: Chart | null = null;

  constructor(
    private readonly data: Data,
    private readonly store: Store,
    colours: HTMLElement,
  ) {
    this.element.append(
      this.head,
      this.table,
      colours,
      h('h3', {}, data.model.programmed ? 'nodes visited and seen over time' : 'the answer over time'),
      this.evolving,
      this.now,
      h('h3', { title: kSpreadHelp }, 'spread between walks'),
      this.spread,
    );
    store.subscribe((changed) => {
      if (changed.has('graph')) this.showGraph();
      if (changed.has('graph') || changed.has('rollout')) this.showRollout();
      if (changed.has('time') || changed.has('graph') || changed.has('rollout')) this.showTime();
    });
    this.showGraph();
    this.showRollout();
    this.showTime();
  }

  private row(): GraphRow | null {
    const { graph } = this.store.state;
    return graph === null ? null : this.data.graphs[graph]!;
  }

  private rollouts(): Rollout[] {
    const detail = this.row()?.detail;
    return detail == null ? [] : this.data.details[detail]!.rollouts;
  }

  private showGraph(): void {
    const row = this.row();
    if (!row) {
      this.head.replaceChildren(h('p', { class: 'empty' }, 'No graph is chosen.'));
      this.table.replaceChildren();
      return;
    }
    const right = isRight(row, this.data.task);
    // Of a huge graph only the neighbourhood of the walks is in the page.
    const shown = row.detail === null ? row.nodes : this.data.details[row.detail]!.nodes.count;
    this.head.replaceChildren(
      h(
        'h2',
        { title: row.id },
        row.id,
        right !== null && h('span', { class: `badge ${right ? 'right' : 'wrong'}` }, right ? '✓ right' : '✗ wrong'),
      ),
      ...(row.smiles === undefined ? [] : [h('p', { class: 'smiles', title: 'its SMILES text' }, row.smiles)]),
      h(
        'p',
        { class: 'facts' },
        `${counted(row.nodes, 'node')}, ${counted(row.edges, 'edge')}${shown < row.nodes ? `; ${counted(shown, 'node')} shown` : ''}`,
      ),
    );
    if (row.finite === false) {
      this.table.replaceChildren(
        h('p', { class: 'empty' }, "The model's output is not a finite number for this graph."),
      );
      return;
    }
    this.table.replaceChildren(this.data.task === 'regression' ? this.numbersTable(row) : this.probabilityBars(row));
  }

  private probabilityBars(row: GraphRow): HTMLElement {
    const outputs = mainOutputs(row, this.data, kBars);
    const best = this.data.task === 'classification' ? argmax(row.mean) : -1;
    const entries = outputs.flatMap((c) => {
      const target =
        this.data.task === 'classification'
          ? row.target[0] === c
            ? 'true'
            : ''
          : row.target[c] == null
            ? ''
            : row.target[c]! >= 0.5
              ? 'yes'
              : 'no';
      const p = row.mean[c]!;
      return [
        h(
          'span',
          { class: c === best ? 'own name' : 'name', title: this.data.outputs[c]! },
          this.data.outputs[c]!,
          target !== '' && h('em', { class: 'truth' }, target),
        ),
        h('span', { class: 'track' }, h('i', { style: `width:${100 * p}%;background:${kind(outputs.indexOf(c))}` })),
        h('span', { class: 'number' }, share(p)),
      ];
    });
    const rest = row.mean.length - outputs.length;
    return h(
      'div',
      {},
      h('div', { class: 'bars wide' }, ...entries),
      h('p', { class: 'facts', title: kSpreadHelp }, `walk spread ${share(decisionSpread(row, this.data.task))}`),
      rest > 0 && h('p', { class: 'facts' }, `and ${rest} more outputs`),
    );
  }

  private numbersTable(row: GraphRow): HTMLElement {
    const outputs = mainOutputs(row, this.data, kBars);
    const { programmed } = this.data.model;
    const names = programmed ? ['', 'in the end', 'spread'] : ['', 'predicted', 'walk spread', 'true', 'error'];
    return h(
      'table',
      { class: 'numbers' },
      h('thead', {}, h('tr', {}, ...names.map((name) => h('th', { scope: 'col' }, name)))),
      h(
        'tbody',
        {},
        ...outputs.map((c) =>
          h(
            'tr',
            {},
            h('th', { scope: 'row' }, this.data.outputs[c]!),
            h('td', {}, short(row.mean[c])),
            h('td', { title: kSpreadHelp }, short(row.walk_spread[c])),
            !programmed && h('td', {}, short(row.target[c])),
            !programmed && h('td', {}, row.target[c] == null ? '–' : short(row.mean[c]! - row.target[c]!)),
          ),
        ),
      ),
    );
  }

  private showRollout(): void {
    const row = this.row();
    const rollout = this.rollouts()[this.store.state.rollout];
    this.chart = null;
    if (!row || !rollout) {
      const why = 'no walk was recorded for this graph';
      this.evolving.replaceChildren(h('p', { class: 'empty' }, why));
      this.spread.replaceChildren(h('p', { class: 'empty' }, why));
      return;
    }
    const outputs = mainOutputs(row, this.data, 6);
    const regression = this.data.task === 'regression';
    const target = regression && this.data.outputs.length === 1 ? row.target[0] : null;
    this.chart = lineChart({
      title: 'the answer at each visit of this rollout',
      width: 320,
      height: 150,
      wholeX: true,
      series: outputs.map((c, i) => ({
        name: this.data.outputs[c]!,
        colour: kind(i),
        points: rollout.outputs.map((row, t): [number, number] => [t, row[c]!]),
      })),
      x: [0, Math.max(1, lastVisit(rollout))],
      ...(regression ? {} : { y: [0, 1] as [number, number] }),
      level: target == null ? null : { y: target, name: 'true value' },
      onPick: (x) => this.store.set({ time: Math.min(x, lastVisit(rollout)), playing: false }),
    });
    this.evolving.replaceChildren(
      this.chart.element,
      h(
        'div',
        { class: 'kinds' },
        ...outputs.map((c, i) => h('span', {}, h('i', { style: `background:${kind(i)}` }), this.data.outputs[c]!)),
      ),
    );
    this.spread.replaceChildren(this.spreadStrip(row));
  }

  /** One dot per recorded rollout: what it said in the end about the predicted class. */
  private spreadStrip(row: GraphRow): HTMLElement {
    const rollouts = this.rollouts();
    const c = this.data.task === 'classification' ? argmax(row.mean) : 0;
    const last = rollouts.map((rollout) => rollout.outputs[lastVisit(rollout)]![c]!);
    let [low, high] =
      this.data.task === 'regression'
        ? range([...last, row.mean[c]!, ...(row.target[c] == null ? [] : [row.target[c]!])])
        : [0, 1];
    if (low === high) [low, high] = [low - 0.5, high + 0.5];
    const x = (v: number) => 12 + (296 * (v - low)) / (high - low);
    const strip = svg(
      'svg',
      { class: 'chart strip', viewBox: '0 0 320 62', role: 'img', 'aria-label': 'answers of the rollouts' },
      svg('line', { class: 'grid', x1: 12, x2: 308, y1: 40, y2: 40 }),
      svg(
        'line',
        { class: 'mean', x1: x(row.mean[c]!), x2: x(row.mean[c]!), y1: 8, y2: 44 },
        svg('title', {}, `mean ${short(row.mean[c])}`),
      ),
      svg('text', { x: 12, y: 58, 'text-anchor': 'start' }, short(low)),
      svg('text', { x: 308, y: 58, 'text-anchor': 'end' }, short(high)),
      svg(
        'text',
        { x: 160, y: 58, 'text-anchor': 'middle' },
        this.data.task === 'regression' ? this.data.outputs[c]! : `probability of ${this.data.outputs[c]}`,
      ),
    );
    // Equal answers pile up instead of hiding each other.
    const piles = new Map<number, number>();
    last.forEach((value, r) => {
      const slot = Math.round(x(value) / 8);
      const height = piles.get(slot) ?? 0;
      piles.set(slot, height + 1);
      strip.append(
        svg(
          'circle',
          {
            class: r === this.store.state.rollout ? 'dot chosen' : 'dot',
            cx: x(value),
            cy: Math.max(6, 34 - 7 * height),
            r: r === this.store.state.rollout ? 5 : 4,
            onclick: () => this.store.set({ rollout: r, time: 0 }),
          },
          svg('title', {}, `rollout ${r + 1}: ${short(value)}`),
        ),
      );
    });
    const shown =
      rollouts.length === 1
        ? '1 rollout is recorded'
        : `${rollouts.length} rollouts are recorded, mean ${short(mean(last))}`;
    return h('div', {}, strip, h('p', { class: 'facts' }, shown));
  }

  private showTime(): void {
    const row = this.row();
    const rollout = this.rollouts()[this.store.state.rollout];
    this.chart?.cursor(this.store.state.time);
    if (!row || !rollout) {
      this.now.textContent = '';
      return;
    }
    const c = this.data.task === 'classification' ? argmax(row.mean) : 0;
    const { time } = this.store.state;
    this.now.textContent = `${this.data.outputs[c]} after visit ${Math.floor(time + 1e-6)}: ${short(outputsAt(rollout, time)[c])}`;
  }
}
