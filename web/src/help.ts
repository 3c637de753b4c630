// The dialog that lists the keys.

import { h } from './dom';

const kKeys: [string, string][] = [
  ['space', 'play, pause'],
  ['← →', 'one step back, one step on'],
  ['↑ ↓', 'the graph above, below in the list'],
  ['1 2 3 4', 'colour by visits, next move, influence, label'],
  ['a', 'follow the next agent; Escape: all agents'],
  ['r', 'the next rollout'],
  ['f', 'fit the graph'],
  ['+ -', 'zoom'],
  ['/', 'search ids'],
  ['m', 'graphs or model'],
  ['d', 'dark or light'],
  ['?', 'this help'],
];

export function helpDialog(): HTMLDialogElement {
  const dialog = h(
    'dialog',
    { class: 'help', 'aria-label': 'help' },
    h('h2', {}, 'keys'),
    h(
      'dl',
      {},
      ...kKeys.flatMap(([keys, what]) => [
        h('dt', {}, ...keys.split(' ').map((key) => h('kbd', {}, key))),
        h('dd', {}, what),
      ]),
    ),
    h(
      'p',
      { class: 'facts' },
      'Squares are agents, circles are nodes; outlined nodes are marked in the data. Visits say where agents go, ' +
        'influence says what changed the answer: they are not the same. Point at a node or an agent to see probabilities; click an agent to follow it; drag nodes, drag the background, scroll to zoom.',
    ),
    h('form', { method: 'dialog' }, h('button', {}, 'close')),
  );
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  return dialog;
}
