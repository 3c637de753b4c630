// The tab about the model as a whole: what it is, how it was trained, how good it is.

import { bars, confusionTable, lineChart } from './charts';
import { kind } from './colour';
import type { Data, Epoch } from './data';
import { counted, grouped, h, share, short } from './dom';
import { kNoFilter } from './list';
import { fitOf, mean, numberPairs, range, thinned, widened, type NumberPair } from './stats';
import type { Store } from './store';

const kMostDots = 2000; // more than that are a cloud, and slow

function card(title: string, ...content: (Node | false | null)[]): HTMLElement {
  return h('section', { class: 'card' }, h('h2', {}, title), ...content);
}

function missing(text: string): HTMLElement {
  return h('p', { class: 'empty' }, text);
}

function facts(data: Data): HTMLElement {
  const { model } = data;
  const entries: [string, string][] = [
    ['file', model.file],
    ['made', data.created],
    ['task', `${data.task}, ${counted(data.outputs.length, 'output')}`],
    ['network', model.description],
    ['parameters', grouped(model.parameters)],
    ['graphs', `${grouped(data.graphs.length)}, ${grouped(data.details.length)} with walks`],
  ];
  return card(
    'model',
    h(
      'dl',
      {},
      ...entries
        .filter(([, value]) => value !== '')
        .flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]),
    ),
  );
}

function curves(data: Data): HTMLElement {
  const { training } = data;
  if (!training)
    return card(
      'training',
      missing('This page was made from a model file, without its run: there are no training curves.'),
    );
  if (training.epochs.length === 0) return card('training', missing('The run has no finished epoch.'));
  const curve = (name: string, key: 'loss' | 'metric' | 'learning_rate', colour: string) => {
    const known = training.epochs.filter((epoch): epoch is Epoch & Record<typeof key, number> => epoch[key] !== null);
    if (known.length === 0) return h('figure', {}, h('figcaption', {}, name), missing('was not measured'));
    const best = key === 'metric' ? known.filter((epoch) => epoch.best).at(-1) : undefined;
    const last = known.at(-1)!;
    return h(
      'figure',
      {},
      h(
        'figcaption',
        {},
        name,
        h(
          'span',
          { class: 'facts' },
          best ? ` best ${short(best.metric)} in epoch ${best.epoch}` : ` ${short(last[key])} at the end`,
        ),
      ),
      lineChart({
        title: `${name} over epochs`,
        width: 420,
        height: 190,
        xLabel: 'epoch',
        wholeX: true,
        series: [{ name, colour, points: known.map((epoch): [number, number] => [epoch.epoch, epoch[key]]) }],
        dots: best
          ? [
              {
                x: best.epoch,
                y: best.metric!,
                radius: 4.5,
                title: `best: ${short(best.metric)} in epoch ${best.epoch}`,
              },
            ]
          : [],
      }).element,
    );
  };
  return h(
    'section',
    { class: 'card wide' },
    h('h2', {}, 'training'),
    h(
      'div',
      { class: 'figures' },
      curve('training loss', 'loss', kind(0)),
      curve(`validation ${training.metric}`, 'metric', kind(1)),
      curve('learning rate', 'learning_rate', kind(2)),
    ),
  );
}

function scoreCard(data: Data): HTMLElement {
  const { evaluation } = data;
  if (!evaluation || Object.keys(evaluation.scores).length === 0) {
    return card('scores', missing('No score: the graphs of this page have no targets, or were not evaluated.'));
  }
  const scores = Object.entries(evaluation.scores);
  // Baselines are measured by the metric that the model was chosen by.
  const [metric, own] = scores.find(([name]) => name === data.training?.metric) ?? scores[0]!;
  const baselines = Object.entries(evaluation.baselines);
  return card(
    'scores',
    h(
      'table',
      { class: 'numbers' },
      h(
        'tbody',
        {},
        ...scores.map(([name, value]) => h('tr', {}, h('th', { scope: 'row' }, name), h('td', {}, short(value)))),
      ),
    ),
    baselines.length > 0 && h('h3', {}, `${metric}, beside what needs no network`),
    baselines.length > 0 &&
      bars([{ name: 'this model', value: own, own: true }, ...baselines.map(([name, value]) => ({ name, value }))]),
  );
}

function calibration(data: Data): HTMLElement {
  const bins = data.evaluation?.calibration;
  if (!bins || bins.length === 0) return card('calibration', missing('The calibration was not measured.'));
  const most = Math.max(...bins.map((bin) => bin.count), 1);
  return card(
    'calibration',
    lineChart({
      title: 'share of right answers over confidence',
      width: 420,
      height: 300,
      x: [0, 1],
      y: [0, 1],
      diagonal: true,
      xLabel: 'confidence',
      series: [
        {
          name: 'share of right answers',
          colour: kind(0),
          points: bins.filter((bin) => bin.count > 0).map((bin): [number, number] => [bin.confidence, bin.accuracy]),
        },
      ],
      dots: bins
        .filter((bin) => bin.count > 0)
        .map((bin) => ({
          x: bin.confidence,
          y: bin.accuracy,
          radius: 3 + 7 * Math.sqrt(bin.count / most),
          title: `${counted(bin.count, 'graph')}: confidence ${share(bin.confidence)}, right ${share(bin.accuracy)}`,
        })),
    }).element,
    h(
      'p',
      { class: 'facts' },
      'Share of right answers over confidence. On the dashed line the model is as good as it says; below it is too sure. Larger dots, more graphs.',
    ),
  );
}

function confusion(data: Data, store: Store): HTMLElement {
  const counts = data.evaluation?.confusion;
  if (!counts) return card('confusion', missing('There is no confusion matrix: the graphs were not evaluated.'));
  return card(
    'confusion',
    confusionTable(counts, data.outputs, (target, predicted) =>
      store.set({ tab: 'graphs', filter: { ...kNoFilter, target, predicted } }),
    ),
    h('p', { class: 'facts' }, 'Counts, coloured by share of the row. Click a cell to see its graphs.'),
  );
}

/** Numbers: what was said over what is true, and the errors over what was said; a dot per graph, which shows the graph. */
function numberPlots(data: Data, store: Store): HTMLElement[] {
  const plots = (c: number): Node[][] => {
    const pairs = numberPairs(data, c);
    if (pairs.length === 0) return [[missing('No graph has a true value.')], [missing('No graph has a true value.')]];
    const dot = (pair: NumberPair, x: number, y: number) => ({
      x,
      y,
      radius: pairs.length > 500 ? 2 : 3.5,
      title: `${data.graphs[pair.graph]!.id}: predicted ${short(pair.said)}, true ${short(pair.truth)}`,
      onPick: () => store.set({ tab: 'graphs', filter: kNoFilter, graph: pair.graph }),
    });
    const shown = thinned(pairs, kMostDots);
    const truths = widened(range(pairs.flatMap((pair) => [pair.said, pair.truth])));
    const errors = pairs.map((pair) => pair.said - pair.truth);
    const { r2, mae } = fitOf(pairs);
    const some = shown.length < pairs.length ? ` Every ${grouped(Math.ceil(pairs.length / kMostDots))}th graph.` : '';
    return [
      [
        lineChart({
          title: 'predicted over true values',
          width: 420,
          height: 300,
          x: truths,
          y: truths,
          diagonal: true,
          xLabel: 'true',
          yLabel: 'predicted',
          series: [],
          dots: shown.map((pair) => dot(pair, pair.truth, pair.said)),
        }).element,
        h(
          'p',
          { class: 'facts' },
          `R² ${r2 === null ? 'is not defined' : short(r2)}, mean absolute error ${short(mae)}, ${counted(pairs.length, 'graph')}. ` +
            `On the dashed line the answer is right.${some} Click a dot to see its graph.`,
        ),
      ],
      [
        lineChart({
          title: 'errors over predicted values',
          width: 420,
          height: 300,
          x: widened(range(pairs.map((pair) => pair.said))),
          y: widened(range([...errors, 0])),
          level: { y: 0, name: 'no error' },
          xLabel: 'predicted',
          yLabel: 'predicted − true',
          series: [],
          dots: shown.map((pair) => dot(pair, pair.said, pair.said - pair.truth)),
        }).element,
        h(
          'p',
          { class: 'facts' },
          `Mean error ${short(mean(errors))}: above the dashed line the answer is too high. A slope or a funnel says that the error depends on the answer.`,
        ),
      ],
    ];
  };
  const parity = h('div');
  const residuals = h('div');
  const show = (c: number) => {
    const [left, right] = plots(c);
    parity.replaceChildren(...left!);
    residuals.replaceChildren(...right!);
  };
  show(0);
  const choose =
    data.outputs.length > 1 &&
    h(
      'select',
      {
        'aria-label': 'target',
        onchange: (event: Event) => show(Number((event.target as HTMLSelectElement).value)),
      },
      ...data.outputs.map((name, c) => h('option', { value: c }, name)),
    );
  return [card('predicted and true', choose, parity), card('errors', residuals)];
}

/** Programmed agents have no weights, no training and no scores: only what they show. */
function claim(data: Data): HTMLElement {
  const entries: [string, string][] = [
    ['says', data.title],
    ['agents', data.model.description],
    ['drawn', data.graphs.map((row) => row.id).join('; ')],
  ];
  return card(
    'claim',
    h('dl', {}, ...entries.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])),
    h(
      'p',
      { class: 'facts' },
      'Nothing here is learned: the agents follow the policy of the proof, which sees states and no node. ' +
        'agentnet theory runs the claim on all small graphs and says whether it holds. Outlined nodes are what the claim is about.',
    ),
  );
}

export function modelTab(data: Data, store: Store): HTMLElement {
  if (data.model.programmed) return h('div', { class: 'model-tab' }, claim(data));
  return h(
    'div',
    { class: 'model-tab' },
    facts(data),
    scoreCard(data),
    ...(data.task === 'regression' ? numberPlots(data, store) : []),
    data.task === 'classification' && confusion(data, store),
    data.task !== 'regression' && calibration(data),
    curves(data),
  );
}
