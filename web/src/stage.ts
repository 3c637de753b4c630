// The middle of the page: one graph, its agents, and the loop that moves them.

import { CanvasView } from './canvas_view';
import type { Data, Detail, Rollout } from './data';
import { h } from './dom';
import { Layout } from './layout';
import { Overlay } from './overlay';
import { paint, type Legend } from './paint';
import { SigmaView } from './sigma_view';
import type { Store } from './store';
import { isDark } from './theme';
import { agentTip, nodeTip } from './tooltip';
import { kLargeGraph, type GraphView, type ViewOptions } from './view';
import { lastVisit, split } from './walk';

export class Stage {
  readonly element: HTMLElement;
  onLegend: (legend: Legend | null) => void = () => {};

  private readonly picture = h('div', { class: 'picture' });
  private readonly tip = h('div', { class: 'tip', role: 'tooltip', hidden: true });
  private readonly empty = h('p', { class: 'empty stage-empty', hidden: true });
  private readonly overlay: Overlay;
  private detail: Detail | null = null;
  private layout: Layout | null = null;
  private view: GraphView | null = null;
  private touched = false; // the reader has moved the camera: it stays where it is
  private look = true; // colours must be computed anew
  private stale = true; // something must be drawn anew
  private pointer: { x: number; y: number } | null = null;
  private hoverAgent: number | null = null;
  private hoverNode: number | null = null;
  private last = 0;
  private looping = false;

  constructor(
    private readonly data: Data,
    private readonly store: Store,
  ) {
    this.overlay = new Overlay(this.picture);
    this.element = h(
      'div',
      { class: 'stage', role: 'img', 'aria-label': 'the graph and its agents' },
      this.picture,
      this.empty,
      this.tip,
      h(
        'div',
        { class: 'zoom', role: 'group', 'aria-label': 'zoom' },
        h('button', { type: 'button', 'aria-label': 'zoom in', title: 'zoom in', onclick: () => this.zoom(1.3) }, '+'),
        h(
          'button',
          { type: 'button', 'aria-label': 'zoom out', title: 'zoom out', onclick: () => this.zoom(1 / 1.3) },
          '−',
        ),
        h(
          'button',
          { type: 'button', 'aria-label': 'fit the graph', title: 'fit (f)', onclick: () => this.fit() },
          '⤢',
        ),
      ),
    );
    new ResizeObserver(() => this.resize()).observe(this.picture);
    this.element.addEventListener('pointermove', (event) => this.point(event));
    this.element.addEventListener('pointerleave', () => this.unpoint());
    this.element.addEventListener('click', (event) => this.click(event));
    store.subscribe((changed) => {
      if (changed.has('graph') || (changed.has('tab') && !this.view)) this.show();
      if (changed.has('time') && store.state.colouring === 'chance') this.look = true;
      if (changed.has('colouring') || changed.has('follow') || changed.has('rollout')) this.look = true;
      if (changed.has('follow')) this.touched ||= store.state.follow !== null;
      this.wake();
    });
  }

  rollout(): Rollout | null {
    return this.detail?.rollouts[this.store.state.rollout] ?? null;
  }

  /** Where an agent was drawn last, in pixels of the stage. */
  agentPlace(a: number): { x: number; y: number } | null {
    return this.overlay.agentPlace(a);
  }

  repaint(): void {
    this.look = true;
    this.wake();
  }

  fit(): void {
    this.touched = false;
    this.view?.fit();
    this.wake();
  }

  zoom(factor: number): void {
    this.view?.zoom(factor);
    this.wake();
  }

  /** Draws the chosen graph from the start. */
  show(): void {
    const { graph } = this.store.state;
    const row = graph === null ? null : this.data.graphs[graph]!;
    const detail = row && row.detail !== null ? this.data.details[row.detail]! : null;
    if (detail === this.detail && this.view) return;
    this.view?.destroy();
    this.view = null;
    this.detail = detail;
    this.hoverAgent = this.hoverNode = null;
    this.tip.hidden = true;
    this.empty.hidden = detail !== null;
    this.overlay.canvas.hidden = detail === null;
    if (!detail) {
      this.empty.textContent = row
        ? 'No walk was recorded for this graph: pages hold the walks of some graphs only. Choose "with walks" in the list to see which.'
        : 'No graph is chosen.';
      this.onLegend(null);
      return;
    }
    this.layout = new Layout(detail);
    this.layout.settle(detail.nodes.count > kLargeGraph ? 250 : 180);
    const options: ViewOptions = {
      host: this.picture,
      detail,
      layout: this.layout,
      onMoved: () => this.wake(),
      onTouched: () => (this.touched = true),
    };
    this.view = makeView(options);
    this.picture.append(this.overlay.canvas); // on top
    this.touched = false;
    this.look = true;
    this.resize();
  }

  private resize(): void {
    this.overlay.resize();
    this.view?.resize();
    if (!this.touched) this.view?.fit();
    this.stale = true;
    this.frame(performance.now()); // at once: a resized canvas is empty until it is drawn
  }

  private wake(): void {
    this.stale = true;
    if (this.looping) return;
    this.looping = true;
    this.last = performance.now();
    requestAnimationFrame((now) => this.loop(now));
  }

  private loop(now: number): void {
    this.advance(Math.min(0.1, (now - this.last) / 1000));
    this.last = now;
    this.frame(now);
    this.looping = this.store.state.playing || (this.layout?.moving ?? false) || this.stale;
    if (this.looping) requestAnimationFrame((next) => this.loop(next));
  }

  private advance(seconds: number): void {
    const { playing, time, speed } = this.store.state;
    const rollout = this.rollout();
    if (!playing || !rollout) return;
    const end = lastVisit(rollout);
    const next = time + speed * seconds;
    this.store.set(next >= end ? { time: end, playing: false } : { time: next });
  }

  private frame(_now: number): void {
    const { view, layout, detail } = this;
    if (!view || !layout || !detail) {
      this.stale = false;
      return;
    }
    const moved = layout.settle(detail.nodes.count > kLargeGraph ? 24 : 8);
    if (moved && !this.touched) view.fit();
    const { time, follow, playing, colouring } = this.store.state;
    const rollout = this.rollout();
    if (follow !== null && rollout && playing) {
      view.keepInSight(rollout.agents[follow]!.path[split(time, lastVisit(rollout)).visit]!);
    }
    this.stale = false;
    const dark = isDark();
    if (this.look) {
      this.look = false;
      const painted = paint(detail, rollout, colouring, time, follow, dark ? '#4a5262' : '#c3c9d3');
      view.draw({ fill: painted.fill, emphasis: painted.emphasis, dark });
      this.onLegend(painted.legend);
    } else if (moved || view instanceof CanvasView) {
      view.draw(null);
    }
    this.hover();
    this.overlay.draw(view, detail, {
      rollout,
      time,
      follow,
      hoverAgent: this.hoverAgent,
      hoverNode: this.hoverNode,
      dark,
    });
    // Sigma reports its own drawing as movement; that alone is no reason to go on.
    this.stale = false;
  }

  private point(event: PointerEvent): void {
    const box = this.picture.getBoundingClientRect();
    this.pointer = { x: event.clientX - box.left, y: event.clientY - box.top };
    if ((event.target as Element).closest('.zoom')) this.pointer = null;
    this.wake();
  }

  private unpoint(): void {
    this.pointer = null;
    this.wake();
  }

  private click(event: MouseEvent): void {
    if ((event.target as Element).closest('.zoom') || this.hoverAgent === null) return;
    const { follow } = this.store.state;
    this.store.set({ follow: follow === this.hoverAgent ? null : this.hoverAgent });
  }

  private hover(): void {
    const { pointer, view, detail } = this;
    if (!pointer || !view || !detail) {
      this.hoverAgent = this.hoverNode = null;
      this.tip.hidden = true;
      return;
    }
    const { time } = this.store.state;
    const rollout = this.rollout();
    this.hoverAgent = this.overlay.agentAt(pointer.x, pointer.y);
    this.hoverNode = this.hoverAgent === null ? view.nodeAt(pointer.x, pointer.y) : null;
    this.element.classList.toggle('over', this.hoverAgent !== null || this.hoverNode !== null);
    const content =
      this.hoverAgent !== null && rollout
        ? agentTip(detail, rollout, this.hoverAgent, time)
        : this.hoverNode !== null
          ? nodeTip(detail, rollout, this.hoverNode, time)
          : null;
    this.tip.hidden = content === null;
    if (!content) return;
    this.tip.replaceChildren(...content);
    const box = this.picture.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    const x = pointer.x + 18 + width > box.width ? pointer.x - 18 - width : pointer.x + 18;
    const y = Math.max(4, Math.min(pointer.y + 12, box.height - height - 4));
    this.tip.style.transform = `translate(${Math.max(4, x)}px, ${y}px)`;
  }
}

function makeView(options: ViewOptions): GraphView {
  if (options.detail.nodes.count <= kLargeGraph) return new CanvasView(options);
  try {
    return new SigmaView(options);
  } catch {
    return new CanvasView(options); // no WebGL here: slower, but everything works
  }
}
