// Small charts as SVG. They take numbers and give an element; text and lines take their colours from the style sheet.

import { counted, h, share, short, svg } from './dom';
import { amount, ink } from './colour';
import { range } from './stats';

/** Round steps that cover low..high: 1, 2 or 5 times a power of ten. */
export function ticks(low: number, high: number, about: number): number[] {
  if (!(high > low)) return [low];
  const raw = (high - low) / Math.max(1, about);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= raw * 0.999)!;
  const found: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i)
    found.push(Number((i * step).toPrecision(12)));
  return found;
}

export interface Series {
  name: string;
  colour: string;
  points: [number, number][];
  width?: number;
}

export interface LineChart {
  title: string; // for readers who do not see it
  width: number;
  height: number;
  series: Series[];
  x?: [number, number];
  y?: [number, number];
  xLabel?: string;
  yLabel?: string;
  wholeX?: boolean; // x counts something
  level?: { y: number; name: string } | null; // a dashed line, such as the true value
  diagonal?: boolean;
  dots?: { x: number; y: number; radius: number; title: string; class?: string; onPick?: () => void }[];
  onPick?: (x: number) => void;
}

export interface Chart {
  element: SVGSVGElement;
  cursor: (x: number | null) => void;
}

export function lineChart(chart: LineChart): Chart {
  const { width, height, series } = chart;
  const kMargin = { left: chart.yLabel ? 56 : 40, right: 10, top: 8, bottom: 20 };
  const bottom = kMargin.bottom + (chart.xLabel ? 13 : 0);
  const xs = chart.x ?? range(series.flatMap((one) => one.points.map((point) => point[0])));
  const level = chart.level ? [chart.level.y] : [];
  let ys = chart.y ?? range([...series.flatMap((one) => one.points.map((point) => point[1])), ...level]);
  if (ys[0] === ys[1]) ys = [ys[0] - 0.5, ys[1] + 0.5];
  if (!chart.y) ys = [ys[0] - 0.04 * (ys[1] - ys[0]), ys[1] + 0.04 * (ys[1] - ys[0])];
  const inner = { width: width - kMargin.left - kMargin.right, height: height - kMargin.top - bottom };
  const x = (v: number) => kMargin.left + (inner.width * (v - xs[0])) / (xs[1] - xs[0] || 1);
  const y = (v: number) => kMargin.top + inner.height * (1 - (v - ys[0]) / (ys[1] - ys[0]));
  const root = svg('svg', {
    class: 'chart',
    viewBox: `0 0 ${width} ${height}`,
    role: 'img',
    'aria-label': chart.title,
  });

  for (const tick of ticks(ys[0], ys[1], height > 120 ? 4 : 3)) {
    root.append(
      svg('line', { class: 'grid', x1: kMargin.left, x2: width - kMargin.right, y1: y(tick), y2: y(tick) }),
      svg('text', { x: kMargin.left - 5, y: y(tick) + 3.5, 'text-anchor': 'end' }, short(tick)),
    );
  }
  const across = Math.min(8, Math.max(2, inner.width / 45));
  // There is no epoch 1.5, and no visit.
  for (const tick of ticks(xs[0], xs[1], chart.wholeX ? Math.min(across, xs[1] - xs[0]) : across)) {
    root.append(svg('text', { x: x(tick), y: height - bottom + 13, 'text-anchor': 'middle' }, short(tick)));
  }
  if (chart.xLabel) {
    root.append(
      svg('text', { x: kMargin.left + inner.width / 2, y: height - 4, 'text-anchor': 'middle' }, chart.xLabel),
    );
  }
  if (chart.yLabel) {
    const middle = kMargin.top + inner.height / 2;
    root.append(
      svg('text', { x: 10, y: middle, 'text-anchor': 'middle', transform: `rotate(-90 10 ${middle})` }, chart.yLabel),
    );
  }
  if (chart.diagonal)
    root.append(svg('line', { class: 'level', x1: x(xs[0]), y1: y(ys[0]), x2: x(xs[1]), y2: y(ys[1]) }));
  if (chart.level) {
    root.append(
      svg(
        'line',
        { class: 'level', x1: kMargin.left, x2: width - kMargin.right, y1: y(chart.level.y), y2: y(chart.level.y) },
        svg('title', {}, chart.level.name),
      ),
    );
  }
  for (const one of series) {
    const finite = one.points.filter(([, v]) => Number.isFinite(v));
    const path = finite.map(([u, v], i) => `${i ? 'L' : 'M'}${x(u).toFixed(1)},${y(v).toFixed(1)}`).join('');
    root.append(
      svg(
        'path',
        { d: path, fill: 'none', stroke: one.colour, 'stroke-width': one.width ?? 1.8, 'stroke-linejoin': 'round' },
        svg('title', {}, one.name),
      ),
    );
  }
  for (const dot of chart.dots ?? []) {
    root.append(
      svg(
        'circle',
        {
          class: `${dot.class ?? 'dot'}${dot.onPick ? ' link' : ''}`,
          cx: x(dot.x),
          cy: y(dot.y),
          r: dot.radius,
          onclick: dot.onPick,
        },
        svg('title', {}, dot.title),
      ),
    );
  }
  const cursor = svg('line', { class: 'cursor', y1: kMargin.top, y2: height - bottom, visibility: 'hidden' });
  root.append(cursor);
  if (chart.onPick) {
    root.classList.add('pick');
    const pick = (event: PointerEvent) => {
      const box = root.getBoundingClientRect();
      const at = ((event.clientX - box.left) * width) / box.width;
      chart.onPick!(Math.min(xs[1], Math.max(xs[0], xs[0] + ((at - kMargin.left) / inner.width) * (xs[1] - xs[0]))));
    };
    root.addEventListener('pointerdown', (event) => {
      root.setPointerCapture(event.pointerId);
      pick(event);
    });
    root.addEventListener('pointermove', (event) => event.buttons === 1 && pick(event));
  }
  return {
    element: root,
    cursor: (at) => {
      cursor.setAttribute('visibility', at === null ? 'hidden' : 'visible');
      if (at === null) return;
      cursor.setAttribute('x1', String(x(at)));
      cursor.setAttribute('x2', String(x(at)));
    },
  };
}

/** A table of counts, true x predicted; each cell is a button. Colours are shares of the row: classes of any size compare. */
export function confusionTable(
  counts: number[][],
  names: string[],
  onPick: (target: number, predicted: number) => void,
): HTMLElement {
  const head = h(
    'tr',
    {},
    h('th', { scope: 'col', class: 'corner' }, 'true \\ predicted'),
    ...names.map((name) => h('th', { scope: 'col' }, name)),
  );
  const rows = counts.map((row, target) => {
    const sum = row.reduce((total, count) => total + count, 0) || 1;
    return h(
      'tr',
      {},
      h('th', { scope: 'row' }, names[target]!),
      ...row.map((count, predicted) => {
        const colour = amount(0.1 + (0.9 * count) / sum);
        return h(
          'td',
          {},
          h(
            'button',
            {
              type: 'button',
              style: count > 0 ? `background:${colour};color:${ink(colour)}` : null,
              'aria-label': `${counted(count, 'graph')} of class ${names[target]} predicted as ${names[predicted]}; show them`,
              title: `${share(count / sum)} of ${names[target]}; click to see them`,
              onclick: () => onPick(target, predicted),
            },
            String(count),
          ),
        );
      }),
    );
  });
  return h(
    'div',
    { class: 'scroll' },
    h('table', { class: 'confusion' }, h('thead', {}, head), h('tbody', {}, ...rows)),
  );
}

/** Bars from zero, the longest fills the width; the first may be set off from the others. */
export function bars(entries: { name: string; value: number | null; own?: boolean }[]): HTMLElement {
  const largest = Math.max(1e-12, ...entries.map((entry) => Math.abs(entry.value ?? 0)));
  return h(
    'div',
    { class: 'bars' },
    ...entries.flatMap(({ name, value, own }) => [
      h('span', { class: own ? 'own' : '' }, name),
      h(
        'span',
        { class: 'track' },
        h('i', { class: own ? 'own' : '', style: `width:${(100 * Math.abs(value ?? 0)) / largest}%` }),
      ),
      h('span', { class: 'number' }, short(value)),
    ]),
  );
}
