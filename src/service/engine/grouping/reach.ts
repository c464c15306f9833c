import type { Evidence } from '../../core/telemetry-item.ts';
import { type Neighbours, within } from '../graph/call-graph.ts';
import { MAX_HOPS } from '../ranking/rank.ts';

/** Which services belong to the failure of a root: those whose evidence joins its incident. */
export interface Reach {
  /** The root and those that call it, also by others. */
  readonly victims: ReadonlySet<string>;
  /** Whom the root calls, also by others: each may turn out to be the root. */
  readonly suspects: ReadonlySet<string>;
}

export function reachOf(root: string, graph: Neighbours): Reach {
  return {
    victims: new Set([root, ...within(root, graph.callers, MAX_HOPS).keys()]),
    suspects: new Set(within(root, graph.callees, MAX_HOPS).keys()),
  };
}

/** The services that evidence speaks of: a call has two ends. */
export function servicesOf({ service, peer }: Evidence): readonly string[] {
  return peer === null || peer === service ? [service] : [service, peer];
}
