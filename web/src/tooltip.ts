// What is said about the node or agent under the pointer.

import type { Detail, Rollout } from './data';
import { kind } from './colour';
import { h, share, short } from './dom';
import { lastVisit, moveAt, ranked, split } from './walk';

const kCandidates = 8;

export function nodeName(detail: Detail, node: number): string {
  const id = String(detail.nodes.ids?.[node] ?? node);
  const label = detail.nodes.labels?.[node];
  return label ? `node ${id} (${label})` : `node ${id}`;
}

function row(name: string, value: string): HTMLElement {
  return h('div', { class: 'tip-row' }, h('span', {}, name), h('span', { class: 'number' }, value));
}

function bar(name: string, p: number, colour: string): HTMLElement {
  return h(
    'div',
    { class: 'tip-row' },
    h('span', {}, name),
    h('span', { class: 'tip-bar' }, h('i', { style: `width:${Math.round(100 * p)}%;background:${colour}` })),
    h('span', { class: 'number' }, share(p)),
  );
}

export function agentTip(detail: Detail, rollout: Rollout, a: number, time: number): HTMLElement[] {
  const agent = rollout.agents[a]!;
  const { visit } = split(time, lastVisit(rollout));
  const tip = [h('strong', {}, `agent ${a}`), row('at', nodeName(detail, agent.path[visit]!))];
  const move = moveAt(agent, time);
  if (!move || visit >= agent.moves.length) return [...tip, h('em', {}, 'the walk ends here')];
  const candidates = ranked(move);
  tip.push(h('em', {}, `where it may go in move ${visit + 1}`));
  for (const { node, p } of candidates.slice(0, kCandidates)) {
    const here = node === agent.path[visit] ? 'stays' : nodeName(detail, node);
    tip.push(bar(node === agent.path[visit + 1] ? `${here} ✓` : here, p, kind(a)));
  }
  if (candidates.length > kCandidates) tip.push(h('em', {}, `and ${candidates.length - kCandidates} more`));
  return tip;
}

export function nodeTip(detail: Detail, rollout: Rollout | null, node: number, time: number): HTMLElement[] {
  const tip = [
    h('strong', {}, nodeName(detail, node)),
    row('visits per rollout', short(detail.visits[node])),
    row('state needed in', `${Math.round(100 * detail.touched[node]!)} % of rollouts`),
  ];
  if (detail.influence) tip.push(row('influence', short(detail.influence[node])));
  if (detail.nodes.marks?.[node]) tip.push(row('marked', 'yes'));
  if (!rollout) return tip;
  const { visit } = split(time, lastVisit(rollout));
  const coming = rollout.agents
    .map((agent, a) => {
      const at = agent.moves[visit]?.nodes.indexOf(node) ?? -1;
      return { a, p: at < 0 ? 0 : agent.moves[visit]!.p[at]! };
    })
    .filter(({ p }) => p > 0)
    .sort((x, y) => y.p - x.p);
  if (coming.length > 0) tip.push(h('em', {}, `who may come in move ${visit + 1}`));
  for (const { a, p } of coming.slice(0, kCandidates)) tip.push(bar(`agent ${a}`, p, kind(a)));
  return tip;
}
