import { describe, expect, it } from 'vitest';
import { make, kExamples } from '../fixtures/make';
import { checkData } from '../src/data';
import { kNoFilter, matches } from '../src/list';
import { atomLabel, bondStrokes, ringOf } from '../src/molecule';

describe('atoms', () => {
  it('are letters with hydrogens and charge, carbons nothing', () => {
    expect(atomLabel('C', 3, 0, 1)).toBeNull();
    expect(atomLabel('C', 4, 0, 0)).toEqual({ symbol: 'C', hydrogens: 'H₄', charge: '' });
    expect(atomLabel('N', 2, 0, 1)).toEqual({ symbol: 'N', hydrogens: 'H₂', charge: '' });
    expect(atomLabel('N', 1, 1, 3)).toEqual({ symbol: 'N', hydrogens: 'H', charge: '+' });
    expect(atomLabel('Ca', 0, -2, 0)).toEqual({ symbol: 'Ca', hydrogens: '', charge: '2−' });
    expect(atomLabel('', 0, 0, 2)).toEqual({ symbol: '*', hydrogens: '', charge: '' });
  });
});

describe('bonds', () => {
  const u = { x: 0, y: 0 };
  const v = { x: 10, y: 0 };
  it('have as many lines as they say', () => {
    expect(bondStrokes(u, v, 1, [], false)).toEqual([{ from: u, to: v, dashed: false }]);
    expect(bondStrokes(u, v, 2, [], true)).toHaveLength(2);
    expect(bondStrokes(u, v, 3, [], false)).toHaveLength(3);
    expect(bondStrokes(u, v, 4, [], false).map((stroke) => stroke.dashed)).toEqual([false, true]);
  });

  it('have their second line inside of the ring', () => {
    const ring = [
      { x: -5, y: 8 },
      { x: 15, y: 8 },
    ];
    const inside = (others: typeof ring) => bondStrokes(u, v, 2, others, false)[1]!.from.y;
    expect(inside(ring)).toBeCloseTo(1.5);
    expect(inside(ring.map(({ x, y }) => ({ x, y: -y })))).toBeCloseTo(-1.5);
    // C=O stands in the middle of its two lines.
    const [one, two] = bondStrokes(u, v, 2, ring, true);
    expect(one!.from.y).toBeCloseTo(-two!.from.y);
  });
});

it('finds the smallest ring with a bond', () => {
  // A square 0-1-2-3 and a triangle 2-3-4 share the bond 2-3; 5 hangs from 0.
  const bonds = [
    [0, 1],
    [1, 2],
    [2, 3],
    [3, 0],
    [3, 4],
    [4, 2],
    [0, 5],
  ];
  const neighbours = Array.from({ length: 6 }, (_, node) =>
    bonds.filter((bond) => bond.includes(node)).map(([u, v]) => (u === node ? v! : u!)),
  );
  expect(ringOf(neighbours, 2, 3)).toEqual([4]);
  expect(ringOf(neighbours, 0, 1).sort()).toEqual([2, 3]);
  expect(ringOf(neighbours, 0, 5)).toEqual([]);
});

it('the data of molecules is checked, and graphs are found by their SMILES', () => {
  const data = make({ ...kExamples.plain!, graphs: 2, details: 1 });
  const { count } = data.details[0]!.nodes;
  const molecule = {
    symbols: new Array<string>(count).fill('C'),
    hydrogens: new Array<number>(count).fill(0),
    charges: new Array<number>(count).fill(0),
    orders: data.details[0]!.edges.map(() => 1),
  };
  data.graphs[0]!.smiles = 'CCO';
  data.details[0]!.molecule = molecule;
  expect(checkData(JSON.parse(JSON.stringify(data)))).toEqual(data);
  expect(matches(data.graphs[0]!, { ...kNoFilter, text: 'cco' }, data)).toBe(true);
  expect(matches(data.graphs[1]!, { ...kNoFilter, text: 'cco' }, data)).toBe(false);
  molecule.orders.pop();
  expect(() => checkData(JSON.parse(JSON.stringify(data)))).toThrow('details[0].molecule.orders');
});
