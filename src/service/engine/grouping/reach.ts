import type { Evidence } from '../../core/evidence.ts';
import { LINES } from '../evidence.ts';
import { type Neighbours, within } from '../graph/call-graph.ts';
import { namesIn } from '../judging/log-template.ts';
import { MAX_HOPS } from '../ranking/weights.ts';

/** Which services belong to the failure of a root: those whose evidence joins its incident. */
export interface Reach {
  readonly root: string;
  /** The root and its callers, direct or through others. */
  readonly victims: ReadonlySet<string>;
  /** Services that the root calls, directly or through others: each may turn out to be the root. */
  readonly suspects: ReadonlySet<string>;
  /** Version of the graph that it was found in. */
  readonly version: number;
}

/** @param otherRoots that belong to the same failure */
export function reachOf(root: string, graph: Neighbours, otherRoots: Iterable<string> = []): Reach {
  return {
    root,
    victims: new Set([root, ...otherRoots, ...within(root, graph.callers, MAX_HOPS).keys()]),
    suspects: new Set(within(root, graph.callees, MAX_HOPS).keys()),
    version: graph.version,
  };
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** What an error line names besides its own service: it may be about a service that did not answer, or failed. */
export function namedIn({ family, service, example }: Evidence): ReadonlySet<string> {
  const names = LINES.has(family) && example !== undefined ? namesIn(example) : NO_NAMES;
  return names.has(service) ? NO_NAMES : names;
}
