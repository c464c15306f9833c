import * as dagre from '@dagrejs/dagre';
import { round } from './scale.ts';

const NODE = { height: 34, minWidth: 72, padding: 14, maxLetters: 24, letter: 7.4 };
const MARGIN = 12;
const LABEL_HEIGHT = 16;

export interface ServiceMap {
  readonly services: readonly { readonly name: string; readonly isRoot: boolean; readonly isFailing: boolean }[];
  readonly calls: readonly ServiceCall[];
}

export interface ServiceCall {
  readonly from: string;
  readonly to: string;
  /** How it fails; empty: it works. */
  readonly label: string;
  /** Whether the failure came to people over it. */
  readonly isOnWay?: boolean;
}

/**
 * Services and the calls between them, callers on the left. Failing calls have a label. It is as wide as it needs
 * to be: the caller lets it scroll.
 */
export function ServiceMap({ map, name }: { map: ServiceMap; name: string }) {
  const { nodes, edges, width, height } = layOut(map);
  return (
    <svg class="map" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={name}>
      <defs>
        {['works', 'fails', 'way'].map((kind) => (
          <marker
            id={`arrow-${kind}`}
            class={`arrow ${kind}`}
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto-start-reverse"
          >
            <path d="M0 0 8 4 0 8z" />
          </marker>
        ))}
      </defs>
      {edges.map(({ path, call }) => {
        const kind = kindOf(map.calls[call]);
        return <path class={`edge ${kind}`} d={path} marker-end={`url(#arrow-${kind})`} />;
      })}
      {nodes.map(({ name, label, x, y, width: wide, kind }) => (
        <g class={`node ${kind}`}>
          <title>{name}</title>
          <rect x={round(x - wide / 2)} y={round(y - NODE.height / 2)} width={wide} height={NODE.height} rx="6" />
          <text x={round(x)} y={round(y + 4.5)} text-anchor="middle">
            {label}
          </text>
        </g>
      ))}
      {edges.map(({ call, labelX, labelY, labelWidth }) => {
        const label = map.calls[call]?.label ?? '';
        return label === '' ? null : (
          <g class="edge-label">
            <rect
              class="label-ground"
              x={round(labelX - labelWidth / 2)}
              y={round(labelY - LABEL_HEIGHT / 2)}
              width={labelWidth}
              height={LABEL_HEIGHT}
              rx="3"
            />
            <text class="label-text" x={round(labelX)} y={round(labelY + 4)} text-anchor="middle">
              {label}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

function kindOf(call: ServiceCall | undefined): 'works' | 'fails' | 'way' {
  if (call?.isOnWay === true) {
    return 'way';
  }
  return call === undefined || call.label === '' ? 'works' : 'fails';
}

/** Layouts that were computed last. Most changes of an incident leave its map as it is, and a layout of 40 services takes long. */
const layouts = new Map<string, Layout>();
const MAX_LAYOUTS = 100;

function layOut(map: ServiceMap): Layout {
  const calls = map.calls.map(({ from, to, label }) => [from, to, label.length]);
  const key = JSON.stringify([map.services.map(({ name, isRoot, isFailing }) => [name, isRoot, isFailing]), calls]);
  const layout = layouts.get(key) ?? computeLayout(map);
  layouts.delete(key);
  layouts.set(key, layout); // the last used is the last
  if (layouts.size > MAX_LAYOUTS) {
    layouts.delete(layouts.keys().next().value ?? '');
  }
  return layout;
}

/** Depends on the length of the labels, not on their words. */
function computeLayout({ services, calls }: ServiceMap): Layout {
  const graph = new dagre.graphlib.Graph({ multigraph: false });
  graph.setGraph({ rankdir: 'LR', nodesep: 14, ranksep: 56, marginx: MARGIN, marginy: MARGIN });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { name, isRoot, isFailing } of services) {
    const label = `${isRoot ? '★ ' : ''}${shorten(name)}`;
    const width = Math.max(NODE.minWidth, Math.round(label.length * NODE.letter) + NODE.padding);
    graph.setNode(name, {
      name,
      label,
      width,
      height: NODE.height,
      kind: isRoot ? 'root' : isFailing ? 'failing' : '',
    });
  }
  for (const [call, { from, to, label: text }] of calls.entries()) {
    if (from !== to && graph.hasNode(from) && graph.hasNode(to)) {
      const width = text === '' ? 0 : Math.round(text.length * 6.2) + 8;
      graph.setEdge(from, to, { call, width, height: text === '' ? 0 : LABEL_HEIGHT, labelpos: 'c' });
    }
  }
  dagre.layout(graph);
  const nodes: Placed[] = graph.nodes().map((id: string) => graph.node(id) as Placed);
  const edges = graph.edges().map((id: { v: string; w: string }) => {
    const edge = graph.edge(id) as PlacedEdge;
    return {
      path: pathThrough(edge.points),
      call: edge.call,
      labelWidth: edge.width,
      labelX: edge.x ?? 0,
      labelY: edge.y ?? 0,
    };
  });
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return { nodes, edges, width: Math.ceil(width), height: Math.ceil(height) };
}

interface Layout {
  readonly nodes: readonly Placed[];
  readonly edges: readonly {
    readonly path: string;
    /** Its place among the calls of the map. */
    readonly call: number;
    readonly labelWidth: number;
    readonly labelX: number;
    readonly labelY: number;
  }[];
  readonly width: number;
  readonly height: number;
}

interface Placed {
  readonly name: string;
  readonly label: string;
  readonly kind: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

interface PlacedEdge {
  readonly points: readonly { readonly x: number; readonly y: number }[];
  readonly call: number;
  readonly width: number;
  readonly x?: number;
  readonly y?: number;
}

/** A curve through the middles between the points that dagre gives. */
function pathThrough(points: PlacedEdge['points']): string {
  const [first, ...rest] = points;
  const last = rest.at(-1);
  if (first === undefined || last === undefined) {
    return '';
  }
  const curves = rest.slice(0, -1).map((point, index) => {
    const next = rest[index + 1] ?? point;
    const end = index === rest.length - 2 ? next : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    return `Q${round(point.x)} ${round(point.y)} ${round(end.x)} ${round(end.y)}`;
  });
  const tail = curves.length === 0 ? `L${round(last.x)} ${round(last.y)}` : '';
  return `M${round(first.x)} ${round(first.y)}${curves.join('')}${tail}`;
}

function shorten(name: string): string {
  return name.length > NODE.maxLetters ? `${name.slice(0, NODE.maxLetters - 1)}…` : name;
}
