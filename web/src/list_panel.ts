// The left side: filters, counts, and the list. Only the rows in sight exist, so that a list of 100,000 graphs scrolls like one of ten.

import type { Data, GraphRow } from './data';
import { counted, h, share, short } from './dom';
import { countText, kNoFilter, kSortNames, order, sortsOf, type Filter, type Sort } from './list';
import { argmax, decisionSpread, isRight } from './stats';
import type { Store } from './store';

const kRow = 46; // pixels, as in the style sheet

function select<T extends string>(
  label: string,
  options: [T, string][],
  onPick: (value: T) => void,
): HTMLSelectElement {
  const element = h(
    'select',
    { 'aria-label': label, onchange: () => onPick(element.value as T) },
    ...options.map(([value, text]) => h('option', { value }, text)),
  );
  return element;
}

/** What is said of the graph. Where there is little room, the name of the class gives way and the number stays. */
function output(row: GraphRow, data: Data): HTMLElement {
  if (row.finite === false) return h('span', { class: 'output' }, h('span', {}, 'not finite'));
  if (data.task !== 'classification') return h('span', { class: 'output' }, h('span', {}, numbersText(row, data)));
  const c = argmax(row.mean);
  return h('span', { class: 'output' }, h('span', {}, data.outputs[c]!), h('b', {}, share(row.mean[c]!)));
}

function numbersText(row: GraphRow, data: Data): string {
  if (row.mean.length === 1) return short(row.mean[0]!);
  if (data.task === 'multilabel') return `${row.mean.filter((p) => p >= 0.5).length} of ${row.mean.length} yes`;
  return row.mean.slice(0, 2).map(short).join(', ') + (row.mean.length > 2 ? ', ...' : '');
}

function targetText(row: GraphRow, data: Data): string {
  if (row.target.every((x) => x === null)) return 'unknown';
  if (data.task === 'classification') return data.outputs[row.target[0]!]!;
  if (row.target.length === 1) return short(row.target[0]);
  if (data.task === 'multilabel') return `${row.target.filter((x) => (x ?? 0) >= 0.5).length} yes`;
  return row.target.slice(0, 2).map(short).join(', ');
}

export class ListPanel {
  readonly element: HTMLElement;
  private readonly scroller = h('div', {
    class: 'rows',
    role: 'listbox',
    tabindex: 0,
    'aria-label': 'graphs',
    onscroll: () => this.rows(),
  });
  private readonly spacer = h('div', { class: 'spacer' });
  private readonly count = h('p', { class: 'count', 'aria-live': 'polite' });
  private readonly search: HTMLInputElement;
  private readonly controls: {
    target: HTMLSelectElement;
    predicted: HTMLSelectElement;
    right: HTMLSelectElement;
    walks: HTMLInputElement;
  };
  private readonly clear: HTMLButtonElement;

  constructor(
    private readonly data: Data,
    private readonly store: Store,
  ) {
    const classes = data.outputs.map((name, i): [string, string] => [String(i), name]);
    const index = (value: string) => (value === '' ? null : Number(value));
    const questions = data.task === 'multilabel';
    this.search = h('input', {
      type: 'search',
      placeholder: 'search ids',
      'aria-label': 'search ids',
      oninput: () => this.filter({ text: this.search.value }),
    });
    this.controls = {
      target: select(
        'true class',
        [
          ['', questions ? 'any true answer' : 'any class'],
          ...classes.map(([i, name]): [string, string] => [i, `${questions ? 'yes: ' : 'true: '}${name}`]),
        ],
        (value) => this.filter({ target: index(value) }),
      ),
      predicted: select(
        'predicted class',
        [['', 'any answer'], ...classes.map(([i, name]): [string, string] => [i, `predicted: ${name}`])],
        (value) => this.filter({ predicted: index(value) }),
      ),
      right: select(
        'right or wrong',
        [
          ['', 'right and wrong'],
          ['wrong', 'wrong'],
          ['right', 'right'],
        ],
        (value) => this.filter({ right: value === '' ? null : value === 'right' }),
      ),
      walks: h('input', { type: 'checkbox', onchange: () => this.filter({ walks: this.controls.walks.checked }) }),
    };
    const sort = select<Sort>(
      'sort by',
      sortsOf(data).map((key) => [key, kSortNames[key]]),
      (value) => store.set({ sort: value }),
    );
    this.clear = h(
      'button',
      { type: 'button', class: 'link', hidden: true, onclick: () => store.set({ filter: kNoFilter }) },
      'clear filters',
    );
    const { target, predicted, right, walks } = this.controls;
    this.scroller.append(this.spacer);
    this.element = h(
      'section',
      { class: 'panel list', 'aria-label': 'list of graphs' },
      h(
        'div',
        { class: 'filters' },
        this.search,
        data.task !== 'regression' && h('div', { class: 'pair' }, target, predicted),
        data.task !== 'regression' && right,
        h('label', { class: 'field' }, h('span', {}, 'sort'), sort),
        h('label', { class: 'check' }, walks, 'with walks'),
      ),
      h('div', { class: 'counts' }, this.count, this.clear),
      this.scroller,
    );
    new ResizeObserver(() => this.rows()).observe(this.scroller);
    store.subscribe((changed) => {
      if (changed.has('filter') || changed.has('sort')) this.refresh();
      if (changed.has('graph')) this.reveal();
      if (changed.has('graph') || changed.has('shown')) this.rows();
    });
  }

  /** Applies filter and sort, and chooses a graph where the one chosen is not shown any more. */
  refresh(): void {
    const { filter, sort, graph } = this.store.state;
    const shown = order(this.data, filter, sort);
    this.search.value = filter.text;
    this.controls.target.value = filter.target === null ? '' : String(filter.target);
    this.controls.predicted.value = filter.predicted === null ? '' : String(filter.predicted);
    this.controls.right.value = filter.right === null ? '' : filter.right ? 'right' : 'wrong';
    this.controls.walks.checked = filter.walks;
    this.clear.hidden = Object.entries(kNoFilter).every(([key, value]) => filter[key as keyof Filter] === value);
    this.count.textContent = countText(shown.length, this.data.graphs.length);
    this.scroller.scrollTop = 0;
    const kept = graph !== null && shown.includes(graph);
    // The first with walks: a picture says more than the news that there is none.
    const first = shown.find((i) => this.data.graphs[i]!.detail !== null) ?? shown[0] ?? null;
    this.store.set({ shown, graph: kept ? graph : first });
    this.reveal();
    this.rows();
  }

  focusSearch(): void {
    this.search.focus();
  }

  private filter(patch: Partial<Filter>): void {
    this.store.set({ filter: { ...this.store.state.filter, ...patch } });
  }

  private reveal(): void {
    const at = this.store.state.shown.indexOf(this.store.state.graph ?? -1);
    if (at < 0) return;
    const { scrollTop, clientHeight } = this.scroller;
    if (at * kRow < scrollTop) this.scroller.scrollTop = at * kRow;
    else if ((at + 1) * kRow > scrollTop + clientHeight) this.scroller.scrollTop = (at + 1) * kRow - clientHeight;
  }

  private rows(): void {
    const { shown, graph } = this.store.state;
    this.spacer.style.height = `${shown.length * kRow}px`;
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / kRow) - 3);
    const last = Math.min(shown.length, Math.ceil((this.scroller.scrollTop + this.scroller.clientHeight) / kRow) + 3);
    const rows: HTMLElement[] = [];
    for (let i = first; i < last; ++i) rows.push(this.row(shown[i]!, i, graph === shown[i]));
    if (shown.length === 0)
      rows.push(
        h(
          'p',
          { class: 'empty' },
          this.data.graphs.length === 0
            ? 'This page holds no graphs: it was made from a model without data.'
            : 'No graph passes these filters.',
        ),
      );
    this.spacer.replaceChildren(...rows);
    if (graph !== null) this.scroller.setAttribute('aria-activedescendant', `graph-${graph}`);
  }

  private facts(row: GraphRow): string {
    if (this.data.model.programmed)
      return `${counted(row.nodes, 'node')} · visited ${short(row.mean[0])}, seen ${short(row.mean[1])}`;
    return `${counted(row.nodes, 'node')} · true ${targetText(row, this.data)} · walk spread ${Number(decisionSpread(row, this.data.task).toPrecision(2))}`;
  }

  private row(index: number, place: number, chosen: boolean): HTMLElement {
    const row = this.data.graphs[index]!;
    const right = isRight(row, this.data.task);
    const sign = right === null ? '' : right ? '✓' : '✗';
    return h(
      'div',
      {
        class: `row${chosen ? ' chosen' : ''}${row.detail === null ? ' bare' : ''}`,
        id: `graph-${index}`,
        role: 'option',
        'aria-selected': chosen ? 'true' : 'false',
        'data-graph': index,
        'aria-setsize': this.store.state.shown.length,
        'aria-posinset': place + 1,
        style: `top:${place * kRow}px`,
        onclick: () => this.store.set({ graph: index }),
      },
      h(
        'span',
        {
          class: `sign ${right === null ? '' : right ? 'right' : 'wrong'}`,
          'aria-label': right === null ? '' : right ? 'right' : 'wrong',
        },
        sign,
      ),
      h('span', { class: 'id', title: row.id }, row.id),
      !this.data.model.programmed && output(row, this.data),
      h('span', { class: 'facts', title: this.facts(row) }, this.facts(row)),
    );
  }
}
