// Molecules as chemists draw them: RDKit's coordinates, lines for bonds, letters for all atoms but carbon.

import type { Detail } from './data';
import { ink } from './colour';
import type { Look } from './view';
import type { Point } from './walk';

/** What stands at an atom; nothing at a carbon that bonds say enough about. */
export interface AtomLabel {
  symbol: string;
  hydrogens: string; // "H", "H₂"; empty: none
  charge: string; // "+", "2−"; empty: none
}

/** A stroke from one place to another. */
export interface Stroke {
  from: Point;
  to: Point;
  dashed: boolean;
}

const kSubscripts = '₀₁₂₃₄₅₆₇₈₉';

function subscript(count: number): string {
  return [...String(count)].map((digit) => kSubscripts[Number(digit)]!).join('');
}

/** `bonds` is how many the atom has. */
export function atomLabel(symbol: string, hydrogens: number, charge: number, bonds: number): AtomLabel | null {
  if (symbol === 'C' && charge === 0 && bonds > 0) return null;
  const sign = charge > 0 ? '+' : '−';
  return {
    symbol: symbol === '' ? '*' : symbol,
    hydrogens: hydrogens === 0 ? '' : hydrogens === 1 ? 'H' : `H${subscript(hydrogens)}`,
    charge: charge === 0 ? '' : Math.abs(charge) === 1 ? sign : `${Math.abs(charge)}${sign}`,
  };
}

/**
 * The lines of a bond of 1, 2 or 3 lines (4: aromatic, a line and a dashed one) from `u` to `v`. The second line of a double
 * bond runs on the side of `others`, its ring or the neighbours of both ends; where there is no such side, or an end has no
 * other neighbour, the two run beside the middle.
 */
export function bondStrokes(u: Point, v: Point, order: number, others: readonly Point[], terminal: boolean): Stroke[] {
  const length = Math.hypot(v.x - u.x, v.y - u.y) || 1;
  const along = { x: (v.x - u.x) / length, y: (v.y - u.y) / length };
  const across = { x: -along.y, y: along.x };
  const beside = (shift: number, cut: number, dashed = false): Stroke => ({
    from: { x: u.x + shift * across.x + cut * along.x, y: u.y + shift * across.y + cut * along.y },
    to: { x: v.x + shift * across.x - cut * along.x, y: v.y + shift * across.y - cut * along.y },
    dashed,
  });
  if (order === 3) return [beside(0, 0), beside(0.14 * length, 0), beside(-0.14 * length, 0)];
  if (order !== 2 && order !== 4) return [beside(0, 0)];
  let side = 0;
  for (const other of others) side += Math.sign((v.x - u.x) * (other.y - u.y) - (v.y - u.y) * (other.x - u.x));
  if (order === 2 && (terminal || side === 0)) return [beside(0.07 * length, 0), beside(-0.07 * length, 0)];
  return [beside(0, 0), beside(0.15 * length * (side < 0 ? -1 : 1), 0.12 * length, order === 4)];
}

/** The other atoms of a smallest ring with the bond u-v; none if the bond is in no ring of up to `most` atoms. */
export function ringOf(neighbours: readonly (readonly number[])[], u: number, v: number, most = 8): number[] {
  const from = new Map<number, number>([[u, u]]);
  let front = [u];
  for (let length = 1; length < most && front.length > 0; ++length) {
    const next: number[] = [];
    for (const node of front) {
      for (const other of neighbours[node]!) {
        if (from.has(other) || (node === u && other === v)) continue;
        from.set(other, node);
        next.push(other);
      }
    }
    if (from.has(v)) {
      const ring: number[] = [];
      for (let node = from.get(v)!; node !== u; node = from.get(node)!) ring.push(node);
      return ring;
    }
    front = next;
  }
  return [];
}

/** A molecule on a canvas: colours below, bonds and letters on top, where nothing hides them. */
export class MoleculeDrawing {
  private readonly neighbours: number[][];
  private readonly labels: (AtomLabel | null)[];
  private readonly sides: number[][]; // [m] the atoms on whose side a second line runs
  private readonly maxEdgeVisits: number;

  constructor(private readonly detail: Detail) {
    const { nodes, edges, molecule } = detail;
    this.neighbours = Array.from({ length: nodes.count }, () => []);
    for (const [u, v] of edges) {
      if (u === v) continue;
      this.neighbours[u]!.push(v);
      this.neighbours[v]!.push(u);
    }
    this.labels = Array.from({ length: nodes.count }, (_, node) =>
      atomLabel(
        molecule!.symbols[node]!,
        molecule!.hydrogens[node]!,
        molecule!.charges[node]!,
        this.neighbours[node]!.length,
      ),
    );
    this.sides = edges.map(([u, v]) => {
      const ring = ringOf(this.neighbours, u, v);
      return ring.length > 0
        ? ring
        : [...this.neighbours[u]!, ...this.neighbours[v]!].filter((w) => w !== u && w !== v);
    });
    this.maxEdgeVisits = Math.max(1e-9, ...(detail.edge_visits ?? [0]));
  }

  /** `bond` is the length of a bond on the screen. */
  draw(
    context: CanvasRenderingContext2D,
    look: Look,
    bond: number,
    place: (node: number) => Point,
    radius: (node: number) => number,
  ): void {
    this.drawColours(context, look, bond, place, radius);
    this.drawBonds(context, look, bond, place);
    this.drawLetters(context, look, bond, place);
  }

  private drawColours(
    context: CanvasRenderingContext2D,
    look: Look,
    bond: number,
    place: (node: number) => Point,
    radius: (node: number) => number,
  ): void {
    const { edges, edge_visits } = this.detail;
    context.lineCap = 'round';
    context.strokeStyle = look.dark ? '#39414f' : '#dfe3e9';
    edges.forEach(([u, v], e) => {
      const share = Math.sqrt((edge_visits?.[e] ?? 0) / this.maxEdgeVisits);
      if (share === 0) return;
      const [from, to] = [place(u), place(v)];
      context.lineWidth = 0.34 * bond * share;
      context.beginPath();
      context.moveTo(from.x, from.y);
      context.lineTo(to.x, to.y);
      context.stroke();
    });
    look.fill.forEach((fill, node) => {
      const at = place(node);
      context.fillStyle = fill;
      context.beginPath();
      context.arc(at.x, at.y, radius(node), 0, 2 * Math.PI);
      context.fill();
    });
  }

  private drawBonds(context: CanvasRenderingContext2D, look: Look, bond: number, place: (node: number) => Point): void {
    context.strokeStyle = look.dark ? '#e6e9ef' : '#16191e';
    context.lineWidth = Math.min(2.4, Math.max(1, 0.04 * bond));
    this.detail.edges.forEach(([u, v], e) => {
      if (u === v) return;
      const others = this.sides[e]!.map(place);
      const terminal = this.neighbours[u]!.length === 1 || this.neighbours[v]!.length === 1;
      for (const stroke of bondStrokes(place(u), place(v), this.detail.molecule!.orders[e]!, others, terminal)) {
        const length = Math.hypot(stroke.to.x - stroke.from.x, stroke.to.y - stroke.from.y) || 1;
        const gap = 0.2 * bond; // around a letter
        const start = this.labels[u] ? gap / length : 0;
        const end = this.labels[v] ? 1 - gap / length : 1;
        const at = (f: number) => ({
          x: stroke.from.x + f * (stroke.to.x - stroke.from.x),
          y: stroke.from.y + f * (stroke.to.y - stroke.from.y),
        });
        if (start >= end) continue;
        context.setLineDash(stroke.dashed ? [0.08 * bond, 0.08 * bond] : []);
        context.beginPath();
        context.moveTo(at(start).x, at(start).y);
        context.lineTo(at(end).x, at(end).y);
        context.stroke();
      }
    });
    context.setLineDash([]);
  }

  private drawLetters(
    context: CanvasRenderingContext2D,
    look: Look,
    bond: number,
    place: (node: number) => Point,
  ): void {
    const size = Math.min(20, 0.34 * bond);
    if (size < 5) return;
    context.textBaseline = 'middle';
    context.font = `600 ${size.toFixed(1)}px system-ui, sans-serif`;
    this.labels.forEach((label, node) => {
      if (!label) return;
      const at = place(node);
      const half = context.measureText(label.symbol).width / 2;
      context.fillStyle = ink(look.fill[node]!);
      context.textAlign = 'center';
      context.fillText(label.symbol, at.x, at.y + 0.5);
      // Hydrogens stand where no bond is; beside the ground of colour they are in the colour of text.
      context.fillStyle = look.dark ? '#e6e9ef' : '#16191e';
      const bonds = this.neighbours[node]!;
      const pull = bonds.reduce((sum, other) => sum + place(other).x - at.x, 0);
      const left = bonds.length > 0 && pull > 0.1 * bond;
      context.textAlign = left ? 'right' : 'left';
      const edge = Math.max(half, 0.26 * bond) + 1;
      if (label.hydrogens !== '') context.fillText(label.hydrogens, left ? at.x - edge : at.x + edge, at.y + 0.5);
      if (label.charge !== '') {
        context.textAlign = 'left';
        context.fillText(label.charge, at.x + half, at.y - 0.45 * size);
      }
    });
  }
}
