// Puts the page together.

import './style.css';
import { ColourPanel } from './colour_panel';
import { loadData, type Data } from './data';
import { grouped, h } from './dom';
import { helpDialog } from './help';
import { listenToKeys } from './keyboard';
import { neighbour, sortsOf } from './list';
import { ListPanel } from './list_panel';
import { modelTab } from './model_tab';
import { Player } from './player';
import { PredictionPanel } from './prediction_panel';
import { Stage } from './stage';
import { initialState, kColourings, Store, type State } from './store';
import { followSystem, isDark, setDark } from './theme';

function build(data: Data, root: HTMLElement): void {
  document.title = `${data.title} - agentnet`;
  const store = new Store(initialState(sortsOf(data)[0]!));
  // A new graph starts at the beginning of its first walk. First, so that panels never see a rollout of the last graph.
  store.subscribe((changed) => {
    if (changed.has('graph')) store.set({ rollout: 0, time: 0, playing: false, follow: null });
  });

  const list = new ListPanel(data, store);
  const stage = new Stage(data, store);
  const player = new Player(data, store);
  const colours = new ColourPanel(store);
  const prediction = new PredictionPanel(data, store, colours.element);
  stage.onLegend = (legend) => colours.showLegend(legend);
  const help = helpDialog();

  const theme = h('button', { type: 'button', class: 'quiet', onclick: () => switchTheme() });
  const nameTheme = () => {
    theme.textContent = isDark() ? '☀' : '☾';
    theme.setAttribute('aria-label', isDark() ? 'light colours' : 'dark colours');
    theme.title = `${isDark() ? 'light' : 'dark'} colours (d)`;
    stage.repaint();
  };
  const switchTheme = () => {
    setDark(!isDark());
    nameTheme();
  };
  followSystem(nameTheme);

  const tab = (name: State['tab'], text: string) =>
    h(
      'button',
      {
        type: 'button',
        role: 'tab',
        id: `tab-${name}`,
        'aria-controls': `pane-${name}`,
        onclick: () => store.set({ tab: name }),
      },
      text,
    );
  const tabs = { graphs: tab('graphs', 'Graphs'), model: tab('model', data.model.programmed ? 'Claim' : 'Model') };
  const panes = {
    graphs: h(
      'main',
      { class: 'graphs-tab', id: 'pane-graphs', role: 'tabpanel', 'aria-labelledby': 'tab-graphs' },
      list.element,
      h('section', { class: 'middle', 'aria-label': 'walk' }, stage.element, player.element),
      prediction.element,
    ),
    model: h(
      'main',
      { id: 'pane-model', role: 'tabpanel', 'aria-labelledby': 'tab-model', hidden: true },
      modelTab(data, store),
    ),
  };
  const showTab = () => {
    for (const name of ['graphs', 'model'] as const) {
      tabs[name].setAttribute('aria-selected', store.state.tab === name ? 'true' : 'false');
      panes[name].hidden = store.state.tab !== name;
    }
  };
  store.subscribe((changed) => changed.has('tab') && showTab());

  root.replaceChildren(
    h(
      'header',
      {},
      h('h1', { title: data.title }, data.title),
      h(
        'p',
        { class: 'facts' },
        data.model.programmed
          ? data.model.description
          : `${data.model.description}, ${grouped(data.model.parameters)} parameters`,
      ),
      h('div', { class: 'tabs', role: 'tablist' }, tabs.graphs, tabs.model),
      theme,
      h(
        'button',
        { type: 'button', class: 'quiet', 'aria-label': 'help', title: 'help (?)', onclick: () => help.showModal() },
        '?',
      ),
    ),
    panes.graphs,
    panes.model,
    help,
  );
  showTab();
  list.refresh();
  nameTheme();

  const choose = (step: number) => () => store.set({ graph: neighbour(store.state.shown, store.state.graph, step) });
  const nextAgent = () => {
    const agents = stage.rollout()?.agents.length ?? 0;
    const next = (store.state.follow ?? -1) + 1;
    store.set({ follow: next < agents ? next : null });
  };
  const nextRollout = () => {
    const rollouts = player.detail()?.rollouts.length ?? 0;
    if (rollouts > 0) store.set({ rollout: (store.state.rollout + 1) % rollouts, time: 0 });
  };
  Object.assign(window, { agentnet: { data, store, stage } }); // for the console, and for tests
  listenToKeys({
    ' ': () => player.toggle(),
    ArrowLeft: () => player.step(-1),
    ArrowRight: () => player.step(1),
    ArrowUp: choose(-1),
    ArrowDown: choose(1),
    f: () => stage.fit(),
    '+': () => stage.zoom(1.3),
    '-': () => stage.zoom(1 / 1.3),
    a: nextAgent,
    r: nextRollout,
    m: () => store.set({ tab: store.state.tab === 'graphs' ? 'model' : 'graphs' }),
    d: switchTheme,
    '/': () => list.focusSearch(),
    '?': () => help.showModal(),
    Escape: () => store.set({ follow: null }),
    ...Object.fromEntries(kColourings.map((colouring, i) => [String(i + 1), () => store.set({ colouring })])),
  });
}

const root = document.getElementById('app')!;
loadData(document).then(
  (data) => build(data, root),
  (error: Error) =>
    root.replaceChildren(
      h(
        'div',
        { class: 'failure', role: 'alert' },
        h('h1', {}, 'This page cannot be shown'),
        h('p', {}, error.message),
      ),
    ),
);
