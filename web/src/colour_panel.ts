// What the nodes' colours mean, and the choice between the four.

import { amount, signed } from './colour';
import { h } from './dom';
import type { Legend } from './paint';
import { kColourings, type Colouring, type Store } from './store';

const kNames: Record<Colouring, string> = {
  visits: 'visits',
  chance: 'next move',
  influence: 'influence',
  label: 'label',
};

function describe(legend: Legend | null): HTMLElement[] {
  if (!legend) return [h('p', { class: 'empty' }, 'nothing is drawn')];
  if (legend.kind === 'missing') return [h('p', { class: 'empty' }, legend.title)];
  if (legend.kind === 'kinds') {
    return [
      h('p', {}, legend.title),
      h(
        'div',
        { class: 'kinds' },
        ...legend.entries.map((entry) =>
          h('span', {}, h('i', { style: `background:${entry.colour}` }), `${entry.name} (${entry.count})`),
        ),
      ),
    ];
  }
  const scale = legend.kind === 'signed' ? (x: number) => signed(2 * x - 1) : amount;
  const stops = Array.from({ length: 11 }, (_, i) => scale(i / 10)).join(',');
  return [
    h('p', {}, legend.title),
    h(
      'div',
      { class: 'ramp' },
      h('span', { class: 'number' }, legend.low),
      h('i', { style: `background:linear-gradient(90deg,${stops})` }),
      h('span', { class: 'number' }, legend.high),
    ),
  ];
}

export class ColourPanel {
  readonly element: HTMLElement;
  private readonly legend = h('div', { class: 'legend' });

  constructor(store: Store) {
    const buttons = kColourings.map((colouring, i) =>
      h(
        'button',
        {
          type: 'button',
          'data-colouring': colouring,
          title: `colour by ${kNames[colouring]} (${i + 1})`,
          onclick: () => store.set({ colouring }),
        },
        kNames[colouring],
      ),
    );
    const press = () =>
      buttons.forEach((button) =>
        button.setAttribute('aria-pressed', button.dataset.colouring === store.state.colouring ? 'true' : 'false'),
      );
    this.element = h(
      'div',
      {},
      h('h3', {}, 'colour of the nodes'),
      h('div', { class: 'segments', role: 'group', 'aria-label': 'colour nodes by' }, ...buttons),
      this.legend,
    );
    store.subscribe((changed) => changed.has('colouring') && press());
    press();
  }

  showLegend(legend: Legend | null): void {
    this.legend.replaceChildren(...describe(legend));
  }
}
