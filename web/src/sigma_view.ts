// The view of large graphs: sigma draws thousands of nodes with WebGL.

import Graph from 'graphology';
import Sigma from 'sigma';
import type { GraphView, Look, ViewOptions } from './view';
import type { Point } from './walk';

export class SigmaView implements GraphView {
  private readonly graph: Graph;
  private readonly sigma: Sigma;
  private readonly host = document.createElement('div');
  private dragged: string | null = null;

  /** Throws where the browser has no WebGL; the caller then takes the canvas. */
  constructor(private readonly options: ViewOptions) {
    const { detail, layout, host } = options;
    this.host.className = 'graph-webgl';
    host.append(this.host);
    // A mixed multigraph: real data has parallel edges and loops, and nothing here needs to refuse them.
    this.graph = new Graph({ multi: true, type: detail.directed ? 'directed' : 'undirected' });
    layout.bodies.forEach((body, node) =>
      this.graph.addNode(String(node), { x: body.x, y: -body.y, size: 2, color: '#888' }),
    );
    for (const [u, v] of detail.edges) this.graph.addEdge(String(u), String(v), { size: 0.5, color: '#888' });
    try {
      this.sigma = new Sigma(this.graph, this.host, {
        renderLabels: false,
        hideEdgesOnMove: detail.edges.length > 20000,
        minCameraRatio: 0.01,
        maxCameraRatio: 4,
        zIndex: false,
        stagePadding: 30,
        defaultDrawNodeHover: () => {},
      });
    } catch (error) {
      this.host.remove();
      throw error;
    }
    this.listen();
  }

  draw(look: Look | null): void {
    const { bodies } = this.options.layout;
    const edge = look && (look.dark ? '#3a4252' : '#c6ccd6');
    this.graph.updateEachNodeAttributes((key, attributes) => {
      const node = Number(key);
      attributes.x = bodies[node]!.x;
      attributes.y = -bodies[node]!.y;
      if (look) {
        attributes.color = look.fill[node]!;
        attributes.size = 2 + 4 * look.emphasis[node]!;
      }
      return attributes;
    });
    if (edge) {
      this.graph.updateEachEdgeAttributes((_, attributes) => {
        attributes.color = edge;
        return attributes;
      });
    }
    this.sigma.refresh();
  }

  place(node: number): Point {
    const body = this.options.layout.bodies[node]!;
    return this.sigma.graphToViewport({ x: body.x, y: -body.y });
  }

  radius(node: number): number {
    return this.sigma.scaleSize(this.graph.getNodeAttribute(String(node), 'size') as number);
  }

  nodeAt(x: number, y: number): number | null {
    let best: number | null = null;
    let nearest = Infinity;
    for (let node = 0; node < this.options.layout.bodies.length; ++node) {
      const at = this.place(node);
      const distance = Math.hypot(at.x - x, at.y - y);
      if (distance < nearest && distance < this.radius(node) + 4) {
        best = node;
        nearest = distance;
      }
    }
    return best;
  }

  fit(): void {
    this.sigma.getCamera().setState({ x: 0.5, y: 0.5, ratio: 1, angle: 0 });
  }

  zoom(factor: number): void {
    const camera = this.sigma.getCamera();
    camera.setState({ ratio: Math.min(4, Math.max(0.01, camera.ratio / factor)) });
    this.options.onTouched();
  }

  keepInSight(node: number): void {
    const { width, height } = this.sigma.getDimensions();
    const at = this.place(node);
    const push = (x: number, size: number) => (x < 0.2 * size ? x - 0.2 * size : x > 0.8 * size ? x - 0.8 * size : 0);
    const [dx, dy] = [0.12 * push(at.x, width), 0.12 * push(at.y, height)];
    if (dx === 0 && dy === 0) return;
    const camera = this.sigma.getCamera();
    const now = this.sigma.viewportToFramedGraph({ x: 0, y: 0 });
    const then = this.sigma.viewportToFramedGraph({ x: dx, y: dy });
    camera.setState({ x: camera.x + then.x - now.x, y: camera.y + then.y - now.y });
  }

  resize(): void {
    this.sigma.resize();
    this.sigma.refresh();
  }

  destroy(): void {
    this.sigma.kill();
    this.host.remove();
  }

  private listen(): void {
    const { options, sigma } = this;
    sigma.getCamera().on('updated', options.onMoved);
    sigma.on('afterRender', options.onMoved);
    sigma.getMouseCaptor().on('wheel', options.onTouched);
    sigma.getMouseCaptor().on('mousedown', options.onTouched);
    sigma.on('downNode', ({ node }) => (this.dragged = node));
    sigma.on('moveBody', ({ event }) => {
      if (this.dragged === null) return;
      const at = sigma.viewportToGraph(event);
      options.layout.drag(Number(this.dragged), at.x, -at.y);
      event.preventSigmaDefault();
      event.original.preventDefault();
      options.onMoved();
    });
    const release = () => (this.dragged = null);
    sigma.on('upNode', release);
    sigma.on('upStage', release);
  }
}
