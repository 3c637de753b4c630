// What the page shows: the types of its data, and the checks that every byte of it goes through before anything is drawn.
//
// The program writes this object into the page (`agentnet view --export`, `agentnet train`), or serves it as data.json
// (`agentnet view`). Letters: n nodes, m edges, C outputs, k agents, T steps; a walk has T + 1 visits, numbered 0..T.

export type Task = 'classification' | 'multilabel' | 'regression';

export interface Model {
  description: string; // one line: which network it is
  agents: number; // k; 0: nobody walks
  steps: number; // T
  parameters: number;
  file: string;
  programmed: boolean; // agents of agentnet theory show: nothing is learned, and there is no right answer
}

export interface Epoch {
  epoch: number;
  loss: number | null;
  learning_rate: number | null;
  metric: number | null; // null: not measured in this epoch
  best: boolean;
}

export interface Training {
  metric: string;
  epochs: Epoch[];
}

export interface CalibrationBin {
  confidence: number; // mean probability of the predicted class in this bin
  accuracy: number; // share of right answers in it
  count: number;
}

export interface Evaluation {
  scores: Record<string, number | null>;
  confusion: number[][] | null; // [C, C] counts, true x predicted
  calibration: CalibrationBin[] | null;
  baselines: Record<string, number | null>;
}

export interface GraphRow {
  id: string;
  target: (number | null)[]; // classification: [class index]; otherwise [C]; null: blank
  mean: number[]; // [C] probabilities or numbers, mean of the rollouts
  walk_spread: number[]; // [C] standard deviation between rollouts; no error bar of the answer
  smiles?: string; // of a molecule that was read from such a text
  finite?: false; // the model's output is no finite number; mean and spread then say nothing
  nodes: number;
  edges: number;
  detail: number | null; // index into details; null: no walk was recorded
}

export interface Move {
  nodes: number[]; // where the agent could go
  p: number[]; // how likely each was
}

export interface AgentWalk {
  path: number[]; // [T + 1] the node of each visit
  moves: Move[]; // [T] moves[t] leads from visit t to visit t + 1
}

export interface Rollout {
  outputs: number[][]; // [T + 1, C] the answer if the walk had ended at that visit
  agents: AgentWalk[];
}

/** How a molecule is drawn; RDKit's coordinates are in `positions`, with bonds of length 1. */
export interface Molecule {
  symbols: string[]; // [n] elements; empty: none
  hydrogens: number[]; // [n] that are no nodes
  charges: number[]; // [n]
  orders: number[]; // [m] lines of a bond; 4: aromatic, and nobody knows which are double
}

export interface Detail {
  graph: number; // index into graphs
  molecule?: Molecule;
  nodes: {
    count: number; // n
    ids: (number | string)[] | null; // null: 0..n-1; a neighbourhood cut out of a huge graph has its original numbers here
    labels: string[] | null;
    positions: [number, number][] | null;
    marks: number[] | null; // 1: outlined, such as the planted motif of a synthetic graph
  };
  edges: [number, number][]; // [m] indices into nodes; undirected pairs once
  edge_labels: string[] | null;
  directed: boolean;
  visits: number[]; // [n] mean visits per rollout
  influence: number[] | null; // [n] signed
  touched: number[]; // [n] share of rollouts in which the node's state was needed
  edge_visits: number[] | null; // [m]
  rollouts: Rollout[];
}

export interface Data {
  version: 1;
  title: string;
  created: string;
  model: Model;
  task: Task;
  outputs: string[];
  training: Training | null;
  evaluation: Evaluation | null;
  graphs: GraphRow[];
  details: Detail[];
}

/** Data that cannot be shown. The message names the place, what stands there and what should. */
export class DataError extends Error {}

type Json = unknown;
type JsonObject = Record<string, Json>;

function describe(value: Json): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}...` : text;
}

function fail(place: string, expected: string, found: Json): never {
  throw new DataError(`${place}: expected ${expected}, found ${describe(found)}`);
}

function object(value: Json, place: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(place, 'an object', value);
  return value as JsonObject;
}

function list(value: Json, place: string, length?: number): Json[] {
  if (!Array.isArray(value)) fail(place, 'a list', value);
  if (length !== undefined && value.length !== length) fail(place, `a list of ${length}`, value);
  return value;
}

function text(value: Json, place: string): string {
  if (typeof value !== 'string') fail(place, 'a text', value);
  return value;
}

function number(value: Json, place: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) fail(place, 'a number', value);
  return value;
}

function index(value: Json, place: string, end: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value >= end) {
    fail(place, end > 0 ? `a whole number from 0 to ${end - 1}` : 'nothing (there is nothing to point at)', value);
  }
  return value;
}

function size(value: Json, place: string): number {
  return index(value, place, Number.MAX_SAFE_INTEGER);
}

function numbers(value: Json, place: string, length?: number): number[] {
  const values = list(value, place, length);
  for (let i = 0; i < values.length; ++i) {
    if (typeof values[i] !== 'number') fail(`${place}[${i}]`, 'a number', values[i]);
  }
  return values as number[];
}

function texts(value: Json, place: string, length?: number): string[] {
  list(value, place, length).forEach((entry, i) => text(entry, `${place}[${i}]`));
  return value as string[];
}

/** null stays null, and a field that is left out counts as null. */
function optional<T>(value: Json, check: (value: Json) => T): T | null {
  return value === null || value === undefined ? null : check(value);
}

function scores(value: Json, place: string): Record<string, number | null> {
  if (value === null || value === undefined) return {};
  const entries = Object.entries(object(value, place));
  return Object.fromEntries(
    entries.map(([name, score]) => [name, optional(score, (x) => number(x, `${place}.${name}`))]),
  );
}

function training(value: Json): Training {
  const root = object(value, 'training');
  return {
    metric: text(root.metric, 'training.metric'),
    epochs: list(root.epochs, 'training.epochs').map((entry, i) => {
      const place = `training.epochs[${i}]`;
      const epoch = object(entry, place);
      return {
        epoch: number(epoch.epoch, `${place}.epoch`),
        loss: optional(epoch.loss, (x) => number(x, `${place}.loss`)),
        learning_rate: optional(epoch.learning_rate, (x) => number(x, `${place}.learning_rate`)),
        metric: optional(epoch.metric, (x) => number(x, `${place}.metric`)),
        best: epoch.best === true,
      };
    }),
  };
}

function evaluation(value: Json, outputs: number): Evaluation {
  const root = object(value, 'evaluation');
  return {
    scores: scores(root.scores, 'evaluation.scores'),
    confusion: optional(root.confusion, (table) =>
      list(table, 'evaluation.confusion', outputs).map((row, i) => numbers(row, `evaluation.confusion[${i}]`, outputs)),
    ),
    calibration: optional(root.calibration, (bins) =>
      list(bins, 'evaluation.calibration').map((entry, i) => {
        const place = `evaluation.calibration[${i}]`;
        const bin = object(entry, place);
        return {
          confidence: number(bin.confidence, `${place}.confidence`),
          accuracy: number(bin.accuracy, `${place}.accuracy`),
          count: number(bin.count, `${place}.count`),
        };
      }),
    ),
    baselines: scores(root.baselines, 'evaluation.baselines'),
  };
}

function graphRow(value: Json, place: string, task: Task, outputs: number, details: number): GraphRow {
  const row = object(value, place);
  const target = list(row.target, `${place}.target`, task === 'classification' ? 1 : outputs);
  return {
    id: text(row.id, `${place}.id`),
    target: target.map((entry, i) =>
      optional(entry, (x) =>
        task === 'classification' ? index(x, `${place}.target[${i}]`, outputs) : number(x, `${place}.target[${i}]`),
      ),
    ),
    mean: numbers(row.mean, `${place}.mean`, outputs),
    walk_spread: numbers(row.walk_spread, `${place}.walk_spread`, outputs),
    ...(row.smiles !== undefined && { smiles: text(row.smiles, `${place}.smiles`) }),
    ...(row.finite === false && { finite: false as const }),
    nodes: size(row.nodes, `${place}.nodes`),
    edges: size(row.edges, `${place}.edges`),
    detail: optional(row.detail, (x) => index(x, `${place}.detail`, details)),
  };
}

function rollout(value: Json, place: string, n: number, outputs: number): Rollout {
  const root = object(value, place);
  const visits = list(root.outputs, `${place}.outputs`);
  if (visits.length === 0) fail(`${place}.outputs`, 'one entry per visit', visits);
  return {
    outputs: visits.map((row, t) => numbers(row, `${place}.outputs[${t}]`, outputs)),
    agents: list(root.agents, `${place}.agents`).map((entry, a) => {
      const here = `${place}.agents[${a}]`;
      const agent = object(entry, here);
      const path = list(agent.path, `${here}.path`, visits.length);
      path.forEach((node, t) => index(node, `${here}.path[${t}]`, n));
      const moves = list(agent.moves, `${here}.moves`, visits.length - 1).map((step, t) => {
        const move = object(step, `${here}.moves[${t}]`);
        const candidates = list(move.nodes, `${here}.moves[${t}].nodes`);
        candidates.forEach((node, i) => index(node, `${here}.moves[${t}].nodes[${i}]`, n));
        return { nodes: candidates as number[], p: numbers(move.p, `${here}.moves[${t}].p`, candidates.length) };
      });
      return { path: path as number[], moves };
    }),
  };
}

function molecule(value: Json, place: string, n: number, m: number): Molecule {
  const root = object(value, place);
  return {
    symbols: texts(root.symbols, `${place}.symbols`, n),
    hydrogens: numbers(root.hydrogens, `${place}.hydrogens`, n),
    charges: numbers(root.charges, `${place}.charges`, n),
    orders: numbers(root.orders, `${place}.orders`, m),
  };
}

function detail(value: Json, place: string, graphs: number, outputs: number): Detail {
  const root = object(value, place);
  const nodes = object(root.nodes, `${place}.nodes`);
  const n = size(nodes.count, `${place}.nodes.count`);
  const edges = list(root.edges, `${place}.edges`);
  edges.forEach((edge, i) => {
    const ends = list(edge, `${place}.edges[${i}]`, 2);
    index(ends[0], `${place}.edges[${i}][0]`, n);
    index(ends[1], `${place}.edges[${i}][1]`, n);
  });
  return {
    graph: index(root.graph, `${place}.graph`, graphs),
    ...(root.molecule !== undefined && { molecule: molecule(root.molecule, `${place}.molecule`, n, edges.length) }),
    nodes: {
      count: n,
      ids: optional(nodes.ids, (x) => list(x, `${place}.nodes.ids`, n) as (number | string)[]),
      labels: optional(nodes.labels, (x) => texts(x, `${place}.nodes.labels`, n)),
      positions: optional(nodes.positions, (x) => {
        list(x, `${place}.nodes.positions`, n).forEach((point, i) =>
          numbers(point, `${place}.nodes.positions[${i}]`, 2),
        );
        return x as [number, number][];
      }),
      marks: optional(nodes.marks, (x) => numbers(x, `${place}.nodes.marks`, n)),
    },
    edges: edges as [number, number][],
    edge_labels: optional(root.edge_labels, (x) => texts(x, `${place}.edge_labels`, edges.length)),
    directed: root.directed === true,
    visits: numbers(root.visits, `${place}.visits`, n),
    influence: optional(root.influence, (x) => numbers(x, `${place}.influence`, n)),
    touched: numbers(root.touched, `${place}.touched`, n),
    edge_visits: optional(root.edge_visits, (x) => numbers(x, `${place}.edge_visits`, edges.length)),
    rollouts: list(root.rollouts, `${place}.rollouts`).map((x, r) => rollout(x, `${place}.rollouts[${r}]`, n, outputs)),
  };
}

/** Checks everything and returns it typed; throws DataError at the first thing that is not as data.ts says. */
export function checkData(value: Json): Data {
  const root = object(value, 'the data');
  if (root.version !== 1) {
    throw new DataError(`version: this page reads version 1, the data is of version ${describe(root.version)}`);
  }
  const model = object(root.model, 'model');
  const task = text(root.task, 'task') as Task;
  if (task !== 'classification' && task !== 'multilabel' && task !== 'regression') {
    fail('task', '"classification", "multilabel" or "regression"', task);
  }
  const outputs = texts(root.outputs, 'outputs');
  const graphs = list(root.graphs, 'graphs');
  const details = list(root.details, 'details');
  return {
    version: 1,
    title: text(root.title, 'title'),
    created: text(root.created, 'created'),
    model: {
      description: text(model.description, 'model.description'),
      agents: size(model.agents, 'model.agents'),
      steps: size(model.steps, 'model.steps'),
      parameters: size(model.parameters, 'model.parameters'),
      file: text(model.file, 'model.file'),
      programmed: model.programmed === true,
    },
    task,
    outputs,
    training: optional(root.training, training),
    evaluation: optional(root.evaluation, (x) => evaluation(x, outputs.length)),
    graphs: graphs.map((x, i) => graphRow(x, `graphs[${i}]`, task, outputs.length, details.length)),
    details: details.map((x, i) => detail(x, `details[${i}]`, graphs.length, outputs.length)),
  };
}

/** Parses and checks. A syntax error is reported like any other. */
export function parseData(json: string): Data {
  let value: Json;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new DataError(`the data is no JSON: ${(error as Error).message}`);
  }
  return checkData(value);
}

/**
 * The data in the page itself or, where the program has put none there, from data.json beside it.
 * The token is not spelled out here: the program replaces every place where it stands.
 */
export async function loadData(page: Document): Promise<Data> {
  const embedded = page.getElementById('agentnet-data')?.textContent?.trim() ?? '';
  if (!/^(__AGENTNET_\w+__)?$/.test(embedded)) return parseData(embedded);
  if (page.location.protocol === 'file:') {
    throw new DataError('this page holds no data: make one with agentnet view MODEL DATA --export page.html');
  }
  const answer = await fetch('data.json').catch((error: Error) => {
    throw new DataError(`data.json cannot be read: ${error.message}; is agentnet view still running?`);
  });
  if (!answer.ok)
    throw new DataError(`data.json cannot be read: the server says ${answer.status} ${answer.statusText}`);
  return parseData(await answer.text());
}
