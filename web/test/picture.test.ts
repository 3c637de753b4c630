import { describe, expect, it } from 'vitest';
import { ticks } from '../src/charts';
import { amount, ink, kind, kKinds, parse, signed } from '../src/colour';
import type { Detail } from '../src/data';
import { share, short } from '../src/dom';
import { breadthFirst, Layout } from '../src/layout';
import { labelKinds, paint } from '../src/paint';

const luminance = (colour: string) => {
  const [r, g, b] = parse(colour);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

describe('colours', () => {
  it('of amounts grow lighter all the way: they can be read without hue', () => {
    for (let i = 0; i < 50; ++i) expect(luminance(amount((i + 1) / 50))).toBeGreaterThan(luminance(amount(i / 50)));
    expect(amount(-3)).toBe(amount(0));
    expect(amount(NaN)).toBe(amount(0));
  });

  it('of signed values are blue below zero, orange above, and pale at zero', () => {
    const [r, , b] = parse(signed(-1));
    expect(b).toBeGreaterThan(r);
    expect(parse(signed(1))[0]).toBeGreaterThan(parse(signed(1))[2]);
    expect(luminance(signed(0))).toBeGreaterThan(230);
  });

  it('of kinds are eight, then repeat; text on them is readable', () => {
    expect(new Set(kKinds).size).toBe(8);
    expect(kind(9)).toBe(kind(1));
    expect(ink('#f0e442')).toBe('#111111');
    expect(ink('#0b1020')).toBe('#ffffff');
  });
});

const detail: Detail = {
  graph: 0,
  nodes: { count: 3, ids: null, labels: ['C', 'N', 'C'], positions: null, marks: null },
  edges: [
    [0, 1],
    [1, 2],
  ],
  edge_labels: null,
  directed: false,
  visits: [4, 0, 1],
  influence: [-0.5, 0.25, 0],
  touched: [1, 0, 1],
  edge_visits: null,
  rollouts: [],
};

describe('paint', () => {
  it('leaves nodes that nobody visited grey', () => {
    const { fill, emphasis } = paint(detail, null, 'visits', 0, null, 'grey');
    expect(fill[1]).toBe('grey');
    expect(fill[0]).toBe(amount(1));
    expect(emphasis).toEqual([1, 0, 0.5]);
  });

  it('centres influence at zero', () => {
    const { fill, legend } = paint(detail, null, 'influence', 0, null, 'grey');
    expect(fill).toEqual([signed(-1), signed(0.5), signed(0)]);
    expect(legend).toMatchObject({ low: '-0.5', high: '+0.5' });
  });

  it('says what is missing', () => {
    expect(paint(detail, null, 'chance', 0, null, 'grey').legend).toEqual({
      kind: 'missing',
      title: 'no walk was recorded',
    });
    expect(paint({ ...detail, influence: null }, null, 'influence', 0, null, 'grey').legend.kind).toBe('missing');
  });

  it('gives frequent labels their own colours and lets the rest share one', () => {
    expect(labelKinds(['x', 'C', 'C']).map(({ name }) => name)).toEqual(['C', 'x']);
    const many = labelKinds('abcdefghijkl'.split(''));
    expect(many.filter((entry) => entry.kind === 7)).toHaveLength(5);
  });
});

describe('layout', () => {
  it('finds every node once, neighbours first', () => {
    expect(
      breadthFirst(5, [
        [0, 3],
        [3, 1],
      ]),
    ).toEqual([0, 3, 1, 2, 4]);
  });

  it('is the same each time, and keeps given positions', () => {
    const settled = () => {
      const layout = new Layout(detail);
      layout.settle(1000);
      return layout.bodies.map(({ x, y }) => [x, y]);
    };
    expect(settled()).toEqual(settled());
    const given = new Layout({
      ...detail,
      nodes: {
        ...detail.nodes,
        positions: [
          [0, 0],
          [1, 0],
          [1, 1],
        ],
      },
    });
    expect(given.moving).toBe(false);
    expect(given.bodies[2]!.y).toBeLessThan(0); // up in the data is up on the screen
  });
});

describe('numbers', () => {
  it('are written short', () => {
    expect([0.123456, 2, 0, 1e-5, 1.5e7, null, NaN].map(short)).toEqual([
      '0.1235',
      '2',
      '0',
      '1.0e-5',
      '1.5e7',
      '–',
      '–',
    ]);
    expect(share(0.5)).toBe('0.500');
  });

  it('on axes are round and inside', () => {
    expect(ticks(0, 1, 4)).toEqual([0, 0.5, 1]);
    expect(ticks(0, 12, 6)).toEqual([0, 2, 4, 6, 8, 10, 12]);
    expect(ticks(3, 3, 4)).toEqual([3]);
  });
});
