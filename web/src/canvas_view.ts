// The view of small graphs: one canvas, redrawn as a whole.

import { MoleculeDrawing } from './molecule';
import type { Look, GraphView, ViewOptions } from './view';
import { kPositionUnit } from './layout';
import { between, type Point } from './walk';
import { ink } from './colour';

export class CanvasView implements GraphView {
  private readonly canvas = document.createElement('canvas');
  private scale = 1;
  private shift: Point = { x: 0, y: 0 };
  private look: Look | null = null;
  private readonly maxEdgeVisits: number;
  private readonly molecule: MoleculeDrawing | null;
  private held: { node: number | null; x: number; y: number } | null = null;

  constructor(private readonly options: ViewOptions) {
    this.canvas.className = 'graph-canvas';
    options.host.append(this.canvas);
    this.molecule = options.detail.molecule ? new MoleculeDrawing(options.detail) : null;
    this.maxEdgeVisits = Math.max(1e-9, ...(options.detail.edge_visits ?? [0]));
    this.listen();
    this.resize();
  }

  place(node: number): Point {
    const body = this.options.layout.bodies[node]!;
    return { x: body.x * this.scale + this.shift.x, y: body.y * this.scale + this.shift.y };
  }

  radius(node: number): number {
    if (this.molecule) return Math.min(24, 0.27 * this.bond());
    const base = Math.min(16, Math.max(2.5, 9 * Math.sqrt(this.scale)));
    return base * (0.8 + 0.45 * (this.look?.emphasis[node] ?? 0));
  }

  nodeAt(x: number, y: number): number | null {
    let best: number | null = null;
    let nearest = Infinity;
    for (let node = 0; node < this.options.layout.bodies.length; ++node) {
      const at = this.place(node);
      const distance = Math.hypot(at.x - x, at.y - y);
      if (distance < this.radius(node) + 4 && distance < nearest) {
        best = node;
        nearest = distance;
      }
    }
    return best;
  }

  fit(): void {
    const { width, height } = this.box();
    const { bodies } = this.options.layout;
    if (bodies.length === 0) return;
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const { x, y } of bodies) {
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
    const margin = 44;
    const across = Math.max(1, right - left);
    const down = Math.max(1, bottom - top);
    this.scale = Math.min(2.2, (width - 2 * margin) / across, (height - 2 * margin) / down);
    this.scale = Math.max(0.01, this.scale);
    this.shift = {
      x: width / 2 - (this.scale * (left + right)) / 2,
      y: height / 2 - (this.scale * (top + bottom)) / 2,
    };
  }

  zoom(factor: number): void {
    const { width, height } = this.box();
    this.zoomAt(factor, width / 2, height / 2);
  }

  keepInSight(node: number): void {
    const { width, height } = this.box();
    const at = this.place(node);
    const push = (x: number, size: number) => (x < 0.2 * size ? 0.2 * size - x : x > 0.8 * size ? 0.8 * size - x : 0);
    this.shift.x += 0.12 * push(at.x, width);
    this.shift.y += 0.12 * push(at.y, height);
  }

  resize(): void {
    const { width, height } = this.box();
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
  }

  destroy(): void {
    this.canvas.remove();
  }

  draw(look: Look | null): void {
    if (look) this.look = look;
    if (!this.look) return;
    const context = this.canvas.getContext('2d')!;
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const { width, height } = this.box();
    context.clearRect(0, 0, width, height);
    if (this.molecule) {
      this.molecule.draw(
        context,
        this.look,
        this.bond(),
        (node) => this.place(node),
        (node) => this.radius(node),
      );
      return;
    }
    this.drawEdges(context, this.look.dark);
    this.drawNodes(context, this.look);
  }

  private drawEdges(context: CanvasRenderingContext2D, dark: boolean): void {
    const { edges, edge_visits, edge_labels, directed } = this.options.detail;
    context.strokeStyle = context.fillStyle = dark ? '#6d7687' : '#9aa3b0';
    context.font = '11px system-ui, sans-serif';
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    edges.forEach(([u, v], e) => {
      const from = this.place(u);
      const to = this.place(v);
      context.globalAlpha = 0.75;
      context.lineWidth = 1.2 + 3.2 * Math.sqrt((edge_visits?.[e] ?? 0) / this.maxEdgeVisits);
      context.beginPath();
      context.moveTo(from.x, from.y);
      context.lineTo(to.x, to.y);
      context.stroke();
      context.globalAlpha = 1;
      if (directed) this.drawHead(context, from, to, this.radius(v));
      if (edge_labels && this.scale > 0.9) {
        const middle = between(from, to, 0.5);
        const along = Math.atan2(to.y - from.y, to.x - from.x);
        context.fillText(edge_labels[e]!, middle.x + 9 * Math.sin(along), middle.y - 9 * Math.cos(along));
      }
    });
  }

  private drawHead(context: CanvasRenderingContext2D, from: Point, to: Point, gap: number): void {
    const angle = Math.atan2(to.y - from.y, to.x - from.x);
    const tip = { x: to.x - gap * Math.cos(angle), y: to.y - gap * Math.sin(angle) };
    context.beginPath();
    context.moveTo(tip.x, tip.y);
    context.lineTo(tip.x - 8 * Math.cos(angle - 0.4), tip.y - 8 * Math.sin(angle - 0.4));
    context.lineTo(tip.x - 8 * Math.cos(angle + 0.4), tip.y - 8 * Math.sin(angle + 0.4));
    context.fill();
  }

  private drawNodes(context: CanvasRenderingContext2D, look: Look): void {
    const { labels } = this.options.detail.nodes;
    for (let node = 0; node < look.fill.length; ++node) {
      const at = this.place(node);
      const radius = this.radius(node);
      context.fillStyle = look.fill[node]!;
      context.strokeStyle = look.dark ? '#0d1117' : '#ffffff';
      context.lineWidth = 1.5;
      context.beginPath();
      context.arc(at.x, at.y, radius, 0, 2 * Math.PI);
      context.fill();
      context.stroke();
      const label = labels?.[node];
      if (label && radius > 7 && label.length <= 3) {
        context.font = `600 ${Math.round(radius * (label.length > 2 ? 0.8 : 1.05))}px system-ui, sans-serif`;
        context.textAlign = 'center';
        context.textBaseline = 'middle';
        context.fillStyle = ink(look.fill[node]!);
        context.fillText(label, at.x, at.y + 0.5);
      }
    }
  }

  /** A bond's length on the screen. */
  private bond(): number {
    return kPositionUnit * this.scale;
  }

  private box(): DOMRect {
    return this.options.host.getBoundingClientRect();
  }

  private zoomAt(factor: number, x: number, y: number): void {
    const scale = Math.min(12, Math.max(0.02, this.scale * factor));
    const ratio = scale / this.scale;
    this.shift = { x: x - ratio * (x - this.shift.x), y: y - ratio * (y - this.shift.y) };
    this.scale = scale;
    this.options.onTouched();
    this.options.onMoved();
  }

  private listen(): void {
    const { canvas, options } = this;
    const local = (event: MouseEvent) => {
      const box = this.box();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    canvas.addEventListener(
      'wheel',
      (event) => {
        event.preventDefault();
        const { x, y } = local(event);
        this.zoomAt(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0015)), x, y);
      },
      { passive: false },
    );
    canvas.addEventListener('pointerdown', (event) => {
      const { x, y } = local(event);
      this.held = { node: this.nodeAt(x, y), x, y };
      canvas.setPointerCapture(event.pointerId);
      canvas.classList.add('held');
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!this.held) return;
      const { x, y } = local(event);
      if (this.held.node === null) {
        this.shift.x += x - this.held.x;
        this.shift.y += y - this.held.y;
      } else {
        options.layout.drag(this.held.node, (x - this.shift.x) / this.scale, (y - this.shift.y) / this.scale);
      }
      this.held = { ...this.held, x, y };
      options.onTouched();
      options.onMoved();
    });
    const release = () => {
      this.held = null;
      canvas.classList.remove('held');
    };
    canvas.addEventListener('pointerup', release);
    canvas.addEventListener('pointercancel', release);
  }
}
