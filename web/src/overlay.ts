// What moves on top of a graph: marks, trails, candidates and the agents themselves.

import type { Detail, Rollout } from './data';
import { ink, kind } from './colour';
import { kLargeGraph, type GraphView } from './view';
import { agentPlaces, between, lastVisit, moveAt, split, trail, type Point } from './walk';

export interface OverlayState {
  rollout: Rollout | null;
  time: number;
  follow: number | null; // this agent in full, the others faint
  hoverAgent: number | null;
  hoverNode: number | null;
  dark: boolean;
}

const kTrail = 5; // visits that a trail remembers; a followed agent's trail is its whole walk

export class Overlay {
  readonly canvas = document.createElement('canvas');
  private places: Point[] = [];
  private agentRadius = 7;

  constructor(private readonly host: HTMLElement) {
    this.canvas.className = 'overlay';
    host.append(this.canvas);
  }

  resize(): void {
    const box = this.host.getBoundingClientRect();
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(box.width * ratio);
    this.canvas.height = Math.round(box.height * ratio);
  }

  agentPlace(a: number): Point | null {
    return this.places[a] ?? null;
  }

  agentAt(x: number, y: number): number | null {
    // The last one drawn is on top.
    for (let a = this.places.length - 1; a >= 0; --a) {
      const at = this.places[a]!;
      if (Math.hypot(at.x - x, at.y - y) <= this.agentRadius + 1) return a;
    }
    return null;
  }

  draw(view: GraphView, detail: Detail, state: OverlayState): void {
    const context = this.canvas.getContext('2d')!;
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.lineCap = context.lineJoin = 'round';
    this.drawMarks(context, view, detail, state);
    this.places = [];
    if (!state.rollout) return;
    const agents = state.rollout.agents.length;
    this.agentRadius = agents > 40 ? 4.5 : agents > 16 ? 6 : 7.5;
    // Agents stand beside the atoms of a molecule, not on their letters.
    const beside = detail.molecule ? this.agentRadius : 0;
    const nodes = { place: (node: number) => view.place(node), radius: (node: number) => view.radius(node) + beside };
    this.places = agentPlaces(state.rollout, state.time, nodes, this.agentRadius);
    this.drawTrails(context, view, state.rollout, state, detail.molecule !== undefined);
    const chosen = state.hoverAgent ?? state.follow;
    if (chosen !== null) this.drawCandidates(context, view, state.rollout, chosen, state);
    this.drawAgents(context, state);
  }

  private drawMarks(context: CanvasRenderingContext2D, view: GraphView, detail: Detail, state: OverlayState): void {
    context.strokeStyle = state.dark ? '#ffffff' : '#111111';
    context.lineWidth = detail.nodes.count > kLargeGraph ? 1 : 2; // many thick rings would hide a large graph
    detail.nodes.marks?.forEach((mark, node) => {
      if (!mark) return;
      const at = view.place(node);
      context.beginPath();
      context.arc(at.x, at.y, view.radius(node) + 2.5, 0, 2 * Math.PI);
      context.stroke();
    });
    if (state.hoverNode === null) return;
    const at = view.place(state.hoverNode);
    context.lineWidth = 3;
    context.beginPath();
    context.arc(at.x, at.y, view.radius(state.hoverNode) + 3, 0, 2 * Math.PI);
    context.stroke();
  }

  /** `around`: trails stop at the rims of nodes, whose letters must be read. */
  private drawTrails(
    context: CanvasRenderingContext2D,
    view: GraphView,
    rollout: Rollout,
    state: OverlayState,
    around: boolean,
  ): void {
    rollout.agents.forEach((agent, a) => {
      if (state.follow !== null && state.follow !== a) return;
      const nodes = trail(agent, state.time, state.follow === a ? lastVisit(rollout) : kTrail);
      const points = [...nodes.map((node) => view.place(node)), this.places[a]!];
      const rims = points.map((_, i) => (around && i < nodes.length ? view.radius(nodes[i]!) : 0));
      context.strokeStyle = kind(a);
      for (let i = 1; i < points.length; ++i) {
        const length = Math.hypot(points[i]!.x - points[i - 1]!.x, points[i]!.y - points[i - 1]!.y);
        if (around && length < rims[i - 1]! + rims[i]! + 2 * this.agentRadius) continue; // it stands beside its atom
        const from = between(points[i - 1]!, points[i]!, rims[i - 1]! / length || 0);
        const to = between(points[i]!, points[i - 1]!, rims[i]! / length || 0);
        const age = i / (points.length - 1);
        context.globalAlpha = 0.1 + 0.6 * age;
        context.lineWidth = 1.5 + 2.5 * age;
        context.beginPath();
        context.moveTo(from.x, from.y);
        context.lineTo(to.x, to.y);
        context.stroke();
      }
    });
    context.globalAlpha = 1;
  }

  private drawCandidates(
    context: CanvasRenderingContext2D,
    view: GraphView,
    rollout: Rollout,
    a: number,
    state: OverlayState,
  ): void {
    const agent = rollout.agents[a];
    const move = agent && moveAt(agent, state.time);
    const { visit } = split(state.time, lastVisit(rollout));
    if (!agent || !move || visit >= agent.moves.length) return; // the walk is over
    const from = view.place(agent.path[visit]!);
    context.strokeStyle = kind(a);
    context.setLineDash([5, 5]);
    move.nodes.forEach((node, i) => {
      const p = move.p[i]!;
      if (p < 0.005) return;
      const to = view.place(node);
      context.globalAlpha = 0.35 + 0.65 * p;
      context.lineWidth = 1 + 4 * p;
      context.beginPath();
      context.moveTo(from.x, from.y);
      context.lineTo(to.x, to.y);
      context.stroke();
      context.beginPath();
      context.arc(to.x, to.y, view.radius(node) + 3 + 2 * p, 0, 2 * Math.PI);
      context.stroke();
    });
    context.setLineDash([]);
    context.globalAlpha = 1;
  }

  private drawAgents(context: CanvasRenderingContext2D, state: OverlayState): void {
    const radius = this.agentRadius;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.font = `700 ${Math.round(radius * 1.25)}px system-ui, sans-serif`;
    this.places.forEach((at, a) => {
      const faint = state.follow !== null && state.follow !== a && state.hoverAgent !== a;
      context.globalAlpha = faint ? 0.25 : 1;
      context.fillStyle = kind(a);
      context.strokeStyle = state.dark ? '#f2f4f8' : '#111111';
      context.lineWidth = 1.6;
      // A square with round corners: agents are told from nodes by shape, not by colour alone.
      context.beginPath();
      context.roundRect(at.x - radius, at.y - radius, 2 * radius, 2 * radius, radius * 0.5);
      context.fill();
      context.stroke();
      if (radius >= 6) {
        context.fillStyle = ink(kind(a));
        context.fillText(String(a), at.x, at.y + 0.5);
      }
    });
    context.globalAlpha = 1;
  }
}
