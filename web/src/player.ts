// The bar under the picture: play, step, scrub, speed, rollout, agent.

import type { Data, Detail } from './data';
import { h } from './dom';
import type { Store } from './store';
import { lastVisit } from './walk';

const kSpeeds = [0.5, 1, 1.5, 3, 6, 12];

export class Player {
  readonly element: HTMLElement;
  private readonly playButton: HTMLButtonElement;
  private readonly slider: HTMLInputElement;
  private readonly clock = h('output', { class: 'clock number' });
  private readonly rollouts: HTMLSelectElement;
  private readonly agents: HTMLSelectElement;

  constructor(
    private readonly data: Data,
    private readonly store: Store,
  ) {
    const { state } = store;
    this.playButton = h('button', { type: 'button', class: 'play', onclick: () => this.toggle() });
    this.slider = h('input', {
      type: 'range',
      min: 0,
      step: 'any',
      value: 0,
      'aria-label': 'time step',
      class: 'scrub',
      oninput: () => store.set({ time: Number(this.slider.value), playing: false }),
    });
    this.rollouts = h('select', {
      'aria-label': 'rollout',
      onchange: () => store.set({ rollout: Number(this.rollouts.value), time: 0 }),
    });
    this.agents = h('select', {
      'aria-label': 'follow',
      onchange: () => store.set({ follow: this.agents.value === '' ? null : Number(this.agents.value) }),
    });
    const speeds = h(
      'select',
      { 'aria-label': 'speed', onchange: () => store.set({ speed: Number(speeds.value) }) },
      ...kSpeeds.map((speed) => h('option', { value: speed, selected: speed === state.speed }, `${speed} /s`)),
    );
    const step = (by: number) => this.step(by);
    this.element = h(
      'div',
      { class: 'player', role: 'group', 'aria-label': 'walk' },
      h(
        'div',
        { class: 'transport' },
        h(
          'button',
          {
            type: 'button',
            'aria-label': 'one step back',
            title: 'one step back (left arrow)',
            onclick: () => step(-1),
          },
          '◂',
        ),
        this.playButton,
        h(
          'button',
          { type: 'button', 'aria-label': 'one step on', title: 'one step on (right arrow)', onclick: () => step(1) },
          '▸',
        ),
        this.slider,
        this.clock,
      ),
      h(
        'div',
        { class: 'choices' },
        h('label', { class: 'field' }, h('span', {}, 'rollout'), this.rollouts),
        h('label', { class: 'field' }, h('span', {}, 'follow'), this.agents),
        h('label', { class: 'field' }, h('span', {}, 'speed'), speeds),
      ),
    );
    store.subscribe((changed) => {
      if (changed.has('graph')) this.fill();
      this.update();
    });
    this.fill();
    this.update();
  }

  detail(): Detail | null {
    const { graph } = this.store.state;
    const detail = graph === null ? null : this.data.graphs[graph]!.detail;
    return detail === null ? null : this.data.details[detail]!;
  }

  end(): number {
    const rollout = this.detail()?.rollouts[this.store.state.rollout];
    return rollout ? lastVisit(rollout) : 0;
  }

  toggle(): void {
    const { playing, time } = this.store.state;
    if (this.end() === 0) return;
    this.store.set(playing ? { playing: false } : { playing: true, time: time >= this.end() ? 0 : time });
  }

  /** To the next whole visit in that direction. */
  step(by: number): void {
    const { time } = this.store.state;
    const next = by > 0 ? Math.floor(time + 1e-6) + 1 : Math.ceil(time - 1e-6) - 1;
    this.store.set({ time: Math.min(this.end(), Math.max(0, next)), playing: false });
  }

  private fill(): void {
    const rollouts = this.detail()?.rollouts ?? [];
    const agents = rollouts[0]?.agents.length ?? 0;
    this.rollouts.replaceChildren(
      ...rollouts.map((_, r) => h('option', { value: r }, `${r + 1} of ${rollouts.length}`)),
    );
    this.agents.replaceChildren(
      h('option', { value: '' }, 'all agents'),
      ...Array.from({ length: agents }, (_, a) => h('option', { value: a }, `agent ${a}`)),
    );
    this.element.classList.toggle('off', rollouts.length === 0);
    for (const control of this.element.querySelectorAll<HTMLButtonElement>(
      '.transport button, .transport input, select',
    )) {
      control.disabled = rollouts.length === 0;
    }
  }

  private update(): void {
    const { time, playing, rollout, follow } = this.store.state;
    const end = this.end();
    this.playButton.textContent = playing ? '❚❚' : '▶';
    this.playButton.setAttribute('aria-label', playing ? 'pause' : 'play');
    this.playButton.title = `${playing ? 'pause' : 'play'} (space)`;
    this.slider.max = String(end);
    this.slider.value = String(time);
    this.slider.style.setProperty('--done', `${end > 0 ? (100 * time) / end : 0}%`);
    this.slider.setAttribute('aria-valuetext', `visit ${Math.floor(time)} of ${end}`);
    this.clock.textContent = `${Math.floor(time + 1e-6)} / ${end}`;
    this.rollouts.value = String(rollout);
    this.agents.value = follow === null ? '' : String(follow);
  }
}
