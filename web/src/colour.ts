// Colours that colour-blind readers can tell apart: viridis for amounts, blue-orange around zero, Okabe-Ito for kinds.

export type Rgb = readonly [number, number, number];

// Eleven samples of viridis; in between it is linear to the eye's accuracy.
const kViridis: readonly Rgb[] = [
  [68, 1, 84],
  [72, 36, 117],
  [65, 68, 135],
  [53, 95, 141],
  [42, 120, 142],
  [33, 145, 140],
  [34, 168, 132],
  [68, 191, 112],
  [122, 209, 81],
  [189, 223, 38],
  [253, 231, 37],
];

const kBlueOrange: readonly Rgb[] = [
  [8, 69, 148],
  [66, 146, 198],
  [158, 202, 225],
  [242, 240, 235],
  [253, 190, 133],
  [241, 120, 30],
  [166, 54, 3],
];

// Okabe and Ito's eight, the black one replaced by a grey that is seen on dark and on light.
export const kKinds: readonly string[] = [
  '#0072b2',
  '#e69f00',
  '#009e73',
  '#cc79a7',
  '#56b4e9',
  '#d55e00',
  '#f0e442',
  '#8c8c8c',
];

export function css([r, g, b]: Rgb): string {
  return `rgb(${Math.round(r)}, ${Math.round(g)}, ${Math.round(b)})`;
}

function along(stops: readonly Rgb[], x: number): Rgb {
  const clamped = Number.isFinite(x) ? Math.min(1, Math.max(0, x)) : 0;
  const at = clamped * (stops.length - 1);
  const i = Math.min(stops.length - 2, Math.floor(at));
  const f = at - i;
  const a = stops[i]!;
  const b = stops[i + 1]!;
  return [a[0] + f * (b[0] - a[0]), a[1] + f * (b[1] - a[1]), a[2] + f * (b[2] - a[2])];
}

/** An amount in [0, 1]; what is outside is clamped. */
export function amount(x: number): string {
  return css(along(kViridis, x));
}

/** A signed value in [-1, 1]: blue below zero, orange above. */
export function signed(x: number): string {
  return css(along(kBlueOrange, (Math.min(1, Math.max(-1, Number.isFinite(x) ? x : 0)) + 1) / 2));
}

/** The colour of kind i; they repeat after eight, so labels are always written out as well. */
export function kind(i: number): string {
  return kKinds[i % kKinds.length]!;
}

/** Black or white, whichever is easier to read on the colour. */
export function ink(colour: string): string {
  const [r, g, b] = parse(colour);
  const linear = (v: number) => ((v /= 255), v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const luminance = 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  return luminance > 0.179 ? '#111111' : '#ffffff';
}

/** Reads #rrggbb and rgb(r, g, b). */
export function parse(colour: string): Rgb {
  if (colour.startsWith('#')) {
    const value = parseInt(colour.slice(1), 16);
    return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
  }
  const parts = colour.match(/[\d.]+/g) ?? [];
  return [Number(parts[0] ?? 0), Number(parts[1] ?? 0), Number(parts[2] ?? 0)];
}
